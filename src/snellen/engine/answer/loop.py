"""The asking loop: a feed of prepared questions, as many in work as the limiter allows, every answer written at once.

A stop ends every kind of waiting (for a server's model list, for data, for a slot). What cannot be ended, such as a read from a disk that
hangs, goes on in a thread that nothing waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from queue import SimpleQueue

import msgspec

from snellen.core.adaptive import Adaptive
from snellen.core.arm import Arm
from snellen.core.errors import Interrupted, Stopped
from snellen.core.subject import Endpoint, Reply, Request
from snellen.core.types import Answer, Call, Failure
from snellen.engine.answer.asking_pass import AskingPass, OnProgress, WaitStopped, until_stopped
from snellen.engine.answer.choosing import ChoosingFeed
from snellen.engine.ask.questions import Feed, PreparedQuestion
from snellen.engine.call.budget import budget_of
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
"""Seconds that a read under way gets to end. A read that is cut off at the end of the program can crash it."""
_IN_WORK: ContextVar[tuple[list[Call], int]] = ContextVar("in work")
"""The calls of the task's question, and the number of its repeat. (The caller does not know its question, because a subject may keep the
caller. A subject that makes its requests on the way does not know about repeats.)
"""


class Asking(AskingPass):
    """One pass over the open questions of a run, with as many calls in flight as the limiter allows."""

    def __init__(self, plan: Plan, folder: RunFolder, scan: Scan, store: Store | None, on_progress: OnProgress) -> None:
        super().__init__(plan, folder, scan, store, on_progress)
        self._errors_in_a_row = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Event()
        self._arrived: list[Answer] = []
        self.limiter = Limiter(self.limits.concurrency)
        self.callers: list[EndpointCaller] = []
        self._feed: Feed | ChoosingFeed = plan.feed(scan.last.answered)
        if isinstance(plan.data, Adaptive):
            self._feed = ChoosingFeed(plan, plan.data, folder, scan)
        self._wanted: SimpleQueue[Future[list[PreparedQuestion]] | None] = SimpleQueue()
        """Chunks of questions for the reading thread to make. None ends the thread."""

    async def run(self) -> None:
        wires: list[Wire] = []
        ticker = asyncio.create_task(self._tick())
        reading = threading.Thread(target=self._read, name="snellen-data", daemon=True)
        reading.start()
        try:
            with contextlib.suppress(WaitStopped):
                await self._open_calls(wires)
                await self._drive()
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
            self._feed.close()
            self._wanted.put(None)
            reading.join(GRACE)
            self._note_how_it_went()
            self._tell_progress()

    async def _open_calls(self, wires: list[Wire]) -> None:
        """Prepare to call the subject's endpoints. Endpoints at one address share a limit and one request for their model lists."""
        from snellen.engine.call.client import Client  # aiohttp takes a while to import

        pool, cap = self.limits.pool, self.limits.max_cost
        if pool is not None and self.plan.subject.endpoints:
            self.limiter.ceiling = CEILING * pool.nodes  # each may have as many calls in flight as this machine
        given = any(endpoint.price_given for endpoint in self.plan.subject.endpoints)
        budget = budget_of(self.totals, cap, self.limits.shared, self.folder.path.name, price_given=given)
        at: dict[str, tuple[Wire, Limiter, list[Endpoint]]] = {}
        for endpoint in self.plan.subject.endpoints:
            timeout, connection = self.limits.timeout, endpoint.connection
            wires.append(Client(connection, timeout) if pool is None else pool.wire(connection, timeout))
            limiter = Limiter(self.limits.concurrency) if at else self.limiter
            there = at.setdefault(connection.url, (wires[-1], limiter, []))
            there[2].append(endpoint)
            caller = EndpointCaller(
                endpoint,
                wires[-1],
                limiter=there[1],
                budget=budget,
                store=self.store,
                tries=self.limits.tries or TRIES,
                use_stored=not self.limits.fresh,
                on_stop=self.stop,
                stopped=self._stopped,
            )
            self.callers.append(caller)
        for wire, _limiter, endpoints in at.values():
            await until_stopped(preflight(wire, endpoints, budget.cap), self._stopped)

    def _note_how_it_went(self) -> None:
        """Record the notes for the user and the limiter's record."""
        repeated = sum(caller.redacted for caller in self.callers)
        if repeated:
            self.notes.append(
                f"{repeated} replies repeated the API key: it was taken out of them before they were kept and marked"
            )
        self.notes += [note for endpoint in self.plan.subject.endpoints for note in endpoint.notes()]
        self.notes += [caller.trust.note for caller in self.callers if caller.trust.note]
        changes = [change._asdict() for change in self.limiter.history]
        self.concurrency = {"last_limit": self.limiter.limit, "changes": changes}

    async def _drive(self) -> None:
        """Send the questions of the feed to the subject."""
        ahead = self._pulled()
        try:
            while self._stop is None:
                chunk = await until_stopped(ahead, self._stopped)
                if not chunk:
                    break
                ahead = self._pulled()
                while chunk:  # emptied, so that a question is not held longer than it is in work
                    await self._wait_while(lambda: len(self._tasks) >= self._width() and self._stop is None)
                    if self._stop is not None:
                        break
                    task = asyncio.create_task(self._one(chunk.pop(0)))
                    self._tasks.add(task)
                    task.add_done_callback(self._finished)
        except WaitStopped:
            pass
        except Exception as error:  # after any error, the questions before it are asked to their end
            self._stop = self._stop or error
        finally:
            ahead.cancel()
        # however the feed ended: calls in flight are paid for, so wait for them unless the user stops the run
        await self._wait_while(lambda: bool(self._tasks) and not isinstance(self._stop, Interrupted))

    def _pulled(self) -> asyncio.Future[list[PreparedQuestion]]:
        """Have the reading thread make the next questions."""
        future: Future[list[PreparedQuestion]] = Future()
        self._wanted.put(future)
        here = asyncio.wrap_future(future)
        here.add_done_callback(lambda f: f.cancelled() or f.exception())  # also if nothing waits for it any more
        return here

    def _read(self) -> None:
        """Make questions on request, in a thread that can be left behind.

        One thread makes all of them: with several threads, the heap would grow in as many places.
        """
        while (future := self._wanted.get()) is not None:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                chunk = self._feed.pull()
                if self.store is not None and not self.limits.fresh:
                    self.store.look_up([i.prepared.key for i in chunk if isinstance(i.prepared, Request)])
                future.set_result(chunk)
            except BaseException as error:
                future.set_exception(error)

    async def _wait_while(self, condition: Callable[[], bool]) -> None:
        """Wait until a task ends or the run stops, as long as the condition holds."""
        while condition():
            self._room.clear()
            await self._room.wait()

    def _width(self) -> int:
        """Return how many samples may be in work: a few more than the calls, so that no slot waits for the loop."""
        subject = self.plan.subject
        return subject.beside + (self.limiter.limit + 4 if subject.endpoints else subject.parallel)

    def stop(self, reason: BaseException) -> None:
        super().stop(reason)
        self._room.set()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.set()
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self.stop(error)

    async def _one(self, item: PreparedQuestion) -> None:
        """Ask the subject one question. If the run ends between two of its calls, the ledger keeps the calls that were made."""
        question = item.question
        answer = Answer(id=question.id, prompt=question.prompt, failure=item.failure)
        if item.failure is None:
            made: list[Call] = []
            _IN_WORK.set((made, Arm.parse(question.prompt).repeat))
            try:
                answer = await self.plan.subject.answer(question, item.prepared, self._route)
            except BaseException:
                if any(not one.stored for one in made):
                    failure = Failure(
                        kind="stopped", reason="the run ended before all calls of this question were made"
                    )
                    self._keep(msgspec.structs.replace(answer, failure=failure, calls=tuple(made)))
                raise
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

    async def _route(self, request: Request) -> Reply:
        """Send a request of the current question to its endpoint."""
        if not self.callers:
            raise RuntimeError("this subject has no endpoint to call")
        made, repeat = _IN_WORK.get()
        reply = await self.callers[request.via](request.again(repeat))
        made.append(reply.call)
        return reply

    def _keep(self, answer: Answer) -> None:
        """Write an answer before the loop waits again, together with the others that arrive in the same turn."""
        for one in answer.calls:
            self.totals.add(one)
            if one.stored:
                self.reused.add(one)
        self._feed.told(answer)
        self._arrived.append(answer)
        if len(self._arrived) == 1:
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        arrived, self._arrived = self._arrived, []
        if arrived:
            try:
                self.folder.append(*arrived)
            except Exception as error:  # any error here means that an answer that was paid for cannot be written
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
