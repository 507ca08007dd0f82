"""How many right-or-wrong samples a mean stands on: no leaps between kinds of values, and grades that are seen for what they are."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.stats.intervals import MeanSpread, wilson, worth
from snellen.stats.jackknife import moved_interval
from snellen.stats.means import alone, of_samples, share_interval
from snellen.stats.paired import difference_interval


def test_values_that_are_nearly_whole_have_nearly_wilsons_interval() -> None:
    found = share_interval(alone({1.0: 12, 0.9999: 8, 0.0: 10}))
    assert (found.low, found.high) == pytest.approx(wilson(20, 30), abs=0.005)


def test_grades_make_an_interval_narrower_alone_and_in_clusters() -> None:
    dice = np.random.default_rng(1)
    right = (dice.random(240) < 0.6).astype(float)
    names = [f"c{i // 6}" for i in range(240)]
    for clusters in ([""] * 240, names):
        whole = share_interval(of_samples(right.tolist(), clusters))
        graded = share_interval(of_samples(((right + 0.6) / 2).tolist(), clusters))
        assert graded.high - graded.low < 0.65 * (whole.high - whole.low)


@pytest.mark.parametrize("value", [1.0, 1 - 1e-8, 1e-8])
def test_a_score_that_is_all_but_perfect_keeps_the_doubt_of_its_samples(value: float) -> None:
    """lmms-eval's F1 of a perfect run is 1 - 1e-8, and moves by as little when a sample is left out."""
    found = moved_interval(value, value - np.linspace(0, 1e-9, 20), 20.0)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(20 * value, 20), abs=0.02)


def test_a_score_of_few_clusters_is_less_sure_than_of_many() -> None:
    few, many = (moved_interval(0.6, 0.6 + np.tile([-1, 1], k) * 0.1 / k, 40.0) for k in (2, 50))
    assert few is not None and many is not None
    assert few.high - few.low > many.high - many.low


def test_leaving_clusters_out_is_the_same_for_one_size_and_more_for_several() -> None:
    dice = np.random.default_rng(2)
    even = of_samples(dice.random(60).tolist(), [f"c{i % 6}" for i in range(60)])
    odd = of_samples(dice.random(60).tolist(), [f"c{min(i // 4, 5)}" for i in range(60)])
    assert even.left_out() == pytest.approx(even.variance())
    assert odd.left_out() > odd.variance()


def test_small_moves_in_clusters_tell_as_much_as_large_ones() -> None:
    """How alike the samples of a cluster are shows in which of them moved, not in how far."""
    moves = np.array(([1.0, -1.0] + [0.0] * 8) * 12)
    names = [f"c{i // 8}" for i in range(120)]
    for size in (1.0, 0.3):
        up = down = 12 * size
        assert of_samples((moves * size).tolist(), names).spread_of_moves(up, down).telling == pytest.approx(24)


def test_one_small_move_does_not_make_an_interval_collapse() -> None:
    """It tells of clusters like any other, but not yet that all moves are small."""
    names = [f"c{i // 5}" for i in range(30)]
    widths = []
    for moved in (0, 1, 2):
        moves = [0.1] * moved + [0.0] * (30 - moved)
        found = difference_interval(of_samples(moves, names), 0.1 * moved, 0.0)
        widths.append(found.high - found.low)
    assert min(widths) > 0.6 * widths[0]


def test_small_clusters_have_more_degrees_of_freedom() -> None:
    """Ten pairs against ten clusters of forty that are as little alike: the samples themselves say most of what pairs vary by."""
    pairs = MeanSpread(n=20, found=0.25, own=0.25, most=0.25, clusters=10, likely=1.45, top=2.0, telling=5.0)
    many = MeanSpread(n=400, found=0.25, own=0.25, most=0.25, clusters=10, likely=18.55, top=40.0, telling=100.0)
    assert worth(pairs).quantile < 2.03
    assert 2.08 < worth(many).quantile < 2.12  # about 18, twice (clusters - 1)
