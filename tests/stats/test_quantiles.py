"""Intervals of quantiles hold the quantile, are values of the sample, and know clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats.jackknife import quantile_interval


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60), st.sampled_from((0.1, 0.25, 0.5, 0.75, 0.95)))
def test_the_interval_holds_the_quantile(values: list[float], at: float) -> None:
    found = quantile_interval(values, at, [""] * len(values))
    assert found is not None
    assert found.low <= np.quantile(values, at) <= found.high or np.isclose(found.low, found.high)
    assert {found.low, found.high} <= set(values)


def test_against_the_binomial_by_hand() -> None:
    """Of 25 values the 8th and the 18th hold the median: 95.7 % by the binomial distribution."""
    found = quantile_interval([float(i) for i in range(1, 26)], 0.5, [""] * 25)
    assert found is not None
    assert (found.low, found.high) == (8.0, 18.0)


def test_clusters_make_it_wider() -> None:
    values = [float(i) for i in range(100)]
    apart, together = (
        quantile_interval(values, 0.5, names) for names in ([""] * 100, [f"c{i // 10}" for i in range(100)])
    )
    assert apart is not None
    assert together is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)
    assert quantile_interval([1.0], 0.5, [""]) is None
