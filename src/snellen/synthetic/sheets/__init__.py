"""Sheets: the drawn questions of the eye exam. One faculty, one dial in a physical unit, one right answer that can be said in a word.

A sheet is a pure function of (faculty, level, seed, number, size). Only the dial follows the level; the right answer and all that
is beside the point (place, colours, angles) follow seed and number, so nothing else tells the answer or the level. Answers are dealt
evenly.

    paper.py     levels between levels, files           marks.py     letters and shapes by geometry
    letters.py   letters, contrast                      odd.py       colour, orientation, size
    hidden.py    a silhouette in a scene                pointing.py  a square on a screen
    difference.py  two pictures, one change             ciede.py     the distance of two colours

Left out: *crowding* (a letter between flankers), since the line of five letters has flankers already, at a letter's width, and
closer ones touch; and *counting*, where the dial and the answer would be the same number, so a reply would not be a guess among
options that are equally likely at each level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snellen.synthetic.sheets import difference, hidden, letters, odd, pointing
from snellen.synthetic.sheets.paper import Sheet, fingerprint

__all__ = ["DRAWERS", "Sheet", "draw", "fingerprint"]

DRAWERS: Mapping[str, Callable[[float, int | str, int, int], Sheet]] = {
    "letters": letters.letters,
    "contrast": letters.contrast,
    "colour": odd.colour,
    "orientation": odd.orientation,
    "size": odd.size,
    "hidden": hidden.hidden,
    "pointing": pointing.pointing,
    "difference": difference.difference,
}


def draw(faculty: str, level: float, *, seed: int | str, number: int, size: int) -> Sheet:
    """The sheet of trial `number` at a value of the faculty's dial, in a picture of that side."""
    return DRAWERS[faculty](level, seed, number, size)
