"""The viewer's list of runs, with what is going on, and its page of one run: what was run, every score, and ways to its samples."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.model_names import model_name
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.run_view import PartView, RunView, run_view
from snellen.present.viewer.run_index import FoundRuns, RunEntry, RunHandle, RunIndex, being_written
from snellen.present.viewer.sample_filter import TAG, SampleFilter
from snellen.present.viewer.sample_index import Stamp, stamp

MOST_VALUES = 12
MOST_TAGS = 6


def run_context(handle: RunHandle, progress: RunProgress | None) -> dict[str, Any]:
    """Return what the template of a run gets; `run` is None where the run is not marked yet."""
    entry = handle.entry
    run = None
    if handle.summary is not None:
        run = run_view(Run(entry.path))
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
        "tags": _tags(handle) if run is not None else [],
    }


def _filters_of(handle: RunHandle, part: PartView) -> list[tuple[str, str]]:
    """Return the tags that tell a part's samples apart, as the filter's form names them."""
    columns = handle.index.tags
    return [(TAG + key, value) for key, value in part.by.items() if key in columns and value in columns[key].values]


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


class RunProgress(NamedTuple):
    """How far a run is that is not complete: questions that got an answer, and those whose calls failed."""

    answers: int
    failed: int
    expected: int
    going_on: bool


class RunRow(NamedTuple):
    """A run in the list. `progress` is None for a complete one."""

    entry: RunEntry
    title: str
    state: str
    progress: RunProgress | None


def progress_of(run_index: RunIndex, entry: RunEntry) -> RunProgress | None:
    """Return how far a run is; None where it is complete and nothing writes to it."""
    answers = run_index.file(entry.path / "answers.jsonl")
    now = stamp(answers)
    going_on = being_written(entry.path, time.time() - now[2] / 1e9 if now else float("inf"))
    if entry.complete and not going_on:
        return None
    expected = sum(entry.manifest.questions.values())
    answered, failed = _counted(entry.path, now) if answers is not None else (0, 0)
    return RunProgress(answered, failed, expected, going_on)


@lru_cache(KEPT)
def _counted(path: Path, _stamp: Stamp | None) -> tuple[int, int]:
    """Return how many questions have an answer, and how many have a failure and no answer."""
    scan = RunFolder(path).scan()
    return scan.answered, scan.failed


def runs_context(run_index: RunIndex, found: FoundRuns, given: Mapping[str, str]) -> dict[str, Any]:
    """Return what the template of the first page gets."""
    rows = [_row(run_index, entry) for entry in found.runs]
    text, exam, state, sort = (given.get(name, "") for name in ("q", "exam", "state", "sort"))
    chosen = [row for row in rows if _fits(row, text.casefold().split(), exam, state)]
    chosen = _sorted(chosen, sort)
    return {
        "folder": str(run_index.folder),
        "rows": chosen[:PAGE],
        "left_out": max(0, len(chosen) - PAGE),
        "total": len(rows),
        "passed": found.passed,
        "exams": sorted({row.entry.manifest.exam for row in rows}),
        "given": {"q": text, "exam": exam, "state": state, "sort": sort if sort in SORTS else ""},
        "sorts": SORTS,
        "states": STATES,
        "pending": sum(row.entry.pending for row in rows),
        "live": any(row.entry.pending or (row.progress is not None and row.progress.going_on) for row in rows),
        "synthetic": any(row.entry.manifest.data.synthetic for row in chosen),
    }


def _row(run_index: RunIndex, entry: RunEntry) -> RunRow:
    title = formatting.title(entry.manifest)
    if entry.pending:
        return RunRow(entry, title, "", None)
    progress = progress_of(run_index, entry)
    state = "complete" if progress is None else "going-on" if progress.going_on else "incomplete"
    return RunRow(entry, title, state, progress)


def _fits(row: RunRow, text: Sequence[str], exam: str, state: str) -> bool:
    manifest = row.entry.manifest
    said = f"{row.title} {row.entry.path.name} {manifest.data.source} {manifest.created}".casefold()
    states = ("incomplete", "going-on") if state == "incomplete" else (state,)
    return (
        all(word in said for word in text)
        and (not exam or manifest.exam == exam)
        and (state not in STATES or row.state in states)
    )


def _sorted(rows: list[RunRow], sort: str) -> list[RunRow]:
    def score(row: RunRow) -> float:
        scores = row.entry.headline.scores if row.entry.headline is not None else ()
        return -max((s.value or 0.0 for _part, s in scores), default=-1.0)

    keys: dict[str, Callable[[RunRow], Any]] = {
        "exam": lambda row: row.entry.manifest.exam,
        "subject": lambda row: model_name(row.entry.manifest),
        "score": score,
        "cost": lambda row: -(row.entry.headline.totals.cost if row.entry.headline else -1.0),
    }
    return sorted(rows, key=keys[sort]) if sort in keys else rows
