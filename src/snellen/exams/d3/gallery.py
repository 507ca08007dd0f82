"""Captions held against pictures, for the page: the scorer's table, which picture each caption picked, and that in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

from snellen.engine.mark import scoring
from snellen.engine.run import Run
from snellen.exams.grounding.overlays import ranks
from snellen.scorers import NOT_FOR_PHOTOGRAPHS, is_tiny
from snellen.show.gallery import Hardness, Item, Shown

SORTS = {"kind": "by kind of difference"}
Table = tuple[tuple[float, ...], ...]


class Cell(NamedTuple):
    """How well a caption fits a picture. `own`: they belong together; `picked`: no picture fits the caption better."""

    value: float
    own: bool
    picked: bool


class Row(NamedTuple):
    """One caption: its text, its cells, and how much better it fits its own picture than the best other one."""

    name: str
    caption: str | None
    picture: Shown | None
    cells: tuple[Cell, ...]
    margin: float | None
    truncated: bool


class Pair(NamedTuple):
    """One sample. `rows` has an entry for each picture; their cells are empty where nothing was scored."""

    rows: list[Row]
    scorer: str
    verdict: str
    difference: str


class Pairs(NamedTuple):
    """All pairs of a gallery, and each one's place under each of SORTS."""

    shown: list[Pair | None]
    orders: list[dict[str, int]]


class Scores:
    """The tables of a run's main scorer."""

    def __init__(self, run: Run) -> None:
        self._synthetic = bool(run.manifest["data"]["synthetic"])
        self._of = scoring.gather(run.folder, run.manifest.get("scorers", ()))

    def evidence(self, sample_id: str, prompt: str) -> Mapping[str, Any] | None:
        """The main scorer's name, table and cut captions, and whether no scorer of several tells the pictures apart.

        None where the reply was not scored.
        """
        found = self._of((sample_id, prompt))
        if found is None:
            return None
        name, tables = found["main"], found["scorers"]
        unfit = is_tiny(name) and not self._synthetic
        hopeless = len(tables) > 1 and all(worst(each["matrix"]) < 0 for each in tables.values())
        return {"name": f"{name} ({NOT_FOR_PHOTOGRAPHS})" if unfit else name, "hopeless": hopeless, **tables[name]}

    def hardness(self, sample_id: str, prompt: str) -> float:
        """The least of a sample's margins: below 0 where a caption picks a wrong picture. What was not scored comes last."""
        found = self.evidence(sample_id, prompt)
        return inf if found is None else worst(found["matrix"])


def worst(table: Table) -> float:
    """The least margin of a table's captions.

    >>> round(worst(((0.5, 0.4), (0.3, 0.1))), 3)
    -0.2
    """
    found = [m for m in margins(table) if isfinite(m)]
    return min(found) if len(found) == len(table) and found else -inf


def margins(table: Table) -> list[float]:
    """Of each caption: the fit of its own picture minus that of the best other one."""
    return [row[i] - max((v for j, v in enumerate(row) if j != i), default=-inf) for i, row in enumerate(table)]


def hardest_first(items: Sequence[Item], hardness: Hardness) -> list[Item]:
    """Items with the lowest margins first; those without any come last, in the order they have."""
    return sorted(items, key=lambda item: hardness(item.pick.id, item.pick.prompt))


def pairs(items: Sequence[Item], scores: Scores) -> Pairs:
    """The items of a gallery as pairs; None for one without captions."""
    shown = [_pair(item, scores.evidence(item.pick.id, item.pick.prompt)) for item in items]
    by_kind = ranks([(item.tags.get("kind", ""),) for item in items])
    return Pairs(shown, [{"kind": place} for place in by_kind])


def _pair(item: Item, evidence: Mapping[str, Any] | None) -> Pair | None:
    captions = _captions(item)
    if captions is None:
        return None
    names = tuple(captions)
    table: Table = evidence["matrix"] if evidence is not None else ()
    if len(table) != len(names) or any(len(row) != len(names) for row in table):
        table, evidence = (), None
    pictures = item.query.all if len(item.query.all) == len(names) else (None,) * len(names)
    cut = tuple(evidence["truncated"]) if evidence is not None else ()
    each = margins(table) if table else [None] * len(names)
    rows = [
        Row(
            name,
            captions[name],
            pictures[i],
            cells(table[i], i) if table else (),
            each[i],
            i < len(cut) and bool(cut[i]),
        )
        for i, name in enumerate(names)
    ]
    scorer = "" if evidence is None else str(evidence["name"])
    said = verdict(names, table)
    if evidence is not None and evidence["hopeless"]:
        said += " No scorer tells them apart."
    return Pair(rows, scorer, said, _difference(item))


def _captions(item: Item) -> dict[str, str] | None:
    """What was read as the captions, by the name of the picture's place."""
    for mark in item.pick.marks.values():
        reading = mark.reading
        if isinstance(reading, dict) and len(reading) > 1 and all(isinstance(v, str) for v in reading.values()):
            return {str(name): text for name, text in reading.items()}
    return None


def cells(row: Sequence[float], own: int) -> tuple[Cell, ...]:
    """A caption's line of the table. All that tie for the best are picked.

    >>> [c.picked for c in cells((0.2, 0.3), own=0)]
    [False, True]
    """
    best = max((v for v in row if isfinite(v)), default=inf)
    return tuple(Cell(value, j == own, value == best) for j, value in enumerate(row))


def verdict(names: Sequence[str], table: Table) -> str:
    """Which way it went, in words.

    >>> verdict(("left", "right"), ((0.1, 0.2), (0.1, 0.2)))
    'The left caption picked the right image; the right caption found its own.'
    >>> verdict(("left", "right"), ((0.1, 0.2), (0.2, 0.1)))
    "The wrong way round: each caption picked the other's image."
    """
    if not table:
        return "Not scored."
    picked = [[j for j, cell in enumerate(cells(row, i)) if cell.picked] for i, row in enumerate(table)]
    if all(some == [i] for i, some in enumerate(picked)):
        return "Each caption found its own image."
    if len(names) == 2 and picked == [[1], [0]]:
        return "The wrong way round: each caption picked the other's image."
    said = "; ".join(_line(i, some, names) for i, some in enumerate(picked)) + "."
    return said[:1].upper() + said[1:]


def _line(own: int, picked: list[int], names: Sequence[str]) -> str:
    who = f"the {names[own]} caption"
    if picked == [own]:
        return f"{who} found its own"
    if not picked:
        return f"{who} has no score"
    if own in picked:
        return f"{who} fits {_list([names[j] for j in picked])} equally well"
    return f"{who} picked the {_list([names[j] for j in picked])} image"


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _difference(item: Item) -> str:
    """What really differs, where the data set says it."""
    given = item.facts.get("difference")
    if not isinstance(given, dict):
        return ""
    slots = [f"{k}: {v}" for k, v in given.items() if k not in ("about", "aspect") and isinstance(v, str)]
    return "; ".join(slots)
