"""A gate's verdict in the terminal: every check in a table, what to know beside it, and the verdict last."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.table import Table

from snellen.comparison.gating import Gate, GateCheck
from snellen.core.text import for_terminal
from snellen.present.model import formatting, repeats
from snellen.present.model.gate_view import COLUMNS, cells, metric_line
from snellen.present.terminal.tables import console, first_that_fits, plain_table, say, shown

NUMBERS = ("n", "A", "B", "p, Holm")
MOST = 12
"""The most checks that are shown without -v."""


def print_gate(found: Gate, verbose: bool = False) -> None:
    """Print one screen: of many checks only those that failed and all samples together, unless `verbose`."""
    out = console()
    say(out, formatting.common_samples(found.exam, found.samples, synthetic=found.synthetic), "bold", 300)
    for name, subject, times, path in (
        ("A, baseline", found.baseline_subject, found.baseline_repeats, found.baseline),
        ("B, run", found.subject, found.repeats, found.run),
    ):
        say(out, f"{name:12} {subject}{repeats.times(times)}  ({path})", limit=600)
    listed: Sequence[GateCheck] = found.checks
    if not verbose and len(listed) > MOST:
        first = [c for c in found.checks if c.failed or c.part == "all"]
        rest = sorted((c for c in found.checks if c not in first), key=lambda c: -c.drop)
        listed = [*first, *rest][: max(MOST, len(first))]
    say(out, f"\n{for_terminal(metric_line(found), 400)}:")
    protocol = [] if len({c.protocol for c in found.checks}) > 1 else ["protocol"]
    few_images = any(0 < c.clusters < c.n for c in listed)
    without: Sequence[list[str]] = ([], ["A", "B"] if few_images else ["n"], ["n", "A", "B"])
    out.print(first_that_fits(out, [_checks(listed, [*protocol, *some]) for some in without]))
    if len(listed) < len(found.checks):
        say(out, f"{len(found.checks) - len(listed)} more checks that passed: -v shows them", "dim")
    for note in found.notes:
        say(out, f"Note: {for_terminal(note, 600)}", "yellow")
    if not found.passed:
        say(out, "Next:", "dim")
        command = f"  snellen compare {shlex.quote(found.baseline)} {shlex.quote(found.run)} --flips 5"
        say(out, command, "dim", 2000, soft_wrap=True)
    say(out, f"{found.said}.", "bold green" if found.passed else "bold red", 1000)


def _checks(checks: Sequence[GateCheck], without: Sequence[str]) -> Table:
    """Return the columns of the files, but for some."""
    names = [name for name in COLUMNS if name not in without]
    rows = []
    for check in checks:
        row = {name: shown(text, 80) for name, text in zip(COLUMNS, cells(check), strict=True)}
        row["verdict"].stylize("bold red" if check.failed else "green" if check.judged else "yellow")
        rows.append([row[name] for name in names])
    return plain_table(*names, rows=rows, right=NUMBERS, kept=COLUMNS[2:])
