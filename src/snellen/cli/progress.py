"""Progress of long work: a bar on a terminal, a plain line now and then elsewhere. Always on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import click

from snellen.engine.answer.loop import Progress

EVERY = 10.0


class Stages(NamedTuple):
    """The two stages of a run that take time."""

    asking: Callable[[Progress], None]
    scoring: Callable[[int, int], None]


@contextmanager
def show_progress(title: str) -> Iterator[Stages]:
    """Progress of a run."""
    if sys.stderr.isatty():
        with _bar(title) as update:
            yield Stages(
                lambda p: update(p.done, p.total, describe(p)),
                lambda done, total: update(done, total, "captions scored"),
            )
    else:
        plain = _Plain(title)
        yield Stages(plain, lambda done, total: plain.line(done, total, "captions scored"))


@contextmanager
def show_count(title: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of work that only counts."""
    if sys.stderr.isatty():
        with _bar(title) as update:
            yield lambda done, total: update(done, total, "")
    else:
        plain = _Plain(title)
        yield lambda done, total: plain.line(done, total, "")


def describe(p: Progress) -> str:
    """Rate, calls in flight and their limit, retries, errors, answers from the store, cost."""
    rate = (p.done - p.begun) / max(p.seconds, 1e-3)
    parts = [f"{rate:.1f}/s", f"{p.in_flight} in flight of {p.limit}"]
    if p.stored:
        parts.append(f"{p.stored} from the store")
    if p.retries:
        parts.append(f"{p.retries} retries")
    if p.errors:
        parts.append(f"{p.errors} errors")
    if p.cost or p.cost_unknown:
        parts.append("cost unknown" if not p.cost else f"${p.cost:.4f}" + ("+?" if p.cost_unknown else ""))
    return " · ".join(parts)


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int, str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    columns = (
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left", table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[state]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
        BarColumn(bar_width=12),
    )
    click.echo(title, err=True)
    with Bar(*columns, console=Console(stderr=True), transient=False) as bar:
        task = bar.add_task("", total=None, state="")
        yield lambda done, total, state: bar.update(task, completed=done, total=total, state=state)


class _Plain:
    """A line at the start, every ten seconds, and at the end."""

    def __init__(self, title: str) -> None:
        self._title, self._last, self._said = title, time.monotonic(), -1

    def __call__(self, p: Progress) -> None:
        left = (p.total - p.done) * p.seconds / max(1, p.done - p.begun)
        self.line(
            p.done,
            p.total,
            describe(p) + (f" · about {left:.0f} s left" if 0 < p.done < p.total and p.done > p.begun else ""),
        )

    def line(self, done: int, total: int, state: str) -> None:
        now = time.monotonic()
        if done != self._said and (now - self._last >= EVERY or done == total):
            self._last, self._said = now, done
            click.echo(f"{self._title}: {done}/{total}" + (f" · {state}" if state else ""), err=True)
