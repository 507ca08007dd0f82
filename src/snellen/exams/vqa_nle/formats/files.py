"""The annotation files by their extension: JSON (an object of records by key, or a list), JSON lines, CSV with a header."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.data.tables import Table

UNDECODABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class BadRow(Exception):
    """The reason why a record cannot be used; the reader adds file and key."""


class _RawRow(NamedTuple):
    """A record as in its file, or the problem with it. `key` is that of a JSON object."""

    place: str
    key: str
    fields: dict[str, Any]
    wrong: str = ""


_DOCUMENT = msgspec.json.Decoder(dict[str, msgspec.Raw] | list[msgspec.Raw])  # decoded record by record, to save memory
_FIELDS = msgspec.json.Decoder(dict[str, Any])


@contextmanager
def readable(label: str) -> Iterator[None]:
    """Turn a failure to read a file into an error with the file's name."""
    try:
        yield
    except OSError as error:
        raise SnellenError(f"{label}: cannot be read ({error.strerror})") from None


def read_bytes(path: Path, label: str) -> bytes:
    """Return a file's content without its byte order mark."""
    with readable(label):
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")


def rows_in(path: Path, label: str) -> Iterator[_RawRow]:
    """Yield all records of a file."""
    if path.suffix.lower() != ".json":
        for _number, place, cells, wrong in Table(path, (path,)).rows():  # named, so that it may be a link
            yield _RawRow(place, "", cells, wrong)
        return
    try:
        found = _DOCUMENT.decode(read_bytes(path, label))
    except UNDECODABLE as error:
        raise SnellenError(f"{label}: not valid JSON ({error or 'nested too deeply'}); get the file again") from None
    members = found.items() if isinstance(found, dict) else (("", raw) for raw in found)
    for number, (key, raw) in enumerate(members):
        place = f"record {key or number!r}"
        try:
            yield _RawRow(place, key, _FIELDS.decode(raw))
        except UNDECODABLE as error:
            yield _RawRow(place, key, {}, f"not a usable record ({error or 'nested too deeply'})")
