"""The statistics of the eye exam: the same as questplus where it has them, and what anyone would expect of a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.stats.adaptive import answered, constant_level, information, next_level
from snellen.stats.measurable import measurable
from snellen.stats.psychometric import (
    DialShape,
    Trial,
    coarse_grid,
    counts,
    curve,
    fine_grid,
    fit,
    normal,
    position,
    posterior,
)

LADDER = DialShape(tuple(2 * 1.12**k for k in range(30)), 1 / 9)
FALLING = DialShape(tuple(1 / level for level in LADDER.levels), 1 / 9)

indexes = st.integers(0, len(LADDER.levels) - 1)
answers = st.lists(st.tuples(indexes, st.sampled_from([True, False, None])), max_size=30)


def trials(shape: DialShape, said: Sequence[tuple[int, bool | None]]) -> list[Trial]:
    return [Trial(shape.levels[index], right) for index, right in said]


def test_the_normal_distribution_is_scipys() -> None:
    from scipy.stats import norm

    z = np.linspace(-8, 8, 60).reshape(20, 3)
    assert np.allclose(normal(z), norm.cdf(z), atol=1e-14)


@pytest.mark.parametrize("guess", [1 / 16, 1 / 9, 0.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_posterior_and_choice_are_those_of_questplus(guess: float, seed: int) -> None:
    questplus = pytest.importorskip("questplus")
    shape = LADDER._replace(guess=guess)
    grid = coarse_grid(shape)
    places = np.array([position(shape, level) for level in shape.levels])
    thresholds, spreads = grid.thresholds[::3], grid.spreads
    kept = (
        np.arange(len(grid.prior)).reshape(len(grid.thresholds), -1)[::3].ravel()
    )  # their tables are slow: a third of the thresholds
    ours = grid._replace(
        thresholds=thresholds,
        prior=grid.prior[kept],
        right=grid.right[:, kept],
        doubt=grid.doubt[:, kept],
        logs=grid.logs[:, kept],
    )
    spread_prior = np.exp(grid.prior[: len(spreads)])
    theirs = questplus.QuestPlus(
        stim_domain={"intensity": places},
        param_domain={"mean": thresholds, "sd": spreads, "lower_asymptote": [guess], "lapse_rate": grid.lapses},
        outcome_domain={"response": ["right", "wrong"]},
        prior={"sd": spread_prior / spread_prior.sum()},
        func="norm_cdf",
        stim_scale="linear",
    )
    rng = np.random.default_rng(seed)
    done: list[Trial] = []
    for _ in range(12):
        weights = posterior(ours, counts(shape, done))
        assert np.allclose(
            weights, theirs.posterior.transpose("mean", "sd", "lower_asymptote", "lapse_rate").values.ravel(), atol=1e-5
        )
        chosen = int(np.argmax(information(ours, weights)))
        assert theirs.next_stim["intensity"] == pytest.approx(places[chosen])
        right = bool(rng.random() < 0.3 + 0.6 * (places[chosen] > 0.5))
        theirs.update(stim={"intensity": places[chosen]}, outcome={"response": "right" if right else "wrong"})
        done.append(Trial(shape.levels[chosen], right))


@given(answers, st.randoms())
def test_the_order_of_trials_does_not_matter(said: list[tuple[int, bool | None]], random: object) -> None:
    shuffled = list(said)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fit(LADDER, trials(LADDER, said)) == fit(LADDER, trials(LADDER, shuffled))
    assert next_level(LADDER, trials(LADDER, said), []) == next_level(LADDER, trials(LADDER, shuffled), [])


@given(answers, st.integers(1, 4))
def test_right_answers_at_a_level_never_make_it_look_harder(said: list[tuple[int, bool | None]], more: int) -> None:
    """More right answers at the hardest level: the share that is thought likely there rises, whatever the other answers."""
    hardest = LADDER.levels[0]
    before, after = (
        curve(LADDER, trials(LADDER, said) + [Trial(hardest, True)] * extra, [hardest])[0][1] for extra in (0, more)
    )
    assert after >= before - 1e-6


@given(st.integers(3, 26), st.integers(1, 6))
def test_right_answers_where_all_was_wrong_lower_the_threshold(edge: int, more: int) -> None:
    """An observer with one clear edge, who then also sees harder levels, sees finer."""
    said: list[tuple[int, bool | None]] = [(k, k >= edge) for k in range(30)]
    harder: list[tuple[int, bool | None]] = [(edge - 1, True), (edge - 2, True)] * more
    assert (
        fit(LADDER, trials(LADDER, said + harder)).threshold.value < fit(LADDER, trials(LADDER, said)).threshold.value
    )


@given(answers)
def test_a_dial_that_falls_is_the_same_upside_down(said: list[tuple[int, bool | None]]) -> None:
    up, down = fit(LADDER, trials(LADDER, said)), fit(FALLING, trials(FALLING, said))
    assert down.threshold == pytest.approx([1 / up.threshold.value, 1 / up.threshold.high, 1 / up.threshold.low])
    assert (down.slope, down.lapse) == (pytest.approx(up.slope), pytest.approx(up.lapse))
    assert down.beyond == up.beyond
    assert next_level(LADDER, trials(LADDER, said), []) == next_level(FALLING, trials(FALLING, said), [])


@pytest.mark.parametrize("shape", [LADDER, FALLING])
def test_past_the_ends_only_a_bound_is_said(shape: DialShape) -> None:
    finer = fit(shape, [Trial(level, True) for level in shape.levels])
    coarser = fit(shape, [Trial(level, False) for level in shape.levels])
    half = fit(shape, [Trial(level, k >= 15) for k, level in enumerate(shape.levels)])
    assert (finer.beyond, half.beyond, coarser.beyond) == ("finer", "", "coarser")
    hard, easy = (
        (finer.threshold, coarser.threshold) if shape is LADDER else (finer.threshold[::-1], coarser.threshold[::-1])
    )
    assert position(shape, hard[2] if shape is LADDER else hard[1]) < 0.2
    assert position(shape, easy[1]) > 0.8


def test_a_reply_that_chose_nothing_tells_nothing_where_all_guess() -> None:
    """With two options a guess is right as often as wrong, so nothing said is nothing learnt."""
    shape = LADDER._replace(guess=0.5)
    assert fit(shape, [Trial(level, None) for level in shape.levels] * 3).threshold == pytest.approx(
        fit(shape, []).threshold
    )


def test_a_reply_that_chose_nothing_tells_less_than_a_wrong_one() -> None:
    level = LADDER.levels[15]
    nothing, wrong, before = (
        fit(LADDER, [Trial(level, said)] * n).threshold.value for said, n in ((None, 2), (False, 2), (None, 0))
    )
    assert before < nothing < wrong


@given(answers)
def test_estimates_lie_in_their_intervals_and_the_curve_rises(said: list[tuple[int, bool | None]]) -> None:
    found = fit(LADDER, trials(LADDER, said))
    for estimate in (found.threshold, found.slope, found.lapse):
        assert estimate.low <= estimate.value <= estimate.high
    assert found.slope.low > 1
    points = curve(LADDER, trials(LADDER, said), LADDER.levels[::6])
    for (_, p, low, high), (_, later, *_) in pairwise(points):
        assert low <= p <= high
        assert later >= p - 1e-9


def exam(shape: DialShape, middle: float, spread: float, number: int, rng: np.random.Generator) -> list[Trial]:
    """The trials of a simulated observer who lapses in 2 %; threshold and spread in lengths of the ladder. Every 8th trial is a catch trial."""
    done: list[Trial] = []
    for trial in range(number):
        level = shape.levels[-1 if trial % 8 == 0 else next_level(shape, done, [])]
        seen = normal(np.array([(position(shape, level) - middle) / spread]))[0]
        done.append(Trial(level, bool(rng.random() < shape.guess + (1 - shape.guess - 0.02) * seen)))
    return done


def test_the_threshold_of_a_known_observer_is_found() -> None:
    """A long exam: 5 tries, of which one whose intervals hold in 95 % has 3 or more in 99.9 %."""
    rng = np.random.default_rng(5)
    middle, slope = position(LADDER, 12.0), np.exp(0.06 * 1.349 * np.log(LADDER.levels[-1] / LADDER.levels[0]))
    fits = [fit(LADDER, exam(LADDER, middle, 0.06, 200, rng)) for _ in range(5)]
    assert sum(found.threshold.low < 12 < found.threshold.high for found in fits) >= 3
    assert sum(found.slope.low < slope < found.slope.high for found in fits) >= 3
    assert all(found.threshold.high / found.threshold.low < 1.25 for found in fits)


def test_95_of_100_intervals_hold_the_threshold() -> None:
    """Observers of many kinds in 40 trials each. Where 95 % hold, 87 or more of 100 do so in 99.9 % of tries; with intervals half as wide
    67 % would hold, and 87 or more in 0.001 % of tries. Every cell by itself, with 3,000 exams: bench/eye.py.
    """
    rng = np.random.default_rng(1)
    held, widths = 0, []
    for number in range(100):
        shape = LADDER._replace(guess=(0.0, 1 / 16, 1 / 10, 1 / 9)[number % 4])
        middle, spread = rng.uniform(0.3, 0.7), float(np.exp(rng.uniform(np.log(0.025), np.log(0.15))))
        found = fit(shape, exam(shape, middle, spread, 40, rng)).threshold
        held += position(shape, found.low) <= middle <= position(shape, found.high)
        widths.append(found.high / found.low)
    assert held >= 87
    assert np.median(widths) < 2


@given(st.integers(3, 26))
@settings(max_examples=10, deadline=None)
def test_of_an_edge_only_the_gap_is_said(edge: int) -> None:
    """Answers that are all right from a level on and all wrong below say between which two levels the threshold is, and no more."""
    found = fit(LADDER, trials(LADDER, [(k, k >= edge) for k in range(30)] * 6)).threshold
    hard, easy = LADDER.levels[edge - 1], LADDER.levels[edge]
    assert hard < found.value < easy
    assert found.high / found.low == pytest.approx(easy / hard, rel=0.02)
    twilight = [(edge - 2, False), (edge - 1, True), (edge - 1, False), (edge, True), (edge, False), (edge + 1, True)]
    narrow = fit(LADDER, trials(LADDER, twilight * 60)).threshold
    assert narrow.high / narrow.low < easy / hard, "where both answers come at several levels, many of them say more"


def test_questions_in_flight_spread_out() -> None:
    """What is on its way is not asked again at once; the order in which it was sent does not matter."""
    flying: list[float] = []
    for _ in range(8):
        flying.append(LADDER.levels[next_level(LADDER, [], flying)])
    assert len(set(flying)) >= 5
    assert next_level(LADDER, [], flying) == next_level(LADDER, [], flying[::-1])
    edge = [Trial(level, k >= 15) for k, level in enumerate(LADDER.levels)] * 2
    near = [next_level(LADDER, edge, [LADDER.levels[15]] * n) for n in range(6)]
    assert all(10 <= k <= 20 for k in near), "what is known still counts"


def test_how_many_must_be_answered() -> None:
    for width in (1, 2, 4, 16):
        known = [answered(number, width) for number in range(100)]
        assert known == sorted(known)
        assert all(number - width < a <= number for number, a in enumerate(known))
        assert all(4 * (number - a) <= number for number, a in enumerate(known))


def test_constant_stimuli_cover_the_ladder() -> None:
    chosen = [constant_level(LADDER, number) for number in range(300)]
    assert set(chosen) == set(range(30))
    assert all(8 <= chosen.count(k) <= 12 for k in range(30))
    for start in range(0, 290, 10):
        assert len({k // 6 for k in chosen[start : start + 10]}) == 5, "ten in a row reach every fifth of the ladder"


@pytest.mark.parametrize(
    ("shape", "word"),
    [
        (DialShape((1.0,), 0.1), "two levels"),
        (DialShape((0.0, 1.0), 0.1), "above 0"),
        (DialShape((1.0, 3.0, 2.0), 0.1), "go one way"),
        (DialShape((1.0, 2.0), 0.7), "guessing rate"),
    ],
)
def test_a_ladder_that_cannot_be_used_is_refused(shape: DialShape, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        fit(shape, [])


def test_a_level_off_the_ladder_is_refused() -> None:
    with pytest.raises(ValueError, match="not on the ladder"):
        fit(LADDER, [Trial(2.1, True)])


def test_weights_are_shares() -> None:
    weights = posterior(fine_grid(LADDER), counts(LADDER, [Trial(LADDER.levels[3], True)]))
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)


@given(st.lists(st.sampled_from([True, False, None]), max_size=12), st.sampled_from([0.0, 1 / 16, 1 / 9, 1 / 4, 1 / 2]))
def test_more_right_catch_trials_never_refuse(catch: list[bool | None], guess: float) -> None:
    if measurable(catch, [], guess) == "":
        assert all(measurable([*catch[:k], True, *catch[k + 1 :]], [], guess) == "" for k in range(len(catch)))
    else:
        assert measurable([False if c else c for c in catch], [], guess) != ""


def test_who_is_refused_and_why() -> None:
    assert measurable([True, True, True, False, None], [False] * 5, 1 / 9) == ""
    assert measurable([True, True, False, False, None], [False] * 5, 1 / 9) == "wrong"
    assert measurable([True, True, None, None, None], [None] * 5, 1 / 9) == "silent"
    assert measurable([True] * 5, [True, True, True, False, False], 1 / 9) == "", "with the picture it does better"
    assert measurable([True, True, True, False, False], [True, True, True, True, False], 1 / 9) == "blind"
    assert measurable([], [], 1 / 9) == "few"
