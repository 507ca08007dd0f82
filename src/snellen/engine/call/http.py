"""A small HTTP/1.1 client for one endpoint: posts JSON, keeps connections, speaks TLS and through a proxy. No redirects.

It exists because of what it costs: half the processor time of the quickest client library (docs/performance.md). Responses
are parsed by httptools (the parser of Node and uvicorn), not here.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httptools

LARGEST_REPLY = 64 * 1024 * 1024
LARGEST_HEAD = 512 * 1024  # all header lines, those of interim replies (100 Continue) included
LARGEST_FRAMED = 2 * LARGEST_REPLY  # with what chunks and trailers add
CONNECT_TIMEOUT = 30.0
STALE = 0.1  # a kept connection that closes this soon after a request was closed before it
_now = time.monotonic


class Fault(Exception):
    """The network failed before a whole response was read."""

    def __init__(self, reason: str, refused: bool = False, sent: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused  # nobody listens there
        self.sent = sent  # the request went out: it may have been worked on


class Response(NamedTuple):
    """A whole response; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Line(asyncio.Protocol):
    """One connection, one exchange at a time."""

    def __init__(self) -> None:
        self.transport: Any = None
        self.open = False
        self._waiter: asyncio.Future[Response] | None = None
        self._parser: Any = None
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._size = 0
        self._heard = False
        self._received = 0
        self._headed = False
        self._head_only = False
        self._ends_with_connection = False
        self._sent = 0.0
        self.went_stale = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.open = transport, True

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        self.went_stale = self._parser is not None and not self._heard and _now() - self._sent < STALE
        if self._ends_with_connection and exc is None and self._parser is not None:
            self._deliver(keep=False)
        self._fail(f"connection lost ({exc})" if exc else "connection closed before the whole reply")

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            self.close()  # nobody asked
            return
        self._heard = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self.fail(f"not an HTTP reply ({error})")
        except httptools.HttpParserUpgrade:
            self.fail("the server wants to speak another protocol (status 101)")
        self._received += len(data)
        if self._received > (LARGEST_FRAMED if self._headed else LARGEST_HEAD) and self._parser is not None:
            self.fail("the reply is too large" if self._headed else "the reply's header is too large")

    # ------------------------------------------------------------ called by the parser

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        framed = "content-length" in self._headers or "transfer-encoding" in self._headers
        self._headed = self._parser.get_status_code() >= 200
        self._ends_with_connection = not framed and self._headed
        if self._head_only:
            self._deliver(keep=True)

    def on_body(self, body: bytes) -> None:
        self._body.append(body)
        self._size += len(body)
        if self._size > LARGEST_REPLY:
            self.fail("the reply is too large")

    def on_message_complete(self) -> None:
        if (
            self._parser is not None and self._parser.get_status_code() >= 200
        ):  # before it come 100 Continue and the like
            self._deliver(keep=self._parser.should_keep_alive())

    def _deliver(self, keep: bool) -> None:
        status = self._parser.get_status_code()
        self._parser = None
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(Response(status, self._headers, b"".join(self._body)))
        if not keep:
            self.close()

    # ------------------------------------------------------------ called by the client

    def exchange(self, pieces: list[bytes], head_only: bool = False) -> asyncio.Future[Response]:
        """Send a request; the future gets the response or a Fault. `head_only`: the reply has no body (CONNECT)."""
        self._head_only, self._ends_with_connection, self._sent = head_only, False, _now()
        self._headers, self._body, self._size, self._heard = {}, [], 0, False
        self._received, self._headed = 0, False
        self._parser = httptools.HttpResponseParser(self)
        self._waiter = asyncio.get_running_loop().create_future()
        self.transport.writelines(pieces)
        return self._waiter

    def fail(self, reason: str) -> None:
        """End the exchange and the connection."""
        self._fail(reason)
        self.close()

    def _fail(self, reason: str) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(Fault(reason, sent=True))

    def close(self) -> None:
        self.open = False
        if self.transport is not None:
            self.transport.abort()


class Client:
    """Connections to one origin. `headers` go with every request and may hold a key; nothing here prints them."""

    def __init__(self, origin: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urlsplit(origin)
        self._host, self._tls = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if self._tls else 80)
        self._proxy = _proxy_for(parts.scheme, parts.netloc)
        through = self._proxy is not None and not self._tls
        self._prefix = f"http://{parts.netloc}" if through else ""
        sent = {
            "Host": parts.netloc,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": "snellen",
        }
        if through and self._proxy is not None and self._proxy.credentials:
            sent["Proxy-Authorization"] = self._proxy.credentials
        self._headers = "".join(f"{name}: {_safe(value)}\r\n" for name, value in (sent | dict(headers)).items())
        self._timeout = timeout
        self._idle: list[_Line] = []
        self._context: ssl.SSLContext | None = ssl.create_default_context() if self._tls else None

    async def request(self, method: str, target: str, body: bytes = b"") -> Response:
        """One request and its whole response; raises Fault."""
        length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if method == "POST" else ""
        head = f"{method} {self._prefix}{target} HTTP/1.1\r\n{self._headers}{length}\r\n".encode("latin-1")
        fresh = False
        while True:
            line, used_before = await self._line(fresh)
            timer = asyncio.get_running_loop().call_later(self._timeout, line.fail, "timed out")
            try:
                response = await line.exchange([head, body])
            except Fault:
                if used_before and line.went_stale:
                    fresh = True  # the server had closed an idle connection: once more on a new one is no further try
                    continue
                raise
            except asyncio.CancelledError:
                line.close()
                raise
            finally:
                timer.cancel()
            if line.open:
                self._idle.append(line)
            return response

    async def _line(self, fresh: bool) -> tuple[_Line, bool]:
        while self._idle and not fresh:
            line = self._idle.pop()
            if line.open and not line.transport.is_closing():
                return line, True
        try:
            async with asyncio.timeout(min(self._timeout, CONNECT_TIMEOUT)):
                return await self._connect(), False
        except TimeoutError:
            raise Fault("timed out while connecting") from None
        except ConnectionRefusedError as error:
            raise Fault(f"cannot connect ({error.strerror})", refused=self._proxy is None) from None
        except (OSError, ssl.SSLError) as error:
            raise Fault(f"cannot connect ({error})") from None

    async def _connect(self) -> _Line:
        loop = asyncio.get_running_loop()
        if self._proxy is None:
            _transport, line = await loop.create_connection(_Line, self._host, self._port, ssl=self._context)
            return line
        _transport, line = await loop.create_connection(_Line, self._proxy.host, self._proxy.port)
        if self._context is not None:
            await self._tunnel(line)
            line.transport = await loop.start_tls(line.transport, line, self._context, server_hostname=self._host)
        return line

    async def _tunnel(self, line: _Line) -> None:
        target = f"{self._host}:{self._port}"
        login = f"Proxy-Authorization: {self._proxy.credentials}\r\n" if self._proxy and self._proxy.credentials else ""
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n".encode("latin-1")
        try:
            answer = await line.exchange([head], head_only=True)
        except Fault as fault:
            raise Fault(str(fault)) from None  # the request itself was not sent
        if answer.status != 200:
            line.close()
            raise Fault(f"the proxy refused the connection (status {answer.status})")

    async def close(self) -> None:
        """Close all connections."""
        for line in self._idle:
            line.close()
        self._idle.clear()
        await asyncio.sleep(0)


class _Proxy(NamedTuple):
    host: str
    port: int
    credentials: str


def _proxy_for(scheme: str, netloc: str) -> _Proxy | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), looked up once."""
    address = getproxies().get(scheme)
    if not address or proxy_bypass(netloc):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else ""
    credentials = "Basic " + base64.b64encode(login.encode()).decode() if login else ""
    return _Proxy(parts.hostname or "", parts.port or 80, credentials)


def _safe(value: str) -> str:
    """A header value that cannot start another header."""
    return value.replace("\r", "").replace("\n", "")
