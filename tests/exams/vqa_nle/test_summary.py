"""Summaries: groups, intervals, floors, explanation quality filtered and unfiltered, entropy against truth."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import Remarks, RunFacts, rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import protocol_for
from snellen.core.results import GroupSummary, Score
from snellen.core.types import Answer, Mark, Outcome, Sample, Token
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.exams.vqa_nle.exports import entropy as entropy_tables
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL
from snellen.exams.vqa_nle.protocols import protocols_of
from snellen.stats.intervals import Interval
from snellen.stats.nlg.scores import CorpusValue
from snellen.stats.tally import summarised

PROTOCOLS = protocols_of("")  # of no exam in particular

CHOICES = ["He is sad.", "A man is angry.", "She is happy because she won.", "It is raining."]
Rows = Sequence[tuple[dict[str, Any], str]]


class Scorer:
    """Stands for the caption metrics: remembers what it is given, and gives the share of equal texts."""

    def __init__(self, extra: dict[str, float]) -> None:
        self.calls: list[tuple[list[str], list[list[str]], object]] = []
        self.extra = extra
        self.java = False

    def with_intervals(
        self, said: list[str], true: list[list[str]], images: list[str], tokenise: object = None
    ) -> dict[str, CorpusValue]:
        assert len(images) == len(said)
        self.calls.append((said, true, tokenise))
        same = sum(s in t for s, t in zip(said, true, strict=True)) / len(said)
        values = {"BLEU-4": same, "ROUGE-L": same / 2, "CIDEr": 2 * same} | self.extra
        return {name: CorpusValue(value, Interval(0.0, 1.0, "faked")) for name, value in values.items()}

    def missing(self) -> dict[str, str]:
        return ({} if self.java else {"METEOR": "needs Java"}) | {"SPICE": "needs much"}

    @staticmethod
    def meteor_with_interval(
        said: list[str], true: list[list[str]], images: list[str], tokenise: object = None
    ) -> CorpusValue:
        return CorpusValue(0.25 if len(said) == len(true) == len(images) else 0.0)


@pytest.fixture
def scorer(monkeypatch: pytest.MonkeyPatch) -> Scorer:
    import_module("snellen.stats.nlg.constant")  # floors are not faked
    found = Scorer({})
    fake = ModuleType("snellen.stats.nlg")
    for name in ("with_intervals", "missing", "meteor_with_interval"):
        setattr(fake, name, getattr(found, name))
    fake.CorpusValue = CorpusValue  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    ranks = ModuleType("snellen.stats.calibration")
    ranks.auroc = area  # type: ignore[attr-defined]
    ranks.auroc_interval = lambda *_given: Interval(0.0, 1.0, "faked")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, ranks.__name__, ranks)
    return found


def area(scores: Sequence[float], correct: Sequence[bool]) -> float:
    pairs = [
        (a, b) for a, r in zip(scores, correct, strict=True) if r for b, w in zip(scores, correct, strict=True) if not w
    ]
    return sum((a > b) + 0.5 * (a == b) for a, b in pairs) / len(pairs)


def summary(
    exam: VqaNle, rows: Rows, protocol: str = MULTIMODAL_VQA_EVAL, change: Callable[[Mark], Mark] = lambda m: m
) -> tuple[GroupSummary, ...]:
    samples = [rows_of(exam).sample({"id": i, "split": "val"} | truth) for i, (truth, _) in enumerate(rows)]
    chosen = PROTOCOLS[protocol]
    marks = [change(mark_reply(chosen, s, reply)) for s, (_, reply) in zip(samples, rows, strict=True)]
    return summarised(chosen, zip(samples, marks, strict=True))


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
    assert (soft.value, soft.floor, soft.interval) == (pytest.approx(4 / 6), pytest.approx(2 / 6), "wilson")
    between = {"answers": ["red"] * 8 + ["blue"] * 2}  # two annotators make two thirds
    soft = summary(VQAX, [*ROWS, (between, "blue because x")], "strict")[0].metrics["soft_accuracy"]
    assert (soft.n, soft.interval) == (7, "wilson, graded")
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


def test_placeholders_are_scored_as_nothing_and_multimodal_vqa_eval_keeps_its_because(scorer: Scorer) -> None:
    summary(VQAX, [(answers("yes"), "yes because it rains"), (answers("red"), "red")], MULTIMODAL_VQA_EVAL)
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
        ("e-vil", "1 hugs 11", "1 hugs <det11>"),  # its code maps references up to 9 only
        ("nlxgpt", "person1 hugs person11", "person1 hugs person11"),
        (MULTIMODAL_VQA_EVAL, "det1 hugs det11", "det1 hugs det11"),
    ):
        scorer.calls.clear()
        summary(VCR, [(truth, "A because <det1> hugs <det11>")], protocol)
        assert scorer.calls[0][:2] == ([said], [[true]]), protocol
        assert scorer.calls[0][2] is (str if protocol == "e-vil" else None)


def test_meteor_where_java_has_it_and_a_note_of_what_is_not_here(scorer: Scorer) -> None:
    assert of(VQAX, Remarks).unavailable(["zero"]) == {
        "METEOR": "needs Java",
        "SPICE": "needs much",
        "e-ViL's scores": "need METEOR, SPICE",
    }
    assert of(VQAX, Remarks).unavailable(["answer-only"]) == {}
    scorer.java = True
    metrics = summary(VQAX, ROWS, "strict")[0].metrics
    assert (metrics["meteor_unfiltered"].value, metrics["meteor_filtered"].value) == (0.25, 0.25)
    assert set(of(VQAX, Remarks).unavailable(["zero", "answer-only"])) == {"SPICE", "e-ViL's scores"}


def test_a_java_that_does_not_work_costs_no_summary(scorer: Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: object, **_how: object) -> float:
        raise SnellenError("METEOR failed")

    scorer.java = True
    monkeypatch.setattr(sys.modules["snellen.stats.nlg"], "meteor_with_interval", broken)
    metrics = summary(VQAX, ROWS, "strict")[0].metrics
    assert metrics["meteor_unfiltered"].value is None
    assert metrics["bleu4_unfiltered"].value == pytest.approx(3 / 6)


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
    sample = rows_of(VQAX).sample({"id": 1, "split": "val"} | answers("yes"))
    protocol = PROTOCOLS["strict"]
    mark = mark_reply(protocol, sample, "no because it rains", "length")
    assert mark.outcome is Outcome.WRONG
    whole = summarised(protocol, [(sample, mark)])[0]
    assert whole.metrics["accuracy"].value == 0.0
    assert whole.metrics["valid_explanation"].value == 1.0
    assert scorer.calls[0][0] == ["it rains"]


def reply_tokens(text: str, entropy: float, top: bool = False) -> tuple[Token, ...]:
    pieces = [f" {w}" if at else w for at, w in enumerate(text.split())]
    high = entropy + 1.0 if top else None
    return tuple(Token(text=p, logprob=-1.0, entropy=entropy, entropy_high=high) for p in pieces)


CUT_ROWS = (
    ("yes because it rains", "stop", 0.1),
    ("yes because it rains and", "length", 0.3),
    ("no because it rains and", "length", 0.2),  # cut and wrong, and surer than a right one
    ("no because it snows", "stop", 0.9),
    ("I'm sorry, I can't help with that because", "content_filter", 0.8),
)


def cut_marks(bounded: bool = False) -> list[tuple[Sample, Mark]]:
    found = []
    for at, (reply, finish, entropy) in enumerate(CUT_ROWS):
        sample = rows_of(VQAX).sample({"id": at, "split": "val"} | answers("yes"))
        tokens = reply_tokens(reply, entropy, bounded)
        found.append((sample, mark_reply(PROTOCOLS["strict"], sample, reply, finish, tokens=tokens)))
    return found


def test_entropies_stay_whatever_becomes_of_the_answer() -> None:
    marked = cut_marks()
    assert [m.outcome.value for _, m in marked] == ["correct", "correct", "wrong", "wrong", "refused"]
    assert [m.metrics["answer_entropy_mean"] for _, m in marked] == pytest.approx([e for *_, e in CUT_ROWS])
    assert marked[-1][1].metrics["accuracy"] == 0.0
    metrics = summarised(PROTOCOLS["strict"], marked)[0].metrics
    assert metrics["answer_entropy_mean"].n == metrics["accuracy"].n == 5
    assert metrics["answer_entropy_mean"].value == pytest.approx(2.3 / 5)
    assert metrics["answer_entropy_mean_auroc"].value == pytest.approx(5 / 6)  # right 0.1, 0.3; wrong 0.2, 0.9, 0.8
    # the table says the same
    manifest: Any = SimpleNamespace(data=SimpleNamespace(synthetic=False))
    records = lambda: ((s, Answer(id=s.id, prompt="zero"), m) for s, m in marked)  # noqa: E731
    run = RunFacts(manifest, PROTOCOLS["strict"], "zero", (), {}, records)
    curve = list(csv.DictReader(io.StringIO(dict(entropy_tables.exports(run))["entropy_curve.csv"].decode())))
    row = next(r for r in curve if r["entropy"] == "answer_mean")
    assert (row["split"], row["n"], float(row["auroc"])) == ("val", "5", pytest.approx(5 / 6))


def test_bounds_are_never_called_entropies() -> None:
    marked = cut_marks(bounded=True)
    metrics = summarised(PROTOCOLS["strict"], marked)[0].metrics
    assert metrics["answer_entropy_mean_lower_bound"].value == pytest.approx(2.3 / 5)
    assert metrics["answer_entropy_mean_lower_bound"].unit == "nats"
    assert "answer_entropy_mean_lower_bound_auroc" in metrics
    assert "answer_entropy_mean" not in metrics


@pytest.mark.usefixtures("scorer")
def test_a_cut_reply_keeps_what_its_whole_answer_scores() -> None:
    sample = rows_of(VQAX).sample({"id": "1", "answers": ["bus"] * 7 + ["truck"] * 3})
    mark = mark_reply(PROTOCOLS["strict"], sample, "truck because it is big and", "length")
    assert mark.outcome is Outcome.WRONG
    assert mark.metrics["soft_accuracy"] == pytest.approx(0.9)
    activity = rows_of(ACTX).sample({"id": "1", "label": "bicycling, mountain"})
    mark = mark_reply(PROTOCOLS[MULTIMODAL_VQA_EVAL], activity, "bicycling because he", "length")
    assert mark.outcome is Outcome.WRONG
    assert (mark.metrics["accuracy"], mark.metrics["head_accuracy"], mark.metrics["synonym_accuracy"]) == (
        0.0,
        1.0,
        1.0,
    )


@pytest.mark.usefixtures("scorer")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_constant_answer_beats_the_floor(protocol: str) -> None:
    same = ["Yes, she does.", "No, she is sad.", "No one knows.", "He is here."]
    truths = [
        {"choices": [f"He has {i} hats.", f"She waits {i}.", f"It is {i} now.", f"No {i}."], "label": i % 4}
        for i in range(12)
    ]
    truths += [
        {"choices": [same[(i + k) % 4] for k in range(4)], "label": (4 - i) % 4} for i in range(4)
    ]  # one text is right
    constants = [
        *(f"{letter} because x" for letter in "ABCD"),
        *(f"{c} because x" for t in truths for c in t["choices"]),
    ]
    for prompt in ("zero", "answer-only"):
        chosen = protocol_for(PROTOCOLS[protocol], prompt)
        best: dict[str, float] = {}
        for constant in constants:
            samples = [rows_of(VCR).sample({"id": i, "split": "val"} | t) for i, t in enumerate(truths)]
            metrics = summarised(chosen, [(s, mark_reply(chosen, s, constant)) for s in samples])[0].metrics
            for name in ("accuracy", "letter_accuracy", "text_accuracy"):
                best[name] = max(best.get(name, 0.0), metrics[name].value or 0.0)
                assert (metrics[name].floor or 0.0) >= (metrics[name].value or 0.0), (name, constant)
        assert best["accuracy"] > 0.2


@pytest.mark.usefixtures("scorer")
def test_intervals_know_that_questions_share_images() -> None:
    def interval(images: int) -> tuple[Score, GroupSummary]:
        marked = []
        for at in range(60):
            row = {"id": at, "split": "val", "label": "neutral"}
            sample = msgspec.structs.replace(rows_of(ESNLIVE).sample(row), facts={"image_name": f"{at % images}.jpg"})
            reply = "neutral because x" if at % images % 2 else "entailment because x"
            marked.append((sample, mark_reply(PROTOCOLS["strict"], sample, reply)))
        whole = summarised(PROTOCOLS["strict"], marked)[0]
        return whole.metrics["accuracy"], whole

    own, _ = interval(60)
    shared, group = interval(6)
    assert own.interval == "wilson"
    assert shared.interval is not None and shared.interval != "wilson"
    assert own.value == shared.value == 0.5
    assert own.low is not None and own.high is not None and shared.low is not None and shared.high is not None
    assert shared.high - shared.low > 1.5 * (own.high - own.low)
    assert group.metrics["accuracy"].n == 60


@pytest.mark.usefixtures("scorer")
def test_a_truth_that_nothing_can_be_compared_with_makes_no_answer_wrong() -> None:
    for truth in ({"answers": ["the"]}, {"explanation": "it rains"}):
        whole = summary(VQAX, [(truth, "yes because it rains")], "strict")[0]
        assert whole.outcomes == {"unmarked": 1}
        assert whole.metrics["accuracy"].value is None
        assert whole.metrics["valid_explanation"].value == 1.0


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
    protocol = protocol_for(PROTOCOLS[MULTIMODAL_VQA_EVAL], "answer-only")
    sample = rows_of(VQAX).sample({"id": 1, "split": "val"} | answers("yes"))
    metrics = summarised(protocol, [(sample, mark_reply(protocol, sample, "Yes, it is."))])[0].metrics
    assert metrics["accuracy"].value == 1.0
    assert set(metrics) == {"accuracy", "soft_accuracy"}
    assert not scorer.calls


def test_with_the_real_caption_metrics() -> None:
    pytest.importorskip("snellen.stats.nlg")
    metrics = summary(VQAX, ROWS, "strict")[0].metrics
    assert 0 < (metrics["bleu1_unfiltered"].value or 0) < 1
    assert (metrics["rouge_l_filtered"].value or 0) > (metrics["rouge_l_unfiltered"].value or 0)


def test_groups_come_in_the_order_of_the_splits() -> None:
    samples = [Sample(id=s, tags={"split": s, "task": "vcr"}) for s in ("test", "rows", "train", "val")]
    marks = [Mark(id=s.id, outcome=Outcome.ERROR) for s in samples]
    groups = summarised(PROTOCOLS[MULTIMODAL_VQA_EVAL], zip(samples, marks, strict=True))
    assert [g.by["split"] for g in groups] == ["train", "val", "test", "rows"]
