"""The wire to one endpoint: redirects and where the key goes, any request, time limits."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yarl
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.remote import remote
from tests.support.sets import write_set
from tests.support.wire import OK, lead, read_request, reply, replying, serving

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.engine.call import preflight
from snellen.engine.call.client import Client
from snellen.engine.call.exchange import HOSTED_TIMEOUT, OWN_TIMEOUT, Fault, RefusedRedirect, Response, time_limit
from snellen.engine.call.retry import THROTTLES, retry_after, worth_retrying
from snellen.subjects.remote.settings import Settings

KEY = "sk-canary-0123456789abcdef"
Script = dict[str, bytes]
Use = Callable[[Client, int], Awaitable[Any]]


def connection(base: str, **more: Any) -> Connection:
    return Connection(f"{base}/v1/chat", f"{base}/v1/models", {}, Secret(KEY), "start it", **more)


def use(script: Script, what: Use) -> tuple[Any, list[tuple[str, bytes]]]:
    """What comes of using a transport to a server that answers by path, and what the server was asked."""
    asked: list[tuple[str, bytes]] = []

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            asked.append((head, body))
            writer.write(script.get(head.split()[1], reply(b"nothing here", 404)))
            await writer.drain()

    async def scenario() -> Any:
        async with serving(handler) as port:
            transport = Client(connection(f"http://127.0.0.1:{port}"), 5)
            try:
                return await what(transport, port)
            except (Fault, SnellenError) as error:
                return error
            finally:
                await transport.close()

    return asyncio.run(scenario()), asked


def moved(status: int, location: str) -> bytes:
    return reply(b"", status, location=location)


async def post(transport: Client, _port: int) -> Response:
    return await transport.post(b'{"q": 1}')


async def models(transport: Client, _port: int) -> Response:
    return await transport.models()


# ---------------------------------------------------------------- redirects


@pytest.mark.parametrize("status", [301, 303, 307])
def test_a_redirect_is_refused_with_the_address(status: int) -> None:
    got, asked = use({"/v1/chat": moved(status, "/v2/chat"), "/v2/chat": OK}, post)
    assert isinstance(got, RefusedRedirect)
    assert "has moved /v1/chat to /v2/chat" in str(got)
    assert len(asked) == 1


@pytest.mark.parametrize("status", [301, 307])
def test_the_key_never_goes_to_another_host(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lead(monkeypatch, "elsewhere.example", "127.0.0.1")
    heads: list[str] = []

    async def scenario() -> list[Any]:
        async with serving(replying(OK, OK, heads=heads)) as other:
            there = moved(status, f"http://elsewhere.example:{other}/v1/chat?key=x")
            async with serving(replying(there, there, there)) as port:
                transport = Client(connection(f"http://127.0.0.1:{port}"), 5)
                out: list[Any] = []
                for ask in (transport.post(b"{}"), transport.models(), transport.request("GET", "/v1/files")):
                    try:
                        out.append(await ask)
                    except (Fault, SnellenError) as error:
                        out.append(error)
                await transport.close()
        return [other, *out]

    other, posted, listed, file = asyncio.run(scenario())
    assert heads == []
    for error in (posted, listed, file):
        assert f"redirects to http://elsewhere.example:{other}, " in str(error)
        assert "\n" not in str(error)
    assert isinstance(posted, SnellenError)  # every call would end there: one line, exit code 2
    assert isinstance(listed, Fault)  # a service can do without a list of models


def test_another_port_or_scheme_is_another_place() -> None:
    for location in (
        "http://127.0.0.1:9/v1/chat",
        "https://127.0.0.1/v1/chat",
        "//evil.example/v1",
        "ftp://127.0.0.1/",
    ):
        got, asked = use({"/v1/chat": moved(308, location)}, post)
        assert isinstance(got, RefusedRedirect)
        assert len(asked) == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://me:secret@evil.example/",
        "http://[bad/",
        "http://a.b:port/",
        "http://evil.example/\x1b[2J",
        "http://a\udce9/",
    ],
)
def test_hostile_locations(location: str) -> None:
    said = Client(connection("http://a.b"))._moved(yarl.URL("http://a.b/v1/chat"), location)
    assert "secret" not in said
    assert said.isprintable()


def test_what_is_no_redirect_stays_what_it_is() -> None:
    for sent in (reply(b"", 304), reply(b"x", 300, location="/y"), reply(b"x", 307)):
        got, asked = use({"/v1/chat": sent}, post)
        assert got.status in (304, 300, 307)
        assert len(asked) == 1


# ---------------------------------------------------------------- any request


def test_any_request_to_the_same_origin() -> None:
    form = b"--b\r\n\r\nx\r\n--b--"
    script = {
        "/v1/files": reply(b'{"id": "f1"}', x_request_id="r1"),
        "/v1/files/f1/content?a=%20b": reply(b"line\n" * 1000),
        "/v1/batches/b1": reply(b"gone", 200),
    }

    async def several(transport: Client, port: int) -> list[Any]:
        file = io.BytesIO()
        uploaded = await transport.request("POST", "/v1/files", form, "multipart/form-data; boundary=b")
        whole = f"http://127.0.0.1:{port}/v1/files/f1/content?a=%20b"
        await transport.request("GET", whole, largest=5000, into=file)
        deleted = await transport.request("DELETE", "/v1/batches/b1")
        return [uploaded, file.getvalue(), deleted]

    (uploaded, content, deleted), asked = use(script, several)
    assert (uploaded.body, uploaded.headers["x-request-id"]) == (b'{"id": "f1"}', "r1")
    assert content == b"line\n" * 1000
    assert deleted.body == b"gone"
    assert [head.split()[0] for head, _ in asked] == ["POST", "GET", "DELETE"]
    assert asked[0][1] == form
    assert "multipart/form-data; boundary=b" in asked[0][0]
    assert "content-type" not in asked[1][0].lower()
    assert all(f"Authorization: Bearer {KEY}" in head for head, _ in asked)


@pytest.mark.parametrize("where", ["http://evil.example/v1/files", "//evil.example/x", "https://127.0.0.1/v1"])
def test_no_request_goes_to_another_origin(where: str) -> None:
    async def one(transport: Client, _port: int) -> Response:
        return await transport.request("GET", where)

    got, asked = use({}, one)
    assert isinstance(got, SnellenError)
    assert "a key goes only to the address that was given" in str(got)
    assert asked == []


def test_a_path_cannot_start_another_request() -> None:
    async def one(transport: Client, _port: int) -> Response:
        return await transport.request("GET", "/v1/files/é x\r\nX-Evil: 1")

    _got, asked = use({}, one)
    assert len(asked) == 1
    assert "\r\nX-Evil" not in asked[0][0]
    assert asked[0][0].startswith("GET /v1/files/%C3%A9%20x")


def test_the_key_is_in_no_fault() -> None:
    got, _asked = use({"/v1/chat": b"HTTP/1.1 200 OK\r\nContent-Encoding: " + KEY.encode() + b"\r\n\r\n"}, post)
    assert isinstance(got, Fault)
    assert KEY not in str(got)


# ---------------------------------------------------------------- time limits, waiting, whole runs


def test_time_limits_fit_the_service() -> None:
    assert time_limit(connection("http://localhost:8000")) == OWN_TIMEOUT
    assert time_limit(connection("https://api.example.com")) == HOSTED_TIMEOUT
    assert time_limit(connection("https://api.example.com", timeout=42.0)) == 42.0


def test_a_time_limit_that_was_given_wins() -> None:
    async def scenario() -> str:
        async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await reader.read()

        async with serving(silent) as port:
            transport = Client(connection(f"http://127.0.0.1:{port}", timeout=1000.0), 0.1)
            with pytest.raises(Fault) as caught:
                await transport.post(b"{}")
            await transport.close()
        return str(caught.value)

    assert asyncio.run(scenario()) == "timed out"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "20", "retry-after": "9"}, 0.02),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": "-5"}, 0.0),
        ({"retry-after-ms": "nan"}, 0.0),
    ],
)
def test_milliseconds_are_obeyed(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers) == seconds


def test_overloaded_is_a_throttle() -> None:
    assert 529 in THROTTLES
    assert worth_retrying(529)


def run(tmp_path: Path, endpoint: Endpoint) -> Any:
    data = write_set(tmp_path / "set", 4)
    return snellen(
        "run", "salbench", "--data", data, "--model", "api/m", "--base-url", endpoint.url, "--out", tmp_path / "runs",
        cache=tmp_path / "cache",
    )  # fmt: skip


def test_a_run_waits_out_an_overload(tmp_path: Path) -> None:
    def overloaded_first(_request: dict[str, Any], times: int) -> tuple[int, dict[str, str], bytes] | None:
        return (
            (529, {"retry-after-ms": "10", "retry-after": "1000"}, b'{"error": "overloaded"}') if times == 1 else None
        )

    with Endpoint(script=overloaded_first) as endpoint:
        done = run(tmp_path, endpoint)
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 8


def test_a_server_that_sends_on_to_another_host_ends_the_run_in_one_line(tmp_path: Path) -> None:
    with Endpoint(script=lambda _r, _t: (307, {"Location": "https://evil.example/v1"}, b"")) as endpoint:
        done = run(tmp_path, endpoint)
        assert done.returncode == 2
        assert "redirects to https://evil.example," in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr


def test_a_model_list_that_never_comes_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        async def models(self) -> Response:
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr(preflight, "LONGEST_WAIT", 0.01)
    endpoint = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1"))
    asyncio.run(asyncio.wait_for(preflight.preflight(Silent(), [endpoint]), 5))  # type: ignore[arg-type]
