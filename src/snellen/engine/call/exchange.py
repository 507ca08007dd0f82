"""The types of an HTTP exchange: a response, a fault, and the wire to an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.subject import Connection
from snellen.engine.call.trust import is_own

JSON = "application/json"
LARGEST_REPLY = 64 * 1024 * 1024
OWN_TIMEOUT, HOSTED_TIMEOUT = 300.0, 600.0


class Fault(Exception):
    """The network failed before a whole response was read.

    `refused`: nothing listens at the address. `sent`: the request went out, so it may have been processed and billed.
    """

    def __init__(self, reason: str, refused: bool = False, sent: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused
        self.sent = sent


class RefusedRedirect(SnellenError):
    """A request that would have had to go to a place that must not get the key."""


class Response(NamedTuple):
    """A whole response, its body decompressed. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire(Interface):
    """Sends requests to one endpoint, from this machine or from another one."""

    async def post(self, body: bytes) -> Response:
        """Send a request's body. Raise Fault if the network fails."""

    async def models(self) -> Response:
        """Get the service's model list. Raise Fault if the network fails."""

    async def close(self) -> None:
        """Close all connections."""


def good(status: int) -> bool:
    """Tell whether a status means success.

    >>> [good(s) for s in (200, 206, 307, 404)]
    [True, True, False, False]
    """
    return 200 <= status <= 299


def time_limit(connection: Connection) -> float:
    """Return the default time limit of one try, in seconds: the service's own proposal, else one that depends on its location.

    A reply comes in one piece, after all the thinking. So hosted models get as much time as their makers' own clients allow.
    """
    if connection.timeout is not None:
        return connection.timeout
    return OWN_TIMEOUT if is_own(connection.url) else HOSTED_TIMEOUT
