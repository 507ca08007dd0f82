"""The small HTTP client against real sockets: every shape of reply, faults, TLS, proxies."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from snellen.engine.call.http import Client, Fault

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(handler: Handler, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = next((int(x.partition(":")[2]) for x in head.split("\r\n") if x.lower().startswith("content-length")), 0)
    return head, await reader.readexactly(length)


def replying(*replies: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            await read_request(reader)
            writer.write(reply)
            await writer.drain()

    return handler


def ask(handler: Handler, times: int = 1, timeout: float = 10.0) -> list[object]:
    """Ask some times, one after the other; a Fault stands in the list as itself."""

    async def scenario() -> list[object]:
        out: list[object] = []
        async with serving(handler) as port:
            client = Client(f"http://127.0.0.1:{port}/v1/x", {"X-Key": "k"}, timeout)
            for _ in range(times):
                try:
                    out.append(await client.request("POST", "/v1/x", b"{}"))
                except Fault as fault:
                    out.append(fault)
            await client.close()
        return out

    return asyncio.run(scenario())


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nRetry-After: 7\r\n\r\nhi"


@pytest.mark.parametrize(
    ("reply", "status", "body"),
    [
        (OK, 200, b"hi"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=1\r\nde\r\n0\r\n\r\n", 200, b"abcde"),
        (b"HTTP/1.1 429 Slow\r\ncontent-length: 0\r\n\r\n", 429, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200, b"hi"),
        (b"HTTP/1.1 307 Go\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n", 307, b""),
    ],
)
def test_shapes_of_replies(reply: bytes, status: int, body: bytes) -> None:
    (got,) = ask(replying(reply))
    assert (got.status, got.body) == (status, body)  # type: ignore[attr-defined]


def test_header_names_are_lower_case() -> None:
    (got,) = ask(replying(OK))
    assert got.headers["retry-after"] == "7"  # type: ignore[attr-defined]


def test_a_reply_in_single_bytes() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for byte in OK:
            writer.write(bytes([byte]))
            await writer.drain()

    (got,) = ask(handler)
    assert got.body == b"hi"  # type: ignore[attr-defined]


def test_connections_are_kept_and_a_stale_one_is_no_failure() -> None:
    opened = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        for _ in range(3):
            await read_request(reader)
            writer.write(OK)
            await writer.drain()

    got = ask(handler, times=9)
    assert [g.body for g in got] == [b"hi"] * 9  # type: ignore[attr-defined]
    assert opened == 3


def test_a_slow_close_on_a_kept_connection_is_a_failed_try_not_a_silent_second_request() -> None:
    asked = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await read_request(reader)
        asked += 1
        writer.write(OK)
        await writer.drain()
        await read_request(reader)
        asked += 1
        await asyncio.sleep(0.3)  # it worked on the request, then gave up

    got = ask(handler, times=2)
    assert isinstance(got[1], Fault)
    assert asked == 2


def test_a_reply_that_ends_with_its_connection() -> None:
    (got,) = ask(replying(b"HTTP/1.1 200 OK\r\n\r\nall of it"))
    assert got.body == b"all of it"  # type: ignore[attr-defined]


def test_connection_close_is_obeyed() -> None:
    got = ask(replying(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"), times=3)
    assert [g.body for g in got] == [b"x"] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (b"", "connection closed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", "connection closed"),
        (b"SSH-2.0-OpenSSH\r\n", "not an HTTP reply"),
    ],
)
def test_what_breaks_is_a_fault(reply: bytes, message: str) -> None:
    (got,) = ask(replying(reply))
    assert isinstance(got, Fault)
    assert message in str(got)


def test_a_silent_server_times_out() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    (got,) = ask(handler, timeout=0.1)
    assert str(got) == "timed out"


def test_no_server_is_told_apart() -> None:
    async def scenario() -> None:
        async with serving(replying()) as port:
            pass
        with pytest.raises(Fault, match="cannot connect") as caught:
            await Client(f"http://127.0.0.1:{port}", {}, 5).request("GET", "/")
        assert caught.value.refused

    asyncio.run(scenario())


def test_a_header_cannot_start_another_header() -> None:
    async def scenario() -> str:
        heads: list[str] = []

        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append((await read_request(reader))[0])
            writer.write(OK)
            await writer.drain()

        async with serving(handler) as port:
            client = Client(f"http://127.0.0.1:{port}", {"Authorization": "Bearer a\r\nX-Evil: 1"}, 5)
            await client.request("GET", "/models")
            await client.close()
        return heads[0]

    head = asyncio.run(scenario())
    assert "\r\nX-Evil" not in head
    assert head.startswith("GET /models HTTP/1.1\r\n")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not here to make a test certificate")
    pem = tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(
        [*command, "-addext", "subjectAltName=DNS:localhost", "-keyout", pem, "-out", tmp_path / "only.pem"],
        check=True,
        capture_output=True,
    )
    pem.write_bytes(pem.read_bytes() + (tmp_path / "only.pem").read_bytes())
    return pem


def test_tls_and_a_certificate_that_is_not_trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def scenario() -> object:
        async with serving(replying(OK, OK), context) as port:
            client = Client(f"https://localhost:{port}", {}, 5)
            try:
                return (await client.request("POST", "/x", b"y" * 300_000)).body
            except Fault as fault:
                return fault
            finally:
                await client.close()

    refused = asyncio.run(scenario())
    assert isinstance(refused, Fault)
    assert "certificate" in str(refused).lower()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("only.pem")))
    assert asyncio.run(scenario()) == b"hi"


def test_through_a_plain_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> str:
        heads: list[str] = []

        async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append((await read_request(reader))[0])
            writer.write(OK)
            await writer.drain()

        async with serving(proxy) as port:
            monkeypatch.setenv("http_proxy", f"http://me:pa%20ss@127.0.0.1:{port}")
            monkeypatch.setenv("no_proxy", "elsewhere")
            client = Client("http://model.example:81/v1", {}, 5)
            await client.request("POST", "/v1/chat/completions", b"{}")
            await client.close()
        return heads[0]

    head = asyncio.run(scenario())
    assert head.startswith("POST http://model.example:81/v1/chat/completions HTTP/1.1\r\nHost: model.example:81\r\n")
    assert "Proxy-Authorization: Basic bWU6cGEgc3M=" in head


def test_through_a_tunnel(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("only.pem")))

    async def scenario() -> bytes:
        async with serving(replying(OK), context) as port:

            async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                assert head.startswith(f"CONNECT localhost:{port} HTTP/1.1")
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_pipe(reader, far_writer), _pipe(far_reader, writer))

            async with serving(proxy) as gate:
                monkeypatch.setenv("https_proxy", f"127.0.0.1:{gate}")
                monkeypatch.setenv("no_proxy", "elsewhere")
                client = Client(f"https://localhost:{port}", {}, 5)
                body = (await client.request("POST", "/x", b"{}")).body
                await client.close()
                return body

    assert asyncio.run(scenario()) == b"hi"


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
