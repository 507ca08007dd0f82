"""Against independent references: the quadratic that Wilson's interval solves, and the likeliest loss under Tango's."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats.intervals import tango, wilson
from snellen.stats.paired import ScorePair, paired_difference

Z = 1.959963984540054


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_wilson_bounds_solve_the_score_equation(case: tuple[int, int]) -> None:
    n, k = case
    low, high = wilson(k, n)
    assert 0 <= low <= k / n <= high <= 1
    for bound in {low, high} - {0.0, 1.0}:
        assert abs(k / n - bound) == pytest.approx(Z * sqrt(bound * (1 - bound) / n), rel=1e-6)


def test_wilson_against_published_values() -> None:
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998, method 3


def most_likely(up: int, down: int, n: int, d: float) -> float:
    """The probability of a loss that makes the counts likeliest, gains being likelier by d: found by trying, not by formula."""
    tried = np.linspace(max(0.0, -d), (1 - d) / 2, 20001)[1:-1]
    chance = up * np.log(tried + d) + down * np.log(tried) + (n - up - down) * np.log(1 - 2 * tried - d)
    return float(tried[np.argmax(chance)])


@pytest.mark.parametrize(("up", "down", "n"), [(12, 2, 50), (9, 1, 20), (3, 3, 40), (1, 4, 8)])
def test_tangos_bounds_are_where_the_score_test_turns(up: int, down: int, n: int) -> None:
    for bound in tango(up, down, n):
        lost = most_likely(up, down, n, bound)
        error = sqrt(max(0.0, 2 * lost + bound - bound**2) / n)
        assert abs((up - down) / n - bound) == pytest.approx(Z * error, rel=2e-3)


def test_paired_intervals_keep_their_doubt_where_every_sample_moves_alike() -> None:
    lost = paired_difference({(1.0, 0.0): 5})
    assert (lost.difference, lost.low) == (-1.0, -1.0)
    assert -0.2 < lost.high < -0.1
    same = paired_difference({(0.0, 0.0): 3, (1.0, 1.0): 1})
    assert (same.low, same.high) == pytest.approx((-0.4899, 0.4899), abs=1e-4)  # z² / (n + z²)
    graded = [paired_difference({(0.4, 0.4): 30 - k, (0.4, 0.5): k} if k else {(0.4, 0.4): 30}) for k in (0, 1, 2)]
    widths = [g.high - g.low for g in graded]
    assert all(0.2 < w < 0.3 for w in widths), "one sample more does not make an interval collapse"
    sure = paired_difference({(0.4, 0.4): 300, (0.4, 0.5): 200})
    assert (sure.interval, sure.difference) == ("tango, graded", pytest.approx(0.04))
    assert 0.03 < sure.low < 0.04 < sure.high < 0.06, "small moves are surer than whole gains and losses"


def test_pairs_that_share_an_image_are_worth_fewer() -> None:
    apart = paired_difference({(1.0, 0.0): 20, (1.0, 1.0): 20})
    alike = paired_difference({ScorePair(1.0, float(i % 2), f"image {i}"): 10 for i in range(4)})
    assert apart.difference == alike.difference == -0.5
    assert (apart.interval, alike.interval) == ("tango", "tango, clustered")
    assert alike.high - alike.low > 2 * (apart.high - apart.low)
    single = paired_difference({ScorePair(1.0, float(i % 2), f"image {i}"): 1 for i in range(40)})
    assert single == apart, "an image with one question is a sample that stands for itself"


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))))
def test_tango_mirrors_and_holds_the_estimate(case: tuple[int, int, int]) -> None:
    up, down, n = case
    if up + down > n:
        return
    low, high = tango(up, down, n)
    assert -1 <= low <= (up - down) / n <= high <= 1
    assert high - low > 1e-6
    assert tango(down, up, n) == pytest.approx((-high, -low), abs=1e-9)
