"""COCO's detection format and LabelMe's files. They are known by what they hold.

COCO: one JSON file with `images`, `annotations` and `categories`, boxes [x, y, width, height] in pixels; an annotation's `instruction` or
`caption` is asked. LabelMe: a JSON file beside each picture with `shapes` in pixels, rectangles (two corners, in any order) and polygons;
a shape's `description` is asked, and a picture that is not where `imagePath` says is taken from `imageData`.
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
    Target,
    embedded,
    file_size,
    find_image,
    fits,
    picture_size,
    polygon_bounds,
    read_json,
    same_size,
    screen_of,
    true_box,
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


# ---------------------------------------------------------------- COCO


class _CocoKeys(msgspec.Struct):
    images: msgspec.Raw
    annotations: list[Any]


def _find_coco(where: Path) -> list[Path]:
    """Return the JSON files, also in a folder `annotations`, that have images and annotations with boxes."""
    places = [where] if where.is_file() else sorted([*where.glob("*.json"), *where.glob("annotations/*.json")])
    return [path for path in places if path.suffix.lower() == ".json" and path.is_file() and _is_coco(path)]


def _is_coco(path: Path) -> bool:
    root = fits(path, _CocoKeys)
    return root is not None and any(isinstance(one, dict) and "bbox" in one for one in root.annotations)


def _coco_entries(where: PictureFolders, files: list[Path], _box_format: str) -> Iterator[Entry]:
    """Yield every annotation. Of several files each is a split."""
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
    return screen_of(where, path, same_size(file_size(path), path.name, image.width, image.height), split=split)


def _annotated(given: Any, place: str, screen_for: Callable[[Name], Screen], names: dict[Name, str]) -> Screen:
    one = typed(given, _Annotation)
    screen, name = screen_for(one.image_id), names.get(one.category_id, "") if one.category_id is not None else ""
    words = one.instruction or one.caption
    if not (words or name):
        known = ", ".join(map(str, names)) or "none"
        raise SnellenError(
            f"no instruction, no caption, and category_id {one.category_id!r} is not in categories ({known})"
        )
    if one.iscrowd:
        raise SnellenError("iscrowd: a box around several things is not a target; leave it out")
    target = Target(
        id=str(one.id),
        instruction=words or instruction_of(None, name, "unknown"),
        where=place,
        boxes=(true_box(one.bbox, "xywh-pixels", screen.space),),
        tags={"type": name or "unknown"},
        shared=not words,
    )
    return screen._replace(targets=(target,))


# ---------------------------------------------------------------- LabelMe


class _LabelmeKeys(msgspec.Struct, rename="camel"):
    shapes: msgspec.Raw
    image_path: str


def _find_labelme(where: Path) -> list[Path]:
    """Return the JSON files that have shapes and name their picture."""
    places = [where] if where.is_file() else sorted(where.glob("*.json"))
    return [p for p in places if p.suffix.lower() == ".json" and p.is_file() and fits(p, _LabelmeKeys) is not None]


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
        image = find_image(where, given.image_path, ("",))
    except SnellenError:
        if not given.image_data:
            raise
        image = path
    cell = EmbeddedPicture(EMBEDDED, 0) if image.suffix.lower() == ".json" else None
    image = image if cell is None else path
    size = file_size(image) if cell is None else picture_size(embedded(path), path.name)
    return screen_of(where, image, same_size(size, image.name, given.image_width, given.image_height), cell=cell)


def _shape(given: Any, number: int, place: str, screen: Screen) -> Screen:
    shape = typed(given, _Shape)
    flat = [float(value) for point in shape.points for value in point]
    polygons: tuple[tuple[float, ...], ...] = ()
    if shape.shape_type == "polygon":
        box, polygons = polygon_bounds(flat, screen.space), (tuple(flat),)
    elif len(shape.points) == 2:
        corners = [min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2])]
        box = true_box(corners, "xyxy-pixels", screen.space)
    else:
        raise SnellenError(f"points: a rectangle has two corners, not {len(shape.points)}")
    if not (shape.description or shape.label.strip()):
        raise SnellenError("neither description nor label says what this is")
    target = Target(
        id=str(number),
        instruction=shape.description or instruction_of(None, shape.label, "unknown"),
        where=place,
        boxes=(box,),
        polygons=polygons,
        tags={"type": shape.label or "unknown"},
        shared=not shape.description,
    )
    return screen._replace(targets=(target,))


COCO = GroundingFormat(
    "coco", "COCO's images, annotations and categories", _find_coco, _coco_entries, "a COCO .json file"
)
LABELME = GroundingFormat(
    "labelme", "LabelMe's files", _find_labelme, _labelme_entries, "a LabelMe .json file beside each picture"
)
