"""Samples, answers and marks of a run read from their places in its files; and a look through all texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.types import Answer, Mark, Sample
from snellen.engine.runs.folder import MARKS
from snellen.present.viewer.sample_index import NOWHERE, UNREADABLE, RunFiles, SampleIndex

T = TypeVar("T")
LONGEST_LINE = 32 << 20
"""A longer line is not shown: memory is for many samples, not for one."""
_SAMPLES = msgspec.json.Decoder(Sample)
_ANSWERS = msgspec.json.Decoder(Answer)


class SampleRecord(NamedTuple):
    """All that the run's files say of one sample: answers by arm, marks by protocol."""

    row: int
    sample: Sample
    answers: dict[str, Answer]
    marks: dict[str, Mark]


def read(source: RunFiles, index: SampleIndex, rows: Sequence[int]) -> list[SampleRecord]:
    """Some samples with their answers and marks. One whose line was damaged since is passed over."""
    samples = _at(source.samples, [int(index.places[row]) for row in rows], _SAMPLES)
    answers = {
        arm: _at(source.answers, [int(column.place[row]) for row in rows], _ANSWERS)
        for arm, column in index.arms.items()
    }
    marks = {
        name: _at(source.marks.get(name), [int(column.place[row]) for row in rows], MARKS)
        for name, column in index.marks.items()
    }
    return [
        SampleRecord(
            int(row),
            sample,
            {arm: a for arm, some in answers.items() if (a := some[i]) is not None},
            {name: m for name, some in marks.items() if (m := some[i]) is not None},
        )
        for i, (row, sample) in enumerate(zip(rows, samples, strict=True))
        if sample is not None
    ]


def _at(path: Path | None, places: Sequence[int], decoder: msgspec.json.Decoder[T]) -> list[T | None]:
    """The records at some places of a file; None where there is none."""
    if path is None or not any(place != NOWHERE for place in places):
        return [None] * len(places)
    found: list[T | None] = []
    try:
        with path.open("rb", buffering=1 << 13) as file:
            for place in places:
                if place != NOWHERE:
                    file.seek(place)
                found.append(None if place == NOWHERE else _decoded(file.readline(LONGEST_LINE), decoder))
    except OSError:
        return [None] * len(places)
    return found


def _decoded(line: bytes, decoder: msgspec.json.Decoder[T]) -> T | None:
    try:
        return decoder.decode(line)
    except UNREADABLE:
        return None


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


def matching(source: RunFiles, index: SampleIndex, text: str, stopped: Callable[[], bool]) -> NDArray[np.bool_]:
    """Which samples have a text in their id, truth, facts or an answer, whatever the case. Stops early where nobody waits any more."""
    needle = text.casefold()
    raw = needle.encode() if needle.isascii() and needle.isprintable() and not set(needle) & {'"', "\\"} else b""
    keep = np.zeros(len(index), bool)
    files = [(source.samples, index.places)]
    files += [(source.answers, column.place) for column in index.arms.values()]
    for path, places in files:
        there = np.flatnonzero(places != NOWHERE)
        order = there[np.argsort(places[there], kind="stable")]
        for count, (row, line) in enumerate(_in_order(path, order.tolist(), places)):
            if count % 1024 == 0 and stopped():
                return keep
            if raw and line.isascii() and raw not in line.lower():
                continue  # a plain text is in a plain line as it is: most need no decoding
            words = _decoded(line, _WORDS)
            if words is not None and needle in _said(words):
                keep[row] = True
    return keep


def _said(words: _Words) -> str:
    more = [msgspec.json.encode(x).decode() for x in (words.truth, words.failure, words.facts) if x]
    return "\n".join((words.id, words.text, words.thinking, *more)).casefold()


def _in_order(path: Path | None, rows: Sequence[int], places: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """The lines of some rows, read from the front to the back of the file."""
    if path is None or not rows:
        return
    with path.open("rb", buffering=1 << 18) as file:
        at = 0
        for row in rows:
            place = int(places[row])
            if place != at:
                file.seek(place - file.tell(), os.SEEK_CUR)
            line = file.readline(LONGEST_LINE)
            at = place + len(line)
            yield row, line
