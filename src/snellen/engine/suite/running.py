"""Carry out the runs of a suite: those at one server one after the other, different servers beside each other, one budget for all.

Each lane is a thread, and each run in it is the run that it would be alone: its own folder, its own loop, its own resuming. So a suite
that was killed goes on where each of its runs goes on. What earlier sessions spent is read from the run folders.
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
"""Seconds between two looks at whether the lanes have ended: in between, Python hears of a signal."""
_NOT_BEGUN = "not begun: the suite's budget was reached before its turn"
EXIT_STOPPED, EXIT_INTERRUPTED = 3, 130


class SuiteRunResult(NamedTuple):
    """How a run of a suite ended: what it gave, what went wrong, if it did, and the sums over all its calls."""

    cell: SuiteRun
    finished: FinishedRun | None
    error: SnellenError | None = None
    totals: Totals = Totals()

    @property
    def why(self) -> SnellenError | None:
        """Return what ended it before it was done."""
        return self.error or (self.finished.stopped if self.finished is not None else None)


class Watch:
    """Watches a suite. Called from several threads."""

    def asking(self, number: int, progress: Progress) -> None:
        """Note that the run of that number is being asked."""

    def scoring(self, number: int, done: int, total: int) -> None:
        """Note that the run of that number is being scored."""

    def ended(self, number: int, how: SuiteRunResult) -> None:
        """Note that the run of that number has ended."""


class SuiteExecution:
    """The carrying out of a suite."""

    def __init__(self, cells: Sequence[SuiteRun], max_cost: float | None, watch: Watch) -> None:
        self.cells, self._watch = tuple(cells), watch
        self.shared = SharedBudget(max_cost) if max_cost is not None else None
        self._interrupted = False
        self._switches = [StopSwitch() for _ in self.cells]
        self._ended: dict[int, SuiteRunResult] = {}
        self._bugs: list[BaseException] = []

    def run(self) -> tuple[SuiteRunResult, ...]:
        """Carry all out; the first Ctrl-C or SIGTERM ends the asking and keeps everything."""
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
        """Count runs of earlier sessions with what they cost, also before it is their turn; what is put aside does not."""
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
            except BaseException as error:  # a mistake of ours: the other runs are asked to their end, then it is told
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
    """Return the sums over all calls of a run, of this session and of earlier ones; not of what --fresh is yet to put aside."""
    folder = RunFolder(cell.plan.folder)
    kept = begun or not cell.request.limits.fresh or fresh_and_unfinished(folder.path)
    return folder.scan().totals if cell.calls and kept and folder.has("run.json") else Totals()


def exit_code(ended: Sequence[SuiteRunResult]) -> int:
    """Return 0 where all runs are done, 130 where the user stopped them, else 3: the same command goes on."""
    if any(isinstance(how.why, Interrupted) for how in ended):
        return EXIT_INTERRUPTED
    return EXIT_STOPPED if any(how.why is not None for how in ended) else 0
