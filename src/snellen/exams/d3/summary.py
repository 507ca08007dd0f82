"""The summarise stage: shares with intervals and chance, the spread of margins, and how far scorers agree; overall and by kind.

Non-answers count as misses in every share of hits; captions that nobody scored count as nothing. Lengths, margins and what captions
say are over the pairs that have captions.
"""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist

from snellen.core.results import GroupSummary, Score
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.exams.d3.slots import chance_of_all, chance_of_one, names_of
from snellen.stats.agreement import Agreement
from snellen.stats.intervals import wilson
from snellen.stats.means import mean_interval
from snellen.stats.paired import paired_difference

QUANTILES = {"p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9}
_MAIN = ""  # how the main scorer's `both` is kept beside those of the others
Key = tuple[tuple[str, str], ...]


class _Tally:
    """What one group adds up to. Keeps numbers, and no sample."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.n = self.silent = 0
        self.outcomes: Counter[str] = Counter()
        self.shares: dict[str, Counter[float]] = {}
        self.spread: dict[str, array[float]] = {}
        self.ends: Counter[tuple[float, float]] = Counter()
        self.scorers: dict[str, None] = {}
        self.verdicts: Counter[tuple[tuple[str, bool], ...]] = Counter()

    def add(self, mark: Mark) -> None:
        self.n += 1
        self.outcomes[mark.outcome.value] += 1
        values = {k: v for k, v in mark.metrics.items() if isinstance(v, float)}
        for name, value in values.items():
            kind = name.partition(".")[0]
            if kind in ("margin", "words"):
                self.spread.setdefault(name, array("d")).append(value)
            else:
                self.shares.setdefault(name, Counter())[value] += 1
        if "both" not in values:
            return
        self.ends[values[self.names[-1]], values[self.names[0]]] += 1
        if "words" not in values:
            self.silent += 1
        else:
            said = {_MAIN: values["both"] == 1.0}
            said |= {k.partition(".")[2]: v == 1.0 for k, v in values.items() if k.startswith("both.")}
            self.scorers.update(dict.fromkeys(said))
            self.verdicts[tuple(said.items())] += 1


def summarise(marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """All groups of a run: the whole, then each kind of difference where the data set names them."""
    tallies: dict[Key, _Tally] = {}
    for sample, mark in marked:
        tags = sample.tags
        base: Key = (("split", tags["split"]), ("task", tags["task"]))
        kind = tags.get("kind")
        for key in (base, (*base, ("kind", kind))) if kind else (base,):
            if key not in tallies:
                tallies[key] = _Tally(names_of(sample))
            tallies[key].add(mark)
    return tuple(_group(dict(key), tallies[key]) for key in sorted(tallies, key=lambda k: (k[:2], len(k), k)))


def _group(by: dict[str, str], tally: _Tally) -> GroupSummary:
    missing = sum(tally.outcomes[o.value] for o in NON_ANSWERS)
    right = tally.outcomes[Outcome.CORRECT.value]
    marked = tally.n - tally.outcomes[Outcome.UNMARKED.value]
    return GroupSummary(
        by=by,
        n=tally.n,
        outcomes={o.value: tally.outcomes[o.value] for o in Outcome if tally.outcomes[o.value]},
        metrics=_metrics(tally, seed=zlib.crc32(repr(sorted(by.items())).encode())),
        bounds=(right / marked, (right + missing) / marked) if missing else None,
    )


def _metrics(tally: _Tally, seed: int) -> dict[str, Score]:
    count = len(tally.names)
    floors = {"both": chance_of_all(count), "recall": chance_of_one(count), "image_to_text": chance_of_one(count)}
    floors |= dict.fromkeys(tally.names, chance_of_one(count))
    found: dict[str, Score] = {}
    for name in ("both", "recall", *tally.names, "image_to_text"):
        found[name] = _hits(tally, name, floors[name], seed)
    found |= _ends(tally, seed)
    found |= _margins("margin", tally.spread.get("margin", ()))
    found |= _mean("words", tally.spread.get("words", ()), "words")
    for name in ("position_words", "truncated"):
        found |= _share(name, tally.shares.get(name, Counter()))
    for name in ("position_captions", "position_wide"):
        found |= _share(name, _by_caption(tally.shares.get(name, Counter()), count))
    for scorer in (s for s in tally.scorers if s != _MAIN):
        for name in ("both", "recall"):
            found[f"{name}.{scorer}"] = _hits(tally, f"{name}.{scorer}", floors[name], seed)
        found |= _margins(f"margin.{scorer}", tally.spread.get(f"margin.{scorer}", ()))
    return found | _agreement(tally)


# ---------------------------------------------------------------- single metrics


def _hits(tally: _Tally, name: str, floor: float, seed: int) -> Score:
    """A share over the pairs that were scored, with those that have no captions as misses."""
    scores = tally.shares.get(name, Counter()).copy()
    if "." in name:  # another scorer than the main one says nothing where there are no captions
        scores[0.0] += tally.silent
    if not +scores:
        return Score(value=None, n=0, floor=floor, floor_answer="chance")
    found = mean_interval(+scores, seed)
    return Score(
        value=found.mean,
        n=sum(scores.values()),
        low=found.low,
        high=found.high,
        interval=found.kind,
        floor=floor,
        floor_answer="chance",
    )


def _share(name: str, scores: Counter[float]) -> dict[str, Score]:
    """A share of pairs, or of captions; nothing where there are none."""
    n = sum(scores.values())
    if not n:
        return {}
    low, high = wilson(scores[1.0], n)
    return {name: Score(value=scores[1.0] / n, n=n, low=low, high=high, interval="wilson")}


def _by_caption(counts: Counter[float], captions: int) -> Counter[float]:
    """Pairs by their number of such captions, as captions that are such and that are not."""
    such = sum(round(number) * pairs for number, pairs in counts.items())
    return Counter({1.0: such, 0.0: captions * sum(counts.values()) - such})


def _ends(tally: _Tally, seed: int) -> dict[str, Score]:
    """Hits of the first slot minus hits of the last. With one order of pictures this is bias and pictures together."""
    if not tally.verdicts:
        return {}
    found = paired_difference(tally.ends, seed)
    name = f"{tally.names[0]}_minus_{tally.names[-1]}"
    return {name: Score(value=found.difference, n=found.n, low=found.low, high=found.high, interval=found.interval)}


def _margins(name: str, values: Sequence[float]) -> dict[str, Score]:
    """The mean margin, and how margins are spread."""
    if not len(values):
        return {}
    ordered = sorted(values)
    kind, dot, scorer = name.partition(".")
    spread = {
        f"{kind}_{label}{dot}{scorer}": Score(value=quantile(ordered, at), n=len(ordered), unit="cosine")
        for label, at in QUANTILES.items()
    }
    return _mean(name, values, "cosine") | spread


def _mean(name: str, values: Sequence[float], unit: str) -> dict[str, Score]:
    """A mean of measurements, with the normal interval of a mean."""
    n = len(values)
    if not n:
        return {}
    mean = sum(values) / n
    if n == 1:
        return {name: Score(value=mean, n=n, unit=unit)}
    deviation = sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    half = NormalDist().inv_cdf(0.975) * deviation / sqrt(n)
    return {name: Score(value=mean, n=n, low=mean - half, high=mean + half, interval="normal", unit=unit)}


def quantile(ordered: Sequence[float], at: float) -> float:
    """A quantile of ordered values, between neighbours in a straight line.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = at * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ---------------------------------------------------------------- several scorers


def _agreement(tally: _Tally) -> dict[str, Score]:
    """How often two scorers give a pair the same verdict, Cohen's kappa, and the pairs that no scorer tells apart."""
    found: dict[str, Score] = {}
    for first, second in combinations(tally.scorers, 2):
        table = _table(tally, first, second)
        name = second if first == _MAIN else f"{first} and {second}"
        if table.share is None:
            continue
        low, high = wilson(table.both + table.neither, table.n)
        found[f"agreement.{name}"] = Score(value=table.share, n=table.n, low=low, high=high, interval="wilson")
        found[f"kappa.{name}"] = Score(value=table.kappa, n=table.n, unit="kappa")
    if len(tally.scorers) > 1:
        whole = {said: count for said, count in tally.verdicts.items() if len(said) == len(tally.scorers)}
        n = sum(whole.values())
        none = sum(count for said, count in whole.items() if not any(hit for _scorer, hit in said))
        if n:
            low, high = wilson(none, n)
            found["no_scorer"] = Score(value=none / n, n=n, low=low, high=high, interval="wilson")
    return found


def _table(tally: _Tally, first: str, second: str) -> Agreement:
    counts: Counter[tuple[bool, bool]] = Counter()
    for verdicts, count in tally.verdicts.items():
        said = dict(verdicts)
        if first in said and second in said:
            counts[said[first], said[second]] += count
    return Agreement(
        both=counts[True, True], first=counts[True, False], second=counts[False, True], neither=counts[False, False]
    )
