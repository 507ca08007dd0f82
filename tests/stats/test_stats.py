"""Against independent references: the quadratic that Wilson's interval solves, and a plain bootstrap sample by sample."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats.bootstrap import percentile_interval, resampled_counts
from snellen.stats.intervals import wilson

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


def test_collapsed_bootstrap_is_the_plain_one() -> None:
    values = np.array([0.0, 0.5, 1.0])
    counts = np.array([30, 50, 20])
    draws = resampled_counts(counts, seed=3, resamples=4000)
    assert (draws[0] == counts).all()
    assert (draws.sum(axis=1) == 100).all()
    means = draws @ values / 100
    flat = np.repeat(values, counts)
    plain = np.random.default_rng(8).choice(flat, (4000, 100)).mean(axis=1)
    assert percentile_interval(means) == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.012)
    assert means[1:].std() == pytest.approx(plain.std(), rel=0.06)


def test_bootstrap_repeats_with_its_seed() -> None:
    counts = np.array([5, 7])
    assert (resampled_counts(counts, 1) == resampled_counts(counts, 1)).all()
    assert (resampled_counts(counts, 1) != resampled_counts(counts, 2)).any()
