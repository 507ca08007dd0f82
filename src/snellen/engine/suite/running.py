"""Carry out the runs of a suite: those at one server one after the other, different servers in parallel, one budget for all.

Each lane is a thread, and each run in it works as it would alone: its own folder, its own loop, its own resuming. So a suite that was
killed resumes where each of its runs resumes. The cost of earlier sessions is read from the run folders.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

from snellen.core.errors import Interrupted, SnellenError
from snellen.core.grouping import grouped
from snellen.core.records import Totals
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.call.budget import BudgetReached, SharedBudget, budget_of
from snellen.engine.manifests import fresh_and_unfinished
from snellen.engine.plan.plan import make_plan
from snellen.engine.run import FinishedRun, run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.engine.stopping import INTERRUPTED, StopSwitch, first_signal
from snellen.engine.suite.cells import SuiteRun

LOOK = 0.2
"""Seconds between two checks whether the lanes have ended. In between, Python handles signals."""
_NOT_BEGUN = "not begun: the suite's budget was reached before its turn"
EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130


class SuiteRunResult(NamedTuple):
    """The end of one run of a suite: its result, its error if there was one, and the sums over all its calls."""

    cell: SuiteRun
    finished: FinishedRun | None
    error: SnellenError | None = None
    totals: Totals = Totals()

    @property
    def why(self) -> SnellenError | None:
        """The error that ended it before it was done."""
        return self.error or (self.finished.stopped if self.finished is not None else None)


class Watch:
    """Watches a suite. Called from several threads."""

    def asking(self, number: int, progress: Progress) -> None:
        """Handle progress in asking the run of that number."""

    def scoring(self, number: int, done: int, total: int) -> None:
        """Handle progress in scoring the run of that number."""

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """Handle the end of the run of that number."""


class SuiteExecution:
    """The execution of a suite."""

    def __init__(self, cells: Sequence[SuiteRun], max_cost: float | None, watch: Watch) -> None:
        self.cells, self._watch = tuple(cells), watch
        self.shared = SharedBudget(max_cost) if max_cost is not None else None
        self._interrupted = False
        self._switches = [StopSwitch() for _ in self.cells]
        self._ended: dict[int, SuiteRunResult] = {}
        self._bugs: list[BaseException] = []

    def run(self) -> tuple[SuiteRunResult, ...]:
        """Carry out all runs. The first Ctrl-C or SIGTERM ends the asking and keeps everything."""
        self._count_what_was_spent()
        for cell in self.cells:  # the cluster that all runs share, before there are threads
            if cell.request.limits.pool is not None:
                cell.request.limits.pool.connect()
        lanes = grouped((cell.lane, number) for number, cell in enumerate(self.cells))
        threads = [
            threading.Thread(target=self._lane, args=(some,), name=f"snellen-lane-{at}", daemon=True)
            for at, some in enumerate(lanes.values())
        ]
        with first_signal(self._stop):
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(LOOK)
        if self._bugs:
            raise self._bugs[0]
        return tuple(self._ended[number] for number in range(len(self.cells)))

    def _count_what_was_spent(self) -> None:
        """Count runs of earlier sessions with their cost, even before it is their turn. Runs that were moved aside do not count."""
        for cell in self.cells if self.shared is not None else ():
            budget_of(_ledger(cell), None, self.shared, cell.plan.folder.name)

    def _stop(self) -> None:
        self._interrupted = True
        for switch in self._switches:
            switch()

    def _lane(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            try:
                how = self._one(number, self.cells[number])
                how = how._replace(totals=_ledger(how.cell, begun=how.finished is not None))
            except (
                BaseException
            ) as error:  # an internal error: the other runs are asked to their end, then it is reported
                self._bugs.append(error)
                continue
            self._ended[number] = how
            self._watch.ended(number, how)

    def _one(self, number: int, cell: SuiteRun) -> SuiteRunResult:
        if self._interrupted:
            return SuiteRunResult(cell, None, Interrupted(INTERRUPTED))
        if self.shared is not None and self.shared.reached and cell.calls and not cell.plan.folder.exists():
            return SuiteRunResult(cell, None, BudgetReached(_NOT_BEGUN))
        try:
            plan = make_plan(cell.request._replace(limits=cell.request.limits._replace(shared=self.shared)))
            finished = run_plan(
                plan,
                lambda progress: self._watch.asking(number, progress),
                lambda done, total: self._watch.scoring(number, done, total),
                self._switches[number],
            )
        except SnellenError as error:
            return SuiteRunResult(cell, None, error)
        return SuiteRunResult(cell, finished)


def _ledger(cell: SuiteRun, *, begun: bool = False) -> Totals:
    """Return the sums over all calls of a run, of this session and of earlier ones, but not of a run that --fresh will move aside."""
    folder = RunFolder(cell.plan.folder)
    kept = begun or not cell.request.limits.fresh or fresh_and_unfinished(folder.path)
    return folder.scan().totals if cell.calls and kept and folder.has("run.json") else Totals()


def exit_code(ended: Sequence[SuiteRunResult]) -> int:
    """Return 0 if all runs are done, 130 if the user stopped them, else 3: the same command resumes them."""
    if any(isinstance(how.why, Interrupted) for how in ended):
        return EXIT_INTERRUPTED
    return EXIT_STOPPED if any(how.why is not None for how in ended) else 0
