"""The data set of a run: selected pairs of a D3 folder. Pairs with a missing image are not asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.options import IMAGES, Selection
from snellen.core.selection import choose
from snellen.core.types import Picture, Sample
from snellen.data.files import read_picture
from snellen.data.folder import named, unusable
from snellen.data.synthetic_marker import MARK
from snellen.exams.d3.folder import DATASET, README, Folder, LocatedEntry
from snellen.exams.d3.names import task_of
from snellen.exams.d3.recorded import sample_id

SPLITS = ("all",)
TASKS = ("pair", "set")


class D3Data(Dataset):
    """Selected samples. `missing` are selected pairs that were left out because an image is missing."""

    def __init__(self, where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        named("split", options.splits, SPLITS, "d3")
        tasks = named("task", options.tasks, TASKS, "d3")
        self._folder = Folder(where, options.own.get(IMAGES.name, ""))
        self.synthetic, self.origin = self._folder.synthetic, self._folder.origin
        if self._folder.problems:
            raise unusable(self._folder.problems, "d3", where)
        located = [one for one in self._folder.entries if _asked(one, tasks)]
        if not located:
            raise SnellenError(f"{self._folder.root}: nothing for --task {', '.join(options.tasks)}")
        chosen = choose([sample_id(one.uid) for one in located], options.limit, options.seed)
        selected = [one for one in located if chosen is None or sample_id(one.uid) in chosen]
        gone = [one for one in selected if one.missing]
        self.missing = tuple(one.uid for one in gone)
        self._pairs = [one for one in selected if not one.missing]
        self._allow(gone, len(selected))
        self.fingerprint = self._folder.fingerprint(located)

    def _allow(self, gone: list[LocatedEntry], selected: int) -> None:
        names = [name for one in gone for name in one.missing]
        if len(gone) > self.options.max_missing or not self._pairs:
            leave = f", or leave pairs out with --max-missing {len(gone)}" if self._pairs else ""
            where = f"; D3's dataset.zip has them all ({README})" if self._folder.file == DATASET else ""
            raise SnellenError(
                f"{self._folder.root}: {len(gone)} of {selected} pairs lack an image ({len(set(names))} images, first "
                f"{names[0]!r} of pair {gone[0].uid!r}){where}; put them into {self._folder.root}/images{leave}"
            )

    def __len__(self) -> int:
        return len(self._pairs)

    def light(self) -> Iterator[Sample]:
        return (self._sample(one, ()) for one in self._pairs)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        for one in self._pairs:
            if wanted(sample_id(one.uid)):
                yield self._sample(one, tuple(self._picture(file) for file in one.files.values() if file is not None))

    def _picture(self, file: Path) -> Picture:
        label = self._folder.label(file)
        try:
            return Picture(data=read_picture(file), name=label)
        except OSError as error:
            raise SnellenError(f"{label} cannot be read ({error.strerror})") from None

    def _sample(self, one: LocatedEntry, pictures: tuple[Picture, ...]) -> Sample:
        facts: dict[str, Any] = {n: self._folder.label(f) for n, f in one.files.items() if f is not None}
        facts["uid"] = one.uid
        if difference := {k: v for k, v in one.known.items() if k not in ("kind", MARK) and isinstance(v, str)}:
            facts["difference"] = difference
        tags = {"split": "all", "task": task_of(tuple(one.files))}
        if one.known:
            tags["kind"] = one.known["kind"]
        return Sample(id=sample_id(one.uid), tags=tags, truth={"uid": one.uid}, facts=facts, pictures=pictures)


def _asked(one: LocatedEntry, tasks: list[str]) -> bool:
    return not tasks or ("pair" if task_of(tuple(one.files)) == "pair" else "set") in tasks
