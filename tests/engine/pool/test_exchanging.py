"""Requests by way of workers: what the caller sees is what a transport of its own would give, and the key goes alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection

import msgspec
import pytest
from tests.support.crews import FakeWorker, lost
from tests.support.endpoint import Endpoint, completion

from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.engine.call.exchange import Fault, Response
from snellen.engine.pool.exchanging import CrewWire, Exchanging
from snellen.subjects.crew import Crew

KEY = "sk-wire-0123456789abcdefgh"
BODY = msgspec.json.encode({"model": "m", "messages": []})


def nobody(_taken: Collection[str], _closed: threading.Event) -> list[FakeWorker]:
    return []


def wire(url: str, *workers: FakeWorker, timeout: float = 5.0) -> CrewWire:
    connection = Connection(f"{url}/chat/completions", f"{url}/models", {"X-Title": "t"}, Secret(KEY), "start it")
    return CrewWire(Crew(workers, nobody), 7, connection, timeout)


def test_a_worker_sends_what_a_transport_would_and_gets_the_key_apart_from_it() -> None:
    workers = [FakeWorker(name, Exchanging().ask) for name in "ab"]

    async def run(url: str) -> tuple[list[Response], Response]:
        sender = wire(url, *workers)
        return await asyncio.gather(*(sender.post(BODY) for _ in range(6))), await sender.models()

    with Endpoint(models=[{"id": "m"}], delay=0.02) as endpoint:
        responses, listing = asyncio.run(run(endpoint.url))
        assert all(h["authorization"] == f"Bearer {KEY}" and h["x-title"] == "t" for h in endpoint.headers)
    assert {r.status for r in responses} == {200}
    assert msgspec.json.decode(responses[0].body) == completion("Color", "m")
    assert b'"id": "m"' in listing.body
    for worker in workers:
        with_key = [message for message in worker.asked if KEY.encode() in message]
        assert with_key
        assert not any(BODY in message for message in with_key)


def test_faults_are_told_as_a_transport_tells_them() -> None:
    async def run(sender: CrewWire) -> Fault:
        with pytest.raises(Fault) as raised:
            await sender.post(BODY)
        return raised.value

    fault = asyncio.run(run(wire("http://127.0.0.1:1/v1", FakeWorker("a", Exchanging().ask))))
    assert (fault.refused, fault.sent) == (True, False)
    with Endpoint(delay=30) as endpoint:
        fault = asyncio.run(run(wire(endpoint.url, FakeWorker("a", Exchanging().ask), timeout=0.2)))
    assert (str(fault), fault.refused, fault.sent) == ("timed out", False, True)


def test_a_worker_that_is_lost_is_a_fault_and_only_what_was_out_may_have_been_billed() -> None:
    async def first_told(message: bytes) -> bytes:
        return b"" if KEY.encode() in message else await lost(message)

    async def run(worker: FakeWorker) -> Fault:
        with pytest.raises(Fault) as raised:
            await wire("http://127.0.0.1:1/v1", worker).post(BODY)
        return raised.value

    fault = asyncio.run(run(FakeWorker("a", first_told)))
    assert (str(fault), fault.refused, fault.sent) == ("it ended", False, True)
    assert not asyncio.run(run(FakeWorker("a", lost))).sent
