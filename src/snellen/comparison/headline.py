"""Scores that are not means over samples (a macro F1): their paired difference, by leaving out whole clusters of both runs at once."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from snellen.comparison.results import HeadlineDifference
from snellen.core.protocol import Protocol, Seen
from snellen.core.results import declared
from snellen.stats.intervals import tango
from snellen.stats.jackknife import left_out, moved_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


MOST_KNOWN = 256
_KNOWN: dict[Hashable, tuple[float | None, ...]] = {}
"""The scores of sides: where several runs are ranked, each is compared with all others."""


class Members:
    """Marks of one run in one group, in order, each with how often it comes (once). Fulfils `core.protocol.Group`."""

    whole = True

    def __init__(self, by: Iterable[tuple[str, str]], marks: Sequence[Seen], counts: Sequence[int] = ()) -> None:
        self.by = dict(by)
        self._marks, self._counts = marks, counts or [1] * len(marks)

    @property
    def n(self) -> int:
        return sum(self._counts)

    def rows(self) -> Iterator[tuple[Seen, int]]:
        """What was seen, and how often."""
        return ((seen, count) for seen, count in zip(self._marks, self._counts, strict=True) if count)

    def values(self, metric: str) -> Counter[float]:
        """The samples' values of a metric."""
        found: Counter[float] = Counter()
        for seen, count in self.rows():
            if metric in seen.values:
                found[seen.values[metric]] += count
        return found


def own_difference(
    protocol: Protocol,
    metric: str,
    by: Mapping[str, str],
    first: Sequence[Sequence[Seen]],
    second: Sequence[Sequence[Seen]],
) -> HeadlineDifference | None:
    """Return the difference of two runs' scores over the same samples, in one order; None where the metric is a mean or cannot be had.

    Both sides have their marks once for each time that the questions were asked; a side's score is the mean over these.
    """
    about = declared(protocol.metrics, metric)
    if about.kind != "own" or about.unit:
        return None
    import numpy as np

    clusters = tuple(seen.cluster for seen in first[0])
    sides = [_scores(protocol, metric, by, marks, clusters) for marks in (first, second)]
    values = [side[0] for side in sides]
    if values[0] is None or values[1] is None:
        return None
    difference = values[1] - values[0]
    scores = zip(sides[0][1:], sides[1][1:], strict=True)
    without = np.array([np.nan if a is None or b is None else b - a for a, b in scores], dtype=np.float64)
    low, high = _ends(difference, without, len(set(clusters) - {""}) + clusters.count(""))
    return HeadlineDifference(
        metric=metric,
        label=about.label_of(metric),
        first=values[0],
        second=values[1],
        difference=difference,
        low=low,
        high=high,
    )


def _ends(difference: float, without: Floats, clusters: int) -> tuple[float | None, float | None]:
    """The jackknife's interval, and never a narrower one than Tango's of as many samples that are all alike: where hardly a sample moves,
    the jackknife sees no doubt. None from one cluster.
    """
    if not len(without):
        return None, None
    interval = moved_interval(difference, without, 1.0, share=False)
    half = max(tango(0, 0, clusters)[1], 0.0 if interval is None else interval.high - difference)
    return max(-1.0, difference - half), min(1.0, difference + half)


class _Side:
    """One run's marks by repeat, to be scored with some samples left out."""

    def __init__(
        self, protocol: Protocol, metric: str, by: Mapping[str, str], repeats: Sequence[Sequence[Seen]]
    ) -> None:
        self._repeats = [_Once(protocol, metric, by, marks) for marks in repeats]
        self.content = tuple(array("q", map(hash, once.keys)).tobytes() for once in self._repeats)

    def score(self, out: Sequence[int] | None) -> float | None:
        """Return the mean of the repeats' scores without the samples in these places."""
        found = [once.score(out) for once in self._repeats]
        known = [value for value in found if value is not None]
        return fmean(known) if len(known) == len(found) else None


def _scores(
    protocol: Protocol, metric: str, by: Mapping[str, str], marks: Sequence[Sequence[Seen]], clusters: tuple[str, ...]
) -> tuple[float | None, ...]:
    """Return the score of a side, and behind it the score without each cluster."""
    import numpy as np

    side = _Side(protocol, metric, by, marks)
    key = (protocol, metric, *by.items(), *side.content, clusters)
    if key not in _KNOWN:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        out = (np.flatnonzero(row == 0).tolist() for row in left_out(clusters))
        _KNOWN[key] = (side.score(None), *map(side.score, out))
    return _KNOWN[key]


class _Once:
    """One run's marks of one repeat."""

    def __init__(self, protocol: Protocol, metric: str, by: Mapping[str, str], marks: Sequence[Seen]) -> None:
        self._protocol, self._metric, self._by = protocol, metric, by
        self.keys: list[Hashable] = [(tuple(s.values.items()), s.outcome, s.cluster, s.own) for s in marks]
        self._seen = dict(zip(self.keys, marks, strict=True))
        self._counts = Counter(self.keys)

    def score(self, out: Sequence[int] | None) -> float | None:
        """Return the score without the samples in these places."""
        counts = self._counts
        if out:
            counts = counts.copy()
            counts.subtract(self.keys[at] for at in out)
        marks = Members(self._by.items(), list(self._seen.values()), [counts[key] for key in self._seen])
        found = self._protocol.own_scores(marks).get(self._metric)
        return None if found is None else found.value
