"""Replies with absurd numbers, dates, characters, statuses or headers neither end a run nor are paid for again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.core.types import Answer
from snellen.engine.call.client import Client
from snellen.engine.call.exchange import Fault, Response
from snellen.engine.call.retry import retry_after
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.subjects.compatible import CHAT
from snellen.subjects.remote.reading import listed_price

HUGE = int("9" * 400)
COUNT = 6
POURED = 32 * 1024 * 1024  # bytes of header, then it stops; a client that listens to the end keeps them all


def answers(
    tmp_path: Path, body: bytes, status: int = 200, headers: dict[str, str] | None = None
) -> tuple[list[Answer], int]:
    """What a run keeps of an endpoint that always says this, and how often it was asked."""
    write_set(tmp_path / "set", COUNT)
    with Endpoint(script=lambda _r, _t: (status, headers or {}, body)) as endpoint:
        options = {"base_url": endpoint.url, "logprobs": 2, "price": "1/2"}
        request = RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=options, out=tmp_path / "runs")
        plan = make_plan(request._replace(limits=Limits(tries=2)))
        run_plan(plan)
        asked = len(endpoint.requests)
    return list(RunFolder(plan.folder).answers()), asked


def reply(**usage: Any) -> dict[str, Any]:
    body = completion("Color")
    return body | {"usage": body["usage"] | usage}


def with_logprob(value: Any) -> dict[str, Any]:
    body = completion("Color")
    one = {"token": "Color", "logprob": value, "top_logprobs": [{"token": "Color", "logprob": value}]}
    body["choices"][0]["logprobs"] = {"content": [one]}
    return body


@pytest.mark.parametrize(
    "body",
    [
        reply(cost=HUGE),
        reply(cost=-HUGE),
        reply(prompt_tokens=HUGE),
        reply(completion_tokens=-1),
        with_logprob(-HUGE),
        with_logprob("none"),
        with_logprob(1e308),
        with_logprob(-1e308),
        completion("Color") | {"created": HUGE, "system_fingerprint": HUGE},
    ],
    ids=[
        "cost",
        "negative cost",
        "tokens",
        "negative tokens",
        "logprob",
        "no logprob",
        "great logprob",
        "least logprob",
        "elsewhere",
    ],
)
def test_numbers_that_cannot_be_are_not_said(tmp_path: Path, body: dict[str, Any]) -> None:
    kept, asked = answers(tmp_path, json.dumps(body).encode())
    assert [a.text for a in kept] == ["Color"] * COUNT
    assert asked == COUNT
    assert all(0 < (a.calls[0].cost or 0.5) < 1 for a in kept)


def test_a_price_list_with_such_numbers_is_none() -> None:
    assert listed_price({"pricing": {"prompt": HUGE, "completion": 1}}) is None
    assert listed_price({"pricing": {"prompt": "inf", "completion": "nan"}}) is None


@pytest.mark.parametrize("half", ["\\ud83d", "\\udc4d", "\\ud83d\\ud83d", "x\\udfff\\\\ud800"])
def test_half_a_character_is_a_reply(tmp_path: Path, half: str) -> None:
    body = json.dumps(completion("HERE")).replace("HERE", f"Color {half}").encode()
    kept, asked = answers(tmp_path, body)
    assert asked == COUNT
    assert all(
        a.failure is None and a.text.startswith("Color ") and "\N{REPLACEMENT CHARACTER}" in a.text for a in kept
    )


def test_bytes_that_are_no_utf8_are_a_reply() -> None:
    body = json.dumps(completion("HERE")).encode().replace(b"HERE", b"Color \xff")
    assert CHAT.parse(body, Secret("")).text == "Color \N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"choices": [{"mess', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_reply_is_a_failure_of_its_sample(tmp_path: Path, body: bytes) -> None:
    kept, asked = answers(tmp_path, body)
    assert {a.failure.kind for a in kept if a.failure} == {"gave-up"}
    assert asked == 2 * COUNT


DATES = [
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "Mon, 01 Jan 2024 00:00:00 +99999999999999",
    "Mon, 01 Jan 2024 00:00:00 -" + "9" * 400,
    "Mon, 99 Jan 2024",
    "9" * 400,
    "nan",
    "-inf",
]


@pytest.mark.parametrize("date", DATES)
def test_every_retry_after_is_a_wait_or_none(date: str) -> None:
    waited = retry_after({"retry-after": date})
    assert waited is None or waited >= 0


@pytest.mark.parametrize("body", [{"error": {"message": HUGE}}, {"error": {"code": HUGE}}, {"detail": [HUGE]}])
@pytest.mark.parametrize("status", [200, 400, 418])
def test_errors_with_such_numbers_are_errors_of_their_samples(
    tmp_path: Path, body: dict[str, Any], status: int
) -> None:
    said = json.dumps(body).replace("9" * 400, "9" * 5000).encode()
    kept, _asked = answers(tmp_path, said, status)
    assert len(kept) == COUNT
    assert all((a.failure is not None) or status == 200 for a in kept)


# ---------------------------------------------------------------- below HTTP

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def exchange(handler: Handler) -> tuple[Response | Fault, list[dict[str, Any]]]:
    """What one request gives, and what the loop complained about."""
    complaints: list[dict[str, Any]] = []

    async def scenario() -> Response | Fault:
        served = asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))

        async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.readuntil(b"\r\n\r\n")
                await handler(reader, writer)
            except ConnectionError:
                pass
            finally:
                writer.close()
                served.set()

        server = await asyncio.start_server(guarded, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        client = Client(Connection(url, url, {}, Secret(""), ""), 60)
        try:
            return await client.request("GET", "/")
        except Fault as fault:
            return fault
        finally:
            await client.close()
            await served.wait()
            server.close()

    return asyncio.run(scenario()), complaints


def test_another_protocol_is_a_failed_request() -> None:
    async def upgrade(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
        await writer.drain()
        await _reader.read()  # until the client hangs up

    got, complaints = exchange(upgrade)
    assert isinstance(got, Response)
    assert (got.status, got.body) == (101, b"")
    assert complaints == []


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nx: ", b"a" * 65536),
        (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n" * 10_000),
        (b"HTTP/1.1 200 ", b"O" * 65536),
    ],
    ids=["one header", "many headers", "reason"],
)
def test_headers_without_end_are_cut_off(start: bytes, piece: bytes) -> None:
    sent = 0

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(start)
        while sent < POURED:
            writer.write(piece)
            await writer.drain()
            sent += len(piece)

    got, complaints = exchange(pour)
    assert isinstance(got, Fault)
    assert sent < POURED
    assert complaints == []
