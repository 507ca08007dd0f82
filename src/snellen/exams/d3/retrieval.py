"""The mark stage on a table of similarities: does each caption find its own picture among those of its set?

`S[i][j]` is the similarity of caption i and picture j. Pure functions; the scorer provides the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.scorer import Evidence

Table = Sequence[Sequence[float]]


class _Retrieval(NamedTuple):
    """The result of a table of similarities. `hits` has one entry for each caption, `found` one for each picture."""

    hits: tuple[bool, ...]
    found: tuple[bool, ...]
    margins: tuple[float, ...]

    @property
    def both(self) -> float:
        """1 if every caption finds its picture."""
        return float(all(self.hits))

    @property
    def recall(self) -> float:
        """The share of captions that find their picture."""
        return sum(self.hits) / len(self.hits)

    @property
    def image_to_text(self) -> float:
        """The share of pictures whose own caption fits them best."""
        return sum(self.found) / len(self.found)

    @property
    def margin(self) -> float | None:
        """The mean margin of a caption's own picture over the best other one; None if it is not a number."""
        mean = sum(self.margins) / len(self.margins)
        return mean if isfinite(mean) else None


def retrieve(table: Table, *, ties: bool) -> _Retrieval:
    """Return the hits of captions and pictures. With `ties` an exact tie is right, like the original's argmax; without, it is wrong.

    >>> retrieve([[0.5, 0.5], [0.1, 0.9]], ties=True).hits, retrieve([[0.5, 0.5], [0.1, 0.9]], ties=False).hits
    ((True, True), (False, True))
    """
    places = range(len(table))
    rows = [[table[i][j] for j in places if j != i] for i in places]
    columns = [[table[j][i] for j in places if j != i] for i in places]

    def wins(own: float, others: Iterable[float]) -> bool:
        return all(own >= other if ties else own > other for other in others)

    return _Retrieval(
        tuple(wins(table[i][i], rows[i]) for i in places),
        tuple(wins(table[i][i], columns[i]) for i in places),
        tuple(table[i][i] - max(rows[i]) for i in places),
    )


def fitting(evidence: Evidence, count: int) -> Evidence:
    """Return the evidence; raise an error for a table of a size other than count x count."""
    for said in evidence:
        if len(said.table) != count or any(len(row) != count for row in said.table):
            raise SnellenError(f"the similarities of scorer {said.scorer} are not a table of {count} x {count}")
    return evidence


# ---------------------------------------------------------------- the original's own numbers


def printed_score(both: Iterable[float]) -> str:
    """Return the line that the original script prints: the share of pairs in which both captions are right, in percent.

    >>> printed_score([1.0, 0.0, 0.0])
    '| Scores : 33.33%'
    """
    values = list(both)
    score = round(sum(values) / len(values) * 100, 2) if values else float("nan")
    return f"| Scores : {score}%"
