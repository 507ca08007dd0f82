"""Intervals of scores that are not means over samples: a corpus BLEU, an AUROC, a kappa, a macro F1, a quantile.

How to use it. Write the score as a function of weights, one for each sample (all 1 gives the score itself; a sample of weight 0
is left out), and name each sample's cluster, such as its image:

>>> from snellen.stats.calibration import auroc
>>> scores, right = [0.9, 0.8, 0.7, 0.3, 0.2, 0.6, 0.1, 0.4], [1, 1, 0, 1, 0, 0, 0, 1]
>>> def ranked(weights):
...     there = [(s, r) for s, r, w in zip(scores, right, weights) if w]
...     return auroc([s for s, _ in there], [r for _, r in there])
>>> found = jackknifed(ranked, list("aabbccdd"))
>>> round(found.low, 2), round(found.high, 2), found.kind
(0.21, 0.97, 'jackknife')

The score is computed again without each cluster (without each of GROUPS groups of clusters where there are more). How far it moves
says how sure it is, with Student's t. A share between 0 and 1 gets Wilson's interval on as many samples as that is worth. So it stays
between 0 and 1 and keeps its doubt near the ends. Compute what is costly (tokens, n-grams, similarities) once, and only weigh it in the
function; weights are whole, 0 or 1. A quantile moves in jumps, so it has a function of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from math import ceil, floor, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from snellen.stats.intervals import Interval, MeanSpread, student, wilson, worth
from snellen.stats.means import Floats, of_samples

Statistic = Callable[[Floats], float | None]
GROUPS = 100
JACKKNIFE, ORDER = "jackknife", "order statistics"


def jackknifed(
    statistic: Statistic,
    clusters: Sequence[str],
    *,
    share: bool = True,
    made_of: float | None = None,
) -> Interval | None:
    """Return the interval of a score of samples in clusters; None where the score, or its doubt, is unknown.

    A sample whose cluster is empty stands for itself. A `share` lies between 0 and 1. `made_of` is the number of independent
    right-or-wrong samples behind the score (by default the number of clusters). That much doubt stays where the score does not
    move at all (an AUROC of 1).
    """
    value = statistic(np.ones(len(clusters))) if clusters else None
    if value is None or isnan(value):
        return None
    found = [statistic(weights) for weights in left_out(clusters)]
    without = np.array([nan if v is None else v for v in found], dtype=np.float64)
    every = len(set(clusters) - {""}) + sum(not name for name in clusters)
    return moved_interval(value, without, made_of or float(every), share=share)


def moved_interval(
    value: float,
    without: Floats,
    made_of: float,
    *,
    times: Floats | None = None,
    share: bool = True,
    lowest: float | None = None,
) -> Interval | None:
    """Return the interval of a score from its values without each cluster (`times`: how many clusters are alike; NaN: undefined).

    A score that is not a share may have a `lowest` value.
    """
    known = ~np.isnan(without)
    alike = np.ones(len(without))[known] if times is None else times[known]
    count = float(alike.sum())
    spread = float(alike @ (without[known] - value) ** 2) * (count - 1) / count if count > 1 else 0.0
    if not share:
        half = student(count - 1) * sqrt(spread) if spread > 0 else 0.0
        low = value - half if lowest is None else max(lowest, value - half)
        return Interval(low, value + half, JACKKNIFE) if half > 0 else None
    p = min(1.0, max(0.0, value))
    sure = worth(MeanSpread(made_of, spread * made_of, spread * made_of, p * (1 - p), count))
    return Interval(*wilson(p * sure.n, sure.n, sure.quantile), JACKKNIFE)


def quantile_interval(values: Sequence[float], at: float, clusters: Sequence[str]) -> Interval | None:
    """Return the interval of a quantile, from one of the values to another.

    The share of values below the true quantile is `at`, give or take its standard error: the ends are the values in those places. None
    where there are fewer than two values.

    >>> quantile_interval([float(i) for i in range(1, 102)], 0.5, [""] * 101)
    Interval(low=41.0, high=61.0, kind='order statistics')
    """
    n = len(values)
    if n < 2:
        return None
    found = np.sort(np.array(values, dtype=np.float64))
    below = of_samples((np.asarray(values) <= np.quantile(found, at)).astype(np.float64).tolist(), clusters)
    sure = worth(below.spread(at * (1 - at)))
    half = sure.quantile * sqrt(at * (1 - at) / sure.n)
    place = at * (n - 1)  # where the quantile itself is: the interval never leaves it out
    low, high = min(ceil(n * (at - half)) - 1, floor(place)), max(floor(n * (at + half)), ceil(place))
    low, high = max(0, low), min(n - 1, high)
    return Interval(float(found[low]), float(found[high]), ORDER)


def left_out(clusters: Sequence[str]) -> Floats:
    """Return a row of weights for each (group of) clusters: 0 for its samples and 1 for the others. A single cluster is never left out.

    >>> left_out(["a", "b", "a"]).tolist() in ([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]], [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    True
    """
    group = _groups(clusters)
    count = int(group.max()) + 1
    return np.not_equal.outer(np.arange(count if count > 1 else 0), group).astype(np.float64)


def _groups(clusters: Sequence[str]) -> NDArray[np.int64]:
    """Return a group for each sample: its cluster (empty: itself), or where there are too many, some of them, dealt out by name."""
    own = [name or f" {i}" for i, name in enumerate(clusters)]
    names = sorted(set(own), key=lambda name: (zlib.crc32(name.encode()), name))
    places = {name: i % GROUPS for i, name in enumerate(names)}
    return np.array([places[name] for name in own], dtype=np.int64)
