"""What thresholds mean, in words: what an observer does, and what another one needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from snellen.core.finding import FACT, Finding
from snellen.core.prescription import BOUNDS, amount, figure
from snellen.core.records import Summary
from snellen.core.results import GroupSummary, Score

SEES: Mapping[str, str] = {
    "letters": "reads letters of {} and more",
    "contrast": "reads a letter at a contrast of {}",
    "colour": "tells colours apart at {}",
    "orientation": "finds a turn of {}",
    "size": "finds a difference in size of {}",
    "hidden": "names a hidden shape at {}",
    "pointing": "hits targets of {}",
    "difference": "finds what changed between two pictures at {}",
}
NEEDS: Mapping[str, str] = {
    "letters": "letters {} times as large",
    "contrast": "{} times the contrast",
    "colour": "colours {} times as far apart",
    "orientation": "turns {} times as large",
    "size": "differences in size {} times as large",
    "hidden": "{} times as much of a hidden shape",
    "pointing": "targets {} times as large",
    "difference": "changes between pictures {} times as large",
}


def findings(summary: Summary) -> Iterator[Finding]:
    """The thresholds of a run, in a sentence. What could not be measured is in the run's notes."""
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
    how = group.by.get("sent as", "")
    return SEES.get(group.by.get("faculty", ""), "has a threshold of {}").format(found) + (
        f" (sent as {how})" if how else ""
    )
