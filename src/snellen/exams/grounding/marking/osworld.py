"""OSWorld-G as lmms-eval marks it: the first numbers of a reply, fractions told from pixels by their size, (-1, -1) as a refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from snellen.exams.grounding.geometry import Box, Pixels, Point
from snellen.exams.grounding.marking.marks import Truth, hits

_NUMBER = re.compile(r"(-?\d{1,12}(?:\.\d{1,12})?)(%?)")
REFUSAL = (-1.0, -1.0)


def lmms_point(text: str) -> tuple[float, float] | None:
    """The point that lmms-eval reads: two numbers, or the middle of four; percents as fractions.

    >>> lmms_point("<bbox>10 20 30 40</bbox>"), lmms_point("50%, 25%"), lmms_point("none")
    ((20.0, 30.0), (0.5, 0.25), None)
    """
    numbers = [float(n) / 100 if sign else float(n) for n, sign in _NUMBER.findall(text[:10_000])]
    if len(numbers) >= 4:
        return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    return (numbers[0], numbers[1]) if len(numbers) >= 2 else None


def lmms_correct(document: Mapping[str, Any], reply: str) -> bool:
    """Whether lmms-eval counts a reply as right for a record of the data set."""
    return correct(lmms_point(reply), truth_of_record(document))


def correct(point: tuple[float, float] | None, truth: Truth) -> bool:
    """The rule itself. A point between 0 and 1 is taken as fractions, as there."""
    if point is None:
        return False
    if truth.absent:
        return point == REFUSAL
    x, y = point
    if 0 <= x <= 1 and 0 <= y <= 1:
        x, y = x * truth.space.width, y * truth.space.height
    return hits(Point(x, y, truth.space), truth)


def truth_of_record(document: Mapping[str, Any]) -> Truth:
    """The truth of a record: a box [x, y, width, height], a polygon, or a target that is not there."""
    space = Pixels(*document["image_size"])
    numbers = [float(v) for v in document["box_coordinates"]]
    if document["box_type"] == "refusal":
        return Truth(space, (), absent=True)
    if document["box_type"] == "polygon":
        around = Box(min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2]), space)
        return Truth(space, (around,), (tuple(numbers),))
    return Truth(space, (Box.from_xywh(numbers, space),))
