"""Summaries: chance beside every share, non-answers as misses, kinds of difference, margins, and scorers that agree or not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from snellen.core.protocol import ReplyContext
from snellen.core.results import GroupSummary
from snellen.core.scorer import Similarities
from snellen.core.types import Mark, Metrics, Outcome, Sample
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.names import set_names
from snellen.exams.d3.prompts import probe
from snellen.exams.d3.summary import quantile
from snellen.stats.intervals import wilson
from snellen.stats.tally import summarised

PROTOCOL = BENCHMARK.protocols["original"]


def sample(i: int, kind: str | None = None) -> Sample:
    tags = {"split": "all", "task": "pair"} | ({"kind": kind} if kind else {})
    return Sample(id=f"d3/{i}", tags=tags, truth={"uid": str(i)}, facts={"uid": str(i)})


def hit(i: int, left: float, right: float, margin: float = 0.1, **more: float) -> Mark:
    both = float(left == right == 1.0)
    metrics: Metrics = {
        "both": both,
        "recall": (left + right) / 2,
        "left": left,
        "right": right,
        "image_to_text": 1.0,
        "margin": margin,
        "words": 10.0 + i,
        "position_words": float(i % 2),
        "position_captions": float(i % 2),
        "position_wide": 2.0,
        "truncated": 0.0,
    }
    metrics |= {name.replace("__", "."): value for name, value in more.items()}
    return Mark(id=f"d3/{i}", outcome=Outcome.CORRECT if both else Outcome.WRONG, metrics=metrics)


def miss(i: int, outcome: Outcome) -> Mark:
    return Mark(id=f"d3/{i}", outcome=outcome, metrics=PROTOCOL.blank(sample(i)))


def summarise(marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    return summarised(PROTOCOL, marked)


def only(groups: tuple[GroupSummary, ...]) -> GroupSummary:
    assert len(groups) == 1
    return groups[0]


def test_shares_count_non_answers_as_misses_and_captions_only_where_there_are_some() -> None:
    marks = [hit(0, 1.0, 1.0, 0.3), hit(1, 1.0, 0.0, -0.1), miss(2, Outcome.UNPARSABLE), miss(3, Outcome.ERROR)]
    group = only(summarise((sample(i), m) for i, m in enumerate(marks)))
    assert group.by == {"split": "all", "task": "pair"}
    assert group.n == 4
    assert group.outcomes == {"correct": 1, "wrong": 1, "unparsable": 1, "error": 1}
    both = group.metrics["both"]
    assert (both.value, both.n, both.floor, both.floor_answer, both.interval) == (0.25, 4, 0.25, "chance", "wilson")
    assert (both.low, both.high) == wilson(1, 4)
    assert group.bounds == (0.25, 0.75)
    assert (group.metrics["recall"].value, group.metrics["recall"].floor) == (0.375, 0.5)
    assert (group.metrics["left"].value, group.metrics["right"].value) == (0.5, 0.25)
    assert (group.metrics["words"].value, group.metrics["words"].n, group.metrics["words"].unit) == (10.5, 2, "words")
    assert (group.metrics["position_words"].value, group.metrics["position_words"].n) == (0.5, 2)
    assert (group.metrics["position_captions"].value, group.metrics["position_captions"].n) == (0.25, 4)
    assert (group.metrics["position_wide"].value, group.metrics["position_wide"].n) == (1.0, 4)
    assert (group.metrics["truncated"].value, group.metrics["truncated"].n) == (0.0, 2)
    ends = group.metrics["left_minus_right"]
    assert (ends.value, ends.n) == (0.25, 4), "as left minus right, over all pairs"
    assert group.metrics["margin"].value == pytest.approx(0.1)
    assert "no_scorer" not in group.metrics


def test_kinds_of_difference_come_after_the_whole_and_pairs_without_one_are_only_in_it() -> None:
    kinds = ["count", "count", "attribute", None]
    groups = summarise((sample(i, kind), hit(i, 1.0, float(kind == "count"))) for i, kind in enumerate(kinds))
    assert [g.by.get("kind") for g in groups] == [None, "attribute", "count"]
    assert [g.n for g in groups] == [4, 1, 2]
    assert [g.metrics["both"].value for g in groups] == [0.5, 0.0, 1.0]
    assert all(g.metrics["both"].floor == 0.25 for g in groups)
    assert [g.whole for g in groups] == [True, False, False]


def test_margins_are_given_by_quantiles() -> None:
    values = [0.01 * i for i in range(11)]
    group = only(summarise((sample(i), hit(i, 1.0, 1.0, v)) for i, v in enumerate(values)))
    found = {name: group.metrics[f"margin_{name}"].value for name in ("p10", "p25", "p50", "p75", "p90")}
    assert found == pytest.approx({"p10": 0.01, "p25": 0.025, "p50": 0.05, "p75": 0.075, "p90": 0.09})
    margin = group.metrics["margin"]
    assert margin.low is not None
    assert margin.high is not None
    assert margin.low < margin.value < margin.high  # type: ignore[operator]
    assert margin.unit == "cosine"
    assert quantile([3.0], 0.9) == 3.0


def test_scorers_that_agree_and_pairs_that_none_tells_apart() -> None:
    #            main   clip   pairs
    verdicts = [(1.0, 1.0)] * 4 + [(1.0, 0.0)] * 1 + [(0.0, 1.0)] * 2 + [(0.0, 0.0)] * 3
    marks = [hit(i, m, 1.0, both__clip=c, recall__clip=c, margin__clip=0.2) for i, (m, c) in enumerate(verdicts)]
    marks.append(miss(10, Outcome.UNPARSABLE))
    group = only(summarise((sample(i), m) for i, m in enumerate(marks)))
    assert (group.metrics["both"].value, group.metrics["both"].n) == (5 / 11, 11)
    assert (group.metrics["both.clip"].value, group.metrics["both.clip"].n) == (6 / 11, 11)
    assert group.metrics["both.clip"].floor == 0.25
    assert group.metrics["recall.clip"].floor == 0.5
    agreement = group.metrics["agreement.clip"]
    assert (agreement.value, agreement.n) == (0.7, 10)  # the pair without captions says nothing of agreement
    assert group.metrics["kappa.clip"].value == pytest.approx((0.7 - 0.5) / 0.5)
    assert (group.metrics["no_scorer"].value, group.metrics["no_scorer"].n) == (0.3, 10)
    assert group.metrics["margin_p50.clip"].value == 0.2


def test_what_a_second_scorer_has_not_scored_is_no_miss() -> None:
    marks = [hit(0, 1.0, 1.0, both__clip=1.0, recall__clip=1.0), hit(1, 1.0, 0.0), miss(2, Outcome.UNPARSABLE)]
    metrics = only(summarise((sample(i), m) for i, m in enumerate(marks))).metrics
    assert (metrics["both.clip"].value, metrics["both.clip"].n) == (0.5, 2)
    assert (metrics["no_scorer"].value, metrics["no_scorer"].n) == (0.0, 1)


def test_captions_that_nobody_scored_are_unmarked_and_no_misses() -> None:
    verdict = PROTOCOL.judge('{"left_image": "The left photo.", "right_image": "A dog"}', sample(0))
    unmarked = Mark(id="d3/0", outcome=Outcome.UNMARKED, metrics=verdict.metrics)
    group = only(summarise([(sample(0), unmarked)]))
    assert (group.metrics["both"].value, group.metrics["both"].n) == (None, 0)
    assert group.metrics["words"].value == 2.5
    assert group.metrics["position_words"].value == 0.0
    assert group.metrics["position_wide"].value == 0.5
    both = only(summarise([(sample(0), unmarked), (sample(1), hit(1, 1.0, 1.0))])).metrics["both"]
    assert (both.value, both.n) == (1.0, 1)


def test_three_scorers_are_compared_two_by_two() -> None:
    mark = hit(0, 1.0, 1.0, both__a=1.0, both__b=0.0)
    group = only(summarise([(sample(0), mark)]))
    assert {k for k in group.metrics if k.startswith("agreement.")} == {
        "agreement.a",
        "agreement.b",
        "agreement.a and b",
    }
    assert [group.metrics[f"agreement.{n}"].value for n in ("a", "b", "a and b")] == [1.0, 0.0, 0.0]
    assert group.metrics["kappa.a"].value is None  # both always say the same


def test_sets_stand_apart_from_pairs_because_chance_differs() -> None:
    three = probe(set_names(3))
    reply = '{"image1": "a", "image2": "b", "image3": "c"}'
    evidence = [Similarities("s", [[9, 0, 0], [0, 9, 0], [9, 0, 0]], [False] * 3)]
    verdict = PROTOCOL.judge(reply, three, ReplyContext(evidence=evidence))
    groups = summarise(
        [(three, Mark(id=three.id, outcome=Outcome.WRONG, metrics=verdict.metrics)), (sample(0), hit(0, 1.0, 1.0))]
    )
    assert [g.by["task"] for g in groups] == ["pair", "set of 3"]
    metrics = groups[1].metrics
    assert metrics["both"].floor == pytest.approx(1 / 27)
    assert (metrics["image3"].value, metrics["image3"].floor) == (0.0, pytest.approx(1 / 3))
    assert metrics["recall"].value == pytest.approx(2 / 3)
    assert metrics["image1_minus_image3"].value == 1.0
    assert "left" not in metrics


def test_a_run_without_any_captions_still_has_a_score() -> None:
    group = only(summarise([(sample(0), miss(0, Outcome.ERROR)), (sample(1), miss(1, Outcome.REFUSED))]))
    assert (group.metrics["both"].value, group.bounds) == (0.0, (0.0, 1.0))
    assert {"margin", "words", "position_words", "left_minus_right"} & group.metrics.keys() == set()


def test_summaries_take_a_stream_of_any_length_and_are_the_same_each_time() -> None:
    marks = [(sample(i), hit(i, float(i % 3 > 0), float(i % 5 > 0), i / 1000)) for i in range(3000)]
    assert summarise(iter(marks)) == summarise(iter(marks))
