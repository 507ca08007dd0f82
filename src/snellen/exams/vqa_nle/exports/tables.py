"""The files that multimodal-vqa-eval defines: a table of every sample, the accuracy grid, and statistics of explanations.

Names and columns are those of its README. In a run folder the files hold this run alone; `publish` merges them into a shared
results folder, where the names without a suffix are those of the protocol that marks as that code does. Texts are joined by
sample, never by image, and `gt_explanation` is the first of several, as there. On synthetic data tables of samples have one more column.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.cells import Cell, csv_bytes, json_bytes
from snellen.core.errors import SnellenError
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
STATS, STATS_SIDECAR = "explanation_stats.csv", "explanation_stats.json"  # the second: which run a row is of
STATS_COLUMNS = (
    *("model", "task", "split", "prompt_mode", "accuracy"),
    *("n_samples", "valid_expl_pct", "valid_expl_count", "total_samples"),
)
SHORT = {"hf/llava-hf/llava-1.5-7b-hf": "llava", "hf/qwen/qwen3-vl-8b-instruct": "qwen"}
LONGEST_NAME = 60


def short_name(spec: str) -> str:
    """Return the model's name in file and column names: `llava` and `qwen` for the two models of multimodal-vqa-eval alone; for others a
    slug of the kind, the owner and the name, so that two models are not taken for one.

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


def _run_id(manifest: Manifest) -> str:
    """Return what tells two runs apart."""
    return f"{manifest.subject.spec} {manifest.created} {manifest.data.fingerprint[:12]}".strip()


def _folder(prompt: str) -> str:
    """Return where the files of a prompt go."""
    return EXPLAINED if wants_explanation(prompt) else "without_explanation"


# ---------------------------------------------------------------- one split of a run


class _Split(NamedTuple):
    """The rows of one split, and the counts that the summary files need."""

    name: str
    rows: list[list[Cell]]
    marked: list[float]
    valid: list[bool]


def _splits_of(task: str, run: RunFacts) -> list[_Split]:
    """Return all samples of a run, by split, in the order of the data. VCR's rationales are in no table of the original's."""
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
    """Return one sample in the columns of its task. A cell is empty where there is nothing to say: no truth, no reply, no explanation."""
    reading = mark.reading if isinstance(mark.reading, dict) else {}
    facts, said = sample.facts, str(reading.get("explanation") or "")
    image = PurePosixPath(str(facts.get("image_name") or "")).name
    number = re.match(r"\d+", image)  # a Flickr30k file is named after it
    truth = sample.truth if isinstance(sample.truth, dict) else {}
    answers, spoken = [str(a) for a in truth.get("answers") or ()], str(reading.get("answer") or "")
    # of VQA-X's annotators the majority, compared as multimodal-vqa-eval does
    gold = (majority_answer(answers) if task == "vqax" else next(iter(answers), None)) or ""
    correct = mark.metrics.get("accuracy")
    values: dict[str, Cell] = {
        "image_id": str(facts.get("image_id") or ""),
        "image_name": image,
        "image_numeric_id": number.group() if number else "",
        "question": str(facts.get("question") or ""),
        "hypothesis": str(facts.get("hypothesis") or ""),
        "gt_answer": gold,
        "gt_label": gold,
        "generated_answer": spoken,
        "generated_label": spoken,
        "gt_explanation": str((truth.get("explanations") or [""])[0]),
        "generated_explanation": said if explained else "",
        "correct": int(correct) if isinstance(correct, float) and correct.is_integer() else correct,
        "token_entropy": token_entropy_cell(answer.tokens, said) if explained else "",
    }
    return [values[c] for c in TASKS[task].columns]


# ---------------------------------------------------------------- files of a run


def exports(task: str, run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield all files of a run's first protocol."""
    if run.records is None:
        return
    home, model = _folder(run.prompt), short_name(run.manifest.subject.spec)
    whole, created = grid.blank(), _created(run.manifest)
    stats: list[Sequence[Cell]] = [STATS_COLUMNS]
    for split in _splits_of(task, run):
        yield from grid.table_files(f"{home}/{_table(model, task, split)}", "eval", split.rows, created)
        grid.take_in(whole, _entry(task, run, split, model))
        stats.append(_stats_row(task, run, split, model))
    if not Arm.parse(run.prompt).control:  # a control has no place in the grid
        yield from ((f"{home}/{name}", content) for name, content in grid.files(whole, created))
    if home == EXPLAINED:
        yield f"{home}/{STATS}", csv_bytes(stats)
    yield from entropy.exports(run)


def _table(model: str, task: str, split: _Split) -> str:
    return f"{model}_results/{task}_{split.name}_eval"


def _created(manifest: Manifest) -> datetime | None:
    try:
        return datetime.fromisoformat(manifest.created).replace(tzinfo=None)
    except ValueError:
        return None


def _entry(task: str, run: RunFacts, split: _Split, model: str) -> grid.GridEntry:
    """Return a split's result for the grid, under a model's name."""
    reached, result = accuracy(split.marked), None
    if reached is not None:
        result = grid.GridResult(
            accuracy=reached,
            n_samples=len(split.valid),
            prompt_mode=run.prompt,
            protocol=run.protocol.name,
            run=_run_id(run.manifest),
            synthetic=run.manifest.data.synthetic,
        )
    return grid.GridEntry(TASKS[task].grid_row, model, split.name, result)


def _stats_row(task: str, run: RunFacts, split: _Split, model: str) -> list[Cell]:
    """Return a split's row of explanation_stats.csv."""
    total, valid = len(split.valid), sum(split.valid)
    share = 100.0 * valid / total if total else 0.0
    named = f"{model}{run.manifest.data.note}"
    return [named, TASKS[task].grid_row, split.name, run.prompt, accuracy(split.marked), total, share, valid, total]


# ---------------------------------------------------------------- a shared results folder


def publish(task: str, run: RunFacts, results: Path) -> Iterator[grid.Update]:
    """Merge a run into a shared `results` folder: update the grid and the statistics, and write the table of every sample where the
    grid shows this run.

    Results of other protocols than multimodal-vqa-eval's have names of their own: marks by different rules are not to be compared.
    """
    if run.records is None:
        return
    home, model, protocol = results / _folder(run.prompt), short_name(run.manifest.subject.spec), run.protocol.name
    if protocol != MULTIMODAL_VQA_EVAL:
        model = f"{model}@{protocol}"
    for split in _splits_of(task, run):
        entry = _entry(task, run, split, model)
        update = grid.update(home, entry)
        file = _table(model, task, split)
        if update.shown or not ((home / f"{file}.csv").exists() or Arm.parse(run.prompt).control):
            for name, content in grid.table_files(file, "eval", split.rows, _created(run.manifest)):
                write_bytes(home / name, content)
        else:
            update = update._replace(why=f"{update.why} {file}.csv stays as it is; this run's own is in its exports")
        if home.name == EXPLAINED:
            key = " ".join((_run_id(run.manifest), entry.task, split.name, run.prompt, protocol))
            _append_stats(home / STATS, _stats_row(task, run, split, model), key)
        yield update


def _append_stats(path: Path, values: Sequence[Cell], key: str) -> None:
    """Add a row to explanation_stats.csv, or replace the row that the same run (`key`) has there."""
    from filelock import FileLock

    sidecar = path.with_name(STATS_SIDECAR)
    with FileLock(path.with_name(f".{path.name}.lock")):
        try:
            known = msgspec.json.decode(sidecar.read_bytes() if sidecar.is_file() else b"{}", type=dict[str, str])
        except msgspec.MsgspecError as error:
            raise SnellenError(
                f"{sidecar}: cannot be read ({error}): move it away, the rows themselves are in {STATS}"
            ) from None
        lines = (path.read_bytes() if path.is_file() else csv_bytes([STATS_COLUMNS])).splitlines(keepends=True)
        line, old = csv_bytes([values]), known.get(key, "").encode()
        if old in lines:
            lines[lines.index(old)] = line
        else:  # a new run, or the file was changed by others since
            lines.append(line)
        write_bytes(path, b"".join(lines))
        write_bytes(sidecar, json_bytes(known | {key: line.decode()}))
