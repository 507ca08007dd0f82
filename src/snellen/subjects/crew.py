"""A crew: workers in processes of their own, here or on other machines, that take messages and give replies.

Each message goes to the worker that has the least to do. Who is lost in the middle of one is let go, and another is hired in its place
while the others go on; a place where workers are lost again and again is given up. What becomes of the message is for whoever sent it to
say: a question to a local model can be asked again, a request to an endpoint may have been paid for.

Several event loops in several threads may share a crew.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Protocol as Interface

from snellen.core.errors import SnellenError, Stopped

LOOK = 10.0
"""Seconds between two looks at whether there are places without a worker."""
WAIT = 120.0
"""Seconds that a message waits for a worker where there is none at all."""
GIVE_UP = 7
"""Workers lost at one place, with no reply between, after which nobody is hired there any more. One bad question takes three."""
PAUSE = 0.1
PATIENCE = 10.0
"""Seconds that the end waits for somebody who is being hired."""


class WorkerLost(Exception):
    """A worker ended, or cannot be reached, before its reply came."""


class Worker(Interface):
    """Takes messages, many at once. `place` is where it works, of which there is one worker at a time."""

    place: str

    async def ask(self, message: bytes) -> bytes:
        """The reply to a message; raises WorkerLost."""

    def close(self) -> None:
        """End it, whatever it is at."""


Hire = Callable[[Collection[str], threading.Event], Sequence[Worker]]
"""Starts a worker at every place that is there and not among those named; takes its time, but not once the crew is closed."""


class Crew:
    """Workers, and who hires more of them."""

    def __init__(self, workers: Sequence[Worker], hire: Hire) -> None:
        self._busy: dict[Worker, int] = dict.fromkeys(workers, 0)
        self._hire = hire
        self._losses: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._hiring: threading.Thread | None = None
        self._closed = threading.Event()
        self._looked = time.monotonic()
        self._why = "none has started"

    @property
    def workers(self) -> tuple[Worker, ...]:
        """Those who are there."""
        with self._lock:
            return tuple(self._busy)

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[Worker]:
        """The worker with the least to do. One that is lost meanwhile is let go, and WorkerLost goes on to whoever asked."""
        worker = await self._picked()
        try:
            yield worker
        except WorkerLost as lost:
            self._let_go(worker, str(lost))
            raise
        else:
            self._losses.pop(worker.place, None)
        finally:
            with self._lock:
                if worker in self._busy:
                    self._busy[worker] -= 1

    async def _picked(self) -> Worker:
        until = time.monotonic() + WAIT
        while (worker := self._least_busy()) is None:
            self._look_round()
            if self._closed.is_set() or time.monotonic() > until:
                raise Stopped(f"no worker is left ({self._why}); everything is kept, the same command goes on")
            await asyncio.sleep(PAUSE)
        if time.monotonic() - self._looked > LOOK:
            self._look_round()
        return worker

    def _least_busy(self) -> Worker | None:
        with self._lock:
            worker = min(self._busy, key=self._busy.__getitem__, default=None)
            if worker is not None:
                self._busy[worker] += 1
            return worker

    def _let_go(self, worker: Worker, why: str) -> None:
        with self._lock:
            if self._busy.pop(worker, None) is None:
                return  # others were waiting for it, too
            self._why = why
            self._losses[worker.place] += 1
        worker.close()
        self._look_round()

    def _look_round(self) -> None:
        """Hire where a place has no worker, in a thread that nobody waits for."""
        with self._lock:
            if self._hiring is not None or self._closed.is_set():
                return
            self._hiring = threading.Thread(target=self._hire_more, name="snellen-hiring", daemon=True)
            self._hiring.start()

    def _hire_more(self) -> None:
        try:
            with self._lock:
                taken = {w.place for w in self._busy} | {p for p, n in self._losses.items() if n >= GIVE_UP}
            hired = self._hire(taken, self._closed)
        except SnellenError as error:
            hired, self._why = (), str(error)
        except Exception as error:  # whatever starting a worker does: the others go on
            hired, self._why = (), f"{type(error).__name__}: {error}"
        with self._lock:
            self._hiring, self._looked = None, time.monotonic()
            if not self._closed.is_set():
                self._busy |= dict.fromkeys(hired, 0)
                return
        for worker in hired:
            worker.close()

    def close(self) -> None:
        """End all workers, whatever they are at."""
        with self._lock:
            self._closed.set()
            workers, self._busy, hiring = tuple(self._busy), {}, self._hiring
        if hiring is not None:
            hiring.join(PATIENCE)
        for worker in workers:
            worker.close()
