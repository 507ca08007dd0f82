"""Summaries: groups, intervals, floors, explanation quality filtered and unfiltered, entropy against truth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from snellen.benchmarks.vqa_nle import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.benchmarks.vqa_nle.protocols import PROTOCOLS
from snellen.core.exam import mark_reply
from snellen.core.types import GroupSummary, Mark, Outcome, Sample
from snellen.engine.audit import audit

CHOICES = ["He is sad.", "A man is angry.", "She is happy because she won.", "It is raining."]
Rows = Sequence[tuple[dict[str, Any], str]]


class Scorer:
    """Stands for the caption metrics: remembers what it is given, and gives the share of equal texts."""

    def __init__(self, extra: dict[str, float]) -> None:
        self.calls: list[tuple[list[str], list[list[str]], object]] = []
        self.extra = extra

    def score(self, said: list[str], true: list[list[str]], tokenise: object = None) -> dict[str, float]:
        self.calls.append((said, true, tokenise))
        same = sum(s in t for s, t in zip(said, true, strict=True)) / len(said)
        return {"BLEU-4": same, "ROUGE-L": same / 2, "CIDEr": 2 * same} | self.extra

    @staticmethod
    def e_vil(scores: dict[str, float], task: float | None) -> SimpleNamespace:
        whole = "SPICE" in scores
        return SimpleNamespace(explanation=0.5 if whole else None, overall=0.5 * (task or 0.0) if whole else None)


@pytest.fixture
def scorer(monkeypatch: pytest.MonkeyPatch) -> Scorer:
    found = Scorer({})
    fake = ModuleType("snellen.stats.nlg")
    fake.score, fake.e_vil = found.score, found.e_vil  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    ranks = ModuleType("snellen.stats.calibration")
    ranks.auroc = area  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, ranks.__name__, ranks)
    return found


def area(scores: Sequence[float], correct: Sequence[bool]) -> float:
    pairs = [
        (a, b) for a, r in zip(scores, correct, strict=True) if r for b, w in zip(scores, correct, strict=True) if not w
    ]
    return sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)


def summary(
    exam: VqaNle, rows: Rows, protocol: str = "seed", change: Callable[[Mark], Mark] = lambda m: m
) -> tuple[GroupSummary, ...]:
    samples = [exam.sample_from_row({"id": i, "split": "val"} | truth) for i, (truth, _) in enumerate(rows)]
    chosen = PROTOCOLS[protocol]
    marks = [change(mark_reply(chosen, s, reply)) for s, (_, reply) in zip(samples, rows, strict=True)]
    return chosen.summarise(zip(samples, marks, strict=True))


def answers(text: str, why: str = "it rains", n: int = 10) -> dict[str, Any]:
    return {"answers": [text] * n, "explanation": [why]}


ROWS: Rows = [
    (answers("yes"), "yes because it rains"),
    (answers("yes"), "no because it rains"),
    (answers("no"), "no because it snows"),
    (answers("2"), "2 because I count"),
    (answers("red", "paint"), "red because paint"),
    (answers("red", "paint"), ""),
]


@pytest.mark.usefixtures("scorer")
def test_groups_intervals_floors_and_outcomes() -> None:
    whole, *parts = summary(VQAX, ROWS, "strict")
    assert whole.by == {"split": "val", "task": "vqax"}
    assert whole.n == 6
    assert whole.outcomes == {"correct": 4, "wrong": 1, "empty": 1}
    metric = whole.metrics["accuracy"]
    assert (metric.value, metric.n, metric.interval) == (pytest.approx(4 / 6), 6, "wilson")
    assert metric.low is not None and metric.high is not None and metric.low < 4 / 6 < metric.high
    assert (metric.floor, metric.floor_answer) == (pytest.approx(2 / 6), "red")  # of equals the first by name
    assert whole.bounds == (pytest.approx(4 / 6), pytest.approx(5 / 6))
    soft = whole.metrics["soft_accuracy"]
    assert (soft.value, soft.floor, soft.interval) == (pytest.approx(4 / 6), pytest.approx(2 / 6), "bootstrap")
    assert whole.metrics["valid_explanation"].value == pytest.approx(5 / 6)
    assert [(g.by["answer_type"], g.n) for g in parts] == [("number", 1), ("other", 2), ("yes/no", 3)]
    assert all("bleu4_unfiltered" not in g.metrics for g in parts)
    assert parts[2].metrics["accuracy"].floor == pytest.approx(2 / 3)


def test_explanations_filtered_and_unfiltered_always_with_n(scorer: Scorer) -> None:
    whole = summary(VQAX, ROWS, "strict")[0]
    every, right = scorer.calls
    assert every[0] == ["it rains", "it rains", "it snows", "I count", "paint", ""]
    assert every[1][4] == ["paint"]
    assert right[0] == ["it rains", "it snows", "I count", "paint"]
    assert (whole.metrics["bleu4_unfiltered"].value, whole.metrics["bleu4_unfiltered"].n) == (pytest.approx(3 / 6), 6)
    assert (whole.metrics["bleu4_filtered"].value, whole.metrics["bleu4_filtered"].n) == (pytest.approx(2 / 4), 4)
    assert whole.metrics["cider_filtered"].value == pytest.approx(1.0)
    assert not any("meteor" in name or "spice" in name or "evil" in name for name in whole.metrics)


def test_placeholders_are_scored_as_nothing_and_seed_keeps_its_because(scorer: Scorer) -> None:
    summary(VQAX, [(answers("yes"), "yes because it rains"), (answers("red"), "red")], "seed")
    assert scorer.calls[0][0] == ["because it rains", ""]


def test_object_tags_before_scoring(scorer: Scorer) -> None:
    truth = {
        "choices": CHOICES,
        "label": 0,
        "objects": ["person"] * 12,
        "explanation": "<|det1|> hugs <|det11|>",
    }
    for protocol, said, true in (
        ("strict", "1 hugs 11", "1 hugs 11"),
        ("e-vil", "1 hugs 11", "1 hugs <det11>"),  # the original maps references up to 9 only
        ("nlxgpt", "person1 hugs person11", "person1 hugs person11"),
        ("seed", "det1 hugs det11", "det1 hugs det11"),
    ):
        scorer.calls.clear()
        summary(VCR, [(truth, "A because <det1> hugs <det11>")], protocol)
        assert scorer.calls[0][:2] == ([said], [[true]]), protocol
        assert scorer.calls[0][2] is (str if protocol == "e-vil" else None)


def test_e_vil_scores_only_where_all_metrics_are_available(scorer: Scorer) -> None:
    assert "evil_score" not in summary(VQAX, ROWS, "e-vil")[0].metrics
    scorer.extra = {"METEOR": 0.2, "SPICE": 0.2, "BERTScore": 0.9}
    metrics = summary(VQAX, ROWS, "e-vil")[0].metrics
    assert (metrics["evil_score"].value, metrics["evil_score"].n) == (pytest.approx(0.5 * 4 / 6), 6)
    assert (metrics["evil_explanation_score"].value, metrics["evil_explanation_score"].n) == (0.5, 4)
    assert metrics["meteor_filtered"].value == 0.2
    assert "evil_score" not in summary(VQAX, ROWS, "strict")[0].metrics


def test_what_has_no_truth_is_counted_and_not_scored(scorer: Scorer) -> None:
    whole = summary(ESNLIVE, [({"label": "neutral"}, "neutral because x"), ({}, "neutral because x"), ({}, "")])[0]
    assert whole.n == 3
    assert whole.outcomes == {"correct": 1, "empty": 1, "unmarked": 1}
    assert (whole.metrics["accuracy"].value, whole.metrics["accuracy"].n) == (1.0, 1)
    assert whole.bounds is None
    assert not scorer.calls
    nothing = summary(ESNLIVE, [({}, "neutral because x")])[0]
    assert (nothing.metrics["accuracy"].value, nothing.metrics["accuracy"].n) == (None, 0)


@pytest.mark.usefixtures("scorer")
def test_floors_by_task_and_none_where_a_constant_is_right_by_construction() -> None:
    labels = [({"label": name}, "neutral because x") for name in ("neutral", "neutral", "entailment")]
    whole, *parts = summary(ESNLIVE, labels)
    assert (whole.metrics["accuracy"].floor, whole.metrics["accuracy"].floor_answer) == (
        pytest.approx(2 / 3),
        "neutral",
    )
    assert [g.by["label"] for g in parts] == ["entailment", "neutral"]
    assert all(g.metrics["accuracy"].floor is None for g in parts)
    heads = [({"label": name}, "yoga because x") for name in ("yoga, power", "yoga, nadi", "skating, ice")]
    whole, *parts = summary(ACTX, heads, "strict")
    assert (whole.metrics["accuracy"].value, whole.metrics["accuracy"].floor_answer) == (pytest.approx(2 / 3), "yoga")
    assert whole.metrics["head_accuracy"].floor == pytest.approx(2 / 3)
    assert whole.metrics["synonym_accuracy"].value == pytest.approx(2 / 3)
    assert [g.by["head"] for g in parts] == ["skating", "yoga"]
    letters = [({"choices": CHOICES, "label": at}, "A because x") for at in (0, 1, 1)]
    metrics = summary(VCR, letters, "strict")[0].metrics
    for name in ("accuracy", "letter_accuracy", "text_accuracy"):
        assert (metrics[name].value, metrics[name].floor, metrics[name].floor_answer) == (
            pytest.approx(1 / 3),
            pytest.approx(2 / 3),
            "B",
        )


def test_a_cut_explanation_is_still_an_explanation(scorer: Scorer) -> None:
    sample = VQAX.sample_from_row({"id": 1, "split": "val"} | answers("yes"))
    protocol = PROTOCOLS["strict"]
    mark = mark_reply(protocol, sample, "no because it rains", "length")
    assert mark.outcome is Outcome.TRUNCATED
    whole = protocol.summarise([(sample, mark)])[0]
    assert whole.metrics["accuracy"].value == 0.0
    assert whole.metrics["valid_explanation"].value == 1.0
    assert scorer.calls[0][0] == ["it rains"]


@pytest.mark.usefixtures("scorer")
def test_entropy_against_truth() -> None:
    low = iter([0.1, 0.9, 0.2, 0.3, 0.4, 5.0])

    def with_entropy(mark: Mark) -> Mark:
        value = next(low)
        return Mark(
            id=mark.id,
            outcome=mark.outcome,
            reading=mark.reading,
            metrics=mark.metrics | {"answer_entropy_mean": value},
        )

    metrics = summary(VQAX, ROWS, "strict", with_entropy)[0].metrics
    assert metrics["answer_entropy_mean"].value == pytest.approx(6.9 / 6)
    assert (metrics["answer_entropy_mean_auroc"].value, metrics["answer_entropy_mean_auroc"].n) == (1.0, 6)
    assert "answer_entropy_max" not in metrics
    low = iter([0.1])
    assert "answer_entropy_mean_auroc" not in summary(VQAX, ROWS[:1], "strict", with_entropy)[0].metrics


def test_answers_alone_have_no_explanation_metrics(scorer: Scorer) -> None:
    protocol = PROTOCOLS["seed"].for_prompt("answer-only")
    sample = VQAX.sample_from_row({"id": 1, "split": "val"} | answers("yes"))
    metrics = protocol.summarise([(sample, mark_reply(protocol, sample, "Yes, it is."))])[0].metrics
    assert metrics["accuracy"].value == 1.0
    assert set(metrics) == {"accuracy", "soft_accuracy"}
    assert not scorer.calls


@pytest.mark.usefixtures("scorer")
@pytest.mark.parametrize("exam", [VQAX, ACTX, ESNLIVE, VCR], ids=lambda e: e.name)
def test_an_audit_needs_no_data_set(exam: VqaNle) -> None:
    rows = audit(exam, exam.truths(), list(exam.protocols.values()))
    assert {r["protocol"] for r in rows} == set(PROTOCOLS)
    for row in rows:
        assert row["metric"] == "accuracy"
        strict = row["protocol"] in ("strict", "nlxgpt", "e-vil")
        assert row["won by"] is None or not strict, row


def test_with_the_real_caption_metrics() -> None:
    pytest.importorskip("snellen.stats.nlg")
    metrics = summary(VQAX, ROWS, "strict")[0].metrics
    assert 0 < (metrics["bleu1_unfiltered"].value or 0) < 1
    assert (metrics["rouge_l_filtered"].value or 0) > (metrics["rouge_l_unfiltered"].value or 0)


def test_groups_come_in_the_order_of_the_splits() -> None:
    samples = [Sample(id=s, tags={"split": s, "task": "vcr"}) for s in ("test", "rows", "train", "val")]
    marks = [Mark(id=s.id, outcome=Outcome.ERROR) for s in samples]
    groups = PROTOCOLS["seed"].summarise(zip(samples, marks, strict=True))
    assert [g.by["split"] for g in groups] == ["train", "val", "test", "rows"]
