"""Rows of a file that a user wrote (tables.py), for exams with their own formats. Columns are in lower case, empty cells are left
out, and images in a Parquet file are among the cells. Each row that cannot be read is a Problem at its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.tables import Table, TableRow

_HEAD = 256


def columns(path: Path) -> list[str]:
    """Return the columns of a file; none if it does not consist of rows."""
    try:
        if path.suffix.lower() == ".json" and not _is_list(path):
            return []  # without reading all of it: annotations of other tools hold whole images
        return [str(name).strip().lower() for name in Table(path).columns]
    except (SnellenError, OSError):
        return []


def _is_list(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def rows(path: Path, label: str) -> Iterator[TableRow | Problem]:
    """Yield every row of a file, its place with the label; raise SnellenError if the file itself cannot be read."""
    table = Table(path)
    for number, place, given, wrong in table.whole_rows():
        where = f"{label} {place}"
        told = {n: v for n, value in given.items() if (v := _cell(value)) not in (None, "") or n in table.binary}
        cells = {str(name).strip().lower(): value for name, value in told.items()}
        if wrong:
            yield Problem(where, wrong)
        elif len(cells) < len(told):
            yield Problem(where, "two columns have the same name but for upper and lower case")
        else:
            yield TableRow(number, where, cells)


def _cell(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
