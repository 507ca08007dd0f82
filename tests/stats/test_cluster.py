"""Intervals of clustered samples: few clusters are few, however many samples they have."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.stats.cluster import ENOUGH, ClusteredMeans, Estimate
from snellen.stats.intervals import wilson


def estimate(*clusters: tuple[int, int]) -> Estimate:
    """Clusters as (right, all)."""
    values = [float(i < right) for right, every in clusters for i in range(every)]
    names = [c for c, (_right, every) in enumerate(clusters) for _ in range(every)]
    return ClusteredMeans(np.array(values)[:, None], names).estimates(np.arange(len(values)), [True])[0]


def bounds(*clusters: tuple[int, int]) -> tuple[float, float]:
    found = estimate(*clusters)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    return found.low, found.high


def test_two_clusters_that_nearly_agree_are_as_uncertain_as_two_that_agree() -> None:
    near, same = bounds((10, 11), (11, 12)), bounds((10, 11), (10, 11))
    assert near == pytest.approx(same, abs=0.01)
    assert near[0] < wilson(21, 23)[0], "no more sure than of 23 independent samples"
    assert bounds((10, 11), (12, 12))[0] < 0.5
    assert bounds((11, 11), (12, 12)) == pytest.approx(wilson(2, 2), abs=1e-3)  # all may stand and fall together


def test_clusters_that_contradict_each_other_say_nothing() -> None:
    assert bounds((0, 11), (12, 12)) == (0.0, 1.0)
    assert bounds((5, 10), (8, 10)) == (0.0, 1.0)


def test_five_clusters_have_students_interval_of_the_ratio() -> None:
    right, every = np.array([7, 2, 10, 3, 9]), np.array([10, 9, 14, 12, 9])
    found = estimate(*zip(right.tolist(), every.tolist(), strict=True))
    ratio = right.sum() / every.sum()
    spread = np.std(right - ratio * every, ddof=1) * np.sqrt(5) / every.sum()
    assert (found.low, found.high) == pytest.approx((ratio - 2.7764 * spread, ratio + 2.7764 * spread), abs=1e-3)
    assert found.interval == "t on clusters"


@pytest.mark.parametrize("count", [3, 4, 5])
def test_one_sample_more_or_less_makes_no_jump(count: int) -> None:
    same = bounds(*[(9, 10)] * count)
    near = bounds(*[(9, 10)] * (count - 1), (8, 10))
    assert np.abs(np.subtract(same, near)).max() < 0.06


def test_single_samples_are_their_own_clusters() -> None:
    low, high = bounds(*[(1, 1)] * 8, *[(0, 1)] * 2)
    plain = wilson(8, 10)
    assert low <= plain[0]
    assert high >= plain[1]


def test_the_t_interval_covers_what_it_says() -> None:
    """Five clusters of ten with chances of their own: at least nine in ten intervals hold the mean chance of 0.5."""
    dice = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        found = bounds(*((int(dice.binomial(10, dice.uniform(0.2, 0.8))), 10) for _ in range(5)))
        held += found[0] <= 0.5 <= found[1]
    assert held >= 180


def test_from_fifteen_clusters_on_they_are_resampled() -> None:
    assert estimate(*[(i % 11, 10) for i in range(ENOUGH)]).interval == "cluster bootstrap"
    assert estimate(*[(i % 11, 10) for i in range(ENOUGH - 1)]).interval == "t on clusters"
    assert estimate(*[(10, 10)] * 20).interval == "wilson on clusters"


def test_measurements_have_no_interval_where_all_agree() -> None:
    values = np.array([[3.0], [3.0], [3.0]])
    found = ClusteredMeans(values, [1, 2, 3]).estimates(np.arange(3), [False])[0]
    assert (found.value, found.low, found.high) == (3.0, None, None)
    found = ClusteredMeans(np.array([[3.0], [4.0], [5.0]]), [1, 2, 3]).estimates(np.arange(3), [False])[0]
    assert (found.low, found.high) == pytest.approx((4 - 4.303 / 3**0.5, 4 + 4.303 / 3**0.5), abs=1e-3)
    found = ClusteredMeans(np.array([[0.0], [9.0]]), [1, 2]).estimates(np.arange(2), [False])[0]
    assert found.low == 0.0, "no time or distance is negative"
