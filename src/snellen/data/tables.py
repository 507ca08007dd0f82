"""Tables in common formats: JSON lines, a JSON list, CSV, TSV, Parquet and Excel, read row by row.

A row is a dict of its cells, or a text with the reason why it cannot be read. Each comes with its place as an editor or a spreadsheet names
it. Text files may begin with a byte order mark and have the line ends of Windows; lines of JSON that begin with # are comments.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.files import check_inside
from snellen.data.folder import check_finished
from snellen.data.hub import LOCK
from snellen.data.parquet import LONGEST_CELL, ParquetFile
from snellen.data.synthetic_marker import MARKER
from snellen.data.workbook import check_head, workbook_rows

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".xlsx")
LARGEST_LIST = 512 << 20
_NOTES = (LOCK, MARKER, "dataset_infos.json")
"""Files about a data set, which are not tables of it."""
_SHARD = re.compile(r"(\w+)-\d{5}-of-\d{5}")


class TableRow(NamedTuple):
    """One row: its number from 0, the place in words, and its cells or its problem."""

    number: int
    place: str
    cells: dict[str, Any]
    wrong: str = ""


class Table:
    """One file of rows, or the Parquet files of a set in the hub's layout (`data/SPLIT-00000-of-00002.parquet`) as one table.

    `columns` are those of the header, or of the first rows of JSON. `binary` are those that hold bytes, in Parquet: they are read only
    if they are wanted. In a set of several files, a file's name gives its split.
    """

    def __init__(self, path: Path, files: Sequence[Path] = ()) -> None:
        """Open a table. `files` are those of a set in the folder `path`; without any, `path` is the file."""
        self.path, self.name, self.files = path if files else check_inside(path), path.name, tuple(files) or (path,)
        self._ending = self.files[0].suffix.lower()
        if self._ending not in ENDINGS:
            save = "; save the sheet as CSV or .xlsx" if self._ending in (".xls", ".ods") else ""
            raise SnellenError(f"{path}: not a table; there are {', '.join(ENDINGS)}{save}")
        parquet = self.files if self._ending == ".parquet" else ()
        self._parquet = [
            ParquetFile(file, f"{file.parent.name}/{file.name}" if files else self.name) for file in parquet
        ]
        self.binary = self._parquet[0].binary if self._parquet else ()
        self.columns = self._columns()

    def rows(self) -> Iterator[TableRow]:
        """Yield all rows, one at a time, without binary columns."""
        if self._parquet:
            yield from self._of_parquet()
            return
        try:
            if self._ending in (".csv", ".tsv"):
                yield from self._of_csv()
            elif self._ending == ".json":
                yield from self._of_list()
            elif self._ending == ".xlsx":
                yield from (TableRow(i, f"row {number}", row) for i, (number, row) in enumerate(self._sheet))
            else:
                yield from self._of_lines()
        except OSError as error:
            raise SnellenError(f"{self.path}: cannot be read ({error.strerror})") from None

    def whole_rows(self) -> Iterator[TableRow]:
        """Yield all rows with their binary columns, a few at a time, so that images are not all in memory at once."""
        every = range(sum(file.rows for file in self._parquet))
        inside = {name: self.cells(name, every) for name in self.binary}
        for row in self.rows():
            yield row._replace(cells=row.cells | {name: next(values)[1] for name, values in inside.items()})

    def cells(self, column: str, numbers: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield the values of a binary column in some rows, in order."""
        start, wanted = 0, sorted(set(numbers))
        for file in self._parquet:
            inside = [n - start for n in wanted if start <= n < start + file.rows]
            yield from ((start + n, cell) for n, cell in zip(inside, file.cells(column, inside), strict=True))
            start += file.rows

    def _columns(self) -> tuple[str, ...]:
        if self._parquet:
            first, *others = self._parquet
            for other in others:
                if other.columns != first.columns:
                    raise SnellenError(
                        f"{self.path}: {other.name} has other columns than {first.name}: name one of the files"
                    )
            own_split = self.path not in self.files and any(map(_split_of, self.files))
            return tuple(dict.fromkeys((*first.columns, "split"))) if own_split else first.columns
        found: dict[str, None] = {}
        for row in self.rows():
            found |= dict.fromkeys(row.cells)
            if row.number >= 100 or self._ending in (".csv", ".tsv", ".xlsx"):
                break
        return tuple(found)

    @cached_property
    def _sheet(self) -> list[tuple[int, dict[str, Any]]]:
        """The rows of a workbook, which is too slow to read for each pass."""
        return list(workbook_rows(self.path))

    # ------------------------------------------------------------ formats

    def _of_parquet(self) -> Iterator[TableRow]:
        number, in_set = 0, self.path not in self.files
        for path, file in zip(self.files, self._parquet, strict=True):
            names = [name for name in file.columns if name not in self.binary]
            split = {"split": _split_of(path)} if in_set else {}
            for i, cells in enumerate(file.records(names), 1):
                yield TableRow(number, f"{file.name} row {i}" if in_set else f"row {i}", split | cells)
                number += 1

    def _of_lines(self) -> Iterator[TableRow]:
        number = 0
        with self.path.open("rb") as file:
            for at, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf").strip() if at == 1 else line.strip()
                if text and not text.startswith(b"#"):
                    yield _parsed(number, f"line {at}", text)
                    number += 1

    def _of_list(self) -> Iterator[TableRow]:
        if self.path.stat().st_size > LARGEST_LIST:
            raise SnellenError(f"{self.path}: too large for one JSON list; write it as JSON lines (.jsonl)")
        try:
            raw = self.path.read_bytes().removeprefix(b"\xef\xbb\xbf")
            found = _decoded(raw.decode(json.detect_encoding(raw)))
        except (ValueError, RecursionError) as error:
            raise SnellenError(f"{self.path}: not valid JSON ({error or 'nested too deeply'})") from None
        if not isinstance(found, list):
            raise SnellenError(f"{self.path}: holds no list of rows")
        for i, cells in enumerate(found):
            fine = isinstance(cells, dict)
            yield TableRow(i, f"row {i + 1}", cells if fine else {}, "" if fine else "not a JSON object")

    def _of_csv(self) -> Iterator[TableRow]:
        csv.field_size_limit(LONGEST_CELL)
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            try:
                first = file.readline()
                file.seek(0)
                table = csv.reader(file, delimiter=self._delimiter(first), strict=True)
                header = [name.strip() for name in next(table, [])]
                check_head(self.path, header)
                number = 0
                for cells in table:
                    if not any(cell.strip() for cell in cells):
                        continue
                    fits = len(cells) <= len(header)
                    wrong = "" if fits else f"{len(cells)} cells, and the header has {len(header)} columns"
                    yield TableRow(number, f"row {number + 2}", dict(zip(header, cells, strict=False)), wrong)
                    number += 1
            except UnicodeDecodeError:
                raise SnellenError(f"{self.path}: not UTF-8 text; save it as 'CSV UTF-8'") from None
            except csv.Error as error:
                raise SnellenError(f"{self.path}, line {table.line_num}: not valid CSV ({error})") from None

    def _delimiter(self, header: str) -> str:
        """Return a comma, unless the header has semicolons alone, as spreadsheets write it if numbers contain commas."""
        if self._ending == ".tsv":
            return "\t"
        return ";" if ";" in header and "," not in header else ","


def _split_of(file: Path) -> str:
    """Return the split that a file of the hub's layout holds, by its name; empty if the name has none."""
    found = _SHARD.match(file.name)
    return found[1] if found else ""


def tables_below(where: Path) -> list[Path]:
    """Return the tables of a folder, else those in its `data` folder (the hub's layout), else those one folder below; a file is itself."""
    if not where.is_dir():
        return tables_in(where)
    check_finished(where)
    below = (p for p in sorted(where.iterdir()) if p.is_dir() and not p.name.startswith("."))
    for folders in ((where,), (where / "data",), tuple(below)):
        if found := [check_inside(path, where) for folder in folders for path in tables_in(folder)]:
            return found
    return []


def tables_in(where: Path) -> list[Path]:
    """Return the tables of one folder; a file is itself."""
    if where.is_file():
        return [where] if where.suffix.lower() in ENDINGS else []
    files = sorted(where.iterdir()) if where.is_dir() else []
    return [
        p
        for p in files
        if p.suffix.lower() in ENDINGS and p.name not in _NOTES and not p.name.startswith((".", "~$")) and p.is_file()
    ]


def _decoded(text: str) -> Any:
    """Parse JSON; raise ValueError also for a lone surrogate, which no file can hold as UTF-8."""
    found = json.loads(text)
    if "\\u" in text:
        json.dumps(found, ensure_ascii=False).encode()
    return found


def _parsed(number: int, place: str, text: bytes) -> TableRow:
    try:
        cells = _decoded(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else "not UTF-8 text, or nested too deeply"
        return TableRow(number, place, {}, f"not valid JSON ({said}): one object a line")
    return (
        TableRow(number, place, cells) if isinstance(cells, dict) else TableRow(number, place, {}, "not a JSON object")
    )
