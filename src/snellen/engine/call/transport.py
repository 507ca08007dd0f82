"""The wire to one endpoint from this machine: the one place where its address and its key meet."""

from __future__ import annotations

from typing import BinaryIO

from snellen.core.subject import Connection
from snellen.engine.call.exchange import JSON, LARGEST_REPLY, Fault, RefusedRedirect, Response
from snellen.engine.call.trust import is_own

__all__ = ["Fault", "Response", "Transport", "time_limit"]

OWN_TIMEOUT, HOSTED_TIMEOUT = 300.0, 600.0


class Transport:
    """Sends requests to one endpoint. Whatever it is asked for, the key stays on the endpoint's origin."""

    def __init__(self, connection: Connection, timeout: float | None = None) -> None:
        """`timeout` is the time limit of one try in seconds; without it, the one that fits the service."""
        from snellen.engine.call.client import Client  # aiohttp takes a while to import, and most commands send nothing

        self._key = connection.key
        headers = dict(connection.headers)
        if connection.key:
            name, before = connection.key_header
            headers[name] = before + connection.key.reveal()
        self._url, self._models = connection.url, connection.models_url
        self._client = Client(connection.url, headers, timeout or time_limit(connection))

    async def post(self, body: bytes) -> Response:
        return await self.request("POST", self._url, body)

    async def models(self) -> Response:
        """Get the service's model list. A list that was moved elsewhere is a Fault: a run can do without one."""
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
        """Send any request to the endpoint's origin, with its key: `where` is a path (`/v1/files`) or a whole address.

        `largest` bounds the reply's body as it is decompressed. The body of a good reply (2xx) goes `into` a file where one is
        given, and `Response.body` stays empty then; after a Fault the file may hold a part. Raises Fault, SnellenError for
        another origin, and OSError where the file cannot be written.
        """
        try:
            return await self._client.request(method, where, body, content_type, largest, into)
        except Fault as fault:
            raise Fault(self._key.redact(str(fault)), fault.refused, fault.sent) from None

    async def close(self) -> None:
        await self._client.close()


def time_limit(connection: Connection) -> float:
    """Return the seconds that one try may take by default: what the service proposes, else by where it is.

    A reply comes in one piece, after all the thinking: hosted models get as long as their makers' own clients wait.
    """
    if connection.timeout is not None:
        return connection.timeout
    return OWN_TIMEOUT if is_own(connection.url) else HOSTED_TIMEOUT
