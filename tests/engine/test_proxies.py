"""Both HTTP clients through proxies of every kind, and which proxy the environment names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.wire import OK, Handler, lead, replying, server_context, serving, socks, tunnelling

from snellen.core.errors import SnellenError
from snellen.engine.call.exchange import Fault
from snellen.engine.call.proxies import left_out, parse_proxy
from snellen.engine.call.transport import make_client

pytestmark = pytest.mark.usefixtures("client_name")
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    yield


async def posted(url: str) -> Any:
    """The body that comes back from an address, or the Fault."""
    client = make_client(url, {"Authorization": "Bearer sk-canary"}, 5)
    try:
        return (await client.request("POST", "/v1/chat", b"{}")).body
    except Fault as fault:
        return fault
    finally:
        await client.close()


def through(
    monkeypatch: pytest.MonkeyPatch, proxy: Handler, url: str, variable: str, value: str, context: Any = None
) -> Any:
    """Post to an address while a variable names a proxy; `{port}` in its value is the proxy's."""

    async def scenario() -> Any:
        async with serving(proxy, context) as port:
            monkeypatch.setenv(variable, value.format(port=port))
            return await posted(url)

    return asyncio.run(scenario())


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_through_a_plain_proxy(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[str] = []
    proxy = replying(OK, heads=heads)
    got = through(monkeypatch, proxy, "http://model.example:81/v1", variable, "http://me:pa%20ss@127.0.0.1:{port}")
    assert got == b"hi"
    assert heads[0].startswith("POST http://model.example:81/v1/chat HTTP/1.1\r\n")
    assert "\r\nHost: model.example:81\r\n" in heads[0]
    assert "Proxy-Authorization: Basic bWU6cGEgc3M=" in heads[0]


@pytest.mark.parametrize("login", ["", "me:word@"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("variable", ["https_proxy", "ALL_PROXY"])
def test_through_a_tunnel(
    login: str, scheme: str, variable: str, certificates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TLS to the endpoint, through a proxy to which one speaks plainly, or TLS, too."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem")
    heads: list[str] = []

    async def scenario() -> Any:
        async with (
            serving(replying(OK), context) as port,
            serving(tunnelling(heads, port), context if scheme == "https" else None) as gate,
        ):
            monkeypatch.setenv(variable, f"{scheme}://{login}localhost:{gate}")
            return await posted(f"https://localhost:{port}"), port

    got, port = asyncio.run(scenario())
    assert got == b"hi"
    assert heads[0].startswith(f"CONNECT localhost:{port} HTTP/1.1")
    assert ("Proxy-Authorization: Basic bWU6d29yZA==" in heads[0]) is bool(login)
    assert "sk-canary" not in heads[0]  # the key is for the endpoint


def test_through_a_proxy_that_speaks_tls(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem")
    proxy = replying(OK)
    got = through(monkeypatch, proxy, "http://model.example/v1", "http_proxy", "https://localhost:{port}", context)
    assert got == b"hi"


def test_a_proxy_that_refuses_the_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = replying(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
    got = through(monkeypatch, proxy, "https://model.example", "https_proxy", "127.0.0.1:{port}")
    assert str(got) == "the proxy refused the connection (status 407)"
    assert not got.sent


@pytest.mark.parametrize("scheme", ["http", "socks5"])
def test_a_proxy_that_is_not_there_is_named_and_is_no_missing_server(
    scheme: str, client_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (scheme, client_name) == ("socks5", "aiohttp"):
        pytest.skip("refused before, see below")

    async def scenario() -> Any:
        async with serving(replying()) as port:
            pass
        monkeypatch.setenv("all_proxy", f"{scheme}://me:secret@127.0.0.1:{port}")
        return port, await posted("http://model.example")

    port, got = asyncio.run(scenario())
    assert str(got) == f"cannot connect to the proxy at 127.0.0.1:{port} (Connection refused)"
    assert not got.refused


# ---------------------------------------------------------------- NO_PROXY


@pytest.mark.parametrize("entry", ["127.0.0.0/8", "127.0.0.1", "*", "other.example, 127.0.0.0/24", "127.0.0.1:{port}"])
def test_what_no_proxy_names_is_asked_directly(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[str] = []

    async def scenario() -> Any:
        async with serving(replying(OK)) as port, serving(replying(OK, heads=heads)) as gate:
            monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{gate}")
            monkeypatch.setenv("NO_PROXY", entry.format(port=port))
            return await posted(f"http://127.0.0.1:{port}")

    assert asyncio.run(scenario()) == b"hi"
    assert heads == []


@pytest.mark.parametrize(
    ("host", "no_proxy", "expected"),
    [
        ("api.example.com", "example.com", True),
        ("api.example.com", ".Example.com", True),
        ("API.example.com.", "*.example.com", True),
        ("example.com", ".example.com", True),
        ("badexample.com", "example.com", False),
        ("api.example.com", "example.com:443", True),
        ("api.example.com", "example.com:8443", False),
        ("api.example.com", " , ,x  example.com", True),
        ("api.example.com", "", False),
        ("192.168.3.4", "192.168.0.0/16", True),
        ("192.169.3.4", "192.168.0.0/16", False),
        ("192.168.3.4", "192.168.3.4/16", True),
        ("192.168.3.4", "168.3.4", False),
        ("::ffff:10.0.0.1", "10.0.0.0/8", True),
        ("fd00::7", "fd00::/8", True),
        ("fd00::7", "[fd00::7]:443", True),
        ("fd00::7", "[fd00::7]:80", False),
        ("gpu7", "10.0.0.0/8", False),
        ("10.0.0.1", "10.0.0.0/99", False),
    ],
)
def test_how_no_proxy_is_read(host: str, no_proxy: str, expected: bool) -> None:
    assert left_out(host, 443, no_proxy) is expected


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("socks4://me:secret@10.0.0.1:1080", "the proxy socks4://10.0.0.1 in the environment is of a kind"),
        ("ftp://me:secret@10.0.0.1", "use one of http, https, socks5, socks5h"),
        ("http://me:secret@host:port", "is no address"),
        ("http://", "has no host"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_in_one_line(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(SnellenError) as caught:
        make_client("https://model.example", {}, 5)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_proxy_says_no_password() -> None:
    assert "word" not in f"{parse_proxy('http://me:word@h:1')} {parse_proxy('http://me:word@h:1')!r}"


# ---------------------------------------------------------------- SOCKS5


def through_socks(
    monkeypatch: pytest.MonkeyPatch, address: str, host: str = "model.example", context: Any = None, **server: Any
) -> tuple[Any, list[Any], int]:
    """What comes back through a SOCKS proxy, whom it was asked for, and the endpoint's port."""
    seen: list[Any] = []

    async def scenario() -> tuple[Any, int]:
        async with serving(replying(OK), context) as port, serving(socks(seen, port, **server)) as gate:
            monkeypatch.setenv("ALL_PROXY", address.format(gate=gate))
            return await posted(f"{'https' if context else 'http'}://{host}:{port}"), port

    got, port = asyncio.run(scenario())
    return got, seen, port


@pytest.fixture
def _own_only(client_name: str) -> None:
    if client_name != "own":
        pytest.skip("aiohttp speaks to no SOCKS proxy")


def test_aiohttp_refuses_a_socks_proxy_in_one_line(client_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if client_name == "own":
        pytest.skip("our own client speaks SOCKS")
    monkeypatch.setenv("ALL_PROXY", "socks5://me:secret@127.0.0.1:9")
    with pytest.raises(SnellenError) as caught:
        make_client("https://model.example", {}, 5)
    assert str(caught.value).startswith("aiohttp speaks to no SOCKS proxy (socks5://127.0.0.1:9)")


@pytest.mark.usefixtures("_own_only")
@pytest.mark.parametrize("scheme", ["socks5h", "socks"])
def test_a_socks_proxy_looks_names_up(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    got, seen, port = through_socks(monkeypatch, f"{scheme}://127.0.0.1:{{gate}}")
    assert got == b"hi"
    assert seen == [("model.example", port)]


@pytest.mark.usefixtures("_own_only")
@pytest.mark.parametrize(("found", "asked"), [(("::7", "10.0.0.7"), "10.0.0.7"), (("::7",), "::7")])
def test_or_gets_the_address_that_was_found_here(
    found: tuple[str, ...], asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead(monkeypatch, "model.example", *found)
    got, seen, port = through_socks(monkeypatch, "socks5://127.0.0.1:{gate}")
    assert got == b"hi"
    assert seen == [(asked, port)]


@pytest.mark.usefixtures("_own_only")
def test_socks_with_a_password_and_tls(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem")
    address = "socks5h://me:pa%20ss@127.0.0.1:{gate}"
    got, seen, port = through_socks(monkeypatch, address, "localhost", context, login=("me", "pa ss"))
    assert got == b"hi"
    assert seen == [("localhost", port)]


@pytest.mark.usefixtures("_own_only")
@pytest.mark.parametrize(
    ("address", "server", "message"),
    [
        ("socks5h://me:no@127.0.0.1:{gate}", {"login": ("me", "yes")}, "the proxy refused the user and the password"),
        ("socks5h://127.0.0.1:{gate}", {"login": ("me", "yes")}, "the proxy wants a user and a password"),
        ("socks5h://127.0.0.1:{gate}", {"refusal": 2}, "the proxy refused the connection (its rules do not allow it)"),
        ("socks5h://127.0.0.1:{gate}", {"refusal": 99}, "the proxy refused the connection (code 99)"),
    ],
)
def test_what_a_socks_proxy_refuses(
    address: str, server: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    got, _seen, _port = through_socks(monkeypatch, address, **server)
    assert str(got) == message
    assert not got.sent
    assert not got.refused


@pytest.mark.usefixtures("_own_only")
@pytest.mark.parametrize(("said", "message"), [(b"HTTP/1.1 400 Bad\r\n\r\n", "is no SOCKS5 proxy"), (b"", "closed")])
def test_what_is_no_socks_proxy(said: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(said)
        await writer.drain()

    got = through(monkeypatch, proxy, "http://model.example", "ALL_PROXY", "socks5h://127.0.0.1:{port}")
    assert message in str(got)
