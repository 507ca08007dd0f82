"""Tables that people and tools write: CSV, TSV, Excel, JSON and JSON lines, as rows of cells by their column's name."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.errors import MissingExtra, SnellenError
from snellen.imports.files import LARGEST_MEMBER, checked, decoded, objects

MARKS = (",", ";", "\t")
"""What stands between cells: spreadsheets write semicolons where the comma is in numbers."""
FORMS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".ndjson")


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
    return [{name: column.get(key) for name, column in columns.items()} for key in keys]


def _separated(path: Path, mark: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of cells with this mark between them; without one, with the first that the header has."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        head = text.partition("\n")[0]
        mark = mark or next((m for m in MARKS if m in head), MARKS[0])
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark)
        for row in table:
            if None in row:
                raise SnellenError(f"{path} line {table.line_num}: more cells than the header has columns")
            yield f"line {table.line_num}", row
    except UnicodeDecodeError as error:
        raise SnellenError(f"{path}: not UTF-8 text ({error})") from None
    except csv.Error as error:
        raise SnellenError(f"{path}: cannot be read as a table ({error})") from None


def _sheet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The first sheet of a workbook. Formulas and macros are not run: a cell is the value that was stored."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtra(f"{path}: reading Excel files", "import") from None
    try:
        with zipfile.ZipFile(path) as packed:
            large = sum(info.file_size for info in packed.infolist())
        if large > LARGEST_MEMBER:
            raise SnellenError(f"{path}: unpacked it is larger than {LARGEST_MEMBER:,} bytes")
        with CalamineWorkbook.from_path(str(path)) as book:
            cells = book.get_sheet_by_index(0).to_python()
    except (zipfile.BadZipFile, CalamineError, OSError, ValueError, IndexError) as error:
        raise SnellenError(f"{path}: no Excel workbook, or a torn one ({error})") from None
    head = [str(name) for name in cells[0]] if cells else []
    for number, row in enumerate(cells[1:], 2):
        yield f"row {number}", dict(zip(head, row, strict=False))


def first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The first of some columns that has something in it."""
    return next((row[n] for n in names if row.get(n) not in (None, "")), None)


def text_of(cell: Any) -> str:
    """A cell as text; a spreadsheet's whole number without the point that it was never written with.

    >>> text_of(3.0), text_of(None), text_of("a")
    ('3', '', 'a')
    """
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def number_of(cell: Any) -> float | None:
    """A cell as a score; words for right and wrong are numbers, too.

    >>> number_of("True"), number_of("0.5"), number_of(""), number_of("x")
    (1.0, 0.5, None, None)
    """
    if isinstance(cell, bool | int | float):
        return float(cell)
    said = str(cell or "").strip().lower()
    if said in ("true", "yes", "false", "no"):
        return float(said in ("true", "yes"))
    try:
        return float(said)
    except ValueError:
        return None
