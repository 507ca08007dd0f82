"""HTTP. One session an endpoint, connections kept and unlimited (the limiter limits), no redirects, the key only here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

import aiohttp

from snellen.core.exam import Connection

LARGEST_REPLY = 64 * 1024 * 1024


class Fault(Exception):
    """The network failed before a whole response was read."""

    def __init__(self, reason: str, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused


class Response(NamedTuple):
    """A whole response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Posts bodies to one endpoint."""

    def __init__(self, connection: Connection, timeout: float) -> None:
        self._connection = connection
        headers = {"Content-Type": "application/json", **connection.headers}
        if connection.key:
            headers["Authorization"] = f"Bearer {connection.key.reveal()}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            timeout=aiohttp.ClientTimeout(total=timeout, connect=min(timeout, 30.0)),
            headers=headers,
            trust_env=True,
            auto_decompress=True,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def post(self, body: bytes) -> Response:
        return await self._request("POST", self._connection.url, body)

    async def models(self) -> Response:
        """The service's model list."""
        return await self._request("GET", self._connection.models_url, None)

    async def _request(self, method: str, url: str, body: bytes | None) -> Response:
        try:
            async with self._session.request(method, url, data=body, allow_redirects=False) as response:
                if (response.content_length or 0) > LARGEST_REPLY:
                    raise Fault(f"response of {response.content_length} bytes is too large")
                return Response(response.status, response.headers, await response.read())
        except TimeoutError:
            raise Fault("timed out") from None
        except aiohttp.ClientConnectorError as error:
            refused = isinstance(error.os_error, ConnectionRefusedError)
            raise Fault(self._clean(f"cannot connect ({error.os_error or error})"), refused) from None
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError) as error:
            raise Fault(self._clean(f"{type(error).__name__}: {error}")) from None

    def _clean(self, text: str) -> str:
        return self._connection.key.redact(text)

    async def close(self) -> None:
        await self._session.close()
