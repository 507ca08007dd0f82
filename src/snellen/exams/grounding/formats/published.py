"""ScreenSpot, ScreenSpot-v2, ScreenSpot-Pro and OSWorld-G as published: lists of records, each a row of these types.

ScreenSpot (SeeClick) and v2 (OS-Copilot): one file per platform, boxes [x, y, width, height] in pixels. Pro: boxes [x1, y1, x2, y2] in
pixels. OSWorld-G: boxes [x, y, width, height] in pixels, polygons, and absent targets. Its authors keep `classification_result.json`
beside the lists; this file has the capabilities that each target needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.base import (
    Entry,
    GroundingFormat,
    Row,
    Screen,
    file_size,
    find_image,
    read_json,
    screen_of,
    typed,
)
from snellen.exams.grounding.names import CAPABILITIES

_CLASSES = "classification_result.json"
Make = Callable[[PictureFolders, Row, str, Path], Screen]


class _SpotRow(msgspec.Struct, frozen=True):
    img_filename: str
    bbox: list[float]
    instruction: str
    data_type: Literal["text", "icon"]
    data_source: str = ""


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


class _OSWorldRow(msgspec.Struct, frozen=True):
    id: str
    image_path: str
    image_size: tuple[int, int]
    instruction: str
    box_type: Literal["bbox", "polygon", "refusal"]
    box_coordinates: list[float]
    GUI_types: list[str] = []


class _Id(msgspec.Struct, frozen=True):
    id: str


class _ClassNames(msgspec.Struct, frozen=True):
    classified: dict[str, list[_Id]]


def _records(
    kind: type[Row], make: Make[Row], where: PictureFolders, files: list[Path], _given: str
) -> Iterator[Entry]:
    """Yield every record of files that are JSON lists."""
    for path in files:
        label, found = where.label(path), read_json(path, where)
        if not isinstance(found, list):
            raise SnellenError(f"{label}: expected a list of records")
        for number, given in enumerate(found):
            place = f"{label} record {number}"
            yield place, partial(_made, given, kind, make, where, place, path)


def _made(given: Any, kind: type[Row], make: Make[Row], where: PictureFolders, place: str, path: Path) -> Screen:
    return make(where, typed(given, kind), place, path)


def _spot(where: PictureFolders, row: _SpotRow, place: str, file: Path) -> Screen:
    """Return a record's screen; the split is the file's platform. The size comes from the image, since the records have none."""
    path = find_image(where, row.img_filename, ("screenspotv2_image", "screenspot_imgs", "images", ""))
    split, source = file.stem.removeprefix("screenspot_").removesuffix("_v2"), row.data_source.strip().lower()
    on_web = split == "web"
    screen = screen_of(where, path, file_size(path, upright=False), id=row.img_filename, split=split)
    return screen.asking(
        place,
        id=f"{file.stem}-{int(place.rpartition(' ')[2]):04d}",
        instruction=row.instruction,
        boxes=[row.bbox],
        tags={
            "type": row.data_type,
            "kind": row.data_type,
            "platform": "web" if on_web else source or split,
            "application": source if on_web else "",
        },
    )


def _pro(where: PictureFolders, row: _ProRow, place: str, file: Path) -> Screen:
    """Return a record's screen; the split is the group of applications."""
    path = find_image(where, row.img_filename, ("images", ""))
    screen = screen_of(where, path, row.img_size, id=row.img_filename, split=row.group)
    return screen.asking(
        place,
        id=row.id,
        instruction=row.instruction,
        boxes=[row.bbox],
        box_format="xyxy-pixels",
        tags={"type": row.ui_type, "kind": row.ui_type, "platform": row.platform, "application": row.application},
        more={"group": row.group, "file": file.stem, "instruction_cn": row.instruction_cn},
    )


def _osworld_entries(where: PictureFolders, files: list[Path], _box_format: str) -> Iterator[Entry]:
    """Yield every record; the split is the file, since both files have the same targets in different words."""
    for path in files:
        capabilities: dict[str, list[str]] = {}
        beside = path.with_name(_CLASSES)
        try:
            known = typed(read_json(beside, where), _ClassNames).classified if beside.is_file() else {}
        except SnellenError as error:
            known = {}
            yield Problem(where.label(beside), str(error))
        for name, rows in known.items():
            for row in rows:
                capabilities.setdefault(row.id, []).append(name)
        yield from _records(_OSWorldRow, partial(_osworld, capabilities), where, [path], "")


def _osworld(known: dict[str, list[str]], where: PictureFolders, row: _OSWorldRow, place: str, file: Path) -> Screen:
    root = where.label(file.parent)
    path = find_image(where, row.image_path, (f"{root}/images", "images", root, ""))
    screen = screen_of(where, path, row.image_size, id=f"{file.stem}/{row.image_path}", split=file.stem)
    types = [t.strip().lower() for t in row.GUI_types if t.strip() not in ("", "/")]
    return screen.asking(
        place,
        id=row.id,
        instruction=row.instruction,
        boxes=[row.box_coordinates] if row.box_type == "bbox" else [],
        polygons=[row.box_coordinates] if row.box_type == "polygon" else [],
        tags={
            "type": types[0] if types else "unknown",
            "kind": "icon" if "icon" in types else "",
            "answer": row.box_type,
        },
        more={"gui_types": row.GUI_types, CAPABILITIES: known.get(row.id, [])},
    )


def _named(where: Path, *names: str) -> list[Path]:
    return [path for name in names if (path := where / name).is_file()]


def _find_spot(where: Path, ending: str) -> list[Path]:
    return _named(where, *(f"screenspot_{platform}{ending}.json" for platform in ("mobile", "desktop", "web")))


def _find_pro(where: Path) -> list[Path]:
    return sorted((where / "annotations").glob("*.json")) if (where / "images").is_dir() else []


def _find_osworld(where: Path) -> list[Path]:
    names = ("OSWorld-G.json", "OSWorld-G_refined.json")
    return _named(where, *names, *(f"benchmark/{name}" for name in names))


_SPOT = partial(_records, _SpotRow, _spot)
FORMATS = (
    GroundingFormat(
        "screenspot", "ScreenSpot", partial(_find_spot, ending=""), _SPOT, "screenspot_{mobile,desktop,web}.json"
    ),
    GroundingFormat(
        "screenspot-v2",
        "ScreenSpot-v2",
        partial(_find_spot, ending="_v2"),
        _SPOT,
        "screenspot_{mobile,desktop,web}_v2.json",
    ),
    GroundingFormat(
        "screenspot-pro",
        "ScreenSpot-Pro",
        _find_pro,
        partial(_records, _ProRow, _pro),
        "annotations/*.json and images/",
    ),
    GroundingFormat("osworld-g", "OSWorld-G", _find_osworld, _osworld_entries, "OSWorld-G.json"),
)
