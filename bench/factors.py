"""What `baseline/pixels` sees, and whether an exam finds it: thresholds by brute force, and by how much spoilt pictures move them.

    PYTHONPATH=. python bench/factors.py [--sheets 100] [--seeds 20] [--questions 40] [--faculties letters,pointing,contrast]

First every condition at fixed levels, so many fresh sheets each, without any choice of levels: the curve itself. The threshold is where
half is seen, guesses taken out, between two levels by a straight line; its interval is from 2,000 draws of the same shares. Then exams,
with seeds from 1 on, of the same eye with whole and with spoilt pictures: how often the ratio's interval holds the factor, and how often
one that is wrong by 1.3.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tests.support.degraded import Spoil, examined, noisy, seen, smaller, whole

from snellen.core.prescription import Threshold
from snellen.core.types import Sample
from snellen.exams.eye.comparing import compared
from snellen.exams.eye.faculties import FACULTIES
from snellen.exams.eye.protocols import PROTOCOLS
from snellen.synthetic.sheets import draw

Floats = NDArray[np.float64]
DRAWS = 2000
OFF = 1.3
"""A factor that is wrong by this much should not be covered."""


class Condition(NamedTuple):
    """A way of spoiling pictures, and by how much it should move the threshold of the faculty's first condition."""

    faculty: str
    name: str
    spoil: Spoil
    factor: float


CONDITIONS = (
    Condition("letters", "whole", whole, 1),
    Condition("letters", "half", smaller(2), 2),
    Condition("letters", "a third", smaller(3), 3),
    Condition("letters", "a quarter", smaller(4), 4),
    Condition("pointing", "whole", whole, 1),
    Condition("pointing", "half", smaller(2), 2),
    Condition("contrast", "noise 8", noisy(8), 1),
    Condition("contrast", "noise 16", noisy(16), 2),
)
LEVELS = {
    "letters": (3.75, 4.0, 4.2, 4.4, 4.6, 4.8, 5.0, 5.25, 5.75, 6.5),
    "pointing": (2.5, 2.625, 2.75, 2.875, 3.0, 3.125, 3.25, 3.5),
    "contrast": (3.6, 4.0, 4.4, 4.7, 5.0, 5.3, 5.7, 6.3),
}
"""Levels of the first condition; those of the others are multiplied by their expected factor."""


def share(condition: Condition, level: float, sheets: int, begin: int) -> float:
    """Return the share of this many sheets that are answered rightly."""
    faculty, protocol = FACULTIES[condition.faculty], PROTOCOLS["threshold"]
    right = 0
    for number in range(begin, begin + sheets):
        sheet = draw(faculty.name, level, seed="factors", number=number, size=faculty.size)
        said = seen(faculty.question, list(sheet.pictures), condition.spoil)
        right += protocol.judge(said, Sample(id="", tags={"faculty": faculty.name}, truth=sheet.truth)).correct
    return right / sheets


def crossing(levels: Floats, shares: Floats, guess: float, at: float) -> float:
    """Return the level at which this share is seen."""
    parts = np.maximum.accumulate((shares - guess) / (1 - guess))
    return float(np.exp(np.interp(at, parts + 1e-9 * np.arange(len(parts)), np.log(levels))))


def curves(conditions: Sequence[Condition], sheets: int) -> None:
    print("| faculty | pictures | levels and share right | half seen at | slope | times the first |")
    print("| --- | --- | --- | --- | --- | --- |")
    chance = np.random.default_rng(1)
    first: Floats = np.ones(DRAWS)
    for place, condition in enumerate(conditions):
        guess = FACULTIES[condition.faculty].guess
        levels = np.array(LEVELS[condition.faculty]) * condition.factor
        begin = place * 1_000_000
        shares = np.array([share(condition, v, sheets, begin + i * sheets) for i, v in enumerate(levels)])
        drawn = chance.binomial(sheets, shares, (DRAWS, len(levels))) / sheets
        found = crossing(levels, shares, guess, 0.5)
        spread = np.array([crossing(levels, row, guess, 0.5) for row in drawn])
        slope = crossing(levels, shares, guess, 0.75) / crossing(levels, shares, guess, 0.25)
        first, times = (spread, "1") if condition.factor == 1 else (first, _with(spread / first))
        told = " ".join(f"{v:.4g}:{100 * p:.0f}" for v, p in zip(levels, shares, strict=True))
        unit = FACULTIES[condition.faculty].unit
        row = condition.faculty, condition.name, told, f"{_with(spread, found)} {unit}", f"{slope:.2f}", times
        print(f"| {' | '.join(row)} |", flush=True)


def _with(drawn: Floats, value: float | None = None) -> str:
    low, middle, high = np.quantile(drawn, (0.025, 0.5, 0.975))
    return f"{middle if value is None else value:.3g} [{low:.3g}, {high:.3g}]"


def exams(conditions: Sequence[Condition], seeds: int, questions: int) -> None:
    print(
        "\n| faculty | pictures | factor | seeds | hold it | median ratio | interval, times or by | hold 1.3 times as much, and as little |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    whole_ones: list[Threshold] = []
    for condition in conditions:
        rows = [examined(condition.faculty, condition.spoil, seed, questions) for seed in range(1, seeds + 1)]
        if condition.factor == 1:
            whole_ones = rows
            continue
        found = [compared([[one], [other]])[0].ratios[0] for one, other in zip(whole_ones, rows, strict=True)]
        known = [ratio for ratio in found if ratio is not None]
        held, *wrong = (
            sum(ratio.low <= condition.factor * off <= ratio.high for ratio in known) for off in (1, OFF, 1 / OFF)
        )
        middle = np.median([ratio.value for ratio in known])
        wide = np.exp(np.median([log(ratio.high / ratio.low) / 2 for ratio in known]))
        row = condition.faculty, condition.name, f"{condition.factor:g}", str(len(known)), str(held)
        print(f"| {' | '.join(row)} | {middle:.3f} | {wide:.3f} | {wrong[0]} and {wrong[1]} |", flush=True)


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("--sheets", type=int, default=100)
    wanted.add_argument("--seeds", type=int, default=20)
    wanted.add_argument("--questions", type=int, default=40)
    wanted.add_argument("--faculties", default=",".join(LEVELS))
    found = wanted.parse_args()
    conditions = [condition for condition in CONDITIONS if condition.faculty in found.faculties.split(",")]
    if found.sheets:
        curves(conditions, found.sheets)
    if found.seeds:
        exams(conditions, found.seeds, found.questions)


if __name__ == "__main__":
    main()
