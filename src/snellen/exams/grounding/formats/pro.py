"""ScreenSpot-Pro as published: `annotations/*.json`, images below `images/`, boxes [x1, y1, x2, y2] in pixels."""

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
    read_rows,
    size_class,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

FOLDERS = ("images", "")


class _Row(msgspec.Struct, frozen=True):
    id: str
    img_filename: str
    bbox: list[float]
    img_size: tuple[int, int]
    instruction: str
    ui_type: Literal["text", "icon"]
    group: str
    application: str
    platform: str
    instruction_cn: str = ""


def find(where: Path) -> list[Path]:
    """The annotation files, one an application and platform."""
    return sorted((where / "annotations").glob("*.json")) if (where / "images").is_dir() else []


def read(where: Path, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the group of applications."""
    items = []
    for path in files:
        for i, given in enumerate(read_rows(path, where)):
            place = f"annotations/{path.name} record {i}"
            try:
                row = typed(given, _Row)
                image = find_image(where, row.img_filename, FOLDERS)
                target = _target(row, place, path.stem)
            except SnellenError as error:
                yield Problem(place, str(error))
                continue
            label = image.relative_to(where).as_posix()
            items.append(((row.group, row.img_filename), image, row.img_size, label, target))
    yield from grouped(items)


def _target(row: _Row, place: str, file: str) -> Target:
    space = Pixels(*row.img_size)
    box = true_box(row.bbox, "xyxy", space)
    fraction = box.area / (space.width * space.height)
    tags = {
        "type": row.ui_type,
        "kind": row.ui_type,
        "platform": row.platform,
        "application": row.application,
        "size": size_class(box),
        "area": area_class(fraction),
    }
    more = {"group": row.group, "file": file, "instruction_cn": row.instruction_cn}
    return Target(
        id=row.id, instruction=row.instruction, where=place, boxes=(box,), tags=tags, area_fraction=fraction, more=more
    )


FORMAT = Format("screenspot-pro", "ScreenSpot-Pro", "xyxy", "pixels", find, read, "annotations/*.json and images/")
