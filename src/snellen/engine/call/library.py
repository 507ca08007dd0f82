"""The same client over aiohttp (extra `net`), for whoever trusts a library more than us, or to tell whose fault something is.

What both do alike is shared: which proxy, whom to trust, sockets, decoding, sizes. Connections, TLS and HTTP itself are aiohttp's.
"""

from __future__ import annotations

import io
import ssl
import time
from collections.abc import Mapping
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from snellen.core.errors import MissingExtra, SnellenError
from snellen.engine.call import tls
from snellen.engine.call.coding import decoder_for
from snellen.engine.call.dial import new_socket, why
from snellen.engine.call.exchange import (
    CONNECT_TIMEOUT,
    CUT_OFF,
    IDLE,
    JSON,
    LARGEST_REPLY,
    READING,
    STALE,
    TIMED_OUT,
    TOO_LARGE,
    Fault,
    Response,
    good,
    safe,
    sent_headers,
)
from snellen.engine.call.proxies import Proxy, proxy_for

try:
    import aiohttp
    from yarl import URL
except ImportError:
    raise MissingExtra("SNELLEN_HTTP=aiohttp", "net") from None

LONGEST_FIELD = 65536  # one header line
AT_ONCE = 2**20  # a larger body is handed over in pieces
_now = time.monotonic


class _Seen:
    """How far one request got."""

    def __init__(self) -> None:
        self.used_before = self.sent = self.heard = False
        self.at = 0.0

    @property
    def stale(self) -> bool:
        """Whether it met a kept connection that the server had closed."""
        return self.used_before and not self.heard and _now() - self.at < STALE


class LibraryClient:
    """Connections to one origin. `headers` go with every request and may hold a key; nothing here prints them."""

    def __init__(self, origin: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urlsplit(origin)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._headers = sent_headers(parts.netloc, headers)
        self._timeout = timeout
        self._proxy = proxy_for(origin)
        if self._proxy is not None and self._proxy.is_socks:
            raise SnellenError(
                f"aiohttp speaks to no SOCKS proxy ({self._proxy}): leave SNELLEN_HTTP out, our own client does"
            )
        if self._proxy is not None and self._proxy.credentials and parts.scheme == "http":
            self._headers["Proxy-Authorization"] = self._proxy.credentials
        encrypted = parts.scheme == "https" or (self._proxy is not None and self._proxy.scheme == "https")
        self._context = tls.introducing(tls.trusting()) if encrypted else None
        self._session: aiohttp.ClientSession | None = None

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
        # headers of a session, the key among them, would go to a proxy with CONNECT: they go with each request instead
        options: dict[str, Any] = {"headers": self._headers, "timeout": _time_limits(timeout or self._timeout)}
        options |= _proxy_options(self._proxy)
        if body or method == "POST":
            options["headers"] = self._headers | {"Content-Type": safe(content_type)}
            options["data"] = body if len(body) <= AT_ONCE else aiohttp.BytesIOPayload(io.BytesIO(body))
        while True:
            seen = _Seen()
            try:
                return await self._exchange(method, target, options | {"trace_request_ctx": seen}, seen, largest, into)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
                if seen.stale and method in READING:
                    continue  # the server had closed an idle connection: once more on another is no further try
                raise self._fault(error, seen.sent) from None
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                raise self._fault(error, seen.sent) from None

    async def _exchange(
        self, method: str, target: str, options: dict[str, Any], seen: _Seen, largest: int, into: BinaryIO | None
    ) -> Response:
        url = URL(self._origin + target, encoded=True)
        async with self._open().request(method, url, allow_redirects=False, **options) as reply:
            seen.heard = True
            if reply.status < 200:
                raise Fault("the server wants to speak another protocol (status 101)", sent=True)
            headers = {name.lower(): value for name, value in reply.headers.items()}
            decoder = decoder_for(headers.get("content-encoding"), largest)
            body = io.BytesIO()
            kept, size = into if into is not None and good(reply.status) else body, 0
            async for piece in reply.content.iter_any():
                data = piece if decoder is None else decoder.feed(piece)
                size += len(data)
                if size > largest:
                    raise ValueError(TOO_LARGE)
                kept.write(data)
            if decoder is not None:
                decoder.end()
            return Response(reply.status, headers, body.getvalue())

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=0,  # how many there may be is the limiter's to say
                ssl=self._context or True,
                keepalive_timeout=IDLE,
                socket_factory=new_socket,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                trace_configs=[_tracing()],
                max_line_size=LONGEST_FIELD,
                max_field_size=LONGEST_FIELD,
            )
        return self._session

    def _fault(self, error: Exception, sent: bool) -> Fault:
        """What aiohttp's error means, in our words."""
        if isinstance(error, TimeoutError):
            return Fault(TIMED_OUT, sent=True) if sent else Fault("timed out while connecting")
        if isinstance(error, aiohttp.ClientHttpProxyError):
            return Fault(f"the proxy refused the connection (status {error.status})")
        if isinstance(error, aiohttp.ClientProxyConnectionError) and self._proxy is not None:
            where = f"{self._proxy.host}:{self._proxy.port}"
            return Fault(f"cannot connect to the proxy at {where} ({why(error.os_error)})")
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return Fault(f"cannot connect ({_distrust(error.certificate_error)})")
        if isinstance(error, aiohttp.ClientConnectorError):
            refused = isinstance(error.os_error, ConnectionRefusedError) and self._proxy is None
            return Fault(f"cannot connect ({_distrust(error.os_error)})", refused)
        if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError):
            return Fault(CUT_OFF, sent=sent)
        if isinstance(error, aiohttp.ClientResponseError):
            return Fault(f"not an HTTP reply ({error.message})", sent=sent)
        if isinstance(error, aiohttp.ClientError):
            return Fault(f"connection lost ({error})", sent=sent)
        return Fault(str(error), sent=sent)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _distrust(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return tls.distrust(error)
    return why(error) if isinstance(error, OSError) else str(error)


def _time_limits(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=min(seconds, CONNECT_TIMEOUT))


def _proxy_options(proxy: Proxy | None) -> dict[str, Any]:
    if proxy is None:
        return {}
    login = {"Proxy-Authorization": proxy.credentials} if proxy.credentials else None
    return {"proxy": URL.build(scheme=proxy.scheme, host=proxy.host, port=proxy.port), "proxy_headers": login}


def _tracing() -> aiohttp.TraceConfig:
    """Notes how far each request got."""
    tracing = aiohttp.TraceConfig()

    async def reused(_session: Any, context: Any, _params: Any) -> None:
        context.trace_request_ctx.used_before = True

    async def sent(_session: Any, context: Any, _params: Any) -> None:
        context.trace_request_ctx.sent, context.trace_request_ctx.at = True, _now()

    tracing.on_connection_reuseconn.append(reused)
    tracing.on_request_headers_sent.append(sent)
    return tracing


__all__ = ["LibraryClient"]
