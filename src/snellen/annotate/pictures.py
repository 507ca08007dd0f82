"""The images of a folder, in a fixed order. They are addressed by number: a name from a request is never used as a path."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.base import file_size, find_image

ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".webp"})


class AnnotatedPicture(NamedTuple):
    """One image: its name inside the folder, the file, its size, and the prefix of its boxes' ids."""

    name: str
    path: Path
    width: int
    height: int
    title: str


class PictureFolder(NamedTuple):
    """The content of a folder: images, and skipped files, each with the reason."""

    shots: tuple[AnnotatedPicture, ...]
    passed: tuple[tuple[str, str], ...]


def find(folder: Path) -> PictureFolder:
    """Scan a folder. Links are not followed, and hidden folders are skipped."""
    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    shots: list[AnnotatedPicture] = []
    passed: list[tuple[str, str]] = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            shots.append(shot(folder, name))
        except (SnellenError, OSError) as error:
            passed.append((name, str(error)))
    if not shots:
        more = f": {passed[0][1]}" if passed else ""
        raise SnellenError(f"{folder}: no pictures ({', '.join(sorted(ENDINGS))}){more}")
    titles = Counter(one.title for one in shots)
    kept = (one if titles[one.title] == 1 else one._replace(title=one.name.replace("/", "-")) for one in shots)
    return PictureFolder(tuple(kept), tuple(passed))


def shot(folder: Path, name: str) -> AnnotatedPicture:
    """Return an image by its name in the folder. Raises SnellenError if it cannot be used."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SnellenError("its name is not UTF-8: rename it") from None
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        raise SnellenError("a path to a place outside the folder")
    path = find_image(PictureFolders(folder), name, ("",))
    width, height = file_size(path)
    return AnnotatedPicture(name, path, width, height, name.rpartition(".")[0].replace("/", "-"))


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(where) / name
            if path.suffix.lower() in ENDINGS and not name.startswith(".") and (path.is_file() or path.is_symlink()):
                yield path
