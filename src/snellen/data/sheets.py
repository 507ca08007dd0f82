"""Rows of a file that a user wrote: JSONL, a JSON list, CSV or Parquet, one at a time, each with its place.

A row that cannot be read is a Problem at its place, and the next one goes on. Lines of text files count from 1, as editors and
spreadsheets count them (a CSV file's header is line 1); records of a JSON list and rows of a Parquet file count from 0. Lines of a
JSONL file that begin with # are comments.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.parquet import ParquetFile

KINDS = {".jsonl": "JSONL", ".json": "JSON", ".csv": "CSV", ".tsv": "CSV", ".parquet": "Parquet"}
LARGEST = 512 * 1024 * 1024
_SHOWN = 60
_FIRST = 100  # rows of JSON that are looked at for columns: one may leave out what others have


class Row(NamedTuple):
    """One row: how messages name it, its number as they do, and its cells by column. Empty cells are left out."""

    where: str
    number: int
    cells: dict[str, Any]


def sheets(where: Path) -> list[Path]:
    """The files of a folder that may hold rows; a file is itself."""
    if where.is_file():
        return [where] if where.suffix.lower() in KINDS else []
    if not where.is_dir():
        return []
    return sorted(p for p in where.iterdir() if p.suffix.lower() in KINDS and p.is_file())


def columns(path: Path) -> list[str]:
    """The columns that a file begins with, in lower case; none where it is not made of rows. Reads no more than it must."""
    try:
        if path.suffix.lower() == ".parquet":
            return [name.lower() for name in ParquetFile(path, path.name).types]
        if path.suffix.lower() in (".csv", ".tsv"):
            return _header(path)
        first = (row.cells for row in islice(rows(path, path.name), _FIRST) if isinstance(row, Row))
        return list(dict.fromkeys(name for cells in first for name in cells))
    except SnellenError:
        return []


def rows(path: Path, label: str) -> Iterator[Row | Problem]:
    """Every row of a file. Column names are in lower case. Raises SnellenError where the file itself cannot be read."""
    kind = KINDS.get(path.suffix.lower())
    if kind == "Parquet":
        yield from _parquet(path, label)
    elif kind == "CSV":
        yield from _csv(path, label)
    elif kind == "JSON":
        yield from _json(path, label)
    else:
        yield from _jsonl(path, label)


def _text(path: Path, label: str) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise SnellenError(f"{label}: larger than {LARGEST >> 20} MiB; write it as Parquet")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SnellenError(f"{label}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def _row(place: str, number: int, value: Any) -> Row | Problem:
    if not isinstance(value, dict):
        return Problem(place, f"expected an object with a value for each column, not {one_line(str(value), _SHOWN)}")
    cells = {str(k).strip().lower(): v for k, v in value.items() if v is not None and v != ""}
    if len(cells) < sum(v is not None and v != "" for v in value.values()):
        return Problem(place, "two columns have the same name but for upper and lower case")
    return Row(place, number, cells)


def _jsonl(path: Path, label: str) -> Iterator[Row | Problem]:
    for number, line in enumerate(_text(path, label).split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{label} line {number}"
        try:
            yield _row(place, number, msgspec.json.decode(line))
        except (msgspec.DecodeError, RecursionError) as error:
            yield Problem(place, f"not JSON ({error})")


def _json(path: Path, label: str) -> Iterator[Row | Problem]:
    try:
        found = msgspec.json.decode(_text(path, label))
    except (msgspec.DecodeError, RecursionError) as error:
        raise SnellenError(f"{label}: not JSON ({error})") from None
    if not isinstance(found, list):
        raise SnellenError(f"{label}: expected a list of records")
    yield from (_row(f"{label} record {i}", i, value) for i, value in enumerate(found))


def _delimiter(path: Path, header: str) -> str:
    """A comma, unless the file is a .tsv or its header has only semicolons, as spreadsheets write it in half of the world."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def _header(path: Path) -> list[str]:
    text = _text(path, path.name)
    first = text.partition("\n")[0]
    return [name.strip().lower() for name in next(csv.reader([first], delimiter=_delimiter(path, first)), [])]


def _csv(path: Path, label: str) -> Iterator[Row | Problem]:
    text = _text(path, label)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path, text.partition("\n")[0]), strict=True)
    header: list[str] = []
    begun = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            raise SnellenError(f"{label}: the header has the column {twice[0]!r} twice")
        begun = reader.line_num + 1
        for cells in reader:
            number, begun = begun, reader.line_num + 1
            place = f"{label} line {number}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                said = f"{len(cells)} cells, and the header has {len(header)}"
                yield Problem(place, f"{said}; a cell with a comma in it stands between quotes")
                continue
            yield _row(place, number, dict(zip(header, (cell.strip() for cell in cells), strict=True)))
    except csv.Error as error:
        yield Problem(f"{label} line {begun}", f"not CSV ({error})")


def _parquet(path: Path, label: str) -> Iterator[Row | Problem]:
    """Columns side by side, a few rows at a time, so that pictures inside of the file are not all in memory at once."""
    file = ParquetFile(path, label)
    names = list(file.types)
    for i, cells in enumerate(zip(*(file.cells(name, 0, file.rows) for name in names), strict=True)):
        yield _row(f"{label} row {i}", i, dict(zip(names, cells, strict=True)))
