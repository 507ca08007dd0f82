"""Caption metrics at scale: 10,000 explanations with three references each, on one core; exits 1 if it takes 30 s or more.

python nlg.py [COUNT]      where pycocoevalcap is installed, its pure Python metrics are shown beside ours (same tokens, no Java)
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

LIMIT = 30.0
COUNT = 10_000
WHO = (
    "the man",
    "a woman",
    "two children",
    "the black dog",
    "several people",
    "a small bird",
    "the player in red",
    "an old lady",
)
DOES = (
    "is holding",
    "isn't wearing",
    "rides",
    "stands next to",
    "is looking at",
    "sits behind",
    "has just thrown",
    "carries",
)
WHAT = (
    "a skateboard",
    "the t-shirt",
    "an umbrella",
    "3 balloons",
    "the dog's leash",
    "a well-known sign",
    "his racket",
    "a cup of tea",
)
WHERE = (
    "on the street",
    "in the kitchen",
    "near the river",
    "under a tree",
    "at 5:30 p.m.",
    "in front of the bus",
    "outside",
)
WHY = (
    "because it's raining",
    "and it can't be seen",
    "while the others wait",
    "so the ground is wet",
    "with both hands",
)


def sentence(draw: random.Random) -> str:
    """Draw some twelve words, as people write them."""
    parts = [draw.choice(p) for p in (WHO, DOES, WHAT, WHERE, WHY)]
    parts.insert(draw.randrange(5), f"word{int(draw.paretovariate(0.7)) % 5000}")  # rare words, as real text has them
    return f"{' '.join(parts).capitalize()}{draw.choice(('.', '', '!', ', I think.'))}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of processor time, and the result."""
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def theirs(candidates: list[str], references: list[list[str]]) -> dict[str, float]:
    """Return pycocoevalcap's values."""
    gold = dict(enumerate(references))
    said = {i: [c] for i, c in enumerate(candidates)}
    bleu, _ = import_module("pycocoevalcap.bleu.bleu").Bleu(4).compute_score(gold, said, verbose=0)
    rouge, _ = import_module("pycocoevalcap.rouge.rouge").Rouge().compute_score(gold, said)
    cider, _ = import_module("pycocoevalcap.cider.cider").Cider().compute_score(gold, said)
    return {**{f"BLEU-{k + 1}": bleu[k] for k in range(4)}, "ROUGE-L": float(rouge), "CIDEr": float(cider)}


def main() -> int:
    """Measure and print."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from snellen.stats.nlg import score, tokenise

    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    draw = random.Random(0)  # noqa: S311  no secret
    candidates = [sentence(draw) for _ in range(count)]
    references = [[sentence(draw) for _ in range(3)] for _ in range(count)]
    all_in, values = timed(lambda: score(candidates, references))
    cutting, (ours, gold) = timed(
        lambda: ([tokenise(c) for c in candidates], [[tokenise(r) for r in refs] for refs in references])
    )
    rows = [("tokenise, score (snellen)", all_in), ("of that, tokenise", cutting)]
    if find_spec("pycocoevalcap"):
        seconds, reference = timed(lambda: theirs(ours, gold))
        rows.append(("score alone (pycocoevalcap)", seconds))
        gap = max(abs(values[m] - reference[m]) for m in values)
        print(f"largest difference from pycocoevalcap: {gap:.1e}")
    print(f"{count} explanations, 3 references each, processor time on one core")
    for name, seconds in rows:
        print(f"  {name:<28} {seconds:7.2f} s  {count / seconds:9.0f} /s")
    print("  " + "  ".join(f"{m} {v:.4f}" for m, v in values.items()))
    return 0 if all_in < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
