"""Tables of the terminal: light, never wider than the screen, and never cut where rows are told apart."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from snellen.core.text import for_terminal

NARROW = 100
"""Below this width, tables have one metric or protocol a row."""
WARNINGS = {"": "", "at floor": "yellow", "below floor": "red"}
NUMBERS = ("n", "with control", "chance", "constant")


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


def fits(out: Console, table: Table, least: int = 0) -> bool:
    """Whether a table has room without folding a cell, on a screen of at least this width."""
    natural = Measurement.get(out, out.options.update(width=10_000), table).maximum
    return out.width >= least and natural <= out.width
