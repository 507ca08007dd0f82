"""An index of a run's samples: where each sample, answer and mark is in its file, and a few columns to filter and sort by.

Texts are read from their files when a page shows them. An answers file that grows is read on from where the last look ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.arm import Arm
from snellen.core.records import Manifest
from snellen.core.types import Answer, Failure, Mark, Outcome, Sample, Struct
from snellen.engine.runs.folder import MARKS, UNREADABLE, marked_as
from snellen.stats.repeats import usual_outcome

OUTCOMES = tuple(Outcome)
CODES = {outcome: code for code, outcome in enumerate(OUTCOMES)}
NONE = 255
NOWHERE = -1
Stamp = tuple[int, int, int]
T = TypeVar("T")


class _SampleHead(Struct, frozen=True):
    id: str
    tags: dict[str, str]


class _CallTime(Struct, frozen=True):
    latency: float | None = None


class _IndexedAnswer(Struct, frozen=True):
    id: str
    prompt: str
    text: str = ""
    failure: Failure | None = None
    calls: tuple[_CallTime, ...] = ()


class _IndexedMark(Struct, frozen=True):
    id: str
    outcome: Outcome


_SAMPLES = msgspec.json.Decoder(_SampleHead)
_ANSWERS = msgspec.json.Decoder(_IndexedAnswer)
_MARKS = msgspec.json.Decoder(_IndexedMark)


class _ArmColumn(NamedTuple):
    """The answers to one arm, by sample: the place of the line that counts, whether it is a failure, its length and time."""

    place: NDArray[np.int64]
    failed: NDArray[np.bool_]
    length: NDArray[np.int32]
    seconds: NDArray[np.float32]


class _MarkColumn(NamedTuple):
    """The marks of one protocol and repeat, by sample: code of the outcome, and the place of the line."""

    outcome: NDArray[np.uint8]
    place: NDArray[np.int64]


class _TagColumn(NamedTuple):
    """The values of one tag, and which of them each sample has (`NOWHERE` for none)."""

    values: list[str]
    codes: NDArray[np.int32]


class RunFiles(NamedTuple):
    """What an index is made from: the files of a run that may be read, and its manifest."""

    samples: Path | None
    answers: Path | None
    marks: Mapping[str, Path | None]
    manifest: Manifest


def stamp(path: Path | None) -> Stamp | None:
    """Return what changes when a file does; None where there is none."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def lines(path: Path | None, begin: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the whole lines of a file from a byte on, each with its place. A torn last line is left for later."""
    if path is None:
        return
    place = begin
    with path.open("rb", buffering=1 << 20) as file:
        file.seek(begin)
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield place, line
            place += len(line)


def decoded(path: Path | None, decoder: msgspec.json.Decoder[T]) -> Iterator[tuple[int, T]]:
    """Yield the records of a file with their places; damaged lines are passed over."""
    for place, line in lines(path):
        with suppress(*UNREADABLE):
            yield place, decoder.decode(line)


class SampleIndex:
    """The columns of one run. `update` brings them up to what the files say now, while others may read them."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.places: NDArray[np.int64] = np.empty(0, np.int64)
        self.tags: dict[str, _TagColumn] = {}
        self.arms: dict[str, _ArmColumn] = {}
        self.marks: dict[str, _MarkColumn] = {}
        self.version = 0
        """Grows with every change."""
        self._stamps: dict[Path | None, Stamp | None] = {}
        self._manifest: Manifest | None = None
        self._end = 0

    def __len__(self) -> int:
        return len(self.places)

    def outdated(self, source: RunFiles) -> bool:
        """Return whether what was read is no longer there, so that a new index has to be made."""
        if self._manifest is None:
            return False
        before, now = self._stamps.get(source.answers), stamp(source.answers)
        lost = before is not None and (now is None or now[0] != before[0] or now[1] < self._end)
        reworded = source.manifest.wordings != self._manifest.wordings
        return lost or reworded or stamp(source.samples) != self._stamps.get(source.samples)

    def update(self, source: RunFiles) -> None:
        """Read what is new."""
        changed = self._manifest is None
        if changed:
            self._stamps[source.samples] = stamp(source.samples)
            self._read_samples(source)
        before = self._end
        self._stamps[source.answers] = stamp(source.answers)
        self._read_answers(source)
        changed = self._read_marks(source) or changed or self._end > before
        self._manifest = source.manifest
        self.version += changed

    def _read_samples(self, source: RunFiles) -> None:
        places: list[int] = []
        tags: list[dict[str, str]] = []
        for place, head in decoded(source.samples, _SAMPLES):
            self.rows[head.id] = len(places)
            places.append(place)
            tags.append(head.tags)
        self.places = np.array(places, np.int64)
        for key in dict.fromkeys(key for own in tags for key in own):
            codes = {value: at for at, value in enumerate(dict.fromkeys(own[key] for own in tags if key in own))}
            column = [codes[own[key]] if key in own else NOWHERE for own in tags]
            self.tags[key] = _TagColumn(list(codes), np.array(column, np.int32))
        self.arms = {arm: self._arm() for arm in source.manifest.questions}

    def _arm(self) -> _ArmColumn:
        n = len(self)
        return _ArmColumn(
            np.full(n, NOWHERE, np.int64), np.zeros(n, bool), np.zeros(n, np.int32), np.zeros(n, np.float32)
        )

    def _read_answers(self, source: RunFiles) -> None:
        """Read answers as `RunFolder.scan` does: the last line counts, but no failure after an answer, and none to an earlier wording."""
        since = {name: wording.since for name, wording in source.manifest.wordings.items() if wording.since}
        for place, line in lines(source.answers, self._end):
            self._end = place + len(line)
            try:
                head = _ANSWERS.decode(line)
            except UNREADABLE:
                continue
            row = self.rows.get(head.id)
            if row is None or (since and place < since.get(Arm.parse(head.prompt).prompt, 0)):
                continue
            if head.prompt not in self.arms:
                self.arms = self.arms | {head.prompt: self._arm()}
            arm, failed = self.arms[head.prompt], head.failure is not None
            if failed and arm.place[row] != NOWHERE and not arm.failed[row]:
                continue
            arm.place[row], arm.failed[row], arm.length[row] = place, failed, len(head.text)
            arm.seconds[row] = sum(call.latency or 0.0 for call in head.calls)

    def _read_marks(self, source: RunFiles) -> bool:
        """Read the marks that changed; return whether any did."""
        changed = self.marks.keys() != source.marks.keys()
        found: dict[str, _MarkColumn] = {}
        for name, path in source.marks.items():
            now = stamp(path)
            if name in self.marks and self._stamps.get(path) == now:
                found[name] = self.marks[name]
                continue
            column = _MarkColumn(np.full(len(self), NONE, np.uint8), np.full(len(self), NOWHERE, np.int64))
            for place, mark in decoded(path, _MARKS):
                row = self.rows.get(mark.id)
                if row is not None:
                    column.outcome[row], column.place[row] = CODES[mark.outcome], place
            found[name], self._stamps[path], changed = column, now, True
        self.marks = found
        return changed

    # ------------------------------------------------------------ columns that follow from others

    def times(self, protocol: str) -> list[_MarkColumn]:
        """Return the marks of a protocol, each time that questions were asked; none where it has none."""
        names = (marked_as(protocol, at) for at in range(1, len(self.marks) + 1))
        return [self.marks[name] for name in names if name in self.marks]

    def usual(self, protocol: str) -> NDArray[np.uint8]:
        """Return what became of each sample under a protocol: of questions that were asked several times, as `compare` has it."""
        first, *again = (column.outcome for column in self.times(protocol))
        if not again:
            return first
        every = [[OUTCOMES[code] for code in row if code != NONE] for row in np.stack([first, *again], axis=1).tolist()]
        return np.array([CODES[usual_outcome(some)] if some else NONE for some in every], np.uint8)

    def flipped(self, protocols: Sequence[str]) -> NDArray[np.bool_]:
        """Return which samples some protocol calls correct and another does not, of one answer; failed calls do not count."""
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


# ---------------------------------------------------------------- the records themselves


LONGEST_LINE = 32 << 20
"""A longer line is not shown: memory is for many samples, not for one."""
_WHOLE_SAMPLES = msgspec.json.Decoder(Sample)
_WHOLE_ANSWERS = msgspec.json.Decoder(Answer)


class SampleRecord(NamedTuple):
    """All that the run's files say of one sample: answers by arm, marks by protocol."""

    row: int
    sample: Sample
    answers: dict[str, Answer]
    marks: dict[str, Mark]


def read(source: RunFiles, index: SampleIndex, rows: Sequence[int]) -> list[SampleRecord]:
    """Return some samples with their answers and marks. One whose line was damaged since is passed over."""
    samples = _at(source.samples, index.places, rows, _WHOLE_SAMPLES)
    answers = {arm: _at(source.answers, column.place, rows, _WHOLE_ANSWERS) for arm, column in index.arms.items()}
    marks = {name: _at(source.marks.get(name), column.place, rows, MARKS) for name, column in index.marks.items()}
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


def _at(
    path: Path | None, places: NDArray[np.int64], rows: Sequence[int], decoder: msgspec.json.Decoder[T]
) -> dict[int, T]:
    """Return the records of some rows of a file that can be read."""
    found: dict[int, T] = {}
    there = [row for row in rows if places[row] != NOWHERE]
    if path is not None and there:
        with suppress(OSError), path.open("rb", buffering=1 << 13) as file:
            for row in there:
                file.seek(int(places[row]))
                with suppress(*UNREADABLE):
                    found[row] = decoder.decode(file.readline(LONGEST_LINE))
    return found


# ---------------------------------------------------------------- looking for a text


class _Words(msgspec.Struct):
    """The texts of a line that a search looks at: an answer's, or a sample's."""

    id: str = ""
    text: str = ""
    thinking: str = ""
    failure: Any = None
    truth: Any = None
    facts: Any = None


_WORDS = msgspec.json.Decoder(_Words)


def matching(source: RunFiles, index: SampleIndex, text: str) -> NDArray[np.bool_]:
    """Return which samples have a text in their id, truth, facts or an answer, whatever the case."""
    needle = text.casefold()
    raw = needle.encode() if needle.isascii() and needle.isprintable() and not set(needle) & {'"', "\\"} else b""
    keep = np.zeros(len(index), bool)
    files = [(source.samples, index.places)]
    files += [(source.answers, column.place) for column in index.arms.values()]
    for path, places in files:
        row_at = {place: row for row, place in enumerate(places.tolist())}
        for place, line in lines(path):
            if place not in row_at or (raw and line.isascii() and raw not in line.lower()):
                continue  # a plain text is in a plain line as it is: most need no decoding
            with suppress(*UNREADABLE):
                keep[row_at[place]] |= needle in _said(_WORDS.decode(line))
    return keep


def _said(words: _Words) -> str:
    more = [msgspec.json.encode(x).decode() for x in (words.truth, words.failure, words.facts) if x]
    return "\n".join((words.id, words.text, words.thinking, *more)).casefold()
