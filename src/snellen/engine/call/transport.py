"""The wire to one endpoint: where its addresses and its key meet, and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO
from urllib.parse import urljoin

from snellen.core.errors import SnellenError
from snellen.core.subject import Connection
from snellen.engine.call.exchange import JSON, LARGEST_REPLY, Fault, HttpClient, Response
from snellen.engine.call.redirects import HOPS, MOVES, Elsewhere, next_hop, origin, same_origin, target
from snellen.engine.call.trust import is_own

__all__ = ["Fault", "Response", "Transport", "time_limit"]

OWN_TIMEOUT, HOSTED_TIMEOUT = 300.0, 600.0
CLIENTS = ("own", "aiohttp")


class Transport:
    """Sends requests to one endpoint. Whatever it is asked for, the key stays on the endpoint's origin."""

    def __init__(self, connection: Connection, timeout: float | None = None) -> None:
        """`timeout` is the time limit of one try in seconds; without it, the one that fits the service."""
        self._key = connection.key
        headers = dict(connection.headers)
        if connection.key:
            name, before = connection.key_header
            headers[name] = before + connection.key.reveal()
        self._url = connection.url
        self._client = make_client(connection.url, headers, timeout or time_limit(connection))
        self._chat, self._models = target(connection.url), connection.models_url
        self._models_target = target(connection.models_url)

    async def post(self, body: bytes) -> Response:
        response = await self._once("POST", self._chat, body)
        return response if response.status not in MOVES else await self._follow(response, "POST", self._url, body)

    async def models(self) -> Response:
        """The service's model list. One that is said to be elsewhere is a Fault: a service can do without a list."""
        try:
            response = await self._once("GET", self._models_target)
            return await self._follow(response, "GET", self._models)
        except Elsewhere as error:
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
        timeout: float | None = None,
    ) -> Response:
        """Any request to the endpoint's origin, with its key: `where` is a path (`/v1/files`) or a whole address.

        `largest` bounds the reply's body. The body of a good reply goes `into` a file where one is given, and `Response.body`
        stays empty then. Raises Fault, SnellenError for another origin, and OSError where the file cannot be written.
        """
        url = urljoin(self._url, where)
        if not same_origin(url, self._url):
            raise SnellenError(
                f"{origin(url)} is not {origin(self._url)}: a key goes only to the address that was given"
            )
        how = {"content_type": content_type, "largest": largest, "into": into, "timeout": timeout}
        response = await self._once(method, target(url), body, **how)
        return await self._follow(response, method, url, body, **how)

    async def _follow(self, response: Response, method: str, url: str, body: bytes = b"", **how: Any) -> Response:
        """The response that redirects end at."""
        for _ in range(HOPS):
            hop = next_hop(response, method, url)
            if hop is None:
                return response
            body = body if hop.method == method else b""
            method, url = hop
            response = await self._once(method, target(url), body, **how)
        if next_hop(response, method, url) is not None:
            raise Elsewhere(f"{origin(url)} sends requests on from one address to the next, more than {HOPS} times")
        return response

    async def _once(self, method: str, path: str, body: bytes = b"", **how: Any) -> Response:
        """One exchange; `how` are the further arguments of `HttpClient.request`."""
        try:
            return await self._client.request(method, path, body, **how)
        except Fault as fault:
            raise Fault(self._key.redact(str(fault)), fault.refused, fault.sent) from None

    async def close(self) -> None:
        await self._client.close()


def time_limit(connection: Connection) -> float:
    """Seconds that one try may take, where nobody said: what the service proposes, else by where it is.

    A reply comes in one piece, after all the thinking: hosted models get as long as their makers' own clients wait.
    """
    if connection.timeout is not None:
        return connection.timeout
    return OWN_TIMEOUT if is_own(connection.url) else HOSTED_TIMEOUT


def make_client(url: str, headers: Mapping[str, str], timeout: float) -> HttpClient:
    """The HTTP client that SNELLEN_HTTP chooses: our own, or the library's."""
    name = os.environ.get("SNELLEN_HTTP") or CLIENTS[0]
    if name == "own":
        from snellen.engine.call.http import Client

        return Client(url, headers, timeout)
    if name == "aiohttp":
        from snellen.engine.call.library import LibraryClient

        return LibraryClient(url, headers, timeout)
    raise SnellenError(f"SNELLEN_HTTP is '{name}': there are {' and '.join(CLIENTS)}")
