"""The prompt of an exam that a log's replies answer: the one with the log's wording, if there is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.types import Question, Sample, Text
from snellen.engine.plan.plan import bare
from snellen.importers.log import LogRow

Wording = Literal["same", "other", "unknown"]
"""The relation of a log's questions to a prompt's wording. Unknown if the log does not contain them."""
_IMAGE_MARK = re.compile(r"<image(?: \d+)?>|<\|image\|>")


class MatchedPrompt(NamedTuple):
    """The prompt that the replies are kept under, and whether its wording is the log's."""

    prompt: str
    wording: Wording


def asked_as(exam: Exam, pairs: Sequence[tuple[LogRow, Sample]], wanted: str | None = None) -> MatchedPrompt:
    """Return the named prompt, else the one that matches the wording of most questions, else the exam's first."""
    names = [exam.prompt(wanted).name] if wanted else list(exam.prompts)
    asked = [(_plain(row.asked), sample) for row, sample in pairs if row.asked]
    if not asked:
        return MatchedPrompt(wanted or _default(exam, pairs), "unknown")
    counts = {name: sum(_words(exam, name, sample) == text for text, sample in asked) for name in names}
    best = max(names, key=lambda name: counts[name])
    if counts[best] == len(pairs):
        return MatchedPrompt(best, "same")
    return MatchedPrompt(wanted or (best if counts[best] else _default(exam, pairs)), "other")


def _default(exam: Exam, pairs: Sequence[tuple[LogRow, Sample]]) -> str:
    """Return the first prompt of a protocol that applies to these samples."""
    own = (protocol.prompt for protocol in exam.protocols.values())
    fits = (name for name in own if all(exam.prompts[name].asked_about(s) for _row, s in pairs))
    return next(fits, next(iter(exam.prompts)))


def _words(exam: Exam, prompt: str, sample: Sample) -> str | None:
    """Return the whole text of a question, or None if it cannot be made for the sample without its image."""
    try:
        if not exam.prompts[prompt].asked_about(sample):
            return None
        return _plain("\n".join(_texts(exam.ask(prompt, bare(sample)))))
    except (SnellenError, KeyError):
        return None


def _texts(question: Question) -> list[str]:
    turns = [part for turn in question.history for part in turn.parts]
    return [question.system or "", *(p.text for p in (*turns, *question.parts) if isinstance(p, Text))]


def _plain(text: str) -> str:
    return " ".join(_IMAGE_MARK.sub(" ", text).split())
