"""The four protocols of SalBench: how they read and mark, and their metrics. They share the prompt `question`, so they share answers."""

from __future__ import annotations

from functools import partial
from typing import cast

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
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.reading import is_bare, read_lmms, read_plan_v2, read_robust, truth_lmms, truth_plan_v2
from snellen.exams.salbench.scoring import LabelRules, score_lmms, score_sets

METRICS = declared("snellen.exams.salbench", "metrics.toml", dict[str, tuple[Metric, ...]])["metrics"]
# a macro score is hardly informative within one category
ROLES = MetricRoles("exact_match", breakdown="f1", reported=("macro_f1", "f1", "exact_match", "precision", "recall"))


class _SalBenchProtocol(Protocol):
    """One protocol. Instances differ only in their rules and headline metric."""

    needs = ("records",)
    metrics = METRICS

    def __init__(self, name: str, about: str, *, version: str = "1", headline: str, rules: LabelRules) -> None:
        super().__init__(name, about, version=version)
        self.headline, self._rules = headline, rules
        self.extras = (ROLES, OtherScores(partial(summary.other_scores, rules=rules)))

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        if context.cut and self._rules.is_bare is not None:
            reply = finished(reply, self._rules.is_bare, closed=True)
        return self._rules.judge(reply, str(sample.truth), sample.tags["split"])

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """Count words outside the vocabulary that a literal reader finds: in the sample's scores, but not in the categories."""
        said = summary.said(str(sample.truth), sample.tags["split"], tuple(mark.reading or ()))
        return Seen(cast(dict[str, float], mark.metrics), mark.outcome, "", said)

    def groups(self, sample: Sample) -> tuple[Key, ...]:
        return summary.groups(sample.tags, self._rules.true(str(sample.truth), sample.tags["split"]))

    def order(self, key: Key) -> tuple[int, int, int, str]:
        return summary.order(key)

    def floors(self, group: Group) -> dict[str, Floor]:
        return summary.floors(group, self._rules)

    def own_scores(self, group: Group) -> dict[str, Score]:
        return summary.label_scores(group, self._rules)


PROTOCOLS = {
    p.name: p
    for p in (
        _SalBenchProtocol(
            "paper",
            "comma list read literally; macro F1 over the labels of the split that occur (7 on the whole of O3)",
            version="2",
            headline="macro_f1",
            rules=LabelRules(read_lmms, truth_lmms, score_lmms),
        ),
        _SalBenchProtocol(
            "lmms-eval",
            "the paper's rules with lmms-eval's O3 bug: macro over orientation, color and size only",
            headline="macro_f1",
            rules=LabelRules(
                read_lmms, truth_lmms, score_lmms, macro_labels=lambda _split: labels_of("P3"), all_labels=True
            ),
        ),
        _SalBenchProtocol(
            "plan-v2",
            "label as substring, one a part, label order fixed; mean of the samples' F1",
            headline="f1",
            rules=LabelRules(read_plan_v2, truth_plan_v2, score_sets, all_labels=True, errors_in_categories=False),
        ),
        _SalBenchProtocol(
            "robust",
            "words, aliases, negation, corrections, yes or no understood in replies of any form; macro F1 over the labels that occur",
            version="3",
            headline="macro_f1",
            rules=LabelRules(read_robust, truth_lmms, score_sets, is_bare=is_bare),
        ),
    )
}
