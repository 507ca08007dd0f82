"""The accuracy grid of multimodal-vqa-eval: one cell `accuracy (n_samples)` for each task, model and split.

A sidecar, accuracy_grid.json, keeps what the cells cannot: the unrounded accuracy, the prompt mode, and the best result of every
prompt mode. Which result a cell shows is a named rule:

- `samples` (the default): real data before synthetic, then more samples, then higher unrounded accuracy. So the best of 10
  samples never hides a result on 1,000, in whichever order they come. A run that was marked anew replaces its own result. A
  result of another protocol is not compared at all: the cell keeps what it has, and says so.
- `multimodal-vqa-eval`: what that code does. A higher accuracy than the one in the cell, read back from its three decimals, whatever the
  number of samples. 0.7201 replaces 0.7204 there.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen.core.cells import Cell, WorkbookSheet, csv_bytes, from_cell, json_bytes, workbook
from snellen.core.errors import MissingExtra, SnellenError, unknown
from snellen.core.records import Record
from snellen.core.types import Struct
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL, TASKS
from snellen.synthetic.writing import write_bytes

COLUMNS = tuple(f"{model}_{split}" for model in ("llava", "qwen") for split in ("train", "test", "val"))
SYNTHETIC = "synthetic"
CSV, XLSX, SIDECAR = "accuracy_grid.csv", "accuracy_grid.xlsx", "accuracy_grid.json"
Rows = Sequence[Sequence[Cell]]


class GridResult(Record, frozen=True):
    """What one run reached."""

    accuracy: float
    n_samples: int = 0
    prompt_mode: str = "zero"
    soft_accuracy: float | None = None
    protocol: str = ""
    run: str = ""
    synthetic: bool = False

    @property
    def text(self) -> str:
        """The cell; multimodal-vqa-eval reads the number at its beginning back.

        >>> GridResult(accuracy=0.7204, n_samples=100).text, GridResult(accuracy=0.5, n_samples=9, synthetic=True).text
        ('0.720 (100)', '0.500 (9) synthetic')
        """
        soft = "" if self.soft_accuracy is None else f", soft:{self.soft_accuracy:.3f}"
        return f"{self.accuracy:.3f}{soft} ({self.n_samples}){f' {SYNTHETIC}' if self.synthetic else ''}"


class GridEntry(NamedTuple):
    """A result and its place. `result` is None where nothing could be marked; then nothing changes."""

    task: str
    model: str
    split: str
    result: GridResult | None

    @property
    def column(self) -> str:
        """The cell's column."""
        return f"{self.model.lower()}_{self.split.lower()}"


class CellMemory(Struct, frozen=True):
    """A cell's memory: the prompt mode of the result that it shows, and the best result of each mode."""

    shown: str
    results: dict[str, GridResult]


Memory = dict[str, dict[str, CellMemory]]


class Sidecar(Struct, frozen=True):
    """accuracy_grid.json."""

    cells: Memory


class AccuracyGrid(NamedTuple):
    """The table as the CSV file has it, and the memory behind its cells. Rows and columns that are unknown stay."""

    columns: list[str]
    rows: dict[str, dict[str, str]]
    memory: Memory


class Update(NamedTuple):
    """What became of a result: whether its cell shows it now, and a sentence that says why. `notes` are for the user."""

    shown: bool
    why: str
    notes: tuple[str, ...] = ()


def blank() -> AccuracyGrid:
    """The grid before the first result."""
    return AccuracyGrid([*COLUMNS], {task.grid_row: {} for task in TASKS.values()}, {})


def parse_accuracy(cell: object) -> float | None:
    """The accuracy that a cell shows, as multimodal-vqa-eval reads it back.

    >>> [parse_accuracy(c) for c in ("0.812, soft:0.873 (100)", "0.7(3)", "", "abc", None, 1)]
    [0.812, 0.7, None, None, None, 1.0]
    """
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    found = re.match(r"\s*(\d+(?:\.\d+)?)", cell) if isinstance(cell, str) else None
    return float(found[1]) if found else None


def parse_result(cell: str) -> GridResult | None:
    """What a cell says that has no memory: one that multimodal-vqa-eval wrote."""
    accuracy = parse_accuracy(cell)
    if accuracy is None:
        return None
    count = re.search(rf"\((\d+)\)\s*({SYNTHETIC})?\s*$", cell)
    made = count is not None and count[2] is not None
    return GridResult(accuracy=accuracy, n_samples=int(count[1]) if count else 0, prompt_mode="", synthetic=made)


# ---------------------------------------------------------------- rules


def _more_samples(new: GridResult, old: GridResult, cell: str) -> str | None:
    """Why the old result stays; None where the new one is better, or the same run marked anew."""
    if new.run and (new.run, new.prompt_mode, new.protocol) == (old.run, old.prompt_mode, old.protocol):
        return None
    if old.protocol and new.protocol != old.protocol:
        return f"that is by the protocol {new.protocol or 'unknown'}, this by {old.protocol}"
    if new.synthetic != old.synthetic:
        return "that is on synthetic data, this is not" if new.synthetic else None
    if new.n_samples != old.n_samples:
        return f"that is on {new.n_samples} samples only" if new.n_samples < old.n_samples else None
    return None if new.accuracy > old.accuracy else "that is no better"


def _higher_than_shown(new: GridResult, old: GridResult, cell: str) -> str | None:
    shown = parse_accuracy(cell)
    return None if shown is None or new.accuracy > shown else "that is no higher than the cell"


RULES: Mapping[str, Callable[[GridResult, GridResult, str], str | None]] = {
    "samples": _more_samples,
    MULTIMODAL_VQA_EVAL: _higher_than_shown,
}


def take_in(grid: AccuracyGrid, entry: GridEntry, rule: str = "samples") -> Update:
    """Take a result into the grid."""
    if rule not in RULES:
        raise unknown("rule", rule, RULES, of="the accuracy grid")
    new, place = entry.result, f"{entry.task} {entry.column}"
    if new is None:
        return Update(False, f"{place}: nothing was marked, the cell stays")
    if "+" in new.prompt_mode:
        return Update(False, f"{place}: '{new.prompt_mode}' is a control, the cell stays")
    cells = grid.rows.setdefault(entry.task, {})
    cell = cells.get(entry.column, "")
    memories = grid.memory.setdefault(entry.task, {})
    known = memories.get(entry.column, CellMemory(shown="", results={}))
    old = known.results.get(known.shown)
    if old is None or old.text != cell:  # multimodal-vqa-eval wrote here since, or before there was a memory
        old = parse_result(cell)
    reason = None if old is None else RULES[rule](new, old, cell)
    if entry.column not in grid.columns:
        grid.columns.append(entry.column)
    before = known.results.get(new.prompt_mode)
    better = before is None or _more_samples(new, before, before.text) is None
    results = known.results | ({new.prompt_mode: new} if reason is None or better else {})
    memories[entry.column] = CellMemory(shown=known.shown if reason else new.prompt_mode, results=results)
    if reason is not None:
        return Update(False, f"{place} keeps {cell}, not {new.text} ({new.prompt_mode}): {reason}")
    cells[entry.column] = new.text
    return Update(True, f"{place}: {new.text} ({new.prompt_mode})")


# ---------------------------------------------------------------- files


def table_files(name: str, sheet: str, rows: Rows, created: datetime | None = None) -> Iterator[tuple[str, bytes]]:
    """A table as CSV and Excel files; without the extra `excel` a note stands in for the second, for the answers are paid for."""
    yield f"{name}.csv", csv_bytes(rows)
    try:
        yield f"{name}.xlsx", workbook([WorkbookSheet(sheet, rows)], created)
    except MissingExtra as error:
        yield f"{name}.xlsx.missing.txt", f"{error}\n".encode()


def files(grid: AccuracyGrid, created: datetime | None = None) -> Iterator[tuple[str, bytes]]:
    """The grid's files: CSV, Excel and the sidecar."""
    rows = ([task, *(cells.get(c, "") for c in grid.columns)] for task, cells in grid.rows.items())
    yield from table_files("accuracy_grid", "accuracy", [["task", *grid.columns], *rows], created)
    yield SIDECAR, json_bytes(Sidecar(cells=grid.memory))


def read(folder: Path) -> AccuracyGrid:
    """The grid of a results folder; a blank one where there is none. The CSV file counts, the sidecar only explains it."""
    path = folder / CSV
    if not path.is_file():
        return blank()
    try:
        rows = [[from_cell(c) for c in row] for row in csv.reader(io.StringIO(path.read_text("utf-8"))) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise SnellenError(f"{path}: not a CSV file in UTF-8 ({error}): move it away to start a new grid") from None
    if not rows or rows[0][:1] != ["task"]:
        raise SnellenError(f"{path}: the first column must be 'task': move the file away to start a new grid")
    header = rows[0][1:]
    cells = {row[0]: {c: v for c, v in zip(header, row[1:], strict=False) if v} for row in rows[1:]}
    return AccuracyGrid(header, cells, _memory(folder / SIDECAR))


def _memory(path: Path) -> Memory:
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=Sidecar).cells
    except msgspec.MsgspecError as error:
        raise SnellenError(f"{path}: cannot be read ({error}): move it away, the grid itself is in {CSV}") from None


def update(results_dir: Path, entry: GridEntry, *, rule: str = "samples") -> Update:
    """Take a result into the grid of a shared folder (`results/with_explanation`, say); one writer at a time.

    Without the extra `excel` the CSV file is written all the same, and the notes say what is missing.
    """
    from filelock import FileLock

    results_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(results_dir / ".accuracy_grid.lock"):
        grid = read(results_dir)
        update = take_in(grid, entry, rule)
        for name, content in files(grid):
            if name.endswith(".missing.txt"):
                update = update._replace(notes=(content.decode().strip(),))
            else:
                write_bytes(results_dir / name, content)
    return update
