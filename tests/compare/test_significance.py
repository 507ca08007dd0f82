"""Tests and power: the same numbers as scipy, p values that mean what they say, and no more than that."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.stats import significance
from snellen.stats.means import Clusters, of_samples
from snellen.stats.power import POWER, samples_for, smallest_difference
from snellen.stats.significance import DRAWN, EXACT, MCNEMAR, NORMAL, holm, mcnemar, sign_flips


def moves_of(up: int, down: int, same: int) -> Clusters:
    return of_samples([1.0] * up + [-1.0] * down + [0.0] * same, [""] * (up + down + same))


@pytest.mark.parametrize("up", [0, 1, 2, 9, 60, 700])
@pytest.mark.parametrize("down", [0, 1, 5, 40, 650])
def test_mcnemars_exact_test_is_scipys_binomial_test(up: int, down: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.binomtest(up, up + down).pvalue if up + down else 1.0
    assert mcnemar(down, up) == pytest.approx(theirs, rel=1e-8)
    found = sign_flips(moves_of(up, down, 20))
    assert found.p == pytest.approx(theirs, rel=1e-8) and found.how == MCNEMAR


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holms_correction_is_its_definition(values: list[float]) -> None:
    ranked = sorted(values)
    steps = [min(1.0, p * (len(ranked) - i)) for i, p in enumerate(ranked)]
    assert holm(values) == pytest.approx([max(steps[: ranked.index(p) + 1]) for p in values])


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-1.0, 0.0, 1.0])), min_size=2, max_size=24))
def test_whole_clusters_are_flipped_in_every_way(samples: list[tuple[int, float]]) -> None:
    sums: dict[int, float] = {}
    for cluster, move in samples:
        sums[cluster] = sums.get(cluster, 0.0) + move
    found = abs(sum(sums.values()))
    ways = [
        abs(sum(s * v for s, v in zip(signs, sums.values(), strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    expected = sum(w >= found - 1e-9 for w in ways) / len(ways)
    assert sign_flips(of_samples([m for _, m in samples], [f"c{c}" for c, _ in samples])).p == pytest.approx(expected)


def test_few_graded_moves_are_flipped_in_every_way_as_scipy_does() -> None:
    stats = pytest.importorskip("scipy.stats")
    moves = [0.31, -0.12, 0.5, 0.25, -0.4, 0.77, 0.11, 0.2]
    theirs = stats.permutation_test(
        (np.array(moves), np.zeros(len(moves))),
        lambda a, b: np.mean(a - b),
        permutation_type="samples",
        n_resamples=np.inf,
    )
    found = sign_flips(of_samples(moves, [""] * len(moves)))
    assert found.p == pytest.approx(theirs.pvalue) and found.how == EXACT


def test_many_graded_moves_are_drawn_always_alike_and_near_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(3)
    moves = of_samples((draws.normal(0.05, 0.4, 200)).tolist(), [""] * 200)
    first = sign_flips(moves)
    assert first.how == DRAWN and first == sign_flips(moves)
    monkeypatch.setattr(significance, "MOST_DRAWN", 10)
    limit = sign_flips(moves)
    assert limit.how == NORMAL and limit.p == pytest.approx(first.p, abs=0.02)


def test_what_is_too_much_to_count_out_is_drawn_and_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = moves_of(60, 40, 100)
    exact = sign_flips(moves)
    monkeypatch.setattr(significance, "MOST_COUNTED", 10)
    drawn = sign_flips(moves)
    assert (exact.how, drawn.how) == (MCNEMAR, DRAWN) and drawn.p == pytest.approx(exact.p, abs=0.015)


RUNS = 600


@pytest.mark.parametrize("size", [1, 6])
@pytest.mark.parametrize("graded", [False, True])
def test_p_is_uniform_where_there_is_no_difference(size: int, graded: bool) -> None:
    """240 samples, alone or in clusters of 6 that mostly move together: p is below 5 % five times in a hundred, and so on."""
    draws = np.random.default_rng(11 + size + graded)
    clusters = [f"{i // size}" if size > 1 else "" for i in range(240)]
    found = []
    for _ in range(RUNS):
        shared = np.repeat(draws.choice([-1.0, 0.0, 1.0], p=[0.25, 0.5, 0.25], size=240 // size), size)
        own = draws.choice([-1.0, 0.0, 1.0], p=[0.25, 0.5, 0.25], size=240)
        moves = np.where(draws.random(240) < 0.7, shared, own)
        if graded:
            moves = moves * draws.choice([0.25, 0.5, 1.0], size=240)
        found.append(sign_flips(of_samples(moves.tolist(), clusters)).p)
    for level in (0.05, 0.2, 0.5):
        share = np.mean(np.array(found) <= level)
        error = 3 * (level * (1 - level) / RUNS) ** 0.5
        # exact tests of whole numbers have steps: they may find a little less than they say, never more
        assert level - error - 0.06 * (level > 0.1) - 0.02 <= share <= level + error, (level, share)


def test_clusters_taken_for_samples_would_have_found_what_is_not_there() -> None:
    """The same draws without clusters: chance would pass for a difference several times as often as it says."""
    draws = np.random.default_rng(12)
    wrong = 0
    for _ in range(200):
        moves = np.repeat(draws.choice([-1.0, 0.0, 1.0], p=[0.25, 0.5, 0.25], size=40), 6)
        wrong += sign_flips(of_samples(moves.tolist(), [""] * 240)).p <= 0.05
    assert wrong > 40


# ---------------------------------------------------------------- power


@pytest.mark.parametrize(("n", "moving"), [(200, 0.3), (800, 0.15), (150, 0.0)])
def test_the_smallest_difference_is_found_four_times_in_five(n: int, moving: float) -> None:
    difference = smallest_difference(n, moving)
    assert difference is not None
    share = max(moving, difference)
    up, down = (share + difference) / 2, (share - difference) / 2
    draws = np.random.default_rng(5)
    counts = draws.multinomial(n, [up, down, 1 - up - down], size=1500)
    found = np.mean([mcnemar(int(lost), int(won)) < 0.05 for won, lost, _ in counts])
    assert POWER - 0.08 <= found <= POWER + 0.06  # the exact test is a little shy


@given(st.floats(0.01, 0.5), st.floats(0, 0.8))
def test_so_many_samples_show_so_much_and_no_fewer(difference: float, moving: float) -> None:
    n = samples_for(difference, moving)
    shown = smallest_difference(n, moving)
    assert shown is not None and shown <= difference + 1e-9
    fewer = smallest_difference(n - 1, moving)
    assert fewer is None or fewer > difference - 1e-9
