"""A small HTTP/1.1 client for one endpoint: keeps connections, speaks TLS and through a proxy. It follows no redirects.

It exists because of what it costs: half the processor time of the quickest client library (docs/performance.md). `library.py`
does the same with aiohttp.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Mapping
from typing import BinaryIO
from urllib.parse import urlsplit

from snellen.engine.call import tls
from snellen.engine.call.dial import dial, why
from snellen.engine.call.exchange import (
    CONNECT_TIMEOUT,
    IDLE,
    JSON,
    LARGEST_REPLY,
    READING,
    TIMED_OUT,
    Fault,
    Response,
    safe,
    sent_headers,
)
from snellen.engine.call.line import Line
from snellen.engine.call.proxies import Proxy, proxy_for
from snellen.engine.call.socks import connect_through

__all__ = ["Client", "Fault", "Response"]

_now = time.monotonic


class Client:
    """Connections to one origin. `headers` go with every request and may hold a key; nothing here prints them."""

    def __init__(self, origin: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urlsplit(origin)
        self._host, encrypted = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if encrypted else 80)
        self._proxy = proxy_for(origin)
        sent = sent_headers(parts.netloc, headers)
        self._prefix = ""
        if self._proxy is not None and not self._proxy.is_socks and not encrypted:
            self._prefix = f"http://{parts.netloc}"
            if self._proxy.credentials:
                sent["Proxy-Authorization"] = self._proxy.credentials
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        self._timeout = timeout
        self._idle: list[Line] = []
        self._sweeper: asyncio.TimerHandle | None = None
        self._context = tls.introducing(tls.trusting()) if encrypted else None
        guarded = self._proxy is not None and self._proxy.scheme == "https"
        self._proxy_context = tls.trusting() if guarded else None  # our certificate is for the endpoint alone

    async def request(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        content_type: str = JSON,
        largest: int = LARGEST_REPLY,
        into: BinaryIO | None = None,
        timeout: float | None = None,
    ) -> Response:
        """One request and its whole response; raises Fault. See `HttpClient`."""
        has_body = body or method == "POST"
        length = f"Content-Type: {safe(content_type)}\r\nContent-Length: {len(body)}\r\n" if has_body else ""
        head = f"{method} {self._prefix}{target} HTTP/1.1\r\n{self._headers}{length}\r\n".encode("latin-1")
        fresh = False
        while True:
            line, used_before = await self._line(fresh)
            timer = asyncio.get_running_loop().call_later(timeout or self._timeout, line.fail, TIMED_OUT)
            try:
                response = await line.exchange([head, body], largest, into, head_only=method == "HEAD")
            except Fault:
                if used_before and line.went_stale and method in READING:
                    fresh = True  # the server had closed an idle connection: once more on a new one is no further try
                    continue
                raise
            except asyncio.CancelledError:
                line.close()
                raise
            finally:
                timer.cancel()
            if line.open:
                self._keep(line, response.headers)
            return response

    # ------------------------------------------------------------ connections that wait for their next use

    def _keep(self, line: Line, headers: Mapping[str, str]) -> None:
        line.expires = _now() + (kept_for(headers["keep-alive"]) if "keep-alive" in headers else IDLE)
        self._idle.append(line)
        if self._sweeper is None:
            self._sweeper = asyncio.get_running_loop().call_later(IDLE, self._sweep)

    def _sweep(self) -> None:
        """Close what nobody used for long."""
        now = _now()
        for line in self._idle:
            if line.expires <= now:
                line.close()
        self._idle = [line for line in self._idle if line.open]
        self._sweeper = asyncio.get_running_loop().call_later(IDLE, self._sweep) if self._idle else None

    async def _line(self, fresh: bool) -> tuple[Line, bool]:
        now = _now()
        while self._idle and not fresh:
            line = self._idle.pop()
            if line.expires <= now:
                line.close()
            elif line.open and not line.transport.is_closing():
                return line, True
        try:
            async with asyncio.timeout(min(self._timeout, CONNECT_TIMEOUT)):
                return await self._connect(), False
        except TimeoutError:
            raise Fault("timed out while connecting") from None
        except ssl.SSLError as error:
            raise Fault(f"cannot connect ({tls.distrust(error)})") from None
        except OSError as error:
            refused = isinstance(error, ConnectionRefusedError) and self._proxy is None
            raise Fault(f"cannot connect ({why(error)})", refused) from None
        except UnicodeError:
            raise Fault("cannot connect (no host can have that name)") from None

    async def _connect(self) -> Line:
        if self._proxy is None:
            return await _over(await dial(self._host, self._port), self._context, self._host)
        return await self._through(self._proxy)

    async def _through(self, proxy: Proxy) -> Line:
        try:
            sock = await dial(proxy.host, proxy.port)
        except OSError as error:
            raise Fault(f"cannot connect to the proxy at {proxy.host}:{proxy.port} ({why(error)})") from None
        if proxy.is_socks:
            try:
                await connect_through(sock, proxy, self._host, self._port)
            except BaseException:
                sock.close()
                raise
            return await _over(sock, self._context, self._host)
        line = await _over(sock, self._proxy_context, proxy.host)
        if self._context is not None:
            try:
                await self._tunnel(line, proxy)
                start = asyncio.get_running_loop().start_tls
                line.transport = await start(line.transport, line, self._context, server_hostname=self._host)
            except BaseException:
                line.close()
                raise
        return line

    async def _tunnel(self, line: Line, proxy: Proxy) -> None:
        target = f"[{self._host}]:{self._port}" if ":" in self._host else f"{self._host}:{self._port}"
        login = f"Proxy-Authorization: {proxy.credentials}\r\n" if proxy.credentials else ""
        head = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n".encode("latin-1")
        try:
            answer = await line.exchange([head], head_only=True)
        except Fault as fault:
            raise Fault(str(fault)) from None  # the request itself was not sent
        if answer.status != 200:
            raise Fault(f"the proxy refused the connection (status {answer.status})")

    async def close(self) -> None:
        """Close all connections."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        for line in self._idle:
            line.close()
        self._idle.clear()
        await asyncio.sleep(0)


async def _over(sock: socket.socket, context: ssl.SSLContext | None, host: str) -> Line:
    """A line over a connected socket, with TLS where there is a context."""
    try:
        _transport, line = await asyncio.get_running_loop().create_connection(
            Line, sock=sock, ssl=context, server_hostname=host if context else None
        )
    except BaseException:
        sock.close()
        raise
    return line


def kept_for(keep_alive: str) -> float:
    """Seconds that a connection may wait for its next use, by the server's `Keep-Alive` header.

    >>> kept_for("timeout=5, max=100"), kept_for("max=0"), kept_for("timeout=3600")
    (4.0, 0.0, 30.0)
    """
    said = dict(part.strip().lower().partition("=")[::2] for part in keep_alive.split(","))
    if said.get("max") == "0":
        return 0.0
    seconds = said.get("timeout", "")
    return min(IDLE, max(0.0, int(seconds) - 1.0)) if seconds.isdecimal() and len(seconds) < 10 else IDLE
