"""The files that the seed defines: a table of every sample, the accuracy grid, and statistics of explanations.

Names and columns are those of the seed's README. In a run folder the files hold this run alone; `publish` merges them into a
shared results folder. Texts are joined by sample, never by image, and `gt_explanation` is the first of several, as in the seed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from snellen.benchmarks.vqa_nle import entropy_tables, grid
from snellen.benchmarks.vqa_nle.entropy import seed_cell
from snellen.core.cells import Cell, Sheet, csv_bytes, workbook
from snellen.core.errors import MissingExtra
from snellen.core.exam import RunFacts
from snellen.core.types import Answer, Mark, Sample

_TEXTS = ("gt_explanation", "generated_explanation", "correct", "token_entropy")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "vqax": ("image_id", "question", "gt_answer", "generated_answer", *_TEXTS),
    "actx": ("image_id", "gt_label", "generated_label", *_TEXTS),
    "esnlive": ("image_name", "image_numeric_id", "hypothesis", "gt_label", "generated_label", *_TEXTS),
    "vcr": ("image_name", "question", "gt_answer", "generated_answer", *_TEXTS),
}
ROWS = dict(zip(("vqax", "actx", "esnlive", "vcr"), grid.TASKS, strict=True))  # a task's row in the grid
STATS = "explanation_stats.csv"
STATS_COLUMNS = (
    "model",
    "task",
    "split",
    "prompt_mode",
    "accuracy",
    "n_samples",
    "valid_expl_pct",
    "valid_expl_count",
    "total_samples",
)
SHORT = {"llava": "llava", "llava-1.5-7b-hf": "llava", "qwen": "qwen", "qwen3-vl-8b-instruct": "qwen"}


def short_name(spec: str) -> str:
    """The model's name in file and column names: `llava` and `qwen` for the seed's two models, a slug for others.

    >>> [short_name(s) for s in ("llava", "hf/Qwen/Qwen3-VL-8B-Instruct", "ollama/llava:7b", "baseline/constant:yes")]
    ['llava', 'qwen', 'llava-7b', 'constant-yes']
    """
    last = spec.rstrip("/").rpartition("/")[2].lower()
    return SHORT.get(last) or re.sub(r"[^a-z0-9.]+", "-", last).strip("-.")[:60] or "model"


def folder(prompt: str) -> str:
    """Where the files of a prompt go."""
    return "without_explanation" if prompt.startswith("answer-only") else "with_explanation"


# ---------------------------------------------------------------- one split of a run


class Split(NamedTuple):
    """The rows of one split, and the counts that the summary files need."""

    name: str
    rows: list[list[Cell]]
    marked: list[float]
    valid: list[bool]

    @property
    def accuracy(self) -> float | None:
        """The mean of what was marked; None where nothing was."""
        return sum(self.marked) / len(self.marked) if self.marked else None


def splits_of(task: str, run: RunFacts) -> list[Split]:
    """All samples of a run, by split, in the order of the data."""
    found: dict[str, Split] = {}
    explained = folder(run.prompt) == "with_explanation"
    for sample, answer, mark in run.records() if run.records else ():
        name = sample.tags["split"]
        split = found.setdefault(name, Split(name, [], [], []))
        split.rows.append(row(task, sample, answer, mark, explained=explained))
        correct = mark.metrics.get("accuracy")
        if isinstance(correct, int | float):
            split.marked.append(correct)
        split.valid.append(bool(mark.metrics.get("valid_explanation")))
    return list(found.values())


def row(task: str, sample: Sample, answer: Answer, mark: Mark, *, explained: bool = True) -> list[Cell]:
    """One sample in the seed's columns. A cell is empty where there is nothing to say: no truth, no reply, no explanation."""
    reading = mark.reading if isinstance(mark.reading, dict) else {}
    facts, said = sample.facts, str(reading.get("explanation") or "")
    image = PurePosixPath(str(facts.get("image_name") or "")).name
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    gold, spoken = gold_answer(task, truth), str(reading.get("answer") or "")
    values: dict[str, Cell] = {
        "image_id": str(facts.get("image_id") or ""),
        "image_name": image,
        "image_numeric_id": numeric_id(image),
        "question": str(facts.get("question") or ""),
        "hypothesis": str(facts.get("hypothesis") or ""),
        "gt_answer": gold,
        "gt_label": gold,
        "generated_answer": spoken,
        "generated_label": spoken,
        "gt_explanation": str((truth.get("explanations") or [""])[0]),
        "generated_explanation": said if explained else "",
        "correct": _number(mark.metrics.get("accuracy")),
        "token_entropy": seed_cell(answer.tokens, said) if explained else "",
    }
    return [values[c] for c in COLUMNS[task]]


def gold_answer(task: str, truth: Mapping[str, Any]) -> str:
    """The true answer of a row: for VQA-X the one that most annotators gave, compared as the seed does; else the only one."""
    answers = [str(a) for a in truth.get("answers") or ()]
    if task != "vqax" or not answers:
        return answers[0] if answers else ""
    votes = Counter(_plain(a) for a in answers)
    return max(votes, key=votes.__getitem__)  # the first of equals


def _plain(answer: str) -> str:
    return " ".join(w for w in re.sub(r"[^a-z0-9\s]", " ", answer.lower()).split() if w not in ("a", "an", "the"))


def numeric_id(image_name: str) -> str:
    """The number that a Flickr30k file is named after.

    >>> numeric_id("3416050480.jpg"), numeric_id("scene.png")
    ('3416050480', '')
    """
    found = re.match(r"\d+", image_name)
    return found.group() if found else ""


def _number(value: float | str | None) -> Cell:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# ---------------------------------------------------------------- files of a run


def exports(task: str, run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """All files of a run's first protocol. Without the extra `excel` a note stands in for each Excel file."""
    if run.records is None:
        return
    home, model = folder(run.prompt), short_name(run.manifest["subject"]["spec"])
    whole, created = grid.blank(), _created(run.manifest)
    stats: list[Sequence[Cell]] = [STATS_COLUMNS]
    for split in splits_of(task, run):
        table = [COLUMNS[task], *split.rows]
        name = f"{home}/{model}_results/{task}_{split.name}_eval"
        yield f"{name}.csv", csv_bytes(table)
        yield _excel(f"{name}.xlsx", Sheet("eval", table), created)
        whole, _ = grid.updated(whole, entry(task, run, split), force=True)
        stats.append(stats_row(task, run, split))
    yield f"{home}/{grid.CSV}", grid.to_csv(whole)
    yield f"{home}/{grid.SIDECAR}", grid.to_sidecar(whole)
    yield _excel(f"{home}/{grid.XLSX}", Sheet("accuracy", grid.table(whole)), created)
    if home == "with_explanation":
        yield f"{home}/{STATS}", csv_bytes(stats)
    yield from entropy_tables.exports(run)


def _excel(name: str, sheet: Sheet, created: datetime | None) -> tuple[str, bytes]:
    try:
        return name, workbook([sheet], created)
    except MissingExtra as error:  # the answers are paid for and the CSV file is there: not worth a failed run
        return f"{name}.missing.txt", f"{error}\n".encode()


def _created(manifest: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(str(manifest.get("created"))).replace(tzinfo=None)
    except ValueError:
        return None


def entry(task: str, run: RunFacts, split: Split) -> grid.Entry:
    """A split's result for the grid."""
    accuracy = split.accuracy
    manifest = run.manifest
    result = None
    if accuracy is not None:
        result = grid.Result(
            accuracy=accuracy,
            n_samples=len(split.rows),
            prompt_mode=run.prompt,
            protocol=run.protocol.name,
            run=f"{manifest['subject']['spec']} {manifest.get('created', '')}",
            synthetic=bool(manifest.get("data", {}).get("synthetic")),
        )
    return grid.Entry(ROWS[task], short_name(manifest["subject"]["spec"]), split.name, result)


def stats_row(task: str, run: RunFacts, split: Split) -> list[Cell]:
    """A split's row of explanation_stats.csv."""
    total, valid = len(split.rows), sum(split.valid)
    model = short_name(run.manifest["subject"]["spec"])
    share = 100.0 * valid / total if total else 0.0
    return [model, ROWS[task], split.name, run.prompt, split.accuracy, total, share, valid, total]


# ---------------------------------------------------------------- a shared results folder


def publish(
    task: str, run: RunFacts, results: Path, *, rule: str = "samples", force: bool = False
) -> list[grid.Update]:
    """Merge a run into a shared `results` folder as the seed's tool does: tables replaced, grid updated, statistics appended.

    Publishing the same run twice appends its statistics once.
    """
    home = results / folder(run.prompt)
    if run.records is None:
        return []
    updates = []
    for split in splits_of(task, run):
        table = [COLUMNS[task], *split.rows]
        place = home / f"{short_name(run.manifest['subject']['spec'])}_results"
        place.mkdir(parents=True, exist_ok=True)
        grid.write(place / f"{task}_{split.name}_eval.csv", csv_bytes(table))
        name, content = _excel(f"{task}_{split.name}_eval.xlsx", Sheet("eval", table), _created(run.manifest))
        grid.write(place / name, content)
        updates.append(grid.update(home, entry(task, run, split), rule=rule, force=force))
        if home.name == "with_explanation":
            append_stats(home / STATS, stats_row(task, run, split))
    return updates


def append_stats(path: Path, values: Sequence[Cell]) -> None:
    """Add a row to explanation_stats.csv, unless the very same row is there."""
    from filelock import FileLock

    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.name}.lock")):
        before = path.read_bytes() if path.is_file() else csv_bytes([STATS_COLUMNS])
        line = csv_bytes([values])
        if line not in before.splitlines(keepends=True):
            grid.write(path, before + line)
