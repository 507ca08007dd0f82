"""Does a score know which answers are right? Ranking (AUROC) and a curve of accuracy over the score."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.stats.intervals import wilson

BINS = 10


class Bin(NamedTuple):
    """Samples of like score: the range and mean of their scores, and how many are right, with a 95 % Wilson interval."""

    n: int
    score_low: float
    score_high: float
    score_mean: float
    accuracy: float
    low: float
    high: float


def auroc(scores: Sequence[float], correct: Sequence[bool | int]) -> float | None:
    """How often a right sample has a higher score than a wrong one, ties counting half; None where there are not both.

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


def curve(scores: Sequence[float], correct: Sequence[bool | int], bins: int = BINS) -> tuple[Bin, ...]:
    """Accuracy over the score, in bins of as equal a count as ties allow: equal scores always share a bin.

    There are fewer bins than asked for where there are fewer distinct scores.

    >>> [(b.n, b.accuracy) for b in curve([0.1, 0.2, 0.3, 0.4], [0, 1, 1, 1], bins=2)]
    [(2, 0.5), (2, 1.0)]
    """
    if bins < 1:
        raise SnellenError(f"{bins} bins: there must be at least one")
    pairs = _pairs(scores, correct)
    groups: dict[int, list[tuple[float, int]]] = {}
    for start, stop in _ties(pairs):  # a run of equal scores goes where its first sample falls
        groups.setdefault(start * bins // len(pairs), []).extend(pairs[start:stop])
    return tuple(_bin(g) for g in groups.values())


def _bin(pairs: list[tuple[float, int]]) -> Bin:
    n = len(pairs)
    right = sum(c for _, c in pairs)
    mean = sum(s for s, _ in pairs) / n
    return Bin(n, pairs[0][0], pairs[-1][0], mean, right / n, *wilson(right, n))


def _pairs(scores: Sequence[float], correct: Sequence[bool | int]) -> list[tuple[float, int]]:
    if len(scores) != len(correct):
        raise SnellenError(f"{len(scores)} scores but {len(correct)} marks: give one mark for each score")
    if any(isnan(s) for s in scores):
        raise SnellenError("a score is not a number: leave out samples that have none")
    return sorted((float(s), int(bool(c))) for s, c in zip(scores, correct, strict=True))


def _ties(pairs: list[tuple[float, int]]) -> list[tuple[int, int]]:
    """Runs of equal scores as (start, stop)."""
    edges = [i for i in range(1, len(pairs)) if pairs[i][0] != pairs[i - 1][0]]
    return list(zip([0, *edges], [*edges, len(pairs)], strict=True)) if pairs else []
