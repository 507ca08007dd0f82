"""Exchanges with a provider about batches. Reads are retried. A request that creates a batch is never sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from snellen.core.batch import BatchApi, BatchStep
from snellen.core.errors import SnellenError, Stopped
from snellen.core.subject import Endpoint
from snellen.engine.answer.asking_pass import until_stopped
from snellen.engine.call.exchange import LARGEST_REPLY, Fault, Response, good
from snellen.engine.call.retry import LONGEST_RETRY_AFTER, pause, retry_after, wait_before, worth_retrying

if TYPE_CHECKING:
    from snellen.engine.call.client import Client

LARGEST_RESULT = 2_000_000_000
LONGEST_ID = 200
LOOK_AGAIN = (0.0, 2.0, 5.0, 10.0, 15.0, 30.0)
"""Seconds to wait before each look for a batch, because a provider's list may show a new batch late."""
MOST_PAGES = 20
IN_DOUBT = frozenset({408, 409, 425, 499})
"""Statuses after which a batch may have been created all the same. The same is true of every 5xx."""
T = TypeVar("T")
Said = TypeVar("Said")


class UnconfirmedBatch(Stopped):
    """A batch that the provider may have created, but whose id was lost. It is looked for before another batch is submitted."""


class BatchWire:
    """Batch requests to one endpoint. Setting `stopped` ends all waiting."""

    def __init__(self, endpoint: Endpoint, transport: Client, tries: int, stopped: asyncio.Event) -> None:
        self._endpoint, self._transport = endpoint, transport
        self._tries, self._stopped = tries, stopped

    async def read(self, step: BatchStep, reader: Callable[[bytes], T], tries: int = 0) -> T:
        """Return the provider's response, parsed."""
        return self._understood(step, reader, (await self.exchange(step, tries=tries)).body)

    async def labelled(self, api: BatchApi, mark: str) -> str:
        """Return the id of the batch that has our label. It is empty if the provider's list does not show the batch or keeps no labels."""
        for wait in LOOK_AGAIN:
            step, pages = api.listing(), 0
            if step is None:
                break
            await pause(wait, self._stopped)
            while step is not None and pages < MOST_PAGES:
                page = await self.read(step, api.listed)
                for state in page.states:
                    if state.mark == mark:
                        return state.id
                step, pages = (api.listing(page.after) if page.after else None), pages + 1
        return ""

    async def submitted(self, steps: Generator[BatchStep, bytes, str], before_making: Callable[[], None]) -> str:
        """Carry out the steps of a submission and return the batch's id. Only MayBeMade leaves open whether the batch exists."""
        step = next(steps)
        while True:
            if step.makes:
                before_making()
            response = await self.exchange(step)
            try:
                step = self._understood(step, steps.send, response.body)
            except StopIteration as end:
                return self._understood(step, self._proper, end.value)

    def _understood(self, step: BatchStep, reader: Callable[[Said], T], said: Said) -> T:
        try:
            return reader(said)
        except ValueError as error:
            kind = UnconfirmedBatch if step.makes else Stopped
            raise kind(
                f"the provider's answer to {step.method} {step.path} cannot be read ({error}); everything is kept, the same command goes on"
            ) from None

    def _proper(self, number: str) -> str:
        """Return an id that is safe to write down: it is short and does not contain the key."""
        if not 0 < len(number) <= LONGEST_ID or self._endpoint.connection.key.redact(number) != number:
            raise ValueError("no proper id of the batch")
        return number

    async def exchange(
        self, step: BatchStep, *, into: BinaryIO | None = None, tries: int = 0, to_the_end: bool = False
    ) -> Response:
        """Make one exchange. `to_the_end` is for requests that must be sent even after the run was stopped."""
        tries = tries or self._tries
        for number in range(1, tries + 1):
            place = into.tell() if into is not None else 0
            asked: float | None = None
            work = self._transport.request(
                step.method,
                step.path,
                step.body,
                step.content_type,
                largest=LARGEST_REPLY if into is None else LARGEST_RESULT,
                into=into,
            )
            try:
                response = await (work if to_the_end else until_stopped(work, self._stopped))
            except Fault as fault:
                if step.makes and fault.sent:
                    raise _lost(str(fault)) from None
                reason, status = str(fault), None
            else:
                if good(response.status):
                    return response
                reason, status = f"status {response.status}", response.status
                if step.makes and (status >= 500 or status in IN_DOUBT):
                    raise _lost(reason)
                self._raise_if_final(step, response)
                asked = retry_after(response.headers)
            if into is not None:
                into.seek(place)
                into.truncate()
            if number == tries or not worth_retrying(status):
                break
            wait = wait_before(number, None if asked is None else min(asked, LONGEST_RETRY_AFTER), 0.5)
            await pause(wait, self._stopped)
        raise Stopped(f"{step.method} {step.path} failed ({reason}); everything is kept, the same command goes on")

    def _raise_if_final(self, step: BatchStep, response: Response) -> None:
        if worth_retrying(response.status):
            return
        error = self._endpoint.explain(response.status, response.body).error
        if response.status == 404 and step.method == "GET":
            raise SnellenError(
                f"{self._endpoint.connection.url}: there is no such batch or file ({step.path}): it was removed or is too old, or "
                "the key is another project's. Everything is kept; with the right key the same command goes on, --fresh begins anew"
            )
        said = error.reason if error is not None else f"status {response.status}"
        kind = Stopped if error is not None and error.kind == "no-credit" else SnellenError
        raise kind(f"batches at {self._endpoint.connection.url}: {said}")


def _lost(reason: str) -> UnconfirmedBatch:
    return UnconfirmedBatch(
        f"the provider's answer to a batch was lost ({reason}); the same command looks for the batch there"
    )
