"""Solvers on all cores: processes of our own that run `module:function` on questions.

Not `multiprocessing`: its workers import the user's main script again, which starts the run again where that has no guard.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import msgspec

from snellen.core.types import Question

_PACK = msgspec.msgpack.Encoder()
_QUESTIONS = msgspec.msgpack.Decoder(Question)


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write one message."""
    pipe.write(len(data).to_bytes(4, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Read one message; nothing where the other side has closed, maybe in the middle of it."""
    size = pipe.read(4)
    if len(size) < 4:
        return b""
    message = pipe.read(int.from_bytes(size, "big"))
    return message if len(message) == int.from_bytes(size, "big") else b""


class Workers:
    """A pool of processes; `submit` gives a future with the solver's text, or its failure as an exception."""

    def __init__(self, path: str, count: int) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="snellen-solver")
        self._own = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []

    def submit(self, question: Question) -> Any:
        """Solve a question in one of the processes."""
        return self._threads.submit(self._solve, question)

    def _solve(self, question: Question) -> str:
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None or process.poll() is not None:
            command = [sys.executable, "-P", "-m", "snellen.subjects.workers", self._path]
            process = self._own.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
            self._all.append(process)
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipe to the solver's process")
        send(process.stdin, _PACK.encode(question))
        answer = receive(process.stdout)
        if not answer:
            raise RuntimeError("the solver's process ended")
        text, error = msgspec.msgpack.decode(answer, type=tuple[str, str])
        if error:
            raise RuntimeError(error)
        return text

    def close(self) -> None:
        """End all processes, whatever they are at: a solver keeps nothing, and one that hangs is not waited for."""
        for process in self._all:
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._all:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            process.wait()


def main() -> None:
    """A worker: questions in, texts out, until the other side closes."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # the processes are the parallelism
    module, _, name = sys.argv[1].partition(":")
    solve: Callable[[Question], str] = getattr(importlib.import_module(module), name)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while data := receive(source):
        try:
            result = (solve(_QUESTIONS.decode(data)), "")
        except Exception as error:  # whatever a solver does wrong is an error of that sample
            result = ("", f"{type(error).__name__}: {error}")
        send(sink, _PACK.encode(result))


if __name__ == "__main__":
    main()
