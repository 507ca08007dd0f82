"""Parquet files for all benchmarks, read and written through DuckDB (chosen for its size: docs/performance.md).

Text columns are read whole, images one at a time and not through DuckDB (pages.py), so that an image is in memory only while it is needed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.selection import spans
from snellen.data.interrupts import Interruptible
from snellen.data.pages import Chunk, Column, Unfit
from snellen.data.texts import Texts

_BATCH = 32
PICTURE = "STRUCT(bytes BLOB, path VARCHAR)"
_HAS_BYTES = re.compile(r'STRUCT\((?:.*, )?"?bytes"? BLOB', re.IGNORECASE)
_local = threading.local()


def _connection() -> Interruptible:
    """One private in-memory database a thread; it reads the named files and loads nothing by itself."""
    import duckdb

    found: Interruptible | None = getattr(_local, "connection", None)
    if found is None:
        found = _local.connection = Interruptible(
            duckdb.connect(
                config={"threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False}
            )
        )
    return found


def _exactly(path: Path) -> str:
    """A path that stands for itself: DuckDB reads *, ? and [ in names as patterns."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(path))


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


class ParquetFile:
    """One file: its columns with their types, notes and number of rows. `name` is how messages call it."""

    def __init__(self, path: Path, name: str) -> None:
        self.name, self._file = name, path
        if not path.is_file():  # a pipe would be waited for
            raise SnellenError(f"{name}: not a regular file")
        self._path = _exactly(path)
        self._columns: dict[str, Column | None] = {}
        described = self._rows("DESCRIBE SELECT * FROM read_parquet(?)", self._path)
        self.types = {str(row[0]): str(row[1]) for row in described}
        notes = self._rows("SELECT key, value FROM parquet_kv_metadata(?)", self._path)
        self.notes: dict[bytes, bytes] = {bytes(k): bytes(v) for k, v in notes}
        self.rows = int(self._rows("SELECT num_rows FROM parquet_file_metadata(?)", self._path)[0][0])

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        import duckdb

        try:
            return _connection().execute(query, values).fetchall()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise SnellenError(f"{self.name}: not a readable parquet file ({reason})") from None

    def texts(self, columns: Sequence[str]) -> list[Texts]:
        """Some columns of the whole file as text; one that is missing is empty."""
        names = ", ".join(f"coalesce({_name(c)}::VARCHAR, '')" for c in columns)
        found = [Texts() for _ in columns]
        for batch in self._batches(f"SELECT {names} FROM read_parquet(?)"):  # noqa: S608 (quoted names)
            for texts, values in zip(found, zip(*batch, strict=True), strict=True):
                texts.extend(values)
        return found

    def records(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows with some columns, their values as they are (lists and structs too), a few at a time."""
        names = ", ".join(map(_name, columns)) or "NULL"
        for batch in self._batches(f"SELECT {names} FROM read_parquet(?)"):  # noqa: S608 (quoted names)
            yield from (dict(zip(columns, row, strict=False)) for row in batch)

    def _batches(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        import duckdb

        try:
            result = _connection().cursor().execute(query, (self._path,))
            while batch := result.fetchmany(_BATCH * _BATCH):
                yield batch
        except duckdb.Error as error:
            raise SnellenError(f"{self.name}: cannot be read ({str(error).splitlines()[0]})") from None

    def _cells(self, column: str) -> str:
        kind = self.types[column]
        inner = '."bytes"' if _HAS_BYTES.match(kind) and not kind.endswith("]") else ""
        return f"SELECT {_name(column)}{inner} FROM read_parquet(?)"  # noqa: S608 (quoted name)

    def first(self, column: str) -> Any:
        """The value of one column in the first row; None where there is no row."""
        return next(self.cells(column, range(min(1, self.rows))), None)

    def cells(self, column: str, rows: Sequence[int]) -> Iterator[Any]:
        """The values of one column in some rows, which are in order; of a struct with `bytes`, those bytes."""
        done = 0
        if column not in self._columns:
            self._columns[column] = self._bytes_column(column)
        pages = self._columns[column]
        if pages is not None:
            try:
                for value in pages.values(rows):
                    yield value
                    done += 1
                return
            except Unfit:  # DuckDB reads the rest, or says what is wrong
                self._columns[column] = None
        yield from self._through_duckdb(column, rows[done:])

    def _through_duckdb(self, column: str, rows: Sequence[int]) -> Iterator[Any]:
        """As `cells`, a few at a time, and with all of a row group's column in memory."""
        import duckdb

        wanted = rows if isinstance(rows, range) else set(rows)
        try:
            for start, stop in spans(rows):
                query = self._cells(column)
                if (start, stop) != (0, self.rows):
                    some = f"read_parquet(?, file_row_number = true) WHERE file_row_number BETWEEN {start:d} AND {stop - 1:d}"
                    query = query.replace("read_parquet(?)", some)
                result = _connection().cursor().execute(query, (self._path,))
                at = start
                while batch := result.fetchmany(_BATCH):
                    for i, row in enumerate(batch, at):
                        if i in wanted:
                            yield row[0]
                    at += len(batch)
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise SnellenError(f"{self.name}: cannot be read ({reason})") from None

    def _bytes_column(self, column: str) -> Column | None:
        """A column of bytes that is read without DuckDB; None for all others."""
        kind = self.types[column]
        inside = bool(_HAS_BYTES.match(kind)) and not kind.endswith("]")
        if not inside and kind != "BLOB":
            return None
        path = [column, "bytes"] if inside else [column]
        levels = _levels(self._rows("SELECT name, repetition_type, num_children FROM parquet_schema(?)", self._path))
        optional = [levels.get(tuple(path[: i + 1]), "REPEATED") for i in range(len(path))]
        found = self._rows(_CHUNKS, self._path, ", ".join(path))
        chunks, first = [], 0
        for rows, values, physical, codec, encodings, begin, dictionary, size in found:
            begins = min(begin, dictionary) if dictionary else begin
            if values != rows or physical != "BYTE_ARRAY" or not set(encodings.split(", ")) <= _READ:
                return None
            chunks.append(Chunk(first, rows, codec, begins, begins + size))
            first += rows
        if "REPEATED" in optional or first != self.rows:
            return None
        return Column(self._file, chunks, optional.count("OPTIONAL"))


_READ = frozenset(("PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"))
_CHUNKS = """SELECT row_group_num_rows, num_values, type, compression, encodings, data_page_offset, dictionary_page_offset,
total_compressed_size FROM parquet_metadata(?) WHERE path_in_schema = ? ORDER BY row_group_id"""


def _levels(schema: Sequence[tuple[Any, ...]]) -> dict[tuple[str, ...], str]:
    """Whether each column and part of one may be missing or repeat, by its path, from a schema's elements in the order of its tree."""
    found: dict[tuple[str, ...], str] = {}
    open_: list[tuple[tuple[str, ...], int]] = []
    for name, repetition, children in schema[1:]:
        while open_ and not open_[-1][1]:
            open_.pop()
        above: tuple[str, ...] = ()
        if open_:
            above, left = open_[-1]
            open_[-1] = above, left - 1
        found[*above, str(name)] = str(repetition)
        if children:
            open_.append(((*above, str(name)), int(children)))
    return found


def write(path: Path, types: dict[str, str], rows: Iterable[Sequence[Any]], notes: dict[str, str]) -> None:
    """Write a file, uncompressed, as one row group; the same rows give the same bytes."""
    import duckdb

    given = [list(row) for row in rows]
    connection = Interruptible(duckdb.connect(config={"threads": 1}))
    try:
        connection.execute(f"CREATE TABLE rows ({', '.join(f'{_name(c)} {t}' for c, t in types.items())})")
        if given and set(types.values()) <= {PICTURE, "BLOB", "VARCHAR"}:
            _insert_whole(connection, types, given)
        else:
            connection.executemany(f"INSERT INTO rows VALUES ({', '.join('?' for _ in types)})", given)  # noqa: S608
        said = ", ".join(f"{_name(k)}: {_literal(v)}" for k, v in notes.items())
        connection.execute(
            f"COPY rows TO {_literal(str(path))} (FORMAT parquet, COMPRESSION uncompressed, KV_METADATA {{{said}}})"
        )
    except duckdb.IOException as error:
        raise _unwritten(path, error) from None
    finally:
        connection.close()


def _unwritten(path: Path, error: Exception) -> SnellenError:
    said = str(error).splitlines()[0]
    full = "No space left on device" in said
    return SnellenError(f"{path}: cannot be written ({'no space is left on the disk' if full else said})")


def _insert_whole(connection: Interruptible, types: dict[str, str], rows: list[list[Any]]) -> None:
    """Put pictures and texts into the table a column at a time: half the work of row by row, and all of it is one core's."""
    given: dict[str, Any] = {}
    columns: list[str] = []
    for i, (kind, values) in enumerate(zip(types.values(), zip(*rows, strict=True), strict=True)):
        if kind != PICTURE:
            given[str(i)] = _objects(values)
            columns.append(f'"{i}"::{kind}')
            continue
        for part in ("bytes", "path"):
            given[f"{i} {part}"] = _objects([None if value is None else value[part] for value in values])
        whole = f'struct_pack("bytes" := "{i} bytes"::BLOB, "path" := "{i} path"::VARCHAR)'
        given[f"{i} there"] = _array([value is not None for value in values], "BOOLEAN")
        columns.append(f'CASE WHEN "{i} there" THEN {whole} END')
    connection.execute(
        f"SET pandas_analyze_sample = {len(rows):d}"
    )  # it looks at all values, not at some, for their type
    connection.register("given", given)
    connection.execute(f"INSERT INTO rows SELECT {', '.join(columns)} FROM given")  # noqa: S608 (numbers and quoted names)


def write_columns(path: Path, types: dict[str, str], columns: Sequence[Sequence[Any]], notes: dict[str, str]) -> None:
    """Write whole columns of texts (VARCHAR), numbers (BIGINT, DOUBLE) or BOOLEAN, None where a value is missing; compressed.

    Much faster than `write` for many rows. A text that is no valid Unicode is kept with escapes.
    """
    import duckdb

    connection = Interruptible(duckdb.connect(config={"threads": 1}))
    try:
        given = {
            str(i): _array(column, kind) for i, (column, kind) in enumerate(zip(columns, types.values(), strict=True))
        }
        connection.register("given", given)
        cast = ", ".join(f'"{i}"::{kind} AS {_name(name)}' for i, (name, kind) in enumerate(types.items()))
        said = ", ".join(f"{_name(k)}: {_literal(v)}" for k, v in notes.items())
        connection.execute(
            f"COPY (SELECT {cast} FROM given) TO {_literal(str(path))} (FORMAT parquet, KV_METADATA {{{said}}})"  # noqa: S608
        )
    except duckdb.Error as error:
        raise _unwritten(path, error) from None
    finally:
        connection.close()


_PLAIN: dict[str, tuple[str, Any]] = {"BIGINT": ("int64", 0), "DOUBLE": ("float64", 0.0), "BOOLEAN": ("bool", False)}


def _array(column: Sequence[Any], kind: str) -> Any:
    import numpy as np

    if kind in _PLAIN:
        dtype, nothing = _PLAIN[kind]
        values: Any = np.array([nothing if v is None else v for v in column], dtype=dtype)
        return np.ma.array(values, mask=np.array([v is None for v in column], dtype=bool))
    return _objects([v if v is None else v.encode("utf-8", "backslashreplace").decode() for v in column])


def _objects(values: Sequence[Any]) -> Any:
    import numpy as np

    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
