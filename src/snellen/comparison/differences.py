"""Two runs' marks of the same samples under one protocol, as differences with intervals and tests. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import variance
from typing import NamedTuple

import msgspec

from snellen.comparison.headline import own_difference
from snellen.comparison.results import ComparisonRow, RepeatAgreement, UnansweredSplit
from snellen.core.protocol import Key, Protocol, Seen, roles
from snellen.core.results import declared
from snellen.core.types import NON_ANSWERS, Outcome
from snellen.stats.intervals import LEVEL, Interval, worth
from snellen.stats.means import Clusters, measured_interval, of_samples
from snellen.stats.paired import difference_interval
from snellen.stats.power import SURE, samples_for, smallest_difference
from snellen.stats.significance import holm, least_p, sign_flips

UNTOLD = {"smallest": None, "needed": None}
"""Of a part in which no lead could survive, so that there is no smallest one that is shown."""


class PairedSample(NamedTuple):
    """What two runs have of one sample; `joined` is an item that several samples make up, which are there as well.

    Of a question that was asked several times `first` and `second` are the means, and `each` has both sides' repeats.
    """

    id: str
    part: Key
    first: Seen
    second: Seen
    joined: bool = False
    each: tuple[tuple[Seen, ...], tuple[Seen, ...]] = ((), ())

    def repeats(self, side: int) -> tuple[Seen, ...]:
        """What one side has of the sample, each time that it was asked."""
        return self.each[side] or ((self.first, self.second)[side],)


class PairedTest(NamedTuple):
    """What is compared: a protocol and its arm, the letters of the two runs, and the difference for which n is wanted, if any.

    `metric` is the one to compare by; empty for the headline.
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
        """Whether a metric is asked for that the protocol makes of a whole group, and no sample has."""
        return bool(self.metric) and declared(self.protocol.metrics, self.metric).kind == "own"


def part_name(part: Key) -> str:
    """'P3_box', 'Illusion_ICON · shape'; a part without a name is all there is."""
    return " · ".join(value for _name, value in part) or "all"


def rows(asked: PairedTest, every: Sequence[PairedSample]) -> list[ComparisonRow]:
    """A row for each part, in the protocol's order, and behind several parts of one metric that of all of them together."""
    parts: dict[Key, list[PairedSample]] = {}
    for both in every:
        parts.setdefault(both.part, []).append(both)
    order = sorted(parts, key=lambda key: (asked.protocol.order(key), key))
    found = [row for part in order if (row := _row(asked, part_name(part), dict(part), parts[part])) is not None]
    adjusted, least = holm([row.p for row in found]), holm([row.least_p for row in found])
    found = [
        msgspec.structs.replace(row, p_holm=p, least_p=possible, **({} if possible < 1 - LEVEL else UNTOLD))
        for row, p, possible in zip(found, adjusted, least, strict=True)
    ]
    alone = [both for both in every if not both.joined]
    if len({both.part for both in alone}) > 1 and len({row.metric for row in found}) == 1:
        whole = _row(asked, "", {}, alone, found[0].metric)
        found += [whole] if whole is not None else []
    return found


def metric_of(asked: PairedTest, every: Iterable[PairedSample]) -> str:
    """Return the metric that is compared sample by sample: the one asked for, or none where samples lack it; else the headline where
    samples have it, the bounded one, or their first.
    """
    names: dict[str, None] = {}
    for both in every:
        names.update(dict.fromkeys(name for name in both.first.values if name in both.second.values))
    if asked.metric and not asked.of_group:
        return asked.metric if asked.metric in names else ""
    wanted = (asked.protocol.headline, roles(asked.protocol).bounded, *names)
    return next((name for name in wanted if name in names), "")


def _row(
    asked: PairedTest, part: str, by: dict[str, str], every: Sequence[PairedSample], metric: str = ""
) -> ComparisonRow | None:
    """The difference over some samples; None where none of them has a value on both sides."""
    protocol = asked.protocol
    metric = metric or metric_of(asked, every)
    some = sorted((b for b in every if metric in b.first.values and metric in b.second.values), key=lambda b: b.id)
    if not some:
        return None
    about = declared(protocol.metrics, metric)
    first, second = (
        [side.values[metric] for side in sides] for sides in zip(*((b.first, b.second) for b in some), strict=True)
    )
    moves = [b - a for a, b in zip(first, second, strict=True)]
    found = of_samples(moves, [b.first.cluster if part else _across(b) for b in some])
    n = len(some)
    up, down = sum(m for m in moves if m > 0), -sum(m for m in moves if m < 0)
    share = not about.unit
    interval: Interval | None = difference_interval(found, up, down) if share else measured_interval(found)
    low, high, kind = interval if interval is not None else (None, None, "")
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
        silence=silence(some, moves),
        smallest=smallest,
        needed=needed,
        headline=own,
        again=_again(some, metric, found.variance() / n),
    )


def _by_repeat(some: Sequence[PairedSample], side: int) -> list[list[Seen]]:
    """One side's marks of the samples, time by time: as often as all of them were asked."""
    times = min(len(both.repeats(side)) for both in some)
    return [[both.repeats(side)[at] for both in some] for at in range(times)]


def _again(some: Sequence[PairedSample], metric: str, doubt: float) -> RepeatAgreement | None:
    """What asking again does to both means, by how far each sample's repeats are apart; `doubt` is the variance of the difference."""
    spreads = [_within([both.repeats(side) for both in some], metric) for side in (0, 1)]
    if spreads == [None, None]:
        return None
    known = [spread for spread in spreads if spread is not None]
    share = sum(of_mean for _once, of_mean in known) / doubt if len(known) == 2 and doubt > 0 else None
    first, second = (None if spread is None else sqrt(spread[0]) for spread in spreads)
    return RepeatAgreement(first=first, second=second, share=None if share is None else min(1.0, share))


def _within(samples: Sequence[Sequence[Seen]], metric: str) -> tuple[float, float] | None:
    """The variance of a side's mean if each sample is asked once, and as often as it was; None where some were asked once."""
    every = [[seen.values[metric] for seen in each if metric in seen.values] for each in samples]
    if any(len(values) < 2 for values in every):
        return None
    n = len(every)
    spreads = [(variance(values), len(values)) for values in every]
    return sum(v for v, _times in spreads) / n**2, sum(v / times for v, times in spreads) / n**2


def _across(both: PairedSample) -> str:
    """What a sample shares with those of other parts: the image, where it is known, or else the name behind the part's.

    SalBench asks about each image with and without a box: `P3/12` and `P3_box/12` stand or fall together.
    """
    return both.first.cluster or both.id.rpartition("/")[2]


def _power(found: Clusters, up: float, down: float, wanted: float | None) -> tuple[float | None, int | None]:
    """By as many independent right-or-wrong samples as these are worth, as in the interval."""
    n = found.n
    moving = (up + down) / n
    part = worth(found.spread_of_moves(up, down)).n / n
    needed = None if wanted is None else round(samples_for(wanted, moving) / part)
    return smallest_difference(n * part, moving), needed


def silence(some: Sequence[PairedSample], moves: Sequence[float]) -> UnansweredSplit:
    """How much of the difference is in samples without an answer."""
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    sums: Counter[tuple[bool, bool]] = Counter()
    totals: dict[tuple[bool, bool], float] = dict.fromkeys(((a, b) for a in (True, False) for b in (True, False)), 0.0)
    for both, move in zip(some, moves, strict=True):
        gone = both.first.outcome in NON_ANSWERS, both.second.outcome in NON_ANSWERS
        for count, seen, is_gone in zip(counts, (both.first, both.second), gone, strict=True):
            if is_gone:
                count[seen.outcome.value] += 1
        sums[gone] += 1
        totals[gone] += move
    n, answered = len(some), sums[False, False]
    return UnansweredSplit(
        first=_ordered(counts[0]),
        second=_ordered(counts[1]),
        by_first=totals[True, False] / n,
        by_second=totals[False, True] / n,
        by_both=totals[True, True] / n,
        by_answers=totals[False, False] / n,
        answered=answered,
        among_answered=totals[False, False] / answered if answered else None,
    )


def _ordered(counts: Mapping[str, int]) -> dict[str, int]:
    return {o.value: counts[o.value] for o in Outcome if counts.get(o.value)}
