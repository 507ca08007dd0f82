"""The marks of a protocol as columns, so that many scores can be computed from them quickly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.headline import Bools, CountedMarks
from snellen.core.protocol import JoinedItems, Key, Protocol, Seen, joined, roles
from snellen.core.results import Metric, declared
from snellen.core.types import NON_ANSWERS, Mark, Sample
from snellen.engine.mark.guessing import Guess
from snellen.stats.tally import GroupMarks, group_of

_MOST_GROUPS = 64
"""A grouping with more values than this is not used for averages."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Row(NamedTuple):
    """One mark, or one item made of several samples (`joined`).

    `groups` are the groups within the part. `guess` is the score of a random option in place of a non-answer.
    """

    id: str
    seen: Seen
    part: Key
    groups: tuple[Key, ...] = ()
    tags: frozenset[tuple[str, str]] = frozenset()
    guess: Mapping[str, float] = {}
    joined: bool = False


class MarkColumns:
    """The marks of one protocol on one prompt's answers as columns, so that many scores can be computed from them quickly.

    `part` is the index of a row's part in `parts`, whose values are the tags that all its samples share. `groups` has the rows of each
    group, by grouping: `over difficulty`.
    """

    def __init__(self, protocol: Protocol, prompt: str, rows: Sequence[_Row]) -> None:
        self.protocol, self.prompt, self.rows = protocol, prompt, rows
        self._marks = CountedMarks(row.seen for row in rows)
        self.parts: dict[Key, frozenset[tuple[str, str]]] = {}
        for row in rows:
            self.parts[row.part] = self.parts.get(row.part, row.tags) & row.tags
        places = {key: at for at, key in enumerate(self.parts)}
        self.part = np.array([places[row.part] for row in rows], dtype=np.int64)
        self.joined = {row.part for row in rows if row.joined}
        self.outcome = np.array([row.seen.outcome.value for row in rows])
        self.values = _named([row.seen.values for row in rows])
        self.guesses = _named([row.guess for row in rows])
        self.groups = self._groups()

    def _groups(self) -> dict[str, dict[str, Bools]]:
        found: dict[str, dict[str, Bools]] = {}
        for at, row in enumerate(self.rows):
            for group in row.groups:
                grouping = found.setdefault("over " + " and ".join(name for name, _value in group), {})
                value = " and ".join(f"{name} {value}" for name, value in group)
                grouping.setdefault(value, np.zeros(len(self.rows), dtype=np.bool_))[at] = True
        return {name: values for name, values in found.items() if len(values) <= _MOST_GROUPS}

    def about(self, metric: str) -> Metric:
        """Return a metric's declaration."""
        return declared(self.protocol.metrics, metric)

    def metrics(self) -> list[str]:
        """Return the metrics that are reported as the score, the headline first: shares for which more is better."""
        headline, wanted = self.protocol.headline, roles(self.protocol).reported
        found = []
        for name in dict.fromkeys((headline, *self.values, *(m for m in wanted if not m.endswith(".*")))):
            about = self.about(name)
            fits = any(Metric(name=w).fits(name) for w in wanted) if wanted else not about.detail
            there = name in self.values if about.kind == "mean" else bool(wanted) or name == headline
            if about.unit == "" and about.better == "higher" and there and (fits or name == headline):
                found.append(name)
        return found

    def clusters(self) -> list[str]:
        """Return the clusters of the rows: the image, or if there are several parts the name after the part's, as in `compare`."""
        several = len(self.parts) > 1
        return [row.seen.cluster or (row.id.rpartition("/")[2] if several else row.id) for row in self.rows]

    def group(self, key: Key, rows: Bools) -> GroupMarks:
        """Return the marks of those of the given rows that are in a part."""
        part = list(self.parts).index(key) if key in self.parts else -1
        return self._marks.group(dict(key), rows & (self.part == part))


Marked = Mapping[tuple[str, str], MarkColumns]
"""The columns of each protocol (by its own name) on each prompt."""


def _named(every: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    """Return a column for each name, with NaN if a row has no value."""
    names = dict.fromkeys(name for values in every for name in values)
    return {name: np.array([values.get(name, np.nan) for values in every], dtype=np.float64) for name in names}


def columns(protocol: Protocol, prompt: str, marked: Iterable[tuple[Sample, Mark]], guess: Guess | None) -> MarkColumns:
    """Put every mark of a protocol in columns, in order, followed by the items made of several samples."""
    rows: list[_Row] = []
    pieces: dict[Key, list[Seen]] = {}
    for sample, mark in marked:
        seen = protocol.seen(sample, mark)
        part, *rest = tuple(protocol.groups(sample)) or ((),)
        inside = [key for key in rest if key[: len(part)] == part]
        rows.append(
            _Row(
                id=sample.id,
                seen=seen,
                part=part,
                groups=tuple(key[len(part) :] for key in inside),
                tags=frozenset((name, sample.tags[name]) for name in ("split", "task") if name in sample.tags),
                guess=guess(sample) if guess is not None and seen.outcome in NON_ANSWERS else {},
            )
        )
        if protocol.extra(JoinedItems) is not None:
            for key in rest:
                if key not in inside:
                    pieces.setdefault(key, []).append(seen)
    for key, marks in pieces.items():
        for seen, count in joined(protocol, group_of(dict(key), ((seen, 1) for seen in marks))) or ():
            rows += [_Row(f"joined {len(rows) + i}", seen, key, joined=True) for i in range(count)]
    return MarkColumns(protocol, prompt, rows)
