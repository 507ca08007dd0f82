"""One call from request to reply: store, budget, limiter, tries, ledger."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError, Stopped
from snellen.core.records import OTHER_TIER, REFUSED
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Endpoint, Parsed, Reply, Request
from snellen.core.text import one_line
from snellen.core.types import Attempt, Call, Failure, ImageSent
from snellen.engine.call.budget import Budget
from snellen.engine.call.exchange import Fault, Wire
from snellen.engine.call.limiter import Limiter
from snellen.engine.call.retry import LONGEST_RETRY_AFTER, THROTTLES, pause, retry_after, wait_before, worth_retrying
from snellen.engine.call.store import Store
from snellen.engine.call.trust import Trust, differ, is_own, mark_of

STOPPED = "the run was stopped"
NO_SERVER = "no server at "
BROKEN = 599
"""The status of an invalid response. It is retried like a network fault."""
GOOD = range(200, 300)
UNPROCESSED = frozenset({400, 404, 422})
"""Statuses with which services refuse a parameter."""
GAVE_UP_WAITING = frozenset({408, 499, 502, 504, 520, 524})
"""Statuses of a gateway that stopped waiting. The server behind it may have answered and billed the request."""
REQUEST_IDS = ("x-request-id", "request-id", "apim-request-id", "x-goog-request-id")
STOPPING = {"key": SnellenError, "not-allowed": SnellenError, "no-images": SnellenError, "no-credit": Stopped}


class _Try(NamedTuple):
    """The result of one attempt: a parsed response, or a failure that may be worth a retry.

    `cost` is what it was billed as far as is known: 0 for a try that no model saw, None for one that may have been billed. `again` is set
    if the endpoint refused a parameter that is left out from now on. Asking without it does not count as another try.
    """

    parsed: Parsed | None
    status: int | None
    reason: str
    seconds: float
    cost: float | None = 0.0
    wait: float | None = None
    again: bool = False
    request_id: str | None = None

    @property
    def good(self) -> bool:
        """True if the model answered."""
        return self.parsed is not None and self.parsed.error is None


class _Tries:
    """The failed tries of one call, and their cost."""

    def __init__(self) -> None:
        self.failed: list[Attempt] = []
        self.cost = 0.0
        self.unsure = 0

    def add(self, one: _Try, waited: float = 0.0) -> None:
        self.failed.append(
            Attempt(reason=one.reason, status=one.status, seconds=round(one.seconds, 4), waited=round(waited, 3))
        )
        self.cost += one.cost or 0.0
        self.unsure += one.cost is None


class EndpointCaller:
    """Calls one endpoint on behalf of a subject."""

    def __init__(
        self,
        endpoint: Endpoint,
        transport: Wire,
        *,
        limiter: Limiter,
        budget: Budget,
        store: Store | None,
        tries: int,
        use_stored: bool = True,
        jitter: Callable[[], float] = random.random,
        on_stop: Callable[[SnellenError], None] | None = None,
        stopped: asyncio.Event | None = None,
    ) -> None:
        """`on_stop` receives whatever ends the run (the cap, a refused key), however the subject handles it. `stopped` is set then."""
        self._endpoint, self._transport = endpoint, transport
        self._limiter, self._budget, self._store = limiter, budget, store
        self._tries, self._use_stored, self._jitter = tries, use_stored, jitter
        self.trust = Trust(endpoint.connection.url)
        self._on_stop, self._stopped = on_stop, stopped or asyncio.Event()
        self._pending: dict[str, asyncio.Future[Reply]] = {}
        self.retries = 0
        self.succeeded = 0
        self.redacted = 0

    async def __call__(self, request: Request) -> Reply:
        """Return the reply to a request: from the store, from the same request already in flight, or from the endpoint."""
        if self._store is not None and self._use_stored:
            found = self._store.get(request.key)
            if found is not None:
                # paid replies are not bought again
                known = self._store.is_new(request.key) or bool(found.call.cost)
                return as_stored(found) if known else await self._reused(request, found)
        return await self._asked(request)

    async def _reused(self, request: Request, found: Reply) -> Reply:
        """Return a stored reply if the server still gives it. The first stored replies of a private server are asked again as a check."""
        if differ(found.call.server, self._server):
            self.trust.other_model += 1
            return await self._asked(request)
        if not self.trust.settled:
            async with self.trust.lock:
                if not self.trust.settled:
                    reply = await self._asked(request)
                    self.trust.compare(found.text, None if reply.failure else reply.text)
                    return reply
        return as_stored(found) if self.trust.holds else await self._asked(request)

    @cached_property
    def _server(self) -> str:
        """An identifier of the model that a private server reports."""
        return mark_of(self._endpoint.listed, time.time()) if is_own(self._endpoint.connection.url) else ""

    async def _asked(self, request: Request) -> Reply:
        """Return the reply from the same request already in flight, or from the endpoint."""
        same = self._pending.get(request.key)
        if same is not None:
            return as_stored(await asyncio.shield(same))
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._pending[request.key] = future
        tries = _Tries()
        try:
            reply = await self._until_answered(request, tries)
        except (Exception, asyncio.CancelledError) as raised:
            cancelled = isinstance(raised, asyncio.CancelledError)
            error = Stopped(STOPPED) if cancelled and self._stopped.is_set() else raised
            if self._on_stop is not None and isinstance(error, SnellenError):
                self._on_stop(error)
            if not isinstance(error, SnellenError) or not (tries.unsure or tries.cost):
                future.set_exception(error if isinstance(error, Exception) else SnellenError(STOPPED))
                future.exception()
                raise error from None
            # a reply includes what the tries before it may have cost
            why = f"{tries.failed[-1].reason} ({len(tries.failed)} tries); {error}"
            reply = self._failed(request, tries, Failure(kind="gave-up", reason=why))
        finally:
            del self._pending[request.key]
        future.set_result(reply)
        if self._store is not None and reply.failure is None and reply.call.cost_source != REFUSED:
            self._store.put(request.key, reply)
        return reply

    async def _until_answered(self, request: Request, tries: _Tries) -> Reply:
        while True:
            await self._budget.admit(request.cost_bound)
            try:
                async with self._limiter:
                    if self._stopped.is_set():  # while this one waited, wherever that was
                        raise Stopped(STOPPED)
                    one = await self._attempt(request)
            except BaseException:
                self._budget.release()
                raise
            self._count(one, request)
            if one.again and not self._stopped.is_set():
                continue
            if one.parsed is not None:
                return self._settled(request, tries, one, one.parsed)
            if one.status is None and self.succeeded == 0 and one.reason.startswith(NO_SERVER):
                raise SnellenError(one.reason)  # nothing ever listened there, so waiting longer would not help
            number = len(tries.failed) + 1
            last = self._stopped.is_set() or number >= self._tries or (one.wait or 0.0) > LONGEST_RETRY_AFTER
            wait = 0.0 if last else wait_before(number, one.wait, self._jitter())
            tries.add(one, wait)
            if last:
                return self._failed(request, tries, Failure(kind="gave-up", reason=f"{one.reason} ({number} tries)"))
            self.retries += 1
            await pause(wait, self._stopped)

    def _count(self, one: _Try, request: Request) -> None:
        """Record a try with the limiter and the budget."""
        if one.good:
            self._limiter.succeeded(one.seconds)
            self.succeeded += 1
        elif one.status in THROTTLES and not one.again:
            self._limiter.throttled(f"status {one.status}")
        if one.parsed is not None and one.good and one.parsed.cost_source != REFUSED:
            self._budget.settle(one.parsed.cost, _bound(request, one.parsed))
            return
        if one.cost != 0.0:
            self._budget.bill(one.cost, request.cost_bound)
        self._budget.release()

    def _settled(self, request: Request, tries: _Tries, one: _Try, parsed: Parsed) -> Reply:
        """Return the reply of a try that is not retried. Raise what ends the run."""
        if parsed.error is None:
            self.redacted += parsed.note is not None
            return self._reply(request, tries, parsed, latency=round(one.seconds, 4), request_id=one.request_id)
        if parsed.error.kind in STOPPING:
            raise STOPPING[parsed.error.kind](parsed.error.reason)
        if parsed.error.kind == "unknown-model" and self.succeeded == 0:
            raise SnellenError(parsed.error.reason)
        tries.add(one)
        return self._failed(request, tries, parsed.error)

    def _failed(self, request: Request, tries: _Tries, failure: Failure) -> Reply:
        return self._reply(request, tries, Parsed(error=failure, cost=None if tries.unsure and not tries.cost else 0.0))

    def _reply(self, request: Request, tries: _Tries, parsed: Parsed, **more: Any) -> Reply:
        """Return the reply in a response. Its cost is that of all tries, as far as it is known."""
        cost = None if parsed.cost is None else parsed.cost + tries.cost
        return reply_of(
            self._endpoint,
            request.key,
            request.images,
            parsed,
            cost=cost,
            tries=len(tries.failed) + (parsed.error is None),
            failed=tuple(tries.failed),
            unsure=tries.unsure,
            at_most=_bound(request, parsed) if tries.unsure or cost is None else None,
            left_out=self._endpoint.left_out,
            server=self._server,
            **more,
        )

    async def _attempt(self, request: Request) -> _Try:
        begin, revision = time.perf_counter(), self._endpoint.revision
        try:
            response = await self._transport.post(self._endpoint.body_of(request))
        except Fault as fault:
            reason, connection = str(fault), self._endpoint.connection
            if fault.refused and self.succeeded == 0:
                reason = f"{NO_SERVER}{connection.url}: {connection.start_hint}"
            return _Try(None, None, reason, time.perf_counter() - begin, None if fault.sent else 0.0)
        except asyncio.CancelledError:
            if not self._stopped.is_set():
                self._budget.bill(None, request.cost_bound)
                raise
            return _Try(None, None, "stopped before the reply came", time.perf_counter() - begin, None)
        seconds = time.perf_counter() - begin
        parsed = understood(self._endpoint, response.status, response.body)
        reason = "" if parsed.error is None else parsed.error.reason
        named = _request_id(response.headers, self._endpoint.connection.key)
        one = _Try(parsed, parsed.status, reason, seconds, parsed.cost, request_id=named)
        if one.good:
            return one
        if gives_in(self._endpoint, revision, response.status, response.body):
            return one._replace(again=True)
        if not worth_retrying(parsed.status):
            return one
        asked = retry_after(response.headers)
        return one._replace(parsed=None, wait=parsed.wait if asked is None else asked)


def _bound(request: Request, parsed: Parsed) -> float | None:
    """Return the highest possible cost of a call by the price. Return None if the price is of another service tier than the one that
    answered.
    """
    return None if parsed.cost_source == OTHER_TIER else request.cost_bound


def gives_in(endpoint: Endpoint, revision: int, status: int, body: bytes) -> bool:
    """Tell whether a refused request can be sent again in another form: without a parameter, perhaps one that another call dropped.

    `revision` is the endpoint's revision when the request was written.
    """
    if status not in UNPROCESSED:
        return False
    try:
        refused = endpoint.revision == revision and endpoint.drop_refused_parameter(status, body)
    except Exception:  # any error caused by the server's text is the failure of this try
        return False
    return refused or endpoint.revision != revision


def understood(
    endpoint: Endpoint, status: int, body: bytes, priced: Callable[[Parsed], Parsed] = lambda parsed: parsed
) -> Parsed:
    """Parse a response. Its cost is what it was billed as far as is known. An invalid response is a failure, too.

    Any error from a server's text or from an endpoint's own reader is the failure of one try.
    """
    good = status in GOOD
    try:
        parsed = priced(endpoint.parse(body) if good else endpoint.explain(status, body))
    except BrokenReply as broken:
        return priced(broken.bill)._replace(error=_broken(str(broken)), status=BROKEN)
    except Exception as error:
        said = endpoint.connection.key.redact(str(error)) or type(error).__name__
        return Parsed(error=_broken(said), status=BROKEN, cost=None if good else 0.0)
    if parsed.error is None:
        return parsed
    return parsed._replace(cost=failure_cost(status, parsed), status=parsed.status or status)


def _broken(said: str) -> Failure:
    return Failure(kind="broken-reply", reason=f"broken reply: {one_line(said)}")


def reply_of(endpoint: Endpoint, key: str, images: tuple[ImageSent, ...], parsed: Parsed, **more: Any) -> Reply:
    """Return the reply in a response, with its ledger: what the response says and what is known from elsewhere."""
    said = {
        "model_returned": parsed.model,
        "provider": parsed.provider,
        "fingerprint": parsed.fingerprint,
        "usage": parsed.usage,
        "cost": parsed.cost,
        "cost_source": parsed.cost_source,
        "finish_reason": parsed.finish_reason,
        "response_id": parsed.response_id,
        "note": parsed.note,
        "at": int(time.time()),
    }
    url = endpoint.connection.url
    return Reply(
        call=Call(key=key, kind=endpoint.kind, endpoint=url, model=endpoint.model, images=images, **(said | more)),
        text=parsed.text,
        thinking=parsed.thinking,
        failure=parsed.error,
        refused=parsed.refused,
        tokens=parsed.tokens,
    )


def failure_cost(status: int, parsed: Parsed) -> float | None:
    """Return the bill for a failed response: 0 if no model saw the request, None if one may have worked on it.

    A server error inside a good response comes after work has begun.
    """
    treated = parsed.status or status
    late = not GAVE_UP_WAITING.isdisjoint((status, treated))
    unsure = late or (status in GOOD and treated >= 500)
    return parsed.cost or (None if unsure else 0.0)


def _request_id(headers: Mapping[str, str], key: Secret) -> str | None:
    """Return the provider's id of a request, from the header names in use. The key is removed, because a server may repeat it anywhere."""
    found = next((headers[name] for name in REQUEST_IDS if name in headers), None)
    return one_line(key.redact(found), 100) if found else None


def as_stored(reply: Reply) -> Reply:
    """Return a reply that another question paid for."""
    return msgspec.structs.replace(reply, call=msgspec.structs.replace(reply.call, stored=True))
