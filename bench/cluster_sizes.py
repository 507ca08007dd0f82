"""How large answers are and how long they take to merge and mark, measured with the installed command on a small run.

A local endpoint (endpoint.py) answers; two parts are asked (`--shard`), merged and marked again under four protocols, on one core, at two
sizes: what an answer costs is the difference, so start-up does not count. (Peak memory of whole commands is not looked at here.)
"""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from endpoint import Endpoint
from processes import SNELLEN, environment, measure, one_core, say

PROTOCOLS = ("paper", "lmms-eval", "plan-v2", "robust")


class Measured(NamedTuple):
    """One size of run."""

    answers: int
    bytes: dict[str, int]
    """By file of the run folder, and `store` for the SQLite file."""
    packed: float
    """Size of answers.jsonl under gzip beside its own."""
    seconds: dict[str, float]
    """Processor time by step."""
    places: int
    """Bytes of memory for the places of all answers, which resuming and marking hold."""


def measured(work: Path, count: int) -> Measured:
    """A run of so many answers in two parts, merged and marked again."""
    import material

    data, out, cache = work / f"data{count}", work / f"runs{count}", work / f"cache{count}"
    material.write_shard(data / "P3" / "shard.parquet", 0, count, side=2)
    env = environment(SNELLEN_CACHE_DIR=str(cache))
    seconds: dict[str, float] = {}
    with Endpoint() as endpoint:
        endpoint.reset(256, 0.001)
        run = [SNELLEN, "run", "salbench", "--data", str(data), "--model", "api/bench", "--out", str(out)]
        run += ["--base-url", endpoint.url, "--protocol", ",".join(PROTOCOLS)]
        for part in (1, 2):
            say(f"asking part {part} of 2 of {count:,}")
            seconds["ask"] = seconds.get("ask", 0.0) + measure([*run, "--shard", f"{part}/2"], env).cpu
    parts = sorted(str(folder) for folder in out.iterdir() if folder.is_dir())
    merged = measure([*one_core(), SNELLEN, "merge", *parts, "--out", str(work / f"whole{count}")], env)
    whole = next(iter((work / f"whole{count}").iterdir()))
    marked = measure([*one_core(), SNELLEN, "remark", str(whole), "--protocol", ",".join(PROTOCOLS)], env)
    seconds |= {"merge": merged.cpu, "mark": marked.cpu, "open a part": min(_opened(data) for _ in range(3))}
    sizes = {p.relative_to(whole).as_posix(): p.stat().st_size for p in sorted(whole.rglob("*.jsonl"))}
    sizes["store"] = sum(p.stat().st_size for p in cache.glob("answers.sqlite*"))
    answers = (whole / "answers.jsonl").read_bytes()
    return Measured(count, sizes, len(gzip.compress(answers, 6)) / len(answers), seconds, _places(whole))


def _opened(data: Path) -> float:
    """Processor time until one part of a hundred knows its samples: it looks at those of all parts."""
    from snellen import exams
    from snellen.core.dataset import Shard, part_of
    from snellen.core.options import Selection

    begin = time.process_time()
    part_of(exams.load("salbench").open(data, Selection()), Shard(1, 100))
    return time.process_time() - begin


def _places(run: Path) -> int:
    import tracemalloc

    from snellen.engine.runs.folder import RunFolder

    tracemalloc.start()
    scan = RunFolder(run).scan()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held if scan.answered else 0


def an_answer(few: Measured, many: Measured) -> dict[str, Any]:
    """What one more answer costs."""
    more = many.answers - few.answers

    def slope(a: dict[str, Any], b: dict[str, Any]) -> dict[str, float]:
        return {name: (b[name] - a[name]) / more for name in b}

    return {
        "bytes": slope(few.bytes, many.bytes),
        "packed": many.packed,
        "seconds": slope(few.seconds, many.seconds),
        "places": (many.places - few.places) / more,
    }


if __name__ == "__main__":
    import sys
    import tempfile

    sizes = [int(word) for word in sys.argv[1:]] or [2_000, 10_000]
    with tempfile.TemporaryDirectory() as folder:
        found = [measured(Path(folder), count) for count in sizes]
    print(json.dumps(an_answer(found[0], found[-1]), indent=1))
