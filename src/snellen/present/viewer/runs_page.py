"""The first page: all runs of the folder, with what is going on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.model_names import model_name
from snellen.core.results import Score
from snellen.present.model import formatting
from snellen.present.viewer.run_index import FoundRuns, RunEntry, RunIndex, being_written, stamp

SORTS = {
    "": "latest first",
    "exam": "by exam",
    "subject": "by subject",
    "score": "highest score first",
    "cost": "dearest first",
}
STATES = {"complete": "complete", "incomplete": "not complete", "going-on": "going on now"}
SHOWN_PARTS = 3
PAGE = 200
KEPT = 1000
FAILED = b'"failure":{'
"""What a line has whose calls failed. Within a text the quotes would be escaped."""


class RunProgress(NamedTuple):
    """How far a run is that is not complete: questions that got an answer, and those whose calls failed."""

    answers: int
    failed: int
    expected: int
    going_on: bool


class RunRow(NamedTuple):
    """A run in the list. `progress` is None for a complete one; `more` counts the parts whose scores are left out."""

    entry: RunEntry
    title: str
    state: str
    progress: RunProgress | None
    scores: tuple[tuple[str, Score], ...]
    more: int
    cost: str


class LineCounter:
    """Counts the lines of answers files that grow, and the failures among them: each line is looked at once."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, int, int, int]] = {}

    def lines(self, path: Path) -> tuple[int, int]:
        """How many whole lines there are, and how many of these are failures."""
        now = stamp(path)
        if now is None:
            return 0, 0
        inode, end, count, failed = self._known.get(path, (now[0], 0, 0, 0))
        if inode != now[0] or now[1] < end:
            inode, end, count, failed = now[0], 0, 0, 0
        with path.open("rb") as file:
            file.seek(end)
            for line in file:
                if line.endswith(b"\n"):
                    end += len(line)
                    count += 1
                    failed += FAILED in line
        if len(self._known) > KEPT:
            self._known.clear()
        self._known[path] = inode, end, count, failed
        return count, failed


def progress_of(run_index: RunIndex, entry: RunEntry, counter: LineCounter) -> RunProgress | None:
    """How far a run is; None where it is complete and nobody writes to it."""
    answers = run_index.file(entry.path / "answers.jsonl")
    now = stamp(answers) if answers is not None else None
    quiet = time.time() - now[2] / 1e9 if now else float("inf")
    going_on = being_written(entry.path, quiet)
    if entry.complete and not going_on:
        return None
    expected = sum(entry.manifest.questions.values())
    lines, failures = counter.lines(answers) if answers is not None else (0, 0)
    good = min(lines - failures, expected) if expected else lines - failures
    failed = min(failures, expected - good) if expected else failures  # one that was asked again may have been answered
    return RunProgress(good, failed, expected, going_on)


def runs_context(
    run_index: RunIndex, found: FoundRuns, counter: LineCounter, given: Mapping[str, str]
) -> dict[str, Any]:
    """What the template of the first page gets."""
    rows = [_row(run_index, entry, counter) for entry in found.runs]
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


def _row(run_index: RunIndex, entry: RunEntry, counter: LineCounter) -> RunRow:
    progress = None if entry.pending else progress_of(run_index, entry, counter)
    state = (
        "" if entry.pending else "complete" if progress is None else "going-on" if progress.going_on else "incomplete"
    )
    scores = entry.headline.scores if entry.headline is not None else ()
    totals = entry.headline.totals if entry.headline is not None else None
    cost = formatting.money(totals) if totals is not None and (totals.cost or totals.cost_unknown) else ""
    more = max(0, len(scores) - SHOWN_PARTS)
    return RunRow(entry, formatting.title(entry.manifest), state, progress, scores[:SHOWN_PARTS], more, cost)


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
    if sort == "exam":
        return sorted(rows, key=lambda row: row.entry.manifest.exam)
    if sort == "subject":
        return sorted(rows, key=lambda row: model_name(row.entry.manifest))
    if sort == "score":
        return sorted(rows, key=lambda row: -max((s.value or 0.0 for _part, s in row.scores), default=-1.0))
    if sort == "cost":
        return sorted(rows, key=lambda row: -(row.entry.headline.totals.cost if row.entry.headline else -1.0))
    return rows
