"""OSWorld-G as published: one JSON list, boxes [x, y, width, height] in pixels, polygons, and targets that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.exams.grounding.formats.base import (
    Format,
    Screen,
    Target,
    area_class,
    find_image,
    grouped,
    polygon_bounds,
    read_rows,
    size_class,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

SPLITS = ("OSWorld-G", "OSWorld-G_refined")
ROOTS = ("", "benchmark")


class _Row(msgspec.Struct, frozen=True):
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


def read(where: Path, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the file, since both files ask for the same targets in different words."""
    for path in files:
        items = []
        label = path.relative_to(where).as_posix()
        root = path.parent.relative_to(where).as_posix()
        for i, given in enumerate(read_rows(path, where)):
            place = f"{label} record {i}"
            try:
                row = typed(given, _Row)
                image = find_image(where, row.image_path, (f"{root}/images", "images", root, ""))
                target = _target(row, place)
            except SnellenError as error:
                yield Problem(place, str(error))
                continue
            name = image.relative_to(where).as_posix()
            items.append(((path.stem, f"{path.stem}/{row.image_path}"), image, row.image_size, name, target))
        yield from grouped(items)


def _target(row: _Row, place: str) -> Target:
    space = Pixels(*row.image_size)
    types = [t.strip().lower() for t in row.GUI_types if t.strip() not in ("", "/")]
    tags = {"type": types[0] if types else "unknown", "kind": "icon" if "icon" in types else "", "answer": row.box_type}
    more = {"gui_types": row.GUI_types}
    if row.box_type == "refusal":
        return Target(id=row.id, instruction=row.instruction, where=place, tags=tags, more=more)
    polygons: tuple[tuple[float, ...], ...] = ()
    if row.box_type == "polygon":
        box = polygon_bounds(row.box_coordinates, space)
        polygons = (tuple(row.box_coordinates),)
    else:
        box = true_box(row.box_coordinates, "xywh", space)
    fraction = box.area / (space.width * space.height)
    tags |= {"size": size_class(box), "area": area_class(fraction)}
    return Target(
        id=row.id,
        instruction=row.instruction,
        where=place,
        boxes=(box,),
        polygons=polygons,
        tags=tags,
        area_fraction=fraction,
        more=more,
    )


FORMAT = Format("osworld-g", "OSWorld-G", "xywh", "pixels", find, read, "OSWorld-G.json")
