"""Where the images are: one walk over the image folders, then look-ups by name. A record's path is never opened as such."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.exams.vqa_nle.formats.base import VqaRecord, readable

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


def walk(root: Path) -> Iterator[tuple[str, str]]:
    """Every image (and `.json`, for VCR's metadata) below a folder, as (folder below the root, name).

    Links are followed, and a link back up does not loop.
    """
    seen: set[tuple[int, int]] = set()
    todo = [""]
    while todo:
        folder = todo.pop()
        path = root / folder
        with readable(str(path)):
            at = path.stat()
            if (at.st_dev, at.st_ino) in seen:
                continue
            seen.add((at.st_dev, at.st_ino))
            below = []
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.name.lower().endswith((*ENDINGS, ".json")):
                        yield folder, entry.name
                    elif entry.is_dir():
                        below.append(f"{folder}/{entry.name}" if folder else entry.name)
            todo += sorted(below, reverse=True)


Names = dict[str, tuple[str, ...]]


def _names(root: Path, start: str = "") -> Names:
    """File name to folders. The tuples are shared, so an entry costs little more than its name."""
    found: Names = {}
    single: Names = {}
    for below, name in walk(root / start):
        folder = "/".join(p for p in (start, below) if p)
        here = single.setdefault(folder, (folder,))
        found[name] = found[name] + here if name in found else here
    return found


def _there(path: str, known: Iterable[Names]) -> bool:
    folder, _, name = path.rpartition("/")
    return any(folder in names.get(name, ()) for names in known)


class ImageIndex:
    """The images that a task may use, in `images/` or in the data folder itself. The task's own folders are walked first, and
    all of them only when a name is not there.
    """

    def __init__(self, task: str, where: Path) -> None:
        self._task, self._where = task, where
        self._start = "images/" if (where / "images").is_dir() else ""
        self.root = where / self._start
        self._own = [_names(self.root, folder) for folder in FOLDERS[task] if (self.root / folder).is_dir()]
        self._rest: Names | None = None

    def find(self, record: VqaRecord, split: str) -> Image | None:
        """The image of a record; None where it is not there (or several different files could be it)."""
        names = list(self._expected(record, split))
        for path in names:
            if _there(path, self._own):
                return self._image(path)
        anywhere = map(self._anywhere, dict.fromkeys(path.rpartition("/")[2] for path in names))
        return next((found for found in anywhere if found is not None), None)

    def metadata(self, record: VqaRecord, split: str) -> Image | None:
        """VCR's metadata file of a record: the one it names, or the one beside its image."""
        image = self.find(record, split)
        beside = image.name.removeprefix(self._start).rpartition(".")[0] + ".json" if image else ""
        known = [*self._own, self._rest or {}]
        for path in (_below(FOLDERS["vcr"][0], record.metadata) if record.metadata else "", beside):
            if path and _there(path, known):
                return self._image(path)
        return self._anywhere(record.metadata.rpartition("/")[2]) if record.metadata else None

    def expected(self, record: VqaRecord, split: str) -> str:
        """Where the image should be, for messages."""
        return next(iter(self._expected(record, split)), "no image name")

    def _expected(self, record: VqaRecord, split: str) -> Iterator[str]:
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
        """The file of that name; of several copies the first, and none where they are not copies of each other."""
        folders = next((known[name] for known in self._own if name in known), ())
        if not folders:
            self._rest = _names(self.root) if self._rest is None else self._rest
            folders = self._rest.get(name, ())
        paths = sorted((f"{f}/{name}" if f else name for f in folders), key=lambda p: (p.count("/"), p))
        if len(paths) > 1 and len({(self.root / p).stat().st_size for p in paths}) > 1:
            return None
        return self._image(paths[0]) if paths else None

    def _image(self, below: str) -> Image:
        return Image(self._where, self._start + below)


def _clean(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _below(folder: str, name: str) -> str:
    return f"{folder}/{_clean(name).removeprefix(f'{folder}/')}"
