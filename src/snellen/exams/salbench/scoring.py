"""The scores of one sample, and each protocol's rules for getting from a reply to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from snellen.core.protocol import Verdict
from snellen.exams.salbench.names import labels_of

Labels = frozenset[str]
Reader = Callable[[str, tuple[str, ...]], Labels]


class _Scores(NamedTuple):
    """Set metrics of one sample."""

    exact_match: float
    precision: float
    recall: float
    f1: float


def score_lmms(predicted: Labels, truth: Labels) -> _Scores:
    """Score by lmms-eval's formulas, with its 1e-8 in the denominators."""
    hit = len(predicted & truth)
    precision = hit / (len(predicted) + 1e-8)
    recall = hit / len(truth)
    return _Scores(float(predicted == truth), precision, recall, 2 * precision * recall / (precision + recall + 1e-8))


def score_sets(predicted: Labels, truth: Labels) -> _Scores:
    """Score by plain set metrics as in the Plan v2 implementation: both empty is right, one empty is zero."""
    if not predicted and not truth:
        return _Scores(1.0, 1.0, 1.0, 1.0)
    hit = len(predicted & truth)
    if not hit:
        return _Scores(0.0, 0.0, 0.0, 0.0)
    precision, recall = hit / len(predicted), hit / len(truth)
    return _Scores(float(predicted == truth), precision, recall, 2 * precision * recall / (precision + recall))


class LabelRules:
    """The rules for reading and scoring replies and truths, and the labels. Replies repeat ("Color"), so most are judged once."""

    def __init__(
        self,
        read: Reader,
        truth: Reader,
        score: Callable[[Labels, Labels], _Scores],
        *,
        is_bare: Callable[[str], bool] | None = None,
        macro_labels: Callable[[str], tuple[str, ...]] = labels_of,
        all_labels: bool = False,
        errors_in_categories: bool = True,
    ) -> None:
        """Take the functions of a protocol.

        `is_bare` tells whether a text is only labels, for rules that look whether a reply was truncated. With `all_labels`, macro scores
        count a label that no truth has, as 0. With `errors_in_categories`, samples without an answer count as labels that were not found.
        """
        self.is_bare, self.macro_labels = is_bare, macro_labels
        self.all_labels, self.errors_in_categories = all_labels, errors_in_categories
        self._read, self._truth, self._score = read, truth, score
        self.true = lru_cache(maxsize=4096)(self._true)
        self.judge = lru_cache(maxsize=16384)(self._judge)

    def _true(self, answer: str, split: str) -> Labels:
        return self._truth(answer, labels_of(split))

    def _judge(self, reply: str, answer: str, split: str) -> Verdict:
        predicted = self._read(reply, labels_of(split))
        scores = self._score(predicted, self.true(answer, split))
        return Verdict(
            reading=sorted(predicted),
            readable=not predicted.isdisjoint(labels_of(split)),
            correct=scores.exact_match == 1.0,
            metrics=scores._asdict(),
        )
