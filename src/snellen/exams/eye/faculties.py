"""The faculties of the eye exam: the image that each shows, its dial in a physical unit, its ladder of levels, its question.

A ladder goes from the hardest level, which leaves little to do but measure pixels, to the easiest, which a person sees at a glance. A
question says exactly how to reply, in as few words as are clear.
"""

from __future__ import annotations

import msgspec

from snellen.core.types import Struct
from snellen.data.declared import declared
from snellen.synthetic.sheets.hidden import THINGS
from snellen.synthetic.sheets.marks import LETTERS
from snellen.synthetic.sheets.odd import CELLS

OPTIONS = {"letters": tuple(LETTERS), "cells": CELLS, "things": THINGS, "places": ()}


class Faculty(Struct, frozen=True):
    """One faculty, as declared in `faculties.toml`. `finer` says which direction of the dial means better sight.

    `levels` are values of the dial, hardest first. They, the options and the chance of a guess are derived from the other fields.
    """

    name: str
    title: str
    unit: str
    dial: str
    ladder: tuple[float, float, int]
    answers: str
    question: str
    about: str
    sees: str
    needs: str
    finer: str = "smaller"
    step: float = 0.0
    size: int = 512
    sizes: bool = True
    levels: tuple[float, ...] = ()
    options: tuple[str, ...] = ()
    guess: float = 0.0


class _Faculties(Struct, frozen=True):
    endings: dict[str, str]
    faculties: tuple[Faculty, ...]


def _ladder(hardest: float, easiest: float, steps: int) -> tuple[float, ...]:
    """Return levels at equal ratios, to three digits.

    >>> _ladder(1, 100, 5)
    (1.0, 3.16, 10.0, 31.6, 100.0)
    """
    ratio = (easiest / hardest) ** (1 / (steps - 1))
    return tuple(float(f"{hardest * ratio**i:.3g}") for i in range(steps))


def _read() -> dict[str, Faculty]:
    words = declared("snellen.exams.eye", "faculties.toml", _Faculties)
    found = {}
    for faculty in words.faculties:
        options, levels = OPTIONS[faculty.answers], _ladder(*faculty.ladder)
        if faculty.step:
            levels = tuple(round(level / faculty.step) * faculty.step for level in levels)
        question = faculty.question + words.endings[faculty.answers].format(options=", ".join(options))
        guess = 1 / len(options) if options else 0.0
        found[faculty.name] = msgspec.structs.replace(
            faculty, levels=levels, options=options, guess=guess, question=question
        )
    return found


FACULTIES = _read()
