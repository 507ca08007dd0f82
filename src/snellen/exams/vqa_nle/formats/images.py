"""Where the images are: one walk over the image folders, then look-ups by name. A record's path is never opened as such."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.exams.vqa_nle.formats.base import Record

ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif")
FOLDERS = {"vqax": ("train2014", "val2014"), "actx": ("mpi",), "esnlive": ("flickr30k",), "vcr": ("vcr1images",)}


class Image(NamedTuple):
    """A file that was found; `name` is its path below the data folder, as messages and ledgers say it."""

    where: Path
    name: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.where / self.name


def coco_filename(image_id: int | str, part: str) -> str:
    """COCO's file name of an image of `train` or `val`.

    >>> coco_filename(9, "train")
    'COCO_train2014_000000000009.jpg'
    """
    return f"COCO_{part}2014_{int(image_id):012d}.jpg"


def image_root(where: Path) -> Path:
    """The folder that holds the image folders: `images/` of the data folder, or the data folder itself."""
    return where / "images" if (where / "images").is_dir() else where


def walk(root: Path) -> Iterator[tuple[str, str]]:
    """Every image (and `.json`, for VCR's metadata) below a folder, as (folder below the root, name).

    Links are followed, and a link back up does not loop.
    """
    seen: set[tuple[int, int]] = set()
    todo = [""]
    while todo:
        folder = todo.pop()
        path = root / folder
        try:
            at = path.stat()
            if (at.st_dev, at.st_ino) in seen:
                continue
            seen.add((at.st_dev, at.st_ino))
            with os.scandir(path) as entries:
                below = []
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.name.lower().endswith((*ENDINGS, ".json")):
                        yield folder, entry.name
                    elif entry.is_dir():
                        below.append(f"{folder}/{entry.name}" if folder else entry.name)
        except OSError as error:
            raise SnellenError(f"{path}: cannot be read ({error.strerror})") from None
        todo += sorted(below, reverse=True)


class _Names:
    """File name to folders. The folder texts are shared, so an entry costs little more than its name."""

    def __init__(self, root: Path, start: str = "") -> None:
        self._folders: dict[str, str | tuple[str, ...]] = {}
        for below, name in walk(root / start):
            folder = "/".join(p for p in (start, below) if p)
            known = self._folders.get(name)
            if known is None:
                self._folders[name] = folder
            else:
                self._folders[name] = (*((known,) if isinstance(known, str) else known), folder)

    def folders(self, name: str) -> tuple[str, ...]:
        known = self._folders.get(name, ())
        return (known,) if isinstance(known, str) else known

    def __len__(self) -> int:
        return len(self._folders)


class ImageIndex:
    """The images that a task may use. Its own folders are walked first; all of `images/` only when a name is not there."""

    def __init__(self, task: str, where: Path) -> None:
        self._task, self._where = task, where
        self.root = image_root(where)
        self._start = "" if self.root == where else f"{self.root.relative_to(where).as_posix()}/"
        self._own = [_Names(self.root, folder) for folder in FOLDERS[task] if (self.root / folder).is_dir()]
        self._rest: _Names | None = None

    def find(self, record: Record, split: str) -> Image | None:
        """The image of a record; None where it is not there (or several different files could be it)."""
        names = list(self._expected(record, split))
        for path in names:
            folder, _, name = path.rpartition("/")
            if any(folder in known.folders(name) for known in self._own):
                return self._image(path)
        for name in dict.fromkeys(path.rpartition("/")[2] for path in names):
            found = self._anywhere(name)
            if found is not None:
                return found
        return None

    def metadata(self, record: Record, split: str) -> Image | None:
        """VCR's metadata file of a record: the one it names, or the one beside its image."""
        image = self.find(record, split)
        beside = image.name.removeprefix(self._start).rpartition(".")[0] + ".json" if image else ""
        for path in (_below(FOLDERS["vcr"][0], record.metadata) if record.metadata else "", beside):
            folder, _, name = path.rpartition("/")
            if path and any(folder in known.folders(name) for known in self._known()):
                return self._image(path)
        return self._anywhere(record.metadata.rpartition("/")[2]) if record.metadata else None

    def _known(self) -> list[_Names]:
        return [*self._own, self._rest] if self._rest is not None else self._own

    def expected(self, record: Record, split: str) -> str:
        """Where the image should be, for messages."""
        return next(iter(self._expected(record, split)), "no image name")

    def _expected(self, record: Record, split: str) -> Iterator[str]:
        """Paths below the image root, best first, as multimodal-vqa-eval looks for them."""
        if self._task != "vqax":
            yield from (_below(FOLDERS[self._task][0], name) for name in record.images)
            return
        default = "train" if split == "train" else "val"
        for name in record.images:
            part = next((f for f in FOLDERS["vqax"] if f in name), f"{default}2014")
            yield f"{part}/{_clean(name).rpartition('/')[2]}"
        if record.image_id.isdecimal():
            yield f"{default}2014/{coco_filename(record.image_id, default)}"

    def _anywhere(self, name: str) -> Image | None:
        for folders in [known.folders(name) for known in self._own]:
            if folders:
                return self._one_of(name, folders)
        if self._rest is None:
            self._rest = _Names(self.root)
        folders = self._rest.folders(name)
        return self._one_of(name, folders) if folders else None

    def _one_of(self, name: str, folders: tuple[str, ...]) -> Image | None:
        """The file of that name; of several copies the first, and none where they are not copies of each other."""
        paths = sorted((f"{f}/{name}" if f else name for f in folders), key=lambda p: (p.count("/"), p))
        if len(paths) > 1 and len({(self.root / p).stat().st_size for p in paths}) > 1:
            return None
        return self._image(paths[0])

    def _image(self, below: str) -> Image:
        return Image(self._where, self._start + below)


def _clean(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _below(folder: str, name: str) -> str:
    return f"{folder}/{_clean(name).removeprefix(f'{folder}/')}"
