"""A comparison of two runs as tables: both scores, the difference with its interval, p, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from snellen.comparison.results import Comparison, ComparisonRow, with_headlines
from snellen.comparison.verdict import CHANCE, amount, p_of, together, whole
from snellen.present.model import formatting


class ComparedRow(NamedTuple):
    """A part, or all samples under a protocol. `only` and `silent` are empty where nothing was tested; `row` is for charts."""

    name: str
    size: str
    first: str
    second: str
    difference: str
    p: str
    only: str
    silent: str
    clear: bool
    row: ComparisonRow


class ComparedTable(NamedTuple):
    """Rows of one protocol, or of all samples by protocol. `notes` say what these samples could show."""

    title: str
    head: str
    first: str
    second: str
    p: str
    rows: tuple[ComparedRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def reach(self) -> float:
        """Return how far a chart of the differences has to reach."""
        ends = (abs(v) for r in self.rows for v in (r.row.difference, r.row.low, r.row.high) if v is not None)
        return max([*ends, 1e-9])

    @property
    def has_silent(self) -> bool:
        """Return whether some sample of either run got no answer."""
        return any(r.row.silence.first or r.row.silence.second for r in self.rows)


def compared_tables(found: Comparison, *, every: bool = False) -> list[ComparedTable]:
    """Return the parts under the main protocol, or under `every` one, and all samples by protocol."""
    made = []
    for protocol in found.protocols if every else found.protocols[:1]:
        own = [row for row in found.rows if row.protocol == protocol]
        if own:
            by, rows = _by_metric([(row.part or "all", row) for row in with_headlines(own)])
            made.append(_table(f"Under '{protocol}'{by}", "part", rows, _notes(own, found.power)))
    wholes = together([row for name in found.protocols if (row := whole(found.rows, name)) is not None])
    if len(wholes) > 1:
        by, rows = _by_metric([(", ".join(one.names), one.row) for one in wholes])
        made.append(_table(f"All samples, by protocol{by.replace(', by', ' and', 1)}", "protocol", rows))
    return made


def _by_metric(rows: list[tuple[str, ComparisonRow]]) -> tuple[str, list[tuple[str, ComparisonRow]]]:
    """Return ', by exact match' and the rows; the metric stands behind each name where there are several."""
    labels = list(dict.fromkeys(row.label for _name, row in rows))
    if len(labels) == 1:
        return f", by {labels[0]}", rows
    return "", [(f"{name} ({row.label})", row) for name, row in rows]


def _table(
    title: str, head: str, rows: Sequence[tuple[str, ComparisonRow]], notes: Iterable[str] = ()
) -> ComparedTable:
    one = rows[0][1]
    several = head == "part" and sum(row.tested and bool(row.part) for _name, row in rows) > 1
    p = "p, Holm" if several else "p"
    return ComparedTable(title, head, one.first_run, one.second_run, p, tuple(_row(*r) for r in rows), tuple(notes))


def _row(name: str, row: ComparisonRow) -> ComparedRow:
    silent = (str(sum(side.values())) for side in (row.silence.first, row.silence.second))
    return ComparedRow(
        name=name,
        size=formatting.on_clusters(row.n, row.clusters, row.cluster),
        first=formatting.number(row.first, row.unit),
        second=formatting.number(row.second, row.unit),
        difference=formatting.change(row),
        p=p_of(row),
        only=f"{row.only_first}/{row.only_second}" if row.tested else "",
        silent="/".join(silent) if row.tested else "",
        clear=row.tested and row.p_holm < CHANCE,
        row=row,
    )


# ---------------------------------------------------------------- what these samples could show


def _notes(rows: Sequence[ComparisonRow], power: float | None) -> Iterator[str]:
    """Say how a headline was compared that is not a mean over samples, and what so many samples can show."""
    own = next((row for row in rows if row.headline is not None), None)
    if own is not None and own.headline is not None:
        label = own.headline.label[:1].upper() + own.headline.label[1:]
        yield f"{label}, the headline, is not a mean over samples: its interval is by the jackknife, p is of {own.label}."
    few = [row for row in rows if row.least_p >= CHANCE]
    if few:
        yield f"No p (–): on so few {few[0].cluster}s no difference can be told from chance."
    small = [(row.part, f"{100 * row.smallest:.1f}", row.smallest) for row in rows if row.smallest is not None]
    if small:
        yield f"Smallest difference that would show, four times in five: {_range(small)} points."
    needed = [(row.part, f"{row.needed:,}", float(row.needed)) for row in rows if row.needed is not None]
    if power is not None and needed:
        yield f"To show {amount(power, '')} it takes {_range(needed)} samples."


def _range(found: Sequence[tuple[str, str, float]]) -> str:
    """Return '22.4 to 25.9 in the parts, 14.0 over all'."""
    parts = sorted((value, said) for part, said, value in found if part)
    low, high = (parts[0][1], parts[-1][1]) if parts else ("", "")
    every = [said for part, said, _value in found if not part]
    if not every:
        return low if low == high else f"{low} to {high}"
    return f"over all {every[0]}, in the parts {low if low == high else f'{low} to {high}'}"
