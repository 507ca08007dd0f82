"""A worker as an interpreter of our own on this machine, and the code that runs in it.

`multiprocessing` is not used: its workers import the user's main script again, which starts the run again if that has no guard.

A message is a frame on a pipe: its length, its number (replies come in any order), and the bytes from `calls.py`. The worker ends as soon
as the pipe closes, however this process ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from typing import IO, Any

import msgspec

from snellen.core.cores import cores
from snellen.core.secret import without_keys
from snellen.workers.calls import Named, WorkerFunction, job_of
from snellen.workers.pool import Hire, Worker, WorkerLost, Workers

HEAD = 8


def send(pipe: IO[bytes], number: int, message: bytes) -> None:
    """Write a frame."""
    pipe.write(len(message).to_bytes(HEAD, "big") + number.to_bytes(HEAD, "big"))
    pipe.write(message)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[int, bytes] | None:
    """Read a frame. Return None if the pipe is closed, even in the middle of one."""
    head = pipe.read(2 * HEAD)
    size = int.from_bytes(head[:HEAD], "big")
    message = pipe.read(size) if len(head) == 2 * HEAD else b""
    return (int.from_bytes(head[HEAD:], "big"), message) if message and len(message) == size else None


def here(function: Named, count: int, environment: Mapping[str, str] | None = None) -> Workers[Any]:
    """Start processes on this machine that call a function."""
    job = job_of(function)
    return Workers(function, spawning({f"process {n}": job for n in range(1, count + 1)}, environment))


def on_all_cores(function: Named) -> Workers[Any]:
    """Start a process for each core, with one thread for numeric libraries: the processes are the parallelism."""
    return here(function, cores(), {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})


def spawning(jobs: Mapping[str, bytes], environment: Mapping[str, str] | None = None) -> Hire:
    """Return a function that starts a process for each place, with its job. It gets no service keys. `environment` is added to ours."""
    inherited = without_keys(os.environ, tokens=True) | dict(environment or {})

    def hire(taken: Collection[str], _closed: threading.Event | None) -> list[Worker]:
        return [ProcessWorker(place, job, inherited) for place, job in jobs.items() if place not in taken]

    return hire


class ProcessWorker:
    """One process. One thread writes messages and another reads replies, so that neither side waits for the other to read."""

    def __init__(self, place: str, job: bytes, environment: Mapping[str, str]) -> None:
        self.place = place
        self._pending: dict[int, Future[bytes]] = {}
        self._lock = threading.Lock()
        self._next = 1
        self._lost = False
        command = [sys.executable, "-P", "-m", "snellen.workers.processes"]
        self.process = subprocess.Popen(  # noqa: S603 (this very module, by this very interpreter)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
        )
        self._outgoing: SimpleQueue[tuple[int, bytes] | None] = SimpleQueue()
        self._outgoing.put((0, msgspec.msgpack.encode((sys.path, job))))
        for work, pipe in ((self._write, self.process.stdin), (self._read, self.process.stdout)):
            threading.Thread(target=work, args=(pipe,), name="snellen-worker", daemon=True).start()

    def submit(self, message: bytes) -> Future[bytes]:
        """Send a message. The future gets its reply, or WorkerLost."""
        future: Future[bytes] = Future()
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._pending[number] = future
            lost = self._lost
        self._outgoing.put((number, message))
        if lost:
            self._fail()
        return future

    def _write(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError):  # it ended, which the reading thread reports
            while (frame := self._outgoing.get()) is not None:
                send(pipe, *frame)
        with contextlib.suppress(OSError):
            pipe.close()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while (frame := receive(pipe)) is not None:
                with self._lock:
                    future = self._pending.pop(frame[0])
                future.set_result(frame[1])
        self.process.wait()
        self._outgoing.put(None)
        self._fail()

    def _fail(self) -> None:
        with self._lock:
            self._lost = True
            pending, self._pending = list(self._pending.values()), {}
        code = self.process.returncode
        how = "was killed" if code == -9 else f"ended with code {code}"
        for future in pending:
            future.set_exception(WorkerLost(f"the worker for {self.place} {how}"))

    def close(self) -> None:
        """Kill the process, even in the middle of a call. Pending replies get WorkerLost."""
        self.process.kill()
        self.process.wait()


# ---------------------------------------------------------------- the process


def main() -> None:
    """Call the function that the first message names, until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process, which ends this one
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # the output of a library is not among the replies
    first = receive(source)
    if first is not None:
        sys.path[:], job = msgspec.msgpack.decode(first[1], type=tuple[list[str], bytes])
        asyncio.run(_serve(source, sink, job))


async def _serve(source: IO[bytes], sink: IO[bytes], job: bytes) -> None:
    loop = asyncio.get_running_loop()
    called = WorkerFunction(job)
    tasks: set[asyncio.Task[None]] = set()

    async def answer(number: int, message: bytes) -> None:
        send(sink, number, await called.reply(message))

    def begin(number: int, message: bytes) -> None:
        task = loop.create_task(answer(number, message))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def read() -> None:
        while (frame := receive(source)) is not None:
            loop.call_soon_threadsafe(begin, *frame)
        os._exit(0)  # the other side is gone, and the result is not needed any more

    threading.Thread(target=read, daemon=True).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    main()
