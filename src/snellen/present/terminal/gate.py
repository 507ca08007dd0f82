"""A gate's verdict in the terminal: every check in a table, what to know beside it, and the verdict last."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from snellen.comparison.gating import Gate, GateCheck
from snellen.present.model import formatting
from snellen.present.model.comparison_view import checks_table
from snellen.present.terminal.tables import console, fitting, say, say_next, say_notes

MOST = 12
"""The most checks that are shown without -v."""


def print_gate(found: Gate, verbose: bool = False) -> None:
    """Print one screen: of many checks only those that failed and all samples together, unless `verbose`."""
    out = console()
    say(out, formatting.common_samples(found.exam, found.samples, synthetic=found.synthetic), "bold")
    for name, subject, times, path in (
        ("A, baseline", found.baseline_subject, found.baseline_repeats, found.baseline),
        ("B, run", found.subject, found.repeats, found.run),
    ):
        say(out, f"{name:12} {subject}{formatting.asked_often(times)}  ({path})")
    listed: Sequence[GateCheck] = found.checks
    if not verbose and len(listed) > MOST:
        first = [c for c in found.checks if c.failed or c.part == "all"]
        rest = sorted((c for c in found.checks if c not in first), key=lambda c: -c.drop)
        listed = [*first, *rest][: max(MOST, len(first))]
    view = checks_table(found, listed)
    if len({c.protocol for c in found.checks}) == 1:
        view = view.without("protocol")
    say(out, f"\n{view.title}:")
    first_out = ("A", "B") if any(0 < c.clusters < c.n for c in listed) else ("n",)
    out.print(fitting(out, view, view.without(*first_out), view.without("n", "A", "B")))
    if len(listed) < len(found.checks):
        say(out, f"{len(found.checks) - len(listed)} more checks that passed: -v shows them", "dim")
    say_notes(out, found.notes)
    if not found.passed:
        say_next(out, [f"snellen compare {shlex.quote(found.baseline)} {shlex.quote(found.run)} --flips 5"])
    say(out, f"{found.said}.", "bold green" if found.passed else "bold red")
