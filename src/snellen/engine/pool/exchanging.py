"""Requests that are sent from other machines: what a worker does with one, and the wire that the caller sees here.

A worker makes the HTTP exchange and nothing else. Which request is next, how many are in flight, what it may cost and whether it is tried
again is decided here. A worker that is lost with a request is a fault of the network after the request went out: it may have been
billed, and it is tried again.

The key goes to a worker in a message of its own, never together with a request: Ray keeps large messages in a store that it may write
to disk.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.core.types import Struct
from snellen.engine.call.exchange import Fault, Response
from snellen.engine.call.transport import Transport, time_limit
from snellen.subjects.crew import Crew, Worker, WorkerLost

SLACK = 60.0
"""Seconds that a reply may take on its way beside the time limit of a try: after that the worker counts as lost."""


class Introduction(Struct, frozen=True):
    """A connection, told to a worker once. The only message that holds a key."""

    url: str
    models_url: str
    headers: dict[str, str]
    key: str
    key_header: tuple[str, str]
    timeout: float


class Asked(Struct, frozen=True):
    """A message to a worker: send this body, or ask for the model list; `of` says by which connection, of those told so far."""

    of: int
    body: bytes = b""
    models: bool = False
    introduction: Introduction | None = None


class Heard(Struct, frozen=True):
    """What came of it: a response, a fault, or an error that ends the run."""

    status: int = 0
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body: bytes = b""
    fault: str | None = None
    refused: bool = False
    sent: bool = False
    error: str | None = None


_PACK = msgspec.msgpack.Encoder()
_ASKED, _HEARD = msgspec.msgpack.Decoder(Asked), msgspec.msgpack.Decoder(Heard)


class Exchanging:
    """In a worker: one transport for each connection that it was told of."""

    def __init__(self) -> None:
        self._wires: dict[int, Transport] = {}

    async def ask(self, message: bytes) -> bytes:
        """The response to a request. Never raises."""
        asked = _ASKED.decode(message)
        if asked.introduction is not None:
            if asked.of not in self._wires:
                self._wires[asked.of] = _transport(asked.introduction)
            return b""
        wire = self._wires[asked.of]
        try:
            response = await (wire.models() if asked.models else wire.post(asked.body))
        except Fault as fault:
            return _PACK.encode(Heard(fault=str(fault), refused=fault.refused, sent=fault.sent))
        except SnellenError as error:
            return _PACK.encode(Heard(error=str(error)))
        return _PACK.encode(Heard(status=response.status, headers=dict(response.headers), body=response.body))


def _transport(told: Introduction) -> Transport:
    key = Secret(told.key)
    return Transport(Connection(told.url, told.models_url, told.headers, key, "", told.key_header), told.timeout)


class CrewWire:
    """The wire to one endpoint by way of workers; `number` is the connection's among all of the crew."""

    def __init__(self, crew: Crew, number: int, connection: Connection, timeout: float | None) -> None:
        self._crew, self._number, self._connection = crew, number, connection
        self._timeout = timeout or time_limit(connection)
        self._told: set[Worker] = set()

    async def post(self, body: bytes) -> Response:
        return await self._sent(Asked(of=self._number, body=body))

    async def models(self) -> Response:
        return await self._sent(Asked(of=self._number, models=True))

    async def _sent(self, asked: Asked) -> Response:
        out = False
        try:
            async with self._crew.one() as worker:
                if worker not in self._told:
                    await self._in_time(worker, self._introduction())
                    self._told.add(worker)
                out = True
                heard = _HEARD.decode(await self._in_time(worker, asked))
        except WorkerLost as lost:
            raise Fault(str(lost), sent=out) from None
        if heard.error is not None:
            raise SnellenError(heard.error)
        if heard.fault is not None:
            raise Fault(heard.fault, heard.refused, heard.sent)
        return Response(heard.status, heard.headers, heard.body)

    async def _in_time(self, worker: Worker, message: Any) -> bytes:
        try:
            async with asyncio.timeout(self._timeout + SLACK):
                return await worker.ask(_PACK.encode(message))
        except TimeoutError:
            raise WorkerLost(f"the worker at {worker.place} does not answer") from None

    def _introduction(self) -> Asked:
        to = self._connection
        told = Introduction(
            url=to.url,
            models_url=to.models_url,
            headers=dict(to.headers),
            key=to.key.reveal(),
            key_header=to.key_header,
            timeout=self._timeout,
        )
        return Asked(of=self._number, introduction=told)

    async def close(self) -> None:
        """Nothing to close here: connections that nobody uses are closed by the workers, and all of them end with the pool."""
