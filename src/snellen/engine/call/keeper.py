"""A process beside a server that we started: it ends the server when we are gone without a word, as by `kill -9`.

It holds the other end of a pipe that nobody writes to. When that closes, whoever started it has ended, in whichever way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from snellen.core.secret import without_keys

GRACE = 20.0
"""Seconds that the server gets to end by itself."""
LOOK = 0.2


def watched(group: int) -> subprocess.Popen[bytes] | None:
    """Start it for a group of processes; None where that cannot be. To be killed when the group has ended."""
    if os.name != "posix":
        return None
    with contextlib.suppress(OSError):  # without it, all is as before
        return subprocess.Popen(  # noqa: S603 (this very module, by this very interpreter)
            [sys.executable, "-P", "-m", "snellen.engine.call.keeper", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=without_keys(os.environ),
            start_new_session=True,
        )
    return None


def main() -> None:
    """Wait for the end of whoever started this, then end the group."""
    group = int(sys.argv[1])
    sys.stdin.buffer.read()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGTERM)
        until = time.monotonic() + GRACE
        while time.monotonic() < until:
            os.killpg(group, 0)  # an error as soon as nobody is left
            time.sleep(LOOK)
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
