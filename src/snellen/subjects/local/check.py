"""Check whether batching changes answers: ask the same questions alone and in batches, and compare."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from snellen.core.types import Answer, Question
from snellen.subjects.local.subject import LocalSubject

USUAL = 8


class _BatchingCheck(NamedTuple):
    """The number of questions that got another answer in a batch. `entropy_gap` is the largest difference among the equal answers."""

    asked: int
    failed: int
    batch: int
    different: tuple[str, ...]
    entropy_gap: float

    @property
    def rate(self) -> float:
        """The share of different answers among the questions that were answered both times."""
        return len(self.different) / max(1, self.asked - self.failed)

    def __str__(self) -> str:
        answered = self.asked - self.failed
        return (
            f"batching: {len(self.different)} of {answered} answers differ alone and in batches of {self.batch} "
            f"({self.rate:.1%}); entropies of the others differ by {self.entropy_gap:.1g} nats at most"
            + (f"; {self.failed} could not be answered" if self.failed else "")
        )


def check_batching(subject: LocalSubject, questions: Iterable[Question], k: int) -> _BatchingCheck:
    """Answer the first `k` questions alone and in batches (of the subject's own size if that is fixed). The model stays loaded."""
    chosen = list(islice(questions, k))
    size = subject.batch or USUAL
    alone = subject.answer_all(chosen, 1)
    together = subject.answer_all(chosen, size)
    pairs = [(a, b) for a, b in zip(alone, together, strict=True) if a.failure is None and b.failure is None]
    different = tuple(a.id for a, b in pairs if a.text != b.text)
    gaps = [_gap(a, b) for a, b in pairs if a.text == b.text]
    return _BatchingCheck(len(chosen), len(chosen) - len(pairs), size, different, max(gaps, default=0.0))


def _gap(one: Answer, other: Answer) -> float:
    pairs = zip(one.tokens, other.tokens, strict=False)
    return max((abs((a.entropy or 0.0) - (b.entropy or 0.0)) for a, b in pairs), default=0.0)
