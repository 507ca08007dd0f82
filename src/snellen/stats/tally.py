"""From marks to groups of scores, once for every exam and plugin: groups, means, intervals, floors, bounds, order of outcomes.

Marks are pushed in one by one and counted by their content, not kept. So memory does not grow with the number of samples that are
alike. The protocol's hooks bring what is an exam's own (its groupings, macro scores, floors). The order of marks has no effect:
a group's rows are put in the order of their first sample's name before anything is summed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from snellen.core.protocol import Key, Protocol, Seen, finished, joined, roles
from snellen.core.results import GroupSummary, Metric, Score, declared
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.stats.means import Clusters, alone, measured_interval, numbered, score, share_interval, summed

MOST_PLACES = 4096


class _TallyRow:
    """The content of some marks. One object stands for all that are alike, so that groups count it by identity, which is quick."""

    __slots__ = ("first", "seen")

    def __init__(self, seen: Seen, first: str) -> None:
        """Keep `first`, the name of the first of these samples, in the order of names."""
        self.seen, self.first = seen._replace(values=MappingProxyType(dict(seen.values))), first


class GroupScores(NamedTuple):
    """A group's scores, and the names of those that the protocol computed in a way of its own. `joined` says that it is of larger items
    than samples.
    """

    group: GroupSummary
    own: frozenset[str]
    joined: bool


class Tally:
    """All groups of one protocol: `add` every mark, then take the `groups`."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._groups: dict[Key, GroupMarks] = {}
        self._rows: dict[Hashable, _TallyRow] = {}
        self._places: dict[int, tuple[Iterable[Key], list[GroupMarks]]] = {}

    def add(self, sample: Sample, mark: Mark, _repeat: int = 1) -> Seen:
        """Count one mark in every group that its sample is in, whichever repeat it is of; return its content."""
        seen = self._protocol.seen(sample, mark)
        self.count(sample, seen)
        return seen

    def count(self, sample: Sample, seen: Seen) -> None:
        """Count the content of a sample's mark in every group that the sample is in."""
        # an outcome's own hash is slow, and it is a constant
        known = (*seen.values, *seen.values.values(), id(seen.outcome), seen.cluster, seen.own)
        row = self._rows.get(known)
        if row is None:
            row = self._rows[known] = _TallyRow(seen, sample.id)
        elif sample.id < row.first:
            row.first = sample.id
        for group in self._in(self._protocol.groups(sample)):
            group.counts[row] = group.counts.get(row, 0) + 1

    def _in(self, keys: Iterable[Key]) -> list[GroupMarks]:
        """Return the groups with these names. A protocol that gives the same tuple again has them found at once."""
        known = self._places.get(id(keys))
        if known is not None and known[0] is keys:
            return known[1]
        found: list[GroupMarks] = []
        for key in keys:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = GroupMarks(dict(key), whole=not found)
            found.append(group)
        if isinstance(keys, tuple) and len(self._places) < MOST_PLACES:
            self._places[id(keys)] = (keys, found)
        return found

    def marks(self) -> list[GroupMarks]:
        """Return the counts, group by group, in the protocol's order."""
        ordered = sorted(self._groups, key=lambda key: (self._protocol.order(key), key))
        for group in self._groups.values():
            group.sort()
        return [self._groups[key] for key in ordered]

    def groups(self) -> tuple[GroupSummary, ...]:
        """Return the scores of all groups, in the protocol's order."""
        return finished(self._protocol, [one.group for one in self.summarised()])

    def summarised(self) -> list[GroupScores]:
        """Return the `groups` before the protocol finishes them."""
        every = ((group, _joined(self._protocol, group)) for group in self.marks())
        return [_summary(self._protocol, group, joined=group is not marks) for marks, group in every if group.counts]


def summarised(protocol: Protocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """Return the groups of marks at hand."""
    tally = Tally(protocol)
    for sample, mark in marked:
        tally.add(sample, mark)
    return tally.groups()


class GroupMarks:
    """The marks of one group. Fulfils `core.protocol.Group`."""

    def __init__(self, by: dict[str, str], whole: bool) -> None:
        self.by, self.whole = by, whole
        self.counts: Counter[_TallyRow] = Counter()

    @property
    def n(self) -> int:
        return self.counts.total()

    def sort(self) -> None:
        """Sort the rows, so that they do not depend on the order of arrival."""
        self.counts = Counter(dict(sorted(self.counts.items(), key=lambda item: item[0].first)))

    def rows(self) -> Iterator[tuple[Seen, int]]:
        """Yield the content of marks, and how often each comes."""
        for row, count in self.counts.items():
            yield row.seen, count

    def values(self, metric: str) -> Counter[float]:
        """Return the samples' values of a metric."""
        found: Counter[float] = Counter()
        for row, count in self.counts.items():
            if metric in row.seen.values:
                found[row.seen.values[metric]] += count
        return found

    def clusters(self) -> int:
        """Return the number of images of the samples, where these are fewer; else 0."""
        alone = sum(count for row, count in self.counts.items() if not row.seen.cluster)
        found = alone + len({row.seen.cluster for row in self.counts} - {""})
        return found if found < self.n else 0

    def outcomes(self) -> dict[str, int]:
        """Return how often each outcome came, in their fixed order."""
        found: Counter[Outcome] = Counter()
        for row, count in self.counts.items():
            found[row.seen.outcome] += count
        return {o.value: found[o] for o in Outcome if found[o]}

    def names(self) -> list[str]:
        """Return the metrics that any sample has."""
        return list(dict.fromkeys(name for row in self.counts for name in row.seen.values))


def group_of(by: Mapping[str, str], marks: Iterable[tuple[Seen, int]]) -> GroupMarks:
    """Return marks as a group, each with how often it comes."""
    found = GroupMarks(dict(by), whole=True)
    found.counts = Counter({_TallyRow(seen, ""): count for seen, count in marks})
    return found


def _joined(protocol: Protocol, group: GroupMarks) -> GroupMarks:
    """Return the group, or what its marks make up together."""
    items = joined(protocol, group)
    return group if items is None else group_of(group.by, items)


def _summary(protocol: Protocol, group: GroupMarks, *, joined: bool) -> GroupScores:
    floors, own = protocol.floors(group), protocol.own_scores(group)
    scores = {name: score for name, score in means(protocol, group).items() if name not in own} | dict(own)
    scores.setdefault(protocol.headline, Score(value=None, n=0))
    for name, floor in floors.items():
        if name in scores:
            scores[name] = scores[name].above(floor)
    found = GroupSummary(
        by=group.by,
        n=group.n,
        outcomes=group.outcomes(),
        metrics={name: scores[name] for name in _in_order(protocol.metrics, scores)},
        bounds=bounds(group, roles(protocol).bounded),
        whole=group.whole,
        clusters=group.clusters(),
    )
    return GroupScores(found, frozenset(own), joined)


def _in_order(metrics: tuple[Metric, ...], scores: Mapping[str, Score]) -> list[str]:
    """Return metrics in their declared order; members of a family, and metrics that were not declared, as they came."""
    places = {name: next((i for i, m in enumerate(metrics) if m.fits(name)), len(metrics)) for name in scores}
    return sorted(scores, key=lambda name: places[name])


def bounds(group: GroupMarks, metric: str) -> tuple[float, float] | None:
    """Return the range of a share, were the non-answers all wrong (as they count) or all right; None where there are none."""
    total = right = unclear = 0.0
    gone = False
    for row, count in group.counts.items():
        value = row.seen.values.get(metric)
        if value is None:
            continue
        total, right = total + count, right + count * value
        if row.seen.outcome in NON_ANSWERS:
            gone, unclear = True, unclear + count * (1 - value)
    return (right / total, min(1.0, (right + unclear) / total)) if gone else None


# ---------------------------------------------------------------- means and their intervals


def means(protocol: Protocol, group: GroupMarks) -> dict[str, Score]:
    """Return the mean of every metric that samples have, with the interval that its declaration asks for."""
    rows = [row.seen for row in group.counts]
    counts = np.array(list(group.counts.values()), dtype=np.float64)
    cluster = numbered(seen.cluster for seen in rows)
    alike: dict[tuple[str, ...], list[int]] = {}  # most rows have the same metrics, so these are taken as one table
    for i, seen in enumerate(rows):
        alike.setdefault(tuple(seen.values), []).append(i)
    tables = {names: np.array([[*rows[i].values.values()] for i in there]) for names, there in alike.items()}
    found = {}
    for name in dict.fromkeys(name for names in alike for name in names):
        metric = declared(protocol.metrics, name)
        if metric.kind == "mean":
            having = [names for names in alike if name in names]
            there = np.concatenate([np.array(alike[names]) for names in having])
            values = np.concatenate([tables[names][:, names.index(name)] for names in having])
            order = np.argsort(there)  # sums are made in the order of rows, whatever metrics these have
            found[name] = _score(metric, summed(values[order], counts[there[order]], cluster[there[order]]))
    return found


def mean_score(metric: Metric, values: Mapping[float, int]) -> Score:
    """Return the mean of counted values of samples that stand for themselves, with the interval that the metric's declaration asks for."""
    return _score(metric, alone(values))


def _score(metric: Metric, found: Clusters) -> Score:
    interval = None
    if metric.interval:
        share = metric.interval != "normal" and not metric.unit and found.least >= 0 and found.most <= 1
        interval = share_interval(found) if share else measured_interval(found)  # a measurement, whatever was declared
    return score(found.total / found.n, round(found.n), interval, metric.unit)
