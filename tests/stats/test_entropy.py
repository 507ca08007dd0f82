"""Bounds of an entropy from the top of its distribution: always around the truth, and as tight as they can be."""

from __future__ import annotations

import random
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.stats.entropy import VOCABULARY, bound_from_top

WEIGHTS = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=30)


def entropy(probabilities: list[float]) -> float:
    return -sum(p * log(p) for p in probabilities if p > 0)


@given(WEIGHTS, st.integers(0, 30))
def test_the_entropy_of_a_distribution_is_within_the_bounds_of_its_top(weights: list[float], k: int) -> None:
    p = sorted((w / sum(weights) for w in weights), reverse=True)
    k = min(k, len(p))
    low, high = bound_from_top([log(x) for x in p[:k]], vocabulary=len(p))
    assert low - 1e-9 <= entropy(p) <= high + 1e-9
    wide = bound_from_top([log(x) for x in p[:k]])
    assert wide[0] == pytest.approx(low, abs=1e-9)
    assert wide[1] >= high - 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_no_completion_goes_beyond_the_bounds_and_two_reach_them(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(3, 9)
    raw = sorted((draw.random() ** draw.choice([1, 4]) for _ in range(size)), reverse=True)
    p = [x / sum(raw) for x in raw]
    k = draw.randint(1, size - 1)
    top, least = p[:k], p[k - 1]
    left = sum(p[k:])
    low, high = bound_from_top([log(x) for x in top], vocabulary=size)
    whole = int(left / least)
    packed = [least] * whole + [left - whole * least] + [0.0] * (size - k - whole - 1)
    assert entropy(top + packed[: size - k]) == pytest.approx(low, abs=1e-9)
    assert entropy(top + [left / (size - k)] * (size - k)) == pytest.approx(high, abs=1e-9)
    for _ in range(200):  # walk among all completions: move mass between unnamed tokens, none above the least named one
        rest = p[k:]
        for _ in range(20):
            if len(rest) > 1:
                i, j = draw.sample(range(len(rest)), 2)
                move = draw.random() * min(rest[i], least - rest[j])
                rest[i] -= move
                rest[j] += move
        assert low - 1e-9 <= entropy(top + rest) <= high + 1e-9


def test_a_certain_token_has_no_entropy_and_nothing_known_leaves_all_open() -> None:
    assert bound_from_top([0.0]) == (0.0, 0.0)
    assert bound_from_top([0.0, -9999.0, -inf]) == (0.0, 0.0)
    assert bound_from_top([]) == pytest.approx((0.0, log(VOCABULARY)))
    assert bound_from_top([log(0.25)] * 4, vocabulary=4) == pytest.approx((log(4), log(4)))


def test_rounding_errors_of_an_endpoint_do_no_harm() -> None:
    low, high = bound_from_top([log(0.6) + 1e-7, log(0.4) + 1e-7])
    assert low == high == pytest.approx(entropy([0.6, 0.4]), abs=1e-6)
    assert bound_from_top([1e-5])[0] == 0.0


def test_bad_input_is_named() -> None:
    with pytest.raises(SnellenError, match="not a number"):
        bound_from_top([nan])
    with pytest.raises(SnellenError, match="3 log-probabilities of a vocabulary of 2"):
        bound_from_top([-1.0, -2.0, -3.0], vocabulary=2)
