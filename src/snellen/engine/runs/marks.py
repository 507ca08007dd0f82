"""Marks as they are stored."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Mark
from snellen.engine.runs.folder import UNREADABLE, RunFolder

_MARKS = msgspec.json.Decoder(Mark)


def read_marks(folder: RunFolder, protocol: str) -> Iterator[Mark]:
    """The marks of one protocol, as stored."""
    path = folder.marks_path(protocol)
    if not path.is_file():
        raise SnellenError(f"{folder.path} has no marks of protocol '{protocol}'; 'snellen remark' makes them")
    with path.open("rb") as file:
        for line in file:
            try:
                yield _MARKS.decode(line)
            except UNREADABLE:
                raise SnellenError(f"{path} is damaged; 'snellen remark {folder.path}' makes it again") from None
