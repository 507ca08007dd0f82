"""Asking in batches: every open question is submitted at once, and the answers are collected when the provider is done.

The budget is reserved before anything is submitted: a batch goes only if its highest possible cost fits under the cap. Batches under way
are recorded in the run folder, so the same command waits for them, however the previous one ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tempfile
import time
from collections.abc import Generator
from typing import BinaryIO

import msgspec

from snellen.core.arm import Arm
from snellen.core.batch import BatchApi, BatchResult, BatchState, BatchStep
from snellen.core.errors import Interrupted, SnellenError, Stopped
from snellen.core.records import REFUSED
from snellen.core.subject import Endpoint, Parsed, Price, Reply, Request
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, Question
from snellen.data.line_offsets import Key
from snellen.engine.answer.asking_pass import AskingPass, OnProgress, WaitStopped, until_stopped
from snellen.engine.answer.batch_draft import BatchDraft, lines_in
from snellen.engine.answer.batch_wire import BatchWire, UnconfirmedBatch
from snellen.engine.ask.questions import Feed, PreparedQuestion
from snellen.engine.call.budget import budget_of
from snellen.engine.call.caller import as_stored, gives_in, reply_of, understood
from snellen.engine.call.preflight import preflight
from snellen.engine.call.retry import pause
from snellen.engine.call.store import Store
from snellen.engine.plan.plan import Plan
from snellen.engine.plan.request import TRIES
from snellen.engine.runs.batch_books import BatchedQuestion, BatchEntry, BatchRecords
from snellen.engine.runs.folder import RunFolder, Scan

FIRST_LOOK, LONGEST_WAIT, GROWTH = 1.0, 60.0, 1.5
LOOKS = 20
"""The number of tries for one look at a batch. After hours of waiting, a run should survive a quarter of an hour without the provider."""
TOGETHER = 64


class Batching(AskingPass):
    """One pass over the open questions of a run, in batches."""

    def __init__(self, plan: Plan, folder: RunFolder, scan: Scan, store: Store | None, on_progress: OnProgress) -> None:
        from snellen.engine.call.client import Client  # aiohttp takes a while to import

        super().__init__(plan, folder, scan, store, on_progress)
        self.endpoint, self.api = batches_of(plan)
        self.books = BatchRecords(folder)
        arms = {arm.text for arm in plan.arms}
        self._done = {key for key in folder.answered(scan) if key[1] in arms}
        self._wordings = {prompt: w.digest for prompt, w in folder.manifest().wordings.items()}
        self._in_batches = self._looked = 0
        self._transport = Client(self.endpoint.connection, plan.limits.timeout)
        self._wire = BatchWire(self.endpoint, self._transport, plan.limits.tries or TRIES, self._stopped)
        self._doubtful: list[BatchEntry] = []
        """Batches that may exist, although they were not found at the provider."""
        self._tried: set[Key] = set()
        """Questions that this command has submitted. A question that failed is not submitted again at once."""
        self._again: set[Key] = set()
        """Submitted questions that were refused because of a parameter that is now left out."""
        self._revision = 0
        self._broken: Exception | None = None
        """The error that ended the reading of the data early."""

    # ------------------------------------------------------------ the whole

    async def run(self) -> None:
        """Collect the batches under way, submit the open questions, and collect those."""
        try:
            with contextlib.suppress(WaitStopped):
                await self._work()
            if self._stop is not None:
                raise self._stop
        except Stopped as error:
            called_off = await self._call_off() if isinstance(error, Interrupted) else set()
            self.notes += [_goes_on(entry) for entry in self.books.open if entry.mark not in called_off]
            raise
        finally:
            self.notes += self.endpoint.notes()
            await self._transport.close()
            self._report()

    async def _work(self) -> None:
        await until_stopped(preflight(self._transport, [self.endpoint], self.limits.max_cost), self._stopped)
        self._revision = self.endpoint.revision
        again = [await self._found_again(entry) for entry in self.books.open]
        await self._collect([entry for entry in again if entry is not None])
        self._stop_if_doubtful()
        while under := await self._hand_in():
            await self._collect(under)
            self._tried -= self._again
            self._again.clear()
        cap = self.limits.max_cost
        if cap is not None and self.totals.cost > cap * (1 + 1e-9):
            self.notes.append(
                f"{self.totals.cost:.6g} USD were spent, more than --max-cost {cap:g}: the provider counted more tokens than the estimate"
            )
        if self._broken is not None:
            raise self._broken

    async def _call_off(self) -> set[str]:
        """Cancel batches at the provider if the user asked for it. Return the marks of the cancelled batches."""
        done = set()
        for entry in self.books.open if self.limits.cancel_batches else []:
            if not entry.id:
                continue
            try:
                await self._wire.exchange(self.api.cancel(entry.id), tries=2, to_the_end=True)
            except SnellenError as error:
                self.notes.append(f"batch {entry.id} could not be called off: {error}")
                continue
            done.add(entry.mark)
            self.notes.append(
                f"batch {entry.id} was called off; what it had answered by then is paid, and the same command collects it"
            )
        return done

    # ------------------------------------------------------------ submitting

    async def _hand_in(self) -> list[BatchEntry]:
        """Submit as many batches of open questions as the cap allows. Return an empty list when no question is open."""
        under: list[BatchEntry] = []
        held, full = 0.0, False
        settled = self._done | self._tried
        handed_in: set[str] = set()
        feed = self.plan.feed(settled.__contains__)
        filling = BatchDraft(self.api)
        self._revision, self._broken = self.endpoint.revision, None
        try:
            while not full:
                chunk = await self._pulled(feed)
                if not chunk:
                    break
                for item in chunk:
                    key = (item.question.id, item.question.prompt)
                    if self._kept(item):
                        continue
                    if item.prepared.key in handed_in:
                        continue  # its answer comes with another batch and is known then
                    if item.prepared.key in filling.keys:
                        filling.join(item)
                        self._tried.add(key)
                        continue
                    body = self.endpoint.body_of(item.prepared)
                    bound = self._bound(item.prepared)
                    if not self._fits(held, bound or 0.0):
                        full = True
                        break
                    if not filling.takes(body):
                        under.append(await self._sent(filling))
                        handed_in |= filling.keys
                        filling = BatchDraft(self.api)
                    filling.add(item, body, bound)
                    self._tried.add(key)
                    held += bound or 0.0
        finally:
            feed.close()
        if filling.entries:
            under.append(await self._sent(filling))
        if full and not under:
            raise budget_of(self.totals, self.limits.max_cost).reached(bound, "question")
        return under

    async def _pulled(self, feed: Feed) -> list[PreparedQuestion]:
        """Return the next questions. If reading ends early, the questions before that point are submitted and collected first."""
        try:
            return await until_stopped(asyncio.to_thread(feed.pull), self._stopped)
        except WaitStopped:
            raise
        except Exception as error:
            self._broken = error
            return []

    @property
    def _price(self) -> Price | None:
        """The model's price, reduced to the share that a batch costs."""
        price = self.plan.subject.price
        return price._replace(batch=self.api.share) if price is not None and price.batch is None else price

    def _bound(self, request: Request) -> float | None:
        """Return the highest possible cost of a request in a batch."""
        price = self._price
        if request.cost_bound is None or price is None or price.batch is None:
            if self.limits.max_cost is not None:
                raise SnellenError(
                    "--max-cost cannot be kept in a batch: the model's price is not known; give --price IN/OUT"
                )
            return None
        return request.cost_bound * price.batch

    def _fits(self, held: float, bound: float) -> bool:
        """Tell whether one more request fits under the cap. A reply of unknown cost counts as much as the most expensive one."""
        cap, known = self.limits.max_cost, self.totals
        unknown = known.unknown_at_most + known.unbounded * max(known.dearest_call or 0.0, bound)
        return cap is None or known.cost + unknown + held + bound <= cap * (1 + 1e-9)

    def _kept(self, item: PreparedQuestion) -> bool:
        """Tell whether a question needs no batch because it cannot be asked or was answered before."""
        question = item.question
        if item.failure is not None:
            self._tried.add((question.id, question.prompt))
            self._keep(Answer(id=question.id, prompt=question.prompt, failure=item.failure))
            return True
        known = self.store.get(item.prepared.key) if self.store is not None and not self.limits.fresh else None
        if known is None:
            return False
        self._keep(self.plan.subject.answered(question, as_stored(known)))
        return True

    async def _sent(self, filling: BatchDraft) -> BatchEntry:
        """Record a batch, submit it, and record its id."""
        mark = secrets.token_hex(8)
        entry = BatchEntry(
            mark=mark,
            at=int(time.time()),
            count=len(filling.entries),
            bound=filling.bound,
            wordings={p: self._wordings[p] for p in {Arm.parse(i.prompt).prompt for i in filling.inside}},
            left_out=self.endpoint.left_out,
            state="prepared",
        )
        planned = msgspec.structs.replace(entry, state="planned")
        self.books.plan(entry, filling.inside)
        self._in_batches += entry.count
        self._report()
        try:
            steps = self.api.submit(filling.payload, mark)
            number = await self._wire.submitted(steps, before_making=lambda: self.books.note(planned))
        except UnconfirmedBatch:
            raise
        except SnellenError:
            self._let_go(entry)
            raise
        entry = msgspec.structs.replace(entry, state="sent", id=number)
        self.books.note(entry)
        return entry

    async def _found_again(self, entry: BatchEntry) -> BatchEntry | None:
        """Return a batch of an earlier process. If its id was never recorded, look for it at the provider."""
        self._in_batches += entry.count
        if not self.books.path(entry).exists():
            if entry.id:
                raise Stopped(
                    f"batch {entry.id} was handed in and is paid, but {self.books.path(entry)}, which says what is in it, is gone: put it "
                    "back, or begin another run with --out (what is answered is in the store and costs nothing)"
                )
            self.notes.append(f"a batch that may have been made is given up: {self.books.path(entry)} was deleted")
            self._let_go(entry)
            return None
        if entry.state == "prepared":
            self._let_go(entry)
            return None
        if not entry.id:
            number = await self._wire.labelled(self.api, entry.mark)
            if not number:
                self._doubtful.append(entry)
                return None
            entry = msgspec.structs.replace(entry, state="sent", id=number)
            self.books.note(entry)
        return entry

    def _stop_if_doubtful(self) -> None:
        """Stop if submitting questions again might pay for them twice."""
        if self._doubtful:
            entry = self._doubtful[0]
            raise Stopped(
                f"A batch of {entry.count} questions (label {entry.mark}) may exist at the provider, but it was not found there. "
                'Nothing was handed in again. If the provider\'s console shows it, add "id": "ITS ID" to its entry in '
                f"{self.books.file}; if not, delete {self.books.path(entry)}. The same command then goes on"
            )

    # ------------------------------------------------------------ collecting

    async def _collect(self, under: list[BatchEntry]) -> None:
        """Wait for batches and store their results."""
        waiting, wait = list(under), FIRST_LOOK
        while waiting:
            looked = 0
            for entry in list(waiting):
                state = await self._wire.read(self.api.look(entry.id), self.api.state, LOOKS)
                looked += state.done
                if state.ended:
                    waiting.remove(entry)
                    await self._take(entry, state)
            self._looked = looked
            self._report()
            if waiting:
                await pause(wait, self._stopped)
                wait = min(LONGEST_WAIT, wait * GROWTH)

    def _let_go(self, entry: BatchEntry) -> None:
        self._in_batches -= entry.count
        self.books.forget(entry)

    async def _take(self, entry: BatchEntry, state: BatchState) -> None:
        """Store the results of a batch that has ended."""
        wanted: dict[str, list[BatchedQuestion]] = {}
        for inside in self.books.inside(entry):
            wanted.setdefault(inside.key, []).append(inside)
        if state.failure:
            self._let_go(entry)
            why = self.endpoint.connection.key.redact(state.failure)
            raise Stopped(
                f"batch {entry.id} failed ({why}); everything is kept, the same command hands its questions in again"
            )
        self._in_batches -= entry.count
        try:
            with tempfile.TemporaryFile() as file:
                # a provider without counts has answered every question, or none
                lines, expected = await self._downloaded(state, file, entry.count)
                self._keep_all(file, wanted, entry, whole=lines >= expected)
        except OSError as error:
            raise Stopped(
                f"cannot write the results of a batch into {tempfile.gettempdir()} ({error.strerror}): free some space and run "
                "the same command"
            ) from None
        if lines < expected:
            raise Stopped(
                f"The results of batch {entry.id} are cut short: {lines} of {expected} came. They are kept, and the same command "
                f"downloads the rest. To give it up, begin another run with --out: it asks for the rest, which is paid again"
            )
        self.books.note(msgspec.structs.replace(entry, state="done"))

    async def _downloaded(self, state: BatchState, file: BinaryIO, count: int) -> tuple[int, int]:
        """Download the results of a batch of `count` requests. Return how many results came and how many there are.

        Some providers count unprocessed requests as done and others do not. With a line for every request, nothing is missing.
        """
        lines = every = 0
        for address in state.results:
            begin = file.tell()
            await self._wire.exchange(BatchStep("GET", address), into=file)
            worked, whole = lines_in(self.api, file, begin)
            lines, every = lines + worked, every + whole
            file.write(b"\n")
        return lines, 0 if every >= count else state.done or (count if lines else 0)

    def _results(self, file: BinaryIO, broken: list[str]) -> Generator[BatchResult, None, None]:
        """Yield the results in a file. Lines that cannot be read are appended to `broken`."""
        file.seek(0)
        for line in file:
            if line.strip():
                try:
                    yield self.api.result(line)
                except ValueError as error:
                    broken.append(one_line(str(error), 120))

    def _keep_all(
        self, file: BinaryIO, wanted: dict[str, list[BatchedQuestion]], entry: BatchEntry, whole: bool
    ) -> None:
        arrived: list[Answer] = []
        broken: list[str] = []
        for result in self._results(file, broken):
            insides = wanted.pop(result.key, [])
            still = [i for i in insides if (i.id, i.prompt) not in self._done]
            if not still:
                continue
            if gives_in(self.endpoint, self._revision, result.status, result.body):
                self._again.update((i.id, i.prompt) for i in still)
                continue
            reply = self._reply(result, insides[0], entry)
            if reply.failure is not None and not whole:
                continue  # the next download has it again, and it must be counted once
            if self.store is not None and reply.failure is None and reply.call.cost_source != REFUSED:
                self.store.put(result.key, reply)
            # of the questions that ask the same, the first is the one that was paid for
            arrived += [self._answer(i, reply if i is insides[0] else as_stored(reply), entry) for i in still]
            if len(arrived) >= TOGETHER:
                self._keep(*arrived)
                arrived = []
        self._keep(*arrived)
        if broken:
            self.notes.append(f"{len(broken)} lines of a batch's results cannot be read, the first: {broken[0]}")
        if not whole:
            return
        settled = self._done | self._again
        lost = [i for insides in wanted.values() for i in insides if (i.id, i.prompt) not in settled]
        reason = Failure(kind="batch", reason="the batch has no result for this question")
        for i in lost:
            # up to one question for each unreadable line may have been answered and billed
            unread = reply_of(self.endpoint, i.key, i.images, Parsed(), tries=1, batch=entry.id)
            calls = (unread.call,) if broken else ()
            self._keep(Answer(id=i.id, prompt=i.prompt, failure=reason, calls=calls))

    def _reply(self, result: BatchResult, inside: BatchedQuestion, entry: BatchEntry) -> Reply:
        """Return the reply in a batch result, with its ledger."""
        parsed = understood(self.endpoint, result.status, result.body, self._priced)
        more = {"tries": 1, "left_out": entry.left_out, "batch": entry.id}
        return reply_of(self.endpoint, result.key, inside.images, parsed, **more)

    def _priced(self, parsed: Parsed) -> Parsed:
        """Return a reply at the batch price if its cost follows from usage and a price, not from the provider itself."""
        price = self._price
        if price is None or parsed.usage.input_tokens is None or parsed.cost_source not in (price.source, None):
            return parsed
        return parsed._replace(cost=price.bill(parsed.usage, in_batch=True), cost_source=f"{price.source}, in a batch")

    def _answer(self, inside: BatchedQuestion, reply: Reply, entry: BatchEntry) -> Answer:
        """Return the answer in a reply. A reply to an earlier wording of the prompt gives no answer, but its cost counts."""
        prompt = Arm.parse(inside.prompt).prompt
        now = self._wordings.get(prompt)
        if entry.wordings.get(prompt, now) != now:
            edited = Failure(kind="reworded", reason="the reply is to an earlier wording of the prompt")
            return Answer(id=inside.id, prompt=inside.prompt, failure=edited, calls=(reply.call,))
        question = Question(id=inside.id, exam=self.plan.exam.name, prompt=inside.prompt, parts=(), shots=inside.shots)
        return self.plan.subject.answered(question, reply)

    def _keep(self, *answers: Answer) -> None:
        if not answers:
            return
        self.folder.append(*answers)
        for answer in answers:
            for call in answer.calls:
                self.totals.add(call)
            if answer.failure is None:
                self._done.add((answer.id, answer.prompt))
            elif (
                answer.id,
                answer.prompt,
            ) in self._tried:  # otherwise it came with an earlier command's batch, and is asked again
                self.errors += 1
        self._report()

    def _report(self) -> None:
        self.done = len(self._done) + self.errors
        self.report(in_flight=max(0, self._in_batches - self._looked), limit=self._in_batches)


def batches_of(plan: Plan) -> tuple[Endpoint, BatchApi]:
    """Return the endpoint and API for asking a subject in batches. It must ask one model, once per question."""
    endpoint = plan.subject.endpoint
    if endpoint is None or endpoint is not plan.subject:  # type: ignore[comparison-overlap]
        raise SnellenError(
            f"--batch-api has no effect for {plan.subject.spec}: it asks no provider, or more than once a question"
        )
    if endpoint.batches is None:
        raise SnellenError(f"--batch-api: {plan.subject.spec} has no batches")
    return endpoint, endpoint.batches


def _goes_on(entry: BatchEntry) -> str:
    """Say that a batch is still at the provider, and how to collect it."""
    if not entry.id:
        return f"whether a batch of {entry.count} questions was handed in is not known; the same command looks for it"
    return (
        f"batch {entry.id} with {entry.count} questions goes on at the provider and is paid there; the same command collects it "
        "(--cancel-batches with Ctrl-C calls it off)"
    )
