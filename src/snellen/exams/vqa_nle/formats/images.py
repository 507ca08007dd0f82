"""Where the images are: one walk over the image folders, then look-ups by name. A record's path is never opened as such."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from snellen.data.files import PICTURES
from snellen.exams.vqa_nle.formats.files import readable
from snellen.exams.vqa_nle.formats.records import VqaRecord
from snellen.exams.vqa_nle.names import TASKS

COCO_FOLDERS = TASKS["vqax"].images
Names = dict[str, tuple[str, ...]]


def coco_filename(image_id: int | str, part: str) -> str:
    """COCO's file name of an image of `train` or `val`.

    >>> coco_filename(9, "train")
    'COCO_train2014_000000000009.jpg'
    """
    return f"COCO_{part}2014_{int(image_id):012d}.jpg"


def _names(root: Path, start: str = "") -> Names:
    """The folders of every image (and `.json`, for VCR's metadata) by its name. Links are followed, and a link back up does not loop.

    The tuples are shared, so an entry costs little more than its name.
    """
    found: Names = {}
    seen: set[tuple[int, int]] = set()
    todo = [start]
    while todo:
        folder = todo.pop()
        here, below = (folder,), []
        with readable(str(root / folder)):
            at = (root / folder).stat()
            if (at.st_dev, at.st_ino) in seen:
                continue
            seen.add((at.st_dev, at.st_ino))
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.name.lower().endswith((*PICTURES, ".json")):
                        found[entry.name] = found[entry.name] + here if entry.name in found else here
                    elif entry.is_dir():
                        below.append(f"{folder}/{entry.name}" if folder else entry.name)
        todo += sorted(below, reverse=True)
    return found


class ImageIndex:
    """The images that a task may use, in `images/` or in the data folder itself. The task's own folders are walked first, and
    all of them only when a name is not there. What is found is a path below the data folder, as messages and ledgers say it.
    """

    def __init__(self, task: str, where: Path) -> None:
        self._task, self._where, self._folders = task, where, TASKS[task].images
        self._start = "images/" if (where / "images").is_dir() else ""
        self.root = where / self._start
        self._own: Names = {}
        for folder in self._folders:
            if (self.root / folder).is_dir():
                for name, folders in _names(self.root, folder).items():
                    self._own[name] = self._own.get(name, ()) + folders
        self._rest: Names | None = None

    def path(self, name: str) -> Path:
        """The file of a name that was found."""
        return self._where / name

    def find(self, record: VqaRecord, split: str) -> str | None:
        """The image of a record; None where it is not there (or several different files could be it)."""
        return self._first(list(self._expected(record, split)))

    def metadata(self, record: VqaRecord, split: str) -> str | None:
        """VCR's metadata file of a record: the one it names, or the one beside its image."""
        named = [self._below(record.metadata)] if record.metadata else []
        image = self.find(record, split)
        beside = image.removeprefix(self._start).rpartition(".")[0] + ".json" if image else ""
        for path in (*named, beside):
            if self._there(path):
                return self._start + path
        return self._first(named)

    def expected(self, record: VqaRecord, split: str) -> str:
        """Where the image should be, for messages."""
        return next(self._expected(record, split), "no image name")

    def _expected(self, record: VqaRecord, split: str) -> Iterator[str]:
        """Paths below the image root, best first, as multimodal-vqa-eval looks for them."""
        if self._task != "vqax":
            yield from map(self._below, record.images)
            return
        default = "train" if split == "train" else "val"
        for name in record.images:
            part = next((f for f in COCO_FOLDERS if f in name), f"{default}2014")
            yield f"{part}/{_clean(name).rpartition('/')[2]}"
        if record.image_id.isdecimal():
            yield f"{default}2014/{coco_filename(record.image_id, default)}"

    def _below(self, name: str) -> str:
        folder = self._folders[0]
        return f"{folder}/{_clean(name).removeprefix(f'{folder}/')}"

    def _there(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return folder in self._own.get(name, ()) or folder in (self._rest or {}).get(name, ())

    def _first(self, paths: list[str]) -> str | None:
        """The first of these paths that is there, else the first file of such a name anywhere."""
        found = next(filter(self._there, paths), None)
        names = dict.fromkeys(path.rpartition("/")[2] for path in paths)
        found = found or next(filter(None, map(self._anywhere, names)), None)
        return None if found is None else self._start + found

    def _anywhere(self, name: str) -> str | None:
        """The file of that name; of several copies the first, and none where they are not copies of each other."""
        if name not in self._own and self._rest is None:
            self._rest = _names(self.root)
        folders = self._own.get(name) or (self._rest or {}).get(name, ())
        paths = sorted((f"{f}/{name}" if f else name for f in folders), key=lambda p: (p.count("/"), p))
        if len(paths) > 1 and len({(self.root / p).stat().st_size for p in paths}) > 1:
            return None
        return paths[0] if paths else None


def _clean(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")
