"""The ask stage beyond the originals' bytes: object tags, options, baselines, what is missing."""

from __future__ import annotations

import io

import msgspec
import pytest
from PIL import Image
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import Demo, probes_of, truths_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import protocol_for
from snellen.core.types import Outcome, Picture, Sample, Text
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX
from snellen.exams.vqa_nle.names import TASKS
from snellen.exams.vqa_nle.prompts import ask, probes, truths

EXAMS = (VQAX, ACTX, ESNLIVE, VCR)


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), (90, 120, 150)).save(out, "PNG")
    return out.getvalue()


def vcr(**facts: object) -> Sample:
    probe = probes("vcr")[0]
    return msgspec.structs.replace(probe, facts=probe.facts | facts, pictures=(Picture(data=png(), name="film.png"),))


@pytest.mark.parametrize("exam", EXAMS, ids=lambda e: e.name)
def test_every_prompt_renders_every_probe_without_truth_in_it(exam: object) -> None:
    for prompt in exam.prompts:  # type: ignore[attr-defined]
        for sample in probes_of(exam):  # type: ignore[attr-defined]
            question = exam.ask(prompt, sample)  # type: ignore[attr-defined]
            assert question.exam == exam.name  # type: ignore[attr-defined]
            assert question.prompt == prompt
            turns = {"1shot": 2, "3shot": 6}.get(prompt, 0) if exam.prompts[prompt].asked_about(sample) else 0  # type: ignore[attr-defined]
            assert len(question.history) == turns
            assert isinstance(question.parts[0], Text)
            assert not any(e in question.text for e in sample.truth["explanations"])
    assert len(exam.prompts) == (10 if exam is VCR else 6)  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["zero", "answer-only"])
def test_object_tags_in_three_forms(mode: str) -> None:
    sample = vcr()
    plain, named, boxed = (ask(f"{mode}{form}", sample) for form in ("", "-names", "-boxes"))
    assert "Why does <det0> look at <det1>?" in plain.text
    assert "Why does person0 look at ball1?" in named.text
    assert "A) person0 wants to catch ball1." in named.text
    assert "Why does [0] look at [1]?" in boxed.text
    assert "[n] is what the box with the number n shows.\nQuestion: " in boxed.text
    assert "det" not in named.text + boxed.text
    assert plain.pictures == named.pictures == sample.pictures
    assert boxed.pictures[0].data != sample.pictures[0].data
    assert boxed.pictures[0].transforms[-1] == "numbered boxes drawn: 0, 1"


def test_only_objects_that_are_spoken_of_get_a_box() -> None:
    sample = vcr(
        question="Why?",
        choices=["<det2> fell.", "b", "c", "d"],
        objects=["person"] * 3,
        boxes=[[0, 0, 9, 9], [1, 1, 8, 8], [20, 20, 40, 40]],
    )
    assert ask("zero-boxes", sample).pictures[0].transforms[-1] == "numbered boxes drawn: 2"


@pytest.mark.parametrize(
    ("prompt", "facts", "message"),
    [
        ("zero-names", {"objects": ["person"]}, "vcr/test/probe: <det1> names no object"),
        ("zero-boxes", {"boxes": []}, "vcr/test/probe: no boxes are known"),
        ("zero", {"choices": []}, "vcr/test/probe: the sample has no choices"),
        ("zero", {"question": ""}, "vcr/test/probe: the sample has no question"),
    ],
)
def test_what_a_prompt_needs_and_a_sample_lacks_is_said(prompt: str, facts: dict[str, object], message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        ask(prompt, vcr(**facts))


def test_choices_are_padded_and_cut_to_four() -> None:
    two = ask("answer-only", vcr(choices=["a", "b"])).text
    assert two.endswith("A) a\nB) b\nC) Option missing\nD) Option missing")
    assert ask("zero", vcr(choices=list("abcde"))).text.endswith("C) c\nD) d")


def test_texts_of_the_data_are_not_taken_for_templates() -> None:
    sample = Sample(id="1", tags={"task": "vqax"}, facts={"question": "What is {question} {0}?"})
    assert ask("zero", sample).text.endswith("Question: What is {question} {0}?")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("prompt", ["zero", "answer-only"])
def test_options_in_the_demanded_form_are_read_by_every_protocol(task: str, prompt: str) -> None:
    exam = next(e for e in EXAMS if e.name == task)
    for sample in truths(task):
        question = ask(prompt, sample)
        assert (question.answer_kind == "one-of") == bool(question.options)
        for protocol in (protocol_for(p, prompt) for p in exam.protocols.values()):  # type: ignore[attr-defined]
            marks = [mark_reply(protocol, sample, question.answer_form.format(o)) for o in question.options]
            right = [m for m in marks if m.outcome is Outcome.CORRECT]
            assert len(right) == bool(question.options), protocol.name
            assert all(m.outcome in (Outcome.CORRECT, Outcome.WRONG) for m in marks)


@pytest.mark.parametrize("exam", EXAMS, ids=lambda e: e.name)
def test_what_the_demo_says_is_read(exam: object) -> None:
    for spec in of(exam, Demo).subjects:  # type: ignore[attr-defined]
        text = spec.partition(":")[2]
        for protocol in exam.protocols.values() if text else ():  # type: ignore[attr-defined]
            marks = [mark_reply(protocol, s, text) for s in truths_of(exam)]  # type: ignore[attr-defined]
            assert all(m.outcome in (Outcome.CORRECT, Outcome.WRONG) for m in marks)
            assert all(m.metrics["valid_explanation"] == 1.0 for m in marks)
