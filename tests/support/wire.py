"""Servers on 127.0.0.1 for tests of HTTP clients: any bytes as a reply, proxies of every kind, names that resolve as a test wants."""

from __future__ import annotations

import asyncio
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nRetry-After: 7\r\n\r\nhi"


@asynccontextmanager
async def serving(
    handler: Handler, context: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[int]:
    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, host, 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def read_request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = next((int(x.partition(":")[2]) for x in head.split("\r\n") if x.lower().startswith("content-length")), 0)
    return head, await reader.readexactly(length)


def replying(*replies: bytes, heads: list[str] | None = None) -> Handler:
    """Return a handler that gives these replies on each connection, one after the other."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            head, _body = await read_request(reader)
            if heads is not None:
                heads.append(head)
            writer.write(reply)
            await writer.drain()

    return handler


def reply(body: bytes, status: int = 200, **headers: str) -> bytes:
    """Return a complete reply; `content_encoding="gzip"` is a header."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} X\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """Relay all further bytes between the client and a local port."""
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))


def tunnelling(heads: list[str], port: int) -> Handler:
    """Return a proxy that answers CONNECT and connects to a local port, whatever address is requested."""

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await join(reader, writer, port)

    return handler


def make_certificate(folder: Path, name: str = "localhost") -> Path:
    """Write a file with a key and a self-signed certificate for a name; `NAME.crt` beside it has no key."""
    key, certificate, both = (folder / f"{name}.{kind}" for kind in ("key", "crt", "pem"))
    made_with = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", *made_with, *subject, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both


def server_context(certificate: Path, asks_for: Path | None = None) -> ssl.SSLContext:
    """Return a server's TLS context; it may require a client certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if asks_for is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(asks_for)
    return context


def lead(monkeypatch: pytest.MonkeyPatch, name: str, *addresses: str) -> None:
    """Make a name resolve to these addresses, in this order."""
    real = socket.getaddrinfo

    def found(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host not in (name, name.encode()):
            return real(host, port, *rest, **more)
        out = []
        for address in addresses:
            family, tail = (socket.AF_INET6, (0, 0)) if ":" in address else (socket.AF_INET, ())
            out.append((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, int(port), *tail)))
        return out

    monkeypatch.setattr(socket, "getaddrinfo", found)
