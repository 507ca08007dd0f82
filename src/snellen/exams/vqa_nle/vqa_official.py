"""The official VQA soft accuracy, and the majority answer. The normalisation of answers is in `stats/vqa_words.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from snellen.stats.vqa_words import normalise

__all__ = ["answer_type", "as_written", "commonest", "majority", "normalise", "soft_accuracy"]


def majority(answers: Sequence[str]) -> str | None:
    """Return the most common normalised answer, the first in a tie; None if there are no answers."""
    return commonest(map(normalise, answers))


def commonest(answers: Iterable[str]) -> str | None:
    """Return the most common answer, the first in a tie; None if there are none."""
    counts = Counter(answers)
    return max(counts, key=counts.__getitem__) if counts else None


def answer_type(answer: str) -> str:
    """Return the answer type of a VQA question, based on its majority answer.

    >>> [answer_type(a) for a in ("yes", "2", "two", "red")]
    ['yes/no', 'number', 'number', 'other']
    """
    said = normalise(answer)
    if said in ("yes", "no"):
        return "yes/no"
    return "number" if said.replace(".", "", 1).isdecimal() else "other"


def as_written(answers: Sequence[str]) -> str:
    """Return the majority answer as its first annotator wrote it; empty if there are no answers.

    >>> as_written(["blue", "Red", "red"])
    'Red'
    """
    best = majority(answers)
    return next((a.strip() for a in answers if normalise(a) == best), "")


def soft_accuracy(answer: str, answers: Sequence[str], *, always: bool = False) -> float | None:
    """Return the mean over the annotators of min(1, number of the others who gave this answer / 3); None if there are no annotators.

    The official tool does not normalise if all annotators wrote the same, so "Yes." against ten times "yes" is 0; `always` normalises in
    that case too.

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
