"""Workers as processes on this machine, one for each device: `--devices cuda:0,cuda:1`.

Not `multiprocessing`: its workers import the user's main script again, which starts the run again where that has no guard.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO

from snellen.core.cores import cores
from snellen.core.errors import SnellenError
from snellen.core.secret import without_keys
from snellen.core.subject import Subject
from snellen.subjects.answering import Answering, CrewSubject, job_of
from snellen.subjects.crew import Crew, Worker, WorkerLost
from snellen.subjects.workers import receive, send

NUMBER = 8
"""Bytes before a message that say which one it is: replies come in any order."""


def on_devices(made: Callable[[str], Subject], devices: Sequence[str]) -> CrewSubject:
    """A subject with a process for each device; `made` gives the offline subject for a device."""
    often: Counter[str] = Counter()
    jobs: dict[str, bytes] = {}
    for device in devices:
        often[device] += 1
        jobs[device if often[device] == 1 else f"{device} ({often[device]})"] = job_of(made(device))
    more = _environment(sum(device == "cpu" for device in devices))
    workers = [ProcessWorker(place, job, more) for place, job in jobs.items()]
    try:
        first: dict[Worker, bytes] = {worker: worker.submit(b"").result() for worker in workers}

        def hire(taken: Collection[str], _closed: threading.Event) -> list[Worker]:
            return [ProcessWorker(place, job, more) for place, job in jobs.items() if place not in taken]

        return CrewSubject(made(devices[0]), Crew(workers, hire), first)
    except BaseException as error:
        for worker in workers:
            worker.close()
        if isinstance(error, WorkerLost):
            raise SnellenError(f"--devices {','.join(devices)}: {error} before it could say anything") from None
        raise


def _environment(on_processor: int) -> dict[str, str]:
    """No keys of services; and processes that share the processor share its cores."""
    kept = without_keys(os.environ, tokens=True)
    if on_processor > 1:
        kept.setdefault("OMP_NUM_THREADS", str(max(1, cores() // on_processor)))
    return kept


class ProcessWorker:
    """One process. Messages go out and replies come in by threads of their own."""

    def __init__(self, place: str, job: bytes, environment: Mapping[str, str]) -> None:
        self.place = place
        self._pending: dict[int, Future[bytes]] = {}
        self._lock = threading.Lock()
        self._next = 0
        command = [sys.executable, "-P", "-m", "snellen.subjects.processes"]
        self._process = subprocess.Popen(  # noqa: S603 (this very module, by this very interpreter)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
        )
        self._out = ThreadPoolExecutor(1, thread_name_prefix="snellen-worker-out")
        self._out.submit(self._send, job)
        threading.Thread(target=self._read, name="snellen-worker-in", daemon=True).start()

    def submit(self, message: bytes) -> Future[bytes]:
        """The reply to come; its exception is WorkerLost."""
        future: Future[bytes] = Future()
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._pending[number] = future
        try:
            self._out.submit(self._send, number.to_bytes(NUMBER, "big") + message)
        except RuntimeError:  # it was closed
            self._fail()
        if self._process.poll() is not None:
            self._fail()
        return future

    async def ask(self, message: bytes) -> bytes:
        return await asyncio.wrap_future(self.submit(message))

    def _send(self, data: bytes) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):  # it ended: the thread that reads says so
                send(self._process.stdin, data)

    def _read(self) -> None:
        pipe = self._process.stdout
        with contextlib.suppress(OSError, ValueError):
            while pipe is not None and (data := receive(pipe)):
                with self._lock:
                    future = self._pending.pop(int.from_bytes(data[:NUMBER], "big"), None)
                if future is not None and future.set_running_or_notify_cancel():
                    future.set_result(data[NUMBER:])
        self._process.wait()
        self._fail()

    def _fail(self) -> None:
        with self._lock:
            pending, self._pending = list(self._pending.values()), {}
        code = self._process.poll()
        how = "was killed" if code == -9 else f"ended with code {code}"
        for future in pending:
            if future.set_running_or_notify_cancel():
                future.set_exception(WorkerLost(f"the process for {self.place} {how}"))

    def close(self) -> None:
        self._process.kill()
        self._out.shutdown(wait=False, cancel_futures=True)
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()


# ---------------------------------------------------------------- the process


def main() -> None:
    """A worker: a job, then questions in and answers out, until the other side closes."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks; this one is ended by it
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever a library prints is not among the replies
    asyncio.run(_serve(source, sink))


async def _serve(source: IO[bytes], sink: IO[bytes]) -> None:
    tasks: set[asyncio.Task[None]] = set()
    job = await asyncio.to_thread(receive, source)
    if not job:
        return
    answering = Answering(job)

    async def one(data: bytes) -> None:
        reply = await answering.ask(data[NUMBER:])
        send(sink, data[:NUMBER] + reply)

    while data := await asyncio.to_thread(receive, source):
        task = asyncio.create_task(one(data))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    os._exit(0)  # the other side is gone: nobody waits for what is being decoded


if __name__ == "__main__":
    main()
