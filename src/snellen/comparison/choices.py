"""The choices behind a number, named in plain words: what somebody may decide otherwise without asking a model anything again. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snellen.core.protocol import Key
from snellen.core.types import NON_ANSWERS, Outcome

BY_SAMPLE = "over samples"
BY_PART = "over parts"
AS_WRONG = "count as wrong"
LEFT_OUT = "left out"
GUESSED = "count as random guesses"
KINDS = {
    Outcome.UNPARSABLE: "unreadable left out",
    Outcome.REFUSED: "refused left out",
    Outcome.EMPTY: "empty left out",
    Outcome.TRUNCATED: "cut off left out",
    Outcome.ERROR: "failed calls left out",
}
"""What becomes of non-answers where only one kind of them is left out."""
DIMENSIONS = ("prompt", "protocol", "metric", "average", "samples", "non-answers")
"""What can be chosen otherwise. The part is no choice: it says which of the run's numbers is looked at."""


class Scope(NamedTuple):
    """One or several parts of an exam that one number is of; `joined` is one whose items several samples make up."""

    name: str
    parts: frozenset[Key]
    joined: bool = False


class AnalysisChoice(NamedTuple):
    """How one number is made. `reader` and `marker` are the same protocol, except halfway between two of them.

    `samples` is empty for all of the part, or names a group within it: `difficulty easy`.
    """

    reader: str
    marker: str
    prompt: str
    metric: str
    scope: str
    average: str = BY_SAMPLE
    samples: str = ""
    silent: str = AS_WRONG

    def on(self, dimension: str) -> str:
        """What is chosen in a dimension."""
        return {
            "prompt": self.prompt,
            "protocol": self.marker,
            "metric": self.metric,
            "average": self.average,
            "samples": self.samples,
            "non-answers": self.silent,
        }[dimension]

    def changes(self, other: AnalysisChoice) -> list[str]:
        """The dimensions in which two choices differ."""
        return [name for name in DIMENSIONS if self.on(name) != other.on(name)]


def left_out(silent: str) -> frozenset[Outcome]:
    """The outcomes that do not count under a way to treat non-answers."""
    if silent == LEFT_OUT:
        return NON_ANSWERS
    return frozenset(outcome for outcome, name in KINDS.items() if name == silent)


def ways_with(kinds: Iterable[Outcome], *, guesses: bool) -> list[str]:
    """How non-answers of these kinds can be treated, each way once: where there is one kind, leaving it out is leaving all out."""
    there = set(kinds)
    own = [name for kind, name in KINDS.items() if kind in there]
    if not own:
        return [AS_WRONG]
    return [AS_WRONG, LEFT_OUT, *(own if len(own) > 1 else ()), *([GUESSED] if guesses else ())]
