"""ScreenSpot (SeeClick) and ScreenSpot-v2 (OS-Copilot) as published: one JSON file a platform, boxes [x, y, width, height] in pixels.

Repackaged copies write other boxes under other names; they are refused rather than guessed at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    image_size,
    read_records,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Pixels

SPLITS = ("mobile", "desktop", "web")
FOLDERS = ("screenspotv2_image", "screenspot_imgs", "images", "")


class _ScreenSpotRow(msgspec.Struct, frozen=True):
    img_filename: str
    bbox: list[float]
    instruction: str
    data_type: Literal["text", "icon"]
    data_source: str = ""


def _find(ending: str) -> Callable[[Path], list[Path]]:
    return lambda where: [p for s in SPLITS if (p := where / f"screenspot_{s}{ending}.json").is_file()]


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every screenshot; the split is the file's platform. Sizes come from the images, since the records have none."""
    for path in files:
        yield from read_records(where, [path], _screen)


def _screen(given: Any, place: RecordPlace) -> Screen:
    if isinstance(given, dict) and "img_filename" not in given and "file_name" in given:
        raise SnellenError("a repackaged copy with other boxes; use the files of the original data set")
    row = typed(given, _ScreenSpotRow)
    image = find_image(place.where, row.img_filename, FOLDERS)
    size = image_size(image)
    split = place.file.stem.removeprefix("screenspot_").removesuffix("_v2")
    source = row.data_source.strip().lower()
    target = Target(
        id=f"{place.file.stem}-{place.number:04d}",
        instruction=row.instruction,
        where=str(place),
        boxes=(true_box(row.bbox, "xywh", Pixels(*size)),),
        tags={
            "type": row.data_type,
            "kind": row.data_type,
            "platform": "web" if split == "web" else source or split,
            "application": source if split == "web" else "",
        },
    )
    return Screen(row.img_filename, split, place.where.label(image), image, *size, (target,))


V1 = GroundingFormat(
    "screenspot", "ScreenSpot", "xywh", "pixels", _find(""), read, "screenspot_{mobile,desktop,web}.json"
)
V2 = GroundingFormat(
    "screenspot-v2", "ScreenSpot-v2", "xywh", "pixels", _find("_v2"), read, "screenspot_{mobile,desktop,web}_v2.json"
)
