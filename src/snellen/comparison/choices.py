"""The choices behind a number, named in plain words: decisions that could be made otherwise without asking a model again. Pure."""

from __future__ import annotations

from typing import NamedTuple

from snellen.core.types import NON_ANSWERS, Outcome

BY_SAMPLE = "over samples"
BY_PART = "over parts"
AS_WRONG = "count as wrong"
LEFT_OUT = "left out"
GUESSED = "count as random guesses"
KINDS = {
    "unreadable left out": Outcome.UNPARSABLE,
    "refused left out": Outcome.REFUSED,
    "empty left out": Outcome.EMPTY,
    "cut off left out": Outcome.TRUNCATED,
    "failed calls left out": Outcome.ERROR,
}
"""Ways to treat non-answers that leave out only one kind of them."""
DIMENSIONS = {
    "prompt": "prompt",
    "protocol": "protocol",
    "metric": "metric",
    "average": "average",
    "samples": "samples",
    "non-answers": "non_answers",
}
"""What can be chosen otherwise, and the field that it is in. The part is not a choice: it says which of the run's numbers is looked at."""


class Choice(NamedTuple):
    """How one number is made, in the fields of `Reading`.

    `samples` is empty for all of the part, or names a group within it: `difficulty easy`. `reader` is another protocol that reads the
    replies, for a number halfway between two protocols.
    """

    protocol: str
    prompt: str
    metric: str
    part: str
    average: str = BY_SAMPLE
    samples: str = ""
    non_answers: str = AS_WRONG
    reader: str = ""

    def changes(self, other: Choice) -> tuple[str, ...]:
        """Return the dimensions in which two choices differ."""
        return tuple(name for name, field in DIMENSIONS.items() if getattr(self, field) != getattr(other, field))


def left_out(way: str) -> frozenset[Outcome]:
    """Return the outcomes that do not count under a way to treat non-answers."""
    if way == LEFT_OUT:
        return NON_ANSWERS
    return frozenset([KINDS[way]]) if way in KINDS else frozenset()
