"""Running the command many times, quickly and within limits, by a process that forks (fork_server.py)."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.command import environment

SECONDS = 60.0
MEMORY = 4 << 30
HERE = Path(__file__).parents[2]
TRACEBACK = re.compile(r"Traceback \(most recent call last\)|this is a bug in snellen|Fatal Python error")


@dataclass(frozen=True)
class Ended:
    """The end of a case. `left` are processes that outlived it; `peak` is memory in bytes."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    hung: bool
    seconds: float
    peak: int
    left: tuple[str, ...]

    def well(self, *codes: int) -> Ended:
        """Assert that it ended as every command must: no hang, no traceback, a known exit code, one line on failure, no process left."""
        shown = f"snellen {' '.join(self.words)}\n-> {self.code} after {self.seconds:.1f} s\n{self.err[-900:]}"
        assert not self.hung, f"hung: {shown}"
        assert not TRACEBACK.search(self.err + self.out), f"a traceback: {shown}{self.out[-300:]}"
        assert self.code in (codes or (0, 1, 2, 3)), f"wrong exit code: {shown}"
        assert self.code != 2 or self.one_line, f"not one line: {shown}"
        assert not self.left, f"processes are left: {self.left} {shown}"
        return self

    @property
    def one_line(self) -> bool:
        """True if the error is one line; `data check` lists problems and prints nothing else."""
        if self.words[:2] == ("data", "check") and not self.err:
            return bool(self.out)
        said = [line for line in self.err.splitlines() if line.startswith(("snellen: ", "Error: "))]
        return len(said) == 1 and len(said[0]) < 4000


class Forks:
    """A running fork server. `run` starts one command and waits for its end."""

    def __init__(self, process: subprocess.Popen[str], home: Path) -> None:
        self._process = process
        self._home = home
        self._without: list[str] = []

    @contextmanager
    def without(self, *guards: str) -> Iterator[None]:
        """Run commands without these guards (tests/faults/guards.py)."""
        self._without = list(guards)
        try:
            yield
        finally:
            self._without = []

    def run(
        self,
        *words: object,
        cache: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        out: str | None = None,
        seconds: float = SECONDS,
        memory: int = MEMORY,
        file_size: int = 0,
        signals: Iterable[tuple[float, int]] = (),
    ) -> Ended:
        """Run a command; `signals` are (seconds after the start, number)."""
        given, said, error = (self._home / name for name in ("stdin", "out", "err"))
        given.write_bytes(stdin)
        case: dict[str, Any] = {
            "words": [str(w) for w in words],
            "cwd": str(cwd or self._home),
            "env": {**environment(cache), **(env or {})},
            "stdin": str(given),
            "out": out or str(said),
            "err": str(error),
            "seconds": seconds,
            "memory": memory,
            "file_size": file_size,
            "signals": list(signals),
            "without": self._without,
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the fork server ended with {self._process.wait()}")
        found = json.loads(answer)
        return Ended(
            words=tuple(case["words"]),
            code=found["code"],
            out="" if out else said.read_text(errors="replace"),
            err=error.read_text(errors="replace"),
            hung=found["hung"],
            seconds=found["seconds"],
            peak=found["peak"],
            left=tuple(found["left"]),
        )


_ONE: list[Forks | None] = []
_TAKEN = threading.Lock()


@contextmanager
def shared() -> Iterator[Forks | None]:
    """Yield this process's fork server, started on first use; None where it cannot run, or where another thread has it."""
    if not _TAKEN.acquire(blocking=False):
        yield None
        return
    try:
        if not _ONE:
            stack = ExitStack()
            atexit.register(stack.close)
            _ONE.append(stack.enter_context(forking()) if sys.platform.startswith("linux") else None)
        yield _ONE[0]
    finally:
        _TAKEN.release()


@contextmanager
def forking() -> Iterator[Forks]:
    """Start and stop a fork server."""
    with tempfile.TemporaryDirectory(prefix="forks-") as home:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fork_server"],
            cwd=HERE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", "the fork server does not start"
            yield Forks(process, Path(home))
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(30)
