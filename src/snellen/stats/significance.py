"""Could a paired difference be chance? An exact test where possible, by whole clusters: samples of one image change sides together.

Were there no difference, each cluster's gain could as well have been a loss. So the signs of the clusters' sums are flipped in every
way. The p value is the share of ways that give at least the observed difference. With samples that stand for themselves and are right
or wrong, that is McNemar's exact test. Whole sums are counted out whatever their number, others only where they are few. Of more,
PERMUTATIONS ways are drawn, always the same ones. Where even that is too much work, the normal curve is their limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import erfc, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.stats.means import Clusters, Floats

MCNEMAR, EXACT, DRAWN, NORMAL = "exact McNemar", "sign flips, exact", "sign flips, drawn", "sign flips, normal"
FEW = 16
"""Up to this many clusters are flipped in every way, whatever their sums."""
PERMUTATIONS = 9_999
MOST_COUNTED = 4_000_000
"""The most additions that counting out whole sums may take."""
MOST_DRAWN = 2_000
"""The most clusters of different sums for which ways are drawn."""
EXACT_WITHIN = 1e-9


class _Significance(NamedTuple):
    """A p value and how it was found."""

    p: float
    how: str


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the p value of McNemar's exact test of pairs that are right or wrong, two-sided.

    >>> round(mcnemar(2, 9), 4), mcnemar(3, 3), mcnemar(0, 0)
    (0.0654, 1.0, 1.0)
    """
    return _counted_out(Counter({1: only_first + only_second}), abs(only_first - only_second))


def sign_flips(moves: Clusters) -> _Significance:
    """Test a mean move (second minus first) that is 0 if there is no difference."""
    changed = np.abs(moves.sums) > EXACT_WITHIN
    sums, times = moves.sums[changed], moves.times[changed].round().astype(int)
    sizes: Counter[float] = Counter()
    for size, count in zip(np.abs(sums).round(9).tolist(), times.tolist(), strict=True):
        sizes[size] += count
    found = abs(float(times @ sums))
    if moves.whole:
        whole = Counter({round(size): count for size, count in sizes.items()})
        if _work(whole) <= MOST_COUNTED:
            return _Significance(_counted_out(whole, round(found)), MCNEMAR if moves.size == 1 else EXACT)
    elif sizes.total() <= FEW:
        return _Significance(_every_way([size for size, n in sizes.items() for _ in range(n)], found), EXACT)
    values = np.array(list(sizes), dtype=np.float64)
    counts = np.array(list(sizes.values()), dtype=np.int64)
    if len(values) <= MOST_DRAWN:
        return _Significance(_drawn(values, counts, found), DRAWN)
    return _Significance(erfc(found / sqrt(2 * float(counts @ values**2))), NORMAL)


def least_p(clusters: int) -> float:
    """Return the smallest p that a number of clusters can give, two-sided: all of them moved the same way.

    >>> least_p(5), least_p(6), least_p(1)
    (0.0625, 0.03125, 1.0)
    """
    return float(2.0 ** (1 - max(1, clusters)))


def clusters_needed(level: float) -> int:
    """Return the smallest number of clusters whose two-sided p can be below a level.

    >>> clusters_needed(0.05), clusters_needed(0.1)
    (6, 5)
    """
    return next(clusters for clusters in range(1, 1100) if least_p(clusters) < level)


def holm(values: Sequence[float]) -> list[float]:
    """Return the p values of several tests, adjusted for their number (Holm 1979).

    One chance finding among all of them is then as rare as it would be of a single test.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    found = [1.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        found[at] = highest
    return found


# ---------------------------------------------------------------- all ways, or some


def _work(sizes: Counter[int]) -> int:
    done, work = 1, 0
    for size, count in sizes.items():
        work += done * (count + 1)
        done += 2 * size * count
    return work


def _counted_out(sizes: Counter[int], found: int) -> float:
    """Return the chance of a sum at least that far from 0, of these numbers of whole numbers of each size with random signs."""
    chances = np.ones(1)  # of the sums -total, ..., total
    for size, count in sorted(sizes.items()):
        if not count:
            continue
        wider = np.zeros(len(chances) + 2 * size * count)
        for up, chance in enumerate(_halves(count).tolist()):
            wider[2 * size * up : 2 * size * up + len(chances)] += chance * chances
        chances = wider
    middle = len(chances) // 2
    if found <= 0:
        return 1.0
    return float(min(1.0, 2 * chances[middle + found :].sum()))


def _halves(n: int) -> Floats:
    """Return the chances of 0 to n heads in n throws."""
    logs = np.array([lgamma(k + 1) for k in range(n + 1)])
    return np.asarray(np.exp(logs[n] - logs - logs[::-1] - n * log(2)), dtype=np.float64)


def _every_way(sizes: Sequence[float], found: float) -> float:
    ways = np.zeros(1)
    for size in sizes:
        ways = np.concatenate([ways + size, ways - size])
    return float((np.abs(ways) >= found - EXACT_WITHIN * max(1.0, found)).mean())


def _drawn(values: Floats, counts: NDArray[np.int64], found: float) -> float:
    """Return p from drawn ways. The way that was found is one of those that could have been, so it is counted in."""
    draws = np.random.default_rng(0)
    total = np.zeros(PERMUTATIONS)
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        total += value * (2 * draws.binomial(count, 0.5, PERMUTATIONS) - count)
    reached = int((np.abs(total) >= found - EXACT_WITHIN * max(1.0, found)).sum())
    return (1 + reached) / (1 + PERMUTATIONS)
