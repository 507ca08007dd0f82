"""Many runs: their order in each part, which of them the data cannot tell apart, and which are worth their cost and time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from snellen.comparison.results import ComparisonRow, RankedRun, Ranking, RunSide
from snellen.stats.intervals import LEVEL
from snellen.stats.significance import clusters_needed, holm

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def ranking(
    protocol: str, rows: Sequence[ComparisonRow], sides: Sequence[RunSide], others: Sequence[ComparisonRow] = ()
) -> Ranking:
    """Return the order of runs from the comparisons of all pairs. `others` are rows under protocols that read the same replies."""
    found = _places(rows)
    known = [name for name in ("cost", "seconds") if all(getattr(side, name) is not None for side in sides)]
    whole = [place for place in found if not place.part] or found
    points = {}
    if known and not any(place.unit for place in whole):
        for side in sides:  # more is better
            score = fmean(place.score for place in whole if place.run == side.letter)
            points[side.letter] = score, *(-getattr(side, name) for name in known)
    elsewhere = tuple(
        Ranking(name, tuple(_places([row for row in others if row.protocol == name])), (), ("score",))
        for name in dict.fromkeys(row.protocol for row in others)
    )
    return Ranking(protocol, tuple(found), tuple(front(points)), ("score", *known), elsewhere)


def _places(rows: Sequence[ComparisonRow]) -> list[RankedRun]:
    """Return the runs part by part, the best first."""
    parts = dict.fromkeys(row.part for row in rows)
    return [place for part in parts for place in _ranked(part, [row for row in rows if row.part == part])]


def _ranked(part: str, rows: Sequence[ComparisonRow]) -> list[RankedRun]:
    """Return the runs of one part, the best first. Runs that no pair's test tells apart (Holm over all pairs) share a letter."""
    scores: dict[str, float] = {}
    heads: dict[str, float] = {}
    for row in rows:
        scores |= {row.first_run: row.first, row.second_run: row.second}
        if row.headline is not None:
            heads |= {row.first_run: row.headline.first, row.second_run: row.headline.second}
    one = rows[0]
    sign = 1 if one.better == "lower" else -1
    order = sorted(scores, key=lambda run: (sign * scores[run], run))
    adjusted = holm([row.p for row in rows])
    apart = [(r.first_run, r.second_run) for r, p in zip(rows, adjusted, strict=True) if p < 1 - LEVEL]
    groups = letters(order, apart)
    least = clusters_needed((1 - LEVEL) / len(rows))
    return [
        RankedRun(
            run=run,
            part=part,
            n=one.n,
            metric=one.metric,
            label=one.label,
            unit=one.unit,
            score=scores[run],
            groups=groups[run],
            clusters=one.clusters,
            cluster=one.cluster,
            needed=least if one.clusters < least else None,
            headline=heads.get(run),
            headline_label=one.headline.label if one.headline is not None else "",
        )
        for run in order
    ]


def letters(order: Sequence[str], apart: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give letters to items in order. Two share a letter if and only if they were not told apart (insert and absorb, Piepho 2004).

    >>> letters("BCA", [("A", "B")])
    {'B': 'a', 'C': 'ab', 'A': 'b'}
    """
    groups = [frozenset(order)]
    for first, second in apart:
        split = [part for g in groups for part in ((g - {first}, g - {second}) if {first, second} <= g else (g,))]
        groups = [g for g in dict.fromkeys(split) if g and not any(g < other for other in split)]
    groups.sort(key=lambda g: sorted(order.index(x) for x in g))
    names = [LETTERS[i] if i < len(LETTERS) else f"({i + 1})" for i in range(len(groups))]
    return {x: "".join(name for name, g in zip(names, groups, strict=True) if x in g) for x in order}


def front(points: Mapping[str, tuple[float, ...]]) -> list[str]:
    """Return the Pareto front: the items that no other beats by being as good in everything and better in something.

    >>> front({"A": (0.9, -10.0), "B": (0.8, -1.0), "C": (0.8, -2.0)})
    ['A', 'B']
    """
    beaten = set()
    for one, other in combinations(points, 2):
        for worse, better in ((one, other), (other, one)):
            if points[worse] != points[better] and all(
                a <= b for a, b in zip(points[worse], points[better], strict=True)
            ):
                beaten.add(worse)
    return [name for name in points if name not in beaten]
