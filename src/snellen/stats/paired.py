"""Paired differences: the same samples under two conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from snellen.stats.bootstrap import percentile_interval, resampled_counts


class Difference(NamedTuple):
    """Means of both sides, and their difference (second minus first) with a 95 % interval."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int


def paired_difference(pairs: Mapping[tuple[float, float], int], seed: int = 0) -> Difference:
    """Percentile bootstrap over samples of the mean difference; `pairs` counts how often each pair of values occurs.

    >>> paired_difference({(1.0, 0.0): 5, (1.0, 1.0): 5}).difference
    -0.5
    """
    import numpy as np

    rows = sorted(pairs)
    counts = np.array([pairs[r] for r in rows], dtype=np.int64)
    values = np.array(rows, dtype=np.float64)
    n = int(counts.sum())
    first, second = (float(x) for x in counts @ values / n)
    draws = resampled_counts(counts, seed) @ (values[:, 1] - values[:, 0]) / n
    low, high = percentile_interval(draws)
    return Difference(first, second, second - first, low, high, n)
