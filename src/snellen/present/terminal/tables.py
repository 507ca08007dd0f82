"""Tables in the terminal: light, never wider than the screen, and never cut in columns that tell rows apart."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from snellen.core.text import for_terminal
from snellen.present.model.table_view import Cell, ScoreCell, TableView
from snellen.present.model.threshold_text import NOT

WARNINGS = {"at floor": "yellow", "below floor": "red", "no answer": "bold red", NOT: "yellow"}
"""The ends of texts that are highlighted."""
VERDICTS = {"FAIL": "bold red", "pass": "green", "not judged": "yellow"}
NUMBERS = ("n", "with control", "chance", "constant", "forbidden")
"""Columns with cells aligned right."""
NAMES = ("part", "protocol", "n")
"""Columns that are wrapped between words only."""
WIDTH_WHEN_NOT_A_TERMINAL = 100
LONGEST = 2000
LONG_NAME = 24
LONG = 40
"""Rows with two cells longer than this have a line between them."""


def console() -> Console:
    """Return standard output. Its width is fixed if it is not a terminal, unless COLUMNS sets one."""
    out = Console(highlight=False)
    if out.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return out
    return Console(highlight=False, width=WIDTH_WHEN_NOT_A_TERMINAL)


def say(text: str, style: str = "", *, soft_wrap: bool = False) -> None:
    """Print a line of limited length. Control characters are shown as escapes, and none of it is read as markup."""
    console().print(Text(for_terminal(text, LONGEST), style=style), soft_wrap=soft_wrap)


def say_notes(notes: Iterable[str]) -> None:
    """Print notes on a result."""
    for note in notes:
        say(f"Note: {note}", "yellow")


def say_next(commands: Iterable[str], style: str = "dim") -> None:
    """Print the next commands, in lines that can be copied."""
    say("Next:", style)
    for command in commands:
        say(f"  {command}", style, soft_wrap=True)


def cell(content: Cell | Text, *, mark: bool = False) -> Text:
    """Return a text, or a score with its interval, floor and n. `mark` puts a star after a headline."""
    if content is None:
        return Text("–", style="dim")
    if isinstance(content, Text):
        return content
    if not isinstance(content, ScoreCell):
        style = next((style for word, style in WARNINGS.items() if content.endswith(word)), "")
        return Text(for_terminal(content, 300), style=VERDICTS.get(content, style))
    style = WARNINGS.get(content.floor_word, "")
    text = Text(content.value, style=f"bold {style}".strip())
    for piece, of_piece in (
        (content.interval, "not bold"),
        (content.floor_said, f"not bold {style or 'dim'}"),
        (content.other_n, "not bold dim"),
    ):
        if piece:
            text.append(f" {piece}", style=of_piece)
    return text.append(" *") if mark and content.headline else text


def _table(
    *columns: str, rows: Iterable[Iterable[Any]] = (), kept: Sequence[str] = (), right: Sequence[str] = NUMBERS
) -> Table:
    """Return a table without a frame. Its columns are wrapped if there is no room, except those in `right` and `kept`."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    every = [[cell(content) for content in row] for row in rows]
    for at, name in enumerate(columns):
        words = [word for row in every for word in row[at].plain.split()] if name in NAMES else []
        table.add_column(
            Text(for_terminal(name, LONGEST)),
            justify="right" if name in right else "left",
            no_wrap=name in kept or (name in right and name not in NAMES),
            overflow="fold",
            min_width=min(LONG_NAME, max(map(len, words), default=0)),
        )
    for row in every:
        table.add_row(*row)
    return table


def _table_of(view: TableView, mark: bool) -> Table:
    """Return a table of the model for the terminal. `mark` puts a star after headlines."""
    names = [f"{heading.text}\n{heading.below}".rstrip() for heading in view.headings]
    kinds: dict[str, list[str]] = {}
    for name, heading in zip(names, view.headings, strict=True):
        kinds.setdefault(heading.kind, []).append(name)
    rows = ([cell(content, mark=mark) for content in row] for row in view.rows)
    return _table(
        *names, rows=rows, right=kinds.get("number", ()), kept=kinds.get("score", []) + kinds.get("difference", [])
    )


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Print a table with a title. Texts from outside are shown literally, and nothing is cut."""
    every = [[one if isinstance(one, Text) else Text(for_terminal(one)) for one in row] for row in rows]
    table = _table(*columns, rows=every, kept=("name", "model", "part", "protocol"))
    table.show_lines = any(sum(len(one) > LONG for one in row) > 1 for row in every)
    console().print(Text(for_terminal(title), style="bold"))
    console().print(table)


def show_rows(
    *columns: str, rows: Iterable[Iterable[Any]], kept: Sequence[str] = (), right: Sequence[str] = NUMBERS
) -> None:
    """Print a table without a title, as `_table` makes it."""
    console().print(_table(*columns, rows=rows, kept=kept, right=right))


def _least(table: Table) -> int:
    """Return the width of a table with every column that may be wrapped at its narrowest."""
    out, total = console(), -1
    wide = out.options.update(width=10_000)
    for column in table.columns:
        sizes = [Measurement.get(out, wide, content) for content in (column.header, *column.cells)]
        total += max(size.maximum if column.no_wrap else size.minimum for size in sizes) + 2
    return total


def show(*views: TableView, mark: bool = False) -> None:
    """Print the first table that fits, or the last one. `mark` puts a star after headlines."""
    tables = [_table_of(view, mark) for view in views]
    console().print(next((table for table in tables if _least(table) <= console().width), tables[-1]))
