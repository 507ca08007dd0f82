"""Writing of files in a run folder: every write goes through here.

A run folder may come from other people. So nothing is written through a symbolic link in it. A link in the place of a folder or of a
half-written file is removed. A new file is made exclusively. A file is appended to only if it is a regular file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from snellen.core.errors import SnellenError

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@contextlib.contextmanager
def replacing(root: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file to write into. It replaces the old one when all is written, or not at all."""
    path = _place(root, name)
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    try:
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o666)
        with os.fdopen(number, "wb", buffering=1 << 20) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)  # a link of that name is replaced, not followed
    finally:  # after any error, no partial file stays behind
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Raise a one-line error if a file that a user named cannot be written."""
    try:
        yield
    except OSError as error:
        raise SnellenError(f"cannot write {path}: {error.strerror or error}; choose another place") from None


def opened_to_append(root: Path, name: str) -> int:
    """Open a file to append lines to, for reading and writing. Return its descriptor."""
    path = _place(root, name)
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK | getattr(os, "O_NONBLOCK", 0), 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _no_file(path) from None
        raise
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise _no_file(path)
    return number


def _no_file(path: Path) -> SnellenError:
    return SnellenError(f"{path} is a link or no file at all: nothing is written through it; remove it first")


def remove(root: Path, name: str) -> None:
    """Remove a folder of derived files, or a link in its place (the link's target stays)."""
    path = root / name
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def unlink_link(path: Path) -> None:
    """Remove a symbolic link, and nothing else."""
    with contextlib.suppress(OSError):
        if path.is_symlink():
            path.unlink()


def _place(root: Path, name: str) -> Path:
    """Return the path of a file of the folder, and make the folders above it. None of them is a link."""
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or PurePosixPath(name).is_absolute():
        raise SnellenError(f"'{name}' is no name for a file in {root}")
    here = root
    here.mkdir(parents=True, exist_ok=True)
    for folder in parts[:-1]:
        here = here / folder
        if here.is_symlink():
            here.unlink()
        here.mkdir(exist_ok=True)
    return here / parts[-1]
