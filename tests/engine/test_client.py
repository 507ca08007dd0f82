"""The HTTP client against real sockets: replies, faults, sizes, connections, TLS and proxies."""

from __future__ import annotations

import asyncio
import gzip
import io
import socket
import ssl
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.wire import OK, Handler, lead, read_request, reply, replying, server_context, serving, tunnelling

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Connection
from snellen.engine.call import client, tls
from snellen.engine.call.client import Client
from snellen.engine.call.exchange import Fault
from snellen.engine.call.proxies import is_left_out

TEXT = b'{"answer": "Color"}' * 20
KEY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    yield


def client_of(url: str, headers: dict[str, str], timeout: float) -> Client:
    return Client(Connection(url, url, headers, Secret(""), ""), timeout)


async def asked(url: str, method: str = "POST", times: int = 1, timeout: float = 10.0, **options: Any) -> list[Any]:
    """Ask some times, one after the other; a Fault stands in the list as itself."""
    one = client_of(url, {"Authorization": f"Bearer {KEY}"}, timeout)
    out: list[Any] = []
    try:
        for _ in range(times):
            try:
                out.append(await one.request(method, "/v1/x", b"{}" if method == "POST" else b"", **options))
            except Fault as fault:
                out.append(fault)
    finally:
        await one.close()
    return out


def ask(
    handler: Handler, host: str = "127.0.0.1", context: ssl.SSLContext | None = None, **options: Any
) -> tuple[Any, ...]:
    """Ask a server that answers in this way, at `host`."""

    async def scenario() -> list[Any]:
        async with serving(handler, context) as port:
            return await asked(f"{'https' if context else 'http'}://{host}:{port}/v1/x", **options)

    return tuple(asyncio.run(scenario()))


async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize(
    ("sent", "status", "body"),
    [
        (OK, 200, b"hi"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=1\r\nde\r\n0\r\n\r\n", 200, b"abcde"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200, b"hi"),
        (b"HTTP/1.1 204 Nothing\r\nContent-Encoding: gzip\r\n\r\n", 204, b""),
    ],
    ids=["plain", "chunked", "interim", "no body"],
)
def test_shapes_of_replies(sent: bytes, status: int, body: bytes) -> None:
    (got,) = ask(replying(sent))
    assert (got.status, got.body) == (status, body)


def test_a_header_that_is_not_utf8_can_be_written_down() -> None:
    said = b"HTTP/1.1 200 OK\r\nX-Request-Id: caf\xe9\r\nContent-Length: 2\r\n\r\nok"
    (response,) = ask(replying(said))
    assert response.headers["x-request-id"].encode() == b"caf?"


def test_header_names_are_lower_case() -> None:
    (got,) = ask(replying(OK))
    assert got.headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "connection closed before the reply"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", "the reply is cut short or broken"),
        (b"SSH-2.0-OpenSSH\r\n", "not a valid HTTP reply (Bad status line)"),
        (reply(TEXT, content_encoding="gzip"), "the reply is cut short or broken"),
        (reply(TEXT, content_encoding="gzip, gzip"), "the reply is compressed as 'gzip, gzip', which is not supported"),
    ],
    ids=["nothing", "half", "SSH", "not gzip", "twice"],
)
def test_a_broken_reply_is_a_fault_after_sending(sent: bytes, message: str) -> None:
    (got,) = ask(replying(sent))
    assert isinstance(got, Fault)
    assert str(got) == message
    assert got.sent and not got.refused


def test_a_silent_server_times_out() -> None:
    (got,) = ask(silent, timeout=0.2)
    assert str(got) == "timed out"
    assert got.sent


# ---------------------------------------------------------------- codings, sizes, files


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)[2:-4]),
    ],
    ids=["gzip", "zlib", "raw deflate"],
)
def test_compressed_replies(coding: str, packed: bytes) -> None:
    heads: list[str] = []
    (got,) = ask(replying(reply(packed, content_encoding=coding), heads=heads))
    assert got.body == TEXT
    assert "Accept-Encoding: gzip, deflate\r\n" in heads[0]


def test_a_small_reply_cannot_unpack_to_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    whole = io.BytesIO.write

    class Noting(io.BytesIO):
        def write(self, data: Any) -> int:
            read.append(len(data))
            return whole(self, data)

    packed = gzip.compress(bytes(50_000_000))
    (got,) = ask(replying(reply(packed, content_encoding="gzip")), largest=1_000_000, into=Noting())
    assert str(got) == "the reply is too large"
    assert sum(read) <= 1_000_000


def test_how_large_a_reply_may_be_is_said_with_the_request() -> None:
    large = reply(b"x" * 300_000)
    assert len(ask(replying(large), largest=300_000)[0].body) == 300_000
    assert str(ask(replying(large), largest=299_999)[0]) == "the reply is too large"


@pytest.mark.parametrize(("status", "body", "content"), [(200, b"", TEXT), (404, TEXT, b"")])
def test_only_the_body_of_a_good_reply_goes_into_a_file(status: int, body: bytes, content: bytes) -> None:
    file = io.BytesIO()
    (got,) = ask(replying(reply(gzip.compress(TEXT), status, content_encoding="gzip")), into=file)
    assert (got.status, got.body, file.getvalue()) == (status, body, content)


def test_a_full_disk_is_not_a_fault_of_the_network() -> None:
    class Full(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        ask(replying(reply(TEXT)), into=Full())


def test_a_large_body_of_another_type_arrives_whole() -> None:
    got: list[tuple[str, bytes]] = []
    body = b"--b\r\n" + b"x" * 3_000_000 + b"\r\n--b--"

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await read_request(reader))
        writer.write(OK)

    async def scenario() -> None:
        async with serving(handler) as port:
            one = client_of(f"http://127.0.0.1:{port}", {}, 10)
            await one.request("POST", "/v1/files", body, "multipart/form-data; boundary=b")
            await one.close()

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # aiohttp warns of large bodies in one piece
        asyncio.run(scenario())
    assert got[0][1] == body
    assert "content-type: multipart/form-data; boundary=b\r\n" in got[0][0].lower()


# ---------------------------------------------------------------- connections


def counting(opened: list[int], *replies: bytes) -> Handler:
    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(1)
        await replying(*replies)(reader, writer)

    return handler


def test_connections_are_kept_and_a_get_survives_one_that_was_closed() -> None:
    opened: list[int] = []
    got = ask(counting(opened, OK, OK, OK), times=9, method="GET")
    assert [g.body for g in got] == [b"hi"] * 9
    assert len(opened) == 3


@pytest.mark.parametrize("pause", [0.0, 0.3])
def test_a_post_is_never_sent_again_silently(pause: float) -> None:
    """A server may bill a POST and then drop the connection, however soon."""
    requests = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal requests
        await read_request(reader)
        requests += 1
        writer.write(OK)
        await writer.drain()
        await read_request(reader)
        requests += 1
        await asyncio.sleep(pause)  # it worked on the request, then gave up

    got = ask(handler, times=2)
    assert isinstance(got[1], Fault)
    assert got[1].sent
    assert requests == 2


def test_sockets_notice_that_the_other_side_is_gone() -> None:
    with client._new_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 1))) as sock:
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


async def free_port() -> int:
    async with serving(replying()) as port:
        return port


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("127.0.0.2", "127.0.0.1"), ("::1", "127.0.0.1")], ids=" ".join)
def test_no_server_at_any_address_is_a_refusal(addresses: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    lead(monkeypatch, "localhost", *addresses)

    async def scenario() -> Any:
        return (await asked(f"http://localhost:{await free_port()}"))[0]

    got = asyncio.run(scenario())
    assert str(got) == "cannot connect (Connection refused)"
    assert got.refused and not got.sent


def test_an_unknown_name_is_not_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    (got,) = asyncio.run(asked("http://nowhere.example"))
    assert str(got) == "cannot connect (Name or service not known)"
    assert not got.refused and not got.sent


def test_a_server_that_accepts_nobody_times_out_while_connecting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its TLS handshake never ends."""

    async def scenario() -> Any:
        async with serving(silent) as port:
            return (await asked(f"https://127.0.0.1:{port}", timeout=0.5))[0]

    got = asyncio.run(scenario())
    assert str(got) == "timed out while connecting"
    assert not got.sent


def test_a_header_cannot_start_another_header() -> None:
    with pytest.raises(SnellenError, match="the header X-Key has a line break") as caught:
        client_of("http://127.0.0.1", {"X-Key": f"{KEY}\r\nX-Evil: 1"}, 5)
    assert KEY not in str(caught.value)


# ---------------------------------------------------------------- TLS


def test_a_certificate_is_trusted_or_not(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = server_context(certificates / "localhost.pem")
    (refused,) = ask(replying(OK), "localhost", context)
    assert str(refused).startswith("cannot connect (the certificate is not trusted: ")
    assert "SSL_CERT_FILE" in str(refused)
    assert not refused.sent
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    assert ask(replying(OK), "localhost", context)[0].body == b"hi"
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "me.crt"))
    (wrong_name,) = ask(replying(OK), "localhost", server_context(certificates / "me.pem"))
    assert "not trusted" in str(wrong_name)


def test_a_server_that_speaks_no_tls() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Speak plainly\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async def scenario() -> Any:
        async with serving(plain) as port:
            return (await asked(f"https://localhost:{port}"))[0]

    got = asyncio.run(scenario())
    assert str(got).startswith("cannot connect (")
    assert not got.sent


def test_a_client_certificate(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem", asks_for=certificates / "me.crt")
    assert isinstance(ask(replying(OK), "localhost", context)[0], Fault)
    monkeypatch.setenv("SNELLEN_CLIENT_CERT", str(certificates / "me.pem"))
    assert ask(replying(OK), "localhost", context)[0].body == b"hi"
    monkeypatch.setenv("SNELLEN_CLIENT_CERT", str(certificates / "me.crt"))
    monkeypatch.setenv("SNELLEN_CLIENT_KEY", str(certificates / "me.key"))
    assert ask(replying(OK), "localhost", context)[0].body == b"hi"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"SSL_CERT_FILE": "/no/such/file"}, "SSL_CERT_FILE names /no/such/file, which does not exist"),
        ({"SNELLEN_CLIENT_CERT": __file__}, "unencrypted key in PEM form"),
        ({"SNELLEN_CLIENT_KEY": __file__}, "a key needs its certificate"),
    ],
)
def test_missing_certificates_are_errors_of_one_line(
    variables: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SnellenError) as caught:
        client_of("https://model.example", {}, 5)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_macos_and_windows_are_asked_for_their_certificates() -> None:
    truststore = pytest.importorskip("truststore")
    for platform in ("darwin", "win32"):
        assert isinstance(tls.make_context({}, platform), truststore.SSLContext)
    named = tls.make_context({"SSL_CERT_FILE": __file__}, "darwin")
    assert not isinstance(named, truststore.SSLContext)
    assert named.verify_mode == ssl.CERT_REQUIRED and named.check_hostname


# ---------------------------------------------------------------- proxies


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "all_proxy"])
def test_through_a_plain_proxy(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[str] = []

    async def scenario() -> Any:
        async with serving(replying(OK, OK, heads=heads)) as gate:
            monkeypatch.setenv(variable, f"http://me:pa%20ss@127.0.0.1:{gate}")
            return await asked("http://model.example:81/v1", times=2)

    assert [got.body for got in asyncio.run(scenario())] == [b"hi", b"hi"]
    for head in heads:
        assert head.startswith("POST http://model.example:81/v1/x HTTP/1.1\r\n")
        assert "\r\nHost: model.example:81\r\n" in head
        assert "Proxy-Authorization: Basic bWU6cGEgc3M=" in head


@pytest.mark.parametrize(("scheme", "login"), [("http", "me:word@"), ("https", "")])
def test_through_a_tunnel(login: str, scheme: str, certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS to the endpoint, through a proxy with or without TLS."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem")
    heads: list[str] = []

    async def scenario() -> Any:
        async with (
            serving(replying(OK), context) as port,
            serving(tunnelling(heads, port), context if scheme == "https" else None) as gate,
        ):
            monkeypatch.setenv("https_proxy", f"{scheme}://{login}localhost:{gate}")
            return (await asked(f"https://localhost:{port}"))[0], port

    got, port = asyncio.run(scenario())
    assert got.body == b"hi"
    assert heads[0].startswith(f"CONNECT localhost:{port} HTTP/1.1")
    assert ("Proxy-Authorization: Basic bWU6d29yZA==" in heads[0]) is bool(login)
    assert KEY not in heads[0]  # the key is for the endpoint


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n", "the proxy refused the connection (status 407)"),
        (b"", "cannot connect (Server disconnected)"),
    ],
)
def test_a_proxy_that_opens_no_tunnel(answer: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> Any:
        async with serving(replying(answer)) as gate:
            monkeypatch.setenv("https_proxy", f"127.0.0.1:{gate}")
            return (await asked("https://model.example"))[0]

    got = asyncio.run(scenario())
    assert str(got) == message
    assert not got.sent


def test_a_missing_proxy_is_not_a_missing_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> Any:
        gate = await free_port()
        monkeypatch.setenv("all_proxy", f"http://me:secret@127.0.0.1:{gate}")
        return gate, (await asked("http://model.example"))[0]

    gate, got = asyncio.run(scenario())
    assert str(got) == f"cannot connect to the proxy at 127.0.0.1:{gate} (Connection refused)"
    assert not got.refused


def test_a_host_of_no_proxy_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "other.example, 127.0.0.0/24")
    assert ask(replying(OK))[0].body == b"hi"


@pytest.mark.parametrize(
    ("host", "no_proxy", "expected"),
    [
        ("API.example.com.", "*.example.com", True),
        ("badexample.com", "example.com", False),
        ("api.example.com", "example.com:443", True),
        ("fd00::7", "[fd00::7]:443", True),
        ("fd00::7", "fd00::/8", True),
    ],
)
def test_how_no_proxy_is_read(host: str, no_proxy: str, expected: bool) -> None:
    assert is_left_out(host, 443, no_proxy) is expected


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("socks5://me:secret@10.0.0.1:1080", "SOCKS proxies are not supported (socks5://10.0.0.1 in the environment)"),
        ("ftp://me:secret@10.0.0.1", "a proxy of the kind ftp:// is not supported"),
        ("http://me:secret@host:port", "is not an address"),
    ],
)
def test_an_unusable_proxy_is_an_error_of_one_line(address: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(SnellenError) as caught:
        client_of("https://model.example", {}, 5)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
