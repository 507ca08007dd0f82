"""A fast local endpoint with the API of every provider: fixed service time, fixed slots, a first-come queue, and its own clock.

`python endpoint.py` listens on a free port of 127.0.0.1, prints the port, and exits when its standard input ends.
A POST to a provider's path gets that provider's reply (replies.py). POST /reset?slots=N&service=S configures the endpoint
and zeroes the clock. GET /stats returns the counts. Any other path that is not in replies.py is 404.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from replies import CALLS, FACTS, response

BUFFER = 256 * 1024
LARGEST_HEADER = 64 * 1024
NOT_FOUND = response({"error": {"message": "not here"}}, "404 Not Found")
NO_LENGTH = response({"error": {"message": "a body needs Content-Length"}}, "411 Length Required")


class Service:
    """The slots and the clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.buffer = bytearray(BUFFER)
        self.view = memoryview(self.buffer)
        self.waiting: deque[Connection] = deque()
        self.busy = 0
        self.reset(64, 0.2)

    def reset(self, slots: int, service: float) -> None:
        self.slots, self.service = slots, service
        self.opened = self.first = self.last = 0.0
        self.arrived = self.completed = self.most = self.connections = 0

    def arrive(self, opened: float) -> None:
        """Record a request whose header arrived, on a connection opened at that time."""
        if self.arrived == 0:
            self.first = self.opened = self.loop.time()
        self.opened = min(self.opened, opened)
        self.arrived += 1

    def take(self, connection: Connection) -> None:
        """Put a complete request into a slot or into the queue."""
        self.most = max(self.most, self.busy + len(self.waiting) + 1)
        if self.busy < self.slots:
            self.busy += 1
            self.loop.call_later(self.service, self.finish, connection)
        else:
            self.waiting.append(connection)

    def finish(self, connection: Connection) -> None:
        connection.send(CALLS[connection.target])
        self.completed += 1
        self.last = self.loop.time()
        if self.waiting:
            self.loop.call_later(self.service, self.finish, self.waiting.popleft())
        else:
            self.busy -= 1

    def stats(self) -> dict[str, float]:
        return {
            "completed": self.completed,
            "arrived": self.arrived,
            "seconds": self.last - self.first,
            "seconds_from_opening": self.last - self.opened,
            "most_in_flight": self.most,
            "connections": self.connections,
        }


class Connection(asyncio.BufferedProtocol):
    """A client connection. Bodies are counted, not kept; all connections share the read buffer."""

    transport: asyncio.Transport

    def __init__(self, service: Service) -> None:
        self._service = service
        self._header = b""  # unread bytes of the next request
        self._need = 0  # bytes of the body still to come
        self.target = b""
        self._asking = False  # a request is being answered; what follows waits in _header
        self._close = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self._opened = self._service.loop.time()
        self._service.connections += 1

    def get_buffer(self, _size: int) -> memoryview:
        return self._service.view

    def buffer_updated(self, count: int) -> None:
        if self._need > count and not self._asking:
            self._need -= count
            return
        self._read(bytes(self._service.view[:count]))

    def _read(self, data: bytes) -> None:
        while data or (self._header and not self._asking):
            if self._asking:
                self._header += data
                return
            if self._need:
                taken = min(self._need, len(data))
                self._need -= taken
                data = data[taken:]
            else:
                self._header, data = self._header + data, b""
                end = self._header.find(b"\r\n\r\n")
                if end < 0:
                    if len(self._header) > LARGEST_HEADER:
                        self.transport.abort()
                    return
                head, data, self._header = self._header[:end], self._header[end + 4 :], b""
                if not self._begin(head):
                    return
                taken = min(self._need, len(data))
                self._need -= taken
                data = data[taken:]
            if self._need == 0:
                self._asking = True
                self._answer()

    def _begin(self, head: bytes) -> bool:
        line, _, rest = head.partition(b"\r\n")
        fields = b"\r\n" + rest.lower() + b"\r\n"
        self.target = line.rpartition(b" ")[0]
        self._close = b"\r\nconnection: close\r\n" in fields or line.endswith(b"HTTP/1.0")
        at = fields.find(b"\r\ncontent-length:")
        self._need = int(fields[at + 17 : fields.index(b"\r\n", at + 2)]) if at >= 0 else 0
        if at < 0 and b"\r\ntransfer-encoding:" in fields:
            self._close = True
            self.send(NO_LENGTH)
            return False
        if self.target in CALLS:
            self._service.arrive(self._opened)
        return True

    def _answer(self) -> None:
        method, _, target = self.target.decode("latin-1").partition(" ")
        if self.target in CALLS:
            self._service.take(self)
        elif method == "POST" and target.startswith("/reset"):
            asked = parse_qs(urlsplit(target).query)
            self._service.reset(int(asked["slots"][0]), float(asked["service"][0]))
            self.send(response({}))
        elif (method, target) == ("GET", "/stats"):
            self.send(response(self._service.stats()))
        else:
            self.send(FACTS.get(self.target, NOT_FOUND))

    def send(self, response: bytes) -> None:
        self._asking = False
        if self.transport.is_closing():
            return
        self.transport.write(response)
        if self._close:
            self.transport.close()
        elif self._header:
            self._service.loop.call_soon(self._read, b"")


async def serve() -> None:
    """Listen until standard input ends."""
    loop = asyncio.get_running_loop()
    service = Service(loop)
    ended = asyncio.Event()
    loop.add_reader(0, lambda: None if os.read(0, 1) else ended.set())
    server = await loop.create_server(lambda: Connection(service), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await ended.wait()
    server.close()


# ---------------------------------------------------------------- the side of the benchmark


class Seen(NamedTuple):
    """The endpoint's counts since the last reset."""

    completed: int
    seconds: float
    seconds_from_opening: float
    most_in_flight: int
    connections: int

    @property
    def rate(self) -> float:
        """Answers per second, from the first request's arrival to the last response."""
        return self.completed / self.seconds if self.seconds > 0 else 0.0

    @property
    def rate_from_opening(self) -> float:
        """The same rate from the opening of the first used connection, which includes the time to open many connections."""
        return self.completed / self.seconds_from_opening if self.seconds_from_opening > 0 else 0.0


class Endpoint:
    """The endpoint as a process; use as a context manager."""

    def __enter__(self) -> Endpoint:
        command = [sys.executable, str(Path(__file__).resolve())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._process.stdout is None:
            raise RuntimeError("no pipe from the endpoint")
        self.root = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        self.url = f"{self.root}/v1"
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def reset(self, slots: int, service: float) -> None:
        self._fetch(f"/reset?slots={slots}&service={service}", b"")

    def seen(self) -> Seen:
        got = self._fetch("/stats")
        spans = got["seconds"], got["seconds_from_opening"]
        return Seen(got["completed"], *spans, got["most_in_flight"], got["connections"])

    def _fetch(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        with self._opener.open(self.root + path, data=body, timeout=10) as response:
            found: dict[str, Any] = json.load(response)
        return found


if __name__ == "__main__":
    asyncio.run(serve())
