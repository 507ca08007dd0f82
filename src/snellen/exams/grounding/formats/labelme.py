"""LabelMe: a JSON file beside each picture, with `shapes` in pixels: rectangles (two corners, in any order) and polygons.

A picture that is not where `imagePath` says is taken from `imageData`.
The instruction is the shape's `description`. Without one it is made of the label, and all shapes of that label in a picture are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.annotations import instruction_of
from snellen.exams.grounding.formats.base import (
    EMBEDDED,
    EmbeddedPicture,
    GroundingFormat,
    Screen,
    Target,
    embedded,
    find_image,
    merged,
    own_size,
    polygon_bounds,
    read_json,
    same_size,
    true_box,
    typed,
    upright_size,
)
from snellen.exams.grounding.geometry import Box, Pixels

ALL = "all"


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


class _LabelmeMarkers(msgspec.Struct, frozen=True, rename="camel"):
    shapes: msgspec.Raw
    image_path: str


def find(where: Path) -> list[Path]:
    """The JSON files that have shapes and name their picture."""
    places = [where] if where.is_file() else sorted(where.glob("*.json"))
    return [path for path in places if path.suffix.lower() == ".json" and path.is_file() and _is_labelme(path)]


def _is_labelme(path: Path) -> bool:
    try:
        msgspec.json.decode(path.read_bytes(), type=_LabelmeMarkers)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
        return False
    return True


def read(where: PictureFolders, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every picture with its shapes."""
    for path in files:
        label = where.label(path)
        try:
            given = typed(read_json(path, where), _LabelmeFile)
            image, cell, size = _picture(path, where, given)
            space = Pixels(*size)
        except SnellenError as error:
            yield Problem(label, str(error).removeprefix(f"{label}: "))
            continue
        told: list[Target] = []
        named: list[Target] = []
        for i, value in enumerate(given.shapes):
            place = f"{label} shapes[{i}]"
            try:
                shape = typed(value, _Shape)
                (told if shape.description else named).append(_target(shape, i, place, space))
            except SnellenError as error:
                yield Problem(place, str(error))
        name = where.label(image)
        yield Screen(name, ALL, name, image, space.width, space.height, (*told, *merged(named)), cell)


def _picture(
    path: Path, where: PictureFolders, given: _LabelmeFile
) -> tuple[Path, EmbeddedPicture | None, tuple[int, int]]:
    """Find the picture beside the file, else in it. Files that hold their picture often name themselves, or a folder elsewhere."""
    try:
        image = find_image(where, given.image_path, ("",))
    except SnellenError:
        if not given.image_data:
            raise
        image = path
    if image.suffix.lower() != ".json":
        return image, None, own_size(image, given.image_width, given.image_height)
    size = upright_size(embedded(path), path.name)
    return path, EmbeddedPicture(EMBEDDED, 0), same_size(size, path.name, given.image_width, given.image_height)


def _target(shape: _Shape, number: int, place: str, space: Pixels) -> Target:
    flat = [float(value) for point in shape.points for value in point]
    if shape.shape_type == "rectangle":
        if len(shape.points) != 2:
            raise SnellenError(f"points: a rectangle has two corners, not {len(shape.points)}")
        corners = [min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2])]
        boxes: tuple[Box, ...] = (true_box(corners, "xyxy", space),)
        polygons: tuple[tuple[float, ...], ...] = ()
    else:
        boxes, polygons = (polygon_bounds(flat, space),), (tuple(flat),)
    if not (shape.description or shape.label.strip()):
        raise SnellenError("neither description nor label says what this is")
    return Target(
        id=str(number),
        instruction=shape.description or instruction_of(None, shape.label, "unknown"),
        where=place,
        boxes=boxes,
        polygons=polygons,
        tags={"type": shape.label or "unknown"},
    )


FORMAT = GroundingFormat(
    "labelme", "LabelMe's files", "xyxy", "pixels", find, read, "a LabelMe .json file beside each picture"
)
