"""The point in a plain reply as SeeClick's evaluation of ScreenSpot reads it: fractions of the screenshot, nothing guessed.

Two numbers are a point, four a box, any other count is a wrong format; a reply that has the word "box" in it must hold the tag
`<box>(x1,y1),(x2,y2)</box>` in thousandths.
"""

from __future__ import annotations

import re

SEECLICK = "seeclick"
"""The method of a prediction that SeeClick's rules read."""
_NUMBER = re.compile(r"-?\d+\.?\d*")
_BOX = re.compile(r"<box>\((\d+),(\d+)\),\((\d+),(\d+)\)</box>")
_LARGEST = 1e12
_LONGEST = 4300  # digits that Python converts to a whole number; with more, SeeClick's script calls the format wrong


def seeclick_point(text: str) -> tuple[float, float] | None:
    """Return the point in fractions of the screenshot's width and height; None for a wrong format.

    >>> seeclick_point("(0.49,0.40)"), seeclick_point("<box>(100,200),(300,400)</box>"), seeclick_point("step 1: (0.5, 0.5)")
    ((0.49, 0.4), (0.2, 0.3), None)
    """
    if "box" in text:
        found = _BOX.search(text)
        # SeeClick's script converts every box of the reply to whole numbers, though it uses only the first
        if found is None or any(len(n) > _LONGEST for box in _BOX.findall(text) for n in box):
            return None
        x1, y1, x2, y2 = (_bounded(float(n)) for n in found.groups())
        return (x1 + x2) / 2 / 1000, (y1 + y2) / 2 / 1000
    numbers = [_bounded(float(n)) for n in _NUMBER.findall(text)]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    if len(numbers) == 4:
        return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
    return None


def _bounded(value: float) -> float:
    return max(-_LARGEST, min(_LARGEST, value))
