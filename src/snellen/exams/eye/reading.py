"""The reader of one point in a reply; None if the reply gives none or several. Pure."""

from __future__ import annotations

import re
from typing import Any

from snellen.choice.reading import said
from snellen.core.reply import minus_words, opened

_NUMBER = r"-?\d{1,5}(?:\.\d{1,8})?"
_POINT = re.compile(
    rf"(?<![\d.\u2014\u2015\u00b1])(?:x\s{{0,2}}[:=]\s{{0,2}})?({_NUMBER})\s{{0,3}}(?:px)?\s{{0,3}}[,;\s]\s{{0,3}}(?:y\s{{0,2}}[:=]\s{{0,2}})?({_NUMBER})(?![\d.]*\d)",
    re.IGNORECASE,
)
_BOX = re.compile(rf"[\[(<]\s{{0,3}}({_NUMBER})(?:\s{{0,3}},\s{{0,3}}({_NUMBER})){{3}}\s{{0,3}}[\])>]")
SIDE = 1000.0
"""The side of a picture for pointing: pixels and thousandths are the same numbers there."""


def read_point(reply: str) -> tuple[float, float] | None:
    """Return the point in a reply, in pixels of a picture of 1000 x 1000. A box counts as its middle, fractions as thousandths.

    >>> [read_point(r) for r in ("512, 88", "(512,88)", '{"x": 512, "y": 88}', "x=512 y=88", "[500, 80, 524, 96]", "0.512, 0.088")]
    [(512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0)]
    >>> read_point("1,2 or 3,4"), read_point("It is the red one.")
    (None, None)
    """
    value = opened(reply).value
    numbers = _numbers(value) if value is not None else None
    if numbers is None:
        text = minus_words(said(reply))
        boxes = {m.group() for m in _BOX.finditer(text)}
        if len(boxes) == 1:
            numbers = [float(n) for n in re.findall(_NUMBER, boxes.pop())]
        else:
            points = {(float(m[1]), float(m[2])) for m in _POINT.finditer(text)}
            numbers = list(points.pop()) if len(points) == 1 else None
    if numbers is None or len(numbers) not in (2, 4):
        return None
    x, y = numbers if len(numbers) == 2 else ((numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2)
    scale = SIDE if max(numbers) <= 1 and any(n % 1 for n in numbers) else 1.0
    return x * scale, y * scale


def _numbers(value: Any) -> list[float] | None:
    """Return two or four numbers from JSON: a list, or an object with x and y, or with one of these inside."""
    if isinstance(value, dict):
        folded = {str(key).lower(): inner for key, inner in value.items()}
        if "x" in folded and "y" in folded:
            return _numbers([folded["x"], folded["y"]])
        found = [numbers for inner in folded.values() if (numbers := _numbers(inner)) is not None]
        return found[0] if len(found) == 1 else None
    if isinstance(value, list):
        if len(value) in (2, 4) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value):
            return [float(n) for n in value]
        found = [
            numbers for inner in value if isinstance(inner, dict | list) and (numbers := _numbers(inner)) is not None
        ]
        return found[0] if len(found) == 1 else None
    return None
