"""The viewer on a run of 100,000 samples: first page, pages of samples, memory. Over HTTP, and in a browser where there is one.

python view.py [COUNT]
"""

from __future__ import annotations

import http.cookiejar
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from marking import NOWHERE, PROTOCOLS
from processes import SNELLEN, environment, measure, say, script

REPEATS = 5
CHROMIUM = shutil.which("chromium")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
PAGES = {
    "samples, first page": "/samples",
    "samples, middle page": "/samples?page={middle}",
    "samples, last page": "/samples?page={last}",
    "wrong under 'robust', a middle page": "/samples?protocol=robust&outcome=wrong&page={quarter}",
    "protocols disagree, first page": "/samples?flips=1",
    "longest reply first": "/samples?sort=longest",
    "one part by tag": "/samples?tag.split=O3&page=2",
    "the run's page": "",
    "a sample on the page before": "/sample/3",
}


@contextmanager
def viewer(runs: Path, env: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Run a server in a separate process: its process id, and the link that it printed."""
    process = subprocess.Popen(
        [SNELLEN, "view", str(runs), "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        env=env | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None  # noqa: S101  a pipe was asked for
        yield process.pid, "".join(process.stdout.readline() for _ in range(3)).split("\n")[1].strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def memory(pid: int) -> float:
    """Return a process's peak memory, in MB."""
    return float(re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0]) / 1024


class Client:
    """A client that fetches pages and measures the time."""

    def __init__(self, link: str) -> None:
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies).open
        self.base = link.partition("/?")[0]
        self.seconds(link)

    def get(self, address: str) -> bytes:
        found: bytes = self._open(address, timeout=60).read()
        return found

    def seconds(self, address: str) -> float:
        begin = time.perf_counter()
        self.get(address)
        return time.perf_counter() - begin


def best(work: Callable[[], float]) -> tuple[float, float]:
    """Return the median and the longest of a few."""
    found = sorted(work() for _ in range(REPEATS))
    return found[REPEATS // 2], found[-1]


def over_http(link: str, count: int) -> tuple[list[tuple[str, float, float]], str]:
    """Measure the first page cold, then each page several times."""
    client = Client(link)
    key = re.findall(rb"/run/(\w+)", client.get(f"{client.base}/"))[0].decode()
    here = f"{client.base}/run/{key}"
    cold = client.seconds(here)
    rows = [("the run's page, for the first time", cold, cold)]
    pages = -(-count // 50)
    numbers = {"middle": pages // 2, "last": pages, "quarter": pages // 4}
    for name, end in PAGES.items():
        address = here + end.format(**numbers)
        client.get(address)
        if name.startswith("a sample"):
            time.sleep(5)  # the data set is opened meanwhile, as for a user who looks at the list first
        rows.append((name, *best(lambda address=address: client.seconds(address))))  # type: ignore[misc]
    took = client.seconds(f"{here}/samples?q=pop+out+at")
    rows.append(("a search through all replies", took, took))
    rows.append(("its next page", *best(lambda: client.seconds(f"{here}/samples?q=pop+out+at&page=2"))))
    return rows, key


def in_a_browser(link: str, key: str) -> list[tuple[str, float, float]]:
    """Measure until the page is loaded with its style and script; pictures load later."""
    from playwright.sync_api import sync_playwright

    ended = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1000"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = browser.new_page()
        page.goto(link)
        base = link.partition("/?")[0]

        def loaded(target: str) -> float:
            page.goto(f"{base}/run/{key}{target}", wait_until="domcontentloaded")
            page.wait_for_function("() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd > 0")
            return float(page.evaluate(ended))

        rows = [
            (f"in Chromium: {name}", *best(lambda target=target: loaded(target)))  # type: ignore[misc]
            for name, target in (
                ("the run's page", ""),
                ("samples, first page", "/samples"),
                ("samples, page 1000", "/samples?page=1000"),
            )
        ]
        browser.close()
    return rows


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        say(f"making a run of {count:,} stored replies")
        env = environment(SNELLEN_CACHE_DIR=str(work / "cache")) | {
            k: v for k, v in os.environ.items() if k == "PYTHONPATH"
        }
        script("marking.py", work / "data", work / "runs", count)
        run: list[Any] = [
            SNELLEN,
            "run",
            "salbench",
            "--data",
            work / "data",
            "--model",
            "api/bench",
            "--base-url",
            NOWHERE,
        ]
        measure([*map(str, run), "--out", str(work / "runs"), "--protocol", PROTOCOLS], env)
        say("looking at it")
        with viewer(work / "runs", env) as (pid, link):
            rows, key = over_http(link, count)
            if CHROMIUM is not None:
                rows += in_a_browser(link, key)
            peak = memory(pid)
    print(f"{count:,} samples, four protocols: median and longest of {REPEATS}, in seconds")
    for name, median, longest in rows:
        print(f"{name:52} {median:6.3f} {longest:6.3f}")
    print(f"{'peak memory of the server, MB':52} {peak:6.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
