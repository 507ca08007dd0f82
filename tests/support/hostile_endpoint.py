"""An endpoint that sends raw bytes, one scenario per path: /NAME/v1/chat/completions. Beside it a trap that no client should visit."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any

from tests.support.endpoint import completion

Scenario = Callable[[dict[str, str]], AsyncIterator[bytes]]
"""A function of the request's headers that yields the bytes to send; the connection is closed after them."""


def http(status: object = 200, body: bytes = b"{}", **headers: str) -> bytes:
    """Return a reply; a given header replaces ours."""
    names = {"content_type": "application/json", "content_length": str(len(body)), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in names.items() if value)
    return f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("latin-1", "replace") + body


GOOD = http(200, json.dumps(completion("Color")).encode())


class HostileEndpoint:
    """The endpoint, in a thread, as a context manager. `asked` and `kept` count requests and usable replies by scenario and question."""

    def __init__(self, scenarios: dict[str, Scenario]) -> None:
        self._scenarios = scenarios
        self.asked: Counter[tuple[str, str]] = Counter()
        self.good: set[str] = set()
        """Scenarios that are over: their paths answer as they should."""
        self.models: set[str] = set()
        """Scenarios that apply only to requests for the list of models."""
        self.trapped: list[str] = []
        self.port = self.trap = 0
        self._started, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> HostileEndpoint:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}/v1"

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=1 << 24)
        trap = await asyncio.start_server(self._caught, "127.0.0.1", 0)
        self.port, self.trap = (s.sockets[0].getsockname()[1] for s in (server, trap))
        self._started.set()
        await self._stop.wait()
        server.close()
        trap.close()

    async def _caught(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.trapped.append((await reader.read(4096)).decode("latin-1"))
        writer.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ", 2)
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            name = path.split("/")[1]
            asks = method == "POST"
            if asks:
                self.asked[name, _question(json.loads(body))] += 1
            if name in self.good or asks == (name in self.models):
                writer.write(GOOD if asks else http(404))
            else:
                async for piece in self._scenarios[name](headers):
                    writer.write(piece)
                    await writer.drain()
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            pass
        finally:
            writer.close()

    def requests(self, name: str) -> int:
        """Return the number of requests, of any kind."""
        return sum(n for (scenario, _), n in self.asked.items() if scenario == name)


def _question(request: dict[str, Any]) -> str:
    return json.dumps(request.get("messages"), sort_keys=True)[-300:]
