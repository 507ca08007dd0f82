"""The choice of the level to ask next: the one whose answer is expected to tell most about the observer (QUEST+, Watson 2017).

The expected information is the uncertainty of the answer, less its uncertainty if the observer were known. Its largest value is at the
level that QUEST+ finds by the least expected entropy. It is the same number with the sign turned and the present entropy taken off.

Questions in flight have no answer yet, but what they will tell should not be asked for twice. Each counts as half of its expected
answer: partly right and partly wrong, in the shares that the answers so far predict. Chance and the order of arrival play no part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snellen.stats.psychometric import DialShape, Floats, ObserverGrid, Trial, coarse_grid, counts, doubt, posterior

DIGITS = 9
"""Decimals that count. Levels that tell equally much, but for rounding, are equal: every machine chooses the same one, the harder."""

AWAITED = 0.5
"""The weight of a question in flight, beside one that is answered. An expected answer agrees with the estimate so far. Counted whole, it
made that estimate look surer than it is, and the questions after it went too far from the threshold (docs/design/eye.md).
"""


def information(grid: ObserverGrid, weights: Floats) -> Floats:
    """Return the expected information of an answer at each level, in nats."""
    return doubt(weights @ grid.right.T) - weights @ grid.doubt.T


def awaited(grid: ObserverGrid, found: Floats, pending: Floats) -> Floats:
    """Return the counts of answers, with those in flight added as they are expected: `pending` is their number at each level."""
    expected = posterior(grid, found) @ grid.right.T
    levels = len(grid.right)
    with_pending = found.copy()
    with_pending[..., :levels] += AWAITED * pending * expected
    with_pending[..., levels : 2 * levels] += AWAITED * pending * (1 - expected)
    return with_pending


def next_level(shape: DialShape, done: Sequence[Trial], pending: Sequence[float]) -> int:
    """Return the index of the level to ask next, from the answers so far and the levels (values of the dial) that are still in flight.

    >>> ladder = DialShape(tuple(2.0 * 1.1**k for k in range(40)), 0.1)
    >>> first = next_level(ladder, [], [])
    >>> next_level(ladder, [Trial(ladder.levels[first], True)], []) < first < next_level(ladder, [Trial(ladder.levels[first], False)], [])
    True
    """
    grid = coarse_grid(shape)
    found = counts(shape, done)
    if pending:
        flying = counts(shape, [Trial(level, True) for level in pending])[: len(shape.levels)]
        found = awaited(grid, found, flying)
    return int(np.argmax(np.round(information(grid, posterior(grid, found)), DIGITS)))


def answered(number: int, width: int) -> int:
    """Return how many of the first trials must be answered before the level of trial `number` is chosen, with up to `width` in flight.

    At most a quarter of the trials so far may be unanswered: with many in flight from the start, half of a short exam would be asked before
    anything is known. So 4 in flight are reached with trial 12, 10 with trial 36, and 16 with trial 60.

    >>> [answered(number, 1) for number in range(5)], [answered(number, 4) for number in (0, 1, 3, 4, 8, 12, 40)]
    ([0, 1, 2, 3, 4], [0, 1, 3, 3, 6, 9, 37])
    """
    return max(number - width + 1, (3 * number + 3) // 4)


def constant_level(shape: DialShape, number: int) -> int:
    """Return the level's index of a trial of constant stimuli: every stretch of trials covers the whole ladder evenly.

    Steps of the golden section: neither a drift of the observer nor an exam that ends early favours a part of the ladder.

    >>> [constant_level(DialShape((1.0, 2.0, 3.0, 4.0, 5.0), 0.2), number) for number in range(5)]
    [2, 0, 3, 1, 4]
    """
    return int((0.5 + number * 0.6180339887498949) % 1 * len(shape.levels))
