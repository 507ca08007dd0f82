"""Marks: what each protocol calls right, what is left open, and the rows of `snellen mark`."""

from __future__ import annotations

from typing import Any

import pytest

from snellen.core.errors import SnellenError
from snellen.core.extras import hub_data_of, rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import protocol_for
from snellen.core.types import Outcome, Sample, Token
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.exams.vqa_nle.marking.synonyms import same_activity
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL
from snellen.exams.vqa_nle.protocols import protocols_of

PROTOCOLS = protocols_of("")  # of no exam in particular

EXAMS = {"vqax": VQAX, "actx": ACTX, "esnlive": ESNLIVE, "vcr": VCR}
CHOICES = ["He is sad.", "A man is angry.", "She is happy because she won.", "It is raining."]


def row(
    task: str, response: str, protocol: str = MULTIMODAL_VQA_EVAL, prompt: str = "zero", **truth: Any
) -> dict[str, Any]:
    """A row of `snellen mark`, read and marked."""
    sample = rows_of(EXAMS[task]).sample({"id": 7, "response": response} | truth)
    chosen = protocol_for(PROTOCOLS[protocol], prompt)
    mark = mark_reply(chosen, sample, response)
    return {
        "id": mark.id,
        "protocol": chosen.name,
        "outcome": mark.outcome,
        "reading": mark.reading,
        "metrics": mark.metrics,
    }


def accuracy(task: str, response: str, protocol: str = MULTIMODAL_VQA_EVAL, **truth: Any) -> object:
    return row(task, response, protocol, **truth)["metrics"]["accuracy"]


def test_a_row_comes_out_with_reading_and_metrics() -> None:
    found = row("vqax", "Yes because a dog", answers=["yes", "yes", "no"], explanation=["a dog"])
    assert found["id"] == "7"
    assert found["protocol"] == MULTIMODAL_VQA_EVAL
    assert found["outcome"] == "correct"
    assert found["reading"] == {"answer": "yes", "explanation": "because a dog"}
    assert set(found["metrics"]) == {"accuracy", "soft_accuracy", "valid_explanation"}
    assert found["metrics"]["soft_accuracy"] == pytest.approx(4 / 9)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("task", EXAMS)
def test_a_row_without_truth_is_read_and_not_marked(task: str, protocol: str) -> None:
    found = row(task, "A because x", protocol, **({"choices": CHOICES} if task == "vcr" else {}))
    assert set(found["reading"]) == {"answer", "explanation"}
    assert found["reading"]["explanation"] == "x"
    assert set(found["metrics"].values()) == {None}
    sample = rows_of(EXAMS[task]).sample({"id": 1})
    assert sample.truth is None
    assert set(PROTOCOLS[protocol].blank(sample).values()) == {None}


@pytest.mark.parametrize(
    ("protocol", "response", "right"),
    [
        (MULTIMODAL_VQA_EVAL, "two because I count", 0.0),  # no number words
        ("strict", "two because I count", 1.0),
        ("strict", "The 2 because I count", 1.0),
        ("nlxgpt", "2 because I count", 1.0),
        ("nlxgpt", "2. because I count", 0.0),  # compared raw
        ("e-vil", "three because I count", 1.0),  # one annotator said so
        ("strict", "three because I count", 0.0),
        ("e-vil", "nine because I count", 0.0),
    ],
)
def test_answers_to_questions(protocol: str, response: str, right: float) -> None:
    answers = [{"answer": "2", "answer_confidence": "yes"}] * 8 + ["two", "3"]
    assert accuracy("vqax", response, protocol, answers=answers) == right


def test_soft_accuracy_is_the_official_one_and_strict_always_normalises() -> None:
    ten = ["yes"] * 10
    assert row("vqax", "Yes. because x", "nlxgpt", answers=ten)["metrics"]["soft_accuracy"] == 0.0
    assert row("vqax", "Yes. because x", "strict", answers=ten)["metrics"]["soft_accuracy"] == 1.0
    mixed = ["no"] * 7 + ["yes"] * 3
    assert row("vqax", "yes because x", MULTIMODAL_VQA_EVAL, answers=mixed)["metrics"][
        "soft_accuracy"
    ] == pytest.approx(0.9)
    alone = row("vqax", "yes because x", MULTIMODAL_VQA_EVAL, answers=["yes"])  # no others to agree with
    assert (alone["outcome"], alone["metrics"]["soft_accuracy"]) == ("correct", None)


def test_a_question_without_a_usable_majority_is_not_marked_under_multimodal_vqa_eval() -> None:
    assert accuracy("vqax", "the because x", answers=["the"]) is None


@pytest.mark.parametrize(("protocol", "cuts"), [(MULTIMODAL_VQA_EVAL, False), ("nlxgpt", True)])
def test_the_comma_rule_of_activities(protocol: str, cuts: bool) -> None:
    """nlxgpt cuts labels at their comma when it makes its files."""
    whole = row("actx", "skating because ice", protocol, answers="skating, ice")["metrics"]
    assert (whole["accuracy"], whole["head_accuracy"], whole["synonym_accuracy"]) == (float(cuts), 1.0, 1.0)
    exact = row("actx", "skating, ice because ice", protocol, answers="skating, ice")["metrics"]
    assert (exact["accuracy"], exact["head_accuracy"]) == (float(not cuts), 1.0)
    cut = row("actx", "skating because ice", protocol, label="skating")["metrics"]
    assert (cut["accuracy"], cut["head_accuracy"]) == (1.0, 1.0)


@pytest.mark.parametrize("said", ["skating", "Skating, ice", "skating ice"])
def test_strict_takes_an_activity_whole_or_cut(said: str) -> None:
    assert accuracy("actx", f"{said} because x", "strict", ans="skating, ice") == 1.0
    assert accuracy("actx", "ice skating because x", "strict", ans="skating, ice") == 0.0


@pytest.mark.parametrize(
    ("said", "label", "same"),
    [
        ("ice skating", "skating, ice", True),
        ("playing the guitar", "guitar, folk", True),
        ("riding a bike", "bicycling, mountain", True),
        ("cooks", "cooking or food preparation", True),
        ("doing yoga", "yoga", True),
        ("jogging", "running", False),
        ("soccer", "football", False),
        ("", "yoga", False),
        ("the", "yoga", False),
    ],
)
def test_synonyms(said: str, label: str, same: bool) -> None:
    assert same_activity(said, label) is same


@pytest.mark.parametrize(
    ("protocol", "response", "right"),
    [
        (MULTIMODAL_VQA_EVAL, "Not entailment because x", 1.0),
        ("strict", "Not entailment because x", 0.0),
        ("strict", "Entailment. because x", 1.0),
        ("nlxgpt", "entailment because x", 1.0),
        ("nlxgpt", "Entailment because x", 0.0),
        ("e-vil", "It is an entailment because x", 1.0),
    ],
)
def test_labels(protocol: str, response: str, right: float) -> None:
    assert accuracy("esnlive", response, protocol, gold_label="entailment") == right
    assert accuracy("esnlive", response, protocol, label=2) == right  # e-ViL's number for it


@pytest.mark.parametrize(
    ("protocol", "response", "right"),
    [
        (MULTIMODAL_VQA_EVAL, "B because x", 1.0),
        (MULTIMODAL_VQA_EVAL, "B) because x", 0.0),
        (MULTIMODAL_VQA_EVAL, "A man is angry because x", 0.0),  # the article is read as a letter
        ("strict", "B) because x", 1.0),
        ("strict", "(B) because x", 1.0),
        ("strict", "A man is angry because x", 1.0),
        ("nlxgpt", "B because x", 1.0),
        ("nlxgpt", "a man is angry because x", 1.0),
        ("e-vil", "The answer is B because x", 1.0),
    ],
)
def test_choices(protocol: str, response: str, right: float) -> None:
    metrics = row("vcr", response, protocol, choices=CHOICES, label=1)["metrics"]
    assert metrics["accuracy"] == metrics["letter_accuracy"] == metrics["text_accuracy"] == right
    assert metrics["letter"] == ("B" if right else metrics["letter"])


def test_equal_choices_are_right_by_text_and_not_by_letter() -> None:
    same = ["Yes.", "yes", "No.", "Maybe."]
    found = row("vcr", "B because x", MULTIMODAL_VQA_EVAL, answer_choices=same, label=0)["metrics"]
    assert (found["accuracy"], found["letter_accuracy"], found["text_accuracy"]) == (1.0, 0.0, 1.0)
    found = row("vcr", "B", MULTIMODAL_VQA_EVAL, "answer-only", answer_choices=same, label=0)["metrics"]
    assert (found["accuracy"], found["letter_accuracy"], found["text_accuracy"]) == (0.0, 0.0, 1.0)


def test_the_official_form_of_vcr_and_free_text_answers() -> None:
    tokens = [["No", ",", [1], "waits", "."], ["Yes", "."], ["A", "."], ["B", "."]]
    given = {"answer_choices": tokens, "answer_label": 0, "objects": ["car", "person"]}
    assert row("vcr", "(A) because x", "strict", **given)["reading"]["answer"] == "No, <det1> waits."
    free = row("vcr", "She waits because x", "nlxgpt", answers="she waits")["metrics"]
    assert (free["accuracy"], free["letter_accuracy"]) == (1.0, None)
    assert row("vcr", "She waits because x", MULTIMODAL_VQA_EVAL, answers="she waits")["metrics"]["accuracy"] is None


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_valid_depends_on_the_protocol(protocol: str) -> None:
    empty = row("vqax", "yes because", protocol, answers=["yes"])["metrics"]["valid_explanation"]
    assert empty == (
        1.0 if protocol == MULTIMODAL_VQA_EVAL else 0.0
    )  # multimodal-vqa-eval stores "yes because because"
    assert row("vqax", "yes because of rain", protocol, answers=["yes"])["metrics"]["valid_explanation"] == 1.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_answers_alone_are_marked_without_explanations(protocol: str) -> None:
    protocol_here = protocol_for(PROTOCOLS[protocol], "answer-only-boxes+blank")
    assert protocol_here is protocol_for(PROTOCOLS[protocol], "answer-only")
    assert protocol_here.name == protocol
    assert protocol_for(PROTOCOLS[protocol], "3shot") is PROTOCOLS[protocol]
    metrics = row("actx", "yoga", protocol, "answer-only", label="yoga")["metrics"]
    assert metrics["accuracy"] == 1.0
    assert "valid_explanation" not in metrics


@pytest.mark.parametrize(
    ("task", "given", "message"),
    [
        ("esnlive", {"label": "maybe"}, "label 'maybe' is not one of entailment, contradiction, neutral"),
        ("vcr", {"choices": CHOICES, "label": 4}, "label 4 is out of range"),
        ("vcr", {"choices": CHOICES, "label": "1"}, "label: Expected `int`, got `str`"),
        ("vcr", {"choices": "A"}, '"choices" must be a list'),
        ("vcr", {"choices": CHOICES, "answers": 5}, '"answer" must be'),
        ("vcr", {"choices": CHOICES, "answer": 2}, '"answer" must be'),
        ("vcr", {"choices": CHOICES, "answer": "He waits."}, "neither a letter nor one of the choices"),
        ("vqax", {"answers": [3]}, "answer: Expected"),
        ("actx", {"label": "x", "explanation": [1]}, "explanation: Expected"),
    ],
)
def test_truth_that_cannot_be_used_is_an_error(task: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        rows_of(EXAMS[task]).sample({"id": 1} | given)


def test_letters_and_texts_name_the_right_choice() -> None:
    for answer in ("B", "b", "A man is angry."):
        truth = rows_of(VCR).sample({"id": 1, "choices": CHOICES, "answer": answer}).truth
        assert truth == {"answers": ["A man is angry."], "explanations": [], "label": 1}


# ---------------------------------------------------------------- outcomes and entropies


@pytest.mark.parametrize(
    ("reply", "finish", "outcome"),
    [
        ("B because x", None, Outcome.CORRECT),
        ("A because x", None, Outcome.WRONG),
        ("hm", None, Outcome.UNPARSABLE),
        ("", None, Outcome.EMPTY),
        ("A because x", "length", Outcome.WRONG),
        ("hm", "length", Outcome.TRUNCATED),
        ("I'm sorry, I can't say", None, Outcome.REFUSED),
    ],
)
def test_outcomes(reply: str, finish: str | None, outcome: Outcome) -> None:
    sample = rows_of(VCR).sample({"id": 1, "choices": CHOICES, "label": 1})
    mark = mark_reply(PROTOCOLS["strict"], sample, reply, finish)
    assert mark.outcome is outcome
    if outcome in (Outcome.EMPTY, Outcome.TRUNCATED, Outcome.REFUSED):
        assert mark.metrics["accuracy"] == 0.0
        assert mark.metrics["valid_explanation"] == 0.0


def said(*pairs: tuple[str, float]) -> tuple[Token, ...]:
    return tuple(Token(text=t, logprob=-0.1, entropy=e) for t, e in pairs)


def test_entropies_are_added_where_there_are_tokens() -> None:
    protocol = PROTOCOLS[MULTIMODAL_VQA_EVAL]
    assert "tokens" in protocol.needs
    sample = rows_of(VQAX).sample({"id": 1, "answers": ["yes"]})
    tokens = said(("yes", 0.5), (" because", 9.0), (" x", 1.0), (" y", 2.0))
    mark = mark_reply(protocol, sample, "yes because x y", tokens=tokens)
    assert mark.metrics["accuracy"] == 1.0
    assert mark.metrics["answer_entropy_mean"] == 0.5
    assert mark.metrics["answer_entropy_max"] == 0.5
    assert mark.metrics["explanation_entropy_mean"] == 1.5
    assert mark.metrics["explanation_entropy_max"] == 2.0
    assert "explanation_entropy_mean" not in mark_reply(protocol, sample, "yes", tokens=said(("yes", 0.5))).metrics
    assert "answer_entropy_mean" not in mark_reply(protocol, sample, "yes because x").metrics


@pytest.mark.parametrize(
    ("task", "reply", "answer", "explanation"),
    [
        ("vqax", "No, there is no dog", 0.0, 2.5),
        ("vqax", "red\nIt is painted because of rust", 0.0, (1 + 2 + 3 + 4 + 5 + 6) / 6),
        ("vqax", "Because it rains, the answer is yes", (3 + 4 + 5 + 6) / 4, 1.5),
        ("vcr", "She is happy because she won. because of gold", 2.5, 7.5),
        ("vcr", "She is happy because she won.", 2.5, None),
    ],
)
def test_entropies_part_where_the_reading_parts(
    task: str, reply: str, answer: float, explanation: float | None
) -> None:
    tokens = said(*((f" {w}" if at else w, float(at)) for at, w in enumerate(reply.replace("\n", "\n ").split(" "))))
    sample = rows_of(EXAMS[task]).sample({"id": 1} | ({"choices": CHOICES, "label": 2} if task == "vcr" else {}))
    metrics = mark_reply(PROTOCOLS["strict"], sample, reply, tokens=tokens).metrics
    assert metrics["answer_entropy_mean"] == pytest.approx(answer)
    assert metrics.get("explanation_entropy_mean") == (None if explanation is None else pytest.approx(explanation))


def test_marking_keeps_to_the_sample_it_is_given() -> None:
    """A run folder's sample may lack facts; a letter can still be marked against a label."""
    bare = Sample(id="1", tags={"task": "vcr", "split": "val"}, truth={"answers": [], "label": 1, "explanations": []})
    metrics = PROTOCOLS["strict"].judge("B) because x", bare).metrics
    assert (metrics["accuracy"], metrics["letter_accuracy"], metrics["text_accuracy"]) == (1.0, 1.0, None)


def test_the_exam_objects() -> None:
    for task, exam in EXAMS.items():
        assert isinstance(exam, VqaNle)
        assert exam.name == task
        assert exam.tasks == (("answer", "rationale") if task == "vcr" else (task,))
        assert exam.splits == ("train", "val", "test")
        assert exam.max_tokens == 40
        assert list(exam.protocols) == [MULTIMODAL_VQA_EVAL, "strict", "nlxgpt", "e-vil"]
        assert {p.prompt for p in exam.protocols.values()} == {"zero"}
        soft = {"strict", "e-vil"} if task == "vqax" else set()
        assert {p.name for p in exam.protocols.values() if p.headline != "accuracy"} == soft
        with pytest.raises(SnellenError, match="is not on the hub"):
            hub_data_of(exam).find(None)


@pytest.mark.parametrize(
    ("reply", "truth", "outcome"),
    [
        ("-3 because it is cold", "3", Outcome.WRONG),
        ("\u22123 because it is cold", "-3", Outcome.CORRECT),
        ("3 because it is cold", "-3", Outcome.WRONG),
        ("12,5 because it says so", "125", Outcome.UNPARSABLE),
        ("1,250 because it says so", "1250", Outcome.CORRECT),
    ],
)
def test_strict_keeps_the_minus_and_reads_no_decimal_comma(reply: str, truth: str, outcome: Outcome) -> None:
    sample = rows_of(VQAX).sample({"id": 1, "answers": [truth] * 3})
    assert mark_reply(VQAX.protocols["strict"], sample, reply).outcome is outcome
