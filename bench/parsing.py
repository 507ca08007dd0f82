"""Parsing screenshots: how often a parser is called, and what the embedded one takes.

    .venv/bin/python bench/parsing.py [--screens 8]

1. The seed's 100 screenshots with their 1,922 elements through the method `omniparser` against a local server that counts: as many
   parses as screenshots, not as elements.
2. The embedded parser on `layouts` screenshots at 1920x1080, processor time on one core. Exits 1 if the count is wrong, or if the mean
   is over 3 s; single screenshots full of text may take longer, and the table shows the slowest.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TARGET = 3.0


def calls(folder: Path) -> tuple[int, int, int]:
    """Return the numbers of screenshots, elements, and parse requests to a server."""
    from tests.support.omniparser import OmniParserServer, text_item

    from snellen import evaluate
    from snellen.synthetic.screens.make import make

    make(folder / "set", count=100, seed=42, style="original")
    samples = json.loads((folder / "set" / "annotations.json").read_text())["samples"]
    os.environ["SNELLEN_CACHE_DIR"] = str(folder / "cache")
    with OmniParserServer(lambda _image: [text_item((0.1, 0.1, 0.2, 0.2), "File")]) as server:
        os.environ["EVAL_OMNIPARSER_URL"] = server.url
        evaluate("grounding", method="omniparser", data=folder / "set", out=folder / "runs")
        return len(samples), sum(len(s["elements"]) for s in samples), len(server.parsed)


def embedded(folder: Path, screens: int) -> list[tuple[float, int]]:
    """Return processor seconds and number of detections for each screenshot."""
    from snellen.methods.ocr import OcrParser
    from snellen.synthetic.screens.make import make

    make(folder / "screens", count=screens, seed=42, screen=(1920, 1080))
    parser = OcrParser()
    found = []
    for path in sorted((folder / "screens" / "images").glob("*.png")):
        data = path.read_bytes()
        begin = time.process_time()
        parse: Any = parser.parse(data)
        found.append((time.process_time() - begin, len(parse.detections)))
    return found


def main() -> int:
    """Measure both and print them."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--screens", type=int, default=8)
    given = command.parse_args()
    with tempfile.TemporaryDirectory(prefix="snellen-parsing-") as name:
        screens, elements, parses = calls(Path(name))
        times = embedded(Path(name), given.screens)
    mean = sum(t for t, _n in times) / len(times)
    print(f"{elements} elements on {screens} screenshots: {parses} parses (target {screens})")
    print(
        f"ocr at 1920x1080, processor time on one core: mean {mean:.2f} s, slowest {max(times)[0]:.2f} s "
        f"over {len(times)} screenshots with {sum(n for _t, n in times)} detections (target: mean under {TARGET:.0f} s)"
    )
    return 0 if parses == screens and mean < TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
