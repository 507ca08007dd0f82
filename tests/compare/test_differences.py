"""Differences of marks: what they are made of, by which clusters, over which parts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compare.conftest import Runs, right, wrong
from tests.support.command import snellen as command

import snellen
from snellen.comparison.differences import PairedSample, PairedTest, rows
from snellen.core.protocol import Protocol, Seen
from snellen.core.results import Metric
from snellen.core.types import Outcome
from snellen.stats.paired import ScorePair, paired_difference

PLAIN = Protocol("plain")
OUTCOMES = st.sampled_from([Outcome.CORRECT, Outcome.WRONG, Outcome.UNPARSABLE, Outcome.REFUSED])


def seen(outcome: Outcome, cluster: str = "", value: float | None = None) -> Seen:
    return Seen({"score": float(outcome is Outcome.CORRECT) if value is None else value}, outcome, cluster)


def compared(every: list[PairedSample], protocol: Protocol = PLAIN, power: float | None = None) -> list:
    return rows(PairedTest(protocol, protocol.name, "question", "A", "B", power), every)


def made(
    first: list[Outcome], second: list[Outcome], clusters: list[str] | None = None, part: str = "x"
) -> list[PairedSample]:
    names = clusters or [""] * len(first)
    return [
        PairedSample(f"{part}/{i}", (("split", part),), seen(a, c), seen(b, c))
        for i, (a, b, c) in enumerate(zip(first, second, names, strict=True))
    ]


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES, st.sampled_from(["", "m", "n"])), min_size=1, max_size=40))
def test_what_a_difference_is_made_of_adds_up(samples: list[tuple[Outcome, Outcome, str]]) -> None:
    first, second, clusters = (list(x) for x in zip(*samples, strict=True))
    (row,) = compared(made(first, second, clusters))
    made_of = row.silence
    assert made_of.by_first + made_of.by_second + made_of.by_both + made_of.by_answers == pytest.approx(row.difference)
    same = paired_difference(
        Counter(ScorePair(float(a is Outcome.CORRECT), float(b is Outcome.CORRECT), c) for a, b, c in samples)
    )
    assert (row.first, row.second, row.low, row.high) == pytest.approx((same.first, same.second, same.low, same.high))
    assert row.interval == same.interval
    assert row.only_second - row.only_first == pytest.approx(row.difference * row.n)


def test_samples_of_one_picture_count_as_one() -> None:
    first = [Outcome.WRONG] * 30 + [Outcome.CORRECT] * 30
    second = [Outcome.CORRECT] * 30 + [Outcome.CORRECT] * 30
    (alone,) = compared(made(first, second))
    (shared,) = compared(made(first, second, [f"picture {i // 10}" for i in range(60)]))
    assert alone.p < 1e-6 and alone.test == "exact McNemar"
    assert shared.p == pytest.approx(0.25) and shared.test == "sign flips, exact" and shared.clusters == 6
    assert shared.low < 0.2 < alone.low and shared.smallest is None and alone.smallest is not None


def test_holm_is_over_the_parts_and_all_together_stands_for_itself() -> None:
    won = made([Outcome.WRONG] * 6, [Outcome.CORRECT] * 6, part="p")
    same = made([Outcome.WRONG] * 6, [Outcome.WRONG] * 6, part="q")
    one, other, every = compared([*won, *same])
    assert one.p == pytest.approx(0.03125) and one.p_holm == pytest.approx(0.0625) and other.p_holm == 1.0
    assert every.part == "" and every.n == 12 and every.p == every.p_holm


def test_all_together_knows_that_parts_ask_about_the_same_items() -> None:
    sides = [Outcome.WRONG] * 8, [Outcome.CORRECT] * 8
    *_parts, every = compared([*made(*sides, part="p"), *made(*sides, part="q")])
    assert every.n == 16 and every.clusters == 8 and every.p == pytest.approx(2 / 2**8)


def test_less_is_better_where_the_metric_says_so() -> None:
    protocol = Protocol("far")
    protocol.headline, protocol.metrics = "distance", (Metric(name="distance", unit="px", better="lower"),)
    every = [
        PairedSample(
            str(i), (), Seen({"distance": 10.0 + i}, Outcome.WRONG), Seen({"distance": 4.0 + i % 3}, Outcome.WRONG)
        )
        for i in range(12)
    ]
    (row,) = compared(every, protocol, power=0.05)
    assert row.difference < 0 and row.leader == "B" and row.unit == "px" and row.p < 0.01
    assert row.low < row.difference < row.high < 0 and row.smallest is None and row.needed is None


def test_graded_values_are_tested_by_their_size() -> None:
    every = [
        PairedSample(str(i), (), seen(Outcome.WRONG, value=0.2), seen(Outcome.WRONG, value=0.2 + 0.01 * i))
        for i in range(1, 11)
    ]
    (row,) = compared(every)
    assert (
        row.p == pytest.approx(2 / 2**10)
        and (row.only_first, row.only_second) == (0, 0)
        and row.interval == "tango, graded"
    )


def test_samples_without_a_value_are_not_compared() -> None:
    blank = Seen({}, Outcome.UNMARKED)
    every = [
        PairedSample("1", (), seen(Outcome.CORRECT), blank),
        PairedSample("2", (), seen(Outcome.CORRECT), seen(Outcome.WRONG)),
    ]
    (row,) = compared(every)
    assert row.n == 1
    assert compared(every[:1]) == []


# ---------------------------------------------------------------- whole runs


def test_a_macro_f1_has_the_jackknifes_difference(subject: Runs) -> None:
    draws = np.random.default_rng(2)
    said = {k: draws.random(120) for k in "ab"}

    def says(key: str, share: float):
        return lambda i, s: right(s) if said[key][i] < share else wrong(s)

    found = snellen.compare(subject("a", says("a", 0.5)), subject("b", says("b", 0.8))).row("paper")
    own = found.headline
    assert own is not None and own.low is not None and own.high is not None
    assert own.difference == pytest.approx(own.second - own.first) and own.low < own.difference < own.high
    # with one label a sample and three balanced labels it is nearly the accuracy: so is its interval
    assert own.difference == pytest.approx(found.difference, abs=0.05)
    assert own.high - own.low == pytest.approx(found.high - found.low, rel=0.25)


def test_vcr_is_compared_by_answers_and_by_answer_and_reason_together(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command("data", "make", "vcr", "--count", 16, "--seed", 1, "--out", tmp_path / "V", cache=cache)
    runs = []
    for letter in "AB":
        how = {"model": f"baseline/constant:{letter}", "data": tmp_path / "V", "out": tmp_path / "runs"}
        runs.append(snellen.evaluate("vcr", tasks=("answer", "rationale"), protocols=("strict",), **how))
    found = snellen.compare(*runs)
    for run, side in zip(runs, ("first", "second"), strict=True):
        scores = {part: score.value for (_protocol, part), score in run.scores().items()}
        assert scores == {r.part: pytest.approx(getattr(r, side)) for r in found.rows if r.part}
    parts = [(r.part, r.n) for r in found.rows]
    assert parts == [("val · vcr", 16), ("val · QA->R", 16), ("val · Q->AR", 16), ("", 32)]
