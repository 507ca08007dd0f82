"""Questions that were asked several times: scores over all repeats, their spread, and the agreement of the answers.

A sample that is asked five times is one sample still, not five. So a mean is taken over samples, of each one's mean over its repeats.
Its interval is that of as many samples with these values. A score that is not a mean over samples (a macro F1, a quantile) is the mean
of the scores of the repeats. Its interval is as wide as that of one repeat, since in general it is not known
how much narrower it may be. The spread is the difference from one repeat to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

import msgspec

from snellen.core.protocol import Key, Protocol, Seen, finished, roles
from snellen.core.results import Consistency, GroupSummary, Score, Spread
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.stats.tally import GroupMarks, GroupScores, Tally, means


class _RepeatOutcome(NamedTuple):
    """The outcomes of a sample's answers: how many of how many were right, and whether all were read and judged the same."""

    right: int
    times: int
    same: bool


def mean_seen(every: Sequence[Seen], own: Any = None) -> Seen:
    """Return one sample's marks as one: the mean of each value over the repeats that have it, and the usual outcome."""
    first = every[0]
    if len(every) == 1:
        return first if own is None else first._replace(own=own)
    names = dict.fromkeys(name for seen in every for name in seen.values)
    values = {name: fmean(seen.values[name] for seen in every if name in seen.values) for name in names}
    return Seen(values, usual_outcome([seen.outcome for seen in every]), first.cluster, own)


def usual_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Return a sample's usual outcome: right if more than half of its answers are, no answer if that is, else answered otherwise.

    >>> right, wrong, cut = Outcome.CORRECT, Outcome.WRONG, Outcome.TRUNCATED
    >>> [usual_outcome(o).value for o in ([right, right, cut], [right, wrong], [cut, cut, wrong], [cut, wrong], [right, cut])]
    ['correct', 'wrong', 'truncated', 'wrong', 'truncated']
    """
    silent: list[Outcome] = [o for o in outcomes if o in NON_ANSWERS]
    others: list[Outcome] = [o for o in outcomes if o not in (*NON_ANSWERS, Outcome.CORRECT)]
    if 2 * (len(silent) + len(others)) < len(outcomes):
        return Outcome.CORRECT
    among = silent if 2 * len(silent) > len(outcomes) or not others else others
    return Counter(among).most_common(1)[0][0]


class RepeatTally:
    """The marks of one protocol by repeat: `add` them, then take the `groups`. With one repeat it is a plain tally."""

    def __init__(self, protocol: Protocol, repeats: int) -> None:
        self._protocol = protocol
        self._tallies = [Tally(protocol) for _ in range(repeats)]
        self._seen: dict[str, list[Seen]] = {}
        self._marks: dict[str, list[object]] = {}
        self._samples: dict[str, Sample] = {}

    def add(self, sample: Sample, mark: Mark, repeat: int = 1) -> None:
        """Count a mark of one repeat, the first being 1."""
        seen = self._tallies[repeat - 1].add(sample, mark)
        if len(self._tallies) > 1:
            self._samples[sample.id] = sample
            self._seen.setdefault(sample.id, []).append(seen)
            self._marks.setdefault(sample.id, []).append((mark.outcome, mark.reading))

    def groups(self) -> tuple[GroupSummary, ...]:
        """Return the scores of all groups."""
        if len(self._tallies) == 1:
            return self._tallies[0].groups()
        every = [{_key(one.group): one for one in tally.summarised()} for tally in self._tallies]
        samples = {_key(group): group for group in self._of_samples().marks()}
        order = dict.fromkeys(key for groups in every for key in groups)
        found = [_together(self._protocol, [groups.get(key) for groups in every], samples[key]) for key in order]
        return finished(self._protocol, found)

    def _of_samples(self) -> Tally:
        """Return a tally with every sample once, with its means over repeats."""
        tally = Tally(self._protocol)
        for name, seen in self._seen.items():
            right = sum(one.outcome is Outcome.CORRECT for one in seen)
            marks = self._marks[name]
            alike = _RepeatOutcome(right, len(seen), all(one == marks[0] for one in marks))
            tally.count(self._samples[name], mean_seen(seen, alike))
        return tally


def _key(group: GroupSummary | GroupMarks) -> Key:
    return tuple(group.by.items())


def _together(protocol: Protocol, every: Sequence[GroupScores | None], samples: GroupMarks) -> GroupSummary:
    """Return one group of all repeats; repeats that have not reached it yet are left out."""
    there = [one for one in every if one is not None]
    groups = [one.group for one in there]
    joined = there[0].joined
    own = frozenset[str]().union(*(one.own for one in there))
    plain = {} if joined else {name: s for name, s in means(protocol, samples).items() if name not in own}
    comparable = len(there) == len(every) and len({g.n for g in groups}) == 1
    scores: dict[str, Score] = {}
    for name in dict.fromkeys(name for g in groups for name in g.metrics):
        some = [g.metrics[name] for g in groups if name in g.metrics]
        spread = _spread(some) if comparable and len(some) == len(every) else None
        found = _of_samples(some[0], plain[name]) if name in plain else _of_each(some)
        scores[name] = msgspec.structs.replace(found, spread=spread)
    return GroupSummary(
        by=groups[0].by,
        n=max(g.n for g in groups) if joined else samples.n,
        outcomes=_outcomes(groups),
        metrics=scores,
        bounds=_bounds(protocol, groups),
        whole=groups[0].whole,
        clusters=max(g.clusters for g in groups) if joined else samples.clusters(),
        consistency=None if joined else _consistency(samples),
    )


def _of_samples(first: Score, mean: Score) -> Score:
    """Return the mean over samples, above the floor that every repeat has."""
    return msgspec.structs.replace(
        first, value=mean.value, n=mean.n, low=mean.low, high=mean.high, interval=mean.interval
    )


def _of_each(some: Sequence[Score]) -> Score:
    """Return the mean of the repeats' scores, with the mean of their intervals."""
    values = [s.value for s in some if s.value is not None]
    ends = [(s.low, s.high) for s in some if s.low is not None and s.high is not None]
    whole = len(ends) == len(some)
    return msgspec.structs.replace(
        some[0],
        value=fmean(values) if values else None,
        low=fmean(low for low, _high in ends) if whole else None,
        high=fmean(high for _low, high in ends) if whole else None,
        interval=f"{some[0].interval}, one repeat" if whole else None,
    )


def _spread(some: Sequence[Score]) -> Spread | None:
    values = [s.value for s in some if s.value is not None]
    if len(values) < max(2, len(some)):
        return None
    return Spread(each=tuple(values), low=min(values), high=max(values), sd=stdev(values))


def _outcomes(there: Sequence[GroupSummary]) -> dict[str, int]:
    return {o.value: n for o in Outcome if (n := sum(g.outcomes.get(o.value, 0) for g in there))}


def _bounds(protocol: Protocol, there: Sequence[GroupSummary]) -> tuple[float, float] | None:
    """Return the mean of the repeats' bounds; a repeat without non-answers has its value for both."""
    name = roles(protocol).bounded
    if all(g.bounds is None for g in there):
        return None
    ends = []
    for group in there:
        own = group.metrics.get(name)
        if group.bounds is not None:
            ends.append(group.bounds)
        elif own is not None and own.value is not None:
            ends.append((own.value, own.value))
    return fmean(low for low, _high in ends), fmean(high for _low, high in ends)


def _consistency(samples: GroupMarks) -> Consistency:
    """Return the consistency of answers, counted over samples that were asked at least twice."""
    always = sometimes = never = same = 0
    for seen, count in samples.rows():
        alike = seen.own
        if isinstance(alike, _RepeatOutcome) and alike.times > 1:
            always += count * (alike.right == alike.times)
            never += count * (not alike.right)
            sometimes += count * (0 < alike.right < alike.times)
            same += count * alike.same
    return Consistency(always=always, sometimes=sometimes, never=never, same=same)
