"""Under how many choices each of two runs leads, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from snellen.comparison.explained import Leads
from snellen.present.terminal.tables import plain_table, say, shown


def print_leads(out: Console, found: Leads, *, verbose: bool = False) -> None:
    """The readings by protocol, or the first other choice that there is; `verbose` by every choice."""
    a, b = found.first_run, found.second_run
    where = f" ({found.part})" if found.part else ""
    say(out, f"\n{found.readings} readings of the same answers{where}, who leads (clearly):", limit=300)
    table = plain_table()
    table.add_column("choice", overflow="fold")
    for name in ("readings", a, b):
        table.add_column(name, justify="right", no_wrap=True)
    counts = (found.readings, found.first, found.second, found.clear_first, found.clear_second)
    table.add_row("all", *_cells(*counts))
    names = list(dict.fromkeys(t.choice for t in found.turns))
    for turn in found.turns:
        if verbose or turn.choice in names[:1]:
            counts = (turn.readings, turn.first, turn.second, turn.clear_first, turn.clear_second)
            table.add_row(shown(f"{turn.choice}: {turn.value}", 80), *_cells(*counts))
    out.print(table)


def _cells(readings: int, first: int, second: int, clear_first: int, clear_second: int) -> tuple[Text, ...]:
    return Text(str(readings)), Text(f"{first} ({clear_first})"), Text(f"{second} ({clear_second})")
