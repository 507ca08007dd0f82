"""Agreement of two raters: on a yes-or-no question, or on one with any number of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
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
        """The number of samples that both rated."""
        return sum(self)

    @property
    def share(self) -> float | None:
        """The share on which both say the same; None where nothing was rated."""
        return (self.both + self.neither) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960): agreement beyond what the raters' yes rates give by chance, over the most there could be.

        None where it is undefined: nothing rated, or both raters always say the same one word.

        >>> Agreement(both=7).kappa is None
        True
        """
        cells = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
        return cohen_kappa(dict(zip(cells, self, strict=True)))


def cohen_kappa(pairs: Mapping[tuple[str, str], int]) -> float | None:
    """Return Cohen's kappa of two raters who each gave one of any number of answers; `pairs` counts each pair of answers.

    None where it is undefined: nothing rated, or both always say the same one word.

    >>> round(cohen_kappa({("a", "a"): 3, ("b", "b"): 1, ("c", "b"): 1, ("a", "c"): 1}) or 0, 4)
    0.4286
    """
    n = sum(pairs.values())
    first, second = Counter[str](), Counter[str]()
    for (a, b), count in pairs.items():
        first[a] += count
        second[b] += count
    by_chance = sum(count * second[word] for word, count in first.items())  # times n * n, so that all sums are exact
    if by_chance == n * n:
        return None
    return (n * sum(count for (a, b), count in pairs.items() if a == b) - by_chance) / (n * n - by_chance)
