"""Means of clustered samples: one rule at every number of clusters, and few clusters are few, however many samples they have."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats.intervals import Interval, student, wilson
from snellen.stats.means import alone, measured_interval, of_samples, share_interval


def interval(*clusters: tuple[int, int]) -> Interval:
    """Clusters as (right, all)."""
    values = [float(i < right) for right, every in clusters for i in range(every)]
    return share_interval(
        of_samples(values, [str(c) for c, (_right, every) in enumerate(clusters) for _ in range(every)])
    )


def bounds(*clusters: tuple[int, int]) -> tuple[float, float]:
    found = interval(*clusters)
    value = sum(right for right, _ in clusters) / sum(every for _, every in clusters)
    assert 0 <= found.low <= value <= found.high <= 1
    return found.low, found.high


def test_two_clusters_that_nearly_agree_are_as_uncertain_as_two_that_agree() -> None:
    near, same = bounds((10, 11), (11, 12)), bounds((10, 11), (10, 11))
    assert near == pytest.approx(same, abs=0.02)
    assert near[0] < wilson(21, 23)[0], "no more sure than of 23 independent samples"
    assert bounds((10, 11), (12, 12))[0] < 0.5
    assert bounds((11, 11), (12, 12)) == pytest.approx(wilson(2, 2), abs=0.08)  # all may stand and fall together


def test_clusters_that_contradict_each_other_say_little() -> None:
    low, high = bounds((0, 11), (12, 12))
    assert high - low > 0.75


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)).map(lambda c: (min(c), c[1])), min_size=1, max_size=30))
def test_the_interval_lies_between_that_of_samples_and_that_of_clusters(clusters: list[tuple[int, int]]) -> None:
    right, n = sum(r for r, _ in clusters), sum(m for _, m in clusters)
    worth = n * n / sum(m * m for _, m in clusters)
    low, high = bounds(*clusters)
    least, most = wilson(right, n), wilson(right / n * worth, worth)
    assert most[0] - 1e-9 <= low <= least[0] + 1e-9
    assert least[1] - 1e-9 <= high <= most[1] + 1e-9


def test_no_jump_at_any_number_of_clusters() -> None:
    """Half of each cluster right, one cluster more at a time: the width falls, and never by leaps."""
    widths = [bounds(*([(4, 8), (5, 8), (3, 8), (6, 8), (2, 8)] * 9)[:k]) for k in range(5, 45)]
    steps = [(b[1] - b[0]) / (a[1] - a[0]) for a, b in itertools.pairwise(widths)]
    assert min(steps) > 0.8
    assert max(steps) < 1.12


@pytest.mark.parametrize("count", [3, 4, 5, 14, 15, 16])
def test_one_sample_more_or_less_makes_no_jump(count: int) -> None:
    same = bounds(*[(9, 10)] * count)
    near = bounds(*[(9, 10)] * (count - 1), (8, 10))
    assert np.abs(np.subtract(same, near)).max() < 0.07


def test_single_samples_that_are_right_or_wrong_have_wilsons_interval() -> None:
    assert interval(*[(1, 1)] * 8, *[(0, 1)] * 2) == (*wilson(8, 10), "wilson")
    assert share_interval(alone({1.0: 8, 0.0: 2})) == (*wilson(8, 10), "wilson")
    assert interval((1, 1), (2, 2)).kind == "wilson, clustered"


def test_graded_values_are_surer_than_right_or_wrong_and_never_less_sure() -> None:
    graded = share_interval(alone({0.4: 50, 0.6: 50}))
    assert graded.kind == "wilson, graded"
    assert graded.high - graded.low < 0.35 * (wilson(50, 100)[1] - wilson(50, 100)[0])
    for n in (2, 10, 45):
        near = share_interval(alone({1.0: n - 1, 0.9: 1}))
        all_right = wilson(n - 0.1, n)
        assert near.low >= all_right[0] - 1e-9
        assert near.low < 1 - 1 / n, "one that is not quite right leaves doubt"


def test_the_interval_covers_what_it_says() -> None:
    """Five clusters of ten with chances of their own: at least nine in ten intervals hold the mean chance of 0.5."""
    dice = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        found = bounds(*((int(dice.binomial(10, dice.uniform(0.2, 0.8))), 10) for _ in range(5)))
        held += found[0] <= 0.5 <= found[1]
    assert held >= 180


def test_measurements_have_students_interval_and_none_where_all_agree() -> None:
    assert measured_interval(of_samples([3.0, 3.0, 3.0], ["1", "2", "3"])) is None
    found = measured_interval(of_samples([3.0, 4.0, 5.0], ["1", "2", "3"]))
    assert found is not None
    assert found[:2] == pytest.approx((4 - 4.303 / 3**0.5, 4 + 4.303 / 3**0.5), abs=1e-3)
    assert found.kind == "t"
    found = measured_interval(of_samples([0.0, 9.0], ["1", "2"]))
    assert found is not None
    assert found.low == 0.0, "no time or distance is negative"
    assert measured_interval(of_samples([1.0, 2.0], ["1", "1"])) is None


def test_measurements_of_clusters_have_the_ratios_error() -> None:
    sums, counts = np.array([70.0, 20.0, 100.0, 30.0, 90.0]), np.array([10, 10, 10, 10, 10])
    values = [s / m for s, m in zip(sums, counts, strict=True) for _ in range(m)]
    found = measured_interval(of_samples(values, [str(i) for i, m in enumerate(counts) for _ in range(m)]))
    assert found is not None
    ratio = sums.sum() / counts.sum()
    spread = np.std(sums - ratio * counts, ddof=1) * np.sqrt(5) / counts.sum()
    assert (found.low, found.high) == pytest.approx((ratio - student(4) * spread, ratio + student(4) * spread))
    assert found.kind == "t, clustered"
