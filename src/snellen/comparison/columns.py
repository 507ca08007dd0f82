"""The marks of one protocol on one prompt's answers as columns, so that many scores can be made of them quickly. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.headline import Members, seen_key
from snellen.core.protocol import JoinedItems, Key, Protocol, Seen, joined, roles
from snellen.core.results import Metric, declared
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.engine.mark.flips import answer_of, comparable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
OUTCOMES = tuple(Outcome)
GONE = tuple(i for i, outcome in enumerate(OUTCOMES) if outcome in NON_ANSWERS)
MOST_GROUPS = 64
"""A grouping with more values than that is not one that people average over."""
Guess = Callable[[Sample], Mapping[str, float]]
"""What drawing one of a sample's options would score on the average, by metric; nothing where it has no options."""


class Row(NamedTuple):
    """One mark, or one item that several samples make up (`joined`).

    `groups` are the groups within the part. `answer` is what was read, in a form that can be compared. `guess` is what a random option
    would score in place of a non-answer.
    """

    id: str
    seen: Seen
    part: Key
    groups: tuple[Key, ...] = ()
    tags: Mapping[str, str] = {}
    answer: Hashable = None
    guess: Mapping[str, float] = {}
    joined: bool = False


class Grouping(NamedTuple):
    """A way to break parts down: its groups' names ('difficulty easy'), and which rows (`at`) are in which group (`which`).

    `once` says that no row is in several: only then does a mean over groups count each row in one of them.
    """

    values: tuple[str, ...]
    at: Ints
    which: Ints
    once: bool


class MarkColumns:
    """The rows of a protocol, and columns of them.

    `distinct` are the marks that are not alike, and `like` says which of these each row has. `part` is the place of a row's part in
    `parts`, whose values are the tags that all its samples have in common. `groups` are by the names of the tags that they go by.
    """

    def __init__(self, protocol: Protocol, prompt: str, rows: Sequence[Row]) -> None:
        self.protocol, self.prompt, self.rows = protocol, prompt, rows
        marks: dict[Hashable, Seen] = {}
        keys = []
        self.parts: dict[Key, dict[str, str]] = {}
        for row in rows:
            keys.append(seen_key(row.seen))
            marks.setdefault(keys[-1], row.seen)
            known = self.parts.setdefault(row.part, dict(row.tags))
            for name in [name for name, value in known.items() if row.tags.get(name) != value]:
                del known[name]
        self.distinct = tuple(marks.values())
        self.like = _places(keys, marks)
        self.part = _places([row.part for row in rows], self.parts)
        self.joined = {row.part for row in rows if row.joined}
        self.outcome = np.array([OUTCOMES.index(seen.outcome) for seen in self.distinct], dtype=np.int64)[self.like]
        values = _named([seen.values for seen in self.distinct])
        self.values = {name: column[self.like] for name, column in values.items()}
        self.guesses = _named([row.guess for row in rows])
        self.groups = self._groupings()

    def _groupings(self) -> dict[tuple[str, ...], Grouping]:
        members: dict[tuple[str, ...], list[tuple[int, str]]] = {}
        for at, row in enumerate(self.rows):
            for group in row.groups:
                names = tuple(name for name, _value in group)
                members.setdefault(names, []).append((at, " and ".join(f"{name} {value}" for name, value in group)))
        found = {}
        for names, some in members.items():
            values = dict.fromkeys(value for _at, value in some)
            if len(values) <= MOST_GROUPS:
                places = np.array([at for at, _value in some], dtype=np.int64)
                once = len(np.unique(places)) == len(places)
                found[names] = Grouping(tuple(values), places, _places([value for _at, value in some], values), once)
        return found

    def about(self, metric: str) -> Metric:
        """Return a metric's declaration."""
        return declared(self.protocol.metrics, metric)

    def metrics(self) -> list[str]:
        """Return the metrics that people report as the score, the headline first: shares, of which more is better."""
        wanted = roles(self.protocol).reported
        names = dict.fromkeys((self.protocol.headline, *self.values, *(m for m in wanted if not m.endswith(".*"))))
        found = []
        for name in names:
            about = self.about(name)
            fits = any(Metric(name=w).fits(name) for w in wanted) if wanted else not about.detail
            there = name in self.values if about.kind == "mean" else bool(wanted) or name == self.protocol.headline
            if about.unit == "" and about.better == "higher" and there and (fits or name == self.protocol.headline):
                found.append(name)
        return found

    def clusters(self) -> list[str]:
        """Return what rows share: the image, or where there are several parts the name behind the part's, as `compare` has it."""
        several = len(self.parts) > 1
        return [row.seen.cluster or (row.id.rpartition("/")[2] if several else "") for row in self.rows]


def _named(every: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    """Return a column for each name, NaN where a row has no value."""
    names = dict.fromkeys(name for values in every for name in values)
    return {name: np.array([values.get(name, np.nan) for values in every], dtype=np.float64) for name in names}


def _places(keys: Sequence[Hashable], known: Iterable[Hashable]) -> Ints:
    """Return the place of each key among those known."""
    places = {key: at for at, key in enumerate(known)}
    return np.array([places[key] for key in keys], dtype=np.int64)


def columns(protocol: Protocol, prompt: str, marked: Iterable[tuple[Sample, Mark]], guess: Guess | None) -> MarkColumns:
    """Put every mark of a protocol in columns, in order, and behind them the items that several samples make up."""
    rows: list[Row] = []
    pieces: dict[Key, list[Seen]] = {}
    for sample, mark in marked:
        seen = protocol.seen(sample, mark)
        part, *rest = tuple(protocol.groups(sample)) or ((),)
        inside = [key for key in rest if key[: len(part)] == part]
        rows.append(
            Row(
                id=sample.id,
                seen=seen,
                part=part,
                groups=tuple(key[len(part) :] for key in inside),
                tags={name: value for name, value in sample.tags.items() if name in ("split", "task")},
                answer=_hashable(mark.reading),
                guess=guess(sample) if guess is not None and seen.outcome in NON_ANSWERS else {},
            )
        )
        for key in rest if protocol.extra(JoinedItems) is not None else ():
            if key not in inside:
                pieces.setdefault(key, []).append(seen)
    for key, marks in pieces.items():
        for seen, count in joined(protocol, Members(key, marks)) or ():
            rows += [Row(f"joined {len(rows) + i}", seen, key, joined=True) for i in range(count)]
    return MarkColumns(protocol, prompt, rows)


def _hashable(reading: object) -> Hashable:
    """Return what was read, in a form in which two protocols' readings can be compared."""
    found = comparable(answer_of(reading))
    return found if isinstance(found, Hashable) else repr(found)


def _of_one_kind(one: Protocol, other: Protocol) -> bool:
    """Tell whether two protocols share a class of their exam, below `Protocol`."""
    shared = (kind for kind in type(one).__mro__ if isinstance(other, kind))
    return next(shared) not in Protocol.__mro__ or type(one) is type(other)


@lru_cache(maxsize=16)
def mixed(reader: MarkColumns, marker: MarkColumns) -> MarkColumns | None:
    """Return marks halfway between two protocols: where they read different answers, as the one marks its own, elsewhere the other's.

    None where they have other rows, or are of different kinds, so that their marks cannot stand in one table.
    """
    if not _of_one_kind(reader.protocol, marker.protocol) or list(reader.parts) != list(marker.parts):
        return None
    if [row.id for row in reader.rows] != [row.id for row in marker.rows]:
        return None
    rows = [
        second if first.answer == second.answer else second._replace(seen=first.seen, guess=first.guess)
        for first, second in zip(reader.rows, marker.rows, strict=True)
    ]
    made = MarkColumns(marker.protocol, marker.prompt, rows)
    made.values = {name: made.values[name] for name in marker.values if name in made.values}
    return made
