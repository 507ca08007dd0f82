"""Scores that are not means over samples (a macro F1): their paired difference, by leaving out whole clusters of both runs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.results import HeadlineDifference
from snellen.core.protocol import Key, Protocol, Seen
from snellen.core.results import declared
from snellen.core.types import Outcome
from snellen.stats.intervals import tango
from snellen.stats.jackknife import left_out, moved_interval

MOST_KNOWN = 64
"""Scores of sides that are kept: where several runs are ranked, each is compared with all others."""
SeenKey = tuple[tuple[tuple[str, float], ...], Outcome, str, Hashable]
"""All of a mark that a summary keeps."""


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
        """Yield what was seen, and how often."""
        return ((seen, count) for seen, count in zip(self._marks, self._counts, strict=True) if count)

    def values(self, metric: str) -> Counter[float]:
        """Return the samples' values of a metric."""
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
    sides = [
        _scores(protocol, metric, tuple(by.items()), tuple(tuple(map(seen_key, some)) for some in marks))
        for marks in (first, second)
    ]
    values = [side[0] for side in sides]
    if values[0] is None or values[1] is None:
        return None
    difference = values[1] - values[0]
    scores = zip(sides[0][1:], sides[1][1:], strict=True)
    without = np.array([np.nan if a is None or b is None else b - a for a, b in scores], dtype=np.float64)
    clusters = [seen.cluster for seen in first[0]]
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


def _ends(difference: float, without: NDArray[np.float64], clusters: int) -> tuple[float | None, float | None]:
    """Return the jackknife's interval, and never a narrower one than Tango's of as many samples that are all alike: where hardly a sample
    moves, the jackknife sees no doubt. None from one cluster.
    """
    if not len(without):
        return None, None
    interval = moved_interval(difference, without, 1.0, share=False)
    half = max(tango(0, 0, clusters)[1], 0.0 if interval is None else interval.high - difference)
    return max(-1.0, difference - half), min(1.0, difference + half)


def seen_key(seen: Seen) -> SeenKey:
    """Return what tells a mark from others that are not alike."""
    return tuple(seen.values.items()), seen.outcome, seen.cluster, seen.own


@lru_cache(MOST_KNOWN)
def _scores(protocol: Protocol, metric: str, by: Key, repeats: tuple[tuple[SeenKey, ...], ...]) -> list[float | None]:
    """Return the score of a side, the mean over its repeats, and behind it the score without each cluster."""
    every = [Counter(keys) for keys in repeats]
    seen = {key: Seen(dict(key[0]), key[1], key[2], key[3]) for counts in every for key in counts}

    def score(repeated: Sequence[Counter[SeenKey]]) -> float | None:
        values = []
        for counts in repeated:
            marks = Members(by, [seen[key] for key in counts], list(counts.values()))
            found = protocol.own_scores(marks).get(metric)
            if found is None or found.value is None:
                return None
            values.append(found.value)
        return fmean(values)

    found = [score(every)]
    for kept in left_out([cluster for _values, _outcome, cluster, _own in repeats[0]]):
        out = np.flatnonzero(kept == 0).tolist()
        found.append(
            score([counts - Counter(keys[at] for at in out) for counts, keys in zip(every, repeats, strict=True)])
        )
    return found
