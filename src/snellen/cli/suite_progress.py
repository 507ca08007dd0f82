"""Progress of many runs: one bar or plain lines for all of them, and a line for each run that has ended. On standard error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from snellen.cli.progress import SCORED, Update, describe, money, shown
from snellen.core.text import one_line
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.suite.cells import SuiteRun
from snellen.engine.suite.running import SuiteRunResult, Watch
from snellen.present.terminal.suite import state


@contextmanager
def show_suite(title: str, cells: Sequence[SuiteRun]) -> Iterator[Watch]:
    """Show the progress of a suite."""
    with shown(title) as update:
        yield _SuiteView(cells, update)


class _SuiteView(Watch):
    """The questions of all runs, counted together. The text is on the run that reported last."""

    def __init__(self, cells: Sequence[SuiteRun], update: Update) -> None:
        self._cells, self._update = cells, update
        self._total = [sum(cell.plan.questions.values()) for cell in cells]
        self._done = [0] * len(cells)
        self._seen: dict[int, Progress] = {}
        self._ended = 0
        self._lock = threading.Lock()

    def asking(self, number: int, progress: Progress) -> None:
        """Show this run's progress."""
        with self._lock:
            self._seen[number] = progress
            self._total[number], self._done[number] = progress.total, progress.done
            if progress.total > progress.begun:
                self._show(number, describe(progress))

    def scoring(self, number: int, done: int, total: int) -> None:
        """Show how much of this run is scored."""
        with self._lock:
            self._show(number, f"{done} of {total} {SCORED}")

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """Print a line that remains."""
        with self._lock:
            self._ended += 1
            if how.why is None:
                self._done[number] = self._total[number]
            click.echo(f"{self._runs()} · {one_line(how.cell.label, 120)}: {state(how)}", file=sys.stderr)

    def _show(self, number: int, what: str) -> None:
        spent = money(sum(p.cost for p in self._seen.values()), sum(p.cost_unknown for p in self._seen.values()))
        parts = (self._runs(), spent, f"{one_line(self._cells[number].label, 40)}: {what}")
        self._update(sum(self._done), sum(self._total), " · ".join(filter(None, parts)))

    def _runs(self) -> str:
        return f"{self._ended} of {len(self._cells)} runs"
