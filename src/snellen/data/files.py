"""Read the files of a data set: inside its folder only, and regular files only, so that a pipe or a device does not block forever."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from io import BufferedReader
from pathlib import Path

from snellen.core.errors import SnellenError

LARGEST = 512 * 1024 * 1024
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
"""The endings of image file names."""


ENOUGH = 1 << 30
"""The total bytes of images up to which files are hashed in full. Above it, only each file's size, beginning and end are hashed."""
_END = 1 << 12


class PictureFolders:
    """Find images by name in a data set's folder, or in the one other folder that --images names.

    A name or a link that leads out of both is refused, so that another person's data set sends only its own files.
    """

    def __init__(self, home: Path, images: str = "") -> None:
        if images and not Path(images).is_dir():
            raise SnellenError(f"--images {images}: no such folder")
        self.home = home
        self._roots = [os.path.abspath(root) for root in (home, images) if root]  # noqa: PTH100 (much faster, for many rows)
        self._real = tuple(os.path.join(os.path.realpath(root), "") for root in self._roots)  # noqa: PTH118

    def find(self, name: str, below: Iterable[str] = ("",)) -> Path | None:
        """Return the first file of that name in one of some folders; None if there is none."""
        if "\0" in name:
            return None
        inside = outside = False
        for folder in below:
            for root in self._roots:
                path = os.path.normpath(os.path.join(root, folder, name))  # noqa: PTH118
                holds, there = os.path.realpath(path).startswith(self._real), os.path.exists(path)  # noqa: PTH110
                if holds and there:
                    return Path(path)
                inside, outside = inside or holds, outside or there
        if outside or not inside:
            raise SnellenError(
                f"{name[:60]!r} leads out of the data's folder: put the pictures there, or name their folder with --images DIR"
            )
        return None

    def label(self, path: Path) -> str:
        """Return a file's name in messages and facts: its path from its folder."""
        full = Path(os.path.abspath(path))  # noqa: PTH100
        return next(full.relative_to(root).as_posix() for root in self._roots if full.is_relative_to(root))


def check_inside(path: Path, home: Path | None = None) -> Path:
    """Return a file of a data set; refuse a link that leads out of the data's folder (the file's own folder if none is named)."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(home or path.parent)):
        raise SnellenError(f"{path} is a link that leads out of its folder: copy the file there")
    return path


def digest_of(files: Iterable[tuple[Path, int]]) -> str:
    """Return one digest of many files of these sizes, with their contents if they are not too large."""
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
            continue  # the reader of the image reports the error
    return found.hexdigest()


def read_picture(path: Path) -> bytes:
    """Return the bytes of a regular file; raise OSError, as for any unreadable file, for everything else."""
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
