"""Rows of a file that a user wrote (tables.py), as exams with formats of their own want them: columns in lower case, empty cells left
out, pictures that stand in a Parquet file among the cells, and each row that cannot be read as a Problem at its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.tables import ENDINGS, Table

_HEAD = 256


class SheetRow(NamedTuple):
    """One row: how messages name it, its number from 0, and its cells by column."""

    where: str
    number: int
    cells: dict[str, Any]

    @property
    def shown(self) -> str:
        """The number that messages have for it."""
        return self.where.rpartition(" ")[2]


def sheets(where: Path) -> list[Path]:
    """The files of a folder that may hold rows; a file is itself."""
    if where.is_file():
        return [where] if where.suffix.lower() in ENDINGS else []
    if not where.is_dir():
        return []
    return sorted(p for p in where.iterdir() if p.suffix.lower() in ENDINGS and p.is_file())


def columns(path: Path) -> list[str]:
    """The columns of a file; none where it is not made of rows."""
    try:
        if path.suffix.lower() == ".json" and not _is_list(path):
            return []  # without reading all of it: annotations of other tools hold whole pictures
        return [str(name).strip().lower() for name in Table(path).columns]
    except (SnellenError, OSError):
        return []


def _is_list(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def rows(path: Path, label: str) -> Iterator[SheetRow | Problem]:
    """Every row of a file. Raises SnellenError where the file itself cannot be read."""
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
            yield SheetRow(where, number, cells)


def _cell(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
