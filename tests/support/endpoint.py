"""A local OpenAI-compatible endpoint in a thread: counts requests, fails on demand, listens on 127.0.0.1 only."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Reply = dict[str, Any]


@dataclass
class Faults:
    """Shares of requests that go wrong, in this order."""

    throttle: float = 0.0
    crash: float = 0.0
    drop: float = 0.0
    garble: float = 0.0
    seed: int = 0


@dataclass
class Endpoint:
    """Serves /v1/chat/completions and /v1/models. `script` may return (status, headers, body) for a request."""

    answer: str = "Color"
    delay: float = 0.0
    slots: int = 10_000
    cost: float | None = None
    faults: Faults = field(default_factory=Faults)
    models: list[dict[str, Any]] | None = None
    script: Callable[[dict[str, Any], int], tuple[int, dict[str, str], bytes] | None] | None = None

    def __post_init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.most_at_once = 0
        self._busy = 0
        self._random = random.Random(self.faults.seed)
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = 0

    @property
    def busy(self) -> int:
        """The number of requests in progress."""
        return self._busy

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Endpoint:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(self, *_exc: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._gate = asyncio.Semaphore(self.slots)
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=1 << 24, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        await self._stop.wait()
        server.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                lines = head.split("\r\n")
                headers = {
                    k.strip().lower(): v.strip() for k, _, v in (x.partition(":") for x in lines[1:] if ":" in x)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                out = await self._respond(lines[0], headers, body)
                if out is None:
                    writer.transport.abort()
                    return
                status, extra, payload = out
                top = {"content-type": "application/json", "content-length": str(len(payload)), **extra}
                writer.write(
                    f"HTTP/1.1 {status} X\r\n".encode()
                    + "".join(f"{k}: {v}\r\n" for k, v in top.items()).encode()
                    + b"\r\n"
                    + payload
                )
                await writer.drain()
                if extra.get("connection") == "close":
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _respond(
        self, first: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes] | None:
        if first.startswith("GET"):
            if self.models is None:
                return 404, {}, b"{}"
            return 200, {}, json.dumps({"data": self.models}).encode()
        request = json.loads(body)
        name = fingerprint(request)
        self.requests.append(request)
        self.headers.append(headers)
        self.asked[name] += 1
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        try:
            async with self._gate:
                await asyncio.sleep(self.delay)
                return self._decide(request, name)
        finally:
            self._busy -= 1

    def _decide(self, request: dict[str, Any], name: str) -> tuple[int, dict[str, str], bytes] | None:
        if self.script is not None:
            scripted = self.script(request, self.asked[name])
            if scripted is not None:
                return scripted
        draw, faults = self._random.random(), self.faults
        if draw < faults.throttle:
            return 429, {"retry-after": "0.02"}, b'{"error": {"message": "slow down"}}'
        draw -= faults.throttle
        if draw < faults.crash:
            return 500, {}, b"oops"
        draw -= faults.crash
        if draw < faults.drop:
            return None
        draw -= faults.drop
        if draw < faults.garble:
            return 200, {}, b'{"choices": [{"mess'
        self.answered[name] += 1
        return 200, {}, json.dumps(completion(self.answer, request["model"], self.cost)).encode()


def completion(text: str | None, model: str = "fake", cost: float | None = None, finish: str = "stop") -> Reply:
    usage: dict[str, Any] = {"prompt_tokens": 833, "completion_tokens": 1}
    if cost is not None:
        usage["cost"] = cost
    message = {"role": "assistant", "content": text}
    return {
        "id": "r1",
        "model": f"{model}-served",
        "choices": [{"message": message, "finish_reason": finish}],
        "usage": usage,
    }


def fingerprint(request: dict[str, Any]) -> str:
    """Identify a request by its question."""
    return json.dumps(request["messages"], sort_keys=True)
