"""OSWorld-G as published: one JSON list, boxes [x, y, width, height] in pixels, polygons, and targets that are not there.

`classification_result.json`, which its authors keep beside the lists, says which capabilities a target asks for: one or several.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.base import (
    GroundingFormat,
    RecordPlace,
    Screen,
    Target,
    find_image,
    polygon_bounds,
    read_json,
    read_records,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Box, Pixels
from snellen.exams.grounding.names import CAPABILITIES

SPLITS = ("OSWorld-G", "OSWorld-G_refined")
ROOTS = ("", "benchmark")
CLASSES = "classification_result.json"


class _OSWorldRow(msgspec.Struct, frozen=True):
    id: str
    image_path: str
    image_size: tuple[int, int]
    instruction: str
    box_type: Literal["bbox", "polygon", "refusal"]
    box_coordinates: list[float]
    GUI_types: list[str] = []


def find(where: Path) -> list[Path]:
    """The files, also in the repository's `benchmark/` folder."""
    return [p for root in ROOTS for name in SPLITS if (p := where / root / f"{name}.json").is_file()]


class _Id(msgspec.Struct, frozen=True):
    id: str


class _Classes(msgspec.Struct, frozen=True):
    classified: dict[str, list[_Id]]


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the file, since both files ask for the same targets in different words."""
    for path in files:
        classes: dict[str, list[str]] = {}
        try:
            classes = capabilities(path.with_name(CLASSES), where)
        except SnellenError as error:
            yield Problem(where.label(path.with_name(CLASSES)), str(error))
        yield from read_records(where, [path], partial(_screen, classes=classes))


def capabilities(path: Path, where: PictureFolders) -> dict[str, list[str]]:
    """The capabilities of each target, by its id; none where the file is not there."""
    if not path.is_file():
        return {}
    found: dict[str, list[str]] = {}
    for name, rows in typed(read_json(path, where), _Classes).classified.items():
        for row in rows:
            found.setdefault(row.id, []).append(name)
    return found


def _screen(given: Any, place: RecordPlace, classes: dict[str, list[str]]) -> Screen:
    row = typed(given, _OSWorldRow)
    root, split = place.where.label(place.file.parent), place.file.stem
    image = find_image(place.where, row.image_path, (f"{root}/images", "images", root, ""))
    space = Pixels(*row.image_size)
    types = [t.strip().lower() for t in row.GUI_types if t.strip() not in ("", "/")]
    boxes: tuple[Box, ...] = ()
    if row.box_type == "polygon":
        boxes = (polygon_bounds(row.box_coordinates, space),)
    elif row.box_type == "bbox":
        boxes = (true_box(row.box_coordinates, "xywh", space),)
    target = Target(
        id=row.id,
        instruction=row.instruction,
        where=str(place),
        boxes=boxes,
        polygons=(tuple(row.box_coordinates),) if row.box_type == "polygon" else (),
        tags={
            "type": types[0] if types else "unknown",
            "kind": "icon" if "icon" in types else "",
            "answer": row.box_type,
        },
        more={"gui_types": row.GUI_types, CAPABILITIES: classes.get(row.id, [])},
    )
    label = place.where.label(image)
    return Screen(f"{split}/{row.image_path}", split, label, image, *row.image_size, (target,))


FORMAT = GroundingFormat("osworld-g", "OSWorld-G", "xywh", "pixels", find, read, "OSWorld-G.json")
