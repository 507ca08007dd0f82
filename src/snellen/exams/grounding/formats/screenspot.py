"""ScreenSpot (SeeClick) and ScreenSpot-v2 (OS-Copilot) as published: one JSON file a platform, boxes [x, y, width, height] in pixels.

Repackaged copies write other boxes under other names; they are refused rather than guessed at.
"""

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
    image_size,
    read_rows,
    size_class,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

SPLITS = ("mobile", "desktop", "web")
FOLDERS = ("screenspotv2_image", "screenspot_imgs", "images", "")


class _Row(msgspec.Struct, frozen=True):
    img_filename: str
    bbox: list[float]
    instruction: str
    data_type: Literal["text", "icon"]
    data_source: str = ""


def _find(where: Path, ending: str) -> list[Path]:
    return [p for s in SPLITS if (p := where / f"screenspot_{s}{ending}.json").is_file()]


def find_v1(where: Path) -> list[Path]:
    """The files of ScreenSpot."""
    return _find(where, "")


def find_v2(where: Path) -> list[Path]:
    """The files of ScreenSpot-v2."""
    return _find(where, "_v2")


def read(where: Path, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the file's platform. Sizes come from the images, since the records have none."""
    for path in files:
        split = path.stem.removeprefix("screenspot_").removesuffix("_v2")
        sizes: dict[Path, tuple[int, int]] = {}
        items = []
        for i, given in enumerate(read_rows(path, where)):
            place = f"{path.name} record {i}"
            try:
                if isinstance(given, dict) and "img_filename" not in given and "file_name" in given:
                    raise SnellenError("a repackaged copy with other boxes; use the files of the original data set")
                row = typed(given, _Row)
                image = find_image(where, row.img_filename, FOLDERS)
                if image not in sizes:
                    sizes[image] = image_size(image)
                target = _target(row, split, f"{path.stem}-{i:04d}", place, Pixels(*sizes[image]))
            except SnellenError as error:
                yield Problem(place, str(error))
                continue
            label = image.relative_to(where).as_posix()
            items.append(((split, row.img_filename), image, sizes[image], label, target))
        yield from grouped(items)


def _target(row: _Row, split: str, name: str, place: str, space: Pixels) -> Target:
    box = true_box(row.bbox, "xywh", space)
    fraction = box.area / (space.width * space.height)
    source = row.data_source.strip().lower()
    tags = {
        "type": row.data_type,
        "kind": row.data_type,
        "platform": "web" if split == "web" else source or split,
        "application": source if split == "web" else "",
        "size": size_class(box),
        "area": area_class(fraction),
    }
    return Target(id=name, instruction=row.instruction, where=place, boxes=(box,), tags=tags, area_fraction=fraction)


V1 = Format("screenspot", "ScreenSpot", "xywh", "pixels", find_v1, read, "screenspot_{mobile,desktop,web}.json")
V2 = Format(
    "screenspot-v2", "ScreenSpot-v2", "xywh", "pixels", find_v2, read, "screenspot_{mobile,desktop,web}_v2.json"
)
