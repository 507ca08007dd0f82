"""The files that multimodal-vqa-eval defines: a table of every sample, the accuracy grid, and statistics of explanations.

Names and columns are those of its README. In a run folder the files hold only this run; `publish` merges them into a shared results folder,
where the names without a suffix belong to the protocol that marks like that code. Texts are joined by sample, never by image, and
`gt_explanation` is the first of several, as in that code. On synthetic data tables of samples have one more column.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from snellen.core.arm import Arm
from snellen.core.cells import Cell, csv_bytes
from snellen.core.extras import RunFacts
from snellen.core.records import Manifest
from snellen.core.types import Answer, Mark, Sample
from snellen.exams.vqa_nle.entropy.spans import token_entropy_cell
from snellen.exams.vqa_nle.exports import entropy, grid
from snellen.exams.vqa_nle.marking.base import NleProtocol
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL, RATIONALE, TASKS, wants_explanation
from snellen.exams.vqa_nle.reading.multimodal_vqa_eval import accuracy, majority_answer
from snellen.synthetic.writing import write_bytes

EXPLAINED = "with_explanation"
STATS = "explanation_stats.csv"
STATS_COLUMNS = (
    *("model", "task", "split", "prompt_mode", "accuracy"),
    *("n_samples", "valid_expl_pct", "valid_expl_count", "total_samples"),
)
SHORT = {"hf/llava-hf/llava-1.5-7b-hf": "llava", "hf/qwen/qwen3-vl-8b-instruct": "qwen"}
LONGEST_NAME = 60


def short_name(spec: str) -> str:
    """Return the model's name for file and column names.

    It is `llava` or `qwen` only for the two models of multimodal-vqa-eval. For others it is a slug of the kind, the owner and the name, so
    that two models are not confused.

    >>> [short_name(s) for s in ("llava", "hf/Qwen/Qwen3-VL-8B-Instruct", "hf/models/llava", "ollama/llava:7b")]
    ['llava', 'qwen', 'hf-models-llava', 'ollama-llava-7b']
    >>> short_name("hf//data/mine/llava"), short_name("hf//backup/mine/llava")
    ('hf-mine-llava-3c130699', 'hf-mine-llava-4d426224')
    """
    known = SHORT.get(spec.lower(), spec)
    kind, *rest = known.lower().split("/")
    slug = re.sub(r"[^a-z0-9.]+", "-", "-".join([kind, *rest[-2:]])).replace("..", ".").strip("-.") or "model"
    if len(slug) <= LONGEST_NAME and len(rest) <= 2:
        return slug
    return f"{slug[: LONGEST_NAME - 9]}-{zlib.crc32(spec.encode('utf-8', 'replace')):08x}"


# ---------------------------------------------------------------- one split of a run


class _Split(NamedTuple):
    """The rows of one split, and the counts for the summary files."""

    name: str
    rows: list[list[Cell]]
    marked: list[float]
    valid: list[bool]


def _splits_of(task: str, run: RunFacts) -> list[_Split]:
    """Return all samples of a run, by split, in the order of the data. The original has no table with VCR's rationales, so they are left
    out.
    """
    found: dict[str, _Split] = {}
    for sample, answer, mark in run.records() if run.records else ():
        if sample.tags["task"] == RATIONALE:
            continue
        name = sample.tags["split"]
        split = found.setdefault(name, _Split(name, [[*TASKS[task].columns]], [], []))
        split.rows.append(_row(task, sample, answer, mark, explained=wants_explanation(run.prompt)))
        correct = mark.metrics.get("accuracy")
        if isinstance(correct, int | float):
            split.marked.append(correct)
        split.valid.append(isinstance(run.protocol, NleProtocol) and run.protocol.valid(mark))
    return [split._replace(rows=entropy.marked_synthetic(split.rows, run)) for split in found.values()]


def _row(task: str, sample: Sample, answer: Answer, mark: Mark, *, explained: bool) -> list[Cell]:
    """Return one sample in the columns of its task. A cell is empty without a value: no truth, no reply, no explanation."""
    facts, reading, truth = sample.facts, mark.reading or {}, sample.truth or {}
    said, spoken = reading.get("explanation") or "", reading.get("answer") or ""
    image = PurePosixPath(facts.get("image_name") or "").name
    number = re.match(r"\d+", image)  # a Flickr30k file is named after its number
    answers = truth.get("answers") or [""]
    # the majority of VQA-X's annotators, compared as in multimodal-vqa-eval
    gold = (majority_answer(answers) or "") if task == "vqax" else answers[0]
    correct = mark.metrics.get("accuracy")
    values: dict[str, Cell] = {
        "image_id": facts.get("image_id"),
        "image_name": image,
        "image_numeric_id": number.group() if number else "",
        "question": facts.get("question"),
        "hypothesis": facts.get("hypothesis"),
        "gt_answer": gold,
        "gt_label": gold,
        "generated_answer": spoken,
        "generated_label": spoken,
        "gt_explanation": (truth.get("explanations") or [""])[0],
        "generated_explanation": said if explained else "",
        "correct": int(correct) if isinstance(correct, float) and correct.is_integer() else correct,
        "token_entropy": token_entropy_cell(answer.tokens, said) if explained else "",
    }
    return [values[c] for c in TASKS[task].columns]


def _result(run: RunFacts, split: _Split) -> grid.GridResult | None:
    """Return a split's result for the grid; None if nothing was marked."""
    reached, manifest = accuracy(split.marked), run.manifest
    if reached is None:
        return None
    return grid.GridResult(
        accuracy=reached,
        n_samples=len(split.valid),
        prompt_mode=run.prompt,
        protocol=run.protocol.name,
        run=f"{manifest.subject.spec} {manifest.created} {manifest.data.fingerprint[:12]}".strip(),
        synthetic=manifest.data.synthetic,
    )


def _stats_row(task: str, run: RunFacts, split: _Split, model: str) -> list[Cell]:
    """Return a split's row of explanation_stats.csv."""
    total, valid = len(split.valid), sum(split.valid)
    named = f"{model}{run.manifest.data.note}"
    reached = accuracy(split.marked)
    return [named, TASKS[task].grid_row, split.name, run.prompt, reached, total, 100.0 * valid / total, valid, total]


def _home(prompt: str) -> str:
    """Return the folder of a prompt's files."""
    return EXPLAINED if wants_explanation(prompt) else "without_explanation"


def _table(task: str, run: RunFacts, split: _Split, model: str) -> Iterator[tuple[str, bytes]]:
    return grid.table_files(f"{model}_results/{task}_{split.name}_eval", "eval", split.rows, _created(run.manifest))


def _created(manifest: Manifest) -> datetime | None:
    try:
        return datetime.fromisoformat(manifest.created).replace(tzinfo=None)
    except ValueError:
        return None


# ---------------------------------------------------------------- the files of a run, and of a shared results folder


def exports(task: str, run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield all files of a run's first protocol."""
    if run.records is None:
        return
    home, model = _home(run.prompt), short_name(run.manifest.subject.spec)
    whole = grid.blank()
    stats: list[Sequence[Cell]] = [STATS_COLUMNS]
    for split in _splits_of(task, run):
        yield from ((f"{home}/{name}", content) for name, content in _table(task, run, split, model))
        if (result := _result(run, split)) is not None:
            whole.put(TASKS[task].grid_row, f"{model}_{split.name}", result)
        stats.append(_stats_row(task, run, split, model))
    if not Arm.parse(run.prompt).control:  # controls are not in the grid
        yield from ((f"{home}/{name}", content) for name, content in grid.files(whole, _created(run.manifest)))
    if home == EXPLAINED:
        yield f"{home}/{STATS}", csv_bytes(stats)
    yield from entropy.exports(run)


def publish(task: str, run: RunFacts, results: Path) -> Iterator[str]:
    """Merge a run into a shared `results` folder, and yield a message for each step.

    It merges the grid, the statistics, and the table of every sample if the grid shows this run.

    Results of protocols other than multimodal-vqa-eval's have names of their own, because marks by different rules are not comparable.
    """
    from filelock import FileLock

    if run.records is None or Arm.parse(run.prompt).control:
        return
    home, model, row = results / _home(run.prompt), short_name(run.manifest.subject.spec), TASKS[task].grid_row
    if run.protocol.name != MULTIMODAL_VQA_EVAL:
        model = f"{model}@{run.protocol.name}"
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(home / ".accuracy_grid.lock"):  # one writer at a time
        for split in _splits_of(task, run):
            whole, column, result = grid.read(home), f"{model}_{split.name}", _result(run, split)
            files = dict(_table(task, run, split, model))
            if result is None:
                said, shown = "nothing was marked", False
            elif why := whole.why_not(row, column, result):
                said, shown = f"the grid and its table stay: {why}; this run's own are in its exports", False
            else:
                said, shown = result.text, True
                whole.put(row, column, result)
                files |= dict(grid.files(whole))
            if shown or not any((home / name).exists() for name in files):
                for name, content in files.items():
                    write_bytes(home / name, content)
            if home.name == EXPLAINED:
                _append_stats(home / STATS, csv_bytes([_stats_row(task, run, split, model)]))
            yield f"{row} {column}: {said}"


def _append_stats(path: Path, line: bytes) -> None:
    """Add a row to explanation_stats.csv, unless it is already there."""
    lines = (path.read_bytes() if path.is_file() else csv_bytes([STATS_COLUMNS])).splitlines(keepends=True)
    if line not in lines:
        write_bytes(path, b"".join([*lines, line]))
