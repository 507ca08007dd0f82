"""One connection of our own HTTP client: one exchange at a time, parsed by httptools (the parser of Node and uvicorn)."""

from __future__ import annotations

import asyncio
import time
from typing import Any, BinaryIO

import httptools

from snellen.engine.call.coding import Decoder, decoder_for
from snellen.engine.call.exchange import CUT_OFF, LARGEST_HEAD, LARGEST_REPLY, STALE, TOO_LARGE, Fault, Response, good

_now = time.monotonic


class Line(asyncio.Protocol):
    """A connection and the exchange under way on it."""

    def __init__(self) -> None:
        self.transport: Any = None
        self.open = False
        self.expires = 0.0
        self.went_stale = False
        self._waiter: asyncio.Future[Response] | None = None
        self._parser: Any = None
        self._headers: dict[str, str] = {}
        self._body: list[bytes] = []
        self._decoder: Decoder | None = None
        self._into: BinaryIO | None = None
        self._writes = False
        self._largest = LARGEST_REPLY
        self._size = 0
        self._heard = False
        self._received = 0
        self._headed = False
        self._head_only = False
        self._ends_with_connection = False
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.open = transport, True

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        self.went_stale = self._parser is not None and not self._heard and _now() - self._sent < STALE
        if self._ends_with_connection and exc is None and self._parser is not None:
            self._deliver(keep=False)
        self._fail(Fault(f"connection lost ({exc})" if exc else CUT_OFF, sent=True))

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            self.close()  # nobody asked
            return
        self._heard = True
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self.fail(f"not an HTTP reply ({error})")
        except httptools.HttpParserUpgrade:
            self.fail("the server wants to speak another protocol (status 101)")
        self._received += len(data)
        # what chunks and trailers add is in the first of the two limits
        if self._received > (2 * self._largest if self._headed else LARGEST_HEAD) and self._parser is not None:
            self.fail(TOO_LARGE if self._headed else "the reply's header is too large")

    # ------------------------------------------------------------ called by the parser

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        framed = "content-length" in self._headers or "transfer-encoding" in self._headers
        status = self._parser.get_status_code()
        self._headed = status >= 200
        self._ends_with_connection = not framed and self._headed
        self._writes = self._into is not None and good(status)
        if self._head_only and self._headed:
            self._deliver(keep=True)
        elif "content-encoding" in self._headers:
            try:
                self._decoder = decoder_for(self._headers["content-encoding"], self._largest)
            except ValueError as error:
                self.fail(str(error))

    def on_body(self, body: bytes) -> None:
        if self._decoder is not None:
            try:
                body = self._decoder.feed(body)
            except ValueError as error:
                self.fail(str(error))
                return
        self._size += len(body)
        if self._size > self._largest:
            self.fail(TOO_LARGE)
        elif self._writes and self._into is not None:
            self._write(self._into, body)
        else:
            self._body.append(body)

    def _write(self, file: BinaryIO, body: bytes) -> None:
        try:
            file.write(body)
        except OSError as error:  # a full disk is no fault of the network
            self._fail(error)
            self.close()

    def on_message_complete(self) -> None:
        if (
            self._parser is not None and self._parser.get_status_code() >= 200
        ):  # before it come 100 Continue and the like
            self._deliver(keep=self._parser.should_keep_alive())

    def _deliver(self, keep: bool) -> None:
        status = self._parser.get_status_code()
        self._parser = None
        if self._decoder is not None:
            try:
                self._decoder.end()
            except ValueError as error:
                self.fail(str(error))
                return
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(Response(status, self._headers, b"".join(self._body)))
        if not keep:
            self.close()

    # ------------------------------------------------------------ called by the client

    def exchange(
        self, pieces: list[bytes], largest: int = LARGEST_REPLY, into: BinaryIO | None = None, head_only: bool = False
    ) -> asyncio.Future[Response]:
        """Send a request; the future gets the response or a Fault. `head_only`: the reply has no body (CONNECT, HEAD)."""
        self._head_only, self._ends_with_connection, self._sent = head_only, False, _now()
        self._headers, self._body, self._size, self._heard = {}, [], 0, False
        self._received, self._headed = 0, False
        self._largest, self._into, self._writes, self._decoder = largest, into, False, None
        self._parser = httptools.HttpResponseParser(self)
        self._waiter = asyncio.get_running_loop().create_future()
        self.transport.writelines(pieces)
        return self._waiter

    def fail(self, reason: str) -> None:
        """End the exchange and the connection."""
        self._fail(Fault(reason, sent=True))
        self.close()

    def _fail(self, error: Exception) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)

    def close(self) -> None:
        self.open = False
        if self.transport is not None:
            self.transport.abort()
