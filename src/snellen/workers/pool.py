"""Workers in other processes, here or on other machines: call a function in the least busy one.

A worker that is lost in the middle of a call is replaced while the others go on. A place where workers are lost again and again is given
up. The lost call raises WorkerLost, and the caller decides: a question to a local model can be asked again, a request to an endpoint may
have been paid for.

Several threads and event loops may share the workers.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Any, Generic, TypeVar
from typing import Protocol as Interface

from snellen.core.errors import SnellenError, Stopped
from snellen.workers.calls import Calls, Named

LOOK = 10.0
"""Seconds between two checks for places without a worker."""
WAIT = 120.0
"""Seconds that a call waits if there are no workers at all."""
GIVE_UP = 7
"""The number of workers lost at one place, without a reply in between, after which it is given up. One bad question takes three."""
PAUSE = 0.1
PATIENCE = 10.0
"""Seconds that `close` waits for workers that are still starting."""
T = TypeVar("T")


class WorkerLost(Exception):
    """A worker ended, or cannot be reached, before its reply came."""


class Worker(Interface):
    """Takes messages, many at once. `place` names its location. Each place has one worker."""

    place: str

    def submit(self, message: bytes) -> Future[bytes]:
        """Send a message. The future gets its reply, or WorkerLost."""

    def close(self) -> None:
        """End the worker, even in the middle of a call."""


Hire = Callable[[Collection[str], threading.Event | None], Sequence[Worker]]
"""Starts a worker at every place that is not among those named, until the event is set. None stands for the first time."""
Call = Callable[..., Future[Any]]
"""Calls the function in one worker."""
Admit = Callable[[str, Call], None]
"""Gets a new worker's place and a way to call it before others do. Raises WorkerLost or SnellenError if it cannot be used."""


class Workers(Generic[T]):
    """Workers that call one function. Close it, preferably by `with`."""

    def __init__(self, function: Named, hire: Hire, admit: Admit | None = None) -> None:
        """Start the first workers. A problem with any of them is an error. Later it is only the reason if no worker is left."""
        self._calls: Calls[T] = Calls(function)
        self._hire, self._admit = hire, admit
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._hiring: threading.Thread | None = None
        self._losses: Counter[str] = Counter()
        self._looked = time.monotonic()
        self._why = "none has started"
        self._busy: dict[Worker, int] = {}
        self._gone: list[Worker] = []
        first = hire((), None)
        try:
            for worker in first:
                self._admitted(worker)
        except BaseException:
            for worker in first:
                worker.close()
            raise
        self._busy = dict.fromkeys(first, 0)

    def _admitted(self, worker: Worker) -> None:
        if self._admit is not None:
            self._admit(worker.place, lambda *arguments: self._sent(worker, [arguments]))

    # ------------------------------------------------------------ calls

    def submit(self, calls: Sequence[Sequence[Any]]) -> Future[list[T]]:
        """Make some calls in one worker, one after the other, in one message. It waits only if there are no workers at all."""
        return self._sent(self._picked(), calls)

    async def ask(self, *arguments: Any, timeout: float | None = None) -> T:
        """Call the function. A worker that takes longer than `timeout` seconds counts as lost."""
        worker = self._least_busy()
        if worker is None:
            worker = await asyncio.to_thread(self._picked)
        try:
            async with asyncio.timeout(timeout):
                return (await asyncio.wrap_future(self._sent(worker, [arguments])))[0]
        except TimeoutError:
            lost = WorkerLost(f"the worker for {worker.place} does not answer")
            self._let_go(worker, str(lost))
            raise lost from None

    def everywhere(self, *arguments: Any) -> list[Future[list[T]]]:
        """Call the function in every worker."""
        with self._lock:
            workers = list(self._busy)
        return [self._sent(worker, [arguments]) for worker in workers]

    def _sent(self, worker: Worker, calls: Sequence[Sequence[Any]]) -> Future[list[T]]:
        message = self._calls.message(calls)
        results: Future[list[T]] = Future()
        results.set_running_or_notify_cancel()
        with self._lock:
            if worker in self._busy:
                self._busy[worker] += 1
        worker.submit(message).add_done_callback(partial(self._replied, worker, results))
        return results

    def _replied(self, worker: Worker, results: Future[list[T]], reply: Future[bytes]) -> None:
        with self._lock:
            if worker in self._busy:
                self._busy[worker] -= 1
        try:
            found = self._calls.results(reply.result())
        except WorkerLost as lost:
            self._let_go(worker, str(lost))
            results.set_exception(lost)
        except Exception as error:
            results.set_exception(error)
        else:
            if worker in self._busy:  # not while it is only being admitted
                self._losses.pop(worker.place, None)
            results.set_result(found)

    # ------------------------------------------------------------ workers

    def __len__(self) -> int:
        """Return how many workers there are now."""
        return len(self._busy)

    def _least_busy(self) -> Worker | None:
        with self._lock:
            worker = min(self._busy, key=self._busy.__getitem__, default=None)
        if worker is not None and time.monotonic() - self._looked > LOOK:
            self._look_round()
        return worker

    def _picked(self) -> Worker:
        until = time.monotonic() + WAIT
        while (worker := self._least_busy()) is None:
            self._look_round()
            if self._closed.is_set() or time.monotonic() > until:
                raise Stopped(f"no worker is left ({self._why}); everything is kept, the same command goes on")
            time.sleep(PAUSE)
        return worker

    def _let_go(self, worker: Worker, why: str) -> None:
        with self._lock:
            if self._busy.pop(worker, None) is None:
                return  # other calls were waiting for it, too
            self._why = why
            self._losses[worker.place] += 1
            self._gone.append(worker)
        self._look_round()

    def _look_round(self) -> None:
        """Start workers at places without one, in a thread that no call waits for."""
        with self._lock:
            if self._hiring is None and not self._closed.is_set():
                self._hiring = threading.Thread(target=self._hire_more, name="snellen-hiring", daemon=True)
                self._hiring.start()

    def _hire_more(self) -> None:
        with self._lock:
            gone, self._gone = self._gone, []
            taken = {w.place for w in self._busy} | {p for p, n in self._losses.items() if n >= GIVE_UP}
        for worker in gone:  # not where the loss was noticed: Ray must not be called from a thread of its own
            worker.close()
        hired: list[Worker] = []
        try:
            hired += self._hire(taken, self._closed)
        except Exception as error:  # after any error in starting a worker, the others go on
            self._why = str(error) if isinstance(error, SnellenError) else f"{type(error).__name__}: {error}"
        for worker in hired.copy():
            try:
                self._admitted(worker)
            except (SnellenError, WorkerLost) as error:
                self._why = str(error)
                self._losses[worker.place] += 1
                worker.close()
                hired.remove(worker)
        with self._lock:
            self._hiring, self._looked = None, time.monotonic()
            if not self._closed.is_set():
                self._busy |= dict.fromkeys(hired, 0)
                return
        for worker in hired:
            worker.close()

    def __enter__(self) -> Workers[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, even in the middle of a call."""
        with self._lock:
            self._closed.set()
            workers, self._busy, self._gone = [*self._busy, *self._gone], {}, []
            hiring = self._hiring
        if hiring is not None:
            hiring.join(PATIENCE)
        for worker in workers:
            worker.close()
