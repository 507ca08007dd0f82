"""Workers without processes, which can be lost at will."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import Future

from snellen.workers.calls import WorkerFunction, job_of
from snellen.workers.pool import Hire, WorkerLost

Does = Callable[[bytes], Awaitable[bytes]]


class FakeWorker:
    """A worker that replies by `does` in a thread with its own loop, and keeps what it was sent."""

    def __init__(self, place: str, does: Does) -> None:
        self.place, self._does = place, does
        self.asked: list[bytes] = []
        self.closed = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def submit(self, message: bytes) -> Future[bytes]:
        self.asked.append(message)
        return asyncio.run_coroutine_threadsafe(self._reply(message), self._loop)

    async def _reply(self, message: bytes) -> bytes:
        if self.closed:
            raise WorkerLost(f"{self.place} is closed")
        return await self._does(message)

    def close(self) -> None:
        self.closed = True


def calling(function: Callable[..., object]) -> Does:
    """Do what a process that calls a function does."""
    return WorkerFunction(job_of(function)).reply


async def lost(_message: bytes) -> bytes:
    raise WorkerLost("it ended")


def only(*workers: FakeWorker) -> Hire:
    """Hire these workers, and none later."""
    return lambda _taken, closed: list(workers) if closed is None else []


def hiring(first: Collection[FakeWorker], later: Callable[[str], FakeWorker | None]) -> Hire:
    """Hire these workers, and later one for each free place, if there is one."""

    def hire(taken: Collection[str], closed: threading.Event | None) -> list[FakeWorker]:
        if closed is None:
            return list(first)
        return [new for one in first if one.place not in taken and (new := later(one.place)) is not None]

    return hire
