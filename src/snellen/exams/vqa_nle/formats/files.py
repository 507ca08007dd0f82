"""The files that annotations come in: a JSON object of records by key, a JSON list, JSON lines, and CSV with a header."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError

UNDECODABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadRow(Exception):
    """Why a record cannot be used; the reader adds file and key."""


class _RawRow(NamedTuple):
    """A record that is not decoded yet, to keep memory small. `line` is 0 where records have keys or numbers."""

    line: int
    key: str
    fields: Callable[[], dict[str, Any]]


class _Key:
    """A key of the outermost object. Not equal to any other, so that a key that is there twice is seen twice."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_OBJECT = msgspec.json.Decoder(dict[_Key, msgspec.Raw], dec_hook=lambda kind, value: kind(value))
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FIELDS = msgspec.json.Decoder(dict[str, Any])


@contextmanager
def readable(label: str) -> Iterator[None]:
    """Turn a file that cannot be read into an error with its name."""
    try:
        yield
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def read_bytes(path: Path, label: str) -> bytes:
    """Return a file's content without byte order mark."""
    with readable(label):
        return path.read_bytes().removeprefix(BYTE_ORDER_MARK)


def file_kind(path: Path, label: str) -> str:
    """Return the kind of a file, whatever its ending: object, list, lines or csv."""
    with readable(label), path.open("rb") as file:
        start = next((s for line in file if (s := line.removeprefix(BYTE_ORDER_MARK).strip())), b"")
    if not start:
        raise SnellenError(f"{label}: the file is empty")
    if start[:1] not in (b"{", b"["):
        return "csv"
    if start[:1] == b"[":
        return "list"
    try:
        members = _MEMBERS.decode(start)
    except UNDECODABLE:
        return "object"
    return "object" if all(memoryview(value)[0] == ord("{") for value in members.values()) else "lines"


def rows_in(path: Path, label: str, kind: str) -> Iterator[_RawRow]:
    """Yield all records of a file of this kind."""
    if kind == "csv":
        yield from _csv_rows(path, label)
    elif kind == "lines":
        with readable(label), path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _RawRow(number, "", partial(_FIELDS.decode, line.removeprefix(BYTE_ORDER_MARK)))
    else:
        for key, raw in _members(read_bytes(path, label), label, kind):
            yield _RawRow(0, key, partial(_FIELDS.decode, raw))


def _members(data: bytes, label: str, kind: str) -> list[tuple[str, msgspec.Raw]]:
    try:
        if kind == "list":
            return [(str(at), raw) for at, raw in enumerate(_LIST.decode(data))]
        return [(key.text, raw) for key, raw in _OBJECT.decode(data).items()]
    except UNDECODABLE as error:
        raise SnellenError(f"{label}: not valid JSON ({error or 'nested too deeply'}); get the file again") from None


def _csv_rows(path: Path, label: str) -> Iterator[_RawRow]:
    """Yield every row. A quote that never closes is an error, not a field that swallows the rest of the file."""
    line = 1
    try:
        with readable(label), path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = [name.strip() for name in next(rows, [])]
            line = rows.line_num + 1
            for cells in rows:
                if cells:
                    yield _RawRow(line, "", partial(_cells, header, cells))
                line = rows.line_num + 1
    except csv.Error as error:
        raise SnellenError(f"{label} line {line}: not valid CSV from there on ({error}); get the file again") from None
    except UnicodeDecodeError as error:
        raise SnellenError(f"{label}: not UTF-8 text ({error.reason}); get the file again") from None


def _cells(header: list[str], cells: list[str]) -> dict[str, Any]:
    if len(cells) != len(header):
        raise BadRow(f"{len(cells)} cells, but the header has {len(header)}")
    return {name: cell.strip() for name, cell in zip(header, cells, strict=True) if name}
