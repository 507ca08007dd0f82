"""Progress of many runs in one view: a bar for each that goes on and one for all, or a plain line now and then. On standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from snellen.cli.progress import EVERY, SCORED, describe
from snellen.core.text import one_line
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.suite.cells import SuiteRun
from snellen.engine.suite.running import SuiteRunResult, Watch
from snellen.present.terminal.suite import state

NAME = 34


@contextmanager
def show_suite(title: str, cells: Sequence[SuiteRun]) -> Iterator[Watch]:
    """Where the progress of a suite goes."""
    if not sys.stderr.isatty():
        yield PlainView(title, cells)
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
        yield BarView(title, cells, bars)


class Sums:
    """What all runs together have done: questions, money, and how many have ended."""

    def __init__(self, cells: Sequence[SuiteRun]) -> None:
        self.total = [sum(cell.plan.questions.values()) for cell in cells]
        self.done = [0] * len(cells)
        self.cost = [0.0] * len(cells)
        self.unknown = [0] * len(cells)
        self.ended = 0

    def take(self, number: int, p: Progress) -> None:
        """A look at one of them."""
        self.total[number], self.done[number], self.cost[number] = p.total, p.done, p.cost
        self.unknown[number] = p.cost_unknown

    def end(self, number: int, how: SuiteRunResult) -> None:
        """One has ended."""
        self.ended += 1
        if how.why is None:
            self.done[number] = self.total[number]

    @property
    def money(self) -> str:
        """What the runs that were asked now have cost so far, with what they had cost before."""
        spent, unknown = sum(self.cost), sum(self.unknown)
        return (f"{spent:.4f} USD" if spent or not unknown else "cost unknown") + (
            " and calls of unknown cost" if spent and unknown else ""
        )


class PlainView(Watch):
    """A line every ten seconds, and one for each run that has ended."""

    def __init__(self, title: str, cells: Sequence[SuiteRun]) -> None:
        self._title, self._cells, self._sums = title, cells, Sums(cells)
        self._lock, self._last = threading.Lock(), time.monotonic()

    def asking(self, number: int, progress: Progress) -> None:
        """A line, if the last one is a while ago."""
        with self._lock:
            self._sums.take(number, progress)
            if time.monotonic() - self._last >= EVERY:
                self._last = time.monotonic()
                sums = self._sums
                click.echo(
                    f"{self._title}: {sums.ended} of {len(self._cells)} runs, {sum(sums.done)} of {sum(sums.total)} questions · "
                    f"{sums.money} · {self._cells[number].label}: {describe(progress)}",
                    err=True,
                )

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """A line."""
        with self._lock:
            self._sums.end(number, how)
            said = f"{self._sums.ended} of {len(self._cells)} runs · {one_line(how.cell.label, 120)}: {state(how)}"
            click.echo(said, err=True)


class BarView(Watch):
    """Bars of a terminal: one for all, one for each run that is under way."""

    def __init__(self, title: str, cells: Sequence[SuiteRun], bars: Any) -> None:
        self._cells, self._bars, self._sums, self._lock = cells, bars, Sums(cells), threading.Lock()
        self._all = bars.add_task(one_line(title, NAME), total=sum(self._sums.total), state="")
        self._tasks: dict[int, Any] = {}

    def _task(self, number: int) -> Any:
        if number not in self._tasks:
            name = one_line(self._cells[number].label, NAME)
            self._tasks[number] = self._bars.add_task(name, total=None, state="")
        return self._tasks[number]

    def _sum_up(self) -> None:
        sums = self._sums
        said = f"{sums.ended} of {len(self._cells)} runs · {sums.money}"
        self._bars.update(self._all, completed=sum(sums.done), total=sum(sums.total), state=said)

    def asking(self, number: int, progress: Progress) -> None:
        """Its bar and that of all."""
        with self._lock:
            self._sums.take(number, progress)
            if progress.total > progress.begun:
                self._bars.update(
                    self._task(number), completed=progress.done, total=progress.total, state=describe(progress)
                )
            self._sum_up()

    def scoring(self, number: int, done: int, total: int) -> None:
        """Its bar counts what is scored."""
        with self._lock:
            self._bars.update(self._task(number), completed=done, total=total, state=SCORED)

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """Its bar goes, a line stays."""
        with self._lock:
            self._sums.end(number, how)
            if number in self._tasks:
                self._bars.remove_task(self._tasks.pop(number))
            self._bars.console.print(f"{one_line(how.cell.label, 120)}: {state(how)}", markup=False, highlight=False)
            self._sum_up()
