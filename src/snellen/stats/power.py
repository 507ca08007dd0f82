"""The power of a paired comparison: the smallest difference that n samples can show, and the samples that a difference needs.

The chance to find a difference depends on how often both sides differ at all. A difference of 5 points is plain where 5 of 100 samples
differ and all go one way; it is not where 55 differ and mostly cancel. `moving` is that share of samples (graded values: the mean of
gains and losses). The formula is the usual one for McNemar's test (Connor 1987), two-sided at 5%.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

from snellen.stats.intervals import Z

POWER = 0.8
"""The chance with which a difference that is there shall be found."""
BETA = NormalDist().inv_cdf(POWER)
SURE = 0.25
"""The smallest p must stay below this share of the level: on 5 to 7 images it takes luck that all move the same way."""


def samples_for(difference: float, moving: float) -> int:
    """Return how many pairs show a difference between 0 and 1, four times in five.

    >>> samples_for(0.05, 0.2), samples_for(0.1, 0.2)
    (626, 155)
    """
    return ceil(_samples(abs(difference), moving))


def smallest_difference(n: float, moving: float) -> float | None:
    """Return the smallest difference that n pairs show, four times in five; None where not even the largest would be shown.

    >>> round(smallest_difference(626, 0.2), 3), smallest_difference(2, 0.5)
    (0.05, None)
    """
    if n <= 0 or _samples(1.0, moving) > n:
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _samples(middle, moving) <= n else (middle, high)
    return high


def _samples(difference: float, moving: float) -> float:
    share = min(1.0, max(moving, difference))  # a difference takes at least as many samples that differ
    return float(((Z * sqrt(share) + BETA * sqrt(max(0.0, share - difference**2))) / difference) ** 2)
