"""Intervals of graded means near 0 and 1 hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.core.protocol import Protocol
from snellen.core.types import Mark, Outcome, Sample
from snellen.stats.tally import summarised

GRADES = np.array([0.0, 0.3, 0.6, 0.9, 1.0])
CHANCES = {0.95: (0.02, 0.02, 0.02, 0.06, 0.88), 0.1: (0.8, 0.1, 0.06, 0.02, 0.02)}


@pytest.mark.parametrize("n", [10, 45])
@pytest.mark.parametrize("near", CHANCES)
def test_graded_means_near_the_ends_are_held(n: int, near: float) -> None:
    dice, times, held = np.random.default_rng(14), 300, 0
    truth = float(GRADES @ CHANCES[near])
    for _ in range(times):
        values = dice.choice(GRADES, size=n, p=CHANCES[near])
        marked = [
            (
                Sample(id=f"{i:02d}", tags={}, truth="x"),
                Mark(id=f"{i:02d}", outcome=Outcome.WRONG, metrics={"score": v}),
            )
            for i, v in enumerate(values.tolist())
        ]
        score = summarised(Protocol("p"), marked)[0].metrics["score"]
        assert score.low is not None
        assert score.high is not None
        held += score.low <= truth <= score.high
    assert held >= 0.92 * times
