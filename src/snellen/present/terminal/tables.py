"""Tables of the terminal: light, never wider than the screen, and never cut where rows are told apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from snellen.core.text import for_terminal
from snellen.present.model.table_view import Cell, ScoreCell, TableView

NARROW = 100
"""Below this width, tables have one metric or protocol a row."""
WARNINGS = {"": "", "at floor": "yellow", "below floor": "red"}
NUMBERS = ("n", "with control", "chance", "constant", "forbidden")


WIDTH_WHEN_NOT_A_TERMINAL = 100
LONG_NAME = 24
LONG = 40
"""Rows with two cells longer than this have a line between them."""


def console() -> Console:
    """Standard output; of a fixed width when it goes to a file, unless COLUMNS says otherwise."""
    out = Console(highlight=False)
    if out.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return out
    return Console(highlight=False, width=WIDTH_WHEN_NOT_A_TERMINAL)


def say(out: Console, text: str, style: str = "", limit: int | None = None, *, soft_wrap: bool = False) -> None:
    """Print a line: control characters as escapes, none of it read as markup, cut at `limit`."""
    out.print(Text(for_terminal(text, limit), style=style), soft_wrap=soft_wrap)


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


def cell(content: Cell, *, mark: bool = False) -> Text:
    """Return a text, or a score with its interval, floor and n; `mark` puts a star behind a headline."""
    if content is None:
        return Text("–", style="dim")
    if not isinstance(content, ScoreCell):
        return shown(content)
    style = WARNINGS[content.floor_word]
    text = Text(content.value, style=f"bold {style}".strip())
    for piece, of_piece in (
        (content.interval, "not bold"),
        (content.floor_said, f"not bold {style or 'dim'}"),
        (content.other_n, "not bold dim"),
    ):
        if piece:
            text.append(f" {piece}", style=of_piece)
    return text.append(" *") if mark and content.headline else text


def table_of(view: TableView) -> Table:
    """Return a table of the model as the terminal has it."""
    table = plain_table()
    for heading in view.headings:
        number = heading.kind == "number"
        justify: Literal["left", "right"] = "right" if number else "left"
        text = f"{heading.text}\n{heading.below}".rstrip()
        table.add_column(shown(text), justify=justify, no_wrap=number, overflow="fold")
    for row in view.rows:
        table.add_row(*map(cell, row))
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


def longest_word(names: Iterable[str]) -> int:
    """How wide a column of names is at least: where it is narrower, names break in the middle. Very long ones may."""
    return min(LONG_NAME, max((len(word) for name in names for word in name.split()), default=0))


def first_that_fits(out: Console, tables: Iterable[Table]) -> Table:
    """The first table that has room with its texts wrapped between words, or the last."""
    made = list(tables)
    return next((table for table in made if _least(out, table) <= out.width), made[-1])


def _least(out: Console, table: Table) -> int:
    """How wide a table is where every column that may be wrapped is as narrow as it gets."""
    wide = out.options.update(width=10_000)
    total = 0
    for column in table.columns:
        cells = [column.header, *column.cells]
        sizes = [Measurement.get(out, wide, cell) for cell in cells]
        total += max(size.maximum if column.no_wrap else size.minimum for size in sizes) + 2
    return total - 1


def fits(out: Console, table: Table, least: int = 0) -> bool:
    """Whether a table has room without folding a cell, on a screen of at least this width."""
    natural = Measurement.get(out, out.options.update(width=10_000), table).maximum
    return out.width >= least and natural <= out.width
