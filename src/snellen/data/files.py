"""Reading picture files: regular files only, so that a pipe or a device in the place of a picture is an error and not a wait for ever."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from io import BufferedReader
from pathlib import Path

LARGEST = 512 * 1024 * 1024


ENOUGH = 1 << 30
"""Bytes of pictures that are hashed whole; of more, each file's size, beginning and end are."""
_END = 1 << 12


def digest_of(files: Iterable[tuple[Path, int]]) -> str:
    """One digest of many files of these sizes, their contents where that is not too much."""
    listed: Sequence[tuple[Path, int]] = sorted(files)
    whole = sum(size for _path, size in listed) <= ENOUGH
    found = hashlib.sha256()
    for path, size in listed:
        found.update(f"{path.name}\x1e{size}\x1e".encode("utf-8", "surrogateescape"))
        try:
            with _opened(path) as file:
                if whole:
                    found.update(hashlib.file_digest(file, "sha256").digest())
                else:
                    found.update(file.read(_END))
                    file.seek(max(0, size - _END))
                    found.update(file.read(_END))
        except OSError:
            continue  # whoever reads the picture itself will say so
    return found.hexdigest()


def read_picture(path: Path) -> bytes:
    """The bytes of a regular file; OSError, as of any file that cannot be read, for everything else."""
    with _opened(path) as file:
        return file.read()


def _opened(path: Path) -> BufferedReader:
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(number, "rb")
    found = os.fstat(number)
    if not stat.S_ISREG(found.st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if found.st_size > LARGEST:
        file.close()
        raise OSError(errno.EFBIG, f"larger than {LARGEST >> 20} MiB", str(path))
    return file
