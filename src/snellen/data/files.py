"""Reading picture files: regular files only, so that a pipe or a device in the place of a picture is an error and not a wait for ever."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST = 512 * 1024 * 1024


def read_picture(path: Path) -> bytes:
    """The bytes of a regular file; OSError, as of any file that cannot be read, for everything else."""
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(number, "rb") as file:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if found.st_size > LARGEST:
            raise OSError(errno.EFBIG, f"larger than {LARGEST >> 20} MiB", str(path))
        return file.read()
