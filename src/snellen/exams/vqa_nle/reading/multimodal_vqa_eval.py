"""The post-processing of multimodal-vqa-eval, step by step, including all its bugs.

These bugs are known and kept, because the protocol of that name means exactly this: a yes/no or number answer keeps the word "because" at
the head of its explanation; `A)` and `(A)` are not letters, but the article in "A man ..." is; "not entailment" is entailment; "nan" and
"inf" are numbers; "3.5" becomes "3 5" and "café" "caf"; the words answer, question and explanation vanish. `reading.strict` has them fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from snellen.exams.vqa_nle.names import MISSING, NO_DETAILS, UNKNOWN
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.vqa_official import commonest

_PREFIX = re.compile(r"^(?:assistant|response|answer|question):\s*", re.IGNORECASE)
_PREFIX_VCR = re.compile(r"^(?:assistant|response|answer):\s*", re.IGNORECASE)
_BECAUSE = re.compile(r"\bbecause\b", re.IGNORECASE)
_VANISHING = frozenset({"answer", "question", "explanation"})
_ARTICLES = frozenset({"a", "an", "the"})
_LETTERS = "abcd"
_TAIL = ".,;:!?"
LONG_ENOUGH = 20  # characters beyond which a part of a choice counts as the choice
ANSWER_WORDS = {"vqax": 2, "actx": 3}  # words kept of an answer without explanation


_NOTHING = VqaReading(UNKNOWN, MISSING)


def normalize_generated_text(text: str | None) -> str:
    """Lower-case a text, keep ASCII letters and digits, and remove a leading `answer:` or similar and three words."""
    bare = _PREFIX.sub("", (text or "").strip()).lower()
    words = re.sub(r"[^a-z0-9\s]+", " ", bare).split()
    return " ".join(w for w in words if w not in _VANISHING)


def normalize_answer(answer: str | None) -> str:
    """Return the form used to compare answers and to count votes.

    >>> normalize_answer("The t-shirt!")
    't shirt'
    """
    words = re.sub(r"[^a-z0-9\s]", " ", (answer or "").lower()).split()
    return " ".join(w for w in words if w not in _ARTICLES)


def is_yes_no_or_number(word: str) -> bool:
    """Return whether a VQA-X answer ends with this word. Anything that Python's float accepts is a number."""
    bare = word.strip().rstrip(_TAIL).lower()
    if bare in ("yes", "no"):
        return True
    try:
        float(bare)
    except ValueError:
        return bare.isdigit()
    return True


def force_label_space(text: str | None) -> str:
    """Return an e-SNLI-VE label by substring, in this order, regardless of the text before it."""
    lowered = (text or "").lower()
    found = (("entail", "entailment"), ("contradict", "contradiction"), ("neutral", "neutral"))
    return next((label for part, label in found if part in lowered), UNKNOWN)


def _choice_form(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip().lower().rstrip(_TAIL).strip())


def parse_vcr_letter(text: str | None, choices: Sequence[str] | None = None) -> str | None:
    """Return a letter if it is the first word. Otherwise return the first choice that the text begins with, contains or begins."""
    bare = _PREFIX_VCR.sub("", (text or "").strip()).replace("\n", " ").strip()
    words = bare.split()
    first = words[0].lower().strip(":.") if words else ""
    if len(first) == 1 and first in _LETTERS:
        return first
    said = _choice_form(_BECAUSE.split(bare)[0])
    for letter, choice in zip(_LETTERS, choices or (), strict=False):
        if not choice:
            continue
        true = _choice_form(choice)
        inside = true in said and len(true) > LONG_ENOUGH
        if said.startswith(true) or inside or (true.startswith(said) and len(said) > LONG_ENOUGH):
            return letter
    return None


def _split(task: str, normal: str) -> tuple[str, str]:
    words = normal.split()
    by_word = words[0], " ".join(words[1:])
    if task == "vqax" and is_yes_no_or_number(words[0]):
        return by_word
    if " because " in f" {normal} ":
        # the substring, so "becausex because y" breaks in its first word
        answer, _, explanation = normal.partition("because")
        return answer.strip(), explanation.strip()
    return by_word


def postprocess_prediction(raw: str | None, task: str, choices: Sequence[str] | None = None) -> VqaReading:
    """Return the answer and the explanation of a reply that should have both."""
    if not raw:
        return _NOTHING
    text = raw.strip()
    if task == "esnlive" and "because" not in text.lower():
        text = text.replace(",", " because ", 1)
    normal = normalize_generated_text(text)
    if not normal:
        return _NOTHING
    answer, explanation = _split(task, normal)
    if task == "vcr":
        letter = parse_vcr_letter(raw, choices)
        at = _LETTERS.index(letter) if letter else None
        chosen = choices[at].lower() if choices and at is not None and at < len(choices) else UNKNOWN
        return VqaReading(chosen, explanation or NO_DETAILS, at)
    if task == "esnlive":
        return VqaReading(force_label_space(answer), explanation or MISSING)
    return VqaReading(answer or UNKNOWN, explanation or MISSING)


def clean_text(text: str | None) -> str:
    """Return a reply without a leading `answer:` or similar, on one line."""
    return _PREFIX.sub("", (text or "").strip()).replace("\n", " ").strip()


def postprocess_answer_only(raw: str | None, task: str, choices: Sequence[str] | None = None) -> str:
    """Return the answer of a reply that should have only an answer."""
    found = clean_text(raw).split()
    if not found:
        return ""
    if task == "vcr":
        return parse_vcr_letter(raw, choices) or ""
    if task == "esnlive":
        return force_label_space(found[0])
    if task == "vqax" and is_yes_no_or_number(found[0]):
        return found[0]
    return " ".join(found[: ANSWER_WORDS[task]])


def majority_answer(answers: Iterable[Any] | None) -> str | None:
    """Return the most common normalised answer, the first in a tie. Takes records with an `answer` as well as plain texts."""
    given = answers or ()
    texts = (a["answer"] if isinstance(a, Mapping) else a for a in given if isinstance(a, str) or "answer" in a)
    return commonest(map(normalize_answer, texts))


def is_valid(full_text: str) -> bool:
    """Return whether a stored prediction has an explanation that is not a placeholder. "yes because because" counts as having one."""
    _answer, because, explanation = full_text.strip().lower().partition(" because ")
    return bool(because) and explanation.strip() not in ("", MISSING, NO_DETAILS)


def accuracy(correct: Iterable[float | None]) -> float | None:
    """Return the mean of the marked values; None if there are none."""
    marked = [c for c in correct if c is not None]
    return sum(marked) / len(marked) if marked else None
