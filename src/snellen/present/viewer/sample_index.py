"""An index of a run's samples: where each sample, answer and mark is in its file, and a few columns to filter and sort by.

It holds numbers only (about 10 MB for 100,000 samples under four protocols); texts are read from their files when a page shows them.
An answers file that grows is read on from where the last look ended.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.arm import Arm
from snellen.core.records import Manifest
from snellen.core.types import Failure, Outcome, Struct
from snellen.engine.runs.folder import marked_as
from snellen.present.viewer.run_index import RunIndex, Stamp, stamp
from snellen.stats.repeats import usual_outcome

OUTCOMES = tuple(Outcome)
CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NONE = 255
NOWHERE = -1
CHUNK = 4096
T = TypeVar("T")
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError)


class _SampleHead(Struct, frozen=True):
    id: str
    tags: dict[str, str]


class _CallTime(Struct, frozen=True):
    latency: float | None = None


class _AnswerHead(Struct, frozen=True):
    id: str
    prompt: str
    text: str = ""
    failure: Failure | None = None
    calls: tuple[_CallTime, ...] = ()


class _MarkHead(Struct, frozen=True):
    id: str
    outcome: Outcome


_SAMPLES = msgspec.json.Decoder(_SampleHead)
_ANSWERS = msgspec.json.Decoder(_AnswerHead)
_MARKS = msgspec.json.Decoder(_MarkHead)


class ArmColumn(NamedTuple):
    """The answers to one arm, by sample: the place of the line that counts, whether it is a failure, its length and time."""

    place: NDArray[np.int64]
    failed: NDArray[np.bool_]
    length: NDArray[np.int32]
    seconds: NDArray[np.float32]


class MarkColumn(NamedTuple):
    """The marks of one protocol and repeat, by sample: code of the outcome, and the place of the line."""

    outcome: NDArray[np.uint8]
    place: NDArray[np.int64]


class TagColumn(NamedTuple):
    """The values of one tag, and which of them each sample has (`NOWHERE` for none)."""

    values: list[str]
    codes: NDArray[np.int32]


class RunFiles(NamedTuple):
    """What an index is made from: the files of a run that may be read, and the protocols that it was marked by."""

    samples: Path | None
    answers: Path | None
    marks: Mapping[str, Path | None]
    manifest: Manifest


def source_of(run_index: RunIndex, path: Path, manifest: Manifest, protocols: Mapping[str, int]) -> RunFiles:
    """The files of a run that are inside the folder. `protocols` may be named by anybody; each has its number of repeats."""
    names = [marked_as(name, at) for name, repeats in protocols.items() for at in range(1, repeats + 1)]
    marks = {name: run_index.file(path / "marks" / f"{name}.jsonl") for name in names}
    return RunFiles(run_index.file(path / "samples.jsonl"), run_index.file(path / "answers.jsonl"), marks, manifest)


class SampleIndex:
    """The columns of one run. `update` brings them up to what the files say now, while others may read them."""

    def __init__(self) -> None:
        self.places: NDArray[np.int64] = np.empty(0, np.int64)
        self.hashes: NDArray[np.int64] = np.empty(0, np.int64)
        self.tags: dict[str, TagColumn] = {}
        self.arms: dict[str, ArmColumn] = {}
        self.marks: dict[str, MarkColumn] = {}
        self.begun = self.ready = False
        """Whether the samples are known, and whether all the rest is."""
        self.done, self.total = 0, 1
        """Bytes that were read and are to be read, for whoever waits."""
        self.version = 0
        """Grows with every change."""
        self._samples: Stamp | None = None
        self._marks: dict[str, Stamp | None] = {}
        self._since: dict[str, int] = {}
        self._answers: int | None = None
        self._end = self._read = 0

    def __len__(self) -> int:
        return len(self.places)

    def outdated(self, source: RunFiles) -> bool:
        """Whether what was read is no longer there, so that a new index has to be made."""
        now = _stamp(source.answers)
        lost = self._answers is not None and (now is None or now[0] != self._answers or now[1] < self._end)
        return self.ready and (
            lost or _stamp(source.samples) != self._samples or _since(source.manifest) != self._since
        )

    def update(self, source: RunFiles) -> None:
        """Read what is new."""
        size = sum(p.stat().st_size for p in (source.samples, source.answers, *source.marks.values()) if p is not None)
        self.done, self.total = 0, max(1, size)
        changed = self._read_samples(source)
        self.begun = True
        order = np.argsort(self.hashes, kind="stable")
        rows = _Rows(self.hashes[order], order)
        changed |= self._read_answers(source, rows)
        changed |= self._read_marks(source, rows)
        self.version += changed or not self.ready
        self.ready = True

    def _read_samples(self, source: RunFiles) -> bool:
        if self.ready:
            return False
        now = _stamp(source.samples)
        places, hashes = array("q"), array("q")
        values: dict[str, dict[str, int]] = {}
        codes: dict[str, array[int]] = {}
        for some in _decoded(source.samples, 0, _SAMPLES, self._count):
            for place, head in some:
                for key, value in head.tags.items():
                    if key not in codes:
                        codes[key], values[key] = array("i", [NOWHERE]) * len(places), {}
                    codes[key].append(values[key].setdefault(value, len(values[key])))
                places.append(place)
                hashes.append(hash(head.id))
                for column in codes.values():
                    if len(column) < len(places):
                        column.append(NOWHERE)
        self.places, self.hashes = np.array(places, np.int64), np.array(hashes, np.int64)
        self.tags = {key: TagColumn(list(values[key]), np.array(column, np.int32)) for key, column in codes.items()}
        self._samples = now
        return True

    def _read_answers(self, source: RunFiles, rows: _Rows) -> bool:
        """As `RunFolder.scan` has it: the last line counts, but no failure after an answer, and none to an earlier wording."""
        since = self._since = _since(source.manifest)
        if not self.ready:
            self.arms = {arm: self._arm() for arm in source.manifest.questions}
        if source.answers is not None and self._answers is None:
            self._answers = source.answers.stat().st_ino
        begin = self._end
        for some in _decoded(source.answers, begin, _ANSWERS, self._count):
            by_arm: dict[str, list[tuple[int, _AnswerHead]]] = {}
            for place, head in some:
                if not since or place >= since.get(Arm.parse(head.prompt).prompt, 0):
                    by_arm.setdefault(head.prompt, []).append((place, head))
            for name, given in by_arm.items():
                if name not in self.arms:
                    self.arms = self.arms | {name: self._arm()}
                _add(self.arms[name], rows, given)
        self._end = begin + self._read
        return self._read > 0

    def _arm(self) -> ArmColumn:
        n = len(self)
        return ArmColumn(
            np.full(n, NOWHERE, np.int64), np.zeros(n, bool), np.zeros(n, np.int32), np.zeros(n, np.float32)
        )

    def _read_marks(self, source: RunFiles, rows: _Rows) -> bool:
        changed = not self.ready or self.marks.keys() != source.marks.keys()
        found: dict[str, MarkColumn] = {}
        for name, path in source.marks.items():
            now = _stamp(path)
            if name in self._marks and name in self.marks and now == self._marks[name]:
                found[name] = self.marks[name]
                continue
            column = MarkColumn(np.full(len(self), NONE, np.uint8), np.full(len(self), NOWHERE, np.int64))
            if not self.ready:
                self.marks = self.marks | {name: column}  # whoever looks already sees them come
            for some in _decoded(path, 0, _MARKS, self._count):
                at, there = rows.of([mark.id for _place, mark in some])
                column.outcome[at] = np.array([CODES[mark.outcome] for _place, mark in some], np.uint8)[there]
                column.place[at] = np.array([place for place, _mark in some], np.int64)[there]
            found[name], self._marks[name], changed = column, now, True
        self.marks = found
        return changed

    def _count(self, begun: int, read: int) -> None:
        """How much of a file was read: by now, and in this step."""
        self._read = begun
        self.done += read

    # ------------------------------------------------------------ columns that follow from others

    def times(self, protocol: str) -> list[MarkColumn]:
        """The marks of a protocol, each time that questions were asked; none where it has none."""
        names = (marked_as(protocol, at) for at in range(1, len(self.marks) + 1))
        return [self.marks[name] for name in names if name in self.marks]

    def usual(self, protocol: str) -> NDArray[np.uint8]:
        """What became of each sample under a protocol: of questions that were asked several times, as `compare` has it."""
        first, *again = (column.outcome for column in self.times(protocol))
        if not again:
            return first
        kinds, which = np.unique(np.stack([first, *again], axis=1), axis=0, return_inverse=True)
        every = [[OUTCOMES[code] for code in row if code != NONE] for row in kinds.tolist()]
        codes = np.array([CODES[usual_outcome(some)] if some else NONE for some in every], np.uint8)
        found: NDArray[np.uint8] = codes[which.reshape(-1)]
        return found

    def flipped(self, protocols: Sequence[str]) -> NDArray[np.bool_]:
        """Samples that some protocol calls correct and another does not, of one answer; failed calls say nothing about a protocol."""
        said_nothing = [NONE, CODES[Outcome.ERROR], CODES[Outcome.UNMARKED]]
        every = [[column.outcome for column in self.times(name)] for name in protocols]
        found = np.zeros(len(self), bool)
        for outcomes in zip_longest(*every):
            correct, missed = np.zeros(len(self), bool), np.zeros(len(self), bool)
            for outcome in (one for one in outcomes if one is not None):
                right = outcome == CODES[Outcome.CORRECT]
                correct |= right
                missed |= ~right & ~np.isin(outcome, said_nothing)
            found |= correct & missed
        return found

    def answered(self) -> dict[str, tuple[int, int]]:
        """By arm: how many answers there are, and how many of them are failures."""
        return {
            name: (int((arm.place != NOWHERE).sum()), int((arm.failed & (arm.place != NOWHERE)).sum()))
            for name, arm in self.arms.items()
        }


def _stamp(path: Path | None) -> Stamp | None:
    return None if path is None else stamp(path)


def _since(manifest: Manifest) -> dict[str, int]:
    """From which byte on the answers to a prompt count, where it was reworded."""
    return {name: wording.since for name, wording in manifest.wordings.items() if wording.since}


class _Rows(NamedTuple):
    """Finds samples by the hash of their ids, many at a time."""

    hashes: NDArray[np.int64]
    order: NDArray[np.intp]

    def of(self, names: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The rows of those that there are, and which of them these are."""
        if not len(self.order):
            return np.empty(0, np.intp), np.zeros(len(names), bool)
        wanted = np.fromiter(map(hash, names), np.int64, len(names))
        at = np.minimum(np.searchsorted(self.hashes, wanted), len(self.order) - 1)
        there = self.hashes[at] == wanted
        return self.order[at[there]], there


def _add(arm: ArmColumn, rows: _Rows, given: Sequence[tuple[int, _AnswerHead]]) -> None:
    """Put answers into an arm's columns: failures where there is no answer, then answers over all; of several the last."""
    at, there = rows.of([head.id for _place, head in given])
    failed = np.array([head.failure is not None for _place, head in given], bool)[there]
    place = np.array([place for place, _head in given], np.int64)[there]
    length = np.array([len(head.text) for _place, head in given], np.int32)[there]
    seconds = np.array([sum(c.latency or 0.0 for c in head.calls) for _place, head in given], np.float32)[there]
    open_yet = (arm.place[at] == NOWHERE) | arm.failed[at]
    for these, failure in ((failed & open_yet, True), (~failed, False)):
        row = at[these]
        arm.place[row], arm.length[row], arm.seconds[row] = place[these], length[these], seconds[these]
        arm.failed[row] = failure


def _decoded(
    path: Path | None, begin: int, decoder: msgspec.json.Decoder[T], count: Callable[[int, int], None]
) -> Iterator[list[tuple[int, T]]]:
    """The lines of a file from a byte on, decoded, each with its place; some thousand at a time. A torn last line is left for later."""
    count(0, 0)
    if path is None:
        return
    place, decode = begin, decoder.decode
    with path.open("rb", buffering=1 << 20) as file:
        file.seek(begin)
        while lines := list(islice(file, CHUNK)):
            found: list[tuple[int, T]] = []
            before = place
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                try:
                    found.append((place, decode(line)))
                except UNREADABLE:  # passed over, as everywhere
                    place += len(line)
                    continue
                place += len(line)
            count(place - begin, place - before)
            yield found
