"""Ask a question with lettered options: pictures first, then the question, the options, and how to answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from snellen.choice.letters import LETTERS, lettered
from snellen.core.prompt import Prompt, by_name
from snellen.core.types import AnswerKind, Question, Sample, Text

ONE = "Answer with the letter of the right option only."
SEVERAL = "Several options may be right. Answer with the letters of all right options only, separated by commas."


def wording(question: str, options: Sequence[str], how: str) -> str:
    """Return the text of a question: itself, lettered options, and how to answer; empty parts are left out."""
    return "\n".join(line for line in (question, lettered(options), how) if line)


def asked(sample: Sample, prompt: str, text: str, kind: AnswerKind = "one-of") -> Question:
    """Return a question with this text behind the sample's pictures, whose options are answered by letter."""
    return Question(
        id=sample.id,
        exam="",
        prompt=prompt,
        parts=(*sample.pictures, Text(text=text)),
        answer_kind=kind,
        options=LETTERS[: len(sample.facts.get("options", ()))],
    )


def _ask(prompt: str, how: str, sample: Sample, _shots: Sequence[Sample] = ()) -> Question:
    """Ask about the facts `question` and `options` of a sample."""
    return asked(sample, prompt, wording(str(sample.facts["question"]), sample.facts["options"], how))


PROMPTS = by_name(
    Prompt("question", "the question, lettered options, and how to answer", partial(_ask, "question", ONE)),
    Prompt("bare", "the question and lettered options, and no word on how to answer", partial(_ask, "bare", "")),
)
