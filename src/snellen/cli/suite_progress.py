"""Progress of many runs in one view: a bar for each that goes on and one for all, or a plain line now and then. On standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from snellen.cli.progress import EVERY, SCORED, describe, money
from snellen.core.text import one_line
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.suite.cells import SuiteRun
from snellen.engine.suite.running import SuiteRunResult, Watch
from snellen.present.terminal.suite import state

NAME = 34


@contextmanager
def show_suite(title: str, cells: Sequence[SuiteRun]) -> Iterator[Watch]:
    """Show the progress of a suite."""
    if not sys.stderr.isatty():
        yield _SuiteView(title, cells)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
        BarColumn(bar_width=12),
    )
    with Bars(*columns, console=Console(stderr=True), expand=True) as bars:
        yield _SuiteView(title, cells, bars)


class _SuiteView(Watch):
    """Bars of a terminal: one for all, one for each run that is under way. Without them a line every ten seconds, and one for each run
    that has ended.
    """

    def __init__(self, title: str, cells: Sequence[SuiteRun], bars: Any = None) -> None:
        self._title, self._cells, self._bars = title, cells, bars
        self._total = [sum(cell.plan.questions.values()) for cell in cells]
        self._done = [0] * len(cells)
        self._seen: dict[int, Progress] = {}
        self._count = 0
        self._tasks: dict[int, Any] = {}
        self._lock, self._last = threading.Lock(), time.monotonic()
        if bars is not None:
            self._all = bars.add_task(one_line(title, NAME), total=sum(self._total), state="")

    def asking(self, number: int, progress: Progress) -> None:
        """Show its bar and that of all, or a line if the last one is a while ago."""
        with self._lock:
            self._seen[number] = progress
            self._total[number], self._done[number] = progress.total, progress.done
            if self._bars is not None:
                if progress.total > progress.begun:
                    self._show(number, progress.done, progress.total, describe(progress))
                self._show_all()
            elif time.monotonic() - self._last >= EVERY:
                self._last = time.monotonic()
                click.echo(
                    f"{self._title}: {self._ended_runs()}, {sum(self._done)} of {sum(self._total)} questions · {self._money()} · "
                    f"{self._cells[number].label}: {describe(progress)}",
                    err=True,
                )

    def scoring(self, number: int, done: int, total: int) -> None:
        """Count in its bar what is scored."""
        if self._bars is not None:
            with self._lock:
                self._show(number, done, total, SCORED)

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """Take its bar away and leave a line."""
        with self._lock:
            self._count += 1
            if how.why is None:
                self._done[number] = self._total[number]
            line = f"{one_line(how.cell.label, 120)}: {state(how)}"
            if self._bars is None:
                click.echo(f"{self._ended_runs()} · {line}", err=True)
                return
            if number in self._tasks:
                self._bars.remove_task(self._tasks.pop(number))
            self._bars.console.print(line, markup=False, highlight=False)
            self._show_all()

    def _show(self, number: int, done: int, total: int, state: str) -> None:
        if number not in self._tasks:
            name = one_line(self._cells[number].label, NAME)
            self._tasks[number] = self._bars.add_task(name, total=None, state="")
        self._bars.update(self._tasks[number], completed=done, total=total, state=state)

    def _show_all(self) -> None:
        state = f"{self._ended_runs()} · {self._money()}"
        self._bars.update(self._all, completed=sum(self._done), total=sum(self._total), state=state)

    def _ended_runs(self) -> str:
        return f"{self._count} of {len(self._cells)} runs"

    def _money(self) -> str:
        """Return what the runs that were asked now have cost so far, with what they had cost before."""
        every = self._seen.values()
        return money(sum(p.cost for p in every), sum(p.cost_unknown for p in every)) or f"{0:.4f} USD"
