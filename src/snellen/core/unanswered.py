"""Parts of an exam where many questions got no answer: computed once, for the terminal, the page, `--json` and the exit code.

A reply that was cut off, refused, empty or unreadable is not a wrong answer. If there are many of them, a score tells more about the
token cap or the reader than about the model's vision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.types import NON_ANSWERS, Outcome, Struct

LOUD = 0.05
"""The share of non-answers from which a headline has to mention them."""
MOST = 0.5
"""The share from which a score is not meaningful."""
REFUSAL_RIGHT = "refusal_accuracy"
"""A metric of parts in which a refusal can be right, such as OSWorld-G's. If some were right, refusals are answers. A
provider's filter that stops everything is never right."""


class UnansweredPart(Struct, frozen=True):
    """A part with many non-answers under one protocol: how many of each kind, and the range of the score (see `bounds`).

    `n` counts questions as often as they were asked.
    """

    protocol: str
    by: dict[str, str]
    n: int
    outcomes: dict[str, int]
    bounds: tuple[float, float] | None = None

    @property
    def missing(self) -> int:
        """The number of questions without an answer."""
        return sum(self.outcomes.values())

    @property
    def share(self) -> float:
        """The same number as a share."""
        return self.missing / self.n


def silent_parts(protocols: Iterable[ProtocolSummary]) -> tuple[UnansweredPart, ...]:
    """Return the parts in which more than one question in twenty got no answer, by protocol."""
    found = ((p, g, _missing(g)) for p in protocols for g in p.groups if g.whole)
    return tuple(
        UnansweredPart(protocol=p.protocol, by=g.by, n=g.answers, outcomes=missing, bounds=g.bounds)
        for p, g, missing in found
        if sum(missing.values()) > LOUD * g.answers
    )


def lost_parts(protocols: Sequence[ProtocolSummary]) -> tuple[UnansweredPart, ...]:
    """Return the parts in which most questions got no answer under every protocol that marks them, by the most lenient count."""
    shares: dict[tuple[tuple[str, str], ...], list[UnansweredPart]] = {}
    for p in protocols:
        for g in p.groups:
            if g.whole and g.n:
                row = UnansweredPart(protocol=p.protocol, by=g.by, n=g.answers, outcomes=_missing(g), bounds=g.bounds)
                shares.setdefault(tuple(g.by.items()), []).append(row)
    kindest = (min(rows, key=lambda row: row.share) for rows in shares.values())
    return tuple(row for row in kindest if row.share > MOST)


def _missing(group: GroupSummary) -> dict[str, int]:
    right = group.metrics.get(REFUSAL_RIGHT)
    silent = NON_ANSWERS - {Outcome.REFUSED} if right is not None and right.value else NON_ANSWERS
    return {name: n for name, n in group.outcomes.items() if name in silent and n}
