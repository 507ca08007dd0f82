"""One call from request to reply: store, budget, limiter, tries, ledger."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

from snellen.core.errors import SnellenError, Stopped
from snellen.core.subject import Endpoint, Parsed, Reply, Request
from snellen.core.types import Attempt, Call, Failure
from snellen.engine.call.budget import Budget
from snellen.engine.call.limiter import Limiter
from snellen.engine.call.retry import LONGEST_RETRY_AFTER, THROTTLES, retry_after, wait_before, worth_retrying
from snellen.engine.call.store import Store
from snellen.engine.call.transport import Fault, Response, Transport
from snellen.engine.call.trust import Trust

REFUSED = "refused"
STOPPING = {"key": SnellenError, "no-credit": Stopped}


class _Try:
    """What one attempt gave: a parsed response, or a failure that may be worth another try."""

    __slots__ = ("parsed", "reason", "seconds", "status", "wait")

    def __init__(
        self, parsed: Parsed | None, status: int | None, reason: str, seconds: float, wait: float | None
    ) -> None:
        self.parsed, self.status, self.reason, self.seconds, self.wait = parsed, status, reason, seconds, wait


class EndpointCaller:
    """Calls one endpoint on behalf of a subject."""

    def __init__(
        self,
        endpoint: Endpoint,
        transport: Transport,
        *,
        limiter: Limiter,
        budget: Budget,
        store: Store | None,
        tries: int,
        use_stored: bool = True,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint, self._transport = endpoint, transport
        self._limiter, self._budget, self._store = limiter, budget, store
        self._tries, self._use_stored, self._jitter = tries, use_stored, jitter
        self.trust = Trust(endpoint.connection.url)
        self._pending: dict[str, asyncio.Future[Reply]] = {}
        self.retries = 0
        self.succeeded = 0
        self.stopping = False

    async def __call__(self, request: Request) -> Reply:
        """The reply to a request: from the store, from the same request already in flight, or from the endpoint."""
        if self._store is not None and self._use_stored:
            found = self._store.get(request.key)
            if found is not None:
                return _as_stored(found) if self._store.is_new(request.key) else await self._reused(request, found)
        return await self._asked(request)

    async def _reused(self, request: Request, found: Reply) -> Reply:
        """A stored reply, if the server still gives such; the first ones of a server of one's own are asked again to see that."""
        if not self.trust.settled:
            async with self.trust.lock:
                if not self.trust.settled:
                    reply = await self._asked(request)
                    if reply.failure is None:
                        self.trust.compare(found.text, reply.text)
                    return reply
        return _as_stored(found) if self.trust.holds else await self._asked(request)

    async def _asked(self, request: Request) -> Reply:
        """The reply from the same request already in flight, or from the endpoint."""
        same = self._pending.get(request.key)
        if same is not None:
            return _as_stored(await asyncio.shield(same))
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[request.key] = future
        try:
            reply = await self._paid(request)
        except BaseException as error:
            if not future.done():
                future.set_exception(error if isinstance(error, Exception) else SnellenError("the run was stopped"))
                future.exception()
            raise
        finally:
            del self._pending[request.key]
        future.set_result(reply)
        if self._store is not None and reply.failure is None and not _is_free(reply):
            self._store.put(request.key, reply)
        return reply

    async def _paid(self, request: Request) -> Reply:
        await self._budget.admit(request.cost_bound)
        try:
            reply = await self._tried(request)
        except BaseException:
            self._budget.release()
            raise
        if reply.failure is None and not _is_free(reply):
            self._budget.settle(reply.call.cost, request.cost_bound)
        else:
            self._budget.release()
        return reply

    async def _tried(self, request: Request) -> Reply:
        failed: list[Attempt] = []
        while True:
            one = await self._once(request)
            if one.parsed is not None:
                return self._reply(request, one, failed)
            self._stop_if_hopeless(one)
            last = self.stopping or len(failed) + 1 >= self._tries or (one.wait or 0.0) > LONGEST_RETRY_AFTER
            wait = 0.0 if last else wait_before(len(failed) + 1, one.wait, self._jitter())
            failed.append(
                Attempt(reason=one.reason, status=one.status, seconds=round(one.seconds, 4), waited=round(wait, 3))
            )
            if last:
                failure = Failure(kind="gave-up", reason=f"{one.reason} ({len(failed)} tries)")
                return Reply(call=self._call(request, tries=len(failed), failed=failed), failure=failure)
            self.retries += 1
            await self._pause(wait)

    async def _pause(self, seconds: float) -> None:
        """Wait before the next try, in slices, so that a run that is being stopped does not wait minutes for it."""
        until = time.monotonic() + seconds
        while not self.stopping and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.5))

    async def _once(self, request: Request) -> _Try:
        async with self._limiter:
            begin = time.perf_counter()
            try:
                response = await self._transport.post(request.body)
            except Fault as fault:
                return _Try(None, None, self._no_server(fault), time.perf_counter() - begin, None)
        seconds = time.perf_counter() - begin
        parsed, status, reason = self._understand(response)
        if parsed is not None and parsed.error is None:
            self._limiter.succeeded(seconds)
            self.succeeded += 1
            return _Try(parsed, 200, "", seconds, None)
        if status in THROTTLES:
            self._limiter.throttled(f"status {status}")
        if parsed is not None and not worth_retrying(status):
            return _Try(parsed, status, reason, seconds, None)
        return _Try(None, status, reason, seconds, retry_after(response.headers))

    def _no_server(self, fault: Fault) -> str:
        if fault.refused and self.succeeded == 0:
            return f"no server at {self._endpoint.connection.url}: {self._endpoint.connection.start_hint}"
        return str(fault)

    def _understand(self, response: Response) -> tuple[Parsed | None, int, str]:
        """The parsed response; None with a reason where a 200 makes no sense (that is retried like a network fault)."""
        if response.status == 200:
            try:
                parsed = self._endpoint.parse(response.body)
            except (ValueError, TypeError, KeyError) as error:
                return None, 599, f"broken reply: {error}"
        else:
            parsed = self._endpoint.explain(response.status, response.body)
        if parsed.error is None:
            return parsed, 200, ""
        return parsed, parsed.status or response.status, parsed.error.reason

    def _stop_if_hopeless(self, one: _Try) -> None:
        """Nothing listens at the address and nothing ever did: waiting longer would not help."""
        if one.status is None and self.succeeded == 0 and one.reason.startswith("no server at "):
            raise SnellenError(one.reason)

    def _reply(self, request: Request, one: _Try, failed: list[Attempt]) -> Reply:
        parsed = one.parsed
        if parsed is None:
            raise RuntimeError("a reply needs a parsed response")
        if parsed.error is not None:
            if parsed.error.kind in STOPPING:
                raise STOPPING[parsed.error.kind](parsed.error.reason)
            if parsed.error.kind == "unknown-model" and self.succeeded == 0:
                raise SnellenError(parsed.error.reason)
            failed = [*failed, Attempt(reason=one.reason, status=one.status, seconds=round(one.seconds, 4))]
            return Reply(call=self._call(request, tries=len(failed), failed=failed), failure=parsed.error)
        call = self._call(request, tries=len(failed) + 1, failed=failed, parsed=parsed, latency=round(one.seconds, 4))
        return Reply(call=call, text=parsed.text, refused=parsed.refused, tokens=parsed.tokens)

    def _call(
        self,
        request: Request,
        *,
        tries: int,
        failed: list[Attempt],
        parsed: Parsed | None = None,
        latency: float | None = None,
    ) -> Call:
        parsed = parsed or Parsed()
        return Call(
            key=request.key,
            kind=self._endpoint.kind,
            endpoint=self._endpoint.connection.url,
            model=self._endpoint.model,
            model_returned=parsed.model,
            provider=parsed.provider,
            images=request.images,
            usage=parsed.usage,
            cost=parsed.cost,
            cost_source=parsed.cost_source,
            latency=latency,
            tries=tries,
            failed=tuple(failed),
            finish_reason=parsed.finish_reason,
            response_id=parsed.response_id,
            at=int(time.time()),
        )


def _is_free(reply: Reply) -> bool:
    """Refused before any model saw it: costs nothing, and says nothing of what calls cost."""
    return reply.call.cost_source == REFUSED


def _as_stored(reply: Reply) -> Reply:
    """A reply that this question did not pay for."""
    import msgspec

    return msgspec.structs.replace(reply, call=msgspec.structs.replace(reply.call, stored=True))
