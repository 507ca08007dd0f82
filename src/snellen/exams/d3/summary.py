"""Summaries specific to D3: chance, the spread of margins, shares of captions, and the agreement of scorers.

Replies without an answer count as misses in every share of hits. Captions without a score are not counted. Lengths, margins and the content
of captions are over the pairs that have captions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from snellen.core.protocol import Group
from snellen.core.results import CHANCE, Floor, Metric, Score
from snellen.exams.d3.names import names_for
from snellen.stats.agreement import Agreement
from snellen.stats.intervals import Interval
from snellen.stats.jackknife import moved_interval, quantile_interval
from snellen.stats.means import alone, score, share_interval
from snellen.stats.paired import paired_difference
from snellen.stats.tally import mean_score

QUANTILES = {"p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9}
MAIN = ""
"""The name of the main scorer beside the others."""


class _Verdicts(NamedTuple):
    """The verdicts of the scorers on each pair: `counts` by the scorers that scored it; `silent` pairs have no captions to score."""

    scorers: tuple[str, ...]
    counts: Counter[tuple[tuple[str, bool], ...]]
    silent: int

    @property
    def others(self) -> tuple[str, ...]:
        """The scorers other than the main one."""
        return tuple(s for s in self.scorers if s != MAIN)


def floors(group: Group) -> dict[str, Floor]:
    """Return chance, for every share of hits."""
    names = names_for(group.by["task"])
    chance = 1 / len(names)  # of one caption; captions of a set find their pictures independently
    one, every = Floor(chance, CHANCE), Floor(chance ** len(names), CHANCE)
    found = {"both": every} | dict.fromkeys(("recall", "image_to_text", *names), one)
    for scorer in _verdicts(group).others:
        found |= {f"both.{scorer}": every, f"recall.{scorer}": one}
    return found


def own_scores(group: Group) -> dict[str, Score]:
    """Return all scores of a group other than plain means over its pairs."""
    names, said = names_for(group.by["task"]), _verdicts(group)
    found = _ends(group, names) if said.counts else {}
    found |= _quantiles(group, "margin")
    for name in ("position_captions", "position_wide"):
        found |= _by_caption(name, group.values(name), len(names))
    for scorer in said.others:
        for name in (f"both.{scorer}", f"recall.{scorer}"):
            # other scorers than the main one give no verdict if there are no captions: still a miss
            values = group.values(name) + Counter({0.0: said.silent})
            if values:
                found[name] = mean_score(Metric(name=name), values)
        found |= _quantiles(group, "margin", f".{scorer}")
    return found | _agreement(said)


def _verdicts(group: Group) -> _Verdicts:
    scorers: dict[str, None] = {}
    counts: Counter[tuple[tuple[str, bool], ...]] = Counter()
    silent = 0
    for seen, count in group.rows():
        values = seen.values
        if "both" not in values:
            continue
        if "words" not in values:
            silent += count
            continue
        said = {MAIN: values["both"] == 1.0}
        said |= {name.partition(".")[2]: v == 1.0 for name, v in values.items() if name.startswith("both.")}
        scorers.update(dict.fromkeys(said))
        counts[tuple(said.items())] += count
    return _Verdicts(tuple(scorers), counts, silent)


# ---------------------------------------------------------------- single scores


def _share(such: int, n: int) -> Score:
    return mean_score(Metric(name="share"), Counter({1.0: such, 0.0: n - such}))


def _by_caption(name: str, counts: Mapping[float, int], captions: int) -> dict[str, Score]:
    """Return the share of captions, from the counts of such captions per pair; nothing if there are none.

    Captions of one pair come from one reply, so the interval is that of the pairs' shares.
    """
    found = Counter({round(number) / captions: pairs for number, pairs in counts.items()})
    if not found:
        return {}
    shares = alone(found)
    return {name: score(shares.total / shares.n, captions * found.total(), share_interval(shares))}


def _ends(group: Group, names: tuple[str, ...]) -> dict[str, Score]:
    """Return hits of the first slot minus hits of the last. With one order of pictures this mixes position bias and picture differences."""
    pairs: Counter[tuple[float, float]] = Counter()
    for seen, count in group.rows():
        if "both" in seen.values:
            pairs[seen.values[names[-1]], seen.values[names[0]]] += count
    found = paired_difference(pairs)
    score = Score(value=found.difference, n=found.n, low=found.low, high=found.high, interval=found.interval)
    return {f"{names[0]}_minus_{names[-1]}": score}


def _quantiles(group: Group, metric: str, suffix: str = "") -> dict[str, Score]:
    """Return the quantiles of a measurement; nothing if there are no values."""
    ordered = sorted(group.values(f"{metric}{suffix}").elements())
    if not ordered:
        return {}
    return {
        f"{metric}_{label}{suffix}": score(
            quantile(ordered, at), len(ordered), quantile_interval(ordered, at, [""] * len(ordered)), "cosine"
        )
        for label, at in QUANTILES.items()
    }


def quantile(ordered: Sequence[float], at: float) -> float:
    """Return a quantile of ordered values, interpolated linearly.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = at * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ---------------------------------------------------------------- several scorers


def _agreement(said: _Verdicts) -> dict[str, Score]:
    """Return how often two scorers give a pair the same verdict, Cohen's kappa, and the number of pairs that no scorer tells apart."""
    found: dict[str, Score] = {}
    for first, second in combinations(said.scorers, 2):
        table = _table(said, first, second)
        name = second if first == MAIN else f"{first} and {second}"
        if table.n:
            found[f"agreement.{name}"] = _share(table.both + table.neither, table.n)
            found[f"kappa.{name}"] = score(table.kappa, table.n, _kappa_interval(table), "kappa")
    whole = {one: count for one, count in said.counts.items() if len(one) == len(said.scorers) > 1}
    if whole:
        none = sum(count for one, count in whole.items() if not any(hit for _scorer, hit in one))
        found["no_scorer"] = _share(none, sum(whole.values()))
    return found


def _kappa_interval(table: Agreement) -> Interval | None:
    """Return the interval of kappa, from its values with one pair of each kind left out in turn; None if it is undefined or constant."""
    import numpy as np

    kinds = [(i, count) for i, count in enumerate(table) if count]
    without = [Agreement(*(count - (i == kind) for i, count in enumerate(table))).kappa for kind, _count in kinds]
    if table.kappa is None:
        return None
    moved = np.array([np.nan if kappa is None else kappa for kappa in without], dtype=np.float64)
    times = np.array([count for _kind, count in kinds], dtype=np.float64)
    found = moved_interval(table.kappa, moved, table.n, times=times, share=False, lowest=-1.0)
    return found and found._replace(high=min(1.0, found.high))


def _table(said: _Verdicts, first: str, second: str) -> Agreement:
    counts: Counter[tuple[bool, bool]] = Counter()
    for verdicts, count in said.counts.items():
        hits = dict(verdicts)
        if first in hits and second in hits:
            counts[hits[first], hits[second]] += count
    return Agreement(
        both=counts[True, True], first=counts[True, False], second=counts[False, True], neither=counts[False, False]
    )
