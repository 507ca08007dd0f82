"""Does a score tell right answers from wrong ones? Ranking (AUROC) and a curve of accuracy over the score."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from snellen.core.errors import SnellenError
from snellen.stats.intervals import Interval
from snellen.stats.jackknife import moved_interval
from snellen.stats.means import Floats, numbered, of_samples, share_interval

BINS = 10


class Bin(NamedTuple):
    """Samples of like score: the range and mean of their scores, and how many are right, with a 95% interval."""

    n: int
    score_low: float
    score_high: float
    score_mean: float
    accuracy: float
    low: float
    high: float


def auroc(scores: Sequence[float], correct: Sequence[bool | int]) -> float | None:
    """Return how often a right sample has a higher score than a wrong one, ties counting half; None unless there are both.

    0.5 says nothing, 1 separates perfectly. Give a score that should be high where the answer is right: minus an entropy, say.

    >>> auroc([0.9, 0.8, 0.3, 0.8], [1, 1, 0, 0])
    0.875
    """
    pairs = _pairs(scores, correct)
    right = sum(c for _, c in pairs)
    wrong = len(pairs) - right
    if not right or not wrong:
        return None
    won = 0.0
    below = 0  # wrong samples with a lower score
    for start, stop in _ties(pairs):
        rights = sum(c for _, c in pairs[start:stop])
        wrongs = stop - start - rights
        won += rights * (below + wrongs / 2)
        below += wrongs
    return won / (right * wrong)


def auroc_interval(scores: Sequence[float], correct: Sequence[bool | int], clusters: Sequence[str]) -> Interval | None:
    """Return the interval of `auroc`, by how often each sample wins (DeLong et al. 1988; summed over clusters, Obuchowski 1997).

    It is Wilson's interval on as many samples as that spread is worth. Where there is no spread (an AUROC of 1), some doubt
    stays. It is that of the number of samples with which a share of one half is as unsure as an AUROC of one half is by chance.
    None where there is no AUROC, or one cluster.
    """
    value = auroc(scores, correct)
    if value is None:
        return None
    score, right = np.array(scores, dtype=np.float64), np.array([bool(c) for c in correct])
    number = numbered(clusters)
    number[number < 0] = np.arange(int((number < 0).sum())) + number.max() + 1  # samples that stand for themselves
    _names, cluster = np.unique(number, return_inverse=True)
    count = int(cluster.max()) + 1
    if count < 2:
        return None
    wins = np.where(right, _beaten(score, score[~right]), 1 - _beaten(score, score[right]))
    rights, wrongs = int(right.sum()), int((~right).sum())
    parts = (wins - value) / np.where(right, rights, wrongs)
    moved = np.bincount(cluster, weights=parts, minlength=count)
    made_of = 3 * rights * wrongs / (rights + wrongs + 1)
    return moved_interval(value, value - moved * count / (count - 1), made_of)


def _beaten(scores: Floats, others: Floats) -> Floats:
    """Return for each score the share of the others that it beats, ties counting half."""
    ordered = np.sort(others)
    below, upto = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * len(ordered)), dtype=np.float64)


def curve(
    scores: Sequence[float],
    correct: Sequence[bool | int],
    bins: int = BINS,
    clusters: Sequence[str] | None = None,
) -> tuple[Bin, ...]:
    """Return accuracy over the score, in bins of as equal a count as ties allow: equal scores always share a bin.

    There are fewer bins than asked for where there are fewer distinct scores. Samples of one cluster stand or fall together.

    >>> [(b.n, b.accuracy) for b in curve([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1], bins=2)]
    [(2, 0.5), (2, 1.0)]
    """
    if bins < 1:
        raise SnellenError(f"{bins} bins: there must be at least one")
    pairs = _pairs(scores, correct)
    named = (
        sorted(zip(scores, correct, clusters, strict=True), key=lambda one: (one[0], bool(one[1]))) if clusters else ()
    )
    names = [name for _score, _right, name in named] or [""] * len(pairs)
    groups: dict[int, list[tuple[int, int]]] = {}
    for start, stop in _ties(pairs):  # a run of equal scores goes where its first sample falls
        groups.setdefault(start * bins // len(pairs), []).append((start, stop))
    spans = [slice(runs[0][0], runs[-1][1]) for runs in groups.values()]
    return tuple(_bin(pairs[span], names[span]) for span in spans)


def _bin(pairs: list[tuple[float, int]], clusters: list[str]) -> Bin:
    n = len(pairs)
    right = [c for _, c in pairs]
    mean = sum(s for s, _ in pairs) / n
    low, high, _kind = share_interval(of_samples(right, clusters))
    return Bin(n, pairs[0][0], pairs[-1][0], mean, sum(right) / n, low, high)


def _pairs(scores: Sequence[float], correct: Sequence[bool | int]) -> list[tuple[float, int]]:
    if len(scores) != len(correct):
        raise SnellenError(f"{len(scores)} scores but {len(correct)} marks: give one mark for each score")
    if any(isnan(s) for s in scores):
        raise SnellenError("a score is not a number: leave out samples that have none")
    return sorted((float(s), int(bool(c))) for s, c in zip(scores, correct, strict=True))


def _ties(pairs: list[tuple[float, int]]) -> list[tuple[int, int]]:
    """Return runs of equal scores as (start, stop)."""
    edges = [i for i in range(1, len(pairs)) if pairs[i][0] != pairs[i - 1][0]]
    return list(zip([0, *edges], [*edges, len(pairs)], strict=True)) if pairs else []
