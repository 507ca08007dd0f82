"""How far two raters agree: on a yes-or-no question, or on one with any number of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Agreement(NamedTuple):
    """Counts of two raters: both say yes, only the first, only the second, neither.

    >>> table = Agreement(both=20, first=5, second=10, neither=15)
    >>> table.share, round(table.kappa, 6)
    (0.7, 0.4)
    """

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0

    @property
    def n(self) -> int:
        """How many were rated by both."""
        return sum(self)

    @property
    def share(self) -> float | None:
        """The part on which they say the same; None where nothing was rated."""
        return (self.both + self.neither) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960): agreement beyond what the raters' yes rates give by chance, over the most there could be.

        None where it is undefined: nothing rated, or both raters always say the same one word.

        >>> Agreement(both=7).kappa is None
        True
        """
        n = self.n
        yes = (self.both + self.first) * (self.both + self.second)
        no = (self.neither + self.first) * (self.neither + self.second)
        by_chance = yes + no  # times n * n, so that all sums are exact
        if by_chance == n * n:
            return None
        return (n * (self.both + self.neither) - by_chance) / (n * n - by_chance)


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two raters who each gave one of any number of answers.

    None where it is undefined: nothing rated, or both always say the same one word.

    >>> round(cohen_kappa([("a", "a")] * 3 + [("b", "b"), ("c", "b"), ("a", "c")]) or 0, 4)
    0.4286
    """
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(count * second[word] for word, count in first.items())  # times n * n, so that all sums are exact
    if by_chance == n * n:
        return None
    return (n * sum(a == b for a, b in pairs) - by_chance) / (n * n - by_chance)
