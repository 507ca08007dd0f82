"""The wire to one endpoint: where its addresses and its key meet, and nowhere else."""

from __future__ import annotations

from urllib.parse import urlsplit

from snellen.core.subject import Connection
from snellen.engine.call.http import Client, Fault, Response

__all__ = ["Fault", "Response", "Transport"]


class Transport:
    """Posts bodies to one endpoint."""

    def __init__(self, connection: Connection, timeout: float) -> None:
        self._key = connection.key
        headers = dict(connection.headers)
        if connection.key:
            name, before = connection.key_header
            headers[name] = before + connection.key.reveal()
        self._client = Client(connection.url, headers, timeout)
        self._chat, self._models = _target(connection.url), _target(connection.models_url)

    async def post(self, body: bytes) -> Response:
        return await self._request("POST", self._chat, body)

    async def models(self) -> Response:
        """The service's model list."""
        return await self._request("GET", self._models)

    async def _request(self, method: str, target: str, body: bytes = b"") -> Response:
        try:
            return await self._client.request(method, target, body)
        except Fault as fault:
            raise Fault(self._key.redact(str(fault)), fault.refused, fault.sent) from None

    async def close(self) -> None:
        await self._client.close()


def _target(url: str) -> str:
    """The path and query of an address."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
