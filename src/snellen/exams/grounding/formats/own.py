"""COCO's detection format and LabelMe's files. They are recognised by their content.

COCO: one JSON file with `images`, `annotations` and `categories`, boxes [x, y, width, height] in pixels. The instruction is an
annotation's `instruction` or `caption`. LabelMe: a JSON file beside each picture with `shapes` in pixels, rectangles (two corners, in any
order) and polygons. The instruction is a shape's `description`. A picture that is not at `imagePath` is taken from `imageData`.
Without such words the instruction is made of the category or label, and all boxes of it in a picture are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.annotations import instruction_of
from snellen.exams.grounding.formats.base import (
    ALL,
    EMBEDDED,
    EmbeddedPicture,
    Entry,
    GroundingFormat,
    Screen,
    embedded,
    file_size,
    find_image,
    keys_of,
    picture_size,
    read_json,
    screen_of,
    typed,
)

Name = int | str


class _Image(msgspec.Struct, frozen=True):
    id: Name
    file_name: str
    width: int
    height: int


class _Annotation(msgspec.Struct, frozen=True):
    id: Name
    image_id: Name
    bbox: list[float]
    category_id: Name | None = None
    instruction: str = ""
    caption: str = ""
    iscrowd: int = 0


class _Category(msgspec.Struct, frozen=True):
    id: Name
    name: str


class _CocoFile(msgspec.Struct, frozen=True):
    images: list[_Image]
    annotations: list[Any]
    categories: list[_Category] = []


class _Shape(msgspec.Struct, frozen=True):
    label: str
    points: list[tuple[float, float]]
    shape_type: Literal["rectangle", "polygon"] = "polygon"
    description: str | None = ""


class _LabelmeFile(msgspec.Struct, frozen=True, rename="camel"):
    shapes: list[Any]
    image_path: str
    image_width: int
    image_height: int
    image_data: str | None = None


def _asked(screen: Screen, place: str, name: str, words: str, **more: Any) -> Screen:
    """Return a screen with one target, whose instruction is its own words, else the name of its kind."""
    asked = words or instruction_of(None, name, "unknown")
    return screen.asking(place, instruction=asked, tags={"type": name or "unknown"}, shared=not words, **more)


def _same_size(size: tuple[int, int], name: str, *stated: int) -> tuple[int, int]:
    """Return the size of a picture; raise SnellenError where the record states another: its boxes were measured on another picture."""
    if stated != size:
        raise SnellenError(f"image {name!r} is {size[0]}x{size[1]}, and the file says {'x'.join(map(str, stated))}")
    return size


def _json_files(where: Path, *patterns: str) -> list[Path]:
    if where.is_file():
        return [where] if where.suffix.lower() == ".json" else []
    return sorted(path for pattern in patterns for path in where.glob(pattern) if path.is_file())


# ---------------------------------------------------------------- COCO


def _find_coco(where: Path) -> list[Path]:
    """Return the JSON files, also in a folder `annotations`, that have images and annotations with boxes."""
    return [path for path in _json_files(where, "*.json", "annotations/*.json") if _is_coco(path)]


def _is_coco(path: Path) -> bool:
    keys = keys_of(path)
    return "images" in keys and b'"bbox"' in bytes(keys.get("annotations", b""))


def _coco_entries(where: PictureFolders, files: list[Path], _box_format: str) -> Iterator[Entry]:
    """Yield every annotation. Each of several files is a split."""
    for path in files:
        label, split = where.label(path), path.stem if len(files) > 1 else ALL
        root = typed(read_json(path, where), _CocoFile)
        names = {one.id: one.name for one in root.categories}
        images = {image.id: image for image in root.images}
        screen = cache(partial(_coco_screen, where, split, images))
        for i, given in enumerate(root.annotations):
            place = f"{label} annotations[{i}]"
            yield place, partial(_annotated, given, place, screen, names)


def _coco_screen(where: PictureFolders, split: str, images: dict[Name, _Image], name: Name) -> Screen:
    image = images.get(name)
    if image is None:
        raise SnellenError(f"image_id {name!r} is not in images")
    path = find_image(where, image.file_name, ("", "images"))
    return screen_of(where, path, _same_size(file_size(path), path.name, image.width, image.height), split=split)


def _annotated(given: Any, place: str, screen_for: Callable[[Name], Screen], names: dict[Name, str]) -> Screen:
    one = typed(given, _Annotation)
    name = names.get(one.category_id, "") if one.category_id is not None else ""
    words = one.instruction or one.caption
    if not (words or name):
        known = ", ".join(map(str, names)) or "none"
        raise SnellenError(
            f"no instruction, no caption, and category_id {one.category_id!r} is not in categories ({known})"
        )
    if one.iscrowd:
        raise SnellenError("iscrowd: a box around several things is not a target; leave it out")
    return _asked(screen_for(one.image_id), place, name, words, id=str(one.id), boxes=[one.bbox])


# ---------------------------------------------------------------- LabelMe


def _find_labelme(where: Path) -> list[Path]:
    """Return the JSON files that have shapes and name their picture."""
    return [path for path in _json_files(where, "*.json") if {"shapes", "imagePath"} <= keys_of(path).keys()]


def _labelme_entries(where: PictureFolders, files: list[Path], _box_format: str) -> Iterator[Entry]:
    """Yield every shape."""
    for path in files:
        label = where.label(path)
        try:
            given = typed(read_json(path, where), _LabelmeFile)
            screen = _labelme_screen(path, where, given)
        except SnellenError as error:
            yield Problem(label, str(error).removeprefix(f"{label}: "))
            continue
        for i, shape in enumerate(given.shapes):
            place = f"{label} shapes[{i}]"
            yield place, partial(_shape, shape, i, place, screen)


def _labelme_screen(path: Path, where: PictureFolders, given: _LabelmeFile) -> Screen:
    """Find the picture beside the file, else in it. Files that hold their picture often name themselves, or a folder elsewhere."""
    try:
        image = find_image(where, given.image_path)
    except SnellenError:
        if not given.image_data:
            raise
        image = path
    inside = image.suffix.lower() == ".json"
    size = picture_size(embedded(path), path.name) if inside else file_size(image)
    image, cell = (path, EmbeddedPicture(EMBEDDED, 0)) if inside else (image, None)
    return screen_of(where, image, _same_size(size, image.name, given.image_width, given.image_height), cell=cell)


def _shape(given: Any, number: int, place: str, screen: Screen) -> Screen:
    shape = typed(given, _Shape)
    if not (shape.description or shape.label.strip()):
        raise SnellenError("neither description nor label says what this is")
    xs, ys = [x for x, _y in shape.points], [y for _x, y in shape.points]
    where: dict[str, Any] = {"polygons": [[float(value) for point in shape.points for value in point]]}
    if shape.shape_type == "rectangle":
        if len(shape.points) != 2:
            raise SnellenError(f"points: a rectangle has two corners, not {len(shape.points)}")
        where = {"boxes": [[min(xs), min(ys), max(xs), max(ys)]], "box_format": "xyxy-pixels"}
    return _asked(screen, place, shape.label, shape.description or "", id=str(number), **where)


COCO = GroundingFormat(
    "coco", "COCO's images, annotations and categories", _find_coco, _coco_entries, "a COCO .json file"
)
LABELME = GroundingFormat(
    "labelme", "LabelMe's files", _find_labelme, _labelme_entries, "a LabelMe .json file beside each picture"
)
