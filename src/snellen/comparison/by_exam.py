"""All runs of a folder beside each other: one comparison for each exam and data set that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison
from snellen.comparison.thresholds import ExamThresholds, examined_again, thresholds_of
from snellen.core.errors import SnellenError
from snellen.engine.runs.listing import ListedRun, listing


class ExamComparison(NamedTuple):
    """The runs of one exam on one data set: their comparison, or why there is none."""

    exam: str
    runs: tuple[Path, ...]
    found: Comparison | None
    why: str = ""
    thresholds: ExamThresholds | None = None
    """In the place of a comparison, where the exam finds thresholds."""


class ExamComparisons(NamedTuple):
    """What a folder of runs says, exam by exam; `passed` are the things in it that are no marked runs, with the reason."""

    folder: Path
    exams: tuple[ExamComparison, ...]
    passed: tuple[str, ...]


def compare_folder(
    folder: Path, *, protocols: Sequence[str] = (), metric: str = "", power: float | None = None, flips: bool = False
) -> ExamComparisons:
    """Compare the runs of a folder, those of one exam on one data set with each other."""
    there = listing(folder)
    groups: dict[tuple[str, str], list[ListedRun]] = {}
    for run in sorted(there.runs, key=lambda one: one.path.name):
        drawn = thresholds_of(run.manifest) is not None  # thresholds can be compared whatever the sheets were
        groups.setdefault((run.manifest.exam, "" if drawn else run.manifest.data.fingerprint), []).append(run)
    passed = tuple(f"{one.path.name} ({one.kind}): {one.why}" for one in there.passed if one.kind != "no run")
    compare = partial(compare_runs, protocols=protocols, metric=metric, power=power, flips=flips)
    found = [_compared(exam, tuple(run.path for run in runs), compare) for (exam, _data), runs in groups.items()]
    return ExamComparisons(folder, tuple(found), passed)


def _compared(exam: str, runs: tuple[Path, ...], compare: Callable[[Sequence[Path]], Comparison]) -> ExamComparison:
    if len(runs) < 2:
        return ExamComparison(exam, runs, None, "only one run on this data: nothing to compare it with")
    try:
        thresholds = examined_again(runs)
        return ExamComparison(exam, runs, None if thresholds is not None else compare(runs), thresholds=thresholds)
    except SnellenError as error:
        return ExamComparison(exam, runs, None, str(error))
