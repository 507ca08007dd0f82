"""One pass over the open questions of a run: its counts, its progress, and how it is stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from copy import copy
from typing import Any, NamedTuple, TypeVar

from snellen.core.errors import Interrupted, Stopped
from snellen.core.records import Totals
from snellen.engine.call.store import Store
from snellen.engine.plan.plan import Plan
from snellen.engine.runs.folder import RunFolder, Scan

T = TypeVar("T")


class Progress(NamedTuple):
    """The progress of a run at one moment."""

    total: int
    done: int
    errors: int
    stored: int
    in_flight: int
    limit: int
    retries: int
    cost: float
    cost_unknown: int
    seconds: float
    begun: int


class WaitStopped(Exception):
    """The run was stopped while it waited."""


async def until_stopped(work: Awaitable[T], stopped: asyncio.Event) -> T:
    """Return the result of an awaitable. Raise WaitStopped if the run is stopped first."""
    task, end = asyncio.ensure_future(work), asyncio.ensure_future(stopped.wait())
    try:
        if not stopped.is_set():
            await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise WaitStopped
        return task.result()
    finally:
        end.cancel()
        task.cancel()


OnProgress = Callable[[Progress], None] | None


class AskingPass:
    """One pass over the open questions of a run, either one by one (`Asking`) or in batches (`Batching`)."""

    def __init__(self, plan: Plan, folder: RunFolder, scan: Scan, store: Store | None, on_progress: OnProgress) -> None:
        self.plan, self.folder, self.scan, self.limits, self.store = plan, folder, scan, plan.limits, store
        self.total = sum(plan.questions.values())
        self.begun = self.done = scan.done({arm.text for arm in plan.arms})
        self.errors = 0
        self.totals: Totals = copy(scan.totals)
        self.reused = Totals()
        """Totals of the replies reused from the store in this pass, with their age."""
        self.notes: list[str] = []
        """Notes for the user about this pass."""
        self.concurrency: dict[str, Any] = {}
        """The limiter's record."""
        self.stopped: Stopped | None = None
        """The reason why the pass ended early."""
        self._stop: BaseException | None = None
        self._stopped = asyncio.Event()
        self._start = time.monotonic()
        self._on_progress = on_progress

    async def run(self) -> None:
        """Ask until every question is answered, or raise what stopped the run once the calls in flight have ended."""
        raise NotImplementedError

    def stop(self, reason: BaseException) -> None:
        """Stop asking. The first reason counts, except that an interrupt overrides all others and also ends the waiting."""
        if self._stop is None or isinstance(reason, Interrupted):
            self._stop = reason
        self._stopped.set()

    def report(self, in_flight: int, limit: int, retries: int = 0) -> None:
        """Report the progress."""
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    total=self.total,
                    done=self.done,
                    errors=self.errors,
                    stored=self.totals.stored,
                    in_flight=in_flight,
                    limit=limit,
                    retries=retries,
                    cost=self.totals.cost,
                    cost_unknown=self.totals.cost_unknown,
                    seconds=time.monotonic() - self._start,
                    begun=self.begun,
                )
            )
