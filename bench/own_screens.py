"""From `data init` to a report with ten screenshots of one's own: three commands, timed. The pages are somebody else's.

PYTHONPATH=. python bench/own_screens.py FOLDER_OF_HTML... [--count 10] [--scale 1] [--model method/ocr] [--out DIR]

The folders hold HTML that others wrote, such as the manuals that come with a system's packages. What a user would do by hand between
the first and the second command (their own screenshots and rows in place of the example) is done here by the browser.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path

from tests.support.command import snellen
from tests.support.rendered import pages, shoot

from view import ARGUMENTS, CHROMIUM


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--model", default="method/ocr")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    out = given.out or Path(tempfile.mkdtemp(prefix="own-screens-"))
    mine = out / "mine"
    spent = command("data", "init", "grounding", "--out", mine, out=out)
    targets = fill(mine, given.folders, given.count, given.scale)
    print(f"{given.count} screenshots, {targets} targets, in {mine}")
    spent += command("run", "grounding", "--data", mine, "--model", given.model, "--out", out / "runs", out=out)
    [run] = (out / "runs").glob("grounding_*")
    spent += command("report", run, "--out", out / "report.html", out=out)
    print(f"three commands: {spent:.1f} s; report: {out / 'report.html'}")
    return 0 if spent < 120 else 1


def command(*words: object, out: Path) -> float:
    """Run a command as a user does, print its output, and return its seconds."""
    began = time.monotonic()
    done = snellen(*words, cache=out / "cache")
    took = time.monotonic() - began
    print(f"$ snellen {' '.join(map(str, words))}   [{took:.1f} s]\n{done.stdout.rstrip()}\n")
    if done.returncode:
        sys.exit(done.stderr)
    return took


def fill(mine: Path, folders: list[Path], count: int, scale: float) -> int:
    """Replace the example's pictures and rows with own ones; return the number of rows."""
    rows = []
    shots = 0
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for page in pages(folders, count):
            name = re.sub(r"\W+", "-", f"{page.parent.name}-{page.stem}").strip("-")
            found = shoot(browser, page, mine / f"{name}.png", scale)
            rows += found
            shots += bool(found)
            if not found:
                (mine / f"{name}.png").unlink()
            if shots == count:
                break
        browser.close()
    (mine / "example.png").unlink()
    comments = [line for line in (mine / "boxes.jsonl").read_text().splitlines() if line.startswith("#")]
    (mine / "boxes.jsonl").write_text("\n".join([*comments, *map(json.dumps, rows)]) + "\n")
    return len(rows)


if __name__ == "__main__":
    sys.exit(main())
