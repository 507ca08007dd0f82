"""A test, by catch trials, that a threshold can be measured. An observer that looks and understands the question passes them.

The arithmetic also gives a threshold to an observer that only guesses, and to a model that refuses. Neither is sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

CHANCE = 0.02
"""The accepted chance that a guesser passes, and that a good observer is refused whose lapse rate is GOOD."""
GOOD = 0.95


def at_least(right: int, n: int, p: float) -> float:
    """Return the probability of at least `right` right answers of n.

    >>> round(at_least(3, 5, 0.1), 5)
    0.00856
    """
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(right, n + 1))


def bar(n: int, guess: float) -> int:
    """Return how many of n catch trials must be right: more than half, and as many as a guesser reaches in at most 2% of exams.

    More than n means that n trials are too few to tell.

    >>> bar(5, 1 / 10), bar(5, 1 / 4), bar(5, 1 / 2)
    (3, 4, 6)
    """
    return next(k for k in range(n // 2 + 1, n + 2) if at_least(k, n, guess) <= CHANCE)


def measurable(catch: Sequence[bool | None], blank: Sequence[bool | None], guess: float) -> str:
    """Return an empty text where a threshold can be measured, else the kind of reason against it.

    `catch` are the outcomes of the easiest questions with their pictures, `blank` the same without (may be empty): right, wrong, or
    None for a reply that chose nothing.

    - "few": there are too few catch trials to tell sight from guessing, even if all are right
    - "silent": half of them or more got no reply that chose anything (format, refusal, truncation: the outcomes say which)
    - "wrong": the right ones are not clearly more than a guesser has
    - "blind": without the picture clearly more than a guesser has, and at least as many as with it: the answer is not in the picture

    >>> measurable([True] * 5, [False] * 5, 0.1), measurable([True, None, None, None, True], [], 0.1), measurable([False] * 5, [], 0.1)
    ('', 'silent', 'wrong')
    >>> measurable([True] * 5, [True] * 5, 0.1), measurable([True] * 2, [], 0.5)
    ('blind', 'few')
    """
    if bar(len(catch), guess) > len(catch):
        return "few"
    if 2 * sum(right is None for right in catch) >= len(catch):
        return "silent"
    right = sum(bool(answer) for answer in catch)
    if right < bar(len(catch), guess):
        return "wrong"
    unseen = sum(bool(answer) for answer in blank)
    if unseen >= bar(len(blank), guess) and unseen / len(blank) >= right / len(catch):
        return "blind"
    return ""
