"""An explanation on one screen of the terminal: the readings, what changes them, and a claimed figure among them."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Sequence

from snellen.comparison.explained import BY_SAMPLE, Explanation, FigureCheck, Reading, Swing
from snellen.comparison.explaining import described
from snellen.core.figures import percent
from snellen.core.text import one_line
from snellen.present.model import formatting
from snellen.present.terminal.specification_curve import LABEL, VALUES, buckets, choices, curve
from snellen.present.terminal.tables import say, say_next, say_notes, show_rows

HITS = 5
"""The most readings that are listed beside a figure."""
NOTHING = 5e-5
"""Stages that change less than this are left out of the table."""
ROWS = 9
"""The most choices below the curve, unless all are requested."""


def print_explanation(found: Explanation, *, verbose: bool = False) -> None:
    """Print one screen. `verbose` shows every choice below the curve, and the curve beside a figure."""
    marks = " · SYNTHETIC" if found.synthetic else ""
    say(f"{found.exam} · {found.subject}{marks}", "bold")
    say_notes(found.notes)
    again = f" Asked {found.repeats} times: every number is the mean over these." if found.repeats > 1 else ""
    say(f"The run's own number: {percent(found.headline.value)}, {_own(found)}.{again}")
    say(_all(found))
    if not found.figures or verbose:
        _print_curve(found, verbose)
        _print_swings(found.swings)
    for figure in found.figures:
        _print_figure(figure, found)
    say("")
    for sentence in found.verdict:
        say(sentence, "bold")
    say_next(_next(found))


def _own(found: Explanation) -> str:
    """Return 'macro F1 under 'paper', the mean of all parts, n = 720'."""
    one = found.headline
    several = f", {one.part}" if len(found.parts) > 1 else ""
    several += f", mean {one.average}" if one.average != BY_SAMPLE else ""
    return f"{one.label} under '{one.protocol}'{several}, n = {one.n:,}, non-answers {one.non_answers}"


def _all(found: Explanation) -> str:
    """Return '252 readings of the same answers give 125 numbers from 42.5 to 72.4, half of them below 60.2.'"""
    many = formatting.counted(len(found.readings), "reading")
    if found.values == 1:
        return f"{many} of the same answers, and one number."
    return (
        f"{many} of the same answers give {found.values} numbers from {percent(found.lowest)} to {percent(found.highest)}, "
        f"half of them below {percent(found.median)}."
    )


# ---------------------------------------------------------------- the curve


def _print_curve(found: Explanation, verbose: bool) -> None:
    if found.values == 1:
        return
    columns = buckets(found.readings)
    say("")
    for line in curve(found, columns):
        say(line, soft_wrap=True)
    left = ROWS
    for dimension, rows in choices(found, columns):
        if not verbose and len(rows) > left:
            continue
        left -= len(rows)
        say(f"{dimension:>{LABEL}}", "dim")
        for name, marks in rows:
            say(f"{one_line(name, LABEL):>{LABEL}} {marks}", soft_wrap=True)
    say("◆ the run's own number; █ every reading of a column, ▒ some", "dim")


def _samples(reading: Reading) -> str:
    return reading.samples or "all"


def _print_swings(swings: Sequence[Swing]) -> None:
    """Print how far each choice alone changes the number."""
    if not swings:
        return
    say("\nEach choice by itself, all else being as the run has it:")
    rows = []
    for one in swings:
        of = VALUES.get(one.choice, _samples)
        ends = ((percent(r.value), of(r)) for r in (one.lowest, one.highest))
        rows.append([one.choice, *itertools.chain.from_iterable(ends)])
    numbers = ("lowest", "highest")
    show_rows("choice", "lowest", "with", "highest", "with", rows=rows, right=numbers)


# ---------------------------------------------------------------- a figure


def _print_figure(one: FigureCheck, found: Explanation) -> None:
    source = f" ({one.source})" if one.source else ""
    some = one.hits or one.nearest
    head = "readings that give it" if one.hits else "no reading gives it; the nearest"
    say(f"\n{one.text}{source}, within {100 * one.tolerance:.2g} points: {head}")
    rows = [
        (
            f"{100 * reading.value:.2f}",
            f"{reading.n:,}",
            described(reading, found),
            str(len(reading.changes)),
        )
        for reading in some[:HITS]
    ]
    numbers = ("number", "n", "changes")
    show_rows("number", "n", "reading", "changes", rows=rows, right=numbers)
    if len(some) > HITS:
        say(f"and {len(some) - HITS:,} more (--json has all)", "dim")
    if one.split:
        _print_split(one, some[0])


def _print_split(one: FigureCheck, end: Reading) -> None:
    """Print the steps from the run's own number to the first of these, choice by choice."""
    title = f"From {percent(one.start.value)}, the run's own number there, to {percent(end.value)}, choice by choice:"
    say(f"\n{title}")
    rows = [
        (step.stage, step.before, step.after, f"{100 * step.change:+.2f}")
        for step in [s for s in one.split if abs(s.change) >= NOTHING] or one.split
    ]
    show_rows("choice", "before", "after", "points", rows=rows, right=("points",))


def _next(found: Explanation) -> list[str]:
    run = shlex.quote(found.run)
    protocols = list(dict.fromkeys(r.protocol for r in found.readings))
    commands = [] if found.figures else [f"snellen explain {run} FIGURE  # which choices give a claimed figure"]
    if len(found.parts) > 1 and not any(f.part for f in found.figures):
        first = shlex.quote(found.parts[0])
        typed = "".join(f" {f.text}" for f in found.figures[:1] if not f.source)
        commands.append(f"snellen explain {run}{typed} --part {first}  # one part, fewer coincidences")
    if len(protocols) > 1:
        commands.append(f"snellen protocols --run {run}  # where protocols disagree, sample by sample")
    return commands or [f"snellen show {run}"]
