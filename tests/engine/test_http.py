"""Both HTTP clients, our own and aiohttp's, against real sockets: every shape of reply, faults, addresses, sizes. (TLS: test_tls.py; proxies: test_proxies.py.)"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import socket
import zlib
from typing import Any

import pytest
from tests.support.wire import (
    OK,
    Handler,
    lead,
    read_request,
    reply,
    replying,
    serving,
)

from snellen.engine.call import dial, http, library
from snellen.engine.call.exchange import Fault, HttpClient
from snellen.engine.call.transport import make_client

pytestmark = pytest.mark.usefixtures("client_name")


def ask(handler: Handler, times: int = 1, timeout: float = 10.0, **options: Any) -> list[Any]:
    """Ask some times, one after the other; a Fault stands in the list as itself."""

    async def scenario() -> list[Any]:
        async with serving(handler) as port:
            client = make_client(f"http://127.0.0.1:{port}/v1/x", {"X-Key": "k"}, timeout)
            out = [await tried(client, **options) for _ in range(times)]
            await client.close()
        return out

    return asyncio.run(scenario())


async def tried(client: HttpClient, method: str = "POST", **options: Any) -> Any:
    try:
        return await client.request(method, "/v1/x", b"{}" if method == "POST" else b"", **options)
    except Fault as fault:
        return fault


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize(
    ("sent", "status", "body"),
    [
        (OK, 200, b"hi"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=1\r\nde\r\n0\r\n\r\n", 200, b"abcde"),
        (b"HTTP/1.1 429 Slow\r\ncontent-length: 0\r\n\r\n", 429, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200, b"hi"),
        (b"HTTP/1.1 307 Go\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n", 307, b""),
        (b"HTTP/1.1 204 Nothing\r\nContent-Encoding: gzip\r\n\r\n", 204, b""),
    ],
)
def test_shapes_of_replies(sent: bytes, status: int, body: bytes) -> None:
    (got,) = ask(replying(sent))
    assert (got.status, got.body) == (status, body)


def test_header_names_are_lower_case() -> None:
    (got,) = ask(replying(OK))
    assert got.headers["retry-after"] == "7"


def test_a_reply_in_single_bytes() -> None:
    packed = reply(gzip.compress(b"hi"), content_encoding="gzip")

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for sent in (OK, packed):
            await read_request(reader)
            for byte in sent:
                writer.write(bytes([byte]))
                await writer.drain()

    assert [g.body for g in ask(handler, times=2)] == [b"hi", b"hi"]


def test_a_reply_that_ends_with_its_connection() -> None:
    (got,) = ask(replying(b"HTTP/1.1 200 OK\r\n\r\nall of it"))
    assert got.body == b"all of it"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "connection closed"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", "connection closed"),
        (b"SSH-2.0-OpenSSH\r\n", "not an HTTP reply"),
    ],
)
def test_what_breaks_is_a_fault(sent: bytes, message: str) -> None:
    (got,) = ask(replying(sent))
    assert isinstance(got, Fault)
    assert message in str(got)
    assert got.sent  # somebody may have worked on it


def test_a_silent_server_times_out() -> None:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    (got,) = ask(handler, timeout=0.1)
    assert str(got) == "timed out"
    assert got.sent


def test_one_request_may_have_a_time_limit_of_its_own() -> None:
    async def scenario() -> str:
        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        async with serving(handler) as port:
            client = make_client(f"http://127.0.0.1:{port}", {}, 1000)
            got = await tried(client, timeout=0.1)
            await client.close()
        return str(got)

    assert asyncio.run(scenario()) == "timed out"


def test_a_header_cannot_start_another_header() -> None:
    async def scenario() -> str:
        heads: list[str] = []
        async with serving(replying(OK, heads=heads)) as port:
            client = make_client(f"http://127.0.0.1:{port}", {"Authorization": "Bearer a\r\nX-Evil: 1"}, 5)
            await client.request("GET", "/models")
            await client.close()
        return heads[0]

    head = asyncio.run(scenario())
    assert "\r\nX-Evil" not in head
    assert head.startswith("GET /models HTTP/1.1\r\n")


def test_a_reply_to_head_has_no_body() -> None:
    async def scenario() -> list[Any]:
        async with serving(replying(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", OK)) as port:
            client = make_client(f"http://127.0.0.1:{port}", {}, 5)
            out = [await client.request("HEAD", "/file"), await client.request("GET", "/file")]
            await client.close()
        return out

    head, got = asyncio.run(scenario())
    assert (head.headers["content-length"], head.body, got.body) == ("99", b"", b"hi")


# ---------------------------------------------------------------- codings and sizes

TEXT = b'{"answer": "Color"}' * 20


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:])),
        ("gzip", gzip.compress(TEXT) + bytes(8)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("deflate, gzip", gzip.compress(zlib.compress(TEXT))),
        ("identity", TEXT),
        ("", TEXT),
    ],
    ids=["gzip", "x-gzip", "two members", "padding", "zlib", "raw deflate", "both", "identity", "empty"],
)
def test_a_compressed_reply_is_read_though_nobody_asked_for_it(coding: str, packed: bytes) -> None:
    (got,) = ask(replying(reply(packed, content_encoding=coding)))
    assert got.body == TEXT


@pytest.mark.parametrize(
    ("coding", "packed", "message"),
    [
        ("gzip", gzip.compress(TEXT)[:-9], "ends too early"),
        ("gzip", b"\x1f", "ends too early"),
        ("gzip", TEXT, "compression is broken"),
        ("deflate", b"\xff" * 40, "compression is broken"),
        ("br", TEXT, "encoded as 'br'"),
        ("gzip, gzip, gzip", TEXT, "3 times over"),
    ],
    ids=["cut", "one byte", "no gzip", "no deflate", "brotli", "three times"],
)
def test_a_reply_that_cannot_be_decoded_is_a_fault(coding: str, packed: bytes, message: str) -> None:
    (got,) = ask(replying(reply(packed, content_encoding=coding)))
    assert isinstance(got, Fault)
    assert message in str(got)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_small_reply_cannot_unpack_to_a_large_one(layers: int) -> None:
    packed = bytes(50_000_000)
    for _ in range(layers):
        packed = gzip.compress(packed)
    (got,) = ask(replying(reply(packed, content_encoding=", ".join(["gzip"] * layers))), largest=1_000_000)
    assert str(got) == "the reply is too large"


def test_how_large_a_reply_may_be_is_said_with_the_request() -> None:
    large = reply(b"x" * 300_000)
    assert len(ask(replying(large), largest=300_000)[0].body) == 300_000
    assert str(ask(replying(large), largest=299_999)[0]) == "the reply is too large"


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_body_goes_into_a_file(coding: str) -> None:
    file = io.BytesIO()
    packed = gzip.compress(TEXT) if coding == "gzip" else TEXT
    (got,) = ask(replying(reply(packed, content_encoding=coding)), into=file)
    assert (got.status, got.body) == (200, b"")
    assert file.getvalue() == TEXT


def test_an_error_does_not_go_into_the_file() -> None:
    file = io.BytesIO()
    (got,) = ask(replying(reply(b"no such file", 404)), into=file)
    assert (got.status, got.body) == (404, b"no such file")
    assert file.getvalue() == b""


def test_a_full_disk_is_no_fault_of_the_network() -> None:
    class Full(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        ask(replying(reply(TEXT)), into=Full())


def test_a_large_body_of_another_type_arrives_whole() -> None:
    got: list[tuple[str, bytes]] = []
    body = b"--b\r\n" + b"x" * 3_000_000 + b"\r\n--b--"

    async def scenario() -> None:
        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            got.append(await read_request(reader))
            writer.write(OK)

        async with serving(handler) as port:
            client = make_client(f"http://127.0.0.1:{port}", {}, 10)
            await client.request("POST", "/v1/files", body, "multipart/form-data; boundary=b")
            await client.close()

    asyncio.run(scenario())
    assert got[0][1] == body
    assert "content-type: multipart/form-data; boundary=b\r\n" in got[0][0].lower()


# ---------------------------------------------------------------- connections


def counting(opened: list[int], *replies: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(1)
        await replying(*replies)(reader, writer)

    return handler


def test_connections_are_kept_and_a_stale_one_is_no_failure_of_what_only_reads() -> None:
    opened: list[int] = []
    got = ask(counting(opened, OK, OK, OK), times=9, method="GET")
    assert [g.body for g in got] == [b"hi"] * 9
    assert len(opened) == 3


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_a_close_on_a_kept_connection_is_a_failed_try_not_a_silent_second_request(pause: float) -> None:
    """A server may bill a POST and then drop the connection, however soon."""
    asked = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await read_request(reader)
        asked += 1
        writer.write(OK)
        await writer.drain()
        await read_request(reader)
        asked += 1
        await asyncio.sleep(pause)  # it worked on the request, then gave up

    got = ask(handler, times=2)
    assert isinstance(got[1], Fault)
    assert got[1].sent
    assert asked == 2


def test_connection_close_is_obeyed() -> None:
    got = ask(replying(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"), times=3)
    assert [g.body for g in got] == [b"x"] * 3


def test_a_connection_that_waited_too_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    ask(counting(opened, OK, OK), times=2)
    assert len(opened) == 1
    monkeypatch.setattr(http, "IDLE", -1.0)
    monkeypatch.setattr(library, "IDLE", -1.0)
    ask(counting(opened, OK, OK), times=2)
    assert len(opened) == 3


def test_a_connection_that_nobody_uses_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "IDLE", 0.05)
    monkeypatch.setattr(library, "IDLE", 0.05)

    async def scenario() -> None:
        closed = asyncio.Event()

        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await replying(OK)(reader, writer)
            with contextlib.suppress(ConnectionError):
                await reader.read()
            closed.set()

        async with serving(handler) as port:
            client = make_client(f"http://127.0.0.1:{port}", {}, 5)
            await client.request("GET", "/")
            await asyncio.wait_for(closed.wait(), 60)  # while the client is still open
            await client.close()

    asyncio.run(scenario())


def test_the_server_says_how_long_it_keeps_connections(client_name: str) -> None:
    if client_name != "own":
        pytest.skip("aiohttp does not read Keep-Alive")
    opened: list[int] = []
    assert len(ask(counting(opened, *[reply(b"hi", keep_alive="timeout=1, max=9")] * 2), times=2)) == 2
    assert len(opened) == 2


def test_sockets_ask_whether_the_other_side_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[socket.socket] = []
    asked: list[int] = []

    def noting(address: Any) -> socket.socket:
        made.append(dial_socket(address))
        asked.append(made[-1].getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
        return made[-1]

    dial_socket = dial.new_socket
    monkeypatch.setattr(dial, "new_socket", noting)
    monkeypatch.setattr(library, "new_socket", noting)
    assert ask(replying(OK))[0].body == b"hi"
    assert asked == [1]


# ---------------------------------------------------------------- addresses


async def free_port() -> int:
    async with serving(replying()) as port:
        return port


@pytest.mark.parametrize(
    "addresses",
    [("127.0.0.1",), ("127.0.0.2", "127.0.0.1"), ("::1", "127.0.0.1"), ("127.0.0.1", "::1"), ("::1",)],
    ids=" ".join,
)
def test_no_server_at_any_address_is_a_refusal(addresses: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    if addresses == ("::1",) and not _has_ipv6():
        pytest.skip("this machine has no IPv6")
    lead(monkeypatch, "localhost", *addresses)

    async def scenario() -> Any:
        client = make_client(f"http://localhost:{await free_port()}", {}, 5)
        try:
            return await tried(client)
        finally:
            await client.close()

    got = asyncio.run(scenario())
    assert isinstance(got, Fault)
    assert got.refused
    assert not got.sent
    assert str(got) == "cannot connect (Connection refused)"


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_a_name_that_nobody_knows_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    async def scenario() -> Any:
        client = make_client("http://nowhere.example", {}, 5)
        try:
            return await tried(client)
        finally:
            await client.close()

    got = asyncio.run(scenario())
    assert "cannot connect (" in str(got)
    assert not got.refused


@pytest.mark.parametrize("first", ["silent", "refused"])
def test_addresses_race(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first address of the name never answers, or refuses; the second one does."""
    lead(monkeypatch, "model.example", "127.0.0.2", "127.0.0.1")

    async def scenario() -> Any:
        async with serving(replying(OK)) as port:
            queue = [socket.socket() for _ in range(4)] if first == "silent" else []
            for i, one in enumerate(queue):  # a server whose queue is full lets everybody else wait
                one.setblocking(False)
                if i == 0:
                    one.bind(("127.0.0.2", port))
                    one.listen(0)
                else:
                    one.connect_ex(("127.0.0.2", port))
            client = make_client(f"http://model.example:{port}", {}, 20)
            try:
                return await tried(client)
            finally:
                await client.close()
                for one in queue:
                    one.close()

    assert asyncio.run(scenario()).body == b"hi"
