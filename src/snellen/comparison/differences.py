"""Two runs' marks of the same samples under one protocol, as differences with intervals and tests. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from math import sqrt
from statistics import variance
from typing import NamedTuple

import msgspec

from snellen.comparison.headline import own_difference
from snellen.comparison.results import ComparisonRow, RepeatAgreement, UnansweredSplit
from snellen.core.figures import part_name
from snellen.core.grouping import grouped
from snellen.core.protocol import Key, Protocol, Seen, roles
from snellen.core.results import declared
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.stats.intervals import LEVEL, worth
from snellen.stats.means import Clusters, measured_interval, of_samples
from snellen.stats.paired import difference_interval
from snellen.stats.power import SURE, samples_for, smallest_difference
from snellen.stats.repeats import mean_seen
from snellen.stats.significance import holm, least_p, sign_flips

_UNTOLD = {"smallest": None, "needed": None}
"""For a part in which no lead could be significant, so that it has no smallest detectable difference."""


class PairedSample(NamedTuple):
    """Two runs' marks of one sample. `joined` is an item made of several samples, which are present as well.

    For a question that was asked several times, `first` and `second` are the means, and `each` has both sides' repeats.
    """

    id: str
    part: Key
    first: Seen
    second: Seen
    joined: bool = False
    each: tuple[tuple[Seen, ...], tuple[Seen, ...]] = ((), ())

    def repeats(self, side: int) -> tuple[Seen, ...]:
        """Return one side's marks of the sample, one for each repeat."""
        return self.each[side] or ((self.first, self.second)[side],)


def paired(
    id: str, part: Key, first: tuple[Seen, ...], second: tuple[Seen, ...], *, joined: bool = False
) -> PairedSample:
    """Combine two runs' marks of one sample, one for each repeat."""
    return PairedSample(id, part, mean_seen(first), mean_seen(second), joined, (first, second))


class PairedTest(NamedTuple):
    """The terms of a comparison: a protocol and its arm, the letters of the two runs, and the difference for which n is wanted, if any.

    `metric` is the metric to compare by. Empty for the headline.
    """

    protocol: Protocol
    name: str
    prompt: str
    first: str
    second: str
    power: float | None = None
    metric: str = ""

    @property
    def of_group(self) -> bool:
        """True if the metric belongs to a whole group, so that no single sample has it."""
        return bool(self.metric) and declared(self.protocol.metrics, self.metric).kind == "own"


def rows(asked: PairedTest, every: Sequence[PairedSample]) -> list[ComparisonRow]:
    """Return a row for each part, in the protocol's order. Several parts of one metric are followed by a row of all of them together."""
    parts = grouped((both.part, both) for both in every)
    order = sorted(parts, key=lambda key: (asked.protocol.order(key), key))
    found = [row for part in order if (row := _row(asked, part_name(dict(part)), dict(part), parts[part])) is not None]
    adjusted, least = holm([row.p for row in found]), holm([row.least_p for row in found])
    found = [
        msgspec.structs.replace(row, p_holm=p, least_p=possible, **({} if possible < 1 - LEVEL else _UNTOLD))
        for row, p, possible in zip(found, adjusted, least, strict=True)
    ]
    alone = [both for both in every if not both.joined]
    if len({both.part for both in alone}) > 1 and len({row.metric for row in found}) == 1:
        whole = _row(asked, "", {}, alone, found[0].metric)
        found += [whole] if whole is not None else []
    return found


def _metric_of(asked: PairedTest, every: Iterable[PairedSample]) -> str:
    """Return the metric that is compared sample by sample.

    It is the one asked for, or none if samples lack it. Without one it is the headline if samples have it, else the bounded metric, else
    their first.
    """
    names = dict.fromkeys(name for both in every for name in both.first.values if name in both.second.values)
    wanted = [asked.protocol.headline, roles(asked.protocol).bounded, *names]
    if asked.metric and not asked.of_group:
        wanted = [asked.metric]
    return next((name for name in wanted if name in names), "")


def _row(
    asked: PairedTest, part: str, by: dict[str, str], every: Sequence[PairedSample], metric: str = ""
) -> ComparisonRow | None:
    """Return the difference over some samples, or None if none of them has a value on both sides."""
    protocol = asked.protocol
    metric = metric or _metric_of(asked, every)
    some = sorted((b for b in every if metric in b.first.values and metric in b.second.values), key=lambda b: b.id)
    if not some:
        return None
    about = declared(protocol.metrics, metric)
    first, second = [b.first.values[metric] for b in some], [b.second.values[metric] for b in some]
    moves = [b - a for a, b in zip(first, second, strict=True)]
    found = of_samples(moves, [b.first.cluster if part else _across(b) for b in some])
    n = len(some)
    up, down = sum(m for m in moves if m > 0), -sum(m for m in moves if m < 0)
    share = not about.unit
    interval = difference_interval(found, up, down) if share else measured_interval(found)
    low, high, kind = interval or (None, None, "")
    test = sign_flips(found)
    clusters = round(float(found.times.sum()))
    possible = least_p(clusters)
    able = share and possible < SURE * (1 - LEVEL)
    smallest, needed = _power(found, up, down, asked.power) if able else (None, None)
    right = [(b.first.outcome is Outcome.CORRECT, b.second.outcome is Outcome.CORRECT) for b in some]
    own = None
    headline = asked.metric or protocol.headline
    if part and metric != headline:
        own = own_difference(protocol, headline, by, *(_by_repeat(some, side) for side in (0, 1)))
        if own is None and asked.of_group:
            return None
    return ComparisonRow(
        protocol=asked.name,
        prompt=asked.prompt,
        part=part,
        by=by,
        first_run=asked.first,
        second_run=asked.second,
        metric=metric,
        label=about.label_of(metric),
        unit=about.unit,
        better=about.better,
        n=n,
        clusters=clusters,
        cluster=protocol.cluster if clusters < n else "sample",
        first=sum(first) / n,
        second=sum(second) / n,
        difference=found.total / n,
        low=low,
        high=high,
        interval=kind,
        p=test.p,
        p_holm=test.p,
        least_p=possible,
        test=test.how,
        only_first=right.count((True, False)),
        only_second=right.count((False, True)),
        silence=_silence(some, moves),
        smallest=smallest,
        needed=needed,
        headline=own,
        again=_again(some, metric, found.variance() / n),
    )


def _by_repeat(some: Sequence[PairedSample], side: int) -> list[tuple[Seen, ...]]:
    """Return one side's marks of the samples for each repeat, as often as all of them were asked."""
    return list(zip(*(both.repeats(side) for both in some), strict=False))


def _again(some: Sequence[PairedSample], metric: str, doubt: float) -> RepeatAgreement | None:
    """Return the effect of repeats on both means, from the spread of a sample's repeats. `doubt` is the difference's variance."""
    once: list[float | None] = [None, None]
    of_means = 0.0
    for side in (0, 1):
        every = [[seen.values[metric] for seen in both.repeats(side) if metric in seen.values] for both in some]
        if all(len(values) > 1 for values in every):
            spreads = [variance(values) for values in every]
            once[side] = sqrt(sum(spreads)) / len(some)
            of_means += sum(v / len(values) for v, values in zip(spreads, every, strict=True)) / len(some) ** 2
    if once == [None, None]:
        return None
    share = min(1.0, of_means / doubt) if None not in once and doubt > 0 else None
    return RepeatAgreement(first=once[0], second=once[1], share=share)


def _across(both: PairedSample) -> str:
    """Return what a sample shares with those of other parts: the image if it is known, else the name after the part's.

    SalBench asks about each image with and without a box: `P3/12` and `P3_box/12` belong to one cluster.
    """
    return both.first.cluster or both.id.rpartition("/")[2]


def _power(found: Clusters, up: float, down: float, wanted: float | None) -> tuple[float | None, int | None]:
    """Return the smallest detectable difference, and how many samples would show the wanted one.

    The sample size is the number of independent right-or-wrong samples that these are worth, as in the interval.
    """
    n = found.n
    moving = (up + down) / n
    part = worth(found.spread_of_moves(up, down)).n / n
    needed = None if wanted is None else round(samples_for(wanted, moving) / part)
    return smallest_difference(n * part, moving), needed


def _silence(some: Sequence[PairedSample], moves: Sequence[float]) -> UnansweredSplit:
    """Return how much of the difference lies in samples without an answer."""
    outcomes = [(both.first.outcome, both.second.outcome) for both in some]
    lost = dict.fromkeys(product((True, False), repeat=2), 0.0)
    for (a, b), move in zip(outcomes, moves, strict=True):
        lost[a in NON_ANSWERS, b in NON_ANSWERS] += move
    first, second = (Counter(side) for side in zip(*outcomes, strict=True))
    n, answered = len(some), sum(NON_ANSWERS.isdisjoint(pair) for pair in outcomes)
    return UnansweredSplit(
        first={kind.value: first[kind] for kind in Outcome if kind in NON_ANSWERS and first[kind]},
        second={kind.value: second[kind] for kind in Outcome if kind in NON_ANSWERS and second[kind]},
        by_first=lost[True, False] / n,
        by_second=lost[False, True] / n,
        by_both=lost[True, True] / n,
        by_answers=lost[False, False] / n,
        answered=answered,
        among_answered=lost[False, False] / answered if answered else None,
    )
