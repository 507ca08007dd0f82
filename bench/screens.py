"""Making screenshots: Snellen's two generators beside the original's (openadapt-grounding), one core each, in one run.

    .venv/bin/python bench/screens.py [--count 100] [--repeats 3] [--json FILE]

Every side writes a whole set (PNG files and annotations.json) at 1920x1080 in a process of its own that is kept on one core;
imports are not counted, font and icon caches start empty. Repeats are interleaved and the best of each side counts.
`compatible` makes the original's very elements, so its screenshots hold the same number; `layouts` draws from the same ranges
for the same mix of difficulties, and many things more that are no targets. Exits 1 if a side misses 3 times the original's rate.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from processes import HERE, ChildError, measure, one_core, own_environment, say

TARGET = 3.0
SIZE = (1920, 1080)
SEED = 42
ORIGINAL = "openadapt_grounding.eval.dataset.synthetic"
SIDES = ("original", "compatible", "layouts")


def generate(side: str, out: Path, count: int) -> None:
    """Make a set with one side's generator."""
    if side == "original":
        import_module(ORIGINAL).SyntheticGenerator(*SIZE, seed=SEED).generate_dataset(out, num_samples=count)
        return
    from snellen.synthetic.screens.make import make

    make(
        out,
        count=count,
        seed=SEED,
        workers=1,
        style="layouts" if side == "layouts" else "original",
        screen=SIZE if side == "layouts" else None,
    )


def child(side: str, out: Path, count: int) -> dict[str, Any]:
    """Make a set and report its cost, in a separate process."""
    import PIL

    import_module(ORIGINAL if side == "original" else "snellen.synthetic.screens.make")
    begin, used = time.perf_counter(), time.process_time()
    generate(side, out, count)
    wall, cpu = time.perf_counter() - begin, time.process_time() - used
    samples = json.loads((out / "annotations.json").read_text())["samples"]
    files = [out / s["image_path"] for s in samples]
    return {
        "wall": wall,
        "cpu": cpu,
        "screens": len(samples),
        "elements": sum(len(s["elements"]) for s in samples),
        "bytes": sum(f.stat().st_size for f in files) / len(files),
        "sizes": sorted({(s["width"], s["height"]) for s in samples}),
        "pillow": PIL.__version__,
    }


def run(count: int, repeats: int) -> dict[str, list[dict[str, Any]]]:
    """Measure all sides, interleaved."""
    other = own_environment(HERE / ".venv-openadapt", HERE / "openadapt-requirements.txt")
    found: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory(prefix="snellen-screens-") as work:
        for number in range(repeats):
            for side in SIDES:
                python = other if side == "original" else sys.executable
                out = Path(work) / f"{side}{number}"
                command = [
                    *one_core(),
                    python,
                    str(HERE / "screens.py"),
                    "--child",
                    side,
                    str(out),
                    "--count",
                    str(count),
                ]
                found[side].append(json.loads(measure(command).out.splitlines()[-1]))
                shutil.rmtree(out)
                say(f"{side}: {found[side][-1]['cpu'] / found[side][-1]['screens'] * 1000:.1f} ms a screenshot")
    return found


def show(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Print the table; return the sides that miss the target."""
    best = {side: min(runs, key=lambda r: float(r["cpu"])) for side, runs in found.items()}
    slow = best["original"]["cpu"] / best["original"]["screens"]
    version = ".".join(platform.python_version_tuple()[:2])
    print(f"screenshots at {SIZE[0]}x{SIZE[1]}, one core each, Python {version}, best of {len(found['original'])}")
    print(
        f"{'generator':<13}{'screens':>8}{'elements':>10}{'ms each':>9}{'a second':>10}{'KB a PNG':>10}{'ratio':>8}  target"
    )
    missed = []
    for side, result in best.items():
        each = result["cpu"] / result["screens"]
        ratio = slow / each
        goal = ""
        if side != "original":
            goal = f">= {TARGET:g}  {'ok' if ratio >= TARGET else 'MISSED'}"
            missed += [side] if ratio < TARGET else []
        print(
            f"{side:<13}{result['screens']:>8}{result['elements'] / result['screens']:>10.1f}{each * 1000:>9.1f}"
            f"{1 / each:>10.1f}{result['bytes'] / 1000:>10.1f}{ratio:>8.2f}  {goal}"
        )
    print(
        f"elements: targets a screenshot; Pillow {best['original']['pillow']} (original), {best['layouts']['pillow']} (Snellen)"
    )
    return missed


def main() -> int:
    """Run the whole measurement, or one side of it."""
    parser = argparse.ArgumentParser(description="Screenshots a second: Snellen's generators beside the original's.")
    parser.add_argument("--count", type=int, default=100, help="screenshots of each set (default 100)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each side runs (default 3)")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--child", nargs=2, metavar=("SIDE", "DIR"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(given.child[0], Path(given.child[1]), given.count)))
        return 0
    try:
        found = run(given.count, given.repeats)
    except ChildError as error:
        say(str(error))
        return 2
    missed = show(found)
    if given.json:
        Path(given.json).write_text(json.dumps(found, indent=2) + "\n")
    if missed:
        say(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
