"""How long an eye exam takes: all eight faculties, 40 questions each, at an endpoint on this machine that takes 0.2 s to answer.

    PYTHONPATH=. python bench/exam.py [--delay 0.2] [--concurrency 16] [--times 3]

The endpoint sees with known thresholds (tests/support/observer.py). The minimum time for this number of answers at this concurrency
is printed beside the whole command. The rest is drawing, choosing, marking, the page, and waiting for the answers that decide the next
question.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.endpoint import Endpoint
from tests.support.observer import Observer

LIMIT = 15.0


def examined(delay: float, concurrency: int) -> tuple[float, int, int]:
    """Return the seconds of one exam by the installed command, the number of questions, and the most in flight at once."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "runs"
        with Endpoint(delay=delay, script=Observer(out).script) as endpoint:
            words = [
                "exam",
                "--model",
                "api/eye",
                "--base-url",
                endpoint.url,
                "--out",
                str(out),
                "--no-store",
                "--json",
            ]
            command = [str(Path(sys.executable).with_name("snellen")), *words, "--concurrency", str(concurrency)]
            begin = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            seconds = time.perf_counter() - begin
            if done.returncode:
                raise SystemExit(done.stderr)
            json.loads(done.stdout)
            return seconds, len(endpoint.requests), endpoint.most_at_once


def main() -> int:
    """Print each time; exit 1 where the median is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    found = []
    for _ in range(given.times):
        seconds, questions, most = examined(given.delay, given.concurrency)
        least = questions * given.delay / given.concurrency
        print(
            f"{seconds:5.1f} s for {questions} questions, {most} in flight at most; {least:.1f} s at the least",
            flush=True,
        )
        found.append(seconds)
    return 1 if sorted(found)[len(found) // 2] > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
