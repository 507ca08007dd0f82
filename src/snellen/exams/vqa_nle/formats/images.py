"""Images, and for VCR their boxes: found at the path in the record, else anywhere below the image folder by name."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from snellen.core.errors import SnellenError
from snellen.data.files import PICTURES
from snellen.exams.vqa_nle.formats.files import UNDECODABLE, read_bytes
from snellen.exams.vqa_nle.formats.records import VqaRecord
from snellen.exams.vqa_nle.names import TASKS

COCO_FOLDERS = TASKS["vqax"].images
LARGEST = 1e7


class VcrMetadata(msgspec.Struct):
    """A metadata file: boxes `[x1, y1, x2, y2, score]`, class names, and the size that the boxes refer to."""

    boxes: list[list[float]]
    names: list[str] = []
    width: float = 0
    height: float = 0


def coco_filename(image_id: int | str, part: str) -> str:
    """Return COCO's file name of an image of `train` or `val`.

    >>> coco_filename(9, "train")
    'COCO_train2014_000000000009.jpg'
    """
    return f"COCO_{part}2014_{int(image_id):012d}.jpg"


class ImageIndex:
    """The images that a task may use, in `images/` or in the data folder itself.

    Results are paths below the data folder, for messages and ledgers. A record's path cannot lead out of that folder.
    """

    def __init__(self, task: str, where: Path) -> None:
        self.task, self._where, self._folders = task, where, TASKS[task].images
        self._start = "images/" if (where / "images").is_dir() else ""
        self.root = where / self._start
        self._known: dict[tuple[str, ...], str | None] = {}
        self._last: tuple[str, VcrMetadata] = ("", VcrMetadata([]))  # consecutive questions often share an image

    def path(self, name: str) -> Path:
        """Return the file with a name that was found."""
        return self._where / name

    def find(self, record: VqaRecord) -> str | None:
        """Return the image of a record; None if it is not there, or if several different files could be it."""
        return self._first(tuple(self._expected(record)))

    def metadata(self, record: VqaRecord) -> str | None:
        """Return VCR's metadata file beside a record's image."""
        image = self.find(record) if self.task == "vcr" else None
        return image and self._first((image.removeprefix(self._start).rpartition(".")[0] + ".json",))

    def boxes(self, record: VqaRecord) -> VcrMetadata:
        """Return the boxes of a record's metadata file; none without such a file."""
        file = self.metadata(record)
        if file is None:
            return VcrMetadata([])
        if self._last[0] != file:
            self._last = file, _read_metadata(self.path(file), file)
        found = self._last[1]
        if record.objects and len(found.boxes) != len(record.objects):
            raise SnellenError(
                f"{file}: {len(found.boxes)} boxes, but {len(record.objects)} objects in record {record.key!r}"
            )
        return found

    def expected(self, record: VqaRecord) -> str:
        """Return the expected place of the image, for messages."""
        return next(self._expected(record), "no image name")

    def _expected(self, record: VqaRecord) -> Iterator[str]:
        """Yield paths below the image root, best first, in the order of multimodal-vqa-eval."""
        if self.task != "vqax":
            yield from map(self._below, record.images)
            return
        default = "train" if record.split == "train" else "val"
        for name in record.images:
            part = next((f for f in COCO_FOLDERS if f in name), f"{default}2014")
            yield f"{part}/{_clean(name).rpartition('/')[2]}"
        if record.image_id.isdecimal():
            yield f"{default}2014/{coco_filename(record.image_id, default)}"

    def _below(self, name: str) -> str:
        folder = self._folders[0]
        return f"{folder}/{_clean(name).removeprefix(f'{folder}/')}"

    def _first(self, paths: tuple[str, ...]) -> str | None:
        """Return the first of these paths that exists, else the first file with such a name anywhere."""
        if paths not in self._known:
            found = next((path for path in paths if (self.root / path).is_file()), None)
            names = dict.fromkeys(path.rpartition("/")[2] for path in paths)
            self._known[paths] = found or next(filter(None, map(self._anywhere, names)), None)
        known = self._known[paths]
        return None if known is None else self._start + known

    def _anywhere(self, name: str) -> str | None:
        """Return the file with that name, from the task's own folders if it is there; None if several files differ in content."""
        every = self._files.get(name, ())
        paths = [path for path in every if path.partition("/")[0] in self._folders] or every
        if len({(self.root / path).stat().st_size for path in paths}) != 1:
            return None
        return min(paths, key=lambda path: (path.count("/"), path))

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The paths of every image (and `.json`, for VCR's metadata), by name. Links to folders are not followed here."""
        found: dict[str, list[str]] = defaultdict(list)
        for folder, below, names in os.walk(self.root):
            below[:] = (name for name in below if not name.startswith("."))
            home = Path(folder).relative_to(self.root)
            for name in names:
                if name.lower().endswith((*PICTURES, ".json")) and not name.startswith("."):
                    found[name].append((home / name).as_posix())
        return found


def _clean(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/").lstrip("/"))
    return path.name if ".." in path.parts else str(path)


def _read_metadata(path: Path, label: str) -> VcrMetadata:
    """Read a metadata file; raise SnellenError if it is not one. A score after a box is dropped."""
    try:
        found = msgspec.json.decode(read_bytes(path, label), type=VcrMetadata)
    except UNDECODABLE as error:
        raise SnellenError(f"{label}: not a VCR metadata file ({error or 'nested too deeply'})") from None
    for at, box in enumerate(found.boxes):
        if len(box) < 4 or not all(abs(number) < LARGEST for number in box[:4]):
            raise SnellenError(f"{label}: box {at} must be four numbers x1, y1, x2, y2, not {str(box)[:60]}")
    found.boxes = [[round(number, 1) for number in box[:4]] for box in found.boxes]
    return found
