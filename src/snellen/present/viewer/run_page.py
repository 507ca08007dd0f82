"""The page of one run: what was run, every score, and ways to its samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from snellen.core.records import Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.types import Outcome
from snellen.engine.mark.holding import misfit
from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.run_facts import facts_of
from snellen.present.model.sample_view import Seen
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.runs_page import Progress
from snellen.present.viewer.sample_filter import SampleFilter

MOST_VALUES = 12
MOST_TAGS = 6


class Part(NamedTuple):
    """One part of the exam with all protocols side by side."""

    name: str
    n: int
    columns: list[formatting.Column]
    outcomes: list[tuple[formatting.Names, GroupSummary]]
    metrics: dict[str, str]
    tags: tuple[tuple[str, str], ...]

    @property
    def size(self) -> str:
        """Return '200 on 3 images'."""
        return formatting.size(self.columns[0].protocol, [c.group for c in self.columns])


class Breakdown(NamedTuple):
    """The groups within the parts, and for each protocol the metric's name and a score a group."""

    groups: list[tuple[str, int]]
    columns: list[tuple[ProtocolSummary, str, list[Score | None]]]


def run_context(handle: RunHandle, progress: Progress | None) -> dict[str, Any]:
    """What the template of a run gets."""
    entry, summary = handle.entry, handle.summary
    context: dict[str, Any] = {
        "entry": entry,
        "title": formatting.title(entry.manifest) + repeats.times(handle.repeats),
        "repeats": handle.repeats,
        "manifest": entry.manifest,
        "progress": progress,
        "summary": summary,
        "live": progress is not None and progress.going_on,
        "facts": [],
        "parts": [],
        "breakdown": Breakdown([], []),
        "stale": "",
        "filters": [],
        "tags": [],
    }
    if summary is None:
        return context
    run = Run(entry.path)
    protocols = summary.plain
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    return context | {
        "facts": facts_of(run, summary, Seen(Counter(), Counter(), [], {})),
        "protocols": {p.protocol: p for p in protocols},
        "outcomes": [o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG)],
        "parts": [_part(handle, protocols, part) for part in formatting.side_by_side(protocols, whole=True)],
        "breakdown": _breakdown(protocols),
        "stale": misfit(run, summary),
        "filters": _filters(summary),
        "tags": _tags(handle) if handle.index.ready else [],
    }


def _part(handle: RunHandle, protocols: Sequence[ProtocolSummary], part: Mapping[str, GroupSummary]) -> Part:
    columns = formatting.columns(protocols, part)
    metrics: dict[str, str] = {}
    for column in columns:
        for key in column.group.metrics:
            metrics.setdefault(key, formatting.metric_name(column.protocol, key))
    same = formatting.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    outcomes = [(names, part[names[0]]) for names, _said in same]
    by = columns[0].group.by
    tags = tuple((key, value) for key, value in by.items() if value in _values(handle, key))
    return Part(
        formatting.group_name(columns[0].group), formatting.most(part.values()), columns, outcomes, metrics, tags
    )


def _values(handle: RunHandle, key: str) -> Sequence[str]:
    column = handle.index.tags.get(key)
    return column.values if column is not None else ()


def _breakdown(protocols: Sequence[ProtocolSummary]) -> Breakdown:
    groups, scores = formatting.breakdown(protocols)
    named = [(p, formatting.metric_name(p, formatting.breakdown_metric(p)), some) for p, some in scores]
    return Breakdown(groups, named)


def _filters(summary: Summary) -> list[tuple[str, str, int]]:
    """Ways to the samples by the outcome under the main protocol: the end of an address, a name, how many."""
    main = next(iter(summary.plain), None)
    if main is None:
        return []
    found: Counter[str] = Counter()
    for group in main.groups:
        if group.whole:
            found.update(group.outcomes)
    every = [(o.value, found[o.value]) for o in Outcome if found[o.value]]
    return [(SampleFilter(protocol=main.protocol, outcome=name).query(), name, n) for name, n in every]


def _tags(handle: RunHandle) -> list[tuple[str, list[tuple[str, str]]]]:
    """Ways to the samples by tag; tags with many values are left to the filter."""
    found = []
    for key, column in handle.index.tags.items():
        if 1 < len(column.values) <= MOST_VALUES:
            found.append((key, [(value, SampleFilter(tags=((key, value),)).query()) for value in column.values]))
    return found[:MOST_TAGS]
