"""Asks what a probe asks, with the callers of a run: key, limits, retries, budget and the store that keeps what was paid for.

A probe is about what the endpoint says now, so nothing is taken from runs or from earlier probes: every request has a key of its own, of
this probe, this question and the how-manieth time it is asked. A probe that was interrupted goes on with the keys that it began with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.records import Totals
from snellen.core.subject import Caller, Reply, Request, Subject
from snellen.core.types import Call, Failure
from snellen.engine.call.budget import Budget
from snellen.engine.call.caller import EndpointCaller
from snellen.engine.call.limiter import Limiter
from snellen.engine.call.preflight import preflight
from snellen.engine.call.store import Store
from snellen.engine.call.transport import Transport
from snellen.engine.plan.request import TRIES, Limits
from snellen.engine.probe.questions import RepeatedQuestion
from snellen.engine.probe.results import ProbeReply

OnProgress = Callable[[int, int], None] | None


class ProbeReplies(NamedTuple):
    """All replies by question, what they took, and what the endpoint calls its model."""

    replies: Mapping[str, Sequence[ProbeReply]]
    totals: Totals
    model_returned: str


class ProbeQuestion(NamedTuple):
    """A question with the subject that asks it: its settings are the subject's."""

    ask: RepeatedQuestion
    subject: Subject


async def ask_all(
    posed: Sequence[ProbeQuestion], limits: Limits, store: Store | None, session: str, on_progress: OnProgress = None
) -> ProbeReplies:
    """Ask everything. The first question goes alone: what stops it would stop all. A stop lets what is in flight come home."""
    asking = _Asking(posed, limits, store, session, on_progress)
    try:
        await asking.run()
    finally:
        await asking.close()
    heard = {p.ask.id: tuple(asking.heard[p.ask.id][i] for i in range(p.ask.times)) for p in posed}
    return ProbeReplies(heard, asking.totals, asking.model_returned)


class _Asking:
    def __init__(
        self, posed: Sequence[ProbeQuestion], limits: Limits, store: Store | None, session: str, on_progress: OnProgress
    ) -> None:
        self._posed, self._session, self._on_progress, self._store = posed, session, on_progress, store
        plain_first = sorted(posed, key=lambda p: bool(p.ask.settings))
        self._every = [(p, i) for p in plain_first for i in range(p.ask.times)]
        self._ready: dict[str, Any] = {}
        self.heard: dict[str, dict[int, ProbeReply]] = {p.ask.id: {} for p in posed}
        self.totals = Totals()
        self.model_returned = ""
        self._total = sum(p.ask.times for p in posed)
        self._done = 0
        first = posed[0].subject.endpoints[0]
        self._transport = Transport(first.connection, limits.timeout)
        self._budget = Budget(limits.max_cost)
        limiter = Limiter(limits.concurrency)
        self._callers = {
            id(subject): EndpointCaller(
                subject.endpoints[0],
                self._transport,
                limiter=limiter,
                budget=self._budget,
                store=store,
                tries=limits.tries or TRIES,
            )
            for subject in {id(p.subject): p.subject for p in posed}.values()
        }

    async def run(self) -> None:
        first, *rest = self._every
        await asyncio.to_thread(self._bill_what_was_paid)
        await preflight(first[0].subject.endpoints[0], self._transport, self._budget.cap)
        begun = await self._one(*first)
        if begun.failure is not None and not (begun.rejected and first[0].ask.settings):
            raise SnellenError(f"the first question of the probe was not answered: {begun.failure.reason}")
        tasks = [asyncio.create_task(self._one(*one)) for one in rest]
        if not tasks:
            return
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            raise
        reason = next((error for task in done if (error := task.exception()) is not None), None)
        if reason is None:
            return
        for caller in self._callers.values():
            caller.stopping = True
        await asyncio.gather(*tasks, return_exceptions=True)
        raise reason

    async def _one(self, posed: ProbeQuestion, time: int) -> ProbeReply:
        ask, subject = posed
        answer = await subject.answer(ask.question, self._prepared(posed), self._caller(subject, _which(posed, time)))
        for call in answer.calls:
            self._count(call)
        last = answer.calls[-1] if answer.calls else None
        heard = ProbeReply(
            text=answer.text,
            failure=answer.failure or _refused(last, posed),
            finish_reason=answer.finish_reason,
            tokens=len(answer.tokens),
            output_tokens=last.usage.output_tokens if last is not None else None,
        )
        self.heard[ask.id][time] = heard
        self._done += 1
        if self._on_progress is not None:
            self._on_progress(self._done, self._total)
        return heard

    def _count(self, call: Call) -> None:
        self.totals.add(call)
        self.model_returned = call.model_returned or self.model_returned

    def _caller(self, subject: Subject, which: str) -> Caller:
        caller = self._callers[id(subject)]

        async def call(request: Request) -> Reply:
            return await caller(msgspec.structs.replace(request, key=self._key(request, which)))

        return call

    def _key(self, request: Request, which: str) -> str:
        return digest({"probe": self._session, "request": request.key, "which": which})

    def _prepared(self, posed: ProbeQuestion) -> Any:
        ask, subject = posed
        if ask.id not in self._ready:
            self._ready[ask.id] = subject.prepare(ask.question)
        return self._ready[ask.id]

    def _bill_what_was_paid(self) -> None:
        """Replies that came before the probe was interrupted count under the same cap."""
        if self._store is None:
            return
        for posed, time in self._every:
            request = self._prepared(posed)
            found = self._store.get(self._key(request, _which(posed, time))) if isinstance(request, Request) else None
            if found is not None and found.call.cost:
                self._budget.bill(found.call.cost)

    async def close(self) -> None:
        await self._transport.close()
        for subject in {id(p.subject): p.subject for p in self._posed}.values():
            await subject.close()


def _which(posed: ProbeQuestion, time: int) -> str:
    return f"{posed.ask.id}/{time}"


def _refused(call: Call | None, posed: ProbeQuestion) -> Failure | None:
    """A setting that the question is about and the endpoint refused: the subject did without it, and the reply says nothing of it."""
    lost = [name for name in (call.left_out if call is not None else ()) if name in posed.ask.settings]
    why = posed.subject.identity.get("not_applied", {})
    return Failure(kind="bad-request", reason=f"{lost[0]}: {why.get(lost[0], 'refused')}") if lost else None
