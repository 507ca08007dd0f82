"""Scoring captions: what kept vectors save, and whether memory grows with the number of pairs.

    .venv/bin/python bench/scoring.py [--pairs 2000]

Synthetic pairs. The first scoring embeds every picture and every caption; the second holds other captions against the same
pictures; the third is the first again. Only scoring is timed, not answering or loading. Twice: with `tiny-siglip` on all pairs,
and on a few pairs with a SigLIP of random weights that has the widths, picture size and caption length of the default scorer
(so400m, patch 14, 384) but one layer in 27 of each tower: its towers cost as those of the real one do, one to the other.
tiny-siglip's pictures have about as many patches as its captions have tokens, so other captions cost it a quarter of the first time.

Exits 1 unless no picture is embedded twice, the third scoring takes under a tenth of the first, so does the second with the large
widths, and ten times the pairs need at most 40 MB more.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from processes import SNELLEN, environment, measure, say, script

SHARE, GROWTH_MB = 0.1, 40.0
FEW_PAIRS = 32


class Row(NamedTuple):
    """One scoring, measured."""

    title: str
    scored: int
    seconds: float
    images: int
    peak_mb: float


def child(data: Path, captions: Path, runs: Path, scorer: str, limit: int | None) -> dict[str, Any]:
    """Answer from a file, then measure scoring alone."""
    from snellen.core.options import Selection
    from snellen.engine.mark import scoring
    from snellen.engine.plan.plan import make_plan
    from snellen.engine.plan.request import RunRequest
    from snellen.engine.run import run_plan
    from snellen.engine.runs.folder import RunFolder

    selection, options = Selection(limit=limit), {"scorers": (scorer,)}
    plan = make_plan(RunRequest("d3", f"replay/{captions}", data, selection=selection, options=options, out=runs))
    kept: Any = plan.scorers[0]
    run = run_plan(plan._replace(scorers=())).run
    kept.texts([f"warm up {runs} {i}" for i in range(32)])  # new words, so that weights are read before the clock runs
    with RunFolder(run.path) as folder:
        begin = time.perf_counter()
        scored = scoring.score(folder, plan.exam, plan.data, kept, folder.scan())
        took = time.perf_counter() - begin
    return {"scored": scored, "seconds": took, "images": kept.embedded["images"]}


def save_wide(folder: Path) -> None:
    """Save a SigLIP with the default scorer's widths and one layer in each tower, with random weights and tiny-siglip's words."""
    import torch
    import transformers

    from snellen.subjects.local.source import packaged

    torch.manual_seed(0)
    words = transformers.AutoTokenizer.from_pretrained(packaged("tiny-siglip"))
    tower = {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 1, "num_attention_heads": 16}
    config = transformers.SiglipConfig(
        text_config=tower | {"vocab_size": len(words), "max_position_embeddings": 64, "projection_size": 1152},
        vision_config=tower | {"image_size": 384, "patch_size": 14},
    )
    transformers.SiglipModel(config).save_pretrained(folder)
    images = transformers.SiglipImageProcessorPil(size={"height": 384, "width": 384})
    words.model_max_length = 64
    transformers.SiglipProcessor(images, words).save_pretrained(folder)


def other_captions(reference: Path, out: Path) -> Path:
    """Write the same captions in other words, as another model would."""
    said = json.loads(reference.read_text())
    told = {uid: {side: f"In this picture, {text}" for side, text in both.items()} for uid, both in said.items()}
    out.write_text(json.dumps(told))
    return out


def scored(home: Path, title: str, captions: str, scorer: str, cache: str, limit: int | None) -> Row:
    """Run and measure one child's scoring."""
    say(title)
    env = environment(SNELLEN_CACHE_DIR=str(home / cache), HF_HUB_OFFLINE="1")
    words = ("--limit", limit) if limit else ()
    runs = tempfile.mkdtemp(dir=home)
    spent = script("scoring.py", "--child", home / "set", home / captions, runs, scorer, *words, env=env)
    said = json.loads(spent.out.splitlines()[-1])
    return Row(title, said["scored"], said["seconds"], said["images"], spent.peak_mb)


def measured(home: Path, scorer: str, name: str, limit: int | None) -> list[Row]:
    """Measure the first captions, other captions, and the first again."""
    return [
        scored(home, f"{name}, {title}", captions, scorer, f"cache-{name}", limit)
        for title, captions in (
            ("first time", "reference.json"),
            ("other captions, same pictures", "other.json"),
            ("first captions again", "reference.json"),
        )
    ]


def main() -> int:
    """Measure and print."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--pairs", type=int, default=2000)
    command.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    command.add_argument("--save", type=Path, help=argparse.SUPPRESS)
    command.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    given = command.parse_args()
    if given.save:
        save_wide(given.save)
        return 0
    if given.child:
        data, captions, runs, scorer = given.child
        print(json.dumps(child(Path(data), Path(captions), Path(runs), scorer, given.limit)))
        return 0
    with tempfile.TemporaryDirectory(prefix="snellen-scoring-") as name:
        home = Path(name)
        say(f"making {given.pairs} pairs")
        measure([SNELLEN, "data", "make", "d3", "--count", str(given.pairs), "--seed", "3", "--out", str(home / "set")])
        (home / "reference.json").write_bytes((home / "set" / "captions" / "reference.json").read_bytes())
        other_captions(home / "reference.json", home / "other.json")
        script("scoring.py", "--save", home / "wide")
        tenth = scored(home, "tiny, a tenth of the pairs", "reference.json", "tiny-siglip", "tenth", given.pairs // 10)
        tiny = measured(home, "tiny-siglip", "tiny", None)
        wide = measured(home, f"siglip:{home / 'wide'}", "wide", FEW_PAIRS)
    for first, rows in ((tiny[0], (tenth, *tiny)), (wide[0], wide)):
        for row in rows:
            print(
                f"{row.title}: {row.scored} pairs in {row.seconds:.2f} s ({row.seconds / first.seconds:.3f} of the first time), "
                f"{row.images} pictures embedded, peak {row.peak_mb:.0f} MB"
            )
    again, other = tiny[2].seconds / tiny[0].seconds, wide[1].seconds / wide[0].seconds
    grown = tiny[0].peak_mb - tenth.peak_mb
    print(f"again / first: {again:.3f}; wide, other captions / first: {other:.3f} (targets {SHARE})")
    print(f"memory for ten times the pairs: {grown:+.0f} MB (target {GROWTH_MB:.0f})")
    kept = not any(row.images for row in (*tiny[1:], *wide[1:]))
    return 0 if again < SHARE and other < SHARE and grown <= GROWTH_MB and kept else 1


if __name__ == "__main__":
    sys.exit(main())
