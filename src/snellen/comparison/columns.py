"""The marks of one protocol on one prompt's answers as columns, so that many scores can be made of them quickly. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from snellen.comparison.headline import Members
from snellen.core.protocol import JoinedItems, Key, Protocol, Seen, joined, roles
from snellen.core.results import Metric, declared
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.engine.mark.flips import answer_of, comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

OUTCOMES = tuple(Outcome)
GONE = tuple(i for i, outcome in enumerate(OUTCOMES) if outcome in NON_ANSWERS)
MOST_GROUPS = 64
"""A grouping with more values than that is no grouping that anybody averages over."""
Guess = Callable[[Sample], Mapping[str, float]]
"""What drawing one of a sample's options would score on the average, by metric; nothing where it has no options."""


class Grouping(NamedTuple):
    """A way to break parts down: its groups' names ('difficulty easy'), and which rows (`at`) are in which group (`which`).

    `once` says that no row is in several: only then does a mean over groups count each row in one of them.
    """

    values: tuple[str, ...]
    at: Ints
    which: Ints
    once: bool


class MarkColumns(NamedTuple):
    """One row for each mark. `row` says which of `seen` it is: marks that are alike share one.

    `part` is the place of the sample's part in `parts`; `tags` are what all samples of a part have in common (split, task). `groups` are
    by the names of the tags that they go by. `answers` is what was read, in a form that can be compared. `guesses` is what a random
    option would score, NaN where there are no options. Items that several samples make up (`joined`) are behind all samples, in parts
    of their own.
    """

    protocol: Protocol
    prompt: str
    ids: tuple[str, ...]
    seen: tuple[Seen, ...]
    row: Ints
    outcome: Ints
    parts: tuple[Key, ...]
    tags: tuple[Mapping[str, str], ...]
    part: Ints
    joined: frozenset[int]
    groups: Mapping[tuple[str, ...], Grouping]
    answers: tuple[Hashable, ...]
    guesses: Mapping[str, Floats]
    values: Mapping[str, Floats]

    @property
    def clusters(self) -> list[str]:
        """What each row shares with others that stand or fall together."""
        return [self.seen[i].cluster for i in self.row.tolist()]

    def about(self, metric: str) -> Metric:
        """A metric's declaration."""
        return declared(self.protocol.metrics, metric)

    def metrics(self) -> list[str]:
        """The metrics that people report as the score, the headline first: shares, of which more is better."""
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


def columns(protocol: Protocol, prompt: str, marked: Iterable[tuple[Sample, Mark]], guess: Guess | None) -> MarkColumns:
    """Every mark of a protocol, in order."""
    import numpy as np

    made = _ColumnsBuilder(protocol)
    for sample, mark in marked:
        made.add(sample, mark, guess)
    single = len(made.rows)
    made.join()
    row = np.array(made.rows, dtype=np.int64)
    names = dict.fromkeys(name for seen in made.seen for name in seen.values)
    flat = {name: np.array([s.values.get(name, np.nan) for s in made.seen], dtype=np.float64) for name in names}
    outcomes = np.array([OUTCOMES.index(s.outcome) for s in made.seen], dtype=np.int64)
    groups = {}
    for name, (at, which) in made.groups.items():
        values = tuple(made.group_names[name])
        if len(values) <= MOST_GROUPS:
            places = np.array(at, dtype=np.int64)
            once = len(np.unique(places)) == len(places)
            groups[name] = Grouping(values, places, np.array(which, dtype=np.int64), once)
    guesses = {}
    for metric in dict.fromkeys(m for one in made.guesses.values() for m in one):
        drawn = np.full(len(row), np.nan)
        drawn[list(made.guesses)] = [one.get(metric, np.nan) for one in made.guesses.values()]
        guesses[metric] = drawn
    return MarkColumns(
        protocol=protocol,
        prompt=prompt,
        ids=(*made.ids, *(f"joined {i}" for i in range(single, len(row)))),
        seen=tuple(made.seen),
        row=row,
        outcome=outcomes[row],
        parts=tuple(made.parts),
        tags=tuple(made.tags),
        part=np.array(made.part, dtype=np.int64),
        joined=frozenset(made.joined),
        groups=groups,
        answers=tuple(made.answers),
        guesses=guesses,
        values={name: column[row] for name, column in flat.items()},
    )


class _Placed(NamedTuple):
    """Where a sample belongs: its part, the part's tags, its groups (their lists and its value), and items that it is a piece of."""

    part: Key
    tags: dict[str, str]
    groups: list[tuple[tuple[list[int], list[int]], int]]
    others: list[Key]


class _ColumnsBuilder:
    """Columns on their way."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.ids: list[str] = []
        self.rows: list[int] = []
        self.seen: list[Seen] = []
        self.part: list[int] = []
        self.parts: dict[Key, int] = {}
        self.tags: list[dict[str, str]] = []
        self.joined: list[int] = []
        self.groups: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
        self.group_names: dict[tuple[str, ...], dict[str, int]] = {}
        self.answers: list[Hashable] = []
        self.guesses: dict[int, Mapping[str, float]] = {}
        self._known: dict[Hashable, int] = {}
        self._other: dict[Key, list[int]] = {}
        self._places: dict[int, tuple[object, _Placed]] = {}
        self._joins = protocol.extra(JoinedItems) is not None

    def add(self, sample: Sample, mark: Mark, guess: Guess | None) -> None:
        seen = self.protocol.seen(sample, mark)
        at = len(self.rows)
        self.ids.append(sample.id)
        self.rows.append(self._row(seen))
        self.answers.append(_hashable(mark.reading))
        if guess is not None and seen.outcome in NON_ANSWERS:
            self.guesses[at] = guess(sample)
        part, tags, groups, others = self._placed(sample)
        self._place(part, tags)
        for (places, which), value in groups:
            places.append(at)
            which.append(value)
        for key in others:
            self._other.setdefault(key, []).append(at)

    def _placed(self, sample: Sample) -> _Placed:
        """Where a sample belongs. A protocol that gives the same tuple of groups again has it found at once."""
        keys = self.protocol.groups(sample)
        known = self._places.get(id(keys))
        if known is not None and known[0] is keys:
            return known[1]
        part, *rest = tuple(keys) or ((),)
        groups = [self._group(key[len(part) :]) for key in rest if key[: len(part)] == part]
        others = [key for key in rest if key[: len(part)] != part] if self._joins else []
        tags = {name: value for name, value in sample.tags.items() if name in ("split", "task")}
        found = _Placed(part, tags, groups, others)
        if isinstance(keys, tuple):
            self._places[id(keys)] = keys, found
        return found

    def _row(self, seen: Seen) -> int:
        known = (*seen.values, *seen.values.values(), id(seen.outcome), seen.cluster, seen.own)
        at = self._known.setdefault(known, len(self.seen))
        if at == len(self.seen):
            self.seen.append(seen)
        return at

    def _place(self, key: Key, tags: dict[str, str]) -> None:
        at = self.parts.setdefault(key, len(self.parts))
        if at == len(self.tags):
            self.tags.append(tags)
        elif self.tags[at] != tags:
            self.tags[at] = {k: v for k, v in self.tags[at].items() if tags.get(k) == v}
        self.part.append(at)

    def _group(self, rest: Key) -> tuple[tuple[list[int], list[int]], int]:
        names, value = tuple(name for name, _ in rest), " and ".join(f"{name} {v}" for name, v in rest)
        known = self.group_names.setdefault(names, {})
        return self.groups.setdefault(names, ([], [])), known.setdefault(value, len(known))

    def join(self) -> None:
        """Items that several samples make up, as rows behind them."""
        for key, places in self._other.items():
            items = joined(self.protocol, Members(key, [self.seen[self.rows[i]] for i in places]))
            if items is None:
                continue
            for seen, count in items:
                for _ in range(count):
                    self.rows.append(self._row(seen))
                    self.answers.append(None)
                    self._place(key, {})
            if key in self.parts:
                self.joined.append(self.parts[key])


def _hashable(reading: object) -> Hashable:
    """What was read, in a form in which two protocols' readings can be compared."""
    found = comparable(answer_of(reading))
    return found if isinstance(found, Hashable) else repr(found)


def differing(first: MarkColumns, second: MarkColumns) -> Bools:
    """Where two protocols read different answers out of the same replies; both have the same rows."""
    import numpy as np

    return np.array([a != b for a, b in zip(first.answers, second.answers, strict=True)], dtype=np.bool_)
