"""The faculties of the eye exam: what each shows, its dial in a physical unit, its ladder of levels, its question.

A ladder goes from the hardest level, where little is left but to measure pixels, to the easiest, which a person sees at a glance.
A question says exactly how to reply, in as few words as can be read without guessing what was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from snellen.synthetic.sheets.hidden import THINGS
from snellen.synthetic.sheets.marks import LETTERS
from snellen.synthetic.sheets.odd import CELLS
from snellen.synthetic.sheets.pointing import SIDE as POINTING_SIDE

SIDE = 512


class Faculty(NamedTuple):
    """One faculty. `levels` are values of the dial, hardest first; `finer` says which way of the dial is better sight."""

    name: str
    title: str
    unit: str
    dial: str
    levels: tuple[float, ...]
    options: tuple[str, ...]
    guess: float
    question: str
    about: str
    finer: str
    size: int
    sizes: bool


def ladder(hardest: float, easiest: float, steps: int) -> tuple[float, ...]:
    """Levels at equal ratios, to three digits.

    >>> ladder(1, 100, 5)
    (1.0, 3.16, 10.0, 31.6, 100.0)
    """
    ratio = (easiest / hardest) ** (1 / (steps - 1))
    return tuple(float(f"{hardest * ratio**i:.3g}") for i in range(steps))


_LETTERS = tuple(LETTERS)
_WHICH = f"It is one of {', '.join(LETTERS)}. Reply with the letter only."
_CELL = "The positions are numbered in reading order: 1 2 3 in the top row, 4 5 6 in the middle row, 7 8 9 in the bottom row."
_SIDES = tuple(round(8 * side) / 8 for side in ladder(2, 160, 40))
"""Edges lie on eighths of a pixel."""
_DIGIT = f"{_CELL} Reply with the number only."

_ALL = (
    Faculty(
        name="letters",
        title="Letters (acuity)",
        unit="px",
        dial="letter height in pixels as sent",
        levels=ladder(2, 48, 36),
        options=_LETTERS,
        guess=1 / len(_LETTERS),
        question=f"The picture shows a line of five letters. Two triangles point at the middle letter. Which letter is it? {_WHICH}",
        about="A chart's line of five Sloan letters, dark on light. The threshold is the height of the smallest letters that are read.",
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
    Faculty(
        name="contrast",
        title="Contrast",
        unit="%",
        dial="Weber contrast in percent of the ground's light",
        levels=ladder(0.1, 80, 40),
        options=_LETTERS,
        guess=1 / len(_LETTERS),
        question=f"The picture shows one large letter, which may be very faint. Which letter is it? {_WHICH}",
        about=(
            "One large letter, a little darker than its grey ground. The threshold is the faintest that is read. Contrasts finer "
            "than a grey level are drawn with noise, so that their mean is right."
        ),
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
    Faculty(
        name="colour",
        title="Colour",
        unit="ΔE",
        dial="difference in colour by CIEDE2000",
        levels=ladder(0.5, 40, 36),
        options=CELLS,
        guess=1 / len(CELLS),
        question=f"The picture shows nine discs. One has a different colour. Which one? {_DIGIT}",
        about="Nine discs, one of another colour. The threshold is the smallest difference that is found.",
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
    Faculty(
        name="orientation",
        title="Orientation",
        unit="°",
        dial="turn in degrees",
        levels=ladder(0.2, 45, 36),
        options=CELLS,
        guess=1 / len(CELLS),
        question=f"The picture shows nine bars. One points in a different direction. Which one? {_DIGIT}",
        about="Nine parallel bars, one of them turned. The threshold is the smallest turn that is found.",
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
    Faculty(
        name="size",
        title="Size",
        unit="%",
        dial="difference in diameter in percent of the smaller",
        levels=ladder(0.5, 100, 36),
        options=CELLS,
        guess=1 / len(CELLS),
        question=f"The picture shows nine discs. One is larger or smaller than the others. Which one? {_DIGIT}",
        about="Nine discs, one larger or smaller. The threshold is the smallest difference in diameter that is found.",
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
    Faculty(
        name="hidden",
        title="Hidden shape",
        unit="%",
        dial="share of the silhouette in the picture in percent",
        levels=ladder(1.5, 80, 36),
        options=THINGS,
        guess=1 / len(THINGS),
        question=(
            f"The shape of one thing is hidden in the picture's light and dark. What is it? It is one of {', '.join(THINGS)}. "
            "Reply with the name only."
        ),
        about="A silhouette mixed into a scene. The threshold is the smallest share of it at which it is named.",
        finer="smaller",
        size=384,
        sizes=True,
    ),
    Faculty(
        name="pointing",
        title="Pointing",
        unit="px",
        dial="side of the target in pixels of a picture of 1000 x 1000",
        levels=_SIDES,
        options=(),
        guess=0.0,
        question=(
            "The picture is 1000 pixels wide and 1000 pixels high. Where is the middle of the red square? x counts from 0 at the left "
            "edge to 1000 at the right, y from 0 at the top to 1000 at the bottom. Reply with x,y only, such as 120,870."
        ),
        about="A screen with six coloured squares. The threshold is the side of the smallest red square that is hit.",
        finer="smaller",
        size=POINTING_SIDE,
        sizes=False,
    ),
    Faculty(
        name="difference",
        title="Difference between two pictures",
        unit="%",
        dial="change of a thing's size in percent of the smaller",
        levels=ladder(0.5, 100, 36),
        options=CELLS,
        guess=1 / len(CELLS),
        question=f"The two pictures show the same nine things. One has another size in the second picture. Which one? {_DIGIT}",
        about=(
            "Two pictures of nine things, one of which grows or shrinks. The threshold is the smallest change that is found; beside that "
            "of size it says what it costs to compare two pictures."
        ),
        finer="smaller",
        size=SIDE,
        sizes=True,
    ),
)
FACULTIES: Mapping[str, Faculty] = MappingProxyType({faculty.name: faculty for faculty in _ALL})
