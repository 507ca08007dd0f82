"""Every score that defensible choices make of the same stored answers. Pure functions on marks in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from snellen.comparison.choices import (
    AS_WRONG,
    BY_PART,
    BY_SAMPLE,
    GUESSED,
    LEFT_OUT,
    AnalysisChoice,
    Scope,
    left_out,
    ways_with,
)
from snellen.comparison.columns import GONE, OUTCOMES, MarkColumns, differing
from snellen.comparison.differences import part_name
from snellen.comparison.headline import Members
from snellen.core.protocol import Key, OtherScores, Protocol, roles
from snellen.core.results import Score
from snellen.stats.intervals import Interval
from snellen.stats.jackknife import jackknifed
from snellen.stats.means import of_samples, share_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

ALL = "all parts"
LEAST_GROUP = 10
"""Groups of fewer samples are not tried: their numbers are few, and land on anything."""
MOST_MASKS = 64
WITHIN = 1e-6
"""Values that are closer are the same: lmms-eval adds 1e-8 to its denominators."""
Marked = Mapping[tuple[str, str], MarkColumns]
"""The columns of each protocol (by its own name) on each prompt."""


class CountedScore(NamedTuple):
    """A score and how many samples (or joined items) it is of."""

    value: float
    n: int


def scopes(marked: Marked) -> dict[str, Scope]:
    """Each part, several parts of one split or task, and all parts, by name; joined parts are by themselves only."""
    parts: dict[Key, Mapping[str, str]] = {}
    joined: set[Key] = set()
    for found in marked.values():
        for at, key in enumerate(found.parts):
            parts.setdefault(key, found.tags[at])
            if at in found.joined:
                joined.add(key)
    every = {part_name(key): Scope(part_name(key), frozenset([key]), key in joined) for key in parts}
    alone = [key for key in parts if key not in joined]
    for tag in ("split", "task"):
        for value in dict.fromkeys(parts[key][tag] for key in alone if tag in parts[key]):
            some = frozenset(key for key in alone if parts[key].get(tag) == value)
            if 1 < len(some) < len(alone):
                every.setdefault(f"{tag} {value}", Scope(f"{tag} {value}", some))
    if len(alone) > 1:
        every[ALL] = Scope(ALL, frozenset(alone))
    return every


class Readings:
    """All marks of a run, to be read in any way; every number is made once.

    `beside` are another run's marks of the same samples in the same order: what is left out for one is then left out for both. `each` are
    the readings of every time that questions were asked: these alone where it was once.
    """

    def __init__(self, marked: Marked, beside: Marked | None = None) -> None:
        self.marked, self._beside = marked, beside or {}
        self.scopes = scopes(marked)
        self._mixed: dict[tuple[str, str, str], MarkColumns | None] = {}
        self._numbers: dict[AnalysisChoice, CountedScore | None] = {}
        self._own: dict[tuple[object, ...], Mapping[str, float]] = {}
        self._masks: dict[tuple[str, ...], Bools] = {}
        self.each: tuple[Readings, ...] = (self,)

    # ------------------------------------------------------------ one number

    def columns(self, choice: AnalysisChoice) -> MarkColumns | None:
        """The marks that a choice is of; None where they cannot be had."""
        if choice.reader == choice.marker:
            return self.marked.get((choice.marker, choice.prompt))
        if self.scopes[choice.scope].joined:  # what an item's samples were read as is not known of the item
            return None
        key = choice.reader, choice.marker, choice.prompt
        if key not in self._mixed:
            pair = [self.marked.get((name, choice.prompt)) for name in key[:2]]
            self._mixed[key] = None if pair[0] is None or pair[1] is None else _mixed(pair[0], pair[1])
        return self._mixed[key]

    def number(self, choice: AnalysisChoice) -> CountedScore | None:
        """The score that a choice gives; None where there is none."""
        if choice not in self._numbers:
            self._numbers[choice] = self._number(choice)
        return self._numbers[choice]

    def _number(self, choice: AnalysisChoice) -> CountedScore | None:
        found = self.columns(choice)
        if found is None:
            return None
        picked = self.weighed(found, choice)
        if picked is not None:
            at, weights, values = picked
            return CountedScore(float((weights * values).sum()), len(at)) if len(at) else None
        return self._own_number(found, choice)

    def weighed(self, found: MarkColumns, choice: AnalysisChoice) -> tuple[Ints, Floats, Floats] | None:
        """The rows that a mean is of, their weights (which add up to 1), and their values; None where the score is no mean of samples'."""
        import numpy as np

        if found.about(choice.metric).kind != "mean" or choice.metric not in found.values:
            return None
        values = found.values[choice.metric]
        if choice.silent == GUESSED and choice.metric in found.guesses:  # known of non-answers only
            drawn = found.guesses[choice.metric]
            values = np.where(np.isnan(drawn), values, drawn)
        at = np.flatnonzero(self._rows(found, choice) & ~np.isnan(values))
        group = self._group(found, choice, at)
        if group is None:
            return at[:0], np.ones(0), np.ones(0)
        sizes = np.bincount(group)
        return at, 1 / (sizes[group] * np.count_nonzero(sizes)), values[at]

    def _group(self, found: MarkColumns, choice: AnalysisChoice, at: Ints) -> Ints | None:
        """The group of each row in which it is averaged first; None where these rows are not all in one group each."""
        import numpy as np

        if choice.average == BY_SAMPLE:
            return np.zeros(len(at), dtype=np.int64)
        if choice.average == BY_PART:
            return found.part[at]
        grouping = found.groups.get(tuple(choice.average.removeprefix("over ").split(" and ")))
        if grouping is None or not grouping.once:
            return None
        which = np.full(len(found.row), -1, dtype=np.int64)
        which[grouping.at] = grouping.which
        return which[at] if (which[at] >= 0).all() else None

    def _rows(self, found: MarkColumns, choice: AnalysisChoice) -> Bools:
        """The rows of the scope and of the samples chosen that count. Many choices in a row have the same."""
        key = choice.reader, choice.marker, choice.prompt, choice.scope, choice.samples, choice.silent
        if key not in self._masks:
            if len(self._masks) >= MOST_MASKS:
                self._masks.clear()
            self._masks[key] = self._mask(found, choice)
        return self._masks[key]

    def _mask(self, found: MarkColumns, choice: AnalysisChoice) -> Bools:
        import numpy as np

        parts = self.scopes[choice.scope].parts
        rows = np.array([key in parts for key in found.parts], dtype=np.bool_)[found.part]
        if choice.samples:
            rows &= _within(found, choice.samples)
        out = left_out(choice.silent)
        if out:
            counts = np.array([outcome not in out for outcome in OUTCOMES], dtype=np.bool_)
            beside = self._beside.get((choice.marker, choice.prompt))
            rows &= counts[found.outcome]
            rows &= counts[beside.outcome] if beside is not None else True
        return rows

    # ------------------------------------------------------------ scores that are no means

    def _own_number(self, found: MarkColumns, choice: AnalysisChoice) -> CountedScore | None:
        """A score of a whole part, or the mean of several parts' scores."""
        parts = sorted(self.scopes[choice.scope].parts)
        wanted = BY_SAMPLE if len(parts) == 1 else BY_PART
        if choice.average != wanted or choice.silent == GUESSED:
            return None
        values, n = [], 0
        for key in parts:
            scores, count = self._scores_of(found, key, choice)
            if choice.metric not in scores:
                return None
            values.append(scores[choice.metric])
            n += count
        return CountedScore(sum(values) / len(values), n)

    def _scores_of(self, found: MarkColumns, key: Key, choice: AnalysisChoice) -> tuple[Mapping[str, float], int]:
        """The shares among a part's own scores, and those that others report."""
        group = self._members(found, key, choice)
        known = choice.reader, choice.marker, choice.prompt, key, choice.samples, choice.silent
        if known not in self._own:
            own: Mapping[str, Score] = found.protocol.own_scores(group) if group.n else {}
            scores = {name: s.value for name, s in own.items() if s.value is not None and not s.unit}
            self._own[known] = {**(_other_scores(found.protocol, group) if group.n else {}), **scores}
        return self._own[known], group.n

    def _members(self, found: MarkColumns, key: Key, choice: AnalysisChoice) -> Members:
        import numpy as np

        part = found.parts.index(key) if key in found.parts else -1
        counts = np.bincount(found.row[self._rows(found, choice) & (found.part == part)], minlength=len(found.seen))
        there = np.flatnonzero(counts).tolist()
        return Members(key, [found.seen[i] for i in there], counts[there].tolist())

    def interval(self, choice: AnalysisChoice) -> Interval | None:
        """How far the score could be by the chance of which samples these are, by clusters; None of a mean of parts that are no means."""
        import numpy as np

        found = self.columns(choice)
        if found is None:
            return None
        picked = self.weighed(found, choice)
        if picked is None:
            return self._own_interval(found, choice)
        at, _weights, values = picked
        if not len(at):
            return None
        clusters = [found.seen[i].cluster for i in found.row[at].tolist()]
        if choice.average == BY_SAMPLE:
            return share_interval(of_samples(values.tolist(), clusters))
        group = self._group(found, choice, at)
        if group is None:
            return None
        sizes = np.bincount(group)

        def mean(kept: Floats) -> float | None:
            there = kept > 0
            sums = np.bincount(group[there], weights=values[there], minlength=len(sizes))
            counts = np.bincount(group[there], minlength=len(sizes))
            full = counts > 0
            return float((sums[full] / counts[full]).mean()) if full.any() else None

        some = sizes[sizes > 0]
        return jackknifed(mean, clusters, made_of=float(len(some) ** 2 / (1 / some).sum()))

    def _own_interval(self, found: MarkColumns, choice: AnalysisChoice) -> Interval | None:
        parts = self.scopes[choice.scope].parts
        if len(parts) != 1:
            return None
        group = self._members(found, next(iter(parts)), choice)
        score = found.protocol.own_scores(group).get(choice.metric) if group.n else None
        if score is None or score.low is None or score.high is None:
            return None
        return Interval(score.low, score.high, score.interval or "")

    # ------------------------------------------------------------ all numbers

    def base(self, protocol: str, prompt: str, scope: str, metric: str = "") -> AnalysisChoice:
        """The run's own number: what its summary leads with; of several parts, their mean."""
        headline = metric or self.marked[protocol, prompt].protocol.headline
        average = BY_SAMPLE if len(self.scopes[scope].parts) == 1 else BY_PART
        return AnalysisChoice(protocol, protocol, prompt, headline, scope, average)

    def every(self, scope: str, metric: str = "", *, within: bool = False) -> Iterator[AnalysisChoice]:
        """Every choice of a scope that gives a number of its own; `within` those of groups within it instead.

        What is the same by construction is left out: leaving out non-answers where there are none, metrics that are equal for every
        sample, averages over one group.
        """
        for (name, prompt), found in self.marked.items():
            parts = self.scopes[scope].parts
            if not all(key in found.parts for key in parts):
                continue
            plain = AnalysisChoice(name, name, prompt, metric or found.protocol.headline, scope)
            rows = self._rows(found, plain)
            metrics = [metric] if metric else self._metrics(found, rows, plain)
            if within:  # a macro score means little within one label
                inner = roles(found.protocol).breakdown
                metrics = [m for m in metrics if m == inner or m in found.values]
            averages = [BY_SAMPLE, *([BY_PART] if len(parts) > 1 else self._averages(found, rows))]
            for samples in _groups_within(found, rows) if within else [""]:
                for one in metrics:
                    for average in [BY_SAMPLE] if within else averages:
                        choice = plain._replace(metric=one, average=average, samples=samples)
                        yield from (c for c in self.ways(choice) if self._counts(c))

    def _counts(self, choice: AnalysisChoice) -> bool:
        """Whether a choice gives a number, and one of enough samples where these are a group that was looked for."""
        found = self.number(choice)
        return found is not None and (not choice.samples or found.n >= LEAST_GROUP)

    def ways(self, choice: AnalysisChoice) -> Iterable[AnalysisChoice]:
        """A choice with every way to treat the non-answers that its samples have."""
        import numpy as np

        found = self.columns(choice)
        if found is None:
            return ()
        rows = self._rows(found, choice)
        codes = np.unique(found.outcome[rows]).tolist()
        drawn = found.guesses.get(choice.metric)
        gone = rows & np.isin(found.outcome, GONE)
        guesses = drawn is not None and not np.isnan(drawn[gone]).any()
        ways = ways_with((OUTCOMES[i] for i in codes), guesses=guesses)
        if choice.samples:
            ways = [way for way in ways if way in (AS_WRONG, LEFT_OUT)]
        return [choice._replace(silent=way) for way in ways]

    def _metrics(self, found: MarkColumns, rows: Bools, plain: AnalysisChoice) -> list[str]:
        """The metrics, each once where several have the same values."""
        import numpy as np

        kept: list[str] = []
        for name in found.metrics():
            mean = found.about(name).kind == "mean"
            if mean and any(
                np.allclose(found.values[name][rows], found.values[other][rows], rtol=0, atol=WITHIN, equal_nan=True)
                for other in kept
                if found.about(other).kind == "mean"
            ):
                continue
            kept.append(name)
        group = self._members(found, min(self.scopes[plain.scope].parts), plain)
        return [*kept, *(name for name in _other_scores(found.protocol, group) if name not in kept)]

    def _averages(self, found: MarkColumns, rows: Bools) -> list[str]:
        """The groupings that put each of these rows into one of several groups."""
        import numpy as np

        n = int(rows.sum())
        names = []
        for name, grouping in found.groups.items():
            inside = rows[grouping.at]
            if grouping.once and int(inside.sum()) == n and len(np.unique(grouping.which[inside])) > 1:
                names.append(f"over {' and '.join(name)}")
        return names


def _groups_within(found: MarkColumns, rows: Bools) -> list[str]:
    """The groups within a part, by name, that are large enough to be reported and not all of it."""
    import numpy as np

    n = int(rows.sum())
    names: list[str] = []
    for grouping in found.groups.values():
        counts = np.bincount(grouping.which[rows[grouping.at]], minlength=len(grouping.values)).tolist()
        some = zip(grouping.values, counts, strict=True)
        names += [name for name, count in some if LEAST_GROUP <= count < n]
    return names


def _within(found: MarkColumns, samples: str) -> Bools:
    """The rows of the group that a choice names."""
    import numpy as np

    rows = np.zeros(len(found.row), dtype=np.bool_)
    for grouping in found.groups.values():
        if samples in grouping.values:
            rows[grouping.at[grouping.which == grouping.values.index(samples)]] = True
            break
    return rows


def _mixed(reader: MarkColumns, marker: MarkColumns) -> MarkColumns | None:
    """Halfway between two protocols: where they read different answers, as the one marks its own, and elsewhere as the other marks.

    None where they have other rows, or are of different kinds, so that their marks cannot stand in one table.
    """
    import numpy as np

    if reader.ids != marker.ids or type(reader.protocol) is not type(marker.protocol) or reader.parts != marker.parts:
        return None
    other = differing(reader, marker)

    def pick(name: str, first: Mapping[str, Floats], second: Mapping[str, Floats]) -> Floats:
        nothing = np.full(len(other), np.nan)
        return np.where(other, first.get(name, nothing), second.get(name, nothing))

    return marker._replace(
        seen=(*marker.seen, *reader.seen),
        row=np.where(other, reader.row + len(marker.seen), marker.row),
        outcome=np.where(other, reader.outcome, marker.outcome),
        values={name: pick(name, reader.values, marker.values) for name in marker.values},
        guesses={name: pick(name, reader.guesses, marker.guesses) for name in marker.guesses},
    )


def _other_scores(protocol: Protocol, group: Members) -> Mapping[str, float]:
    own = protocol.extra(OtherScores)
    return own.of(group) if own is not None else {}
