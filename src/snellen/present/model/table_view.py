"""Tables as data: headings, and rows of texts and scores. Terminal, page, viewer and files lay them out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.core.results import ProtocolSummary, Score
from snellen.present.model import formatting


class ScoreCell(NamedTuple):
    """A score for display. `score` is the value it was made from, for charts.

    `floor_word` is 'at floor' or 'below floor' if that applies. `why` explains the floor. `other_n` is an n that differs from the part's.
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
        """Return all its texts that a table prints."""
        return self.value, self.interval, self.floor, self.floor_word, self.other_n

    @property
    def floor_said(self) -> str:
        """Return 'floor 16.7', 'at floor 40.0' or 'below floor 50.0', or an empty text without a floor."""
        return f"{self.floor_word or 'floor'} {self.floor}" if self.floor else ""


class Heading(NamedTuple):
    """The heading of a column, and the line below it. `kind` is 'number', 'score', 'difference', 'names' or empty."""

    text: str
    kind: str = ""
    below: str = ""


def headings(kind: str, *texts: str) -> tuple[Heading, ...]:
    """Return headings of one kind."""
    return tuple(Heading(text, kind) for text in texts)


Cell = str | ScoreCell | None
"""The content of a cell, or None if the row has nothing in the column."""


class TableView(NamedTuple):
    """A table with its title."""

    title: str = ""
    headings: tuple[Heading, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def without(self, *names: str) -> TableView:
        """Return the table without some columns."""
        return self._kept([at for at, heading in enumerate(self.headings) if heading.text not in names])

    @property
    def used(self) -> TableView:
        """Return the table without empty columns."""
        return self._kept([at for at in range(len(self.headings)) if any(row[at] != "" for row in self.rows)])

    def _kept(self, columns: Sequence[int]) -> TableView:
        rows = tuple(tuple(row[at] for at in columns) for row in self.rows)
        return self._replace(headings=tuple(self.headings[at] for at in columns), rows=rows)

    @property
    def values(self) -> TableView:
        """Return the table with the bare values of scores, below headings that may be wrapped."""
        rows = tuple(tuple(c.value if isinstance(c, ScoreCell) else c for c in row) for row in self.rows)
        return self._replace(headings=headings("", *(heading.text for heading in self.headings)), rows=rows)

    @property
    def turned(self) -> TableView:
        """Return the transposed table."""
        first, *others = zip(*self.rows, strict=True) if self.rows else ((), *((),) * (len(self.headings) - 1))
        rows = tuple((heading.text, *cells) for heading, cells in zip(self.headings[1:], others, strict=True))
        return self._replace(headings=headings("", self.headings[0].text, *map(str, first)), rows=rows)


def score_cell(protocol: ProtocolSummary, key: str, score: Score | None, n: int | None = None) -> ScoreCell | None:
    """Return a metric's score. `n` is the one that is already shown above or beside it."""
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
