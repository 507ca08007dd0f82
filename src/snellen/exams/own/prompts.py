"""The prompts for a user's own questions: the question as written, with lettered options and a sentence on how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from snellen.choice import prompts
from snellen.choice.letters import lettered
from snellen.core.prompt import Prompt, by_name
from snellen.core.types import AnswerKind, Question, Sample

HOW = {
    "choice": prompts.ONE,
    "labels": prompts.SEVERAL,
    "number": "Answer with a number only.",
    "text": "Answer with a word or a short phrase only.",
}
"""The last sentence of the prompt `question`, word for word."""
_ANSWER_KINDS: dict[str, AnswerKind] = {"choice": "one-of", "labels": "any-of"}


def _wording(sample: Sample, how: bool = True) -> str:
    """Return the text of a question. The user's own wording (prompt.txt) replaces ours."""
    question, options = str(sample.facts["question"]), sample.facts.get("options", ())
    template = sample.facts.get("template", "")
    if template and how:
        before, _, after = template.partition("{question}")
        shown = [part.replace("{options}", lettered(options)) for part in (before, after)]
        return question.join(shown)  # placeholders in the question itself are never filled in
    return prompts.wording(question, options, HOW[sample.tags["task"]] if how else "")


def _ask(name: str, sample: Sample, _shots: Sequence[Sample] = ()) -> Question:
    """Return the question: pictures first, then the text."""
    kind = _ANSWER_KINDS.get(sample.tags["task"], "text")
    return prompts.asked(sample, name, _wording(sample, how=name == "question"), kind)


PROMPTS = by_name(
    Prompt(
        "question",
        "the question, lettered options, and how to answer; or the wording of prompt.txt",
        partial(_ask, "question"),
    ),
    Prompt("bare", "the question and lettered options, and no word on how to answer", partial(_ask, "bare")),
)

_CHOICE = {"question": "What is on the table?", "options": ["a cup", "a plate", "a book", "a lamp"]}
_PROBES: dict[str, tuple[dict[str, Any], Any]] = {
    "choice": (_CHOICE, "a plate"),
    "labels": (_CHOICE, ["a cup", "a book"]),
    "number": ({"question": "How many cups are on the table?"}, 3),
    "text": ({"question": "What colour is the cup?"}, ["red", "dark red"]),
}


def probes() -> list[Sample]:
    """Return one sample of each kind, without pictures."""
    return [_probe(kind, f"probe-{kind}", truth) for kind, (_facts, truth) in _PROBES.items()]


def truths() -> list[Sample]:
    """Return the probes; for choices, one with each option as the truth."""
    choices = [_probe("choice", f"probe-choice-{i}", option) for i, option in enumerate(_CHOICE["options"])]
    return choices + [sample for sample in probes() if sample.tags["task"] != "choice"]


def _probe(kind: str, name: str, truth: Any) -> Sample:
    return Sample(id=name, tags={"task": kind}, truth=truth, facts=_PROBES[kind][0])
