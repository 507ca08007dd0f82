"""The report page over runs of every exam: how large it is, how long it takes to write, and how soon a browser has opened it.

python bench/report.py DIR [--samples N] [--loads N]     DIR holds runs of every exam, such as `snellen demo --out DIR` makes

Exits 1 if the page is larger than 5 MB or the best of the loads takes a second or more, 2 if there is no browser. The browser is asked
for the processor time of the page's own thread as well, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from snellen.engine.runs.listing import listing
from snellen.engine.runs.run import open_run
from snellen.present.page.report import BUDGET, write_report

CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu")
TIMES = "(() => {const n = performance.getEntriesByType('navigation')[0]; return [n.domContentLoadedEventEnd, n.loadEventEnd]})()"
HEIGHT = "document.documentElement.scrollHeight"
MOST_SECONDS = 1.0


def loads(page: Path, count: int) -> list[dict[str, float]]:
    """Measure opening the page, each time in a new browser context."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for _ in range(count):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            asked: Any = tab.context.new_cdp_session(tab)
            asked.send("Performance.enable", {"timeDomain": "threadTicks"})
            tab.goto(page.resolve().as_uri())
            parsed, loaded = tab.evaluate(TIMES)
            counters = {m["name"]: m["value"] for m in asked.send("Performance.getMetrics")["metrics"]}
            found.append(
                {
                    "parsed": parsed / 1000,
                    "loaded": loaded / 1000,
                    "thread": counters["TaskDuration"],
                    "nodes": counters["Nodes"],
                    "height": tab.evaluate(HEIGHT),
                }
            )
            tab.close()
        browser.close()
    return found


def main() -> int:
    """Write the page and open it."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("runs", type=Path)
    asked.add_argument("--samples", type=int, default=None, help="samples of each run (default: as the command has it)")
    asked.add_argument("--loads", type=int, default=5)
    given = asked.parse_args()
    runs = [open_run(one.path) for one in listing(given.runs).runs]
    exams = sorted({run.manifest.exam for run in runs})
    print(f"{len(runs)} runs of {len(exams)} exams: {', '.join(exams)}")
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "report.html"
        wall, own = time.perf_counter(), time.process_time()
        write_report(runs, page, given.samples)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        size = page.stat().st_size
        shown = page.read_text("utf-8").count('<article class="item ')
        print(f"written in {wall:.1f} s ({own:.1f} s of processor time): {size / 1e6:.2f} MB, {shown} samples")
        try:
            found = loads(page, given.loads)
        except Exception as error:  # playwright has many errors for a missing browser
            print(f"not opened: {error}", file=sys.stderr)
            return 2
    best = min(found, key=lambda one: one["loaded"])
    least = min(one["thread"] for one in found)
    print(
        f"opened, best of {len(found)}: parsed after {best['parsed']:.2f} s, loaded after {best['loaded']:.2f} s; "
        f"{least:.2f} s of the page's thread; {best['nodes']:.0f} nodes, {best['height']:.0f} px high"
    )
    return int(size > BUDGET or best["loaded"] >= MOST_SECONDS)


if __name__ == "__main__":
    raise SystemExit(main())
