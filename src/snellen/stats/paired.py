"""Paired differences: the same samples under two conditions, by the same rule as means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from snellen.core.records import DifferenceRow
from snellen.stats.intervals import Interval, tango, worth
from snellen.stats.means import Clusters, numbered, summed


class ScorePair(NamedTuple):
    """A sample's scores under both conditions, and the cluster with which it stands or falls (empty: none)."""

    first: float
    second: float
    cluster: str = ""


def paired_difference(pairs: Mapping[tuple[float, float], int] | Mapping[ScorePair, int]) -> DifferenceRow:
    """Return the mean difference of scores between 0 and 1; `pairs` counts how often each pair of values (in a cluster) occurs.

    The interval is Tango's on as many samples as these are worth: on n itself where all are right or wrong and stand for themselves.

    >>> found = paired_difference({(1.0, 0.0): 5, (1.0, 1.0): 5})
    >>> found.difference, round(found.low, 3), round(found.high, 3)
    (-0.5, -0.763, -0.084)
    """
    rows = sorted((ScorePair(*pair), count) for pair, count in pairs.items())
    first, second, times = (
        np.array(x, dtype=np.float64) for x in zip(*((r.first, r.second, c) for r, c in rows), strict=True)
    )
    moves = second - first
    found = summed(moves, times, numbered([row.cluster for row, _count in rows]))
    up, down = (float(times @ np.maximum(sign * moves, 0.0)) for sign in (1, -1))
    interval = difference_interval(found, up, down)
    ends = float(times @ first) / found.n, float(times @ second) / found.n
    return DifferenceRow(*ends, ends[1] - ends[0], interval.low, interval.high, round(found.n), interval.kind)


def difference_interval(moves: Clusters, up: float, down: float) -> Interval:
    """Return the interval of a mean move, from the moves by cluster and the sums of gains and losses."""
    n = moves.n
    known = worth(moves.spread_of_moves(up, down))
    part = known.n / n
    return Interval(*tango(up * part, down * part, known.n, known.quantile), moves.share_kind("tango"))
