"""Both HTTP clients over TLS: whom they trust, who they say they are, and what is said where that fails."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
from tests.support.wire import OK, replying, server_context, serving

from snellen.core.errors import SnellenError
from snellen.engine.call import tls
from snellen.engine.call.exchange import Fault
from snellen.engine.call.transport import make_client

pytestmark = pytest.mark.usefixtures("client_name")


def ask_encrypted(context: ssl.SSLContext, body: bytes = b"y" * 300_000) -> Any:
    async def scenario() -> Any:
        async with serving(replying(OK, OK), context) as port:
            client = make_client(f"https://localhost:{port}", {}, 5)
            try:
                return (await client.request("POST", "/x", body)).body
            except Fault as fault:
                return fault
            finally:
                await client.close()

    return asyncio.run(scenario())


def test_tls_and_a_certificate_that_is_not_trusted(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = server_context(certificates / "localhost.pem")
    refused = ask_encrypted(context)
    assert isinstance(refused, Fault)
    assert "the certificate is not trusted" in str(refused)
    assert not refused.sent
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    assert ask_encrypted(context) == b"hi"
    wrong_name = server_context(certificates / "me.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "me.crt"))
    assert "not trusted" in str(ask_encrypted(wrong_name))


def test_a_server_that_speaks_no_tls() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Speak plainly\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async def scenario() -> Any:
        async with serving(plain) as port:
            client = make_client(f"https://localhost:{port}", {}, 5)
            with pytest.raises(Fault) as caught:
                await client.request("POST", "/x", b"{}")
            await client.close()
        return caught.value

    assert not asyncio.run(scenario()).sent


def test_a_client_certificate(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "localhost.crt"))
    context = server_context(certificates / "localhost.pem", asks_for=certificates / "me.crt")
    assert isinstance(ask_encrypted(context, b"{}"), Fault)
    monkeypatch.setenv("SNELLEN_CLIENT_CERT", str(certificates / "me.pem"))
    assert ask_encrypted(context, b"{}") == b"hi"
    monkeypatch.setenv("SNELLEN_CLIENT_CERT", str(certificates / "me.crt"))
    monkeypatch.setenv("SNELLEN_CLIENT_KEY", str(certificates / "me.key"))
    assert ask_encrypted(context, b"{}") == b"hi"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"SSL_CERT_FILE": "/no/such/file"}, "SSL_CERT_FILE names /no/such/file, which is not there"),
        ({"SSL_CERT_DIR": "/no/such"}, "SSL_CERT_DIR names /no/such, which is not there"),
        ({"SNELLEN_CLIENT_CERT": "/no/me.pem"}, "SNELLEN_CLIENT_CERT names /no/me.pem, which is no file"),
        ({"SNELLEN_CLIENT_CERT": __file__}, "unencrypted key in PEM form"),
        ({"SNELLEN_CLIENT_KEY": __file__}, "a key needs its certificate"),
    ],
)
def test_certificates_that_are_not_there_are_said_in_one_line(
    variables: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SnellenError) as caught:
        make_client("https://model.example", {}, 5)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_where_the_system_keeps_certificates_itself_it_is_asked() -> None:
    truststore = pytest.importorskip("truststore")
    for platform in ("darwin", "win32"):
        assert isinstance(tls.trusting({}, platform), truststore.SSLContext)
    named = tls.trusting({"SSL_CERT_FILE": __file__}, "darwin")
    assert not isinstance(named, truststore.SSLContext)
    assert named.verify_mode == ssl.CERT_REQUIRED and named.check_hostname
