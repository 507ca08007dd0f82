"""Points and boxes in JSON, strict or almost: point_2d, bbox_2d, coordinate, x and y, tool calls. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from snellen.core.reply import every_json
from snellen.exams.grounding.reading.forms import (
    canonical,
    from_names,
    from_tags,
    from_tuples,
    from_whole,
    place_of,
)
from snellen.exams.grounding.reading.found import N, Numbers, PlaceMatch, W, unit_of

_POINT_KEYS = (
    "point_2d",
    "point",
    "points",
    "coordinate",
    "coordinates",
    "coords",
    "click_point",
    "click",
    "position",
    "center",
    "location",
)
_BOX_KEYS = ("bbox_2d", "bbox", "box", "bounding_box", "boundingbox", "start_box", "rect")
_Y_FIRST = "box_2d"
_NUMBER_TEXT = re.compile(rf"{W}({N}){W}(px|%)?{W}", re.IGNORECASE)
_DEEPEST, _WIDEST = 6, 50


def from_json(text: str) -> list[PlaceMatch]:
    """Read JSON objects, fenced or not: point_2d, bbox_2d, coordinate, x and y, tool calls."""
    return [
        PlaceMatch(start, end, numbers, unit)
        for start, end, value in objects(text)
        for numbers, unit in dict.fromkeys(_points_in(value))
    ]


def objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield every outermost JSON object of a text, also where it is only almost JSON; of a list, each object in it."""
    for value, start, end in every_json(text):
        yield from ((start, end, one) for one in _outermost(value))


def _outermost(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [one for item in value[:_WIDEST] for one in _outermost(item)]
    return [value] if isinstance(value, dict) else []


def is_place(key: str) -> bool:
    """Tell whether a key names a point or a box, or one of its numbers, or the answer."""
    plain = _plain_key(key)
    return plain in (*_POINT_KEYS, *_BOX_KEYS, _Y_FIRST, "answer") or bool(canonical(plain))


def _plain_key(key: Any) -> str:
    return str(key).lower().replace(" ", "_").replace("-", "_")


def _points_in(data: Any, depth: int = 0) -> list[tuple[Numbers, str]]:
    if depth > _DEEPEST:
        return []
    if isinstance(data, list):
        return [] if _plain(data) else [p for item in data[:_WIDEST] for p in _points_in(item, depth + 1)]
    if not isinstance(data, dict):
        return []
    known = {_plain_key(key): value for key, value in data.items()}
    for key in (*_POINT_KEYS, *_BOX_KEYS):
        points = _behind(known.get(key), depth)
        if points:
            return points
    box = _plain(known.get(_Y_FIRST))
    if box and len(box[0]) == 4:
        y1, x1, y2, x2 = box[0]
        return [((x1, y1, x2, y2), box[1])]
    numbers = ((key, number) for key, value in known.items() if (number := _number(value)) is not None)
    place = place_of((key, *number) for key, number in numbers)
    if place is not None:
        return [place]
    return [p for value in list(data.values())[:_WIDEST] for p in _points_in(value, depth + 1)]


def _behind(value: Any, depth: int) -> list[tuple[Numbers, str]]:
    """Return the values of a key that names a point or a box: [x, y], [[x, y]], {"x": .., "y": ..}, "x, y"."""
    plain = _plain(value)
    if plain:
        return [plain]
    if isinstance(value, str):
        whole = [
            found for reader in (from_tags, from_names, from_tuples, from_whole) for found in reader(value[:200])[:1]
        ]
        return [(whole[0].numbers, whole[0].unit)] if whole else []
    if isinstance(value, list) and value and all(_plain(item) for item in value[:_WIDEST]):
        inner = [plain for item in value[:_WIDEST] if (plain := _plain(item))]
        corners = len(inner) == 2 and all(len(numbers) == 2 and unit == inner[0][1] for numbers, unit in inner)
        return [((*inner[0][0], *inner[1][0]), inner[0][1])] if corners else inner
    return _points_in(value, depth + 1) if isinstance(value, dict | list) else []


def _plain(value: Any) -> tuple[Numbers, str] | None:
    """Return a list of two or four numbers, which may be texts."""
    if not isinstance(value, list) or len(value) not in (2, 4):
        return None
    numbers = [number for item in value if (number := _number(item)) is not None]
    units = {unit for _number, unit in numbers}
    return (tuple(n for n, _unit in numbers), units.pop()) if len(numbers) == len(value) and len(units) == 1 else None


def _number(value: Any) -> tuple[float, str] | None:
    if isinstance(value, str):
        match = _NUMBER_TEXT.fullmatch(value)
        return None if match is None else (float(match[1]), unit_of(match[2]))
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e12
    return (float(value), "") if fine else None
