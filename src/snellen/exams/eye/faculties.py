"""The faculties of the eye exam: what each shows, its dial in a physical unit, its ladder of levels, its question.

A ladder goes from the hardest level, which nobody passes but by measuring pixels, to the easiest, which a person sees at a glance.
A question says exactly how to reply, in as few words as can be read without guessing what was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from snellen.synthetic.sheets.marks import LETTERS
from snellen.synthetic.sheets.odd import CELLS

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
)
FACULTIES: Mapping[str, Faculty] = MappingProxyType({faculty.name: faculty for faculty in _ALL})
