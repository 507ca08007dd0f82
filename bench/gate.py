"""The share of builds that `snellen gate` fails, by simulation: a noisy model asked again, unchanged or some points worse.

    python bench/gate.py [--quick]

Every sample has its own chance to be right, and baseline and run are two draws from it. `changing` is the share of samples that come
out differently when an unchanged model is asked again. A worse model has lower chances: some points fewer in total. Each figure is the
share of failures in 2,000 pairs of a baseline and a run, judged by the functions that `snellen gate` uses, with two points allowed.
The last table shows a rejected rule: fail where a drop is significantly larger than what is allowed.
Exits 1 if, at n = 500 with up to a fifth of the samples changing, an unchanged model fails in more than 5% of builds or one that is 8
points worse in less than 90%, by more than two standard errors of the simulation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.differences import PairedSample, PairedTest, rows
from snellen.comparison.gating import ALARM, Gate, gated
from snellen.comparison.results import Comparison, RunSide
from snellen.core.protocol import Protocol, Seen
from snellen.core.types import Outcome

Floats = NDArray[np.float64]
Pairs = tuple[NDArray[np.bool_], NDArray[np.bool_]]

MAX_DROP = 0.02
WORSE = (0.0, 0.01, 0.02, 0.04, 0.08, 0.12)
CHANGING = (0.05, 0.1, 0.2, 0.3)
SETTINGS = ((500, 1, CHANGING), (500, 4, (0.2,)), (100, 1, CHANGING))
"""n, parts, and the shares of samples that change."""
PLAIN = Protocol("plain")
SIDES = tuple(RunSide(letter=letter, run=letter, subject=letter) for letter in "AB")


def chances(n: int, changing: float, dice: np.random.Generator) -> Floats:
    """Draw chances to be right: twice the share that changes are coin tosses; of the others, seven in ten are always right."""
    doubt = dice.random(n) < 2 * changing
    return np.asarray(np.where(doubt, 0.5, dice.random(n) < 0.7), dtype=np.float64)


def worsened(chance: Floats, by: float) -> Floats:
    """Return the same model, worse by this much: every chance is scaled down."""
    return chance * (1 - by / float(chance.mean()))


def pairs(n: int, changing: float, worse: float, times: int, seed: int = 1) -> Iterator[Pairs]:
    """Yield baselines and runs."""
    dice = np.random.default_rng([seed, n, round(1000 * changing), round(1000 * worse)])
    for _ in range(times):
        chance = chances(n, changing, dice)
        yield dice.random(n) < chance, dice.random(n) < worsened(chance, worse)


def judged(first: Sequence[bool], second: Sequence[bool], parts: int = 1) -> Gate:
    """Judge the marks of two runs, in parts of equal size, as `snellen gate` does."""
    every = [
        PairedSample(f"{i % parts}/{i}", (("split", f"part {i % parts}"),), _seen(a), _seen(b))
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    found = tuple(rows(PairedTest(PLAIN, "plain", "question", "A", "B"), every))
    comparison = Comparison(
        exam="made up",
        synthetic=True,
        sides=SIDES,
        protocols=("plain",),
        samples=len(every),
        notes=(),
        rows=found,
        verdict=(),
    )
    return gated(comparison, MAX_DROP)


def _seen(right: bool) -> Seen:
    return Seen({"score": float(right)}, Outcome.CORRECT if right else Outcome.WRONG)


def failing(n: int, changing: float, worse: float, times: int, parts: int = 1) -> float:
    """Return the share of builds that fail, in percent."""
    failed = 0
    known: dict[tuple[int, int], bool] = {}  # of one part it matters only how many samples were lost and won
    for a, b in pairs(n, changing, worse, times):
        key = int((a & ~b).sum()), int((b & ~a).sum())
        if parts > 1 or key not in known:
            known[key] = judged(a.tolist(), b.tolist(), parts).passed
        failed += not known[key]
    return 100 * failed / times


def beyond(n: int, changing: float, worse: float, times: int) -> float:
    """Return the same share under the rejected rule: a one-sided bound of the drop above what is allowed."""
    failed = 0
    for a, b in pairs(n, changing, worse, times):
        drop, moving = float(a.mean() - b.mean()), float((a != b).mean())
        failed += drop - NormalDist().inv_cdf(1 - ALARM) * sqrt(max(0.0, moving - drop**2) / n) > MAX_DROP
    return 100 * failed / times


def main() -> int:
    """Print the tables."""
    times = 200 if "--quick" in sys.argv else 2000
    head = "  ".join(f"{100 * w:5.0f}" for w in WORSE)
    missed = 0
    print(f"Builds that fail, in % of {times:,}; {100 * MAX_DROP:g} points allowed. Columns: worse by so many points")
    print(f"{'':42}{head}")
    alarms = 100 * (ALARM + 2 * sqrt(ALARM * (1 - ALARM) / times))
    found_least = 100 * (0.9 - 2 * sqrt(0.9 * 0.1 / times))
    for n, parts, every in SETTINGS:
        for changing in every:
            found = [failing(n, changing, worse, times, parts) for worse in WORSE]
            name = f"n {n:,}, {parts} part{'s' if parts > 1 else ''}, {100 * changing:g} % change"
            print(f"{name:42}" + "  ".join(f"{f:5.1f}" for f in found), flush=True)
            if n == 500 and changing <= 0.2:
                missed += found[0] > alarms or found[WORSE.index(0.08)] < found_least
    print("\nThe rule that was not taken: a drop that is shown to be over 2 points")
    for changing in CHANGING:
        found = [beyond(500, changing, worse, times) for worse in WORSE]
        print(f"{f'n 500, 1 part, {100 * changing:g} % change':42}" + "  ".join(f"{f:5.1f}" for f in found))
    print(f"\n{missed} of 4 settings at n = 500 miss 5 % of false alarms or 90 % of drops by 8 points")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
