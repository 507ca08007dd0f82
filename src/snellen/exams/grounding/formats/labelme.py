"""LabelMe: a JSON file beside each picture, with `shapes` in pixels: rectangles (two corners, in any order) and polygons.

The instruction is the shape's `description`. Without one it is made of the label, and all shapes of that label in a picture are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.exams.grounding.formats.annotations import instruction_of
from snellen.exams.grounding.formats.base import (
    Format,
    Screen,
    Target,
    find_image,
    merged,
    own_size,
    polygon_bounds,
    read_json,
    true_box,
    typed,
)
from snellen.exams.grounding.geometry import Box, Pixels

ALL = "all"


class _Shape(msgspec.Struct, frozen=True):
    label: str
    points: list[tuple[float, float]]
    shape_type: Literal["rectangle", "polygon"] = "polygon"
    description: str | None = ""


class _File(msgspec.Struct, frozen=True, rename="camel"):
    shapes: list[Any]
    image_path: str
    image_width: int
    image_height: int


class _Known(msgspec.Struct, frozen=True, rename="camel"):
    shapes: msgspec.Raw
    image_path: str


def find(where: Path) -> list[Path]:
    """The JSON files that have shapes and name their picture."""
    places = [where] if where.is_file() else sorted(where.glob("*.json"))
    return [path for path in places if path.suffix.lower() == ".json" and path.is_file() and _is_labelme(path)]


def _is_labelme(path: Path) -> bool:
    try:
        msgspec.json.decode(path.read_bytes(), type=_Known)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OSError):
        return False
    return True


def read(where: Path, files: list[Path]) -> Iterator[Screen | Problem]:
    """Every picture with its shapes."""
    for path in files:
        label = path.relative_to(where).as_posix()
        try:
            given = typed(read_json(path, where), _File)
            image = find_image(where, given.image_path, ("",))
            space = Pixels(*own_size(image, given.image_width, given.image_height))
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
        name = image.relative_to(where).as_posix()
        yield Screen(name, ALL, name, image, space.width, space.height, (*told, *merged(named)))


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


FORMAT = Format("labelme", "LabelMe's files", "xyxy", "pixels", find, read, "a LabelMe .json file beside each picture")
