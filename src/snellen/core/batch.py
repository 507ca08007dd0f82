"""The contract of a batch: many requests handed to a provider at once, answered within a day, for less money. Pure: it writes the
requests and parses the responses; `engine/answer/batches.py` sends them and keeps the ledger.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import NamedTuple


class BatchStep(NamedTuple):
    """One exchange with the provider. `makes` marks a request that creates the paid batch, so it must not be sent twice."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = "application/json"
    makes: bool = False


class BatchState(NamedTuple):
    """The progress of a batch. `results` are the addresses of the results; `mark` is our label, if the provider keeps it.

    `failure` is the reason why there are no results.
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
    """The response to one request of a batch, as it would be outside a batch."""

    key: str
    status: int
    body: bytes


class BatchApi(ABC):
    """One provider's batches."""

    most: int = 50_000
    """The most requests in a batch."""
    largest: int = 100_000_000
    """The most bytes of a batch that are sent at once; providers take more."""
    share: float = 0.5
    """The cost of a batch as a share of the list price, if the price table does not give it."""
    unworked: tuple[bytes, ...] = ()
    """Marks of the line of a request that was not processed, which the provider does not count as done."""
    opening: bytes = b""
    between: bytes = b"\n"
    closing: bytes = b"\n"

    @abstractmethod
    def entry(self, key: str, body: bytes) -> bytes:
        """Return one request in the form of a batch; its key comes back with the result."""

    @abstractmethod
    def submit(self, payload: bytes, mark: str) -> Generator[BatchStep, bytes, str]:
        """Submit a batch: yield the requests to send, receive the responses, return the batch's id."""

    @abstractmethod
    def look(self, batch: str) -> BatchStep:
        """Return the request for the progress of a batch."""

    @abstractmethod
    def state(self, body: bytes) -> BatchState:
        """Parse the provider's state of a batch. This and the readers below raise ValueError for an invalid response."""

    def listing(self, after: str = "") -> BatchStep | None:
        """Return the request for the latest batches, or for those before `after`; None if the provider does not keep our label."""
        return None

    def listed(self, body: bytes) -> BatchListing:
        """Read a page of the provider's batches."""
        raise ValueError("a list without labels")

    @abstractmethod
    def cancel(self, batch: str) -> BatchStep:
        """Return the request that cancels a batch."""

    @abstractmethod
    def result(self, line: bytes) -> BatchResult:
        """Parse a line of the results; raise ValueError if it is not one."""
