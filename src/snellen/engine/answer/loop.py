"""The asking loop: a feed of prepared questions, as many in work as the limiter allows, every answer written at once.

Whatever it waits for (a server's model list, data that is read, a slot), a stop ends the waiting. What it cannot end, such as a read from
a disk that hangs, goes on in a thread that nobody waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any, TypeVar

from snellen.core.adaptive import Adaptive
from snellen.core.arm import Arm
from snellen.core.errors import Interrupted, Stopped
from snellen.core.subject import Caller, Connection, Endpoint, Reply, Request
from snellen.core.types import Answer, Call, Failure
from snellen.engine.answer.asking_pass import AskingPass, OnProgress
from snellen.engine.answer.choosing import ChoosingFeed
from snellen.engine.answer.feeding import Feed, PreparedQuestion
from snellen.engine.call.budget import Budget, budget_of
from snellen.engine.call.caller import EndpointCaller
from snellen.engine.call.exchange import Wire
from snellen.engine.call.limiter import CEILING, Limiter
from snellen.engine.call.preflight import preflight
from snellen.engine.call.store import Store
from snellen.engine.plan.plan import Plan
from snellen.engine.plan.request import TRIES
from snellen.engine.runs.folder import RunFolder, Scan

TICK = 0.2
GRACE = 2.0
"""How many seconds a read that is under way gets to end: one that the end of the program meets halfway can crash it."""
T = TypeVar("T")
_MADE: ContextVar[list[Call]] = ContextVar("made")
"""The calls of the question that the task is for. (A subject may keep the caller that it is given, so that one cannot know it.)"""
_REPEAT: ContextVar[int] = ContextVar("repeat", default=1)
"""Which time it is that this question is asked: a subject that makes its requests on the way knows nothing of repeats."""


class Asking(AskingPass):
    """One pass over the open questions of a run, as many at a time as the limiter allows."""

    def __init__(self, plan: Plan, folder: RunFolder, scan: Scan, store: Store | None, on_progress: OnProgress) -> None:
        super().__init__(plan, folder, scan, store, on_progress)
        self._is_done = scan.last.answered
        self._errors_in_a_row = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()
        self._arrived: list[Answer] = []
        self.limiter = Limiter(self.limits.concurrency)
        self.callers: list[EndpointCaller] = []
        self._feed: Feed | ChoosingFeed | None = None
        self._reading: tuple[SimpleQueue[Any], threading.Thread] | None = None

    async def run(self) -> None:
        """Ask until all is answered, or raise what stopped the run (after what is in flight has ended)."""
        at: dict[str, tuple[Wire, list[Endpoint]]] = {}
        wires: list[Wire] = []
        ticker = asyncio.create_task(self._tick())
        try:
            known, pool = self.totals, self.limits.pool
            if pool is not None and self.plan.subject.endpoints:
                self.limiter.ceiling = CEILING * pool.nodes  # each may have as many calls in flight as this machine
            budget = budget_of(known, self.limits.max_cost, self.limits.purse, self.folder.path.name)
            limiters: dict[str, Limiter] = {}
            for endpoint in self.plan.subject.endpoints:
                url = endpoint.connection.url
                wires.append(self._wire(endpoint.connection))
                at.setdefault(url, (wires[-1], []))[1].append(endpoint)
                limiter = limiters.setdefault(url, Limiter(self.limits.concurrency) if limiters else self.limiter)
                self.callers.append(self._caller(endpoint, wires[-1], limiter, budget))
            for wire, endpoints in at.values():
                await self._unless_stopped(asyncio.ensure_future(preflight(wire, endpoints, budget.cap)))
            if self._stop is None:
                await self._drive(self._route)
            if self._stop is not None:
                raise self._stop
        finally:
            ticker.cancel()
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.gather(*self._tasks, return_exceptions=True)
            self._flush()
            for wire in wires:
                await wire.close()
            if self._feed is not None:
                self._feed.close()
            if self._reading is not None:
                turns, thread = self._reading
                turns.put(None)
                thread.join(GRACE)
            self._note_how_it_went()
            self._tell_progress()

    def _caller(self, endpoint: Endpoint, wire: Wire, limiter: Limiter, budget: Budget) -> EndpointCaller:
        return EndpointCaller(
            endpoint,
            wire,
            limiter=limiter,
            budget=budget,
            store=self.store,
            tries=self.limits.tries or TRIES,
            use_stored=not self.limits.fresh,
            on_stop=self.stop,
        )

    def _wire(self, connection: Connection) -> Wire:
        """From this machine, or from those of a cluster."""
        from snellen.engine.call.client import Client  # aiohttp takes a while to import

        pool, timeout = self.limits.pool, self.limits.timeout
        return Client(connection, timeout) if pool is None else pool.wire(connection, timeout)

    def _note_how_it_went(self) -> None:
        """Note what a user should know, and what the limiter did."""
        repeated = sum(caller.redacted for caller in self.callers)
        if repeated:
            self.notes.append(
                f"{repeated} replies repeated the API key: it was taken out of them before they were kept and marked"
            )
        self.notes += [note for endpoint in self.plan.subject.endpoints for note in endpoint.notes()]
        self.notes += [caller.trust.note for caller in self.callers if caller.trust.note]
        changes = [change._asdict() for change in self.limiter.history]
        self.concurrency = {"last_limit": self.limiter.limit, "changes": changes}

    async def _unless_stopped(self, work: asyncio.Future[T]) -> T | None:
        """The result of some work; None where the run is stopped before it is there."""
        stopped = asyncio.ensure_future(self._stopped.wait())
        either: set[asyncio.Future[Any]] = {work, stopped}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else None
        finally:
            stopped.cancel()
            work.cancel()

    async def _route(self, request: Request) -> Reply:
        if not self.callers:
            raise RuntimeError("this subject has no endpoint to call")
        reply = await self.callers[request.via](request.again(_REPEAT.get()))
        _MADE.get().append(reply.call)
        return reply

    async def _drive(self, call: Caller) -> None:
        loop = asyncio.get_running_loop()
        feed = self._feed = self._opened_feed()

        def pull() -> list[PreparedQuestion]:
            chunk = feed.pull()
            if self.store is not None and not self.limits.fresh:
                self.store.look_up([i.prepared.key for i in chunk if isinstance(i.prepared, Request)])
            return chunk

        pulled = self._in_thread(pull)
        ahead = pulled()
        try:
            while self._stop is None:
                chunk = await self._unless_stopped(ahead)
                if not chunk:
                    break
                ahead = pulled()
                for item in chunk:
                    await self._wait_while(lambda: len(self._tasks) >= self._width() and self._stop is None)
                    if self._stop is not None:
                        break
                    task = loop.create_task(self._one(item, call))
                    self._tasks.add(task)
                    task.add_done_callback(self._finished)
        except Exception as error:  # whatever it is, the questions before it are asked to their end
            self._stop = self._stop or error
        # whatever ended the feed: what is in flight is paid for, so wait for it, unless the user will not
        await self._wait_while(lambda: bool(self._tasks) and not isinstance(self._stop, Interrupted))

    def _opened_feed(self) -> Feed | ChoosingFeed:
        data = self.plan.data
        if isinstance(data, Adaptive):
            return ChoosingFeed(self.plan, data, self.folder, self.scan)
        return Feed(self.plan, self._is_done)

    def _in_thread(self, work: Callable[[], T]) -> Callable[[], asyncio.Future[T]]:
        """Return how to do some work once more, in one thread that can be left behind; what comes too late is dropped."""
        loop = asyncio.get_running_loop()
        turns: SimpleQueue[asyncio.Future[T] | None] = SimpleQueue()

        def run() -> None:
            while (future := turns.get()) is not None:
                try:
                    tell(future, future.set_result, work())
                except BaseException as error:
                    tell(future, future.set_exception, error)

        def tell(future: asyncio.Future[T], how: Callable[[Any], None], what: Any) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: None if future.done() else how(what))

        def once_more() -> asyncio.Future[T]:
            future: asyncio.Future[T] = loop.create_future()
            future.add_done_callback(lambda f: f.cancelled() or f.exception())  # also if nothing waits for it any more
            turns.put(future)
            return future

        thread = threading.Thread(target=run, name="snellen-data", daemon=True)
        thread.start()
        self._reading = turns, thread
        return once_more

    async def _wait_while(self, condition: Callable[[], bool]) -> None:
        """Wait until a task ends or the run stops, for as long as the condition holds."""
        while condition():
            self._room.clear()
            await self._room.wait()

    def _width(self) -> int:
        """How many samples may be in work: a few more than calls, so that no slot waits for the loop."""
        subject = self.plan.subject
        return subject.beside + (self.limiter.limit + 4 if subject.endpoints else subject.parallel)

    def stop(self, reason: BaseException) -> None:
        super().stop(reason)
        for caller in self.callers:
            caller.stopping = True
        self._room.set()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.set()
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self.stop(error)

    async def _one(self, item: PreparedQuestion, call: Caller) -> None:
        question = item.question
        if item.failure is not None:
            answer = Answer(id=question.id, prompt=question.prompt, failure=item.failure)
        else:
            answer = await self._answered(item, call)
        self._keep(answer)
        self.done += 1
        if answer.failure is None:
            self._errors_in_a_row = 0
            return
        self.errors += 1
        self._errors_in_a_row += item.failure is None
        if self._errors_in_a_row >= self.limits.max_errors:
            raise Stopped(
                f"{self._errors_in_a_row} errors in a row, the last: {answer.failure.reason}; everything is kept, "
                "run the same command to continue (--max-errors sets how many are too many)"
            )

    async def _answered(self, item: PreparedQuestion, call: Caller) -> Answer:
        """The subject's answer. Where the run ends between two of its calls, the ledger keeps those that were made."""
        question = item.question
        made: list[Call] = []
        _MADE.set(made)
        _REPEAT.set(Arm.parse(question.prompt).repeat)
        try:
            return await self.plan.subject.answer(question, item.prepared, call)
        except BaseException:
            if any(not one.stored for one in made):
                failure = Failure(kind="stopped", reason="the run ended before all calls of this question were made")
                self._keep(Answer(id=question.id, prompt=question.prompt, failure=failure, calls=tuple(made)))
            raise

    def _keep(self, answer: Answer) -> None:
        """Write an answer before the loop waits again, together with the others that arrive in the same turn."""
        for one in answer.calls:
            self.totals.add(one)
            if one.stored:
                self.reused.add(one)
        if self._feed is not None:
            self._feed.told(answer)
        self._arrived.append(answer)
        if len(self._arrived) == 1:
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        arrived, self._arrived = self._arrived, []
        if arrived:
            try:
                self.folder.append(*arrived)
            except Exception as error:  # whatever it is: an answer that was paid for cannot be written
                self.stop(error)

    # ------------------------------------------------------------ progress

    async def _tick(self) -> None:
        while True:
            self._tell_progress()
            self._room.set()  # a subject may have found more room on its own
            await asyncio.sleep(TICK)

    def _tell_progress(self) -> None:
        subject = self.plan.subject
        self.report(
            in_flight=self.limiter.in_flight if self.callers else len(self._tasks),
            limit=self.limiter.limit if self.callers else subject.parallel,
            retries=sum(caller.retries for caller in self.callers),
        )
