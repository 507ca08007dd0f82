"""`strict` and `e-vil` read fenced JSON, boxes, dashes and tags, and never a guess in unfinished thinking."""

from __future__ import annotations

import pytest
from tests.support.readers import figures
from tests.support.readers.vqa_nle import READERS

from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.vqa_nle.protocols import protocols_of
from snellen.exams.vqa_nle.reading.closed import read_choice, read_label
from snellen.exams.vqa_nle.reading.strict import read_open

PROTOCOLS = protocols_of("")  # of no exam in particular

WHY = "it stands on the left"
CHOICES = ["He is sad because it rains.", "A man is angry.", "She is waiting for the bus.", "They are about to leave."]
# every row of the finding's table, with an answer of each exam in it
FORMS = [
    '```json\n{"answer": "X", "explanation": "E!"}\n```',
    '{"result": {"answer": "X", "explanation": "E!"}}',
    "\\boxed{X} because E!",
    "X since E!",
    "X, as E!",
    "X \u2014 because E!",
    "X \u2013 because E!",
    "X\u2014E!",
    "<answer>X</answer> because E!",
    "<answer>X</answer> <explanation>E!</explanation>",
    "the answer: X because E!",
    "I think it is X because E!",
    "X. E!.",
    "| Answer | Explanation |\n|---|---|\n| X | E! |",
    "<think>hm</think>\n\nX because E!",
    "**Answer:** X\n**Explanation:** E!",
]


def filled(form: str, answer: str) -> str:
    return form.replace("X", answer).replace("E!", WHY)


@pytest.mark.parametrize("form", FORMS)
def test_answer_and_explanation_come_through_every_form(form: str) -> None:
    for answer in ("red", "yes", "2"):
        found = read_open(filled(form, answer), short=True)
        assert (found.answer, (found.explanation or "").rstrip(".")) == (answer, WHY)
    found = read_open(filled(form, "Bicycling"), short=False)
    assert (found.answer, (found.explanation or "").rstrip(".")) == ("bicycling", WHY)
    found = read_label(filled(form, "Contradiction"))
    assert (found.answer, (found.explanation or "").rstrip(".")) == ("contradiction", WHY)
    found = read_choice(filled(form, "B"), CHOICES)
    assert (found.choice, (found.explanation or "").rstrip(".")) == (1, WHY)


def sample(task: str, answer: str) -> Sample:
    truth: dict[str, object] = {"answers": [answer] * (10 if task == "vqax" else 1), "explanations": [WHY]}
    if task == "vcr":
        truth |= {"answers": [CHOICES[1]], "label": 1}
    return Sample(id="x", tags={"task": task}, truth=truth, facts={"choices": CHOICES} if task == "vcr" else {})


@pytest.mark.parametrize("protocol", ["strict", "e-vil"])
@pytest.mark.parametrize(
    ("task", "answer"), [("vqax", "red"), ("actx", "bicycling"), ("esnlive", "entailment"), ("vcr", "B")]
)
@pytest.mark.parametrize(
    "form",
    [
        *("<think>It could be X", "<thinking>X because E!. Answer: X", "<|channel|>analysis<|message|>X because E!"),
        *("It is X. No, wait, that is wrong.", "It is not X.", "I cannot tell if it is X or Y."),
    ],
)
def test_what_was_not_said_is_neither_wrong_nor_correct(protocol: str, task: str, answer: str, form: str) -> None:
    other = {"vqax": "blue", "actx": "golf", "esnlive": "neutral", "vcr": "C"}[task]
    mark = mark_reply(PROTOCOLS[protocol], sample(task, answer), filled(form, answer).replace("Y", other))
    assert mark.outcome in (Outcome.UNPARSABLE, Outcome.REFUSED)  # "I cannot" begins a refusal
    assert mark.metrics["accuracy"] == 0.0


@pytest.mark.parametrize("reader", READERS, ids=[r.name for r in READERS])
def test_hardly_any_generated_reply_is_misread(reader: object) -> None:
    found = figures(reader, 1500, seed=1)  # type: ignore[arg-type]
    assert found.misread <= 0.01 * found.answers
    assert found.unparsable <= 0.05 * found.answers
    assert found.invented == 0


def test_their_versions_were_raised() -> None:
    assert {int(PROTOCOLS[name].version) >= 3 for name in ("strict", "e-vil")} == {True}
