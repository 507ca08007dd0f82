"""A gate's verdict in the terminal: every check in a table, then notes, and the verdict last."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from snellen.comparison.gating import Gate, GateCheck
from snellen.present.model import formatting
from snellen.present.model.comparison_view import checks_table
from snellen.present.terminal.tables import say, say_next, say_notes, show

MOST = 12
"""The most checks shown without -v."""


def print_gate(found: Gate, verbose: bool = False) -> None:
    """Print one screen. Unless `verbose`, of many checks print only those that failed and all samples together."""
    say(formatting.common_samples(found.exam, found.samples, synthetic=found.synthetic), "bold")
    for name, subject, times, path in (
        ("A, baseline", found.baseline_subject, found.baseline_repeats, found.baseline),
        ("B, run", found.subject, found.repeats, found.run),
    ):
        say(f"{name:12} {subject}{formatting.asked_often(times)}  ({path})")
    listed: Sequence[GateCheck] = found.checks
    if not verbose and len(listed) > MOST:
        first = [c for c in found.checks if c.failed or c.part == "all"]
        rest = sorted((c for c in found.checks if c not in first), key=lambda c: -c.drop)
        listed = [*first, *rest][: max(MOST, len(first))]
    view = checks_table(found, listed)
    if len({c.protocol for c in found.checks}) == 1:
        view = view.without("protocol")
    say(f"\n{view.title}:")
    first_out = ("A", "B") if any(0 < c.clusters < c.n for c in listed) else ("n",)
    show(view, view.without(*first_out), view.without("n", "A", "B"))
    if len(listed) < len(found.checks):
        say(f"{len(found.checks) - len(listed)} more checks that passed: -v shows them", "dim")
    say_notes(found.notes)
    if not found.passed:
        say_next([f"snellen compare {shlex.quote(found.baseline)} {shlex.quote(found.run)} --flips 5"])
    say(f"{found.said}.", "bold green" if found.passed else "bold red")
