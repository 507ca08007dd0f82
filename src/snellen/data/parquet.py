"""Parquet files for all benchmarks, read and written through DuckDB (chosen for its size: docs/performance.md).

Text columns are read whole, images a few at a time, so that an image is in memory only while it is needed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.data.interrupts import Interruptible

_BATCH = 32
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
        self.name = name
        if not path.is_file():  # a pipe would be waited for
            raise SnellenError(f"{name}: not a regular file")
        self._path = _exactly(path)
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

    def texts(self, columns: Sequence[str]) -> list[list[str | None]]:
        """Some columns of the whole file as text, one list a column."""
        names = ", ".join(f"{_name(c)}::VARCHAR" for c in columns)
        rows = self._rows(f"SELECT {names} FROM read_parquet(?)", self._path)  # noqa: S608 (quoted names)
        same: dict[str | None, str | None] = {}  # equal texts share one object: most questions are alike
        share = same.setdefault
        return [[share(x, x) for x in column] for column in zip(*rows, strict=True)] if rows else [[] for _ in columns]

    def records(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The rows with some columns, their values as they are (lists and structs too), a few at a time."""
        import duckdb

        names = ", ".join(map(_name, columns)) or "NULL"
        try:
            result = _connection().cursor().execute(f"SELECT {names} FROM read_parquet(?)", (self._path,))  # noqa: S608 (quoted names)
            while batch := result.fetchmany(_BATCH * _BATCH):
                yield from (dict(zip(columns, row, strict=False)) for row in batch)
        except duckdb.Error as error:
            raise SnellenError(f"{self.name}: cannot be read ({str(error).splitlines()[0]})") from None

    def _cells(self, column: str) -> str:
        kind = self.types[column]
        inner = '."bytes"' if _HAS_BYTES.match(kind) and not kind.endswith("]") else ""
        return f"SELECT {_name(column)}{inner} FROM read_parquet(?)"  # noqa: S608 (quoted name)

    def first(self, column: str) -> Any:
        """The value of one column in the first row; None where there is no row."""
        return next((row[0] for row in self._rows(f"{self._cells(column)} LIMIT 1", self._path)), None)

    def cells(self, column: str, start: int, stop: int) -> Iterator[Any]:
        """The values of one column in rows [start, stop), a few at a time; of a struct with `bytes`, those bytes."""
        import duckdb

        query = self._cells(column)
        if (start, stop) != (0, self.rows):
            some = f"read_parquet(?, file_row_number = true) WHERE file_row_number BETWEEN {start:d} AND {stop - 1:d}"
            query = query.replace("read_parquet(?)", some)
        try:
            result = _connection().cursor().execute(query, (self._path,))
            while batch := result.fetchmany(_BATCH):
                for row in batch:
                    yield row[0]
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise SnellenError(f"{self.name}: cannot be read ({reason})") from None


def write(path: Path, types: dict[str, str], rows: Iterable[Sequence[Any]], notes: dict[str, str]) -> None:
    """Write a file, uncompressed, as one row group; the same rows give the same bytes."""
    import duckdb

    connection = Interruptible(duckdb.connect(config={"threads": 1}))
    try:
        connection.execute(f"CREATE TABLE rows ({', '.join(f'{_name(c)} {t}' for c, t in types.items())})")
        connection.executemany(f"INSERT INTO rows VALUES ({', '.join('?' for _ in types)})", [list(r) for r in rows])  # noqa: S608
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
    texts = np.empty(len(column), dtype=object)
    texts[:] = [v if v is None else v.encode("utf-8", "backslashreplace").decode() for v in column]
    return texts


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
