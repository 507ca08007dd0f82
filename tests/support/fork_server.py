"""A process that has imported Snellen and runs the command in forks of itself: thousands of times in minutes, each within limits.

It reads one case a line (JSON) on standard input and writes one line when that case has ended. `tests/support/forks.py` talks to it. It
has no threads of its own, so that a fork is whole.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import itertools
import json
import os
import pkgutil
import resource
import select
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

PROC = Path("/proc")
GRACE = 10.0
"""Seconds that processes which a case started may outlive it."""


def preload() -> None:
    """Import what commands import when they are used."""
    from PIL import Image

    import snellen.cli
    import snellen.subjects
    from snellen import exams

    rooms = (pkgutil.iter_modules(room.__path__, f"{room.__name__}.") for room in (snellen.cli, snellen.subjects))
    for module in itertools.chain.from_iterable(rooms):
        importlib.import_module(module.name)
    for name in exams.names():
        exams.load(name)
    for name in (
        *(
            "pyarrow.parquet",
            "filelock",
            "rich.live",
            "rich.progress",
            "rich.table",
            "email.utils",
            "multiprocessing.pool",
        ),
        *(
            "snellen.engine.run",
            "snellen.present.page.report",
            "snellen.present.terminal.run",
        ),
        *("snellen.engine.call.client", "snellen.data.hub", "snellen.synthetic.pool", "snellen.synthetic.scenes"),
        *("rich._emoji_codes", "snellen.present.terminal.verified"),
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    Image.preinit()
    gc.collect()
    gc.freeze()


def become(case: dict[str, Any]) -> list[str]:
    """Turn this fork into a process with the case's limits, files and environment; return the words of its command."""
    os.setsid()
    os.environ.clear()
    os.environ.update(case["env"])
    time.tzset()
    os.chdir(case["cwd"])
    for number, path, how in (
        (0, case["stdin"], os.O_RDONLY),
        (1, case["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, case["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(path, how, 0o666)
        os.dup2(opened, number)
        os.close(opened)
    resource.setrlimit(resource.RLIMIT_AS, (case["memory"], case["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if case["file_size"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["file_size"], case["file_size"]))
    if case["without"]:
        from tests.faults.guards import take_out

        take_out(case["without"])
    return ["snellen", *case["words"]]


def command(words: list[str]) -> int:
    """Run the command to its end: threads and exit handlers finish, but the interpreter is not torn down."""
    from snellen.cli.main import main

    sys.argv = words
    code: Any = 0
    try:
        main()
    except SystemExit as done:
        code = done.code
    except BaseException:
        traceback.print_exc()
        code = 70
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if not stream.closed:
                stream.flush()
        except OSError:
            code = code or 120  # as Python's own end of a process
    return code if isinstance(code, int) else 1


def watch(pid: int, case: dict[str, Any]) -> dict[str, Any]:
    """Wait for a fork: send its signals at their times, kill it when its own time is over."""
    began = time.monotonic()
    handle = os.pidfd_open(pid)
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    signals = [(after, number) for after, number in case["signals"]]
    hung = False
    while True:
        now = time.monotonic() - began
        due = min((after for after, _ in signals), default=case["seconds"])
        if waiting.poll(max(0.0, min(due, case["seconds"]) - now) * 1000):
            break
        now = time.monotonic() - began
        for one in [s for s in signals if s[0] <= now]:
            signals.remove(one)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, one[1])
        if now >= case["seconds"]:
            hung = True
            os.kill(pid, signal.SIGKILL)
            waiting.poll()
            break
    os.close(handle)
    _pid, status, used = os.wait4(pid, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "hung": hung,
        "seconds": time.monotonic() - began,
        "peak": used.ru_maxrss * 1024,
        "left": left_behind(pid),
    }


def left_behind(session: int) -> list[str]:
    """Kill and return the processes that a case started and that did not end with it."""
    end = time.monotonic() + GRACE
    while (found := members(session)) and time.monotonic() < end:
        time.sleep(0.02)
    for pid, _words in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [words for _pid, words in found]


def members(session: int) -> list[tuple[int, str]]:
    found = []
    for place in PROC.iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                state, _parent, _group, its_session = (place / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(its_session) == session and state != "Z":
                    found.append((int(place.name), (place / "cmdline").read_text().replace("\0", " ")[:200]))
    return found


def serve() -> None:
    preload()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    answers.write("ready\n")
    pending = b""
    while True:
        while b"\n" not in pending:
            chunk = os.read(0, 1 << 16)
            if not chunk:
                os._exit(0)
            pending += chunk
        line, _, pending = pending.partition(b"\n")
        case = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.close(answers.fileno())
            os._exit(command(become(case)))
        answers.write(json.dumps(watch(pid, case)) + "\n")


if __name__ == "__main__":
    serve()
