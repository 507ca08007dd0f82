"""Runs of an exam that finds thresholds, side by side. Thresholds are compared by the estimates of each, never sample by sample, because no
two subjects see the same sheets. Reads runs, writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Thresholds
from snellen.core.model_names import model_name
from snellen.core.prescription import FacultyComparison, Threshold
from snellen.core.records import Manifest, Summary
from snellen.core.types import Mark, Sample
from snellen.engine.mark.integrity import check_answers, check_summary
from snellen.engine.runs.run import Run, open_run

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FACULTY, SENT_AS, SHEET = "faculty", "sent as", "sheet"
"""The tags by which an exam of thresholds distinguishes its sheets."""


class AskedTrial(NamedTuple):
    """A sheet that was asked, with its outcome."""

    sample: Sample
    mark: Mark

    @property
    def course(self) -> str:
        """The name of the threshold that it is a part of."""
        sent_as = self.sample.tags.get(SENT_AS, "")
        return f"{self.sample.tags.get(FACULTY, '')}, {sent_as}".removesuffix(", ")

    @property
    def kind(self) -> str:
        """'trial', 'catch' or 'blank'."""
        return self.sample.tags.get(SHEET, "")

    @property
    def level(self) -> float:
        return float(self.sample.facts["level"])


class RunThresholds(NamedTuple):
    """A run with its thresholds. `name` is its subject, made unique among the runs. `letter` stands for it in tables."""

    letter: str
    name: str
    run: Run
    manifest: Manifest
    summary: Summary
    rows: tuple[Threshold, ...]
    trials: tuple[AskedTrial, ...]

    @property
    def seed(self) -> int:
        return self.manifest.options.seed

    def sizes(self) -> Mapping[str, int]:
        """Return the side of the sheets of each course, in pixels."""
        return {trial.course: int(trial.sample.facts.get("size", 0)) for trial in self.trials}


class ExamThresholds(NamedTuple):
    """Thresholds of runs of one exam, and for several runs their ratios to the first."""

    exam: str
    each: tuple[RunThresholds, ...]
    compared: tuple[FacultyComparison, ...]

    @property
    def first(self) -> RunThresholds:
        return self.each[0]

    @property
    def several(self) -> bool:
        return len(self.each) > 1

    @property
    def seeds(self) -> list[int]:
        return list(dict.fromkeys(one.seed for one in self.each))


def thresholds_of(manifest: Manifest) -> Thresholds | None:
    """Return how the exam of a run finds thresholds. Return None if its results are scores, or the exam is not available.

    Other folders use this to switch between the two kinds of result.
    """
    try:
        return exams.load(manifest.exam).extra(Thresholds)
    except SnellenError:
        return None


def examined(runs: Sequence[Run]) -> ExamThresholds:
    """Return the thresholds of runs of one exam."""
    exam = exams.load(runs[0].manifest.exam)
    finds = exam.extra(Thresholds)
    if finds is None:
        raise SnellenError(f"the exam {exam.name} finds no thresholds")
    other = next((run for run in runs if run.manifest.exam != exam.name), None)
    if other is not None:
        raise SnellenError(
            f"{runs[0].path} is a run of {exam.name} and {other.path} of {other.manifest.exam}: only runs of one exam can be compared"
        )
    names = [model_name(run.manifest) for run in runs]
    specs = Counter(run.manifest.subject.spec for run in runs)
    each = []
    for (letter, run), name in zip(lettered(runs), names, strict=True):
        samples = {sample.id: sample for sample in run.samples()}
        marks = [mark for protocol in run.protocols[:1] for mark in run.marks(protocol.protocol)]
        trials = tuple(AskedTrial(samples[mark.id], mark) for mark in marks if mark.id in samples)
        rows = tuple(finds.found((trial.sample, trial.mark) for trial in trials))
        own = f"{name} ({run.path.name.rpartition('_')[2]})" if specs[name] > 1 else name
        each.append(RunThresholds(letter, own, run, run.manifest, run.summary, rows, trials))
    several = finds.compared([one.rows for one in each]) if len(each) > 1 else ()
    return ExamThresholds(exam.name, tuple(each), tuple(several))


def examined_again(paths: Sequence[Path]) -> ExamThresholds | None:
    """Return the thresholds of the runs in these folders, or None if the exam of the first does not find thresholds."""
    if not paths or thresholds_of(open_run(paths[0]).manifest) is None:
        return None
    runs = opened_runs(paths)
    for run in runs:
        check_answers(run, run.summary)
        if thresholds_of(run.manifest) is not None:
            check_summary(run, run.summary, exams.load(run.manifest.exam))
    return examined(runs)


def lettered(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    """Give each run its letter."""
    if len(runs) > len(LETTERS):
        raise SnellenError(f"{len(runs)} runs are too many to compare at once: name at most {len(LETTERS)}")
    return list(zip(LETTERS, runs, strict=False))


def opened_runs(named: Sequence[str | Path | Run]) -> list[Run]:
    """Open runs to compare. Raise SnellenError for fewer than two, a run named twice, a folder of runs, or a run without marks."""
    paths = [one.path if isinstance(one, Run) else Path(one) for one in named]
    for path in paths:
        if is_folder_of_runs(path):
            raise SnellenError(
                f"{path} is a folder of runs, not a run: name the runs, such as 'snellen compare {path}/*'"
            )
    if len(paths) < 2:
        raise SnellenError("a comparison takes at least two runs: snellen compare RUN RUN")
    for at, path in enumerate(paths):
        if path.resolve() in [other.resolve() for other in paths[:at]]:
            raise SnellenError(f"{path} is named twice: a run does not differ from itself")
    runs = [one if isinstance(one, Run) else Run(path) for one, path in zip(named, paths, strict=True)]
    for run in runs:
        if not run.folder.has("summary.json"):
            raise SnellenError(f"{run.path} has no marks yet; 'snellen mark {run.path}' makes them")
    return runs


def is_folder_of_runs(path: Path) -> bool:
    """Tell whether a folder holds runs and is not one itself."""
    return not (path / "run.json").is_file() and any(path.glob("*/run.json"))


def refuse_thresholds(exam: Exam, what: str) -> None:
    """Refuse an exam that finds thresholds in a comparison sample by sample."""
    if exam.extra(Thresholds) is not None:
        raise SnellenError(
            f"{what}: the {exam.name} exam finds thresholds, and no two runs saw the same sheets; "
            "'snellen compare RUN RUN' compares thresholds"
        )


def document(found: ExamThresholds) -> dict[str, Any]:
    """Return thresholds as plain values."""
    import msgspec

    return {
        "exam": found.exam,
        "synthetic": True,
        "runs": [
            {
                "letter": one.letter,
                "subject": model_name(one.manifest),
                "run": str(one.run.path),
                "seed": one.seed,
                "complete": one.summary.complete,
                "cost": one.summary.totals.cost,
                "cost_unknown": one.summary.totals.cost_unknown,
                "thresholds": msgspec.to_builtins(one.rows),
            }
            for one in found.each
        ],
        "compared": [
            {
                "name": row.name,
                "ratios": {
                    one.letter: None if ratio is None else {"value": ratio.value, "low": ratio.low, "high": ratio.high}
                    for one, ratio in zip(found.each[1:], row.ratios, strict=True)
                },
            }
            for row in found.compared
        ],
    }
