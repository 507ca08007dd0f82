"""The eye exam on simulated observers with known thresholds: how often the interval covers them, and how far off the estimate is.

    python bench/eye.py [--quick] [catching] [faithful] [violating] [economy]

Observers are numbers, not models: all of this is synthetic. An exam is 40 trials on a ladder of 36 levels from 1 to 100, every 8th a catch
trial at the easiest level. The functions that choose levels, estimate and refuse are those of the exam, applied to many exams at once.
Prints the tables of docs/design/eye.md, all or those named; exits 1 if one misses its target. Takes some ten minutes of one core.
--quick draws a tenth, too few for every cell to meet its target.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import count
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.stats.adaptive import answered, awaited, constant_level, information
from snellen.stats.measurable import CHANCE, GOOD, at_least, bar, measurable
from snellen.stats.psychometric import (
    QUARTILES,
    DialShape,
    Floats,
    coarse_grid,
    fine_grid,
    normal,
    position,
    posterior,
    threshold_place,
)

Ints = NDArray[np.int64]
TRIALS, CATCH = 40, 8
LESS = 10 if "--quick" in sys.argv else 1
EXAMS, MODEL_EXAMS, PAIRED_EXAMS = 1000 // LESS, 3000 // LESS, 5000 // LESS
"""Numbers of exams: of an observer that violates the model, of one that fits it, and of each way to choose levels."""
RIGHT, WRONG, NOTHING = 0, 1, 2
LADDER = tuple(float(v) for v in np.geomspace(1, 100, 36))
GUESSES = {"1/16": 1 / 16, "1/10": 1 / 10, "1/9": 1 / 9, "0": 0.0}
FACTORS = (1.15, 1.3, 1.7, 2.5)
"""Slopes: the factor on the dial between a quarter seen and three quarters seen."""


class Observer(NamedTuple):
    """A kind of observer; `kind` is how it departs from the model, if it does."""

    guess: float = 1 / 9
    factor: float = 1.3
    lapse: float = 0.02
    kind: str = ""
    amount: float = 0.0


class Plan(NamedTuple):
    """A way to choose levels."""

    trials: int = TRIALS
    width: int = 1
    constant: bool = False


class Found(NamedTuple):
    """The results of a number of exams: logarithms of true and estimated thresholds (middle, low, high), and the reasons to refuse."""

    truth: Floats
    estimate: Floats
    refused: list[str]

    @property
    def error(self) -> Floats:
        return self.estimate[:, 0] - self.truth

    @property
    def holds(self) -> NDArray[np.bool_]:
        return (self.estimate[:, 1] <= self.truth) & (self.truth <= self.estimate[:, 2])


CURVES: dict[str, Callable[[Floats], Floats]] = {
    "logistic": lambda z: 1 / (1 + np.exp(-z * 2 * log(3) / QUARTILES)),
    "Weibull": lambda z: 1 - np.exp(-log(2) * np.exp(z * log(log(4) / log(4 / 3)) / QUARTILES)),
}
"""Other forms, with the same half and the same factor between the quarters."""


def replies(who: Observer, z: Floats, part: float, rng: np.random.Generator) -> Ints:
    """Draw answers to one trial of every exam: z is how far its level is above the threshold, part how much of the exam is over."""
    n = len(z)
    lapse = who.amount * part if who.kind == "tires" else who.lapse
    sees = rng.random(n) < CURVES.get(who.kind, normal)(z) * (1 - lapse / (1 - who.guess))
    if who.kind.startswith("random"):
        sees[:] = False
    options = round(1 / who.guess) if who.guess else 10**9
    truth = rng.integers(options, size=n)
    favourite = who.kind in ("favourite label", "random, one label")
    said = np.where(sees, truth, 0 if favourite else rng.integers(options, size=n))
    if favourite:
        said[rng.random(n) < who.amount] = 0
    answers = np.where(said == truth, RIGHT, WRONG)
    if who.kind == "refuses some":
        answers[rng.random(n) < who.amount] = NOTHING
    if who.kind == "refuses what it does not see":
        answers[~sees] = NOTHING
    if who.kind == "refuses all":
        answers[:] = NOTHING
    return answers


def exams(
    who: Observer, plan: Plan, number: int, seed: int, ladder: tuple[float, ...] = LADDER
) -> tuple[Floats, Ints, Ints]:
    """Return positions of the true thresholds, and level and answer of every trial: a row for each exam."""
    rng = np.random.default_rng(seed)
    shape = DialShape(ladder, who.guess)
    grid, length = coarse_grid(shape), log(ladder[-1] / ladder[0])
    places, rows = np.array([position(shape, v) for v in ladder]), np.arange(number)
    truth = rng.uniform(0.3, 0.7, number)
    drift = rng.choice([-1.0, 1.0], number) * (log(who.amount) / length if who.kind == "drifts" else 0.0)
    spread = log(who.factor) / QUARTILES / length
    levels, answers = np.zeros((number, plan.trials), np.int64), np.zeros((number, plan.trials), np.int64)
    found, pending, known = np.zeros((number, 3 * len(ladder))), np.zeros((number, len(ladder))), 0
    for trial in range(plan.trials):
        while known < answered(trial, plan.width):
            found[rows, levels[:, known] + len(ladder) * answers[:, known]] += 1
            pending[rows, levels[:, known]] -= 1
            known += 1
        if trial % CATCH == 0:
            levels[:, trial] = len(ladder) - 1
        elif plan.constant:
            levels[:, trial] = constant_level(shape, trial)
        else:
            counts = awaited(grid, found, pending) if plan.width > 1 else found
            levels[:, trial] = np.argmax(np.round(information(grid, posterior(grid, counts)), 9), axis=1)
        part = trial / (plan.trials - 1)
        z = (places[levels[:, trial]] - truth - drift * (part - 0.5)) / spread
        answers[:, trial] = replies(who, z, part, rng)
        pending[rows, levels[:, trial]] += 1
    return truth, levels, answers


def judged(who: Observer, drawn: tuple[Floats, Ints, Ints], seed: int, ladder: tuple[float, ...] = LADDER) -> Found:
    """Return the estimates after all trials, and whether each exam is refused."""
    truth, levels, answers = drawn
    rng = np.random.default_rng(seed + 1)
    shape = DialShape(ladder, who.guess)
    grid, length = fine_grid(shape), log(ladder[-1] / ladder[0])
    estimates = []
    for start in range(0, len(truth), 100):
        part = slice(start, start + 100)
        found = np.zeros((len(truth[part]), 3 * len(ladder)))
        np.add.at(found, (np.arange(len(found))[:, None], levels[part] + len(ladder) * answers[part]), 1)
        weights = posterior(grid, found).reshape(len(found), len(grid.thresholds), len(grid.spreads), -1).sum(axis=3)
        estimates += [threshold_place(shape, row) for row in weights]
    catch = answers[:, ::CATCH]
    blank = rng.random(catch.shape) < who.guess
    refused = [
        measurable([None if a == NOTHING else a == RIGHT for a in row], [bool(b) for b in unseen], who.guess)
        for row, unseen in zip(catch, blank, strict=True)
    ]
    return Found(truth * length, np.array(estimates) * length, refused)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n### {title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def faithful() -> bool:
    """Measure observers that fit the model: coverage, error, share refused."""
    rows, good = [], True
    seed = count(100, 10)
    for name, guess in GUESSES.items():
        for factor in FACTORS:
            cells = [(Observer(guess, factor, lapse), next(seed)) for lapse in (0.0, 0.02, 0.05)]
            found = [judged(who, exams(who, Plan(), MODEL_EXAMS, draw), draw) for who, draw in cells]
            cover = [float(f.holds.mean()) for f in found]
            error = [float(np.median(np.abs(np.expm1(f.error)))) for f in found]
            width = np.median(np.concatenate([f.estimate[:, 2] - f.estimate[:, 1] for f in found]))
            refused = sum(bool(r) for f in found for r in f.refused) / len(found) / MODEL_EXAMS
            good = good and min(cover) >= 0.93 and max(cover) <= 0.97 and max(error) < 0.15 and refused < 0.02
            cover_text = [percent(c) for c in cover]
            rows.append(
                [
                    name,
                    f"{factor}",
                    *cover_text,
                    percent(float(np.mean(cover))),
                    percent(max(error)),
                    f"{np.exp(width / 2):.2f}",
                    percent(refused),
                ]
            )
    names = (
        "guessing",
        "slope",
        "lapse 0",
        "2 %",
        "5 %",
        "all",
        "median error, %",
        "interval, times or by",
        "refused, %",
    )
    table("Observers as the model has them: intervals that hold the threshold, %", names, rows)
    return good


VIOLATING = (
    ("a step, no slope at all", Observer(factor=1.001)),
    ("curve is logistic", Observer(kind="logistic", factor=1.7)),
    ("curve is Weibull", Observer(kind="Weibull", factor=1.7)),
    ("threshold drifts by 1.3 over the exam", Observer(kind="drifts", amount=1.3)),
    ("threshold drifts by 1.5", Observer(kind="drifts", amount=1.5)),
    ("threshold drifts by 2", Observer(kind="drifts", amount=2.0)),
    ("tires: lapses rise from 0 to 20 %", Observer(kind="tires", amount=0.2)),
    ("says one label whenever it guesses", Observer(kind="favourite label")),
    ("the same, and to 20 % of what it sees", Observer(kind="favourite label", amount=0.2)),
    ("refuses 15 % of trials", Observer(kind="refuses some", amount=0.15)),
    ("refuses half of the trials", Observer(kind="refuses some", amount=0.5)),
    ("refuses what it does not see", Observer(kind="refuses what it does not see")),
    ("refuses all", Observer(kind="refuses all")),
    ("random", Observer(kind="random")),
    ("random, one label", Observer(kind="random, one label")),
)


def violating() -> bool:
    """Measure observers that do not fit the model: the interval covers the truth, or the exam says that it cannot measure."""
    rows, good = [], True
    for draw, (name, who) in enumerate(VIOLATING, 1000):
        found = judged(who, exams(who, Plan(), EXAMS, 7 * draw), 7 * draw)
        refused = np.array([bool(r) for r in found.refused])
        either = float((found.holds | refused).mean())
        held = percent(float(found.holds[~refused].mean())) if (~refused).sum() >= EXAMS / 20 else "-"
        kinds = {kind: found.refused.count(kind) for kind in ("silent", "wrong", "blind")}
        reasons = ", ".join(f"{kind} {percent(times / EXAMS)}" for kind, times in kinds.items() if times)
        good = good and either >= 0.9
        rows.append([name, percent(either), percent(float(refused.mean())), held, reasons or "-"])
    table(
        "Observers that violate the model (guessing 1/9, slope 1.3 where not said)",
        ("observer", "holds or is refused, %", "refused, %", "holds where measured, %", "reasons"),
        rows,
    )
    return good


def needed(errors: dict[int, float], goal: float) -> float:
    """Return the number of trials for an error of `goal`, interpolated between measured numbers (error falls as a power of them)."""
    numbers = sorted(errors)
    if errors[numbers[-1]] > goal:
        return float("inf")
    return float(np.exp(np.interp(-log(goal), [-log(errors[n]) for n in numbers], [log(n) for n in numbers])))


def course(who: Observer, plan: Plan, at: Sequence[int], seed: int) -> dict[int, float]:
    """Return the mean error (of the logarithm) after each of these numbers of trials."""
    drawn = exams(who, plan, PAIRED_EXAMS, seed)
    errors = {
        n: float(np.abs(judged(who, (drawn[0], drawn[1][:, :n], drawn[2][:, :n]), seed).error).mean()) for n in at
    }
    least = np.minimum.accumulate(list(errors.values()))  # more trials never tell less, but for chance
    return dict(zip(errors, (float(e) for e in least), strict=True))


def economy() -> bool:
    """Measure how many questions each way of choosing levels needs to match 40, one at a time.

    All ways have the same seed, so the same thresholds and the same luck with each trial. Only the way differs.
    """
    rows, good = [], True
    for seed, (name, factor) in enumerate((("1/9", 1.15), ("1/9", 1.3), ("1/9", 1.7), ("0", 1.3)), 3):
        who = Observer(GUESSES[name], factor)
        goal = course(who, Plan(), (TRIALS,), seed)[TRIALS]
        ratios = [needed(course(who, Plan(56, width), (40, 44, 50, 56), seed), goal) / TRIALS for width in (4, 16)]
        constant = needed(course(who, Plan(200, constant=True), (100, 140, 200), seed), goal) / TRIALS
        good = good and max(ratios) <= 1.3 and constant >= 3
        texts = [f"{r:.2f}" for r in ratios]
        rows.append(
            [name, f"{factor}", percent(np.expm1(goal)), *texts, f"{constant:.1f}" if constant < 6 else "over 5"]
        )
    names = (
        "guessing",
        "slope",
        "mean error after 40, %",
        "4 in flight",
        "16 in flight",
        "constant stimuli",
    )
    table("Questions for the same mean error, as a multiple of those one at a time", names, rows)
    return good


def catches_needed(guess: float) -> int:
    """Return the least number of catch trials at which at most 2% of guessers pass and at most 2% of good observers are refused."""
    return next(n for n in range(3, 100) if bar(n, guess) <= n and 1 - at_least(bar(n, guess), n, GOOD) <= CHANCE)


def catching() -> bool:
    """Compute the rule of catch trials, exactly."""
    rows = []
    for name, guess in (*GUESSES.items(), ("1/4", 1 / 4), ("1/2", 1 / 2)):
        must, enough = bar(5, guess), catches_needed(guess)
        rows.append([name, str(must) if must <= 5 else "cannot tell", f"{100 * at_least(must, 5, guess):.2f}"])
        rows[-1] += [f"{100 * (1 - at_least(must, 5, 1 - lapse)):.2f}" for lapse in (0.05, 0.1, 0.2)] + [str(enough)]
    columns = (
        "guessing",
        "right of 5",
        "a guesser passes, %",
        "refused at lapse 5 %",
        "10 %",
        "20 %",
        "catch trials for 2 % and 2 %",
    )
    table("Catch trials (computed, not drawn)", columns, rows)
    return True


def main() -> int:
    print(
        f"Synthetic observers; {MODEL_EXAMS:,} exams a cell, {EXAMS:,} of each that violates the model, {PAIRED_EXAMS:,} of each way."
    )
    parts = {part.__name__: part for part in (catching, faithful, violating, economy)}
    named = [name for name in parts if name in sys.argv]
    good = [parts[name]() for name in named or parts]
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
