"""Requests by way of workers: what the caller sees is what a transport of its own would give, and the key goes alone."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.fake_workers import FakeWorker, calling, hiring, lost, only

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.engine.call.exchange import Fault, Response
from snellen.engine.ray_pool import ClusterWire, Exchangers, Exchanging
from snellen.workers.pool import Hire

KEY = "sk-wire-0123456789abcdefgh"
BODY = msgspec.json.encode({"model": "m", "messages": []})


def wire(url: str, hire: Hire, timeout: float = 5.0) -> ClusterWire:
    connection = Connection(f"{url}/chat/completions", f"{url}/models", {"X-Title": "t"}, Secret(KEY), "start it")
    return Exchangers(hire).wire(connection, timeout)


def exchanging(place: str) -> FakeWorker:
    return FakeWorker(place, calling(Exchanging))


def fault_of(sender: ClusterWire) -> Fault:
    with pytest.raises(Fault) as raised:
        asyncio.run(sender.post(BODY))
    return raised.value


def test_a_worker_sends_what_a_transport_would_and_gets_the_key_apart_from_it() -> None:
    workers = [exchanging(name) for name in "ab"]

    async def run(url: str) -> tuple[list[Response], Response]:
        sender = wire(url, only(*workers))
        return await asyncio.gather(*(sender.post(BODY) for _ in range(6))), await sender.models()

    with Endpoint(models=[{"id": "m"}], delay=0.02) as endpoint:
        responses, listing = asyncio.run(run(endpoint.url))
        assert all(h["authorization"] == f"Bearer {KEY}" and h["x-title"] == "t" for h in endpoint.headers)
    assert {r.status for r in responses} == {200}
    assert msgspec.json.decode(responses[0].body) == completion("Color", "m")
    assert b'"id": "m"' in listing.body
    for worker in workers:
        with_key = [message for message in worker.asked if KEY.encode() in message]
        assert len(with_key) == 1
        assert BODY not in with_key[0]


def test_faults_are_told_as_a_transport_tells_them() -> None:
    fault = fault_of(wire("http://127.0.0.1:1/v1", only(exchanging("a"))))
    assert (fault.refused, fault.sent) == (True, False)
    with Endpoint(delay=30) as endpoint:
        fault = fault_of(wire(endpoint.url, only(exchanging("a")), timeout=0.2))
    assert (str(fault), fault.refused, fault.sent) == ("timed out", False, True)


def test_a_lost_worker_is_a_fault_that_may_have_been_billed_and_its_successor_knows_the_connection() -> None:
    first = FakeWorker("a", calling(Exchanging))
    with Endpoint() as endpoint:
        sender = wire(endpoint.url, hiring([first], exchanging))
        first._does = lost
        fault = fault_of(sender)
        assert (str(fault), fault.refused, fault.sent) == ("it ended", False, True)
        assert asyncio.run(sender.post(BODY)).status == 200


def test_a_worker_that_cannot_make_its_client_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("HTTP_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(SnellenError, match="socks5"):
        wire("http://127.0.0.1:1/v1", only(exchanging("a")))
