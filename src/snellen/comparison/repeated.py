"""The readings of questions that were asked several times: each is the mean of what it gives for every time. Pure.

That is what a run's own score is, so the number that an explanation begins with is the one that the run shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from snellen.comparison.choices import AnalysisChoice
from snellen.comparison.readings import CountedScore, Marked, Readings


def of_repeats(first: Marked, again: Sequence[Marked]) -> Readings:
    """The readings of all times that questions were asked; plain ones where that was once."""
    return RepeatedReadings((first, *again)) if again else Readings(first)


class RepeatedReadings(Readings):
    """Readings over repeats. Parts, metrics and groups are those of the first time; `each` has the times one by one."""

    def __init__(self, every: Sequence[Marked]) -> None:
        super().__init__(every[0])
        self.each = tuple(Readings(marked) for marked in every)
        for one in self.each:
            one.scopes = self.scopes

    def _number(self, choice: AnalysisChoice) -> CountedScore | None:
        found = [number for one in self.each if (number := one.number(choice)) is not None]
        if not found:
            return None
        return CountedScore(fmean(number.value for number in found), round(fmean(number.n for number in found)))

    def ways(self, choice: AnalysisChoice) -> Iterable[AnalysisChoice]:
        """Every way to treat non-answers that one of the times has: what the first has none of, another may have."""
        return dict.fromkeys(way for one in self.each for way in one.ways(choice))
