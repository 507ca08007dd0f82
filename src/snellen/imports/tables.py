"""Tables that people and tools write: CSV, TSV, Excel, JSON and JSON lines, as rows of cells by their column's name."""

from __future__ import annotations

import csv
import io
import math
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers import expat

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line
from snellen.imports.files import LARGEST_MEMBER, checked, decoded, objects

MARKS = (",", ";", "\t")
"""What stands between cells: spreadsheets write semicolons where the comma is in numbers."""
FORMS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".ndjson")

MOST_CELLS, MOST_TAGS, MOST_ROWS = 5_000_000, 4_000_000, 1_048_576
"""Bounds: cells that are kept of any table; of a workbook XML elements (two or three a cell), and rows, as Excel has it."""


def rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every row, with how messages name it."""
    form = checked(path).suffix.lower()
    if form in (".jsonl", ".ndjson"):
        found = [(f"line {number}", row) for number, row in objects(path)]
    elif form == ".json":
        found = [(f"record {i}", row) for i, row in enumerate(_records(path), 1)]
    elif form in (".csv", ".tsv"):
        found = list(_separated(path, "\t" if form == ".tsv" else ""))
    elif form == ".xlsx":
        found = list(_sheet(path))
    else:
        raise SnellenError(f"{path}: not a table that is read here; {', '.join(FORMS)} are")
    if not found:
        raise SnellenError(f"{path}: it has no rows")
    return [(f"{path.name} {where}", row) for where, row in found]


def _records(path: Path) -> list[dict[str, Any]]:
    """A list of objects, or pandas' form of columns: each an object of cells by row."""
    document: Any = decoded(path.read_bytes(), object, str(path))
    if isinstance(document, list) and all(isinstance(record, dict) for record in document):
        return document
    every = document.items() if isinstance(document, dict) else ()
    columns = {name: column for name, column in every if isinstance(column, dict)}
    if not columns:
        raise SnellenError(f"{path}: neither a list of objects nor columns of cells")
    keys = list(dict.fromkeys(key for column in columns.values() for key in column))
    _check_cells(path, len(keys) * len(columns))
    return [{name: column.get(key) for name, column in columns.items()} for key in keys]


def _separated(path: Path, mark: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of cells with this mark between them; without one, with the first that the header has."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        mark = mark or next((m for m in MARKS if m in first), MARKS[0])
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        head = table.fieldnames or ()
        _check_head(path, head)
        for number, row in enumerate(table, 1):
            _check_cells(path, number * len(head))
            if None in row:
                raise SnellenError(f"{path} line {table.line_num}: more cells than the header has columns")
            yield f"line {table.line_num}", row
    except UnicodeDecodeError as error:
        raise SnellenError(f"{path}: not UTF-8 text ({error})") from None
    except csv.Error as error:
        raise SnellenError(f"{path} line {table.line_num}: cannot be read as a table ({error})") from None


def _check_head(path: Path, names: Iterable[str]) -> None:
    """Refuse a table in which one column would hide another of the same name. Those without a name are not read."""
    doubled = [name for name, count in Counter(name.strip() for name in names).items() if name and count > 1]
    if doubled:
        raise SnellenError(f"{path}: the column {', '.join(sorted(doubled))!r} is there twice")


def _check_cells(path: Path, cells: int) -> None:
    """Refuse a table with more cells than are kept: a short row and a missing cell take memory, too."""
    if cells > MOST_CELLS:
        raise SnellenError(f"{path}: more than {MOST_CELLS:,} cells, empty ones included; save a smaller table")


def _sheet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The first sheet of a workbook. Formulas and macros are not run: a cell is the value that was stored."""
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra(f"{path}: reading Excel files", "import") from None
    try:
        _check_workbook(path)
        with warnings.catch_warnings(action="ignore"):  # of features that have no part in values
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            try:
                yield from _cells(path, book.worksheets[0])
            finally:
                book.close()
    except (SnellenError, MemoryError, GeneratorExit):
        raise
    except Exception as error:  # what openpyxl raises for a broken file is nearly anything
        raise SnellenError(f"{path}: no Excel workbook, or a torn one ({one_line(str(error), 200)})") from None


def _cells(path: Path, sheet: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows below the first that has anything in it, which names the columns. Cells right of the last name are not read."""
    sheet.reset_dimensions()  # what the file says of its size may be wrong
    lines = enumerate(sheet.iter_rows(values_only=True, max_row=MOST_ROWS), 1)
    at, first_line = next(((n, line) for n, line in lines if any(cell is not None for cell in line)), (0, ()))
    head = {i: str(name) for i, name in enumerate(first_line) if name is not None}
    if not head:
        return
    _check_head(path, head.values())
    cells = 0
    below = sheet.iter_rows(min_row=at + 1, max_row=MOST_ROWS, max_col=max(head) + 1, values_only=True)
    for number, row in enumerate(below, at + 1):
        cells += len(row)
        _check_cells(path, cells)
        if all(cell is None for cell in row):
            continue
        yield f"row {number}", {name: row[i] for i, name in head.items()}


def _check_workbook(path: Path) -> None:
    """Refuse a workbook that would take all memory, before it is read: by what is in it, not by what it says of its size."""
    room, tags = LARGEST_MEMBER, 0

    def count(_name: str, _attributes: Any) -> None:
        nonlocal tags
        tags += 1

    def refuse(*_told: Any) -> None:
        raise SnellenError(f"{path}: it declares XML entities, and no program writes such workbooks")

    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            parser = expat.ParserCreate()
            parser.StartElementHandler, parser.StartDoctypeDeclHandler = count, refuse
            other = () if name.endswith((".xml", ".rels")) else (expat.ExpatError,)  # a picture, maybe
            with suppress(*other), packed.open(name) as member:
                while chunk := member.read(1 << 16):
                    room -= len(chunk)
                    if room < 0 or tags > MOST_TAGS:
                        what = f"{LARGEST_MEMBER:,} bytes" if room < 0 else f"{MOST_TAGS:,} XML elements"
                        raise SnellenError(f"{path}: unpacked it is larger than {what}; save it as a CSV file")
                    parser.Parse(chunk)


def first_column(rows: Sequence[Mapping[str, Any]], names: tuple[str, ...]) -> str:
    """Return the first of some columns that a table has, for all of its rows: an empty cell is not filled from another column.

    >>> first_column([{"id": 1, "text": "a"}, {"id": 2, "response": ""}], ("response", "text"))
    'response'
    """
    return next((name for name in names if any(name in row for row in rows)), "")


def text_of(cell: Any) -> str:
    """A cell as text; a spreadsheet's whole number without the point that it was never written with.

    >>> text_of(3.0), text_of(None), text_of("a")
    ('3', '', 'a')
    """
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def score_of(where: str, cell: Any) -> float | None:
    """Return a cell as a score, None for an empty one; refuse what is not a number: without it, scores would be lost unsaid."""
    score, text = number_of(cell), text_of(cell).strip()
    if score is None and text and not _is_number(text):
        raise SnellenError(f"{where}: the score {one_line(text, 40)!r} is not a number; write 0.5 for 0,5 and for 50%")
    return score


def _is_number(text: str) -> bool:
    """Return True also for numbers that no calculation can use, such as nan and 1e999."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def number_of(cell: Any) -> float | None:
    """A cell as a score; words for right and wrong are numbers, too.

    >>> number_of("True"), number_of("0.5"), number_of(""), number_of("x"), number_of(10**400), number_of("1e999")
    (1.0, 0.5, None, None, None, None)
    """
    said = cell if isinstance(cell, int | float) else str(cell or "").strip().lower()
    if said in ("true", "yes", "false", "no"):
        return float(said in ("true", "yes"))
    try:
        found = float(said)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
