"""The viewer's page of one run: what was run, every score, and ways to its samples."""

from __future__ import annotations

from collections import Counter
from typing import Any

from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.run_view import PartView, RunView, run_view
from snellen.present.model.sample_view import SeenAnswers
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.runs_page import RunProgress
from snellen.present.viewer.sample_filter import SampleFilter

MOST_VALUES = 12
MOST_TAGS = 6


def run_context(handle: RunHandle, progress: RunProgress | None) -> dict[str, Any]:
    """Return what the template of a run gets; `run` is None where the run is not marked yet."""
    entry = handle.entry
    run = None
    if handle.summary is not None:
        run = run_view(Run(entry.path), seen=SeenAnswers(Counter(), Counter(), [], {}))
    return {
        "entry": entry,
        "title": formatting.title(entry.manifest) + repeats.times(handle.repeats),
        "manifest": entry.manifest,
        "progress": progress,
        "live": progress is not None and progress.going_on,
        "run": run,
        "repeats": handle.repeats,
        "main": next(iter(run.protocols), "") if run is not None else "",
        "filters": _filters(run) if run is not None else [],
        "filters_of": lambda part: _filters_of(handle, part),
        "tags": _tags(handle) if run is not None and handle.index.ready else [],
    }


def _filters_of(handle: RunHandle, part: PartView) -> list[tuple[str, str]]:
    """Return the tags that tell a part's samples apart."""
    columns = handle.index.tags
    return [(key, value) for key, value in part.by.items() if key in columns and value in columns[key].values]


def _filters(run: RunView) -> list[tuple[str, str, int]]:
    """Return ways to the samples by the outcome under the main protocol: the end of an address, a name, how many."""
    main = next(iter(run.protocols), None)
    found: Counter[str] = Counter()
    for part in run.parts:
        for row in part.outcomes:
            if main in row.names:
                found.update({one.outcome: one.n for one in row.shares})
    return [
        (SampleFilter(protocol=main or "", outcome=name).query(), name, found[name])
        for name in run.outcomes
        if found[name]
    ]


def _tags(handle: RunHandle) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return ways to the samples by tag; tags with many values are left to the filter."""
    found = []
    for key, column in handle.index.tags.items():
        if 1 < len(column.values) <= MOST_VALUES:
            found.append((key, [(value, SampleFilter(tags=((key, value),)).query()) for value in column.values]))
    return found[:MOST_TAGS]
