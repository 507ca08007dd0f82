"""The check of a D3 folder: entries, paths, missing images, images that do not decode or are identical."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.pixels import decode_problem
from snellen.data.files import read_picture
from snellen.exams.d3.folder import Folder


def check(where: Path, images: str = "") -> Iterator[Problem]:
    """Yield every problem, with its place. A run can continue despite notes (not fatal)."""
    try:
        folder = Folder(where, images)
    except SnellenError as error:
        yield Problem(str(where), str(error).removeprefix(f"{where}: "))
        return
    yield from folder.problems
    gone = [one for one in folder.entries if one.missing]
    if gone:
        yield Problem(folder.file, f"{len(gone)} of {len(folder.entries)} pairs lack an image")
    yield from (Problem(one.where, f"image {name!r} is missing") for one in gone for name in one.missing)
    digests: dict[Path, str] = {}
    for one in folder.entries:
        files = [file for file in one.files.values() if file is not None]
        for file in files:
            if file not in digests:
                broken, digests[file] = _decode(file)
                if broken:
                    yield Problem(folder.label(file), broken)
        if len({digests[file] for file in files}) < len(files):
            yield Problem(one.where, "two of its images are the same file content: nothing tells them apart")


def _decode(file: Path) -> tuple[str | None, str]:
    try:
        data = read_picture(file)
    except OSError as error:
        return f"cannot be read ({error.strerror})", str(file)
    return decode_problem(data), hashlib.sha256(data).hexdigest()
