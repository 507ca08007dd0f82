"""The solver's entry point: it recognises the faculty by the question's words, uses only the pictures, and guesses if it sees nothing.

A forced choice requires an answer: near its threshold the solver is right as often as a guess, and never leaves the reply empty. The guess
is a function of the picture, so it is the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from snellen.core.pixels import BadPicture, as_rgb
from snellen.core.types import Question
from snellen.exams.eye.faculties import FACULTIES, Faculty
from snellen.exams.eye.solver import cells, reading, shapes
from snellen.exams.eye.solver.base import Pixels
from snellen.exams.eye.solver.pointing import red_square

_MIDDLE = "500,500"
_WAYS: Mapping[str, Callable[[Pixels], str]] = {
    "letters": reading.middle_letter,
    "contrast": reading.faint_letter,
    "colour": cells.odd_colour,
    "orientation": cells.odd_angle,
    "size": cells.odd_size,
    "hidden": shapes.hidden_thing,
    "pointing": red_square,
}
"""Functions that return the answer, or an empty text if they find none. `difference` takes two pictures."""


def solve(question: Question) -> str:
    """Return an option of the faculty that is asked for (or a place); nothing if the question is not one of ours."""
    faculty = asked(question)
    if faculty is None or not question.pictures:
        return ""
    try:
        pictures = [np.asarray(as_rgb(picture.data), dtype=np.float64) for picture in question.pictures]
    except BadPicture:
        return ""
    if min(min(picture.shape[:2]) for picture in pictures) < reading.SMALLEST:
        return _guess(faculty, question)
    paired = faculty.name == "difference"
    found = cells.changed(pictures[0], pictures[-1]) if paired else _WAYS[faculty.name](pictures[0])
    return found or _guess(faculty, question)


def asked(question: Question) -> Faculty | None:
    """Return the faculty of a question."""
    return next((faculty for faculty in FACULTIES.values() if faculty.question in question.text), None)


def _guess(faculty: Faculty, question: Question) -> str:
    if not faculty.options:
        return _MIDDLE
    return Random(question.pictures[0].data).choice(faculty.options)  # noqa: S311 (a guess, not a secret)
