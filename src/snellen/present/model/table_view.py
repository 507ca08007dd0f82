"""Tables as data: headings, and rows of texts and scores. Terminal, page, viewer and files lay them out."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from snellen.core.results import ProtocolSummary, Score
from snellen.present.model import formatting


class ScoreCell(NamedTuple):
    """A score as people see it; `score` is what it was made from, for charts.

    `floor_word` is 'at floor' or 'below floor' where that is so, `why` what is behind the floor, `other_n` an n that is not the part's.
    """

    value: str
    interval: str
    floor: str
    floor_word: str
    why: str
    other_n: str
    headline: bool
    score: Score

    @property
    def printed(self) -> tuple[str, ...]:
        """Return all that a table prints of it."""
        return self.value, self.interval, self.floor, self.floor_word, self.other_n

    @property
    def floor_said(self) -> str:
        """Return 'floor 16.7', 'at floor 40.0' or 'below floor 50.0'; nothing where there is no floor."""
        return f"{self.floor_word or 'floor'} {self.floor}" if self.floor else ""


class Heading(NamedTuple):
    """The heading of a column, and what stands below it. `kind` is 'number', 'score', 'difference', 'names' or empty."""

    text: str
    kind: str = ""
    below: str = ""


def headings(kind: str, *texts: str) -> tuple[Heading, ...]:
    """Return headings of one kind."""
    return tuple(Heading(text, kind) for text in texts)


Cell = str | ScoreCell | None
"""None where a row has nothing in a column."""


class TableView(NamedTuple):
    """A table with its title."""

    title: str = ""
    headings: tuple[Heading, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def without(self, names: Collection[str]) -> TableView:
        """Return the table without some columns."""
        kept = [at for at, heading in enumerate(self.headings) if heading.text not in names]
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        return self._replace(headings=tuple(self.headings[at] for at in kept), rows=rows)


def score_cell(protocol: ProtocolSummary, key: str, score: Score | None, n: int | None = None) -> ScoreCell | None:
    """Return a metric's score; `n` is the one that stands above or beside it already."""
    if score is None:
        return None
    return ScoreCell(
        value=formatting.value(score),
        interval=formatting.interval(score),
        floor=formatting.floor(score),
        floor_word=formatting.floor_word(protocol, key, score),
        why=formatting.floor_why(score),
        other_n="" if n in (None, score.n) else f"(n={score.n})",
        headline=protocol.headline == key,
        score=score,
    )
