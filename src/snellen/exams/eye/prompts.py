"""The prompts for sheets: the faculty's question, word for word the same at every level."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.core.prompt import Prompt, by_name
from snellen.core.types import Question, Sample, Text
from snellen.exams.eye.faculties import FACULTIES


def _ask(sample: Sample, _shots: Sequence[Sample]) -> Question:
    """Return the pictures, then the question."""
    faculty = FACULTIES[sample.tags["faculty"]]
    return Question(
        id=sample.id,
        exam="eye",
        prompt="question",
        parts=(*sample.pictures, Text(text=faculty.question)),
        answer_kind="one-of" if faculty.options else "text",
        options=faculty.options,
    )


PROMPTS = by_name(Prompt("question", "the faculty's question, with the form of the reply", _ask))


def probes() -> list[Sample]:
    """Return one sheet of each faculty, without its picture."""
    return [Sample(id=name, tags={"faculty": name, "sheet": "trial"}) for name in FACULTIES]
