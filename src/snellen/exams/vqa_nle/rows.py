"""Rows of `snellen mark`: a reply, with the truth under the names that the published files use. A row without truth is only read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.vqa_nle.formats import records
from snellen.exams.vqa_nle.formats.files import BadRow
from snellen.exams.vqa_nle.formats.records import first
from snellen.exams.vqa_nle.formats.tags import canonical
from snellen.exams.vqa_nle.names import LETTERS, PARTS, RATIONALE, TASKS, tags_of

CHOICES = ("choices", "answer_choices")
CLASS_IDS = ("contradiction", "neutral", "entailment")  # e-ViL's numbers for the labels


def sample_from_row(task: str, row: Mapping[str, Any]) -> Sample:
    """Return a light sample; raise a SnellenError that names the field if the truth is not valid.

    A row of VCR whose `task` is `rationale` is QA->R, and its choices are the `rationale_choices`.
    """
    rationale = task == "vcr" and PARTS.get(str(row.get("task")).lower()) == (RATIONALE,)
    if rationale:
        row = {**row, "choices": row.get("rationale_choices"), "label": row.get("rationale_label")}
    try:
        facts = _facts(task, row)
        truth = _vcr_truth(row, facts["choices"]) if task == "vcr" else _truth(task, row)
    except BadRow as error:
        raise SnellenError(f"{error}") from None
    split = row["split"] if isinstance(row.get("split"), str) else "rows"
    tags = tags_of(task, split, truth["answers"] if truth else ())
    if rationale:
        tags["task"], truth = RATIONALE, truth and truth | {"explanations": []}
    return Sample(id=str(row["id"]), tags=tags, truth=truth, facts=facts)


def _facts(task: str, row: Mapping[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {"key": str(row["id"])}
    question = first(row, ("question", "sent", "hypothesis"))
    if isinstance(question, str):
        facts["hypothesis" if task == "esnlive" else "question"] = canonical(question)
    if task != "vcr":
        return facts
    given = first(row, CHOICES)
    if given is None and isinstance(row.get("answers"), list):
        given = row["answers"]  # as in multimodal-vqa-eval
    facts["objects"] = list(records.texts(row.get("objects"), "object")) if isinstance(row.get("objects"), list) else []
    facts["choices"] = _choices(given, len(facts["objects"]))
    return facts


def _choices(given: Any, objects: int) -> list[str]:
    """Return the choices, given as texts or as the official lists of tokens and object numbers."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise BadRow('field "choices" must be a list of four texts')
    tokens = objects if all(isinstance(c, list) for c in given) else None
    found = list(records.texts(given, 'field "choices"', tokens))
    if len(found) > len(LETTERS):
        raise BadRow(f'field "choices" has {len(found)} texts; there are {len(LETTERS)} letters')
    return found


def _truth(task: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    given = first(row, TASKS[task].row_answers)
    if task == "esnlive":
        one = given[0] if isinstance(given, list) else given
        if isinstance(one, int) and not isinstance(one, bool) and 0 <= one < len(CLASS_IDS):
            one = CLASS_IDS[one]
        answers = list(records.entailment_of(one))
    else:
        answers = list(records.texts(given, "answer"))
    explanations = list(records.texts(first(row, records.EXPLANATION_FIELDS), "explanation"))
    return {"answers": answers, "explanations": explanations} if answers or explanations else None


def _vcr_truth(row: Mapping[str, Any], choices: list[str]) -> dict[str, Any] | None:
    """Return the right choice, given by its number from 0, its letter or its text. Refuse a number as a text, which could count from 0 or
    from 1.

    A list under "answers" is the list of choices, as in multimodal-vqa-eval.
    """
    names = ("answer", "gt_answer") if isinstance(row.get("answers"), list) else ("answer", "gt_answer", "answers")
    said = first(row, names)
    if said is not None and not isinstance(said, str):
        raise BadRow('field "answer" must be a letter or the text of a choice')
    text = canonical(said or "").strip()
    label = given = first(row, ("label", "answer_label", "gt_label"))
    letter = (text if given is None else str(given)).strip().upper()
    if letter in LETTERS:
        label = LETTERS.index(letter)
    elif given is None and text in choices:
        label = choices.index(text)
    elif given is None and text and choices:
        raise BadRow(f'field "answer" {said!r} is neither a letter nor one of the choices')
    label = records.label_of(label, len(choices) or len(LETTERS))
    explanations = list(records.texts(first(row, records.EXPLANATION_FIELDS), "explanation"))
    if label is None and not text and not explanations:
        return None
    known = choices[label : label + 1] if label is not None else []
    answers = known or ([text] if text else [])
    return {"answers": answers, "explanations": explanations} | ({} if label is None else {"label": label})
