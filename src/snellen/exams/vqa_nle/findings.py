"""A sentence on whether a model's certainty predicts that its answer is right."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.core.figures import between, percent
from snellen.core.finding import DOUBT, FACT, Finding
from snellen.core.records import Summary
from snellen.core.results import Score
from snellen.exams.vqa_nle.entropy.spans import metric_name


def findings(summary: Summary) -> Iterator[Finding]:
    """Yield how well a low entropy of the answer predicts a right one (AUROC), over the first part; nothing if it is not known."""
    whole = next((g for p in summary.plain[:1] for g in p.groups if g.whole), None)
    names = [f"{metric_name('answer_mean', bounded)}_auroc" for bounded in (False, True)]
    score = next((whole.metrics[n] for n in names if n in whole.metrics), None) if whole is not None else None
    if score is None or score.value is None or score.low is None or score.high is None:
        return
    if score.low > 0.5:
        yield Finding(FACT, "certainty", f"It is surer where it is right: AUROC {_said(score)}, where 50 says nothing.")
    elif score.high < 0.5:
        yield Finding(
            DOUBT, "certainty", f"It is surer where it is wrong: AUROC {_said(score)}, where 50 says nothing."
        )
    else:
        said = f"How sure it is says nothing about its answers: AUROC {_said(score)}, where 50 is chance."
        yield Finding(DOUBT, "certainty", said)


def _said(score: Score) -> str:
    return f"{percent(score.value)} {between(score.low, score.high)}"
