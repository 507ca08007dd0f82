"""Fetch the pages of `snellen view`: the list of runs, and the page of each run."""

from __future__ import annotations

import http.cookiejar
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

LINK = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
RUN = re.compile(r'href="(/run/\w+)"')
LONGEST = 120.0


def pages(runs: Path) -> Iterator[tuple[str, str]]:
    """Yield the address and text of each page of the viewer; the list of runs has the address /."""
    command = [sys.executable, "-P", "-m", "snellen", "view", str(runs), "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None  # noqa: S101  a pipe was asked for
        link = next(found[0] for line in server.stdout if (found := LINK.search(line)))
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        opened = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies).open
        first, before = opened(link, timeout=LONGEST).read().decode(), ""
        until = time.monotonic() + LONGEST
        while first != before:  # the viewer goes on reading runs while it shows those that it has read
            if time.monotonic() > until:
                raise TimeoutError("the viewer's list of runs is never the same")
            first, before = opened(urljoin(link, "/"), timeout=LONGEST).read().decode(), first
        yield "/", first
        for address in dict.fromkeys(RUN.findall(first)):
            yield address, opened(urljoin(link, address), timeout=LONGEST).read().decode()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
