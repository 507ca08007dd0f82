"""The types of an HTTP exchange: a response, a fault, and the wire to an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from typing import Protocol as Interface

from snellen.core.errors import SnellenError

JSON = "application/json"
LARGEST_REPLY = 64 * 1024 * 1024


class Fault(Exception):
    """The network failed before a whole response was read.

    `refused`: nothing listens at the address. `sent`: the request went out, so it may have been worked on and billed.
    """

    def __init__(self, reason: str, refused: bool = False, sent: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused
        self.sent = sent


class RefusedRedirect(SnellenError):
    """A request that would have had to go where the key must not go."""


class Response(NamedTuple):
    """A whole response, its body decompressed. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire(Interface):
    """Sends requests to one endpoint, from this machine or from another one."""

    async def post(self, body: bytes) -> Response:
        """Send a request's body; raises Fault."""

    async def models(self) -> Response:
        """Get the service's model list; raises Fault."""

    async def close(self) -> None:
        """Close all connections."""


def good(status: int) -> bool:
    """Tell whether a response holds what was asked for.

    >>> [good(s) for s in (200, 206, 307, 404)]
    [True, True, False, False]
    """
    return 200 <= status <= 299
