"""The four protocols of SalBench: read, mark and summarise. They share the prompt `question`, so they share answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from snellen.core.protocol import Verdict
from snellen.core.results import GroupSummary
from snellen.core.types import Mark, Metrics, Sample
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import read_lmms, read_robust, read_seed, truth_lmms, truth_seed

SAMPLE_METRICS = ("exact_match", "precision", "recall", "f1")
Labels = frozenset[str]


class Scores(NamedTuple):
    """Set metrics of one sample."""

    exact_match: float
    precision: float
    recall: float
    f1: float


def score_lmms(predicted: Labels, truth: Labels) -> Scores:
    """lmms-eval's formulas, with its 1e-8 in the denominators."""
    hit = len(predicted & truth)
    precision = hit / (len(predicted) + 1e-8)
    recall = hit / len(truth)
    return Scores(float(predicted == truth), precision, recall, 2 * precision * recall / (precision + recall + 1e-8))


def score_sets(predicted: Labels, truth: Labels) -> Scores:
    """Plain set metrics as the seed has them: both empty is right, one empty is zero."""
    if not predicted and not truth:
        return Scores(1.0, 1.0, 1.0, 1.0)
    hit = len(predicted & truth)
    if not hit:
        return Scores(0.0, 0.0, 0.0, 0.0)
    precision, recall = hit / len(predicted), hit / len(truth)
    return Scores(float(predicted == truth), precision, recall, 2 * precision * recall / (precision + recall))


class SalBenchProtocol:
    """One protocol. Instances differ in their reader, scorer, macro categories and headline only."""

    prompt = "question"

    def __init__(
        self,
        name: str,
        version: str,
        about: str,
        *,
        headline: str,
        read: Callable[[str, tuple[str, ...]], Labels],
        truth: Callable[[str, tuple[str, ...]], Labels],
        score: Callable[[Labels, Labels], Scores],
        macro_labels: Callable[[str], tuple[str, ...]] = labels_of,
        errors_in_categories: bool = True,
    ) -> None:
        self.name, self.version, self.about, self.headline = name, version, about, headline
        self.macro_labels, self.errors_in_categories = macro_labels, errors_in_categories
        self._read, self._truth, self._score = read, truth, score
        # replies repeat ("Color"), so most of them are read once
        self.judge_text = lru_cache(maxsize=65536)(self._judge_text)

    def true_labels(self, answer: str, split: str) -> Labels:
        """The true labels as this protocol reads them."""
        return self._truth(answer, labels_of(split))

    def judge(self, reply: str, sample: Sample) -> Verdict:
        return self.judge_text(reply, str(sample.truth), sample.tags["split"])

    def _judge_text(self, reply: str, answer: str, split: str) -> Verdict:
        labels = labels_of(split)
        predicted = self._read(reply, labels)
        scores = self._score(predicted, self._truth(answer, labels))
        return Verdict(
            reading=sorted(predicted),
            readable=any(label in predicted for label in labels),
            correct=scores.exact_match == 1.0,
            metrics=scores._asdict(),
        )

    def blank(self, sample: Sample) -> Metrics:
        return dict.fromkeys(SAMPLE_METRICS, 0.0)

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        from snellen.exams.salbench.summary import summarise

        return summarise(self, marked)


def _three(_split: str) -> tuple[str, ...]:
    return labels_of("P3")


PROTOCOLS = {
    p.name: p
    for p in (
        SalBenchProtocol(
            "paper",
            "1",
            "comma list read literally; macro F1 over all labels of the split (7 on O3)",
            headline="macro_f1",
            read=lambda reply, _labels: read_lmms(reply),
            truth=lambda answer, _labels: truth_lmms(answer),
            score=score_lmms,
        ),
        SalBenchProtocol(
            "lmms-eval",
            "1",
            "the paper's rules with lmms-eval's O3 bug: macro over orientation, color and size only",
            headline="macro_f1",
            read=lambda reply, _labels: read_lmms(reply),
            truth=lambda answer, _labels: truth_lmms(answer),
            score=score_lmms,
            macro_labels=_three,
        ),
        SalBenchProtocol(
            "seed",
            "1",
            "label as substring, one a part, label order fixed; mean of the samples' F1",
            headline="f1",
            read=read_seed,
            truth=truth_seed,
            score=score_sets,
            errors_in_categories=False,
        ),
        SalBenchProtocol(
            "robust",
            "1",
            "whole words, aliases, negation, markdown and verbose replies understood; macro F1 over all labels",
            headline="macro_f1",
            read=read_robust,
            truth=lambda answer, _labels: truth_lmms(answer),
            score=score_sets,
        ),
    )
}
