"""A gate's verdict in the terminal: every check in a table, what to know beside it, and the verdict last."""

from __future__ import annotations

import shlex

from rich.table import Table

from snellen.comparison.gating import Gate, GateCheck
from snellen.core.text import for_terminal
from snellen.present.model import formatting, repeats
from snellen.present.model.gate_view import COLUMNS, cells, metric_line
from snellen.present.terminal.tables import console, first_that_fits, longest_word, plain_table, say, shown


def print_gate(found: Gate, verbose: bool = False) -> None:
    """One screen: of many checks only those that failed and all samples together, unless `verbose`."""
    out = console()
    marks = " · SYNTHETIC" if found.synthetic else ""
    said = f"{found.exam} · {formatting.counted(found.samples, 'common sample')}{marks}"
    say(out, said, "bold", 300)
    for name, subject, times, path in (
        ("A, baseline", found.baseline_subject, found.baseline_repeats, found.baseline),
        ("B, run", found.subject, found.repeats, found.run),
    ):
        say(out, f"{name:12} {subject}{repeats.times(times)}  ({path})", limit=600)
    listed = found.checks if verbose or len(found.checks) <= MOST else _short(found)
    say(out, f"\n{for_terminal(metric_line(found), 400)}:")
    first = ("A", "B") if any(0 < c.clusters < c.n for c in listed) else ("n",)
    several = len({c.protocol for c in found.checks}) > 1
    out.print(first_that_fits(out, [_checks(listed, several=several, without=some) for some in ((), first, SCORES)]))
    if len(listed) < len(found.checks):
        say(out, f"{len(found.checks) - len(listed)} more checks that passed: -v shows them", "dim")
    for note in found.notes:
        say(out, f"Note: {for_terminal(note, 600)}", "yellow")
    if not found.passed:
        say(out, "Next:", "dim")
        command = f"  snellen compare {shlex.quote(found.baseline)} {shlex.quote(found.run)} --flips 5"
        say(out, command, "dim", 2000, soft_wrap=True)
    say(out, f"{found.said}.", "bold green" if found.passed else "bold red", 1000)


SCORES = ("n", "A", "B")
"""The columns that go where names have no room: n first, unless it says that there are few images."""
MOST = 12
"""The most checks that are shown without -v."""


def _short(found: Gate) -> tuple[GateCheck, ...]:
    """What failed and all samples together, then the largest drops, as many as there is room for."""
    first = [c for c in found.checks if c.failed or c.part == "all"]
    rest = sorted((c for c in found.checks if c not in first), key=lambda c: -c.drop)
    return tuple([*first, *rest][: max(MOST, len(first))])


def _checks(checks: tuple[GateCheck, ...], *, several: bool, without: tuple[str, ...]) -> Table:
    """The columns of the files; the protocol's only where there are several."""
    table = plain_table()
    kept = [at for at, name in enumerate(COLUMNS) if (several or name != "protocol") and name not in without]
    for at in kept:
        name = COLUMNS[at]
        right = name in ("n", "A", "B", "p, Holm")
        folded = name in ("part", "protocol")
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=not folded,
            overflow="fold" if folded else "ellipsis",
            min_width=longest_word(getattr(check, name) for check in checks) if folded else None,
        )
    for check in checks:
        row = [shown(cell, 80) for cell in cells(check)]
        row[-1].stylize("bold red" if check.failed else "green" if check.judged else "yellow")
        table.add_row(*(row[at] for at in kept))
    return table
