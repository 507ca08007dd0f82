"""The contract of a batch: many requests handed to a provider at once, answered within a day, for less money. Pure: the requests to send,
and the parsing of the responses. `engine/answer/batches.py` sends them and keeps the ledger.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import NamedTuple


class BatchStep(NamedTuple):
    """One exchange with the provider. `makes` says that it makes what is paid, so that it must not be sent twice."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"
    makes: bool = False


class BatchState(NamedTuple):
    """How far a batch is. `results` are the addresses of what came out; `mark` is what we named it by, where the provider keeps that.

    `failure` says why nothing came out of it.
    """

    id: str
    ended: bool
    done: int = 0
    results: tuple[str, ...] = ()
    mark: str = ""
    failure: str = ""


class BatchListing(NamedTuple):
    """A page of the provider's list of batches, the latest first. `after` asks for the next one; empty at the end."""

    states: tuple[BatchState, ...]
    after: str = ""


class BatchResult(NamedTuple):
    """The response to one request of a batch, as it would have come alone."""

    key: str
    status: int
    body: bytes


class BatchApi(ABC):
    """One provider's batches."""

    most: int = 50_000
    """Requests in a batch."""
    largest: int = 100_000_000
    """Bytes of a batch that are sent at once; providers take more."""
    share: float = 0.5
    """What a batch costs of the list price, where the price table does not say."""
    unworked: tuple[bytes, ...] = ()
    """What marks the line of a request that was not worked on, which the provider does not count as done."""
    opening: bytes = b""
    between: bytes = b"\n"
    closing: bytes = b"\n"

    @abstractmethod
    def entry(self, key: str, body: bytes) -> bytes:
        """One request as it stands in a batch; its key comes back with the result."""

    @abstractmethod
    def submit(self, payload: bytes, mark: str) -> Generator[BatchStep, bytes, str]:
        """Hand in a batch: yields what to send, is sent the responses, gives the batch's id."""

    @abstractmethod
    def look(self, batch: str) -> BatchStep:
        """Ask how far a batch is."""

    @abstractmethod
    def state(self, body: bytes) -> BatchState:
        """What the provider says of a batch; this and the readers below raise ValueError where it makes no sense."""

    def listing(self, after: str = "") -> BatchStep | None:
        """Ask for the latest batches, or for those before the one named; None where the provider keeps no label of ours."""
        return None

    def listed(self, body: bytes) -> BatchListing:
        """Read a page of the provider's batches."""
        raise ValueError("a list without labels")

    @abstractmethod
    def cancel(self, batch: str) -> BatchStep:
        """Call a batch off."""

    @abstractmethod
    def result(self, line: bytes) -> BatchResult:
        """A line of the results; raises ValueError where it is none."""
