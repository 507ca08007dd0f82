"""Everything that a run has, in the terminal: all metrics by protocol, outcomes, ranges, breakdowns, controls.

Where a table has no room for a column a protocol it is turned: one metric or group a row, and the protocols beside it.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from snellen.present.model import formatting
from snellen.present.model.run_view import SCORES, PartView, RunView
from snellen.present.model.table_view import TableView
from snellen.present.terminal.tables import NARROW, cell, fits, plain_table, shown, table_of


def print_details(out: Console, run: RunView) -> None:
    """Print all tables of a run, each with a line after it."""
    for part in run.parts:
        rows = (*part.scores.rows, *part.details.rows, *part.lines.rows)
        wide = part.scores._replace(title=f"{part.scores.title}: {SCORES}", rows=rows)
        _print(out, wide, _by_protocol(wide, part))
    if run.breakdown.rows:
        _print(out, run.breakdown._replace(title=f"Within the parts: {SCORES}"), _turned(run.breakdown))
    if run.all_controls.rows:
        _print(out, run.all_controls, _turned(run.all_controls))
    if run.position.rows:
        _print(out, run.position, _turned(run.position))


def _print(out: Console, view: TableView, narrow: Table) -> None:
    """Print a table, or where it has no room the narrow one."""
    heading = shown(view.title, 400)
    heading.stylize("bold")
    out.print(heading)
    wide = table_of(view, mark=True)
    out.print(wide if fits(out, wide, NARROW) else narrow)
    out.print()


def _by_protocol(view: TableView, part: PartView) -> Table:
    """Return a row for each metric and all protocols that say the same; what all of them share needs no names."""
    rows = []
    sizes = [heading.below.removeprefix("n = ") or part.size for heading in view.headings[1:]]
    more = [("n", *sizes)] if len(set(sizes)) > 1 else []
    for name, *cells in (*view.rows, *more):
        there = [(heading.text, c) for heading, c in zip(view.headings[1:], cells, strict=True) if c is not None]
        said = formatting.together((text, cell(c, mark=True)) for text, c in there)
        for place, (names, text) in enumerate(said):
            shared = len(said) == 1 and len(there) == len(cells)
            rows.append((name if place == 0 else "", "all" if shared else str(names), text))
    return plain_table("metric", "protocol", "score", rows=rows, kept=("score",))


def _turned(view: TableView) -> Table:
    """Return each row of a table below its name, a line for each column."""
    rows: list[tuple[object, ...]] = []
    for name, *cells in view.rows:
        rows.append((name, "", ""))
        rows += [("", h.text, c) for h, c in zip(view.headings[1:], cells, strict=True) if c is not None]
    return plain_table(view.headings[0].text, "", "value", rows=rows)
