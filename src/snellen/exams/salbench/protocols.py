"""The four protocols of SalBench: read, mark, and what their metrics are. They share the prompt `question`, so they share answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, cast

from snellen.core.protocol import (
    TEXT_ALONE,
    Group,
    Key,
    MetricRoles,
    OtherScores,
    Protocol,
    ReplyContext,
    Seen,
    Verdict,
)
from snellen.core.reply import finished
from snellen.core.results import Floor, Metric, Score
from snellen.core.types import Mark, Sample
from snellen.data.declared import declared
from snellen.exams.salbench import summary
from snellen.exams.salbench.names import BY_NAME, labels_of
from snellen.exams.salbench.reading import is_bare, read_lmms, read_plan_v2, read_robust, truth_lmms, truth_plan_v2

METRICS = declared("snellen.exams.salbench", "metrics.toml", dict[str, tuple[Metric, ...]])["metrics"]
# a macro score means little within one category
ROLES = MetricRoles("exact_match", breakdown="f1", reported=("macro_f1", "f1", "exact_match", "precision", "recall"))
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
    """Plain set metrics as the Plan v2 implementation has them: both empty is right, one empty is zero."""
    if not predicted and not truth:
        return Scores(1.0, 1.0, 1.0, 1.0)
    hit = len(predicted & truth)
    if not hit:
        return Scores(0.0, 0.0, 0.0, 0.0)
    precision, recall = hit / len(predicted), hit / len(truth)
    return Scores(float(predicted == truth), precision, recall, 2 * precision * recall / (precision + recall))


class LabelRules:
    """How a reply is read and scored. Replies repeat ("Color"), so most of them are judged once, whatever protocols share the rules."""

    def __init__(
        self,
        read: Callable[[str, tuple[str, ...]], Labels],
        truth: Callable[[str, tuple[str, ...]], Labels],
        score: Callable[[Labels, Labels], Scores],
        is_bare: Callable[[str], bool] | None = None,
    ) -> None:
        """`is_bare` is of rules that look whether a reply was cut off: it tells whether a text is labels and nothing else."""
        self.is_bare = is_bare
        self._read, self._score = read, score
        self.truth = lru_cache(maxsize=4096)(truth)
        self.judge = lru_cache(maxsize=16384)(self._judge)

    def _judge(self, reply: str, answer: str, split: str) -> Verdict:
        labels = labels_of(split)
        predicted = self._read(reply, labels)
        scores = self._score(predicted, self.truth(answer, labels))
        return Verdict(
            reading=sorted(predicted),
            readable=not predicted.isdisjoint(labels),
            correct=scores.exact_match == 1.0,
            metrics=scores._asdict(),
        )


class SalBenchProtocol(Protocol):
    """One protocol. Instances differ in their rules, macro categories and headline only."""

    needs = ("records",)
    metrics = METRICS

    def __init__(
        self,
        name: str,
        about: str,
        *,
        version: str = "1",
        headline: str,
        rules: LabelRules,
        macro_labels: Callable[[str], tuple[str, ...]] = labels_of,
        all_labels: bool = False,
        errors_in_categories: bool = True,
    ) -> None:
        """`all_labels` says that macro scores count a label that no truth has, as 0; else they are over the labels that occur."""
        super().__init__(name, about, version=version)
        self.headline = headline
        self.extras = (ROLES, OtherScores(self._other_scores))
        self._rules = rules
        self._macro_labels, self._all_labels, self._errors_in_categories = (
            macro_labels,
            all_labels,
            errors_in_categories,
        )
        self._grouped = lru_cache(maxsize=4096)(self._groups_of)

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        if context.cut and self._rules.is_bare is not None:
            reply = finished(reply, self._rules.is_bare, closed=True)
        return self._rules.judge(reply, str(sample.truth), sample.tags["split"])

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """What a literal reader finds beside the vocabulary counts in the sample's scores, not in the categories."""
        said = summary.said(str(sample.truth), sample.tags["split"], tuple(mark.reading or ()))
        return Seen(cast(dict[str, float], mark.metrics), mark.outcome, "", said)

    def groups(self, sample: Sample) -> tuple[Key, ...]:
        tags = sample.tags
        return self._grouped(tags["config"], tags["split"], tags.get("difficulty", ""), str(sample.truth))

    def _groups_of(self, config: str, split: str, difficulty: str, answer: str) -> tuple[Key, ...]:
        return summary.groups(config, difficulty, self._rules.truth(answer, labels_of(split)), labels_of(split))

    def order(self, key: Key) -> tuple[int, int, int, str]:
        return summary.order(key)

    def floors(self, group: Group) -> dict[str, Floor]:
        split = BY_NAME[group.by["config"]].split
        macro, true = self._macro_labels(split), self._true_labels(split)
        return summary.floors(
            group,
            macro,
            true,
            lambda reply, answer: self._rules.judge(reply, answer, split),
            all_labels=self._all_labels,
        )

    def own_scores(self, group: Group) -> dict[str, Score]:
        split = BY_NAME[group.by["config"]].split
        macro, errors = self._macro_labels(split), self._errors_in_categories
        true, every = self._true_labels(split), self._all_labels
        return summary.label_scores(group, macro, true, with_errors=errors, all_labels=every)

    def _other_scores(self, group: Group) -> dict[str, float]:
        split = BY_NAME[group.by["config"]].split
        return summary.other_scores(group, self._macro_labels(split), self._true_labels(split))

    def _true_labels(self, split: str) -> Callable[[str], Labels]:
        labels = labels_of(split)
        return lambda answer: self._rules.truth(answer, labels)


LMMS = LabelRules(lambda reply, _labels: read_lmms(reply), lambda answer, _labels: truth_lmms(answer), score_lmms)
PROTOCOLS = {
    p.name: p
    for p in (
        SalBenchProtocol(
            "paper",
            "comma list read literally; macro F1 over the labels of the split that occur (7 on the whole of O3)",
            version="2",
            headline="macro_f1",
            rules=LMMS,
        ),
        SalBenchProtocol(
            "lmms-eval",
            "the paper's rules with lmms-eval's O3 bug: macro over orientation, color and size only",
            headline="macro_f1",
            rules=LMMS,
            macro_labels=lambda _split: labels_of("P3"),
            all_labels=True,
        ),
        SalBenchProtocol(
            "plan-v2",
            "label as substring, one a part, label order fixed; mean of the samples' F1",
            headline="f1",
            rules=LabelRules(read_plan_v2, truth_plan_v2, score_sets),
            all_labels=True,
            errors_in_categories=False,
        ),
        SalBenchProtocol(
            "robust",
            "words, aliases, negation, corrections, yes or no understood in replies of any form; macro F1 over the labels that occur",
            version="3",
            headline="macro_f1",
            rules=LabelRules(read_robust, lambda answer, _labels: truth_lmms(answer), score_sets, is_bare),
        ),
    )
}
