"""The viewer's list of runs with their progress, and its page of one run: what was run, every score, and links to its samples."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.model_names import model_name
from snellen.engine.runs.folder import RunFolder, Stamp, stamp
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.run_view import PartView, RunView, run_view
from snellen.present.viewer.run_index import FoundRuns, RunEntry, RunHandle, RunIndex, being_written
from snellen.present.viewer.sample_filter import TAG, SampleFilter, asked

MOST_VALUES = 12
MOST_TAGS = 6


def run_context(handle: RunHandle, progress: _RunProgress | None) -> dict[str, Any]:
    """Return the template's data for a run. `run` is None if the run is not marked yet."""
    entry = handle.entry
    run = None
    if handle.summary is not None:
        run = run_view(Run(entry.path))
    return {
        "entry": entry,
        "title": formatting.title(entry.manifest) + formatting.asked_often(handle.repeats),
        "manifest": entry.manifest,
        "progress": progress,
        "live": progress is not None and progress.going_on,
        "run": run,
        "repeats": handle.repeats,
        "main": next(iter(run.protocols), "") if run is not None else "",
        "filters": _filters(run) if run is not None and run.protocols else [],
        "query": lambda part, row, one: asked(
            [("protocol", row.names[0]), ("outcome", one.outcome), *_filters_of(handle, part)]
        ),
        "tags": _tags(handle) if run is not None else [],
    }


def _filters_of(handle: RunHandle, part: PartView) -> list[tuple[str, str]]:
    """Return the tags that tell a part's samples apart, as the filter's form names them."""
    columns = handle.index.tags
    return [(TAG + key, value) for key, value in part.by.items() if key in columns and value in columns[key].values]


def _filters(run: RunView) -> list[tuple[str, str, int]]:
    """Return links to the samples by outcome under the main protocol: the end of an address, a name, the number of samples."""
    main = next(iter(run.protocols.values()))
    found: Counter[str] = Counter()
    for group in main.groups:
        if group.whole:
            found.update(group.outcomes)
    return [
        (SampleFilter(protocol=main.protocol, outcome=name).query(), name, found[name])
        for name in run.outcomes
        if found[name]
    ]


def _tags(handle: RunHandle) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return links to the samples by tag. Tags with many values are available only in the filter."""
    found = []
    for key, column in handle.index.tags.items():
        if 1 < len(column.values) <= MOST_VALUES:
            found.append((key, [(value, SampleFilter(tags=((key, value),)).query()) for value in column.values]))
    return found[:MOST_TAGS]


# ---------------------------------------------------------------- the list of runs


SORTS = {
    "": "latest first",
    "exam": "by exam",
    "subject": "by subject",
    "score": "highest score first",
    "cost": "dearest first",
}
STATES = {"complete": "complete", "incomplete": "not complete", "going-on": "going on now"}
PAGE = 200
KEPT = 1000


class _RunProgress(NamedTuple):
    """The progress of an incomplete run: questions that got an answer, and those whose calls failed."""

    answers: int
    failed: int
    expected: int
    going_on: bool


def progress_of(run_index: RunIndex, entry: RunEntry) -> _RunProgress | None:
    """Return the progress of a run, or None if it is complete and no process writes to it."""
    answers = run_index.file(entry.path / "answers.jsonl")
    now = stamp(answers) if answers is not None else None
    going_on = being_written(entry.path, time.time() - now.modified / 1e9 if now else float("inf"))
    if entry.complete and not going_on:
        return None
    expected = sum(entry.manifest.questions.values())
    answered, failed = _counted(entry.path, now) if now is not None else (0, 0)
    return _RunProgress(answered, failed, expected, going_on)


@lru_cache(KEPT)
def _counted(path: Path, _stamp: Stamp | None) -> tuple[int, int]:
    """Return the number of questions with an answer, and of those with a failure and no answer."""
    scan = RunFolder(path).scan()
    return scan.answered, scan.failed


def runs_context(run_index: RunIndex, found: FoundRuns, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the data for the template of the first page. Rows are runs, each with its progress if it is not complete."""
    rows = [(entry, None if entry.pending else progress_of(run_index, entry)) for entry in found.runs]
    text, exam, state, sort = (given.get(name, "") for name in ("q", "exam", "state", "sort"))
    chosen = [row for row in rows if _fits(*row, text.casefold().split(), exam, state)]
    if sort in _ORDERS:
        chosen.sort(key=lambda row: _ORDERS[sort](row[0]))
    return {
        "folder": str(run_index.folder),
        "rows": chosen[:PAGE],
        "left_out": max(0, len(chosen) - PAGE),
        "total": len(rows),
        "passed": found.passed,
        "exams": sorted({entry.manifest.exam for entry in found.runs}),
        "given": {"q": text, "exam": exam, "state": state, "sort": sort if sort in SORTS else ""},
        "sorts": SORTS,
        "states": STATES,
        "pending": sum(entry.pending for entry in found.runs),
        "live": any(entry.pending or (progress is not None and progress.going_on) for entry, progress in rows),
        "synthetic": any(entry.manifest.data.synthetic for entry, _progress in chosen),
    }


def _fits(entry: RunEntry, progress: _RunProgress | None, text: Sequence[str], exam: str, state: str) -> bool:
    manifest = entry.manifest
    said = f"{formatting.title(manifest)} {entry.path.name} {manifest.data.source} {manifest.created}".casefold()
    states = {
        "complete": progress is None,
        "incomplete": progress is not None,
        "going-on": progress is not None and progress.going_on,
    }
    return (
        all(word in said for word in text)
        and exam in ("", manifest.exam)
        and (state not in STATES or (states[state] and not entry.pending))
    )


_ORDERS: dict[str, Callable[[RunEntry], Any]] = {
    "exam": lambda entry: entry.manifest.exam,
    "subject": lambda entry: model_name(entry.manifest),
    "score": lambda entry: -max((s.value or 0.0 for _part, s in entry.scores), default=-1.0),
    "cost": lambda entry: -(entry.totals.cost if entry.totals is not None else -1.0),
}
