"""The accuracy grid of multimodal-vqa-eval: one cell `accuracy (n_samples)` for each task, model and split.

A sidecar, accuracy_grid.json, keeps the details of each cell: the unrounded accuracy, the prompt mode, the protocol and the run. A result
replaces a cell if it has more samples, or as many and a higher accuracy. Real data takes precedence over synthetic data. A run that is
marked again replaces its own result. (multimodal-vqa-eval replaces a cell by any higher accuracy.)
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

COLUMNS = tuple(f"{model}_{split}" for model in ("llava", "qwen") for split in ("train", "test", "val"))
CSV, SIDECAR = "accuracy_grid.csv", "accuracy_grid.json"


class GridResult(Record, frozen=True):
    """The result of one run."""

    accuracy: float
    n_samples: int = 0
    prompt_mode: str = "zero"
    protocol: str = ""
    run: str = ""
    synthetic: bool = False

    @property
    def text(self) -> str:
        """The text of the cell; multimodal-vqa-eval reads the number at its beginning.

        >>> GridResult(accuracy=0.7204, n_samples=100).text, GridResult(accuracy=0.5, n_samples=9, synthetic=True).text
        ('0.720 (100)', '0.500 (9) synthetic')
        """
        return f"{self.accuracy:.3f} ({self.n_samples}){' synthetic' if self.synthetic else ''}"


def parse_result(cell: str) -> GridResult | None:
    """Read a cell without a known result: one that multimodal-vqa-eval wrote.

    >>> parse_result("0.812, soft:0.873 (100)").text, parse_result("0.7").text, parse_result("abc")
    ('0.812 (100)', '0.700 (0)', None)
    """
    found = re.match(r"\s*(\d+(?:\.\d+)?)(?:.*\((\d+)\)\s*(synthetic)?\s*$)?", cell)
    if found is None:
        return None
    return GridResult(
        accuracy=float(found[1]), n_samples=int(found[2] or 0), prompt_mode="", synthetic=found[3] is not None
    )


class _AccuracyGrid(NamedTuple):
    """The cells by task and column, as in the CSV file, and their results. Unknown rows and columns are kept."""

    columns: list[str]
    rows: dict[str, dict[str, str]]
    results: dict[str, dict[str, GridResult]]

    def why_not(self, row: str, column: str, new: GridResult) -> str:
        """Return why a cell keeps its value; empty if a new result replaces it."""
        cell = self.rows.get(row, {}).get(column, "")
        old = self.results.get(row, {}).get(column)
        if old is None or old.text != cell:  # the cell was written by hand or by multimodal-vqa-eval
            old = parse_result(cell)
        if old is None or (new.run and (new.run, new.prompt_mode) == (old.run, old.prompt_mode)):
            return ""
        if new.synthetic != old.synthetic:
            return "that is on synthetic data, this is not" if new.synthetic else ""
        if new.n_samples != old.n_samples:
            return f"that is on {new.n_samples} samples only" if new.n_samples < old.n_samples else ""
        return "" if new.accuracy > old.accuracy else "that is no better"

    def put(self, row: str, column: str, new: GridResult) -> None:
        """Write a result to its cell."""
        if column not in self.columns:
            self.columns.append(column)
        self.rows.setdefault(row, {})[column] = new.text
        self.results.setdefault(row, {})[column] = new

    def table(self) -> list[list[Cell]]:
        """Return the rows of the CSV file."""
        rows: list[list[Cell]] = [["task", *self.columns]]
        rows += [[row, *(cells.get(c, "") for c in self.columns)] for row, cells in self.rows.items()]
        return rows


def blank() -> _AccuracyGrid:
    """Return an empty grid."""
    return _AccuracyGrid([*COLUMNS], {task.grid_row: {} for task in TASKS.values()}, {})


def table_files(
    name: str, sheet: str, rows: Sequence[Sequence[Cell]], created: datetime | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield a table as CSV and Excel files. Without the extra `excel`, a note replaces the Excel file instead of an error, because the
    answers are already paid for.
    """
    yield f"{name}.csv", csv_bytes(rows)
    try:
        yield f"{name}.xlsx", workbook([WorkbookSheet(sheet, rows)], created)
    except MissingExtra as error:
        yield f"{name}.xlsx.missing.txt", f"{error}\n".encode()


def files(grid: _AccuracyGrid, created: datetime | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the grid's files: CSV, Excel and the sidecar."""
    yield from table_files("accuracy_grid", "accuracy", grid.table(), created)
    yield SIDECAR, json_bytes(grid.results)


def read(folder: Path) -> _AccuracyGrid:
    """Read the grid of a results folder; return an empty one if there is none. The CSV file is authoritative, and the sidecar only explains
    it.
    """
    path, sidecar = folder / CSV, folder / SIDECAR
    if not path.is_file():
        return blank()
    try:
        rows = [[from_cell(c) for c in row] for row in csv.reader(io.StringIO(path.read_text("utf-8"))) if row]
        header = rows[0][1:]
        cells = {row[0]: {c: v for c, v in zip(header, row[1:], strict=False) if v} for row in rows[1:]}
        known = sidecar.read_bytes() if sidecar.is_file() else b"{}"
        results = msgspec.json.decode(known, type=dict[str, dict[str, GridResult]])
    except (UnicodeDecodeError, csv.Error, IndexError, msgspec.MsgspecError) as error:
        raise SnellenError(f"{path} or {SIDECAR}: not a grid ({error}): move both away to start a new one") from None
    return _AccuracyGrid(header, cells, results)
