"""Tables of the terminal: light, never wider than the screen, and never cut where rows are told apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from snellen.core.text import for_terminal

NARROW = 100
"""Below this width, tables have one metric or protocol a row."""
WARNINGS = {"": "", "at floor": "yellow", "below floor": "red"}
NUMBERS = ("n", "with control", "chance", "constant", "forbidden")


WIDTH_WHEN_NOT_A_TERMINAL = 100
LONG = 40
"""Rows with two cells longer than this have a line between them."""


def console() -> Console:
    """Standard output; of a fixed width when it goes to a file, unless COLUMNS says otherwise."""
    out = Console(highlight=False)
    if out.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return out
    return Console(highlight=False, width=WIDTH_WHEN_NOT_A_TERMINAL)


def shown(text: str, limit: int = 300) -> Text:
    """A text from outside as a cell."""
    return Text(for_terminal(text, limit))


def plain_table(*columns: str, kept: tuple[str, ...] = ()) -> Table:
    """A table without a frame, its columns folded where room is short. Numbers and what is `kept` stay in one piece."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        whole = name in NUMBERS or name in kept
        table.add_column(shown(name), justify="right" if name in NUMBERS else "left", no_wrap=whole, overflow="fold")
    return table


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """A table with a title; texts from outside are shown as they are, and nothing is cut."""
    table = plain_table(*columns, kept=("name", "model", "part", "protocol"))
    for row in (every := list(rows)):
        table.add_row(*(cell if isinstance(cell, Text) else Text(for_terminal(cell)) for cell in row))
    table.show_lines = any(sum(len(cell) > LONG for cell in row) > 1 for row in every)
    out = console()
    out.print(Text(for_terminal(title), style="bold"))
    out.print(table)


def fits(out: Console, table: Table, least: int = 0) -> bool:
    """Whether a table has room without folding a cell, on a screen of at least this width."""
    natural = Measurement.get(out, out.options.update(width=10_000), table).maximum
    return out.width >= least and natural <= out.width
