"""The mean of scores between 0 and 1, with an interval that fits: Wilson's for right or wrong, bootstrap otherwise."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from snellen.stats.intervals import wilson


class Mean(NamedTuple):
    """A mean with its 95 % interval and the interval's name."""

    mean: float
    low: float
    high: float
    kind: str


def mean_interval(scores: Counter[float], seed: int = 0) -> Mean:
    """The mean of counted scores.

    >>> mean_interval(Counter({1.0: 8, 0.0: 2})).kind
    'wilson'
    """
    import numpy as np

    from snellen.stats.bootstrap import percentile_interval, resampled_counts

    n = sum(scores.values())
    mean = sum(v * c for v, c in scores.items()) / n
    if scores.keys() <= {0.0, 1.0} or len(scores) == 1:
        return Mean(mean, *wilson(mean * n, n), "wilson")
    values = np.array(list(scores), dtype=np.float64)
    counts = np.array(list(scores.values()), dtype=np.int64)
    low, high = percentile_interval(resampled_counts(counts, seed) @ values / n)
    return Mean(mean, low, high, "bootstrap")
