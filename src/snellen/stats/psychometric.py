"""The psychometric curve of one dial, fitted to right and wrong answers, with its uncertainty: how fine an observer sees.

The share of right answers rises along the dial from the guessing rate to one minus the lapse rate. (A lapse is a wrong answer to
something that was seen.) In between it follows the normal distribution over the logarithm of the dial, for three reasons. Physical dials
are felt by their ratios. They are blurred by many small causes that add up. And the curve is the same both ways, so that threshold and
slope mean one thing each.

The estimate is a weight on each point of a grid (threshold, slope, lapse): Bayes' rule without a search that could fail to end.
A position on the dial is 0 at the hardest level of the ladder and 1 at the easiest, whatever the unit and whichever way it runs.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import erf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _fair_weights(n: int) -> Floats:
    """Return weights of n spreads, sharpest first: more at both ends, most at the sharp one, as in a Beta(1/3, 2/3).

    An observer at an end of the range can be taken for one nearer its middle, never for one farther out. So with equal weights the shallow
    ones would have intervals that are too narrow, and the sharp ones too wide.
    """
    place = (np.arange(n) + 0.5) / n
    weights: Floats = place ** (-2 / 3) * (1 - place) ** (-1 / 3)
    weights /= weights.sum()
    return weights


MARGIN = 0.25
"""The distance beyond either end of the ladder at which a threshold is thought possible, in lengths of the ladder."""
THRESHOLDS = tuple(float(t) for t in np.linspace(-MARGIN, 1 + MARGIN, 481))
EDGE = 0.0005
"""The spread of an edge that is sharper than any ladder can show: a fiftieth of a step of 40 levels."""
SPREADS = (EDGE, *(float(s) for s in np.geomspace(0.006, 0.48, 11)))
"""Standard deviations of the curve, in lengths of the ladder: an edge, then from a quarter of a step of 40 levels to half of the whole."""
SPREAD_WEIGHTS = (0.25, *(float(w) for w in 0.75 * _fair_weights(len(SPREADS) - 1)))
"""The prior of spreads for the estimate: one in four has an edge. Chosen so that intervals hold about equally often whatever the slope."""
LIKELY_WEIGHTS = tuple(float(w) for w in np.exp(-((np.log(np.array(SPREADS[1::2]) / 0.05) / 1.4) ** 2) / 2))
"""The prior of spreads for the choice of levels. Two steps of 40 are likeliest; four times less or more is still likely, since a ladder
was made for its faculty. Every other spread, and no edge.
"""
LAPSES = (0.0, 0.01, 0.03, 0.06, 0.12, 0.24, 0.45)
LAPSE_WEIGHTS = (0.3, 0.25, 0.2, 0.12, 0.08, 0.03, 0.02)
"""The prior of lapse rates. Most observers lapse rarely; some often, such as one that refuses every other question, whatever is shown."""
QUARTILES = 2 * 0.6744897501960817
"""Standard deviations between the points at which a quarter and three quarters are seen."""
LEAST = 1e-6
"""The least chance of any answer: none is quite impossible, nor quite sure. Even a blind click may hit."""


class DialShape(NamedTuple):
    """The facts before the first trial: the dial's values, hardest first, and the share of right answers of a guesser."""

    levels: tuple[float, ...]
    guess: float


class Trial(NamedTuple):
    """One question: the dial's value, and whether the answer was right; None is a reply that chose nothing.

    Such a reply is counted as a guess would be: right with the guessing rate, wrong otherwise.
    """

    level: float
    right: bool | None


class _Estimate(NamedTuple):
    """The posterior median, and the 95% interval around it."""

    value: float
    low: float
    high: float


class ObserverFit(NamedTuple):
    """The estimates of an observer, from its answers.

    `threshold` is the dial's value at which half is seen, guessing and lapses taken out. `slope` is the factor on the dial between the
    points at which a quarter and three quarters are seen: 1.1 is a sharp edge, 3 a long twilight. `lapse` is the share of wrong answers to
    what is seen well. `beyond` is "" or says that the threshold is past an end of the ladder: "finer" than the hardest level, or "coarser"
    than the easiest. Then only a bound is known, the interval's end on the ladder's side; the other end is only where the grid stops.
    """

    threshold: _Estimate
    slope: _Estimate
    lapse: _Estimate
    beyond: str


class ObserverGrid(NamedTuple):
    """All possible observers. Axes of tables: the level, then thresholds x spreads x lapses as one."""

    thresholds: Floats
    spreads: Floats
    lapses: Floats
    prior: Floats
    """The logarithm of the weight of each observer before the first trial."""
    right: Floats
    """The share of right answers at each level."""
    doubt: Floats
    """The uncertainty of an answer at each level, in nats."""
    logs: Floats
    """Logarithms of the likelihood of a right answer, a wrong one, and one that chose nothing: three tables below each other."""


def position(shape: DialShape, value: float) -> float:
    """Return the position of a value on the ladder: 0 is its hardest level, 1 its easiest.

    >>> position(DialShape((10.0, 20.0, 40.0), 0.1), 20.0), position(DialShape((40.0, 20.0, 10.0), 0.1), 10.0)
    (0.5, 1.0)
    """
    return log(value / shape.levels[0]) / log(shape.levels[-1] / shape.levels[0])


def value_at(shape: DialShape, place: float) -> float:
    """Return the dial's value at a position.

    >>> value_at(DialShape((10.0, 20.0, 40.0), 0.1), 0.5)
    20.0
    """
    return float(shape.levels[0] * (shape.levels[-1] / shape.levels[0]) ** place)


def check(shape: DialShape) -> None:
    """Refuse a ladder that cannot be used."""
    levels = shape.levels
    if len(levels) < 2 or min(levels) <= 0:
        raise ValueError("a dial needs two levels or more, all above 0: its curve is drawn over their logarithms")
    steps = [b - a for a, b in pairwise(levels)]
    if not (all(s > 0 for s in steps) or all(s < 0 for s in steps)):
        raise ValueError("a dial's levels go one way, from the hardest to the easiest, each once")
    if not 0 <= shape.guess <= 0.5:
        raise ValueError(f"a guessing rate is from 0 to 0.5 (a choice of two), not {shape.guess}")


def normal(z: Floats) -> Floats:
    """Return the normal distribution function, which numpy does not have."""
    found = np.array([erf(v) for v in (z / sqrt(2)).ravel().tolist()])
    return (1 + found.reshape(z.shape)) / 2


def shares(grid: ObserverGrid, guess: float, places: Sequence[float]) -> Floats:
    """Return the share of right answers at positions, for every observer of a grid: a row for each position."""
    z = (np.asarray(places)[:, None, None] - grid.thresholds[:, None]) / grid.spreads
    seen = normal(z)
    p = guess + (1 - guess - grid.lapses) * seen[..., None]
    return np.clip(p.reshape(len(places), -1), LEAST, 1 - LEAST)


def doubt(p: Floats) -> Floats:
    """Return the uncertainty, in nats, of an answer that is right with probability p."""
    return -(p * np.log(p) + (1 - p) * np.log1p(-p))


def _grid(
    shape: DialShape, thresholds: Sequence[float], spreads: Sequence[float], weights: Sequence[float], lapses: slice
) -> ObserverGrid:
    check(shape)
    points = np.array(thresholds), np.array(spreads), np.array(LAPSES[lapses])
    prior = np.log(weights)[:, None] + np.log(LAPSE_WEIGHTS[lapses])
    empty = np.empty(0)
    grid = ObserverGrid(*points, np.tile(prior.ravel(), len(thresholds)), empty, empty, empty)
    p = shares(grid, shape.guess, [position(shape, v) for v in shape.levels])
    none = shape.guess * p + (1 - shape.guess) * (1 - p)
    return grid._replace(right=p, doubt=doubt(p), logs=np.concatenate([np.log(p), np.log1p(-p), np.log(none)]))


@lru_cache(maxsize=16)
def fine_grid(shape: DialShape) -> ObserverGrid:
    """Return the grid of estimates."""
    return _grid(shape, THRESHOLDS, SPREADS, SPREAD_WEIGHTS, slice(None))


@lru_cache(maxsize=64)
def coarse_grid(shape: DialShape) -> ObserverGrid:
    """Return the grid by which levels are chosen, for every question: fewer points, and one lapse rate, 3%.

    Catch trials measure lapses. Where the choice of levels also looked for them, easy questions replaced ones about the threshold.
    """
    return _grid(shape, THRESHOLDS[::4], SPREADS[1::2], LIKELY_WEIGHTS, slice(2, 3))


def counts(shape: DialShape, trials: Sequence[Trial]) -> Floats:
    """Return how often each level was answered rightly, wrongly, and with nothing: three stretches, as in `ObserverGrid.logs`."""
    index = {level: number for number, level in enumerate(shape.levels)}
    found = np.zeros(3 * len(index))
    for trial in trials:
        if trial.level not in index:
            raise ValueError(f"level {trial.level} is not on the ladder from {shape.levels[0]} to {shape.levels[-1]}")
        found[index[trial.level] + len(index) * (2 if trial.right is None else 0 if trial.right else 1)] += 1
    return found


def posterior(grid: ObserverGrid, found: Floats) -> Floats:
    """Return the weights of all observers of a grid after these answers (a row for each exam, where there are several)."""
    log_weights = grid.prior + found @ grid.logs
    weights: Floats = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def _quantiles(weights: Floats, edges: Floats) -> tuple[float, ...]:
    """Return the median and the ends of the 95% interval, each weight being spread evenly between its two edges."""
    below = np.concatenate([[0.0], np.cumsum(weights)])
    return tuple(float(v) for v in np.interp(np.array((0.5, 0.025, 0.975)) * below[-1], below, edges))


def _edges_of(points: Floats) -> Floats:
    """Return the borders of the cells around grid points: midway between neighbours; the outer cells end at their points."""
    return np.concatenate([points[:1], (points[1:] + points[:-1]) / 2, points[-1:]])


def _estimate(values: Sequence[float]) -> _Estimate:
    middle, one, other = values
    return _Estimate(middle, min(one, other), max(one, other))


def threshold_place(shape: DialShape, weights: Floats) -> tuple[float, float, float]:
    """Return the threshold's position with its interval, from the weights of thresholds x spreads of the fine grid.

    Where the observer more likely than not has an edge, the answers only say between which two levels it lies. Then the interval is at
    least as wide as that gap of the ladder.
    """
    middle, low, high = _quantiles(weights.sum(axis=1), _edges_of(np.array(THRESHOLDS)))
    if 2 * weights[:, SPREADS.index(EDGE)].sum() <= weights.sum():
        return middle, low, high
    ladder = [position(shape, level) for level in shape.levels]
    upper = min(max(bisect(ladder, middle), 1), len(ladder) - 1)
    half = (ladder[upper] - ladder[upper - 1]) / 2
    return middle, min(low, middle - half), max(high, middle + half)


def fit(shape: DialShape, trials: Sequence[Trial]) -> ObserverFit:
    """Return threshold, slope and lapse rate with 95% credible intervals.

    >>> ladder = DialShape(tuple(2.0 * 1.1**k for k in range(40)), 0.1)
    >>> seen = [Trial(v, k >= 20) for k, v in enumerate(ladder.levels)]
    >>> found = fit(ladder, seen)
    >>> ladder.levels[17] < found.threshold.low < ladder.levels[20] < found.threshold.high < ladder.levels[23], found.beyond
    (True, '')
    """
    grid = fine_grid(shape)
    weights = posterior(grid, counts(shape, trials)).reshape(len(grid.thresholds), len(grid.spreads), len(grid.lapses))
    place = threshold_place(shape, weights.sum(axis=2))
    spread = _quantiles(weights.sum(axis=(0, 2)), _edges_of(np.log(grid.spreads)))
    lapse = _quantiles(weights.sum(axis=(0, 1)), _edges_of(grid.lapses))
    ladder = abs(log(shape.levels[-1] / shape.levels[0]))
    return ObserverFit(
        threshold=_estimate([value_at(shape, p) for p in place]),
        slope=_estimate([float(np.exp(QUARTILES * np.exp(s) * ladder)) for s in spread]),
        lapse=_estimate(lapse),
        beyond="finer" if place[0] < 0 else "coarser" if place[0] > 1 else "",
    )


def curve(
    shape: DialShape, trials: Sequence[Trial], values: Sequence[float]
) -> list[tuple[float, float, float, float]]:
    """Return the share of right answers at values of the dial, each with its 95% band: (value, share, low, high).

    >>> ladder = DialShape((1.0, 2.0, 4.0, 8.0), 0.25)
    >>> [(v, low <= p <= high) for v, p, low, high in curve(ladder, [Trial(4.0, True)], [1.0, 5.0])]
    [(1.0, True), (5.0, True)]
    """
    grid = fine_grid(shape)
    weights = posterior(grid, counts(shape, trials))
    likely = np.flatnonzero(weights > weights.max() * 1e-6)  # the rest weighs nothing, and would take most of the time
    weights = weights[likely] / weights[likely].sum()
    others = len(grid.spreads) * len(grid.lapses)
    first, last = int(likely[0]) // others, int(likely[-1]) // others
    near = grid._replace(thresholds=grid.thresholds[first : last + 1])
    rows = []
    for value in values:
        p = shares(near, shape.guess, [position(shape, value)])[0, likely - first * others]
        order = np.argsort(p)
        below = np.cumsum(weights[order])
        middle, low, high = (
            float(p[order][min(int(np.searchsorted(below, at)), len(p) - 1)]) for at in (0.5, 0.025, 0.975)
        )
        rows.append((value, middle, low, high))
    return rows
