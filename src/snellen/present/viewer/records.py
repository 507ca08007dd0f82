"""Samples, answers and marks of a run read from their places in its files; and a look through all texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.core.types import Answer, Mark, Sample
from snellen.engine.runs.folder import MARKS, UNREADABLE
from snellen.present.viewer.sample_index import NOWHERE, RunFiles, SampleIndex, lines

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
    """Return some samples with their answers and marks. One whose line was damaged since is passed over."""
    samples = _at(source.samples, index.places, rows, _SAMPLES)
    answers = {arm: _at(source.answers, column.place, rows, _ANSWERS) for arm, column in index.arms.items()}
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


def matching(source: RunFiles, index: SampleIndex, text: str, stopped: Callable[[], bool]) -> NDArray[np.bool_]:
    """Return which samples have a text in their id, truth, facts or an answer, whatever the case. Ends early once `stopped`."""
    needle = text.casefold()
    raw = needle.encode() if needle.isascii() and needle.isprintable() and not set(needle) & {'"', "\\"} else b""
    keep = np.zeros(len(index), bool)
    files = [(source.samples, index.places)]
    files += [(source.answers, column.place) for column in index.arms.values()]
    for path, places in files:
        row_at = {place: row for row, place in enumerate(places.tolist())}
        for count, (place, line) in enumerate(lines(path)):
            if count % 1024 == 0 and stopped():
                return keep
            if place not in row_at or (raw and line.isascii() and raw not in line.lower()):
                continue  # a plain text is in a plain line as it is: most need no decoding
            with suppress(*UNREADABLE):
                keep[row_at[place]] |= needle in _said(_WORDS.decode(line))
    return keep


def _said(words: _Words) -> str:
    more = [msgspec.json.encode(x).decode() for x in (words.truth, words.failure, words.facts) if x]
    return "\n".join((words.id, words.text, words.thinking, *more)).casefold()
