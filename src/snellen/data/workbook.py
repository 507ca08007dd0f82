"""Workbooks of Excel, read within bounds: the values that were stored. Formulas and macros are not run."""

from __future__ import annotations

import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any
from xml.parsers import expat

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line

LARGEST_UNPACKED = 256 << 20
MOST_CELLS, MOST_TAGS, MOST_ROWS = 5_000_000, 4_000_000, 1_048_576
"""Bounds on the cells kept and, for workbooks, on XML elements (two or three a cell) and rows (Excel's limit)."""


def check_head(path: Path, names: Iterable[str]) -> None:
    """Refuse a table in which one column would hide another of the same name. Those without a name are not read."""
    doubled = [name for name, count in Counter(name.strip() for name in names).items() if name and count > 1]
    if doubled:
        raise SnellenError(f"{path}: the column {', '.join(sorted(doubled))!r} is there twice")


def check_cells(path: Path, cells: int) -> None:
    """Refuse a table with more cells than the limit: a short row and a missing cell take memory, too."""
    if cells > MOST_CELLS:
        raise SnellenError(f"{path}: more than {MOST_CELLS:,} cells, empty ones included; save a smaller table")


def workbook_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of the first sheet by their number in it. Formulas and macros are not run: a cell is its stored value."""
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra(f"{path}: reading Excel files", "import") from None
    try:
        _check_workbook(path)
        with warnings.catch_warnings(action="ignore"):  # about features that do not affect values
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                yield from _cells(path, book.worksheets[0])
            finally:
                book.close()
    except (SnellenError, MemoryError, GeneratorExit):
        raise
    except Exception as error:  # openpyxl may raise almost anything for a broken file
        raise SnellenError(f"{path}: no Excel workbook, or a torn one ({one_line(str(error), 200)})") from None


def _cells(path: Path, sheet: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows below the first non-empty one, which names the columns. Cells right of the last name are not read."""
    sheet.reset_dimensions()  # the file's own dimensions may be wrong
    cells, first = 0, 1
    head: dict[int, str] = {}
    for line in sheet.iter_rows(max_row=MOST_ROWS):
        first += 1
        cells += len(line)
        check_cells(path, cells)
        head = {i: str(cell.value) for i, cell in enumerate(line) if cell.value is not None}
        if head:
            break
    if not head:
        return
    check_head(path, head.values())
    cells = 0
    below = sheet.iter_rows(min_row=first, max_row=MOST_ROWS, max_col=max(head) + 1)
    for number, row in enumerate(below, first):
        cells += len(row)
        check_cells(path, cells)
        if any(cell.value is not None for cell in row):
            yield number, {name: _shown(row[i]) for i, name in head.items()}


class FormattedCell(str):
    """The stored value of a cell that a spreadsheet shows differently: a share, a date or a time."""

    __slots__ = ()


def _shown(cell: Any) -> Any:
    """Return a cell's value, marked if people see another."""
    share = isinstance(cell.value, int | float) and "%" in (cell.number_format or "")
    return FormattedCell(cell.value) if share or isinstance(cell.value, date | time | timedelta) else cell.value


def _check_workbook(path: Path) -> None:
    """Refuse a workbook that would take all memory, before it is read: by its actual contents, not by its declared size."""
    room, tags = LARGEST_UNPACKED, 0

    def count(_name: str, _attributes: Any) -> None:
        nonlocal tags
        tags += 1

    def refuse(*_told: Any) -> None:
        raise SnellenError(f"{path}: it declares XML entities, and no program writes such workbooks")

    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            parser = expat.ParserCreate()
            parser.StartElementHandler, parser.StartDoctypeDeclHandler = count, refuse
            other = () if name.endswith((".xml", ".rels")) else (expat.ExpatError,)  # perhaps an image
            with suppress(*other), packed.open(name) as member:
                while chunk := member.read(1 << 20):
                    room -= len(chunk)
                    if room < 0 or tags > MOST_TAGS:
                        what = f"{LARGEST_UNPACKED:,} bytes" if room < 0 else f"{MOST_TAGS:,} XML elements"
                        raise SnellenError(f"{path}: unpacked it is larger than {what}; save it as a CSV file")
                    parser.Parse(chunk)
