"""From marks to groups of scores, once for every exam and plugin: groups, means, intervals, floors, bounds, order of outcomes.

Marks are pushed in one by one and counted by what they say, not kept, so memory does not grow with the number of samples that are
alike. What is an exam's own (its groupings, macro scores, floors) comes from the protocol's hooks.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from math import sqrt
from statistics import NormalDist

from snellen.core.protocol import Group, Key, Protocol, Seen
from snellen.core.results import GroupSummary, Metric, Score, declared
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.stats.means import bootstrap_interval, mean_interval

Values = tuple[tuple[str, float], ...]
MOST_PLACES = 4096


class _Row:
    """What was seen of some marks. One object stands for all that are alike, so that groups count it by identity, which is quick."""

    __slots__ = ("cluster", "outcome", "own", "values")

    def __init__(self, values: Values, outcome: Outcome, cluster: str, own: Hashable) -> None:
        self.values, self.outcome, self.cluster, self.own = values, outcome, cluster, own


class Tally:
    """All groups of one protocol: `add` every mark, then take the `groups`."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._groups: dict[Key, GroupMarks] = {}
        self._rows: dict[Hashable, _Row] = {}
        self._places: dict[int, tuple[Iterable[Key], list[GroupMarks]]] = {}

    def add(self, sample: Sample, mark: Mark) -> None:
        """Count one mark in every group that its sample is in."""
        seen = self._protocol.seen(sample, mark)
        # an outcome's own hash is slow, and it is a constant
        known = (*seen.values, *seen.values.values(), id(seen.outcome), seen.cluster, seen.own)
        row = self._rows.get(known)
        if row is None:
            row = self._rows[known] = _Row(tuple(seen.values.items()), seen.outcome, seen.cluster, seen.own)
        for group in self._in(self._protocol.groups(sample)):
            group.counts[row] = group.counts.get(row, 0) + 1

    def _in(self, keys: Iterable[Key]) -> list[GroupMarks]:
        """The groups with these names. A protocol that gives the same tuple again has them found at once."""
        known = self._places.get(id(keys))
        if known is not None and known[0] is keys:
            return known[1]
        found: list[GroupMarks] = []
        for key in keys:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = GroupMarks(dict(key), found[0] if found else None)
            found.append(group)
        if isinstance(keys, tuple) and len(self._places) < MOST_PLACES:
            self._places[id(keys)] = (keys, found)
        return found

    def groups(self) -> tuple[GroupSummary, ...]:
        """The scores of all groups, in the protocol's order."""
        ordered = sorted(self._groups, key=self._protocol.order)
        return self._protocol.finish([_summary(self._protocol, self._groups[key]) for key in ordered])


def summarised(protocol: Protocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """The groups of marks at hand."""
    tally = Tally(protocol)
    for sample, mark in marked:
        tally.add(sample, mark)
    return tally.groups()


class GroupMarks:
    """The marks of one group. Fulfils `core.protocol.Group`."""

    def __init__(self, by: dict[str, str], part: GroupMarks | None) -> None:
        """`part` is the whole group that it breaks down; None for a whole one."""
        self.by, self.whole, self._part = by, part is None, part
        self.counts: Counter[_Row] = Counter()

    @property
    def n(self) -> int:
        return self.counts.total()

    @property
    def part_n(self) -> int:
        return self.n if self._part is None else self._part.n

    @property
    def seed(self) -> int:
        """The seed of the group's resampling: its name's."""
        return zlib.crc32(repr(sorted(self.by.items())).encode())

    def rows(self) -> Iterator[tuple[Seen, int]]:
        """What was seen, and how often, in the order of first appearance."""
        for row, count in self.counts.items():
            yield Seen(dict(row.values), row.outcome, row.cluster, row.own), count

    def values(self, metric: str) -> Counter[float]:
        """The samples' values of a metric."""
        found: Counter[float] = Counter()
        for row, count in self.counts.items():
            for name, value in row.values:
                if name == metric:
                    found[value] += count
        return found

    def outcomes(self) -> dict[str, int]:
        """How often each outcome came, in their fixed order."""
        found: Counter[Outcome] = Counter()
        for row, count in self.counts.items():
            found[row.outcome] += count
        return {o.value: found[o] for o in Outcome if found[o]}

    def names(self) -> list[str]:
        """The metrics that any sample has."""
        return list(dict.fromkeys(name for row in self.counts for name, _value in row.values))


def _summary(protocol: Protocol, group: GroupMarks) -> GroupSummary:
    floors, own = protocol.floors(group), protocol.own_scores(group)
    scores = {name: score for name, score in means(protocol, group).items() if name not in own} | dict(own)
    scores.setdefault(protocol.headline, Score(value=None, n=0))
    for name, floor in floors.items():
        if name in scores:
            scores[name] = scores[name].above(floor)
    return GroupSummary(
        by=group.by,
        n=group.n,
        outcomes=group.outcomes(),
        metrics={name: scores[name] for name in _in_order(protocol.metrics, scores)},
        bounds=bounds(group, protocol.bounded or protocol.headline),
        whole=group.whole,
    )


def _in_order(metrics: tuple[Metric, ...], scores: Mapping[str, Score]) -> list[str]:
    """Metrics as they are declared; members of a family, and what nobody declared, as they came."""
    places = {name: next((i for i, m in enumerate(metrics) if m.fits(name)), len(metrics)) for name in scores}
    return sorted(scores, key=lambda name: places[name])


def bounds(group: GroupMarks, metric: str) -> tuple[float, float] | None:
    """How far a share could be, were the non-answers all wrong (as they count) or all right; None where there are none."""
    total = right = unclear = 0.0
    gone = False
    for row, count in group.counts.items():
        value = next((v for name, v in row.values if name == metric), None)
        if value is None:
            continue
        total, right = total + count, right + count * value
        if row.outcome in NON_ANSWERS:
            gone, unclear = True, unclear + count * (1 - value)
    return (right / total, min(1.0, (right + unclear) / total)) if gone else None


# ---------------------------------------------------------------- means and their intervals


def means(protocol: Protocol, group: GroupMarks) -> dict[str, Score]:
    """The mean of every metric that samples have, with the interval that its declaration asks for."""
    found = {}
    metrics = protocol.metrics
    clustered = _clustered(metrics, group) if protocol.always_clustered or _shares_clusters(group) else {}
    for name in group.names():
        metric = declared(metrics, name)
        if metric.kind == "mean":
            found[name] = clustered.get(name) or mean_score(metric, group.values(name), group)
    return found


def mean_score(metric: Metric, values: Counter[float], group: Group) -> Score:
    """The mean of a group's counted values, with the interval that the metric's declaration asks for."""
    n = values.total()
    if metric.interval in ("mean", "bootstrap") and not metric.unit and all(0 <= v <= 1 for v in values):
        fits = metric.interval == "mean"
        mean = mean_interval(values, group.seed) if fits else bootstrap_interval(values, group.seed, group.part_n - n)
        return Score(value=mean.mean, n=n, low=mean.low, high=mean.high, interval=mean.kind, unit=metric.unit)
    average = sum(v * c for v, c in values.items()) / n
    if metric.interval and n > 1:  # a measurement, whatever was declared
        spread = sqrt(sum(c * (v - average) ** 2 for v, c in values.items()) / (n - 1))
        half = NormalDist().inv_cdf(0.975) * spread / sqrt(n)
        return Score(value=average, n=n, low=average - half, high=average + half, interval="normal", unit=metric.unit)
    return Score(value=average, n=n, unit=metric.unit)


def _shares_clusters(group: GroupMarks) -> bool:
    """Whether any two samples share a cluster."""
    return any(row.cluster for row in group.counts) and len({row.cluster for row in group.counts}) < group.n


def _clustered(metrics: tuple[Metric, ...], group: GroupMarks) -> dict[str, Score]:
    """Means of samples that stand or fall together."""
    import numpy as np

    from snellen.stats.cluster import ClusteredMeans

    names = [n for n in group.names() if declared(metrics, n).kind == "mean" and declared(metrics, n).interval]
    every = [(dict(row.values), row.cluster) for row, count in group.counts.items() for _ in range(count)]
    table = np.array([[values.get(n, np.nan) for n in names] for values, _cluster in every], dtype=np.float64)
    table = table.reshape(len(every), len(names))
    shares = [not declared(metrics, n).unit for n in names]
    estimates = ClusteredMeans(table, [c for _values, c in every]).estimates(np.arange(len(every)), shares)
    return {
        n: Score(value=e.value, n=e.n, low=e.low, high=e.high, interval=e.interval, unit=declared(metrics, n).unit)
        for n, e in zip(names, estimates, strict=True)
        if e.n
    }
