"""Means of samples, with intervals that know which samples stand or fall together.

Nineteen targets of one screenshot that stand or fall together are one observation, not nineteen. So the variance is that of whole
clusters (the linearised variance of a ratio of two sums), by the same rule for any number of clusters. A sample that shares
nothing is a cluster of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.core.results import Score
from snellen.stats.intervals import CORRELATION, Interval, MeanSpread, student, wilson, worth

Floats = NDArray[np.float64]


class Clusters(NamedTuple):
    """The sum and the number of the values of each cluster, and how many clusters have exactly these.

    `whole` says that every value is right or wrong: 0 or 1 (of a difference: -1, 0 or 1); `least` and `most` are the values' ends, and
    `squares` is the sum of their squares.
    """

    sums: Floats
    counts: Floats
    times: Floats
    whole: bool
    least: float
    most: float
    squares: float

    @property
    def n(self) -> float:
        return float(self.times @ self.counts)

    @property
    def total(self) -> float:
        return float(self.times @ self.sums)

    @property
    def size(self) -> float:
        """The number of samples in the cluster of an average sample."""
        return float(self.times @ self.counts**2) / self.n

    def variance(self) -> float:
        """Return the variance of the mean, times n; it cannot be known from one cluster."""
        number = float(self.times.sum())
        return float(self.times @ self._off() ** 2) / self.n * number / (number - 1) if number > 1 else 0.0

    def left_out(self) -> float:
        """Return the `variance` by leaving out each cluster.

        Large clusters draw the mean to themselves; here they do not seem too near to it. For clusters of one size it is the same.
        """
        number = float(self.times.sum())
        if number <= 1:
            return 0.0
        return float(self.times @ (self._off() / (1 - self.counts / self.n)) ** 2) / self.n * (number - 1) / number

    def _off(self) -> Floats:
        return self.sums - self.total / self.n * self.counts

    def spread(self, most: float) -> MeanSpread:
        """Return the known doubt of the mean; `most` is the variance of a sample, were all right or wrong with this mean.

        Samples of one cluster are alike or independent: together they are worth more than one independent sample and less than as many.
        """
        size = self.size
        likely = 1 + (size - 1) * CORRELATION
        own = most if self.whole else min(most, max(0.0, self.squares / self.n - (self.total / self.n) ** 2))
        return MeanSpread(self.n, self.left_out(), own, most, self.n / size, likely, size, self.n * most)

    def spread_of_moves(self, up: float, down: float) -> MeanSpread:
        """Return the `spread` of moves with these sums of gains and losses.

        Ten moves by 0.3 tell as much as ten by 1: the count is the number of moves of one size that would vary like these.
        """
        n = self.n
        found = self.spread(max(0.0, (up + down) / n - ((up - down) / n) ** 2))
        return found._replace(telling=min(n, found.telling * found.most / found.own)) if found.own > 0 else found

    def kind(self, name: str) -> str:
        """Return the name of an interval of these, which says if samples share clusters."""
        return f"{name}, clustered" if self.size > 1 else name

    def share_kind(self, name: str) -> str:
        """Return the `kind` of values that may be right or wrong, which also says if they are graded."""
        return f"{name}, graded" if self.size == 1 and not self.whole else self.kind(name)


def alone(values: Mapping[float, int]) -> Clusters:
    """Return clusters of counted values of samples that stand for themselves."""
    found = np.array(sorted(values), dtype=np.float64)
    times = np.array([values[v] for v in sorted(values)], dtype=np.float64)
    return Clusters(found, np.ones(len(found)), times, *_ends(found), float(times @ found**2))


def of_samples(values: Sequence[float], clusters: Sequence[str]) -> Clusters:
    """Return clusters of samples' values, each with the name of its cluster (empty: the sample stands for itself)."""
    return summed(np.array(values, dtype=np.float64), np.ones(len(values)), numbered(clusters))


def numbered(names: Iterable[str]) -> NDArray[np.int64]:
    """Return names of clusters as numbers; -1 for the empty one, a sample that stands for itself."""
    places = {"": -1}
    return np.array([places.setdefault(name, len(places) - 1) for name in names], dtype=np.int64)


def summed(values: Floats, counts: Floats, cluster: NDArray[np.int64]) -> Clusters:
    """Return clusters from values, their counts, and the number of each value's cluster; below 0 samples stand for themselves."""
    single = cluster < 0
    shared, which = np.unique(cluster[~single], return_inverse=True)
    weights, parts = counts[~single], values[~single]
    sums = np.bincount(which, weights=weights * parts, minlength=len(shared))
    numbers = np.bincount(which, weights=weights, minlength=len(shared))
    return Clusters(
        np.concatenate([sums, values[single]]),
        np.concatenate([numbers, np.ones(int(single.sum()))]),
        np.concatenate([np.ones(len(shared)), counts[single]]),
        *_ends(values),
        float(counts @ values**2),
    )


def _ends(values: Floats) -> tuple[bool, float, float]:
    return bool(np.isin(values, (-1.0, 0.0, 1.0)).all()), float(values.min()), float(values.max())


# ---------------------------------------------------------------- intervals


def score(value: float | None, n: int, interval: Interval | None, unit: str = "") -> Score:
    """Return a score with its interval, where it has one."""
    low, high, kind = interval if interval is not None else (None, None, None)
    return Score(value=value, n=n, low=low, high=high, interval=kind, unit=unit)


def share_interval(found: Clusters) -> Interval:
    """Return the interval of a mean of values between 0 and 1.

    >>> found = share_interval(alone({1.0: 8, 0.0: 2}))
    >>> round(found.low, 4), round(found.high, 4), found.kind
    (0.4902, 0.9433, 'wilson')
    """
    n, total = found.n, found.total
    p = min(1.0, max(0.0, total / n))
    known = worth(found.spread(p * (1 - p)))
    low, high = wilson(total * (known.n / n), known.n, known.quantile)
    return Interval(min(low, p), max(high, p), found.share_kind("wilson"))  # it contains p, despite rounding errors


def measured_interval(found: Clusters) -> Interval | None:
    """Return Student's interval of the mean of a measurement; None where there is one cluster, or no spread.

    A value that is never negative (a time, a distance) stays so.
    """
    n, clusters = found.n, found.n / found.size
    error = sqrt(found.variance() / n)
    if error <= 1e-12 * abs(found.total / n) or clusters <= 1:
        return None
    half = student(float(f"{max(1.0, clusters - 1):.4g}")) * error
    low = found.total / n - half
    return Interval(max(0.0, low) if found.least >= 0 else low, found.total / n + half, found.kind("t"))
