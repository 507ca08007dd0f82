"""The meaning of thresholds, in words: what one observer can see, and what another one needs."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.core.finding import FACT, Finding
from snellen.core.prescription import BOUNDS, amount, figure
from snellen.core.records import Summary
from snellen.core.results import GroupSummary, Score
from snellen.exams.eye.faculties import FACULTIES


def findings(summary: Summary) -> Iterator[Finding]:
    """Yield the thresholds of a run, in a sentence. The run's notes list the faculties that could not be measured."""
    groups = [group for p in summary.plain[:1] for group in p.groups if group.whole]
    said = [_said(group, score) for group in groups if (score := group.metrics.get("threshold")) and score.value]
    if said:
        yield Finding(FACT, "score", f"It {'; '.join(said)}.")
    elif groups:
        yield Finding(FACT, "score", "No faculty could be measured.")


def _said(group: GroupSummary, score: Score) -> str:
    bound = score.interval if score.interval in BOUNDS else ""
    found = amount(score.value or 0.0, score.unit, bound)
    if score.low is not None and score.high is not None:
        found += f" [{figure(score.low)}, {figure(score.high)}]"
    faculty, how = FACULTIES.get(group.by.get("faculty", "")), group.by.get("sent as", "")
    sees = faculty.sees if faculty else "has a threshold of {}"
    return sees.format(found) + (f" (sent as {how})" if how else "")
