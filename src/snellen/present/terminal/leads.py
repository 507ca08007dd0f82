"""Under how many choices each of two runs leads, in the terminal."""

from __future__ import annotations

from rich.console import Console

from snellen.comparison.lead_records import ChoiceLeads, Leads
from snellen.present.terminal.tables import plain_table, say


def print_leads(out: Console, found: Leads, *, verbose: bool = False) -> None:
    """Print the readings by protocol, or the first other choice that there is; `verbose` by every choice."""
    where = f" ({found.part})" if found.part else ""
    say(out, f"\n{found.readings} readings of the same answers{where}, who leads (clearly):", limit=300)
    shown = found.turns[0].choice if found.turns else ""
    turns = [(f"{t.choice}: {t.value}"[:80], t) for t in found.turns if verbose or t.choice == shown]
    every: list[tuple[str, Leads | ChoiceLeads]] = [("all", found), *turns]
    rows = [
        (name, str(one.readings), f"{one.first} ({one.clear_first})", f"{one.second} ({one.clear_second})")
        for name, one in every
    ]
    numbers = ("readings", found.first_run, found.second_run)
    out.print(plain_table("choice", *numbers, rows=rows, right=numbers))
