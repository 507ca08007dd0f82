"""The pictures of a table: files near the table, or bytes in its cells."""

from __future__ import annotations

import difflib
import os
import re
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.types import Picture
from snellen.data.files import PictureFolders, read_picture
from snellen.exams.own.rows import BadCell

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}:(?://|image/)", re.IGNORECASE)


def place_of(named: str, folders: PictureFolders, base: Path, column: str) -> Path:
    """Return the path of a picture in the table's folder or in that of --images; if it is in neither, the expected path."""
    if _ADDRESS.match(named):
        raise BadCell(column, f"{named[:60]!r} is an address, not a file: fetch the picture and name the file")
    if "\0" in named:
        raise BadCell(column, "the name of a picture has a NUL in it")
    name = named.replace("\\", "/")
    try:
        # as in `find`: on disk, 'link/../name' is beside the target of the link
        return folders.find(name) or Path(os.path.normpath(base / name))
    except SnellenError as error:
        raise BadCell(column, str(error)) from None


def size_of(path: Path, named: str, column: str) -> int:
    """Return the size of a picture file; raise BadCell if there is none, with a suggestion."""
    try:
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            return found.st_size
    except (OSError, ValueError):
        pass
    close = difflib.get_close_matches(path.name, _names(path.parent), n=1)
    raise BadCell(column, f"no picture {named[:100]!r}" + (f": did you mean {close[0]!r}?" if close else ""))


@lru_cache(maxsize=16)
def _names(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(p.name for p in folder.iterdir()))
    except OSError:
        return ()


def read(path: Path, named: str, column: str) -> Picture:
    """Return the picture in a file."""
    try:
        return Picture(data=read_picture(path), name=named)
    except OSError as error:
        raise BadCell(column, f"the picture {named[:100]!r} cannot be read ({error.strerror})") from None


def of_cell(cell: Any, name: str) -> tuple[Picture, ...]:
    """Return the pictures of a binary cell: bytes, a struct that contains them, or a list of these."""
    if isinstance(cell, list):
        return tuple(picture for item in cell for picture in of_cell(item, name))
    data = cell.get("bytes") if isinstance(cell, dict) else cell
    return (Picture(data=data, name=name),) if isinstance(data, bytes) and data else ()
