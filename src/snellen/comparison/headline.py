"""Scores that are not means over samples (a macro F1): their paired difference, by leaving out whole clusters of both runs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.results import HeadlineDifference
from snellen.core.protocol import Protocol, Seen
from snellen.core.results import declared
from snellen.core.types import Outcome
from snellen.stats.intervals import tango
from snellen.stats.jackknife import left_out, moved_interval
from snellen.stats.tally import GroupMarks, group_of

Bools = NDArray[np.bool_]
_SeenKey = tuple[tuple[tuple[str, float], ...], Outcome, str, Any]


class CountedMarks:
    """Marks with equal ones stored once, so that many scores can be computed from them quickly."""

    def __init__(self, marks: Iterable[Seen]) -> None:
        places: dict[object, int] = {}
        self._distinct: list[Seen] = []
        every = []
        for seen in marks:
            key = _key(seen)
            if key not in places:
                places[key] = len(places)
                self._distinct.append(seen)
            every.append(places[key])
        self._place = np.array(every, dtype=np.int64)

    def group(self, by: Mapping[str, str], rows: Bools) -> GroupMarks:
        """Return some of the marks as a group."""
        counts = np.bincount(self._place[rows], minlength=len(self._distinct)).tolist()
        return group_of(by, ((seen, count) for seen, count in zip(self._distinct, counts, strict=True) if count))


def own_difference(
    protocol: Protocol,
    metric: str,
    by: Mapping[str, str],
    first: Sequence[Sequence[Seen]],
    second: Sequence[Sequence[Seen]],
) -> HeadlineDifference | None:
    """Return the difference of two runs' scores over the same samples, in one order. None if the metric is a mean or cannot be computed.

    Both sides have their marks once for each repeat. A side's score is the mean over the repeats.
    """
    about = declared(protocol.metrics, metric)
    if about.kind != "own" or about.unit:
        return None
    sides = [
        _scores(protocol, metric, tuple(by.items()), tuple(tuple(map(_key, marks)) for marks in side))
        for side in (first, second)
    ]
    difference = sides[1] - sides[0]
    if np.isnan(difference[0]):
        return None
    clusters = [seen.cluster for seen in first[0]]
    low, high = _ends(float(difference[0]), difference[1:], len(set(clusters) - {""}) + clusters.count(""))
    return HeadlineDifference(
        metric=metric,
        label=about.label_of(metric),
        first=float(sides[0][0]),
        second=float(sides[1][0]),
        difference=float(difference[0]),
        low=low,
        high=high,
    )


def _key(seen: Seen) -> _SeenKey:
    return tuple(seen.values.items()), seen.outcome, seen.cluster, seen.own


@lru_cache(256)
def _scores(
    protocol: Protocol, metric: str, by: tuple[tuple[str, str], ...], repeats: tuple[tuple[_SeenKey, ...], ...]
) -> NDArray[np.float64]:
    """Return a side's score, the mean over its repeats, followed by the score without each cluster. A missing score is NaN.

    A run that is compared with several others has it computed once.
    """
    every = [CountedMarks(Seen(dict(values), *rest) for values, *rest in keys) for keys in repeats]
    left = left_out([cluster for _values, _outcome, cluster, _own in repeats[0]])
    return np.array(
        [
            fmean(_score(protocol, metric, marks.group(dict(by), rows)) for marks in every)
            for rows in (np.ones(len(repeats[0]), dtype=np.bool_), *(kept > 0 for kept in left))
        ]
    )


def _score(protocol: Protocol, metric: str, marks: GroupMarks) -> float:
    found = protocol.own_scores(marks).get(metric)
    return np.nan if found is None or found.value is None else found.value


def _ends(difference: float, without: NDArray[np.float64], clusters: int) -> tuple[float | None, float | None]:
    """Return the jackknife's interval, but never a narrower one than Tango's for as many samples that are all alike.

    If hardly any sample moves, the jackknife sees no doubt. With one cluster both ends are None.
    """
    if not len(without):
        return None, None
    interval = moved_interval(difference, without, 1.0, share=False)
    half = max(tango(0, 0, clusters)[1], 0.0 if interval is None else interval.high - difference)
    return max(-1.0, difference - half), min(1.0, difference + half)
