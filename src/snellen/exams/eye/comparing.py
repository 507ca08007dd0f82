"""Thresholds of several runs beside each other. They need not have seen the same sheets: each has its own posterior, and the ratio of two
thresholds follows from both. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from snellen.core.prescription import Compared, Range, Threshold
from snellen.stats.psychometric import (
    Floats,
    Shape,
    Trial,
    counts,
    edges_of,
    fine_grid,
    posterior,
    quantiles,
    value_at,
)


def compared(runs: Sequence[Iterable[Threshold]]) -> list[Compared]:
    """Every faculty that any of the runs has, in the order of the first that has it."""
    each = [{row.name: row for row in rows} for rows in runs]
    names = dict.fromkeys(name for rows in each for name in rows)
    found = []
    for name in names:
        rows = tuple(some.get(name) for some in each)
        ratios = tuple(_ratio(rows[0], other) for other in rows[1:])
        found.append(Compared(name=name, rows=rows, ratios=ratios))
    return found


def _ratio(first: Threshold | None, second: Threshold | None) -> Range | None:
    """The second threshold over the first; None where one of them is not known, or only a bound of it."""
    if first is None or second is None or first.threshold is None or second.threshold is None:
        return None
    if first.bound or second.bound or first.ladder != second.ladder:
        return None
    one, other = _marginal(first), _marginal(second)
    shape = Shape(first.ladder, first.guess)
    places = fine_grid(shape).thresholds
    step = places[1] - places[0]
    apart = np.convolve(other, one[::-1])  # how much weight lies on each difference of places
    where = (np.arange(len(apart)) - (len(one) - 1)) * step
    middle, low, high = (value_at(shape, float(at)) / shape.levels[0] for at in quantiles(apart, edges_of(where)))
    return Range(middle, min(low, high), max(low, high))


def _marginal(row: Threshold) -> Floats:
    """The weight of each threshold on the grid."""
    shape = Shape(row.ladder, row.guess)
    grid = fine_grid(shape)
    trials = [
        Trial(rung.level, right)
        for rung in row.rungs
        for right, n in ((True, rung.right), (False, rung.wrong), (None, rung.silent))
        for _ in range(n)
    ]
    weights = posterior(grid, counts(shape, trials))
    found: Floats = weights.reshape(len(grid.thresholds), -1).sum(axis=1)
    return found
