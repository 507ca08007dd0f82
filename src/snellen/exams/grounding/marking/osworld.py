"""OSWorld-G as lmms-eval marks it: the numbers that it reads, fractions, refusals, and points in a box.

OSWorld-G's own evaluation has the same rules for a point (boxes, polygons, both numbers negative). It leaves the reading to a script
per model. Every pattern here takes time in proportion to the reply, so some are two where lmms-eval has one.
"""

from __future__ import annotations

import re

from snellen.exams.grounding.marking.marks import Truth

LMMS = "lmms-eval"
"""The method of a prediction that lmms-eval's rules read."""
_N = r"(-?\d+(?:\.\d+)?%?)"
_NUMBER = re.compile(_N)
_TAG = re.compile(r"<\s*bbox", re.IGNORECASE)
_TAG_END = re.compile(r"<\s*/\s*bbox\s*>", re.IGNORECASE)
_PAIR = re.compile(rf"[\[(]\s*{_N}(?:\s*,\s*|\s+){_N}\s*[\])]")
_X = re.compile(rf"x['\"]?\s*[:=]\s*{_N}", re.IGNORECASE)
_Y = re.compile(rf"y['\"]?\s*[:=]\s*{_N}", re.IGNORECASE)
_BOX_WORDS = ("box", "rect")
_FARTHEST = 1e12  # keeps a number of hundreds of digits a number

XY = tuple[float, float]


def lmms_point(text: str) -> XY | None:
    """Return the point that lmms-eval reads.

    It is the first of these: the middle of a `<bbox>`; the first pair in brackets; x and y by name; the first two numbers,
    or four where the reply mentions a box. Percents are fractions.

    >>> lmms_point("<bbox>10 20 30 40</bbox>"), lmms_point("50%, 25%"), lmms_point("none")
    ((20.0, 30.0), (0.5, 0.25), None)
    >>> lmms_point("Step 1 of 2: click [443, 817]"), lmms_point("1 2 3 4"), lmms_point("box 1 2 3 4")
    ((443.0, 817.0), (1.0, 2.0), (2.0, 3.0))
    """
    tagged = _values(_in_tag(text))
    if len(tagged) >= 4:
        return _middle(tagged)
    pair = _PAIR.search(text)
    if pair is not None:
        return _value(pair[1]), _value(pair[2])
    x = _X.search(text)
    y = None if x is None else _Y.search(text, x.end())
    if x is not None and y is not None:
        return _value(x[1]), _value(y[1])
    numbers = _values(text)
    if len(numbers) >= 4 and any(word in text.lower() for word in _BOX_WORDS):
        return _middle(numbers)
    return (numbers[0], numbers[1]) if len(numbers) >= 2 else None


def lmms_place(point: XY, size: tuple[int, int]) -> XY:
    """Return a point in pixels: if both numbers are from 0 to 1, they are fractions of the screenshot."""
    x, y = point
    return (x * size[0], y * size[1]) if 0 <= x <= 1 and 0 <= y <= 1 else point


def lmms_refuses(point: XY) -> bool:
    """Tell whether a point says that the target is absent: both of its numbers are negative."""
    return point[0] < 0 and point[1] < 0


def lmms_hits(point: XY, truth: Truth) -> bool:
    """Tell whether a point in pixels is right: in the box with its edges, or in the polygon, some of whose edges count."""
    x, y = point
    if truth.polygons:
        return any(_ray(x, y, polygon) for polygon in truth.polygons)
    return any(box.x1 <= x <= box.x2 and box.y1 <= y <= box.y2 for box in truth.boxes)


def _ray(x: float, y: float, flat: tuple[float, ...]) -> bool:
    """Tell whether a ray to the right of the point crosses an odd number of sides."""
    xs, ys = flat[::2], flat[1::2]
    sides = zip(xs, ys, (xs[-1], *xs), (ys[-1], *ys), strict=False)
    crossed = (x < (xj - xi) * (y - yi) / (yj - yi) + xi for xi, yi, xj, yj in sides if (yi > y) != (yj > y))
    return sum(crossed) % 2 == 1


def _in_tag(text: str) -> str:
    """Return the content of the first `<bbox>`, or nothing."""
    tag = _TAG.search(text)
    start = 0 if tag is None else text.find(">", tag.end()) + 1
    end = _TAG_END.search(text, start) if start else None
    return "" if end is None else text[start : end.start()]


def _values(text: str) -> list[float]:
    return [_value(number) for number in _NUMBER.findall(text)]


def _value(number: str) -> float:
    value = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    return max(-_FARTHEST, min(_FARTHEST, value))


def _middle(box: list[float]) -> XY:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
