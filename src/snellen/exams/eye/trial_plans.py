"""The plan of an eye exam: a course for each faculty, repeated for each size or codec. Pure.

A course is a row of trials. Every eighth is a catch trial at the easiest level, which any model that looks and understands gets right. With
each of them comes a blank sheet, which can be right only by a guess.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.core.options import Selection
from snellen.exams.eye.faculties import FACULTIES, Faculty
from snellen.synthetic.sheets import draw

QUESTIONS, FEWEST, MOST = 40, 16, 1000
CATCH_EVERY = 8
AHEAD = 4
"""The default number of trials of a course that may be under way at once. It does not depend on the other faculties in the exam."""
PNG = "png"
_CODEC = re.compile(r"png|jpeg(?P<quality>[1-9]\d?|100)?")


class Course(NamedTuple):
    """A faculty at a size (in pixels) and in a codec: `png`, or `jpeg90`. `alone` is true if its faculty has no other course."""

    faculty: Faculty
    size: int
    codec: str
    trials: int
    alone: bool

    @property
    def name(self) -> str:
        """The prefix of its samples' names."""
        return self.faculty.name if self.alone else f"{self.faculty.name}-{self.size}px-{self.codec}"

    @property
    def tags(self) -> dict[str, str]:
        """The tags that distinguish its samples."""
        told = {} if self.alone else {"sent as": f"{self.size} px {self.codec}"}
        return {"faculty": self.faculty.name, **told}

    def is_catch(self, number: int) -> bool:
        """Return whether a trial is a catch trial."""
        return number % CATCH_EVERY == 0

    @property
    def blanks(self) -> int:
        """The number of blank sheets: one with each catch trial."""
        return ceil(self.trials / CATCH_EVERY)


class _TrialPlan(NamedTuple):
    """All courses, and their order. `ahead` is how many trials of one course may be under way at once."""

    courses: tuple[Course, ...]
    ahead: int
    constant: bool
    seed: int
    sealed: str


def planned(options: Selection) -> _TrialPlan:
    """Return the exam that a user asked for; for an invalid one, raise an error that says why."""
    own = options.own
    names = options.splits or tuple(FACULTIES)
    for name in names:
        if name not in FACULTIES:
            raise unknown("faculty", name, FACULTIES)
    trials = QUESTIONS if options.limit is None else options.limit
    if not FEWEST <= trials <= MOST:
        raise SnellenError(f"--questions {trials}: a number from {FEWEST} to {MOST}")
    sizes = tuple(_size(text) for text in own.get("sizes", ()))
    codecs = tuple(_codec(text) for text in own.get("codecs", ())) or (PNG,)
    courses = []
    for faculty in (FACULTIES[name] for name in FACULTIES if name in names):
        at = sizes if faculty.sizes and sizes else (faculty.size,)
        alone = at == (faculty.size,) and codecs == (PNG,)
        for size in at:
            _check_drawn(faculty, size)
        courses += [Course(faculty, size, codec, trials, alone) for size in at for codec in codecs]
    if sizes and not any(course.faculty.sizes for course in courses):
        raise SnellenError(f"--sizes: none of {', '.join(names)} can be drawn at another size")
    ahead = int(own.get("ahead") or AHEAD)
    return _TrialPlan(tuple(courses), ahead, bool(own.get("constant")), options.seed, str(own.get("sealed", "")))


def _size(text: Any) -> int:
    if not str(text).isdigit():
        raise SnellenError(f"--sizes {text}: a picture's side in pixels, such as 448,896,1792")
    return int(text)


@lru_cache(maxsize=256)
def _check_drawn(faculty: Faculty, size: int) -> None:
    """Raise an error for a size at which a faculty cannot be drawn, before any question is asked."""
    try:
        draw(faculty.name, faculty.levels[-1], seed=0, number=0, size=size)
    except SnellenError as error:
        raise SnellenError(f"--sizes {size}: {error}") from None


def _codec(text: Any) -> str:
    if _CODEC.fullmatch(str(text)) is None:
        raise SnellenError(f"--codecs {text}: 'png', or 'jpeg' with its quality, such as jpeg75")
    return "jpeg90" if text == "jpeg" else str(text)


def quality(codec: str) -> int | None:
    """Return the quality of a JPEG; None for PNG, which is lossless."""
    found = _CODEC.fullmatch(codec)
    return int(found["quality"]) if found is not None and found["quality"] else None
