"""OSWorld-G as lmms-eval marks it: the first numbers of a reply, fractions told from pixels by their size, (-1, -1) as a refusal."""

from __future__ import annotations

import re

from snellen.exams.grounding.geometry import Point
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


def lmms_correct(point: tuple[float, float] | None, truth: Truth) -> bool:
    """Whether lmms-eval counts a point as right. One between 0 and 1 is taken as fractions, as there."""
    if point is None:
        return False
    if truth.absent:
        return point == REFUSAL
    x, y = point
    if 0 <= x <= 1 and 0 <= y <= 1:
        x, y = x * truth.space.width, y * truth.space.height
    return hits(Point(x, y, truth.space), truth)
