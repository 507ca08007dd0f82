"""The mean of scores between 0 and 1, with an interval that fits: Wilson's for right or wrong, bootstrap otherwise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    if scores.keys() <= {0.0, 1.0} or len(scores) == 1:
        n = scores.total()
        mean = sum(v * c for v, c in scores.items()) / n
        return Mean(mean, *wilson(mean * n, n), "wilson")
    return bootstrap_interval(scores, seed)


def bootstrap_interval(scores: Counter[float], seed: int = 0, rest: int = 0) -> Mean:
    """The mean of counted scores, resampled whatever their values are; `rest` as `resampled_counts` has it."""
    import numpy as np

    from snellen.stats.bootstrap import resampled_counts

    values = np.array(list(scores), dtype=np.float64)
    draws = resampled_counts(np.array(list(scores.values()), dtype=np.int64), seed, rest=rest)
    return resampled_interval(draws @ values / draws.sum(axis=1), scores.total())


def resampled_interval(draws: NDArray[np.float64], n: int) -> Mean:
    """A share over n samples from its bootstrap draws, of which the first is the estimate itself.

    Where every draw is alike (all right, all wrong) the bootstrap sees no doubt, but a small sample has some: that is Wilson's.
    """
    from snellen.stats.bootstrap import percentile_interval

    value = float(draws[0])
    low, high = percentile_interval(draws)
    if high - low < 1e-6:
        return Mean(value, *wilson(min(1.0, round(value, 6)) * n, n), "wilson")
    return Mean(value, low, high, "bootstrap")
