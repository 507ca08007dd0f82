"""The official VQA soft accuracy, and the majority answer. How answers are normalised is in `stats/vqa_words.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from snellen.stats.vqa_words import normalise

__all__ = ["answer_type", "as_written", "commonest", "majority", "normalise", "soft_accuracy"]


def majority(answers: Sequence[str]) -> str | None:
    """Return the commonest normalised answer, the first of equals; None where there are no answers."""
    return commonest(map(normalise, answers))


def commonest(answers: Iterable[str]) -> str | None:
    """Return the commonest of some answers, the first of equals; None where there are none."""
    counts = Counter(answers)
    return max(counts, key=counts.__getitem__) if counts else None


def answer_type(answer: str) -> str:
    """Return what kind of answer a VQA question wants, told from its majority answer.

    >>> [answer_type(a) for a in ("yes", "2", "two", "red")]
    ['yes/no', 'number', 'number', 'other']
    """
    said = normalise(answer)
    if said in ("yes", "no"):
        return "yes/no"
    return "number" if said.replace(".", "", 1).isdecimal() else "other"


def as_written(answers: Sequence[str]) -> str:
    """Return the majority answer as the first who gave it wrote it; empty where there are no answers.

    >>> as_written(["blue", "Red", "red"])
    'Red'
    """
    best = majority(answers)
    return next((a.strip() for a in answers if normalise(a) == best), "")


def soft_accuracy(answer: str, answers: Sequence[str], *, always: bool = False) -> float | None:
    """Mean over the annotators of min(1, how many of the others said this / 3); None where there are no annotators.

    The official tool normalises nothing where all annotators wrote the same, so "Yes." against ten times "yes" is 0;
    `always` normalises there too.

    >>> soft_accuracy("Yes.", ["yes"] * 10), soft_accuracy("Yes.", ["yes"] * 10, always=True)
    (0.0, 1.0)
    """
    if not answers:
        return None
    said, *true = (re.sub(r"[\n\t]", " ", text).strip() for text in (answer, *answers))
    if always or len(set(true)) > 1:
        said, true = normalise(said), [normalise(a) for a in true]
    same = sum(a == said for a in true)
    left_out = [min(1.0, (same - (a == said)) / 3) for a in true]
    return sum(left_out) / len(left_out)
