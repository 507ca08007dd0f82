"""Workers without processes, to be lost at will."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from snellen.subjects.crew import WorkerLost


class FakeWorker:
    """Does as it is told; what it was asked is kept."""

    def __init__(self, place: str, does: Callable[[bytes], Awaitable[bytes]]) -> None:
        self.place, self._does = place, does
        self.asked: list[bytes] = []
        self.at_once = self.most = 0
        self.closed = False

    async def ask(self, message: bytes) -> bytes:
        if self.closed:
            raise WorkerLost(f"{self.place} is closed")
        self.asked.append(message)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            return await self._does(message)
        finally:
            self.at_once -= 1

    def close(self) -> None:
        self.closed = True


async def echo(message: bytes) -> bytes:
    await asyncio.sleep(0.01)
    return message


async def lost(message: bytes) -> bytes:
    raise WorkerLost("it ended")
