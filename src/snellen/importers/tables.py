"""Tables written by people and tools (CSV, TSV, Excel, JSON and JSON lines), as rows of cells by their column's name."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.parquet import LONGEST_CELL
from snellen.data.workbook import check_cells, check_head, workbook_rows
from snellen.importers.files import checked, decoded, objects

MARKS = (",", ";", "\t")
"""Separators of cells. Spreadsheets write semicolons if numbers contain commas."""
FORMS = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".ndjson")


def rows(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return every row, with its name for messages."""
    form = checked(path).suffix.lower()
    if form in (".jsonl", ".ndjson"):
        found = [(f"line {number}", row) for number, row in objects(path)]
    elif form == ".json":
        found = [(f"record {i}", row) for i, row in enumerate(_records(path), 1)]
    elif form in (".csv", ".tsv"):
        found = list(_separated(path, "\t" if form == ".tsv" else ""))
    elif form == ".xlsx":
        found = [(f"row {number}", row) for number, row in workbook_rows(path)]
    else:
        raise SnellenError(f"{path}: not a table that is read here; {', '.join(FORMS)} are")
    if not found:
        raise SnellenError(f"{path}: it has no rows")
    return [(f"{path.name} {where}", row) for where, row in found]


def _records(path: Path) -> list[dict[str, Any]]:
    """Return a list of objects, or convert pandas' column format: each column is an object of cells by row."""
    document: Any = decoded(path.read_bytes(), object, str(path))
    if isinstance(document, list) and all(isinstance(record, dict) for record in document):
        return document
    every = document.items() if isinstance(document, dict) else ()
    columns = {name: column for name, column in every if isinstance(column, dict)}
    if not columns:
        raise SnellenError(f"{path}: neither a list of objects nor columns of cells")
    keys = list(dict.fromkeys(key for column in columns.values() for key in column))
    check_cells(path, len(keys) * len(columns))
    return [{name: column.get(key) for name, column in columns.items()} for key in keys]


def _separated(path: Path, mark: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows of cells with this separator. Without one, use the first that the header has."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        mark = mark or next((m for m in MARKS if m in first), MARKS[0])
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        head = table.fieldnames or ()
        check_head(path, head)
        for number, row in enumerate(table, 1):
            check_cells(path, number * len(head))
            if None in row:
                raise SnellenError(f"{path} line {table.line_num}: more cells than the header has columns")
            yield f"line {table.line_num}", row
    except UnicodeDecodeError as error:
        raise SnellenError(f"{path}: not UTF-8 text ({error})") from None
    except csv.Error as error:
        raise SnellenError(f"{path} line {table.line_num}: cannot be read as a table ({error})") from None


def first_column(rows: Sequence[Mapping[str, Any]], names: tuple[str, ...]) -> str:
    """Return the first of some columns that a table has, for all of its rows. An empty cell is not filled from another column.

    >>> first_column([{"id": 1, "text": "a"}, {"id": 2, "response": ""}], ("response", "text"))
    'response'
    """
    return next((name for name in names if any(name in row for row in rows)), "")


def text_of(cell: Any) -> str:
    """Return a cell as text. A spreadsheet's whole number loses the decimal point that it was never written with.

    >>> text_of(3.0), text_of(None), text_of("a")
    ('3', '', 'a')
    """
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def number_of(cell: Any, where: str = "") -> float | None:
    """Return a cell as a score. Words for right and wrong are numbers, too. Return None for an empty cell or an unusable number.

    With `where`, a text that is not a number is refused. Otherwise, scores would be lost silently.

    >>> number_of("True"), number_of("0.5"), number_of(""), number_of("x"), number_of(10**400), number_of("1e999")
    (1.0, 0.5, None, None, None, None)
    """
    said = cell if isinstance(cell, int | float) else str(cell or "").strip().lower()
    if said in ("true", "yes", "false", "no"):
        return float(said in ("true", "yes"))
    try:
        found = float(said)
    except OverflowError:
        return None
    except ValueError:
        if where and said:
            text = one_line(text_of(cell).strip(), 40)
            raise SnellenError(f"{where}: the score {text!r} is not a number; write 0.5 for 0,5 and for 50%") from None
        return None
    return found if math.isfinite(found) else None
