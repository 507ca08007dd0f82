"""Spreadsheet cells from hostile text: nothing in them runs, links or is cut silently, and a CSV cell can be read back.

A text that a spreadsheet could take for a formula gets one apostrophe in front. `from_cell` takes it off again: a text that
has apostrophes before such a beginning gets one more, so no two texts share a cell. Control characters (ANSI escapes too) are
shown as escapes; the exact reply is always in the run's answers.jsonl.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import MissingExtra
from snellen.core.text import for_terminal

# = + - @ and their full-width forms, also behind white space that an importer may trim; a first tab or line break
_FORMULA = re.compile("['\\s]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")
_SURROGATE = re.compile("[\ud800-\udfff]")

EXCEL_CHARACTERS = 32_767  # in UTF-16 units, as Excel counts
EXCEL_ROWS = 1_048_576

Cell = str | int | float | None


def for_cell(text: str) -> str:
    """Return a text as a cell of a CSV or Excel file.

    >>> for_cell("=cmd()"), for_cell("'=x"), for_cell("'tis so"), for_cell("a\\x1b[31mred")
    ("'=cmd()", "''=x", "'tis so", 'a\\\\x1b[31mred')
    """
    shown = _SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", for_terminal(text))
    return "'" + shown if _FORMULA.match(shown) else shown


def from_cell(cell: str) -> str:
    """Return the text of a CSV cell that `for_cell` made (control characters stay escaped).

    >>> from_cell("'=cmd()"), from_cell("''=x"), from_cell("'tis so")
    ('=cmd()', "'=x", "'tis so")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def csv_bytes(rows: Iterable[Sequence[Cell]], line_end: str = "\n") -> bytes:
    """Return a CSV file in UTF-8. Texts are made safe; numbers are written as they are, None as an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerows([for_cell(c) if isinstance(c, str) else c for c in row] for row in rows)
    return out.getvalue().encode()


def json_bytes(value: Any, indent: int = 2) -> bytes:
    """Return a JSON file, indented, for people and programs."""
    return msgspec.json.format(msgspec.json.encode(value), indent=indent) + b"\n"


class WorkbookSheet(NamedTuple):
    """A sheet of a workbook: its name and its rows, the first of them a header."""

    name: str
    rows: Sequence[Sequence[Cell]]


def workbook(sheets: Sequence[WorkbookSheet], created: datetime | None = None) -> bytes:
    """Return an Excel file. Every text is a plain string cell, never a formula or a link; a text too long for Excel ends with a note."""
    try:
        xlsxwriter: Any = import_module("xlsxwriter")
    except ImportError:
        raise MissingExtra("an Excel file (.xlsx)", "excel") from None
    out = io.BytesIO()
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(out, options) as book:
        book.set_properties({"created": created or datetime(2000, 1, 1)})  # noqa: DTZ001  Excel has no time zones
        head = book.add_format({"bold": True})
        for sheet in sheets:
            page = book.add_worksheet(sheet.name)
            page.freeze_panes(1, 0)
            for number, row in enumerate(_within(sheet.rows)):
                for column, value in enumerate(row):
                    _write(page, number, column, value, head if number == 0 else None)
    return out.getvalue()


def _within(rows: Sequence[Sequence[Cell]]) -> Iterable[Sequence[Cell]]:
    if len(rows) <= EXCEL_ROWS:
        return rows
    return [*rows[: EXCEL_ROWS - 1], [f"{len(rows) - EXCEL_ROWS + 1} more rows: the CSV file has them all"]]


def _write(page: Any, row: int, column: int, value: Cell, style: Any) -> None:
    if isinstance(value, str):
        page.write_string(row, column, fit_excel(for_cell(value)), style)
    elif value is not None:
        page.write_number(row, column, value, style)


def fit_excel(text: str) -> str:
    """Return a text within Excel's limit; a longer one ends with a note on how much is missing and where it is."""
    units = text.encode("utf-16-le")
    length = len(units) // 2
    if length <= EXCEL_CHARACTERS:
        return text
    note = f" [cut: {length} characters, Excel holds {EXCEL_CHARACTERS}; the CSV file has all]"
    return units[: 2 * (EXCEL_CHARACTERS - len(note))].decode("utf-16-le", "ignore") + note
