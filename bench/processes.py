"""Child processes, measured: wall and processor time, and peak memory. Also virtual environments that are made on demand.

The measuring process itself stays small: on Linux a child's peak memory is never shown below its parent's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SNELLEN = str(Path(sys.executable).with_name("snellen"))
LONGEST = 1200.0
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_UNWANTED = ("EVAL_", "SNELLEN_", "INSPECT_", *_PROXIES)


class ChildError(Exception):
    """A child failed; the message holds the end of its output."""


class Spent(NamedTuple):
    """The cost of a child process."""

    wall: float
    cpu: float
    peak_mb: float
    out: str
    err: str


def say(text: str) -> None:
    """Print a progress line."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a measured process: no proxies, and none of the user's settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_UNWANTED) and not k.endswith("_API_KEY")}
    return kept | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"} | more


def checkout(source: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment that run Snellen from a checkout, with the libraries of this interpreter."""
    if not (source / "src" / "snellen").is_dir():
        raise ChildError(f"{source} is not a checkout of Snellen")
    return [sys.executable, "-P", "-m", "snellen"], environment(PYTHONPATH=str(source.resolve() / "src"))


def one_core() -> tuple[str, ...]:
    """Return a command prefix that keeps a child on one core, where the machine supports it."""
    taskset = shutil.which("taskset")
    if taskset is None or not hasattr(os, "sched_getaffinity"):
        return ()
    return (taskset, "-c", str(max(os.sched_getaffinity(0))))


def measure(command: Sequence[str], env: Mapping[str, str] | None = None) -> Spent:
    """Run a command to its end; raises ChildError for a bad exit code."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        child = subprocess.Popen(
            command, env=dict(env or environment()), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        timer = threading.Timer(LONGEST, child.kill)
        timer.start()
        try:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        finally:
            timer.cancel()
            if child.returncode is None:
                child.kill()
                child.wait()
        wall = time.perf_counter() - begin
        out.seek(0)
        err.seek(0)
        said = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if child.returncode != 0:
        ends = f"{said[0][-1500:]}\n{said[1][-3000:]}"
        raise ChildError(f"{' '.join(command[:4])} ... ended with {child.returncode}:\n{ends}")
    peak = used.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    return Spent(wall, used.ru_utime + used.ru_stime, peak, *said)


def script(name: str, *arguments: object, python: str = sys.executable, env: Mapping[str, str] | None = None) -> Spent:
    """Run a script of this folder."""
    return measure([python, str(HERE / name), *map(str, arguments)], env)


def own_environment(folder: Path, requirements: Path) -> str:
    """Return the Python of a virtual environment with the packages of a file of `name==version` lines; make it if missing."""
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    wanted = requirements.read_text()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return str(python)
    say(f"installing {', '.join(wanted.split())} into {folder.name}")
    measure([sys.executable, "-m", "venv", "--clear", str(folder)])
    measure([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(requirements)], dict(os.environ))
    stamp.write_text(wanted)
    return str(python)
