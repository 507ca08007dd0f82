"""The words of one HTTP exchange, which both clients share: a response, a fault, how large and how long anything may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO, NamedTuple
from typing import Protocol as Interface

JSON = "application/json"
LARGEST_REPLY = 64 * 1024 * 1024
LARGEST_HEAD = 512 * 1024  # all header lines, those of interim replies (100 Continue) included
CONNECT_TIMEOUT = 30.0
IDLE = 30.0  # seconds that an unused connection is kept
STALE = 0.1  # a kept connection that closes this soon after a request was closed before it
READING = frozenset({"GET", "HEAD"})  # methods that may be sent again: a POST that was lost may have been billed
TOO_LARGE = "the reply is too large"
CUT_OFF = "connection closed before the whole reply"
TIMED_OUT = "timed out"


class Fault(Exception):
    """The network failed before a whole response was read."""

    def __init__(self, reason: str, refused: bool = False, sent: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused  # nobody listens there
        self.sent = sent  # the request went out: it may have been worked on


class Response(NamedTuple):
    """A whole response, its body decoded; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpClient(Interface):
    """Connections to one origin."""

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
        """One request and its whole response; raises Fault.

        `largest` bounds the body, also once it is decoded. The body of a good reply (2xx) goes `into` a file where one is
        given, and `Response.body` stays empty then; after a Fault the file may hold a part.
        """

    async def close(self) -> None:
        """Close all connections."""


class Wire(Interface):
    """What sends requests to one endpoint, from here or from elsewhere."""

    async def post(self, body: bytes) -> Response:
        """Send a request's body; raises Fault."""

    async def models(self) -> Response:
        """The service's model list; raises Fault."""

    async def close(self) -> None:
        """Close all connections."""


def sent_headers(host: str, more: Mapping[str, str]) -> dict[str, str]:
    """What goes with every request; no value can start another header."""
    common = {"Host": host, "Accept": JSON, "Accept-Encoding": "identity", "User-Agent": "snellen"}
    return {name: safe(value) for name, value in (common | dict(more)).items()}


def safe(value: str) -> str:
    """A header value that cannot start another header."""
    return value.replace("\r", "").replace("\n", "")


def good(status: int) -> bool:
    """Whether the body is what was asked for.

    >>> [good(s) for s in (200, 206, 307, 404)]
    [True, True, False, False]
    """
    return 200 <= status <= 299
