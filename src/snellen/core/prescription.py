"""The results of an eye exam as typed records: a threshold for each faculty, with everything needed to read and to draw it.

Code that shows them (terminal, page, JSON) needs no knowledge of the exam.
"""

from __future__ import annotations

import msgspec

from snellen.core.types import Struct

CREDIBLE = "credible"
BOUNDS = ("at most", "at least")
"""The forms of a threshold in a score: with a 95% credible interval, or as a bound alone."""


class Range(Struct, frozen=True, array_like=True):
    """A value and its 95% credible interval."""

    value: float
    low: float
    high: float


class LevelCounts(Struct, frozen=True):
    """The answers at one value of the dial: right, wrong, and without a choice."""

    level: float
    right: int = 0
    wrong: int = 0
    silent: int = 0

    @property
    def n(self) -> int:
        return self.right + self.wrong + self.silent


class Share(Struct, frozen=True, array_like=True):
    """A number of right answers, of a total."""

    right: int
    n: int


class Threshold(Struct, frozen=True):
    """One faculty, as it was sent.

    `threshold` is where half is seen, corrected for guessing and lapses. It is None if it cannot be told; `reason` then gives the reason
    in a sentence (`why_not` in a word). `bound` is "at most" or "at least" if the threshold is past an end of the ladder, which is then
    its value. `slope` is the factor on the dial from a quarter seen to three quarters. `lapse` is the share of wrong answers to stimuli
    that are seen well. `ladder` has the dial's values, hardest first.
    """

    faculty: str
    title: str
    dial: str
    unit: str
    finer: str
    about: str
    guess: float
    ladder: tuple[float, ...]
    questions: int
    catch: Share
    blank: Share
    sent_as: str = ""
    threshold: Range | None = None
    slope: Range | None = None
    lapse: Range | None = None
    bound: str = ""
    why_not: str = ""
    reason: str = ""
    silent: dict[str, int] = msgspec.field(default_factory=dict)
    """Trials without a choice, by outcome."""
    rungs: tuple[LevelCounts, ...] = ()
    """The answers at each level that was asked, hardest first."""
    curve: tuple[tuple[float, float, float, float], ...] = ()
    """The psychometric curve: value of the dial, share right, and its 95% band."""
    sees: str = ""
    """The ability of an observer with this threshold, with a place for it: "reads letters of {} and more"."""
    needs: str = ""
    """The need of an observer with another threshold, with a place for their ratio: "letters {} times as large"."""

    @property
    def name(self) -> str:
        """The faculty, and how it was sent if it was sent in several ways."""
        return f"{self.faculty}, {self.sent_as}" if self.sent_as else self.faculty

    @property
    def smaller_is_finer(self) -> bool:
        return self.finer == "smaller"


def figure(value: float) -> str:
    """Format a value of a dial with two significant digits.

    >>> [figure(v) for v in (0.0934, 0.5, 2.0, 7.66, 14.06, 113.4)]
    ['0.093', '0.50', '2.0', '7.7', '14', '113']
    """
    return f"{value:.0f}" if value >= 99.5 else f"{value:#.2g}".rstrip(".")


def in_unit(value: str, unit: str) -> str:
    """Return a figure with its unit: '7.7 px', '3.1°'."""
    return f"{value}{'' if unit == '°' else ' '}{unit}".rstrip()


def amount(value: float, unit: str, bound: str = "") -> str:
    """Format a threshold for people: '7.7 px', 'at most 2.0 px'."""
    return f"{bound} {in_unit(figure(value), unit)}".lstrip()


class FacultyComparison(Struct, frozen=True):
    """One faculty of several runs; the first run is the reference for the others."""

    name: str
    rows: tuple[Threshold | None, ...]
    ratios: tuple[Range | None, ...]
    """The other runs' thresholds over the first's: 2 is twice the value of the dial. None if one of them has no threshold."""
