"""The gallery of D3: captions beside their pictures, the scorer's table, the picture that each caption picked, and the verdict in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import NamedTuple

from snellen.core.gallery import FAILURES_FIRST, Gallery, GalleryFacts, GalleryItem, GalleryPicture, GalleryView, ranks
from snellen.core.scorer import Evidence
from snellen.exams.d3.retrieval import Table, retrieve


class _SimilarityCell(NamedTuple):
    """The similarity of a caption and a picture. `own`: they belong together; `picked`: no picture fits the caption better."""

    value: float
    own: bool
    picked: bool


class _CaptionRow(NamedTuple):
    """One caption: its text, its cells, and its margin over the best other picture."""

    name: str
    caption: str
    picture: GalleryPicture | None
    cells: tuple[_SimilarityCell, ...]
    margin: float | None
    truncated: bool


class SimilarityTable(NamedTuple):
    """One sample. `rows` has an entry for each picture; their cells are empty if nothing was scored."""

    rows: list[_CaptionRow]
    scorer: str
    verdict: str
    difference: str


class D3Gallery(Gallery):
    """Pairs by how hard they were to tell apart for the main scorer."""

    template = "pair.html"
    package = "snellen.exams.d3"
    kinds = FAILURES_FIRST
    first = "hardest first, by their lowest margin"
    sorts: Mapping[str, str] = {"kind": "by kind of difference"}

    def __init__(self, facts: GalleryFacts) -> None:
        self._facts = facts

    def hardness(self, sample_id: str, prompt: str) -> float:
        """Return the smallest margin of a sample: below 0 if a caption picks a wrong picture. Unscored samples come last."""
        evidence = self._facts.evidence(sample_id, prompt)
        return _worst(evidence[0].table) if evidence else inf

    def arranged(self, items: Sequence[GalleryItem]) -> list[GalleryItem]:
        return sorted(items, key=lambda item: self.hardness(item.pick.id, item.pick.prompt))

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        """Return each item's pair (None without captions), and their order by kind if the data set has kinds."""
        kinds = [item.tags.get("kind", "") for item in items]
        places = ranks([(kind,) for kind in kinds])
        orders = [{"kind": place} for place in places] if any(kinds) else [{} for _ in items]
        return GalleryView([self._pair(item) for item in items], None, orders)

    def _pair(self, item: GalleryItem) -> SimilarityTable | None:
        captions = _captions(item)
        if captions is None:
            return None
        names = tuple(captions)
        evidence = self._evidence(item, len(names))
        table = evidence[0].table if evidence else ()
        cut = evidence[0].truncated if evidence else ()
        margins = retrieve(table, ties=True).margins if evidence else (None,) * len(names)
        pictures = item.query.all if len(item.query.all) == len(names) else (None,) * len(names)
        rows = [
            _CaptionRow(
                name,
                captions[name],
                pictures[i],
                cells(table[i], i) if evidence else (),
                margins[i],
                i < len(cut) and bool(cut[i]),
            )
            for i, name in enumerate(names)
        ]
        said = verdict(table)
        if len(evidence) > 1 and all(_worst(one.table) < 0 for one in evidence):
            said += " No scorer tells them apart."
        scorer = evidence[0].scorer if evidence else ""
        doubt = self._facts.doubt(scorer) if scorer else ""
        return SimilarityTable(rows, f"{scorer} ({doubt})" if doubt else scorer, said, _difference(item))

    def _evidence(self, item: GalleryItem, count: int) -> Evidence:
        """Return the scores of an item; nothing if the main scorer's table does not belong to its captions."""
        evidence = self._facts.evidence(item.pick.id, item.pick.prompt)
        if not evidence:
            return ()
        table = evidence[0].table
        return evidence if len(table) == count and all(len(row) == count for row in table) else ()


def _worst(table: Table) -> float:
    """Return the smallest margin of a table's captions.

    >>> round(_worst(((0.5, 0.4), (0.3, 0.1))), 3)
    -0.2
    """
    found = retrieve(table, ties=True).margins
    return min(found) if found and all(map(isfinite, found)) else -inf


def _captions(item: GalleryItem) -> dict[str, str] | None:
    """Return the captions of the reading, by the name of the picture's slot."""
    for mark in item.pick.marks.values():
        reading = mark.reading
        if isinstance(reading, dict) and len(reading) > 1 and all(isinstance(v, str) for v in reading.values()):
            return {str(name): text for name, text in reading.items()}
    return None


def cells(row: Sequence[float], own: int) -> tuple[_SimilarityCell, ...]:
    """Return a caption's row of the table. All pictures that tie for the best are picked.

    >>> [c.picked for c in cells((0.2, 0.3), own=0)]
    [False, True]
    """
    best = max((v for v in row if isfinite(v)), default=inf)
    return tuple(_SimilarityCell(value, j == own, value == best) for j, value in enumerate(row))


def verdict(table: Table) -> str:
    """Return the result of a table in words.

    >>> verdict(((0.1, 0.2), (0.1, 0.2)))
    '1 of 2 captions found their own image.'
    >>> verdict(((0.1, 0.2), (0.2, 0.1)))
    "The wrong way round: each caption picked the other's image."
    """
    if not table:
        return "Not scored."
    picked = [[j for j, cell in enumerate(cells(row, i)) if cell.picked] for i, row in enumerate(table)]
    if picked == [[1], [0]]:
        return "The wrong way round: each caption picked the other's image."
    found = sum(some == [i] for i, some in enumerate(picked))
    return f"{found} of {len(table)} captions found their own image."


def _difference(item: GalleryItem) -> str:
    """Return the actual difference, if the data set gives it."""
    given = item.facts.get("difference")
    if not isinstance(given, dict):
        return ""
    slots = [f"{k}: {v}" for k, v in given.items() if k not in ("about", "aspect") and isinstance(v, str)]
    return "; ".join(slots)
