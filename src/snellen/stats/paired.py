"""Paired differences: the same samples under two conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from snellen.stats.bootstrap import percentile_interval, resampled_counts

FEW = 10  # below so many samples out of line with the rest, a bootstrap sees too little doubt


class Difference(NamedTuple):
    """Means of both sides, and their difference (second minus first) with a 95 % interval and the interval's name."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    interval: str = "tango"


def paired_difference(pairs: Mapping[tuple[float, float], int], seed: int = 0) -> Difference:
    """The mean difference of scores between 0 and 1; `pairs` counts how often each pair of values occurs.

    Tango's interval for right or wrong; a percentile bootstrap over samples for graded scores, unless nearly all samples differ
    by the same: then the draws are alike and Tango's is the honest one.

    >>> found = paired_difference({(1.0, 0.0): 5, (1.0, 1.0): 5})
    >>> found.difference, round(found.low, 3), round(found.high, 3)
    (-0.5, -0.763, -0.084)
    """
    import numpy as np

    rows = sorted(pairs)
    counts = np.array([pairs[r] for r in rows], dtype=np.int64)
    values = np.array(rows, dtype=np.float64)
    n = int(counts.sum())
    first, second = (float(x) for x in counts @ values / n)
    moves = values[:, 1] - values[:, 0]
    alike: Counter[float] = Counter()
    for move, count in zip(moves, counts, strict=True):
        alike[round(float(move), 9)] += int(count)
    binary = all(v in (0.0, 1.0) for row in rows for v in row)
    if binary or n - max(alike.values()) < FEW:
        up, down = (float(counts @ np.maximum(sign * moves, 0.0)) for sign in (1, -1))
        return Difference(first, second, second - first, *tango(up, down, n), n)
    low, high = percentile_interval(resampled_counts(counts, seed) @ moves / n)
    return Difference(first, second, second - first, low, high, n, "bootstrap")


def tango(up: float, down: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Score interval of a paired difference of proportions (Tango 1998): `up` of n samples gained, `down` lost.

    For graded scores give the sums of what was gained and lost: their spread is at most that of whole gains and losses with
    the same sums, so the interval is wide enough.

    >>> [round(x, 3) for x in tango(0, 0, 10)], [round(x, 3) for x in tango(5, 0, 5)]
    ([-0.278, 0.278], [0.131, 1.0])
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)

    def plausible(d: float) -> bool:
        """Whether the observed difference is within z standard errors of d, the losses being as likely as can be under d."""
        b = (2 * n - up + down) * d - up - down
        c = -down * d * (1 - d)
        lost = (sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        return (up - down - n * d) ** 2 <= z * z * n * max(0.0, 2 * lost + d * (1 - d))

    def edge(end: float) -> float:
        inside, outside = (up - down) / n, end
        if plausible(end):
            return end
        for _ in range(50):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if plausible(middle) else (inside, middle)
        return outside

    return edge(-1.0), edge(1.0)
