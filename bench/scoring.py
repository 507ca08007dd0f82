"""Scoring captions: what kept vectors save, and whether memory grows with the number of pairs.

    .venv/bin/python bench/scoring.py [--pairs 2000]

Synthetic pairs, `tiny-siglip`. The first scoring embeds every picture and every caption; the second holds other captions
against the same pictures; the third is the first again. Only scoring is timed, not answering or loading. Exits 1 unless the third
takes under a tenth of the first, no picture is embedded twice, and ten times the pairs need at most 40 MB more.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from processes import SNELLEN, environment, measure, say, script

SHARE, GROWTH_MB = 0.1, 40.0


def child(data: Path, captions: Path, runs: Path, limit: int | None) -> dict[str, Any]:
    """Answers from a file, then scoring alone under the clock."""
    from snellen.core.exam import Options
    from snellen.engine import scoring
    from snellen.engine.plan import make_plan
    from snellen.engine.run import carry_out
    from snellen.engine.runfolder import RunFolder

    plan = make_plan("d3", model=f"replay/{captions}", data=data, options=Options(limit=limit))
    scorer: Any = plan.scorers[0]
    run = carry_out(plan._replace(scorers=()), runs).run
    scorer.texts(["warm up"])  # weights are read and threads started before the clock runs
    with RunFolder(run.path) as folder:
        begin = time.perf_counter()
        scored = scoring.score(folder, plan.benchmark, plan.data, scorer, folder.scan())
        took = time.perf_counter() - begin
    return {"scored": scored, "seconds": took, "images": scorer.embedded["images"]}


def other_captions(reference: Path, out: Path) -> Path:
    """The same captions in other words, as another model would give them."""
    said = json.loads(reference.read_text())
    told = {uid: {side: f"In this picture, {text}" for side, text in both.items()} for uid, both in said.items()}
    out.write_text(json.dumps(told))
    return out


def main() -> int:
    """Measure and print."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--pairs", type=int, default=2000)
    command.add_argument("--child", nargs=3, type=Path, help=argparse.SUPPRESS)
    command.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    given = command.parse_args()
    if given.child:
        print(json.dumps(child(*given.child, given.limit)))
        return 0
    with tempfile.TemporaryDirectory(prefix="snellen-scoring-") as name:
        home = Path(name)
        say(f"making {given.pairs} pairs")
        measure([SNELLEN, "data", "make", "d3", "--count", str(given.pairs), "--seed", "3", "--out", str(home / "set")])
        reference = home / "set" / "captions" / "reference.json"
        other = other_captions(reference, home / "other.json")
        rows = []
        for title, captions, cache, limit in (
            ("a tenth of the pairs", reference, "few", given.pairs // 10),
            ("first time", reference, "all", None),
            ("other captions, same pictures", other, "all", None),
            ("first captions again", reference, "all", None),
        ):
            say(title)
            env = environment(SNELLEN_CACHE_DIR=str(home / cache), HF_HUB_OFFLINE="1")
            words = ("--limit", limit) if limit else ()
            spent = script(
                "scoring.py", "--child", home / "set", captions, home / "runs" / str(len(rows)), *words, env=env
            )
            rows.append((title, json.loads(spent.out.splitlines()[-1]), spent.peak_mb))
    first = rows[1][1]["seconds"]
    for title, said, peak in rows:
        print(
            f"{title}: {said['scored']} pairs in {said['seconds']:.2f} s ({said['seconds'] / first:.3f} of the first time), "
            f"{said['images']} pictures embedded, peak {peak:.0f} MB"
        )
    again = rows[3][1]["seconds"] / first
    grown = rows[1][2] - rows[0][2]
    print(
        f"again / first: {again:.3f} (target {SHARE}); memory for ten times the pairs: {grown:+.0f} MB (target {GROWTH_MB:.0f})"
    )
    kept = rows[2][1]["images"] == rows[3][1]["images"] == 0
    return 0 if again < SHARE and grown <= GROWTH_MB and kept else 1


if __name__ == "__main__":
    sys.exit(main())
