"""The accuracy grid of multimodal-vqa-eval: one cell `accuracy (n_samples)` for each task, model and split.

A sidecar, accuracy_grid.json, keeps what the cells cannot: the unrounded accuracy, the prompt mode, the protocol and the run. A result
replaces a cell where it has more samples, or as many and a higher accuracy, under the same protocol. Real data comes before synthetic,
and a run that is marked again replaces its own result. (multimodal-vqa-eval replaces a cell by any higher accuracy.)
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen.core.cells import Cell, WorkbookSheet, csv_bytes, from_cell, json_bytes, workbook
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.records import Record
from snellen.exams.vqa_nle.names import TASKS
from snellen.synthetic.writing import write_bytes

COLUMNS = tuple(f"{model}_{split}" for model in ("llava", "qwen") for split in ("train", "test", "val"))
CSV, XLSX, SIDECAR = "accuracy_grid.csv", "accuracy_grid.xlsx", "accuracy_grid.json"


class GridResult(Record, frozen=True):
    """What one run reached."""

    accuracy: float
    n_samples: int = 0
    prompt_mode: str = "zero"
    protocol: str = ""
    run: str = ""
    synthetic: bool = False

    @property
    def text(self) -> str:
        """The cell; multimodal-vqa-eval reads the number at its beginning.

        >>> GridResult(accuracy=0.7204, n_samples=100).text, GridResult(accuracy=0.5, n_samples=9, synthetic=True).text
        ('0.720 (100)', '0.500 (9) synthetic')
        """
        return f"{self.accuracy:.3f} ({self.n_samples}){' synthetic' if self.synthetic else ''}"


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


class _AccuracyGrid(NamedTuple):
    """The cells by task and column, as the CSV file has them, and the results that they show. Unknown rows and columns stay."""

    columns: list[str]
    rows: dict[str, dict[str, str]]
    results: dict[str, dict[str, GridResult]]


class Update(NamedTuple):
    """What became of a result: whether its cell shows it now, and a sentence that says why."""

    shown: bool
    why: str


def blank() -> _AccuracyGrid:
    """Return the grid before the first result."""
    return _AccuracyGrid([*COLUMNS], {task.grid_row: {} for task in TASKS.values()}, {})


def parse_result(cell: str) -> GridResult | None:
    """Read a cell of which no result is known: one that multimodal-vqa-eval wrote.

    >>> parse_result("0.812, soft:0.873 (100)").text, parse_result("0.7").text, parse_result("abc")
    ('0.812 (100)', '0.700 (0)', None)
    """
    found = re.match(r"\s*(\d+(?:\.\d+)?)(?:.*\((\d+)\)\s*(synthetic)?\s*$)?", cell)
    if found is None:
        return None
    return GridResult(
        accuracy=float(found[1]), n_samples=int(found[2] or 0), prompt_mode="", synthetic=found[3] is not None
    )


def _why_not(new: GridResult, old: GridResult) -> str:
    """Return why the old result stays; empty where the new one replaces it."""
    if new.run and (new.run, new.prompt_mode, new.protocol) == (old.run, old.prompt_mode, old.protocol):
        return ""
    if old.protocol and new.protocol != old.protocol:
        return f"that is by the protocol {new.protocol or 'unknown'}, this by {old.protocol}"
    if new.synthetic != old.synthetic:
        return "that is on synthetic data, this is not" if new.synthetic else ""
    if new.n_samples != old.n_samples:
        return f"that is on {new.n_samples} samples only" if new.n_samples < old.n_samples else ""
    return "" if new.accuracy > old.accuracy else "that is no better"


def take_in(grid: _AccuracyGrid, entry: GridEntry) -> Update:
    """Take a result into the grid."""
    new, column, place = entry.result, entry.column, f"{entry.task} {entry.column}"
    if new is None:
        return Update(False, f"{place}: nothing was marked, the cell stays")
    if "+" in new.prompt_mode:
        return Update(False, f"{place}: '{new.prompt_mode}' is a control, the cell stays")
    cells, known = grid.rows.setdefault(entry.task, {}), grid.results.setdefault(entry.task, {})
    cell, old = cells.get(column, ""), known.get(column)
    if old is None or old.text != cell:  # the cell was written by hand or by multimodal-vqa-eval
        old = parse_result(cell)
    if old is not None and (reason := _why_not(new, old)):
        return Update(False, f"{place} keeps {cell}, not {new.text} ({new.prompt_mode}): {reason}")
    if column not in grid.columns:
        grid.columns.append(column)
    cells[column], known[column] = new.text, new
    return Update(True, f"{place}: {new.text} ({new.prompt_mode})")


# ---------------------------------------------------------------- files


def table_files(
    name: str, sheet: str, rows: Sequence[Sequence[Cell]], created: datetime | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield a table as CSV and Excel files. Without the extra `excel` a note takes the place of the second: the answers are paid for."""
    yield f"{name}.csv", csv_bytes(rows)
    try:
        yield f"{name}.xlsx", workbook([WorkbookSheet(sheet, rows)], created)
    except MissingExtra as error:
        yield f"{name}.xlsx.missing.txt", f"{error}\n".encode()


def files(grid: _AccuracyGrid, created: datetime | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the grid's files: CSV, Excel and the sidecar."""
    rows = ([task, *(cells.get(c, "") for c in grid.columns)] for task, cells in grid.rows.items())
    yield from table_files("accuracy_grid", "accuracy", [["task", *grid.columns], *rows], created)
    yield SIDECAR, json_bytes(grid.results)


def read(folder: Path) -> _AccuracyGrid:
    """Read the grid of a results folder; a blank one where there is none. The CSV file counts, the sidecar only explains it."""
    path, sidecar = folder / CSV, folder / SIDECAR
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
    try:
        results = msgspec.json.decode(
            sidecar.read_bytes() if sidecar.is_file() else b"{}", type=dict[str, dict[str, GridResult]]
        )
    except msgspec.MsgspecError as error:
        raise SnellenError(f"{sidecar}: cannot be read ({error}): move it away, the grid itself is in {CSV}") from None
    return _AccuracyGrid(header, cells, results)


def update(results_dir: Path, entry: GridEntry) -> Update:
    """Take a result into the grid of a shared folder (`results/with_explanation`, say); one writer at a time."""
    from filelock import FileLock

    results_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(results_dir / ".accuracy_grid.lock"):
        grid = read(results_dir)
        update = take_in(grid, entry)
        for name, content in files(grid):
            if name.endswith(".missing.txt"):
                update = update._replace(why=f"{update.why} {content.decode().strip()}")
            else:
                write_bytes(results_dir / name, content)
    return update
