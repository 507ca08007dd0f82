"""AUROC against counting all pairs; curves whose bins do not depend on the order of the samples."""

from __future__ import annotations

import random
from itertools import pairwise
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.stats.calibration import auroc, curve
from snellen.stats.intervals import wilson

SAMPLES = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.5001, 2.0, -3.0]), st.booleans()), max_size=40)


def by_pairs(samples: list[tuple[float, bool]]) -> float | None:
    right = [s for s, c in samples if c]
    wrong = [s for s, c in samples if not c]
    if not right or not wrong:
        return None
    won = sum(1.0 if r > w else 0.5 if r == w else 0.0 for r in right for w in wrong)
    return won / (len(right) * len(wrong))


@given(SAMPLES)
def test_auroc_is_the_share_of_pairs_in_order(samples: list[tuple[float, bool]]) -> None:
    found = auroc([s for s, _ in samples], [c for _, c in samples])
    expected = by_pairs(samples)
    assert found == (None if expected is None else pytest.approx(expected))


def test_auroc_of_known_cases() -> None:
    assert auroc([3, 2, 1, 0], [1, 1, 0, 0]) == 1.0
    assert auroc([3, 2, 1, 0], [0, 0, 1, 1]) == 0.0
    assert auroc([1, 1, 1, 1], [1, 0, 1, 0]) == 0.5
    assert auroc([1, 2], [1, 1]) is None
    assert auroc([], []) is None


@given(SAMPLES, st.integers(1, 12), st.randoms(use_true_random=False))
def test_bins_hold_every_sample_once_keep_ties_together_and_forget_the_order(
    samples: list[tuple[float, bool]], bins: int, shuffle: random.Random
) -> None:
    found = curve([s for s, _ in samples], [c for _, c in samples], bins)
    mixed = samples[:]
    shuffle.shuffle(mixed)
    assert curve([s for s, _ in mixed], [c for _, c in mixed], bins) == found
    assert sum(b.n for b in found) == len(samples)
    assert sum(round(b.accuracy * b.n) for b in found) == sum(c for _, c in samples)
    assert len(found) <= bins
    for before, after in pairwise(found):
        assert before.score_high < after.score_low


def test_bins_without_ties_are_of_equal_count_with_mean_accuracy_and_wilson_interval() -> None:
    scores = [i / 100 for i in range(100)]
    correct = [i >= 50 for i in range(100)]
    found = curve(scores, correct, 4)
    assert [b.n for b in found] == [25] * 4
    assert [b.accuracy for b in found] == [0, 0, 1, 1]
    assert found[1].score_mean == pytest.approx(sum(scores[25:50]) / 25)
    assert (found[3].low, found[3].high) == wilson(25, 25)
    assert found[0].accuracy == 0.0


def test_bad_input_is_named() -> None:
    with pytest.raises(SnellenError, match="2 scores but 1 marks"):
        auroc([1, 2], [1])
    with pytest.raises(SnellenError, match="not a number"):
        curve([nan], [1])
    with pytest.raises(SnellenError, match="at least one"):
        curve([1], [1], 0)
