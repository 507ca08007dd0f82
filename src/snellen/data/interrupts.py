"""Ctrl-C while DuckDB is at work: it takes the signal and raises a RuntimeError, which looks like any other trouble with a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


class Interruptible:
    """A connection of DuckDB, with the calls that we use; an interrupt is one."""

    def __init__(self, inner: duckdb.DuckDBPyConnection) -> None:
        self._inner = inner

    def execute(self, query: str, values: Any = None) -> Interruptible:
        with _told():
            self._inner.execute(query) if values is None else self._inner.execute(query, values)
        return self

    def executemany(self, query: str, rows: Any) -> None:
        with _told():
            self._inner.executemany(query, rows)

    def fetchall(self) -> list[Any]:
        with _told():
            return self._inner.fetchall()

    def fetchmany(self, count: int) -> list[Any]:
        with _told():
            return self._inner.fetchmany(count)

    def register(self, name: str, table: Any) -> None:
        self._inner.register(name, table)

    def cursor(self) -> Interruptible:
        return Interruptible(self._inner.cursor())

    def close(self) -> None:
        self._inner.close()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        if "interrupted" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None
