"""Scores over repeats: against numpy, never as sure as if every repeat were a sample of its own, and covering as they say."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.core.protocol import Protocol, Seen
from snellen.core.results import Metric, Score
from snellen.core.types import Mark, Outcome, Sample
from snellen.stats.repeats import RepeatTally, mean_seen, usual_outcome
from snellen.stats.tally import summarised

N, TIMES = 60, 4


class Best(Protocol):
    """A share of right answers, and beside it a score that is no mean: the larger of the shares of both labels."""

    name = "best"
    metrics = (Metric(name="score"), Metric(name="best", kind="own"))

    def groups(self, sample: Sample):  # type: ignore[no-untyped-def]
        return ((("split", "all"),),)

    def own_scores(self, group):  # type: ignore[no-untyped-def]
        shares: dict[str, list[float]] = {}
        for seen, count in group.rows():
            shares.setdefault(seen.own, []).extend([seen.values["score"]] * count)
        value = max(float(np.mean(some)) for some in shares.values())
        return {"best": Score(value=value, n=group.n, low=value - 0.1, high=value + 0.1, interval="jackknife")}

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return Seen({"score": mark.metrics["score"]}, mark.outcome, "", sample.truth)  # type: ignore[dict-item]


def sample(i: int) -> Sample:
    return Sample(id=f"s{i:03}", tags={"split": "all"}, truth="odd" if i % 2 else "even")


def mark(i: int, value: float) -> Mark:
    outcome = Outcome.CORRECT if value == 1 else Outcome.WRONG
    return Mark(id=f"s{i:03}", outcome=outcome, reading=int(value), metrics={"score": float(value)})


def of(right: np.ndarray) -> RepeatTally:
    """All marks of a table with a row for each sample and a column for each repeat."""
    found = RepeatTally(Best(), right.shape[1])
    for time in range(right.shape[1]):
        for i in range(len(right)):
            found.add(sample(i), mark(i, right[i, time]), time + 1)
    return found


@pytest.fixture
def right() -> np.ndarray:
    draw = np.random.default_rng(7)
    return (draw.random((N, TIMES)) < draw.beta(1, 1, N)[:, None]).astype(float)


def test_score_and_spread_are_those_of_numpy(right: np.ndarray) -> None:
    (group,) = of(right).groups()
    score = group.metrics["score"]
    assert score.value == pytest.approx(right.mean())
    assert score.n == group.n == N
    assert score.spread is not None
    each = right.mean(axis=0)
    assert score.spread.each == pytest.approx(each)
    assert (score.spread.low, score.spread.high) == pytest.approx((each.min(), each.max()))
    assert score.spread.sd == pytest.approx(each.std(ddof=1))


def test_a_score_that_is_no_mean_is_the_mean_of_the_repeats_with_an_interval_no_narrower_than_theirs(
    right: np.ndarray,
) -> None:
    (group,) = of(right).groups()
    best = group.metrics["best"]
    each = [max(right[::2, t].mean(), right[1::2, t].mean()) for t in range(TIMES)]
    assert best.value == pytest.approx(np.mean(each))
    assert best.spread is not None
    assert best.spread.each == pytest.approx(each)
    assert best.low is not None
    assert best.high is not None
    assert best.high - best.low == pytest.approx(0.2)
    assert best.interval == "jackknife, one repeat"


def test_outcomes_count_answers_and_consistency_counts_samples(right: np.ndarray) -> None:
    (group,) = of(right).groups()
    assert sum(group.outcomes.values()) == group.answers == N * TIMES
    assert group.outcomes["correct"] == right.sum()
    times = right.sum(axis=1)
    assert group.consistency is not None
    assert group.consistency.always == (times == TIMES).sum()
    assert group.consistency.never == (times == 0).sum()
    assert group.consistency.sometimes == N - group.consistency.always - group.consistency.never
    assert group.consistency.same == group.consistency.always + group.consistency.never


def test_repeats_that_all_agree_are_worth_no_more_than_one(right: np.ndarray) -> None:
    once = summarised(Best(), [(sample(i), mark(i, right[i, 0])) for i in range(N)])[0].metrics["score"]
    (group,) = of(np.repeat(right[:, :1], TIMES, axis=1)).groups()
    score = group.metrics["score"]
    assert (score.low, score.high, score.interval) == (once.low, once.high, once.interval)
    assert score.spread is not None
    assert score.spread.sd == 0


def test_one_repeat_is_a_plain_tally(right: np.ndarray) -> None:
    plain = summarised(Best(), [(sample(i), mark(i, right[i, 0])) for i in range(N)])
    assert of(right[:, :1]).groups() == plain


def test_repeats_that_have_not_all_been_asked_have_no_spread(right: np.ndarray) -> None:
    found = of(right[:, :1])
    found = RepeatTally(Best(), 2)
    for i in range(N):
        found.add(sample(i), mark(i, right[i, 0]), 1)
    for i in range(N // 2):
        found.add(sample(i), mark(i, right[i, 1]), 2)
    (group,) = found.groups()
    score = group.metrics["score"]
    halves = np.concatenate([right[: N // 2, :2].mean(axis=1), right[N // 2 :, 0]])
    assert score.value == pytest.approx(halves.mean())
    assert score.n == N
    assert score.spread is None
    assert group.consistency is not None
    assert group.consistency.n == N // 2


def test_a_sample_is_right_where_it_is_so_more_often_than_not_and_silent_likewise() -> None:
    yes, no, cut = Outcome.CORRECT, Outcome.WRONG, Outcome.TRUNCATED
    assert usual_outcome([yes, yes, no]) is yes
    assert usual_outcome([yes, no]) is no
    assert usual_outcome([cut, no, cut]) is cut
    assert usual_outcome([cut, no]) is no
    found = mean_seen([Seen({"score": 1.0, "seconds": 2.0}, yes, "a"), Seen({"score": 0.0}, no, "a")])
    assert (found.values, found.outcome, found.cluster) == ({"score": 0.5, "seconds": 2.0}, no, "a")


@pytest.mark.parametrize(("n", "times", "mean", "steady"), [(30, 3, 0.5, 1.0), (30, 3, 0.9, 0.3), (150, 5, 0.8, 0.5)])
def test_intervals_cover_the_truth_over_samples_and_repeats(n: int, times: int, mean: float, steady: float) -> None:
    """Each sample has a chance of its own, around the true mean; small `steady` makes it nearly 0 or 1. Samples and answers are drawn."""
    draw = np.random.default_rng(5)
    runs, held, widths, naive = 400, 0, [], []
    for _ in range(runs):
        chance = draw.beta(mean * steady, (1 - mean) * steady, n)
        right = (draw.random((n, times)) < chance[:, None]).astype(float)
        score = of(right).groups()[0].metrics["score"]
        assert score.low is not None
        assert score.high is not None
        held += score.low <= mean <= score.high
        widths.append(score.high - score.low)
        flat = [(sample(i), mark(i, value)) for i, value in enumerate(right.ravel())]
        plain = summarised(Best(), flat)[0].metrics["score"]
        naive.append((plain.high or 0) - (plain.low or 0))
    assert 0.92 <= held / runs <= 0.99
    assert np.mean(widths) > 1.2 * np.mean(naive)  # as n samples, not as n times the repeats
