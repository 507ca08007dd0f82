"""A killed `data make` leaves no worker processes behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROC = Path("/proc")
WAIT = 30.0
NAPS = """
import time

def nap(seconds: float) -> None:
    time.sleep(seconds)
"""
WORK = """
from naps import nap
from snellen.synthetic.pool import in_order
for _ in in_order(nap, [0.02] * 100_000, workers=3):
    print("made", flush=True)
"""


def parent_of(pid: int) -> tuple[int, str] | None:
    """The parent and the state of a process; None where there is none."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), fields[0]


def children(pid: int) -> list[int]:
    every = (int(p.name) for p in PROC.iterdir() if p.name.isdigit())
    return [child for child in every if (found := parent_of(child)) is not None and found[0] == pid]


def alive(pid: int) -> bool:
    found = parent_of(pid)
    return found is not None and found[1] != "Z"


@pytest.mark.skipif(not PROC.is_dir(), reason="needs /proc to see processes")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(WORK)
    (tmp_path / "naps.py").write_text(NAPS)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=dict(os.environ))
    assert parent.stdout is not None
    parent.stdout.readline()
    started = children(parent.pid)
    assert len(started) >= 3
    parent.send_signal(how)
    parent.wait(WAIT)
    parent.stdout.close()
    end = time.monotonic() + WAIT
    while (left := [pid for pid in started if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []
