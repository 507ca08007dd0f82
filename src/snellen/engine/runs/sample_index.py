"""The index of a run: the place of each sample, answer and mark in its file, and a few columns to filter by.

Marking, pages and the viewer find a run's records through it. Texts stay in their files, and samples are identified by the hashes of their
ids. If an answers file has grown, reading continues from the previous end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.errors import SnellenError
from snellen.core.types import Answer, Mark, Outcome, Sample, Struct
from snellen.data.line_offsets import NOWHERE
from snellen.engine.runs.folder import (
    ANSWERS,
    MARKS,
    SAMPLES,
    UNREADABLE,
    RunFolder,
    Scan,
    Stamp,
    marked_as,
    raw_lines,
    records_at,
    stamp,
)
from snellen.stats.repeats import usual_outcome

OUTCOMES = tuple(Outcome)
CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NONE = 255
T = TypeVar("T")


class _SampleHead(Struct, frozen=True):
    id: str
    tags: dict[str, str]


class _MarkHead(Struct, frozen=True):
    id: str
    outcome: Outcome


_SAMPLE_HEADS = msgspec.json.Decoder(_SampleHead)
_MARK_HEADS = msgspec.json.Decoder(_MarkHead)


class _ArmColumn(NamedTuple):
    """The answers to one arm, by sample: the place of the line that counts, and whether it is a failure. `unknown` answers have no
    sample.
    """

    place: NDArray[np.int64]
    failed: NDArray[np.bool_]
    unknown: int


class _MarkColumn(NamedTuple):
    """The marks of one protocol and repeat, by sample: the code of the outcome, and the place of the line."""

    stamp: Stamp | None
    outcome: NDArray[np.uint8]
    place: NDArray[np.int64]


class _TagColumn(NamedTuple):
    """The values of one tag, and the value of each sample (`NOWHERE` for none)."""

    values: list[str]
    codes: NDArray[np.int32]


class SampleRecord(NamedTuple):
    """All records of one sample in the run's files: answers by arm, marks by protocol and repeat."""

    row: int
    sample: Sample
    answers: dict[str, Answer]
    marks: dict[str, Mark]


class SampleIndex:
    """The columns of one run. `refreshed` returns them for the present files, while others may read the old ones."""

    def __init__(self, folder: RunFolder, scan: Scan | None = None) -> None:
        self.folder, self.scan = folder, scan or folder.scan()
        self.arms: dict[str, _ArmColumn] = {}
        self.marks: dict[str, _MarkColumn] = {}
        self._wordings = folder.manifest().wordings
        self._samples, self._answers = stamp(folder.samples_path), stamp(folder.answers_path)
        self._read_samples()

    def __len__(self) -> int:
        return len(self.places)

    @property
    def version(self) -> tuple[object, ...]:
        """A value that differs after every change."""
        return self._samples, self.scan.end, *((name, column.stamp) for name, column in self.marks.items())

    def _read_samples(self) -> None:
        places, hashes, which = array("q"), array("q"), array("q")
        kinds: dict[tuple[tuple[str, str], ...], int] = {}
        for place, head in decoded(self.folder.samples_path, _SAMPLE_HEADS):
            places.append(place)
            hashes.append(hash(head.id))
            which.append(kinds.setdefault(tuple(head.tags.items()), len(kinds)))
        self.places, self.hashes = np.frombuffer(places, np.int64), np.frombuffer(hashes, np.int64)
        self._order = np.argsort(self.hashes, kind="stable")
        self._sorted = self.hashes[self._order]
        self.tags: dict[str, _TagColumn] = {}
        for key in dict.fromkeys(key for kind in kinds for key, _value in kind):
            values = [dict(kind).get(key) for kind in kinds]
            codes = {value: at for at, value in enumerate(dict.fromkeys(v for v in values if v is not None))}
            column = np.array([NOWHERE if value is None else codes[value] for value in values], np.int32)
            self.tags[key] = _TagColumn(list(codes), column[np.frombuffer(which, np.int64)])

    # ------------------------------------------------------------ rows and columns

    def rows_of(self, hashes: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the rows of samples by the hashes of their ids, `NOWHERE` for an unknown one. An id that repeats gets its first row."""
        if not len(self):
            return np.full(len(hashes), NOWHERE, np.intp)
        at = np.minimum(np.searchsorted(self._sorted, hashes), len(self) - 1)
        return np.where(self._sorted[at] == hashes, self._order[at], NOWHERE)

    def arm(self, prompt: str) -> _ArmColumn:
        """Return the answers to an arm."""
        found = self.scan.last.of(prompt)
        place, failed = np.full(len(self), NOWHERE, np.int64), np.zeros(len(self), bool)
        rows = self.rows_of(found.hashes)
        known = rows != NOWHERE
        place[rows[known]], failed[rows[known]] = found.places[known], found.failed[known]
        return _ArmColumn(place, failed, int((~known).sum()))

    def refreshed(self) -> SampleIndex:
        """Return the index of the present files: this one, or a new one if content that it read has gone."""
        folder, before, now = self.folder, self._answers, stamp(self.folder.answers_path)
        replaced = before is not None and (now is None or now.inode != before.inode or now.size < self.scan.end)
        if replaced or stamp(folder.samples_path) != self._samples or folder.manifest().wordings != self._wordings:
            return SampleIndex(folder).refreshed()
        self._answers = now
        folder.scan(self.scan)
        self.arms = {
            arm: self.arm(arm) for arm in dict.fromkeys((*folder.manifest().questions, *self.scan.last.counts))
        }
        self.marks = {name: self._marks(name) for name in self._marked()}
        return self

    def _marked(self) -> list[str]:
        """Return the names of the marks of all protocols, for each repeat."""
        try:
            protocols = self.folder.summary().protocols
        except SnellenError:  # not marked yet
            return []
        return [marked_as(p.protocol, at) for p in protocols for at in range(1, p.repeats + 1)]

    def _marks(self, name: str) -> _MarkColumn:
        """Return the marks of a protocol. If their file is unchanged, these are the marks that were read before."""
        path = self.folder.marks_path(name)
        now, known = stamp(path), self.marks.get(name)
        if known is not None and known.stamp == now:
            return known
        places, hashes, codes = array("q"), array("q"), array("B")
        for place, mark in decoded(path, _MARK_HEADS):
            places.append(place)
            hashes.append(hash(mark.id))
            codes.append(CODES[mark.outcome])
        rows = self.rows_of(np.frombuffer(hashes, np.int64))
        known_rows = rows != NOWHERE
        column = _MarkColumn(now, np.full(len(self), NONE, np.uint8), np.full(len(self), NOWHERE, np.int64))
        column.outcome[rows[known_rows]] = np.frombuffer(codes, np.uint8)[known_rows]
        column.place[rows[known_rows]] = np.frombuffer(places, np.int64)[known_rows]
        return column

    # ------------------------------------------------------------ derived columns

    def times(self, protocol: str) -> list[_MarkColumn]:
        """Return the marks of a protocol for each repeat. Empty if it has none."""
        names = (marked_as(protocol, at) for at in range(1, len(self.marks) + 1))
        return [self.marks[name] for name in names if name in self.marks]

    def usual(self, protocol: str) -> NDArray[np.uint8]:
        """Return the outcome of each sample under a protocol. Repeats are combined as in `compare`."""
        first, *again = (column.outcome for column in self.times(protocol))
        if not again:
            return first
        every = [[OUTCOMES[code] for code in row if code != NONE] for row in np.stack([first, *again], axis=1).tolist()]
        return np.array([CODES[usual_outcome(some)] if some else NONE for some in every], np.uint8)

    def flipped(self, protocols: Sequence[str]) -> NDArray[np.bool_]:
        """Return which samples one protocol marks correct and another does not, for one answer. Failed calls do not count."""
        passed_over = [NONE, CODES[Outcome.ERROR], CODES[Outcome.UNMARKED]]
        every = [[column.outcome for column in self.times(name)] for name in protocols]
        found = np.zeros(len(self), bool)
        for outcomes in zip_longest(*every):
            correct, missed = np.zeros(len(self), bool), np.zeros(len(self), bool)
            for outcome in (one for one in outcomes if one is not None):
                right = outcome == CODES[Outcome.CORRECT]
                correct |= right
                missed |= ~right & ~np.isin(outcome, passed_over)
            found |= correct & missed
        return found

    # ------------------------------------------------------------ the records themselves

    def read(self, rows: Sequence[int]) -> list[SampleRecord]:
        """Return some samples with their answers and marks. A sample whose line was damaged since then is skipped."""
        folder = self.folder
        samples = _at(folder.samples_path, self.places, rows, SAMPLES)
        answers = {arm: _at(folder.answers_path, column.place, rows, ANSWERS) for arm, column in self.arms.items()}
        marks = {name: _at(folder.marks_path(name), column.place, rows, MARKS) for name, column in self.marks.items()}
        return [
            SampleRecord(
                row,
                samples[row],
                {arm: some[row] for arm, some in answers.items() if row in some},
                {name: some[row] for name, some in marks.items() if row in some},
            )
            for row in rows
            if row in samples
        ]

    def named(self, names: Iterable[str]) -> dict[str, SampleRecord]:
        """Return samples by id. Ids that are not in the run are skipped."""
        rows = self.rows_of(np.array([hash(name) for name in dict.fromkeys(names)], np.int64))
        return {one.sample.id: one for one in self.read(rows[rows != NOWHERE].tolist())}


def placed(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of a file, each with its offset."""
    place = 0
    for line in raw_lines(path):
        yield place, line
        place += len(line)


def decoded(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[tuple[int, T]]:
    """Yield the records of a file with their offsets. Damaged lines are skipped."""
    for place, line in placed(path):
        with suppress(*UNREADABLE):
            yield place, decoder.decode(line)


def _at(path: Path, places: NDArray[np.int64], rows: Sequence[int], decoder: msgspec.json.Decoder[T]) -> dict[int, T]:
    """Return the records of some rows of a file that can be read."""
    found = records_at(path, decoder, (int(places[row]) for row in rows))
    return {row: record for row, record in zip(rows, found, strict=False) if record is not None}
