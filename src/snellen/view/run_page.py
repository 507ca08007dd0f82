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
from snellen.show import repeats, words
from snellen.show.gallery import Seen
from snellen.show.page_facts import facts_of
from snellen.view.library import Volume
from snellen.view.runs_page import Progress
from snellen.view.wanted import Wanted

MOST_VALUES = 12
MOST_TAGS = 6


class Part(NamedTuple):
    """One part of the exam with all protocols side by side."""

    name: str
    n: int
    columns: list[words.Column]
    outcomes: list[tuple[words.Names, GroupSummary]]
    metrics: dict[str, str]
    tags: tuple[tuple[str, str], ...]

    @property
    def size(self) -> str:
        """Return '200 on 3 images'."""
        return words.size(self.columns[0].protocol, [c.group for c in self.columns])


class Breakdown(NamedTuple):
    """The groups within the parts, and for each protocol the metric's name and a score a group."""

    groups: list[tuple[str, int]]
    columns: list[tuple[ProtocolSummary, str, list[Score | None]]]


def run_context(volume: Volume, progress: Progress | None) -> dict[str, Any]:
    """What the template of a run gets."""
    entry, summary = volume.entry, volume.summary
    context: dict[str, Any] = {
        "entry": entry,
        "title": words.title(entry.manifest) + repeats.times(volume.repeats),
        "repeats": volume.repeats,
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
        "parts": [_part(volume, protocols, part) for part in words.side_by_side(protocols, whole=True)],
        "breakdown": _breakdown(protocols),
        "stale": misfit(run, summary),
        "filters": _filters(summary),
        "tags": _tags(volume) if volume.index.ready else [],
    }


def _part(volume: Volume, protocols: Sequence[ProtocolSummary], part: Mapping[str, GroupSummary]) -> Part:
    columns = words.columns(protocols, part)
    metrics: dict[str, str] = {}
    for column in columns:
        for key in column.group.metrics:
            metrics.setdefault(key, words.metric_name(column.protocol, key))
    same = words.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    outcomes = [(names, part[names[0]]) for names, _said in same]
    by = columns[0].group.by
    tags = tuple((key, value) for key, value in by.items() if value in _values(volume, key))
    return Part(words.group_name(columns[0].group), words.most(part.values()), columns, outcomes, metrics, tags)


def _values(volume: Volume, key: str) -> Sequence[str]:
    column = volume.index.tags.get(key)
    return column.values if column is not None else ()


def _breakdown(protocols: Sequence[ProtocolSummary]) -> Breakdown:
    groups, scores = words.breakdown(protocols)
    named = [(p, words.metric_name(p, words.breakdown_metric(p)), some) for p, some in scores]
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
    return [(Wanted(protocol=main.protocol, outcome=name).query(), name, n) for name, n in every]


def _tags(volume: Volume) -> list[tuple[str, list[tuple[str, str]]]]:
    """Ways to the samples by tag; tags with many values are left to the filter."""
    found = []
    for key, column in volume.index.tags.items():
        if 1 < len(column.values) <= MOST_VALUES:
            found.append((key, [(value, Wanted(tags=((key, value),)).query()) for value in column.values]))
    return found[:MOST_TAGS]
