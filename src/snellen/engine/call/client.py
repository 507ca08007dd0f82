"""The HTTP client: aiohttp, with the proxy, certificates, limits and errors that runs need. Address and key meet only here."""

from __future__ import annotations

import io
import os
import socket
import ssl
from typing import Any, BinaryIO

import aiohttp
from yarl import URL

from snellen.core.errors import SnellenError
from snellen.core.subject import Connection
from snellen.core.text import one_line
from snellen.engine.call import tls
from snellen.engine.call.exchange import JSON, LARGEST_REPLY, Fault, RefusedRedirect, Response, good, time_limit
from snellen.engine.call.proxies import proxy_for

CONNECT_TIMEOUT = 30.0
IDLE = 4.0
"""Seconds that an unused connection is kept. Many servers close theirs after 5, and a POST sent during the close is lost."""
KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPALIVE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""Keep-alive probes. A connection that is silent for a minute is probed, so that routers keep it open while a model thinks. macOS uses the
second name.
"""
AT_ONCE = 2**20
"""Bytes of a request's body that aiohttp gets in one piece. It warns about more."""
MOVED = frozenset({301, 302, 303, 307, 308})
DECODED = frozenset({"", "identity", "gzip", "deflate", "br", "zstd"})
"""Encodings that aiohttp decodes, or itself reports as unsupported."""


class Client:
    """Connections to one endpoint. The key goes with every request, only to the endpoint's origin. Nothing here prints it."""

    def __init__(self, connection: Connection, timeout: float | None = None) -> None:
        """Raise SnellenError for an address, headers, a proxy or certificates that cannot be used.

        `timeout` is the time limit of one try in seconds. The default fits the service.
        """
        self._key = connection.key
        self._headers = {
            "Accept": JSON,
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": "snellen",
            **connection.headers,
        }
        if connection.key:
            name, before = connection.key_header
            self._headers[name] = before + connection.key.reveal()
        for name, value in self._headers.items():
            if not value.isprintable():
                raise SnellenError(f"the header {name} has a line break or another character that cannot be sent")
        self._given, self._models = connection.url, connection.models_url
        try:
            self._url = URL(connection.url)
            self._origin = _origin_of(self._url)
        except ValueError:
            raise SnellenError(f"{one_line(connection.url)} is not a web address") from None
        seconds = timeout or time_limit(connection)
        # connecting times out a little earlier than the whole try, so that the two can be told apart
        self._limits = aiohttp.ClientTimeout(total=seconds, connect=min(0.9 * seconds, CONNECT_TIMEOUT))
        self._proxy = proxy_for(self._url)
        encrypted = self._url.scheme == "https" or (self._proxy is not None and self._proxy.scheme == "https")
        self._context = tls.make_context() if encrypted else True
        self._session: aiohttp.ClientSession | None = None

    async def post(self, body: bytes) -> Response:
        """Send a request's body. Raise Fault if the network fails."""
        return await self.request("POST", self._given, body)

    async def models(self) -> Response:
        """Get the service's model list. A list that was moved is a Fault, because a run does not need one."""
        try:
            return await self.request("GET", self._models)
        except RefusedRedirect as error:
            raise Fault(str(error)) from None

    async def request(
        self,
        method: str,
        where: str,
        body: bytes = b"",
        content_type: str = JSON,
        *,
        largest: int = LARGEST_REPLY,
        into: BinaryIO | None = None,
    ) -> Response:
        """Send a request to a path (`/v1/files`) or a whole address on the endpoint's origin, and read the whole response.

        `largest` bounds the reply's body as it is decompressed. If `into` is given, the body of a good reply (2xx) is written to that file,
        and `Response.body` stays empty. After a Fault the file may hold a part. Raises Fault, SnellenError for another origin, and OSError
        if the file cannot be written.
        """
        url = self._url_of(where)
        # a session's headers, including the key, would go to a proxy with CONNECT, so they go with each request instead
        headers = self._headers | {"Content-Type": content_type} if body or method == "POST" else self._headers
        data = io.BytesIO(body) if len(body) > AT_ONCE else body or None
        try:
            async with self._open().request(
                method,
                url,
                data=data,
                headers=headers,
                timeout=self._limits,
                proxy=self._proxy,
                allow_redirects=False,
            ) as answer:
                response = await _read(answer, largest, into)
        except Fault as fault:
            raise Fault(self._key.redact(str(fault)), fault.refused, fault.sent) from None
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise Fault(self._key.redact(_interrupted(error)), sent=True) from None
        location = response.headers.get("location")
        if location and response.status in MOVED:
            raise RefusedRedirect(self._moved(url, location))
        return response

    def _moved(self, url: URL, location: str) -> str:
        """Describe where a server redirects a request. Redirects are not followed: a key goes only to the address that the user gave."""
        try:
            there = url.join(URL(location.strip()))
            origin = _origin_of(there)
        except ValueError:
            return f"{self._origin} redirects to something that is not a web address"
        if origin != self._origin:
            return (
                f"{self._origin} redirects to {origin}, and a key goes only to the address that was given: "
                "if that is the right one, give it instead"
            )
        return f"{self._origin} has moved {url.path} to {one_line(there.path)}: give that address instead"

    def _url_of(self, where: str) -> URL:
        if where == self._given:  # as nearly every request
            return self._url
        try:
            url = self._url.join(URL(where))
            origin = _origin_of(url)
        except ValueError:
            raise SnellenError(f"{one_line(where)} is not a web address") from None
        if origin != self._origin:
            raise SnellenError(f"{origin} is not {self._origin}: a key goes only to the address that was given")
        return url

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # the limiter decides how many connections there may be
            connector = _Connector(limit=0, ssl=self._context, keepalive_timeout=IDLE, socket_factory=_new_socket)
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


class _Connector(aiohttp.TCPConnector):
    """aiohttp's connections. A failure to connect raises a Fault that says that nothing was sent."""

    async def connect(self, *args: Any, **keywords: Any) -> Any:
        try:
            return await super().connect(*args, **keywords)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _unconnected(error) from None


def _unconnected(error: Exception) -> Fault:
    if isinstance(error, TimeoutError):
        return Fault("timed out while connecting")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Fault(f"the proxy refused the connection (status {error.status})")
    cause = error.__cause__ or error
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return Fault(f"cannot connect to the proxy at {error.host}:{error.port} ({_reason(cause)})")
    return Fault(f"cannot connect ({_reason(cause)})", refused=isinstance(cause, ConnectionRefusedError))


def _reason(error: BaseException) -> str:
    """Return why the connection failed, without the address."""
    if isinstance(error, ssl.SSLError):
        return tls.explain(error)
    if isinstance(error, OSError) and error.errno and error.strerror:
        return error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno)
    return one_line(str(error)) or type(error).__name__


def _interrupted(error: Exception) -> str:
    """Return why an exchange ended after the request went out, without any text from the server."""
    if isinstance(error, TimeoutError):
        return "timed out"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "connection closed before the reply"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the reply is cut short or broken"
    if isinstance(error, aiohttp.ClientResponseError):
        return f"not a valid HTTP reply ({error.message.partition(':')[0]})"
    return f"connection lost ({_reason(error)})"


async def _read(response: aiohttp.ClientResponse, largest: int, into: BinaryIO | None) -> Response:
    """Read a body in the pieces in which aiohttp decompresses it, so that none is much larger than a buffer."""
    # aiohttp keeps invalid UTF-8 bytes as surrogates, which none of our files can hold
    headers = {name.lower(): value.encode("utf-8", "replace").decode() for name, value in response.headers.items()}
    coding = headers.get("content-encoding", "").strip().lower()
    if coding not in DECODED:
        raise Fault(f"the reply is compressed as '{one_line(coding)}', which is not supported", sent=True)
    inside = io.BytesIO()
    kept: BinaryIO = into if into is not None and good(response.status) else inside
    size = 0
    async for piece in response.content.iter_any():
        size += len(piece)
        if size > largest:
            raise Fault("the reply is too large", sent=True)
        kept.write(piece)
    return Response(response.status, headers, inside.getvalue())


def _new_socket(address: tuple[Any, ...]) -> socket.socket:
    """Return a socket that detects a lost peer."""
    sock = socket.socket(*address[:3])
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return sock


def _origin_of(url: URL) -> str:
    """Return the scheme, host and port of an address, without its user and password. Raise ValueError if it has none.

    >>> [_origin_of(URL(u)) for u in ("https://me:secret@A.b:8443/v1?x=1", "http://a.b:80/")]
    ['https://a.b:8443', 'http://a.b']
    """
    return one_line(str(url.origin()))
