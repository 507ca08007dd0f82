"""The shared base of local servers of providers' own APIs: they count what they answered and billed, and fail as their provider does."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.endpoint import Endpoint

Response = tuple[int, dict[str, str], bytes]


@dataclass
class Native(Endpoint, ABC):
    """A server that checks the key, answers, and fails a share of the requests in each of its provider's ways in turn."""

    key: str = "sk-native-0123456789"
    share: float = 0.0
    thinking: str = "Is it color? It is."

    def __post_init__(self) -> None:
        super().__post_init__()
        self.billed: dict[str, dict[str, int]] = {}
        self.went_wrong: Counter[str] = Counter()
        self.paths: list[str] = []
        self._until_next = 0.0
        self._number = 0

    @property
    def lost(self) -> int:
        """The number of replies that were made but did not arrive whole."""
        return sum(self.went_wrong[name] for name in ("dropped", "garbled", "cut"))

    async def _respond(self, first: str, headers: dict[str, str], body: bytes) -> Response | None:
        method, path = first.split()[:2]
        self.paths.append(path)
        self.headers.append(headers)
        refused = self.check(path, headers)
        if refused is not None:
            return refused
        if method == "GET":
            return self.model(path)
        request = json.loads(body)
        self.requests.append(request)
        refused = self.refuses(request, headers)
        if refused is not None:
            return refused
        name = self.asks(request)
        self.asked[name] += 1
        await asyncio.sleep(self.delay)
        scripted = self.script(request, self.asked[name]) if self.script is not None else None
        if scripted is not None:
            return scripted
        self._until_next += self.share
        if self._until_next >= 1:
            self._until_next -= 1
            return self.fail(request)
        self.answered[name] += 1
        number, reply = self.reply(request)
        self.billed[number] = self.tokens(reply)
        return 200, self.extra_headers(number), json.dumps(reply).encode()

    def reply(self, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        self._number += 1
        return self.say(request, self._number)

    def fail(self, request: dict[str, Any]) -> Response | None:
        kinds = (*self.errors(), "dropped", "garbled", "cut")
        kind = kinds[sum(self.went_wrong.values()) % len(kinds)]
        self.went_wrong[kind] += 1
        if kind in self.errors():
            return self.errors()[kind]
        if kind == "dropped":
            return None
        payload = json.dumps(self.reply(request)[1]).encode()
        return cut(payload) if kind == "cut" else (200, {}, payload[:-20])

    # ------------------------------------------------------------ of each provider

    @abstractmethod
    def check(self, path: str, headers: dict[str, str]) -> Response | None: ...

    def refuses(self, request: dict[str, Any], headers: dict[str, str]) -> Response | None:
        return None

    @abstractmethod
    def model(self, path: str) -> Response: ...

    @abstractmethod
    def asks(self, request: dict[str, Any]) -> str: ...

    @abstractmethod
    def say(self, request: dict[str, Any], number: int) -> tuple[str, dict[str, Any]]: ...

    @abstractmethod
    def tokens(self, reply: dict[str, Any]) -> dict[str, int]:
        """Return the tokens that a reply bills: `input`, `output` and, as parts of them, `cached`, `written`, `thinking`."""

    @abstractmethod
    def errors(self) -> dict[str, Response]: ...

    def extra_headers(self, number: str) -> dict[str, str]:
        return {}


def cut(payload: bytes) -> Response:
    """Return a reply whose connection closes before the whole body."""
    return 200, {"content-length": str(len(payload)), "connection": "close"}, payload[: len(payload) // 2]


def lose_the_first(server: Native, torn: Response | None) -> None:
    """Lose the first reply in the given way; with None, close the connection without a reply."""
    respond = server._respond

    async def losing(first: str, headers: dict[str, str], body: bytes) -> Response | None:
        out = await respond(first, headers, body)
        if first.startswith("GET") and out is not None:
            return out[0], {"connection": "close"}, out[2]  # the client takes a closed kept connection for a stale one
        return torn if len(server.requests) == 1 else out

    server._respond = losing  # type: ignore[method-assign]
