"""Bounds on the entropy of a token distribution, from its few most probable tokens."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, isnan, log

from snellen.core.errors import SnellenError

VOCABULARY = 300_000  # above the largest vocabularies in use (262,144), so that the upper bound is one


def bound_from_top(logprobs: Iterable[float], vocabulary: int = VOCABULARY) -> tuple[float, float]:
    """Return the lowest and highest entropy, in nats, of a distribution whose k most probable tokens have these log-probabilities.

    A token that is not named is at most as likely as the least likely one that is (p). Entropy is concave in the probabilities.
    So it is lowest where the remaining mass sits in as few tokens as that allows: as many of probability p as fit, and one with
    the remainder. It is highest where that mass is spread evenly over the rest of the vocabulary. Mass that cannot be
    placed at all is rounding error of the endpoint and left out.

    >>> low, high = bound_from_top([log(0.5), log(0.25)], vocabulary=4)
    >>> round(low, 4), round(high, 4)
    (1.0397, 1.213)
    """
    found = sorted((_probability(x) for x in logprobs), reverse=True)
    unseen = vocabulary - len(found)
    if unseen < 0:
        raise SnellenError(f"{len(found)} log-probabilities of a vocabulary of {vocabulary}: name a larger vocabulary")
    known = sum(map(_part, found))
    least = found[-1] if found else 1.0
    left = min(max(0.0, 1.0 - sum(found)), least * unseen)
    if left <= 0.0:
        return known, known
    fit = int(left / least)
    low = known + fit * _part(least) + _part(max(0.0, left - fit * least))
    high = known + unseen * _part(left / unseen)
    return low, max(low, high)


def _probability(logprob: float) -> float:
    if isnan(logprob):
        raise SnellenError("a log-probability is not a number: the endpoint's reply is broken")
    return exp(min(logprob, 0.0))


def _part(probability: float) -> float:
    return -probability * log(probability) if 0.0 < probability < 1.0 else 0.0
