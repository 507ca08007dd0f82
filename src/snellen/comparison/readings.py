"""Every score that defensible choices give for the same stored answers. Pure functions on marks in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from statistics import fmean
from typing import NamedTuple

import numpy as np

from snellen.comparison.columns import Floats, Ints, MarkColumns, Marked
from snellen.comparison.explained import AS_WRONG, BY_PART, BY_SAMPLE, DIMENSIONS, Reading
from snellen.comparison.headline import Bools
from snellen.core.errors import SnellenError
from snellen.core.figures import part_name
from snellen.core.protocol import Key, OtherScores, roles
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.stats import jackknife
from snellen.stats.intervals import Interval
from snellen.stats.means import of_samples, share_interval
from snellen.stats.tally import GroupMarks

LEFT_OUT, GUESSED = "left out", "count as random guesses"
_ONE_KIND = {
    "unreadable left out": Outcome.UNPARSABLE,
    "refused left out": Outcome.REFUSED,
    "empty left out": Outcome.EMPTY,
    "cut off left out": Outcome.TRUNCATED,
    "failed calls left out": Outcome.ERROR,
}
"""Ways to treat non-answers that leave out only one kind of them."""
_LEAVING_OUT = {LEFT_OUT: NON_ANSWERS} | {way: frozenset([kind]) for way, kind in _ONE_KIND.items()}
ALL = "all parts"
_LEAST_GROUP = 10
"""Groups of fewer samples are not tried: their scores take few values, and match almost any figure."""
_WITHIN = 1e-6
"""Values that are closer count as equal: lmms-eval adds 1e-8 to its denominators."""
SAME = 6
"""Numbers that agree in this many digits count as equal."""


class Choice(NamedTuple):
    """The choices behind one number, in the fields of `Reading`.

    `samples` is empty for all of the part, or names a group within it: `difficulty easy`.
    """

    protocol: str
    prompt: str
    metric: str
    part: str
    average: str = BY_SAMPLE
    samples: str = ""
    non_answers: str = AS_WRONG


# ---------------------------------------------------------------- numbers


class _CountedScore(NamedTuple):
    """A score and its number of samples (or joined items)."""

    value: float
    n: int


class _Weighed(NamedTuple):
    """The rows of a mean, their weights (which add up to 1), their values, and how many equal samples they are worth."""

    at: Ints
    weights: Floats
    values: Floats
    worth: float = 0.0


def _scopes(marked: Marked) -> dict[str, frozenset[Key]]:
    """Return each part, several parts of one split or task, and all parts, by name. Joined parts are by themselves only."""
    parts: dict[Key, frozenset[tuple[str, str]]] = {}
    for found in marked.values():
        parts = found.parts | parts
    every = {part_name(dict(key)): frozenset([key]) for key in parts}
    alone = [key for key in parts if not any(key in found.joined for found in marked.values())]
    for tag in ("split", "task"):
        for name, value in dict.fromkeys(pair for key in alone for pair in parts[key] if pair[0] == tag):
            some = frozenset(key for key in alone if (name, value) in parts[key])
            if 1 < len(some) < len(alone):
                every.setdefault(f"{name} {value}", some)
    if len(alone) > 1:
        every[ALL] = frozenset(alone)
    return every


class Readings:
    """All marks of a run, for any reading. Every number is computed once.

    `times` are the marks, once for each repeat. A number is the mean over the repeats, like the run's own score. `beside` are another run's
    marks of the same samples in the same order: what is left out for one is then left out for both.
    """

    def __init__(self, times: Sequence[Marked], beside: Marked | None = None) -> None:
        self._times, self._beside = times, beside or {}
        self.marked = times[0]
        self.scopes = _scopes(self.marked)
        self.number = cache(self._number)
        self._part_scores = cache(self._scores_of_part)

    # ------------------------------------------------------------ one number

    def columns(self, choice: Choice) -> list[MarkColumns]:
        """Return the marks for a choice, one for each repeat."""
        key = choice.protocol, choice.prompt
        return [marked[key] for marked in self._times if key in marked]

    def _number(self, choice: Choice) -> _CountedScore | None:
        """Return the score for a choice, or None if there is none."""
        every = (self.of_rows(found, choice, self.rows(found, choice)) for found in self.columns(choice))
        known = [number for number in every if number is not None]
        if not known:
            return None
        return _CountedScore(fmean(number.value for number in known), round(fmean(number.n for number in known)))

    def of_rows(self, found: MarkColumns, choice: Choice, rows: Bools) -> _CountedScore | None:
        """Return the score of some rows: their mean, the score of a whole part, or the mean of several parts' scores."""
        picked = weighed(found, choice, rows)
        if picked is not None:
            n = len(picked.at)
            return _CountedScore(float((picked.weights * picked.values).sum()), n) if n else None
        parts = sorted(self.scopes[choice.part])
        wanted = BY_SAMPLE if len(parts) == 1 else BY_PART
        if choice.average != wanted or choice.non_answers == GUESSED:
            return None
        every = [self._part_scores(found, key, rows.tobytes()) for key in parts]
        if any(choice.metric not in scores for _n, scores in every):
            return None
        return _CountedScore(fmean(scores[choice.metric] for _n, scores in every), sum(n for n, _scores in every))

    def _scores_of_part(self, found: MarkColumns, key: Key, rows: bytes) -> tuple[int, Mapping[str, float]]:
        """Return the size of a part, the shares among its own scores, and those that other tools report."""
        group = found.group(key, np.frombuffer(rows, dtype=np.bool_))
        if not group.n:
            return 0, {}
        own = found.protocol.own_scores(group)
        shares = {name: s.value for name, s in own.items() if s.value is not None and not s.unit}
        return group.n, {**_others(found, group), **shares}

    def rows(self, found: MarkColumns, choice: Choice) -> Bools:
        """Return the rows of the part and of the chosen samples that count."""
        parts = self.scopes[choice.part]
        rows = np.array([key in parts for key in found.parts], dtype=np.bool_)[found.part]
        if choice.samples:
            rows &= next(
                (values[choice.samples] for values in found.groups.values() if choice.samples in values), False
            )
        gone = [outcome.value for outcome in _LEAVING_OUT.get(choice.non_answers, ())]
        for one in (found, self._beside.get((choice.protocol, choice.prompt))):
            if one is not None:
                rows &= ~np.isin(one.outcome, gone)
        return rows

    def interval(self, choice: Choice) -> Interval | None:
        """Return how far the score could be off by the chance of drawing these samples. More repeats are not more samples, so it is their
        mean.
        """
        every = (self._interval(found, choice) for found in self.columns(choice))
        known = [interval for interval in every if interval is not None]
        if not known:
            return None
        return Interval(fmean(one.low for one in known), fmean(one.high for one in known), known[0].kind)

    def _interval(self, found: MarkColumns, choice: Choice) -> Interval | None:
        """Return the interval of the score of one repeat. For a score that is not a mean over samples it is the jackknife's."""
        rows = self.rows(found, choice)
        picked, number = weighed(found, choice, rows), self.of_rows(found, choice, rows)
        if number is None:
            return None
        if picked is not None and choice.average == BY_SAMPLE:
            clusters = found.clusters()
            return share_interval(of_samples(picked.values.tolist(), [clusters[i] for i in picked.at.tolist()]))
        scores = [self.of_rows(found, choice, left) for left in without_each(found, rows)]
        if not scores:
            return None
        moved = np.array([np.nan if one is None else one.value for one in scores])
        return jackknife.moved_interval(number.value, moved, number.n if picked is None else picked.worth)

    # ------------------------------------------------------------ as records

    def base(self, scope: str, metric: str = "") -> Choice:
        """Return the run's own number: the headline of its summary, or for several parts their mean."""
        (protocol, prompt), found = next(iter(self.marked.items()))
        average = BY_SAMPLE if len(self.scopes[scope]) == 1 else BY_PART
        return Choice(protocol, prompt, metric or found.protocol.headline, scope, average)

    def main_scope(self, metric: str = "") -> str:
        """Return all parts together if they have one number, else the first part that has one."""
        for name in sorted(self.scopes, key=lambda name: name != ALL):
            if self.number(self.base(name, metric)) is not None:
                return name
        raise SnellenError("no part of this run has a score that is a share: there is nothing to explain")

    def readings(self, choices: Iterable[Choice], metric: str = "") -> tuple[Reading, ...]:
        """Return choices with their numbers, the lowest first. Of equal ones, keep the one with the fewest changes from the run's own
        number.
        """
        readings = []
        for choice in choices:
            number = self.number(choice)
            if number is None:
                continue
            base, chosen = self.base(choice.part, metric), choice._asdict()
            readings.append(
                Reading(
                    **chosen,
                    label=self.label_of(choice),
                    value=number.value,
                    n=number.n,
                    changes=tuple(n for n, field in DIMENSIONS.items() if chosen[field] != getattr(base, field)),
                )
            )
        return tuple(sorted(readings, key=lambda r: (round(r.value, SAME), len(r.changes))))

    def label_of(self, choice: Choice) -> str:
        """Return a metric's name for people."""
        return self.columns(choice)[0].about(choice.metric).label_of(choice.metric)

    # ------------------------------------------------------------ all numbers

    def every(self, scope: str, metric: str = "", *, within: bool = False) -> Iterator[Choice]:
        """Yield every choice of a scope that gives a number of its own, or with `within` those of groups within the scope.

        Choices that are equal by construction are left out: leaving out non-answers if there are none, metrics that are equal for every
        sample, averages over one group.
        """
        parts = self.scopes[scope]
        for (name, prompt), found in self.marked.items():
            if not all(key in found.parts for key in parts):
                continue
            plain = Choice(name, prompt, metric or found.protocol.headline, scope)
            rows = self.rows(found, plain)
            metrics = [metric] if metric else _metrics(found, rows, found.group(min(parts), rows))
            averages = [BY_SAMPLE, *([BY_PART] if len(parts) > 1 else _averages(found, rows))]
            groups = [""]
            if within:  # a macro score is of little use within one label
                inner = roles(found.protocol).breakdown
                metrics = [m for m in metrics if m == inner or m in found.values]
                averages, groups = [BY_SAMPLE], _groups_within(found, rows)
            for samples in groups:
                for one in metrics:
                    for average in averages:
                        for choice in self.ways(plain._replace(metric=one, average=average, samples=samples)):
                            number = self.number(choice)
                            if number is not None and (not samples or number.n >= _LEAST_GROUP):
                                yield choice

    def ways(self, choice: Choice) -> Iterable[Choice]:
        """Return a choice with every way to treat the non-answers of its samples in any repeat, each way once."""
        every = (_ways(found, choice, self.rows(found, choice)) for found in self.columns(choice))
        return [choice._replace(non_answers=way) for way in dict.fromkeys(chain.from_iterable(every))]


# ---------------------------------------------------------------- rows of one table


def weighed(found: MarkColumns, choice: Choice, rows: Bools) -> _Weighed | None:
    """Return the weights of rows under a choice, or None if the score is not a mean over samples."""
    if found.about(choice.metric).kind != "mean" or choice.metric not in found.values:
        return None
    values = found.values[choice.metric]
    if choice.non_answers == GUESSED and choice.metric in found.guesses:  # known for non-answers only
        drawn = found.guesses[choice.metric]
        values = np.where(np.isnan(drawn), values, drawn)
    at = np.flatnonzero(rows & ~np.isnan(values))
    group = _group(found, choice.average)[at]
    if not len(at) or (group < 0).any():  # empty, or not all in one group each
        return _Weighed(at[:0], np.ones(0), np.ones(0))
    sizes = np.bincount(group)
    some = sizes[sizes > 0]
    return _Weighed(at, 1 / (sizes[group] * len(some)), values[at], float(len(some) ** 2 / (1 / some).sum()))


def _group(found: MarkColumns, average: str) -> Ints:
    """Return the group of each row for an average over groups. It is -1 if the row is in none, or in several."""
    if average == BY_PART:
        return found.part
    if average == BY_SAMPLE:
        return np.zeros(len(found.rows), dtype=np.int64)
    which = np.full(len(found.rows), -1, dtype=np.int64)
    masks = list(found.groups.get(average, {}).values())
    if masks and np.sum(masks, axis=0).max() == 1:
        for at, mask in enumerate(masks):
            which[mask] = at
    return which


def _averages(found: MarkColumns, rows: Bools) -> list[str]:
    """Return the groupings that put each of these rows into one of several groups."""
    found_in = {name: _group(found, name)[rows] for name in found.groups}
    return [name for name, which in found_in.items() if (which >= 0).all() and len(np.unique(which)) > 1]


def _groups_within(found: MarkColumns, rows: Bools) -> list[str]:
    """Return the groups within a part, by name, that are large enough to be reported and smaller than the part."""
    every = (group for values in found.groups.values() for group in values.items())
    return [name for name, mask in every if _LEAST_GROUP <= (mask & rows).sum() < rows.sum()]


def _others(found: MarkColumns, group: GroupMarks) -> Mapping[str, float]:
    """Return the scores that other tools report for such replies."""
    others = found.protocol.extra(OtherScores)
    return others.of(group) if others is not None else {}


def without_each(found: MarkColumns, rows: Bools) -> Iterator[Bools]:
    """Yield these rows without each cluster, or without each of several groups of clusters."""
    places, clusters = np.flatnonzero(rows), found.clusters()
    for kept in jackknife.left_out([clusters[i] for i in places.tolist()]) if len(places) else ():
        left = np.zeros(len(rows), dtype=np.bool_)
        left[places[kept > 0]] = True
        yield left


def _metrics(found: MarkColumns, rows: Bools, group: GroupMarks) -> list[str]:
    """Return the metrics. Of several with the same values, only one is kept."""
    names: list[str] = []
    kept: list[Floats] = []
    for name in found.metrics():
        if found.about(name).kind == "mean":
            values = found.values[name][rows]
            if any(np.allclose(values, other, rtol=0, atol=_WITHIN, equal_nan=True) for other in kept):
                continue
            kept.append(values)
        names.append(name)
    return list(dict.fromkeys([*names, *_others(found, group)]))


def _ways(found: MarkColumns, choice: Choice, rows: Bools) -> list[str]:
    """Return the ways to treat the non-answers among some rows."""
    there = set(found.outcome[rows].tolist())
    kinds = [way for way, kind in _ONE_KIND.items() if kind.value in there]
    ways = [AS_WRONG, *([LEFT_OUT] if kinds else [])]
    if len(kinds) > 1 and not choice.samples:  # if there is only one kind, leaving it out is leaving all out
        ways += kinds
    drawn = found.guesses.get(choice.metric)
    gone = rows & np.isin(found.outcome, [outcome.value for outcome in NON_ANSWERS])
    if kinds and not choice.samples and drawn is not None and not np.isnan(drawn[gone]).any():
        ways.append(GUESSED)
    return ways
