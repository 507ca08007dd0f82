"""Everything that a run has, in the terminal: all metrics by protocol, outcomes, ranges, breakdowns, controls.

Where a table has no room for a column a protocol it is turned: one metric or group a row, and the protocols beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from snellen.present.model import formatting
from snellen.present.model.run_view import Breakdown, BreakdownColumn, PartView, RunView
from snellen.present.model.table_view import Heading, TableView
from snellen.present.terminal.tables import NARROW, cell, fits, plain_table, shown, table_of

SCORES = "percent [95 % interval] and floor"


def print_details(out: Console, run: RunView) -> None:
    """Print all tables of a run, each with a line after it."""
    for part in run.parts:
        _print(out, f"{part.name}, n = {part.size}: {SCORES}", _part(part), _part_turned(part))
    _print_breakdown(out, run.breakdown)
    if run.all_controls.rows:
        _print_controls(out, run.all_controls)
    if run.position.rows:
        _print(out, run.position.title, table_of(run.position), table_of(_turned(run.position)))


def _print(out: Console, title: str, *tables: Table) -> None:
    """Print the first table that has room, or else the last."""
    heading = shown(title, 400)
    heading.stylize("bold")
    out.print(heading)
    out.print(next((t for t in tables if fits(out, t, NARROW)), tables[-1]))
    out.print()


def _turned(view: TableView) -> TableView:
    """Return a table with its rows as columns."""
    names, *columns = zip(*view.rows, strict=True)
    rows = ((h.text, *cells) for h, cells in zip(view.headings[1:], columns, strict=True))
    return TableView(view.title, (Heading(""), *(Heading(str(name)) for name in names)), tuple(rows))


# ---------------------------------------------------------------- a part


def _rows(part: PartView) -> list[tuple[str, list[Text | None]]]:
    """Return every row of a part: its name, and a cell by each column; None where a metric has no score."""
    rows: list[tuple[str, list[Text | None]]] = [
        (row.label, [None if c is None else cell(c, mark=True) for c in row.cells]) for row in part.metrics
    ]
    return rows + [(name, [shown(text) for text in texts]) for name, texts in part.lines]


def _part(part: PartView) -> Table:
    table = plain_table("metric", *(f"{h.text}\n{h.below}".rstrip() for h in part.headings))
    for name, cells in _rows(part):
        table.add_row(shown(name), *(cell(None) if c is None else c for c in cells))
    return table


def _part_turned(part: PartView) -> Table:
    """A name is said in the first of its rows; what all protocols share needs no names."""
    table = plain_table("metric", "protocol", "score", kept=("score",))
    rows = _rows(part)
    if any(h.below for h in part.headings):
        rows.append(("n", [Text(h.below.removeprefix("n = ") or str(part.n)) for h in part.headings]))
    for name, cells in rows:
        there = [(h.text, c) for h, c in zip(part.headings, cells, strict=True) if c is not None]
        said = formatting.together(there)
        shared = len(said) == 1 and len(there) == len(part.headings)
        for place, (names, text) in enumerate(said):
            table.add_row(shown(name) if place == 0 else "", shown("all" if shared else str(names)), text)
    return table


# ---------------------------------------------------------------- groups within the parts, and controls


def _print_breakdown(out: Console, found: Breakdown) -> None:
    """Print the groups within the parts: side by side where there is room, else a table for all protocols that say the same."""
    if not found.groups:
        return
    wide = _breakdown(found, found.columns, [f"{c.names}\n{c.metric}" for c in found.columns])
    if fits(out, wide, NARROW):
        _print(out, f"Within the parts: {SCORES}", wide)
        return
    for column in found.columns:
        title = f"Within the parts, by {column.names}: {SCORES}"
        _print(out, title, _breakdown(found, [column], [column.metric]))


def _breakdown(found: Breakdown, columns: Sequence[BreakdownColumn], heads: list[str]) -> Table:
    table = plain_table("group", "n", *heads)
    for at, (name, n) in enumerate(found.groups):
        table.add_row(shown(name), str(n), *(cell(column.cells[at]) for column in columns))
    return table


def _print_controls(out: Console, view: TableView) -> None:
    """Print controls as one table, or where it has no room as one for each part, control and metric."""
    wide = table_of(view)
    if fits(out, wide, NARROW):
        _print(out, view.title, wide)
        return
    out.print(shown(view.title, 400))
    groups: dict[str, list[tuple[str, ...]]] = {}
    for row in view.rows:
        part, protocol, metric, control, n, score, changed, *rest = map(str, row)
        groups.setdefault(f"{part}, {control}: {metric}", []).append((protocol, n, f"{score} -> {changed}", *rest))
    change = "score -> with"
    for title, rows in groups.items():
        table = plain_table("protocol", change, "difference", "chance", "constant", kept=(change, "difference"))
        most = max(int(n) for _protocol, n, *_rest in rows)
        for protocol, n, scores, *rest in rows:
            own_n = f" (n={n})" if int(n) != most else ""
            table.add_row(*map(shown, (protocol, scores + own_n, *rest)))
        _print(out, title, table)
