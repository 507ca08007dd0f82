"""Asking by batches: every open question is handed in at once, and the answers are collected when the provider is done.

The money is held before anything is handed in: a batch goes only if all of it fits under the cap at the most that it may cost. What is
under way is in the run folder's books, so the same command waits for it, whatever ended the one before.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tempfile
import time
from collections.abc import Callable, Generator
from typing import IO, Any, NamedTuple

import msgspec

from snellen.core.batch import BatchApi, BatchResult, BatchState, Step
from snellen.core.errors import Interrupted, SnellenError, Stopped
from snellen.core.subject import BrokenReply, Endpoint, Parsed, Reply, Request
from snellen.core.text import one_line
from snellen.core.types import Answer, Call, Failure, Question
from snellen.engine.answer.feeding import Feeder, Item
from snellen.engine.answer.loop import Progress
from snellen.engine.call.budget import BudgetReached
from snellen.engine.call.caller import UNPROCESSED
from snellen.engine.call.preflight import preflight
from snellen.engine.call.retry import wait_before, worth_retrying
from snellen.engine.call.store import Store
from snellen.engine.call.transport import Fault, Response, Transport
from snellen.engine.plan.plan import Plan
from snellen.engine.runs.batch_books import BatchEntry, Books, Inside
from snellen.engine.runs.folder import Key, RunFolder, Scan

FIRST_LOOK, LONGEST_WAIT, GROWTH = 1.0, 60.0, 1.5
LARGEST_RESULT = 2_000_000_000
TOGETHER = 64
SKEW = 300
"""Seconds by which a provider's clock may be behind ours."""


class Unsent(Exception):
    """A step that failed before the provider can have acted on it."""


class _Filling:
    """A batch that is being put together."""

    def __init__(self, api: BatchApi) -> None:
        self._api = api
        self.entries: list[bytes] = []
        self.inside: list[Inside] = []
        self.size = 0
        self.bound: float | None = 0.0

    def takes(self, body: bytes) -> bool:
        """Whether one more request fits."""
        return len(self.entries) < self._api.most and self.size + len(body) + 512 <= self._api.largest

    def add(self, item: Item, body: bytes, bound: float | None) -> None:
        question, request = item.question, item.prepared
        entry = self._api.entry(request.key, body)
        self.entries.append(entry)
        self.inside.append(
            Inside(key=request.key, id=question.id, prompt=question.prompt, shots=question.shots, images=request.images)
        )
        self.size += len(entry) + len(self._api.between)
        self.bound = None if bound is None or self.bound is None else self.bound + bound

    @property
    def payload(self) -> bytes:
        return self._api.opening + self._api.between.join(self.entries) + self._api.closing


class _Under(NamedTuple):
    """A batch that is under way, and whether it is known to be ours."""

    entry: BatchEntry
    sure: bool = True


class Batching:
    """One pass over the open questions of a run, by batches."""

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        scan: Scan,
        store: Store | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.plan, self.folder, self.store = plan, folder, store
        self.endpoint = endpoint_of(plan)
        api = self.endpoint.batches
        if api is None:
            raise SnellenError(f"--batch-api: {plan.subject.spec} has no batches")
        self.api: BatchApi = api
        self.books = Books(folder)
        self.total = sum(plan.questions.values())
        arms = {arm.text for arm in plan.arms}
        self._done = {k for k in scan.last if k[1] in arms and k not in scan.failed}
        self._begun = len(self._done)
        self.totals = scan.totals
        self.notes: list[str] = []
        self._errors = self._in_batches = self._looked = 0
        self._on_progress = on_progress
        self._stop: BaseException | None = None
        self._stopped = asyncio.Event()
        self._start = time.monotonic()
        self._transport: Transport | None = None
        self._tried: set[Key] = set()
        """Questions that were handed in by this command: what failed is not handed in again at once."""
        self._again: set[Key] = set()
        """Those of them that were refused for a parameter which is left out by now."""
        self._revision = 0

    # ------------------------------------------------------------ the whole

    def stop(self, reason: BaseException) -> None:
        """Wait no longer."""
        self._stop = self._stop or reason
        self._stopped.set()

    async def run(self) -> None:
        """Collect what is under way, hand in what is open, and collect that."""
        self._transport = Transport(self.endpoint.connection, self.plan.limits.timeout)
        try:
            await self._unless_stopped(preflight(self.endpoint, self._transport))
            await self._collect([await self._found_again(entry) for entry in self.books.open])
            while self._stop is None and (under := await self._hand_in()):
                await self._collect(under)
                self._tried -= self._again
                self._again.clear()
            self._raise_if_stopped()
        finally:
            self.notes += self.endpoint.notes()
            await self._transport.close()
            await self.plan.subject.close()
            self._report()

    def _raise_if_stopped(self) -> None:
        if self._stop is None:
            return
        for entry in self.books.open:
            self.notes.append(
                f"batch {entry.id or entry.mark} with {entry.count} questions goes on at the provider and is paid there; the same command "
                "collects it (--cancel-batches with Ctrl-C calls it off)"
            )
        raise self._stop

    async def _unless_stopped(self, work: Any) -> Any:
        """The result of some work; None where the run is stopped before it is there."""
        task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            stopped.cancel()
            task.cancel()

    # ------------------------------------------------------------ handing in

    async def _hand_in(self) -> list[_Under]:
        """Hand in as many batches of open questions as the cap allows. None are left when nothing is."""
        under: list[_Under] = []
        held, full = 0.0, False
        settled = self._done | self._tried
        feed = Feeder(self.plan, self.folder.path, settled.__contains__, self.total - len(settled))
        filling = _Filling(self.api)
        self._revision = self.endpoint.revision
        try:
            while not full and self._stop is None:
                chunk = await self._unless_stopped(asyncio.to_thread(feed.pull))
                if not chunk:
                    break
                for item in chunk:
                    if self._kept(item):
                        continue
                    body = self.endpoint.body_of(item.prepared)
                    bound = self._bound(item.prepared)
                    if not self._fits(held + (bound or 0.0)):
                        full = True
                        break
                    if not filling.takes(body):
                        under.append(await self._sent(filling))
                        filling = _Filling(self.api)
                    filling.add(item, body, bound)
                    self._tried.add((item.question.id, item.question.prompt))
                    held += bound or 0.0
        finally:
            feed.close()
        if self._stop is not None:
            return under
        if filling.entries:
            under.append(await self._sent(filling))
        if full and not under:
            raise BudgetReached(
                f"--max-cost {self.plan.limits.max_cost:g} USD reached: {self.totals.cost:.6g} USD spent and the next question would go "
                "past it; everything is kept, the same command with a higher --max-cost goes on"
            )
        return under

    def _bound(self, request: Request) -> float | None:
        """The most that a request may cost in a batch."""
        price = self.plan.subject.price
        if request.cost_bound is None or price is None:
            if self.plan.limits.max_cost is not None:
                raise SnellenError(
                    "--max-cost cannot be kept in a batch: the model's price is not known; give --price IN/OUT"
                )
            return None
        return request.cost_bound * (self.api.share if price.batch is None else price.batch)

    def _fits(self, held: float) -> bool:
        cap = self.plan.limits.max_cost
        return cap is None or self.totals.cost + held <= cap * (1 + 1e-9)

    def _kept(self, item: Item) -> bool:
        """Whether a question needs no batch: it cannot be asked, or was answered before."""
        question = item.question
        if item.failure is not None:
            self._keep(Answer(id=question.id, prompt=question.prompt, failure=item.failure))
            return True
        known = self.store.get(item.prepared.key) if self.store is not None and not self.plan.limits.fresh else None
        if known is None:
            return False
        call = msgspec.structs.replace(known.call, stored=True)
        self._keep(self.plan.subject.answered(question, msgspec.structs.replace(known, call=call)))
        return True

    async def _sent(self, filling: _Filling) -> _Under:
        """Write a batch down, hand it in, and write its id down."""
        mark = secrets.token_hex(8)
        entry = BatchEntry(mark=mark, at=int(time.time()), count=len(filling.entries), bound=filling.bound)
        self.books.plan(entry, filling.inside)
        self._in_batches += entry.count
        self._report()
        try:
            number = await self._driven(self.api.submit(filling.payload, mark))
        except Unsent as error:
            self.books.forget(entry)
            raise SnellenError(f"the batch was not taken: {error}") from None
        entry = msgspec.structs.replace(entry, state="sent", id=number)
        self.books.note(entry)
        return _Under(entry)

    async def _found_again(self, entry: BatchEntry) -> _Under:
        """A batch of an earlier process; one whose id was never written down is looked for at the provider."""
        self._in_batches += entry.count
        if entry.id:
            return _Under(entry)
        listed = self.api.listed((await self._step(self.api.listing())).body)
        named = [s for s in listed if s.mark == entry.mark]
        alike = [
            s
            for s in sorted(listed, key=lambda s: s.created)
            if not s.mark and s.total == entry.count and s.created >= entry.at - SKEW and s.id not in self.books.ids
        ]
        if named or alike:
            found = msgspec.structs.replace(entry, state="sent", id=(named or alike)[0].id)
            self.books.note(found)
            return _Under(found, sure=bool(named))
        return _Under(entry, sure=False)  # it was never handed in

    # ------------------------------------------------------------ collecting

    async def _collect(self, under: list[_Under]) -> None:
        """Wait for batches and keep what comes out of them."""
        waiting, wait = list(under), FIRST_LOOK
        for one in [o for o in waiting if not o.entry.id]:
            self._let_go(one.entry)
            waiting.remove(one)
        while waiting and self._stop is None:
            looked = 0
            for one in list(waiting):
                state = self.api.state((await self._step(self.api.look(one.entry.id))).body)
                looked += state.done
                if state.ended:
                    await self._taken(one, state)
                    waiting.remove(one)
            self._looked = looked
            self._report()
            if waiting:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopped.wait(), wait)
                wait = min(LONGEST_WAIT, wait * GROWTH)
        if isinstance(self._stop, Interrupted) and self.plan.limits.cancel_batches:
            for one in waiting:
                await self._step(self.api.cancel(one.entry.id))
                self.notes.append(
                    f"batch {one.entry.id} was called off; what it had answered by then is paid and can be collected"
                )

    def _let_go(self, entry: BatchEntry) -> None:
        self._in_batches -= entry.count
        self.books.forget(entry)

    async def _taken(self, one: _Under, state: BatchState) -> None:
        """Keep the results of a batch that has ended."""
        wanted = {i.key: i for i in self.books.inside(one.entry)}
        if state.failure:
            self.books.forget(one.entry)
            self._in_batches -= one.entry.count
            raise Stopped(
                f"batch {one.entry.id} failed ({state.failure}); everything is kept, the same command hands it in again"
            )
        with tempfile.TemporaryFile() as file:
            for address in state.results:
                await self._step(Step("GET", address), into=file)
                file.write(b"\n")
            if not one.sure and not self._is_ours(file, wanted):
                self._let_go(one.entry)
                return
            self._keep_all(file, wanted, one.entry)
        self._in_batches -= one.entry.count
        self.books.note(msgspec.structs.replace(one.entry, state="done"))

    def _results(self, file: IO[bytes]) -> Generator[BatchResult, None, None]:
        file.seek(0)
        for line in file:
            if line.strip():
                try:
                    yield self.api.result(line)
                except ValueError as error:
                    self.notes.append(f"a line of a batch's results cannot be read: {one_line(str(error), 120)}")

    def _is_ours(self, file: IO[bytes], wanted: dict[str, Inside]) -> bool:
        """Whether a batch that was found by its size and time has our keys in it."""
        first = next(self._results(file), None)
        return first is not None and first.key in wanted

    def _keep_all(self, file: IO[bytes], wanted: dict[str, Inside], entry: BatchEntry) -> None:
        arrived: list[Answer] = []
        for result in self._results(file):
            inside = wanted.pop(result.key, None)
            if inside is None or (inside.id, inside.prompt) in self._done:
                continue
            if self._is_refused(result):
                self._again.add((inside.id, inside.prompt))
                continue
            reply = self._reply(result, inside, entry)
            question = Question(
                id=inside.id, benchmark=self.plan.exam.name, prompt=inside.prompt, parts=(), shots=inside.shots
            )
            if self.store is not None and reply.failure is None:
                self.store.put(result.key, reply)
            arrived.append(self.plan.subject.answered(question, reply))
            if len(arrived) >= TOGETHER:
                self._keep(*arrived)
                arrived = []
        self._keep(*arrived)
        lost = [i for i in wanted.values() if (i.id, i.prompt) not in self._done | self._again]
        reason = Failure(kind="batch", reason="the batch has no result for this question")
        self._keep(*(Answer(id=i.id, prompt=i.prompt, failure=reason) for i in lost))

    def _is_refused(self, result: BatchResult) -> bool:
        """Whether a request was refused for a parameter that is left out from now on."""
        if result.status not in UNPROCESSED:
            return False
        given_in = self.endpoint.revision == self._revision and self.endpoint.give_in(result.status, result.body)
        return given_in or self.endpoint.revision != self._revision

    def _reply(self, result: BatchResult, inside: Inside, entry: BatchEntry) -> Reply:
        """The reply that a result is, with its ledger."""
        good = result.status == 200
        try:
            parsed = self.endpoint.parse(result.body) if good else self.endpoint.explain(result.status, result.body)
        except BrokenReply as broken:
            parsed = broken.bill._replace(error=Failure(kind="broken-reply", reason=f"broken reply: {broken}"))
        except Exception as error:
            said = self.endpoint.connection.key.redact(str(error)) or type(error).__name__
            parsed = Parsed(error=Failure(kind="broken-reply", reason=f"broken reply: {one_line(said)}"))
        parsed = self._priced(parsed)
        call = Call(
            key=result.key,
            kind=self.endpoint.kind,
            endpoint=self.endpoint.connection.url,
            model=self.endpoint.model,
            model_returned=parsed.model,
            provider=parsed.provider,
            images=inside.images,
            usage=parsed.usage,
            cost=parsed.cost,
            cost_source=parsed.cost_source,
            tries=1,
            finish_reason=parsed.finish_reason,
            response_id=parsed.response_id,
            left_out=self.endpoint.left_out,
            batch=entry.id,
            at=int(time.time()),
            note=parsed.note,
        )
        return Reply(
            call=call,
            text=parsed.text,
            thinking=parsed.thinking,
            failure=parsed.error,
            refused=parsed.refused,
            tokens=parsed.tokens,
        )

    def _priced(self, parsed: Parsed) -> Parsed:
        """What a reply cost in a batch; nothing for one that was not worked on."""
        price = self.plan.subject.price
        if parsed.error is not None:
            return parsed._replace(cost=parsed.cost or 0.0)
        if price is None or parsed.usage.input_tokens is None or parsed.cost_source not in (price.source, None):
            return parsed
        cost = price._replace(batch=self.api.share if price.batch is None else price.batch).bill(
            parsed.usage, in_batch=True
        )
        return parsed._replace(cost=cost, cost_source=f"{price.source}, in a batch")

    def _keep(self, *answers: Answer) -> None:
        if not answers:
            return
        self.folder.append(*answers)
        for answer in answers:
            for call in answer.calls:
                self.totals.add(call)
            if answer.failure is None:
                self._done.add((answer.id, answer.prompt))
            else:
                self._errors += 1
        self._report()

    # ------------------------------------------------------------ exchanges

    async def _driven(self, steps: Generator[Step, bytes, str]) -> str:
        """Carry out the steps of a submission; the last one, which makes the batch, is never sent twice."""
        step = next(steps)
        while True:
            response = await self._step(step, again=False)
            try:
                step = steps.send(response.body)
            except StopIteration as end:
                return str(end.value)

    async def _step(self, step: Step, *, again: bool = True, into: IO[bytes] | None = None) -> Response:
        """One exchange. What only reads is tried several times; what may create something is not, unless it was refused."""
        if self._transport is None:
            raise RuntimeError("no transport")
        tries = self.plan.limits.tries or 6
        for number in range(1, tries + 1):
            place = into.tell() if into is not None else 0
            try:
                response = await self._transport.request(
                    step.method,
                    step.path,
                    step.body,
                    step.content_type,
                    largest=LARGEST_RESULT,
                    into=into,  # type: ignore[arg-type]
                )
            except Fault as fault:
                if not again and fault.sent:
                    raise Stopped(
                        f"the provider's answer to a batch was lost ({fault}); the same command looks for the batch there"
                    ) from None
                reason, status = str(fault), None
            else:
                if response.status == 200:
                    return response
                self._raise_if_final(response)
                reason, status = f"status {response.status}", response.status
                if not again and response.status >= 500:  # it may have been made all the same
                    raise Stopped(
                        f"the provider failed while it took a batch ({reason}); the same command looks for the batch there"
                    )
            if into is not None:
                into.seek(place)
                into.truncate()
            if number == tries or not worth_retrying(status):
                break
            await asyncio.sleep(wait_before(number, None, 0.5))
        if not again:
            raise Unsent(reason)
        raise Stopped(f"{step.method} {step.path} failed ({reason}); everything is kept, the same command goes on")

    def _raise_if_final(self, response: Response) -> None:
        if worth_retrying(response.status):
            return
        error = self.endpoint.explain(response.status, response.body).error
        said = error.reason if error is not None else f"status {response.status}"
        kind = Stopped if error is not None and error.kind == "no-credit" else SnellenError
        raise kind(f"batches at {self.endpoint.connection.url}: {said}")

    # ------------------------------------------------------------ progress

    def _report(self) -> None:
        if self._on_progress is None:
            return
        self._on_progress(
            Progress(
                total=self.total,
                done=len(self._done) + self._errors,
                errors=self._errors,
                stored=self.totals.stored,
                in_flight=max(0, self._in_batches - self._looked),
                limit=self._in_batches,
                retries=0,
                cost=self.totals.cost,
                cost_unknown=self.totals.cost_unknown,
                seconds=time.monotonic() - self._start,
                begun=self._begun,
            )
        )


def endpoint_of(plan: Plan) -> Endpoint:
    """The endpoint whose batches a subject can be asked by: one that asks one model, once a question."""
    endpoint = plan.subject.endpoint
    if endpoint is None or endpoint is not plan.subject:  # type: ignore[comparison-overlap]
        raise SnellenError(
            f"--batch-api means nothing for {plan.subject.spec}: it asks no provider, or more than once a question"
        )
    return endpoint
