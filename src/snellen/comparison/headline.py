"""Scores that are not means over samples (a macro F1): their paired difference, by leaving out whole clusters of both runs at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.results import HeadlineDifference
from snellen.core.protocol import Protocol, Seen
from snellen.core.results import declared
from snellen.stats.intervals import tango
from snellen.stats.jackknife import left_out, moved_interval
from snellen.stats.tally import GroupMarks, group_of

Bools = NDArray[np.bool_]


class CountedMarks:
    """Marks of which alike ones are kept once, so that many scores can be made of them quickly."""

    def __init__(self, marks: Iterable[Seen]) -> None:
        places: dict[object, int] = {}
        self._distinct: list[Seen] = []
        every = []
        for seen in marks:
            key = tuple(seen.values.items()), seen.outcome, seen.cluster, seen.own
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
    """Return the difference of two runs' scores over the same samples, in one order; None where the metric is a mean or cannot be had.

    Both sides have their marks once for each time that the questions were asked; a side's score is the mean over these.
    """
    about = declared(protocol.metrics, metric)
    if about.kind != "own" or about.unit:
        return None
    sides = [[CountedMarks(marks) for marks in side] for side in (first, second)]

    def scores(rows: Bools) -> list[float]:
        """Return both sides' scores of these samples; NaN where one has none."""
        return [fmean(_score(protocol, metric, marks.group(by, rows)) for marks in side) for side in sides]

    clusters = [seen.cluster for seen in first[0]]
    values = scores(np.ones(len(clusters), dtype=np.bool_))
    if np.isnan(values).any():
        return None
    difference = values[1] - values[0]
    without = np.array([np.diff(scores(kept > 0))[0] for kept in left_out(clusters)])
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


def _score(protocol: Protocol, metric: str, marks: GroupMarks) -> float:
    found = protocol.own_scores(marks).get(metric)
    return np.nan if found is None or found.value is None else found.value


def _ends(difference: float, without: NDArray[np.float64], clusters: int) -> tuple[float | None, float | None]:
    """Return the jackknife's interval, and never a narrower one than Tango's of as many samples that are all alike: where hardly a sample
    moves, the jackknife sees no doubt. None from one cluster.
    """
    if not len(without):
        return None, None
    interval = moved_interval(difference, without, 1.0, share=False)
    half = max(tango(0, 0, clusters)[1], 0.0 if interval is None else interval.high - difference)
    return max(-1.0, difference - half), min(1.0, difference + half)
