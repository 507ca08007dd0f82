"""Sheets: the drawn questions of the eye exam. One faculty, one dial in a physical unit, one right answer of one word.

A sheet is a pure function of (faculty, level, seed, number, size). Only the dial depends on the level. The right answer and all
irrelevant properties (place, colours, angles) depend on seed and number, so nothing else gives away the answer or the level. Answers are
dealt evenly.

    paper.py     levels between levels, files           marks.py     letters and shapes by geometry
    letters.py   letters, contrast                      odd.py       one of nine: colour, orientation, size, difference
    hidden.py    a silhouette in a scene                pointing.py  a square on a screen
    ciede.py     the distance of two colours

Left out: *crowding* (a letter between flankers), since the line of five letters has flankers already, at a letter's width, and
closer ones touch; and *counting*, where the dial and the answer would be the same number, so a reply would not be a guess among
options that are equally likely at each level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.synthetic.sheets import hidden, letters, odd, pointing
from snellen.synthetic.sheets.paper import DrawnSheet, fingerprint

__all__ = ["DRAWERS", "SIDES", "DrawnSheet", "draw", "fingerprint"]


class _Drawer(NamedTuple):
    """The function that draws a faculty's sheet from level, seed, number and size; `most` is the dial's end."""

    sheet: Callable[[float, int | str, int, int], DrawnSheet]
    most: float


DRAWERS: Mapping[str, _Drawer] = {
    "letters": _Drawer(letters.letters, 400),
    "contrast": _Drawer(letters.contrast, 100),
    "colour": _Drawer(odd.colour, odd.MOST_COLOUR),
    "orientation": _Drawer(odd.orientation, 90),
    "size": _Drawer(odd.size, 100),
    "hidden": _Drawer(hidden.hidden, 100),
    "pointing": _Drawer(pointing.pointing, pointing.LARGEST),
    "difference": _Drawer(odd.difference, 100),
}
SIDES = range(128, 4097)
"""Allowed sides of pictures. Records come from others, so this keeps sheets within the memory of machines."""


def draw(faculty: str, level: float, *, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw the sheet of trial `number` at a value of the faculty's dial, in a picture of this side."""
    if faculty not in DRAWERS:
        raise unknown("faculty", faculty, DRAWERS)
    drawer = DRAWERS[faculty]
    if not 0 < level <= drawer.most:
        raise SnellenError(f"{faculty} has no level {level:g}: choose one above 0 and up to {drawer.most:g}")
    if size not in SIDES:
        raise SnellenError(f"no sheet has a side of {size} pixels: choose from {SIDES.start} to {SIDES.stop - 1}")
    return drawer.sheet(level, seed, number, size)
