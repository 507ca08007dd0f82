"""Progress of long work: a bar on a terminal, otherwise occasional plain lines. Always on standard error.

Nothing is shown until there is something to count, so a run without open questions leaves no bar behind.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click

from snellen.engine.answer.asking_pass import Progress

_EVERY = 10.0
SCORED = "captions scored"
Update = Callable[[int, int, str], None]


class _Stages(NamedTuple):
    """The two stages of a run that take time."""

    asking: Callable[[Progress], None]
    scoring: Callable[[int, int], None]


@contextmanager
def show_progress(title: str) -> Iterator[_Stages]:
    """Show the progress of a run."""
    with shown(title) as update:

        def asking(p: Progress) -> None:
            if p.total > p.begun:
                update(p.done, p.total, describe(p))

        yield _Stages(asking, lambda done, total: update(done, total, SCORED))


@contextmanager
def show_count(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of work that is only counted."""
    with shown(title) as update:
        yield lambda done, total: update(done, total, "")


def describe(p: Progress) -> str:
    """Return rate, cost, failures, retries, calls in progress and answers from the store, most important first."""
    parts = [f"{(p.done - p.begun) / max(p.seconds, 1e-3):.1f} answers/s"]
    parts.append(money(p.cost, p.cost_unknown))
    counts = {
        "failed": p.errors,
        "retried": p.retries,
        f"in progress (at most {p.limit})": p.in_flight,
        "from the store": p.stored,
    }
    parts += [f"{count} {what}" for what, count in counts.items() if count]
    return " · ".join(part for part in parts if part)


def money(cost: float, unknown: int) -> str:
    """Return the cost of the calls, or an empty text if there is none."""
    if not cost:
        return "cost unknown" if unknown else ""
    return f"{cost:.4f} USD" + (" and calls of unknown cost" if unknown else "")


@contextmanager
def shown(title: str) -> Iterator[Update]:
    """Show progress as a bar on a terminal, otherwise as lines."""
    if not sys.stderr.isatty():
        yield _Plain(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    bar = Bar(
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left", table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[state]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
        BarColumn(bar_width=12),
        console=Console(stderr=True),
        expand=True,  # so that a narrow screen cuts the state
    )
    task = bar.add_task("", total=None, state="")

    def update(done: int, total: int, state: str) -> None:
        bar.update(task, completed=done, total=total, state=state)
        if not bar.live.is_started:
            click.echo(title, err=True)
            bar.start()

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


class _Plain:
    """A line every ten seconds and at the end, with the remaining time if it can be estimated."""

    def __init__(self, title: str) -> None:
        self._title, self._last, self._said = title, time.monotonic(), -1
        self._begun: tuple[float, int] | None = None

    def __call__(self, done: int, total: int, state: str) -> None:
        now = time.monotonic()
        began, first = self._begun = self._begun or (now, done)
        if done == self._said or (now - self._last < _EVERY and done != total):
            return
        self._last, self._said = now, done
        left = (total - done) * (now - began) / max(1, done - first)
        parts = [f"{self._title}: {done} of {total}", state, f"about {left:.0f} s left" if first < done < total else ""]
        click.echo(" · ".join(p for p in parts if p), err=True)
