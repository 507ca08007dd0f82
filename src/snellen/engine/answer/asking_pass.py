"""One pass over the open questions of a run: its counts, its progress, and how it is stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

from snellen.core.errors import Interrupted, Stopped
from snellen.core.records import Totals
from snellen.engine.call.store import Store
from snellen.engine.plan.plan import Plan
from snellen.engine.runs.folder import RunFolder, Scan


class Progress(NamedTuple):
    """A look at a run under way."""

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


OnProgress = Callable[[Progress], None] | None


class AskingPass:
    """Asks the open questions of a run, in one of two ways: each by itself (`Asking`), or by batches (`Batching`)."""

    def __init__(self, plan: Plan, folder: RunFolder, scan: Scan, store: Store | None, on_progress: OnProgress) -> None:
        self.plan, self.folder, self.scan, self.limits, self.store = plan, folder, scan, plan.limits, store
        self.total = sum(plan.questions.values())
        self.begun = self.done = scan.done({arm.text for arm in plan.arms})
        self.errors = 0
        self.totals: Totals = copy(scan.totals)
        self.reused = Totals()
        """What comes from the store this time, and how old it is."""
        self.notes: list[str] = []
        """What a user should know of how it went."""
        self.concurrency: dict[str, Any] = {}
        """What the limiter did."""
        self.stopped: Stopped | None = None
        """Why it ended early."""
        self._stop: BaseException | None = None
        self._stopped = asyncio.Event()
        self._start = time.monotonic()
        self._on_progress = on_progress

    async def run(self) -> None:
        """Ask until all is answered, or raise what stopped the run (after what is in flight has ended)."""
        raise NotImplementedError

    def stop(self, reason: BaseException) -> None:
        """Ask nothing more. The first reason counts, but an interrupt goes before all others: it also ends the waiting."""
        if self._stop is None or isinstance(reason, Interrupted):
            self._stop = reason
        self._stopped.set()

    def report(self, in_flight: int, limit: int, retries: int = 0) -> None:
        """Tell how far it is."""
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
