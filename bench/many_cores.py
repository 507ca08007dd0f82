"""How far `data make` and OCR go with many cores, on a machine that has few.

    .venv/bin/python bench/many_cores.py [--processes 64] [--seconds 20] [--screens 4] [NAME...]

1. Two processes beside one, in one run, interleaved: the ratio of their rates (NAME: grounding, d3, vqax, vcr).
2. 64 processes that wait as long as drawing takes instead of drawing (waiting.py). All else is real: the processes, what passes between
   them, and what the one core that gathers has to do. They note when they were at it: that says how many
   of the 64 are kept busy in the middle of the time; exits 1 where that is less than 0.9 of them.
3. The same for the method `ocr` (NAME: ocr), with a real parse given back after the time that a parse takes. The run reads the set, cuts,
   chooses among what was parsed, and keeps the answers.

What this cannot show: memory bandwidth, and a disk that all of them write to.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from waiting import PARSE, SECONDS, Recorder, kept_busy, parse_picture

HERE = Path(__file__).resolve().parent
MAKERS: dict[
    str, tuple[str, dict[str, Any], int]
] = {  # where `_written` is, what `make` is told, records for a count of one
    "grounding": ("snellen.synthetic.screens.make", {}, 1),
    "d3": ("snellen.synthetic.pairs.folder", {"of": "snellen.synthetic.pairs.make"}, 1),
    "vqax": ("snellen.synthetic.explained.make", {"task": "vqax"}, 4),
    "vcr": ("snellen.synthetic.explained.make", {"task": "vcr"}, 4),
}
ENOUGH = 0.9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*MAKERS, "ocr"], metavar="NAME")
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the waiting processes are at it")
    parser.add_argument("--screens", type=int, default=4, help="screenshots that are really parsed")
    given = parser.parse_args()
    busy = []
    for name in given.names:
        with tempfile.TemporaryDirectory() as folder:
            if name == "ocr":
                busy.append(parsing(Path(folder), given.processes, given.seconds, given.screens))
            else:
                busy.append(making(name, Path(folder), given.processes, given.seconds))
    return 0 if min(busy) >= ENOUGH * given.processes else 1


def making(name: str, folder: Path, processes: int, seconds: float) -> float:
    """Measure a maker in both ways; return how many processes are kept busy."""
    where, told, records = MAKERS[name]
    more = {key: value for key, value in told.items() if key != "of"}
    make: Callable[..., Any] = partial(import_module(told.get("of", where)).make, seed=3, **more)
    module: Any = import_module(where)
    real = module._written
    with patch.object(module, "_written", recorder := Recorder(real)):
        make(out=folder / "recorded", count=50, workers=1)
    each = recorder.seconds / recorder.images
    count = max(50, round(16 / each / records / 50) * 50)  # some sixteen seconds of one core
    ratios = []
    for turn in range(3):
        took = {}
        for workers in (1, 2) if turn % 2 else (2, 1):
            began = time.monotonic()
            make(out=folder / f"{turn}-{workers}", count=count, workers=workers)
            took[workers] = time.monotonic() - began
        ratios.append(took[1] / took[2])
    waiting = recorder.keep(folder / "results.json")
    many = max(50, round(seconds * processes / each / records / 50) * 50)
    before, began = time.process_time(), time.monotonic()
    with patch.object(module, "_written", waiting):
        make(out=folder / "waiting", count=many, workers=processes)
    alone, spent = (time.process_time() - before) / many / records, time.monotonic() - began
    busy = kept_busy(folder / "results.log").processes
    said = ", ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
    print(
        f"{name}: {1000 * each:.1f} ms a record; two processes {said} times as fast as one ({count * records} records); "
        f"{processes} that wait: {busy:.1f} kept busy ({many * records} records, {spent:.0f} s; the one that "
        f"gathers takes {1e6 * alone:.0f} us a record)",
        flush=True,
    )
    return busy


def parsing(folder: Path, processes: int, seconds: float, screens: int) -> float:
    """Measure the method `ocr` with waiting parsers; return how many are kept busy."""
    from snellen.methods import ocr
    from snellen.synthetic.screens.make import make

    make(out=folder / "few", count=screens, seed=3, screen=(1920, 1080))
    parser, took, parse = ocr.OcrParser(), 0.0, None
    for path in sorted((folder / "few" / "images").glob("*.png")):
        began = time.process_time()
        parse = parser.parse(path.read_bytes())
        took += (time.process_time() - began) / screens
    (folder / "parse.json").write_bytes(msgspec.json.encode(parse))
    os.environ |= {PARSE: str(folder / "parse.json"), SECONDS: str(took), "PYTHONPATH": str(HERE)}
    os.environ["SNELLEN_CACHE_DIR"] = str(folder / "cache")
    make(out=folder / "some", count=4 * screens, seed=5, screen=(1920, 1080))
    alone, both = (asked(folder / "some", folder / f"runs{n}", n, ocr.parse_picture) for n in (1, 2))
    many = round(seconds * processes / took)
    make(out=folder / "many", count=many, seed=4, screen=(1920, 1080))
    spent = asked(folder / "many", folder / "runs", processes, parse_picture)
    busy = kept_busy(folder / "parse.log")
    [answers] = (folder / "runs").glob("*/answers.jsonl")
    questions = sum(1 for _ in answers.open())
    print(
        f"ocr: {took:.2f} s a screenshot; two processes {alone / both:.2f} times as fast as one ({4 * screens} screenshots, the whole "
        f"command); {processes} that wait: {busy.processes:.1f} kept busy ({many} screenshots, {questions} questions; the command took "
        f"{spent:.0f} s, {busy.seconds:.0f} of them from the first parse to the last; the rest is starting, reading and marking)",
        flush=True,
    )
    return busy.processes


def asked(data: Path, out: Path, processes: int, parser: Callable[..., Any]) -> float:
    """Return the seconds of a run by the method `ocr` on this many cores."""
    from snellen import evaluate

    began = time.monotonic()
    with (
        patch("snellen.workers.processes.cores", lambda: processes),
        patch("snellen.methods.subject.cores", lambda: processes),
        patch("snellen.methods.subject.parse_picture", parser),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # the waiting ones give a parse of another screenshot: most answers are wrong
        evaluate("grounding", method="ocr", data=data, out=out)
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
