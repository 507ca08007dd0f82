"""ScreenSpot-Pro as published: `annotations/*.json`, images below `images/`, boxes [x1, y1, x2, y2] in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.base import (
    GroundingFormat,
    RecordPlace,
    Screen,
    Target,
    find_image,
    read_records,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

FOLDERS = ("images", "")


class _ProRow(msgspec.Struct, frozen=True):
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


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the group of applications."""
    return read_records(where, files, _screen)


def _screen(given: Any, place: RecordPlace) -> Screen:
    row = typed(given, _ProRow)
    image = find_image(place.where, row.img_filename, FOLDERS)
    target = Target(
        id=row.id,
        instruction=row.instruction,
        where=str(place),
        boxes=(true_box(row.bbox, "xyxy", Pixels(*row.img_size)),),
        tags={"type": row.ui_type, "kind": row.ui_type, "platform": row.platform, "application": row.application},
        more={"group": row.group, "file": place.file.stem, "instruction_cn": row.instruction_cn},
    )
    label = place.where.label(image)
    return Screen(row.img_filename, row.group, label, image, *row.img_size, (target,))


FORMAT = GroundingFormat(
    "screenspot-pro", "ScreenSpot-Pro", "xyxy", "pixels", find, read, "annotations/*.json and images/"
)
