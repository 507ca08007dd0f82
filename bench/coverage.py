"""How often the 95 % intervals hold the truth, by simulation, on the design of every exam: its n, its clusters, likely correlations.

    python bench/coverage.py [--quick]

Every figure comes from the functions that make the intervals of a run. A cell is one design, one correlation within clusters and
one true value; it is drawn 1,000 times. Printed are the lowest and the mean coverage of a design's cells, and how wide intervals
are beside Wilson's (Tango's) on n, which would be right if samples were independent and right or wrong. Exits 1 if a cell covers
less than 92 %. Cells above 97 % are near 0 or 1, where a share moves in steps, or have few clusters, whose correlation cannot be told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from snellen.stats.intervals import Interval, tango, wilson
from snellen.stats.jackknife import jackknifed, quantile_interval
from snellen.stats.means import Clusters, measured_interval, of_samples, share_interval
from snellen.stats.paired import Pair, paired_difference

LEAST = 92.0
RNG = np.random.default_rng(20)
CORRELATIONS = (0.05, 0.2, 0.5)
MEANS = (0.02, 0.1, 0.5, 0.9, 0.98)
MOVES = ((0.1, 0.1), (0.02, 0.3), (0.01, 0.05), (0.3, 0.5))
"""Shares of samples that gain and lose under a control."""
GRADES = np.array([0.0, 0.3, 0.6, 0.9, 1.0])
"""VQA's soft accuracies."""


class Design(NamedTuple):
    """An exam's samples: how many there are in each cluster."""

    name: str
    sizes: tuple[int, ...]

    @property
    def correlations(self) -> tuple[float, ...]:
        return CORRELATIONS if max(self.sizes) > 1 else (0.0,)


def spread(n: int, clusters: int) -> tuple[int, ...]:
    """n samples in so many clusters of uneven size: some have one, some several times the mean."""
    shares = np.random.default_rng(n).gamma(1.5, size=clusters)
    sizes = 1 + np.floor(shares / shares.sum() * (n - clusters)).astype(int)
    sizes[: n - int(sizes.sum())] += 1
    return tuple(int(size) for size in sizes)


DESIGNS = (
    Design("SalBench P3", (1,) * 2589),
    Design("SalBench O3", (1,) * 2001),
    Design("IllusionBench IN test100", spread(100, 44)),
    Design("IllusionBench IN whole", (143,) * 48),
    Design("IllusionBench LOGO whole", (143,) * 42),
    Design("IllusionBench ICON whole", (44,) * 456),
    Design("D3", (1,) * 247),
    Design("OSWorld-G", spread(564, 320)),
    Design("ScreenSpot", spread(1272, 610)),
    Design("ScreenSpot-Pro", spread(1581, 900)),
    Design("VQA-X test", spread(1968, 1921)),
    Design("ACT-X test", (1,) * 3620),
    Design("e-SNLI-VE test", spread(14740, 1000)),
    Design("e-SNLI-VE, 15 x 15", (15,) * 15),
    Design("VCR val", spread(26534, 9929)),
    Design("a demo of 45", (1,) * 45),
    Design("a demo of 10", (1,) * 10),
    Design("grounding demo, 12 screens", spread(228, 12)),
    Design("14 screens", spread(266, 14)),
    Design("15 screens", spread(285, 15)),
    Design("16 screens", spread(304, 16)),
    Design("5 screens", (19,) * 5),
)


class Cell(NamedTuple):
    """One design under one correlation with one true value: coverage in percent, and width relative to that of independent samples."""

    design: str
    setting: str
    coverage: float
    width: float


# ---------------------------------------------------------------- draws


def chances(mean: float, correlation: float, shape: tuple[int, ...]) -> np.ndarray:
    """A chance of its own for each cluster, so that right-or-wrong samples of one have this correlation."""
    if correlation <= 0:
        return np.full(shape, mean)
    both = (1 - correlation) / correlation
    return RNG.beta(mean * both, (1 - mean) * both, shape)


def grade(chance: np.ndarray) -> np.ndarray:
    """Soft accuracies with these means: six in ten are right or wrong, the others a grade beside the mean."""
    whole = RNG.random(chance.shape) < chance
    at = np.clip(np.searchsorted(GRADES, chance, side="right") - 1, 0, len(GRADES) - 2)
    up = RNG.random(chance.shape) < (chance - GRADES[at]) / (GRADES[at + 1] - GRADES[at])
    return np.where(RNG.random(chance.shape) < 0.6, whole, np.where(up, GRADES[at + 1], GRADES[at]))


def shares(design: Design, correlation: float, mean: float, times: int, *, graded: bool) -> Iterator[Clusters]:
    """Draws of a design, as clusters."""
    sizes = np.array(design.sizes)
    counts, ones = sizes.astype(np.float64), np.ones(len(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for _ in range(times):
        chance = chances(mean, correlation, sizes.shape)
        if graded:
            values = grade(np.repeat(chance, sizes))
            sums, whole = np.add.reduceat(values, starts), bool(np.isin(values, (0.0, 1.0)).all())
        else:
            sums, whole = RNG.binomial(sizes, chance).astype(np.float64), True
        yield Clusters(sums, counts, ones, whole, 0.0, 1.0)


# ---------------------------------------------------------------- cells


def means(design: Design, times: int, *, graded: bool) -> Iterator[Cell]:
    """The mean of right-or-wrong or of graded samples."""
    n = sum(design.sizes)
    for correlation in design.correlations:
        for mean in MEANS:
            found = [share_interval(c) for c in shares(design, correlation, mean, times, graded=graded)]
            plain = np.subtract(*wilson(mean * n, n)[::-1])
            yield cell(design.name, f"mean {mean:g}, correlation {correlation:g}", found, mean, float(plain))


def differences(design: Design, times: int) -> Iterator[Cell]:
    """The paired difference of right-or-wrong samples under a control."""
    sizes, n = np.array(design.sizes), sum(design.sizes)
    names = [f"c{i}" for i in range(len(sizes))] if max(sizes) > 1 else [""] * len(sizes)
    for correlation in design.correlations:
        for up, down in MOVES:
            found = []
            for _ in range(times):
                part = np.array([up, down, 1 - up - down])
                if correlation > 0:
                    part = RNG.dirichlet(part * (1 - correlation) / correlation, size=len(sizes))
                moved = RNG.multinomial(sizes, part)
                if not names[0]:
                    moved = moved.sum(axis=0, keepdims=True)
                pairs: dict[tuple[float, float] | Pair, int] = {}
                for name, counts in zip(names, moved.tolist(), strict=False):
                    pairs |= {Pair(a, b, name): c for (a, b), c in zip(((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)), counts, strict=True) if c}
                difference = paired_difference(pairs)
                found.append(Interval(difference.low, difference.high, ""))
            plain = np.subtract(*tango(up * n, down * n, n)[::-1])
            yield cell(design.name, f"+{up:g} -{down:g}, correlation {correlation:g}", found, up - down, float(plain))


def cell(design: str, setting: str, found: Sequence[Interval | None], truth: float, plain: float = 1.0) -> Cell:
    """What the intervals of many draws come to. One that is not there does not hold the truth."""
    there = [one for one in found if one is not None]
    held = sum(one.low - 1e-12 <= truth <= one.high + 1e-12 for one in there)
    width = float(np.mean([one.high - one.low for one in there])) if there else float("nan")
    return Cell(design, setting, 100 * held / len(found), width / plain)


# ---------------------------------------------------------------- scores that are no means


def macro_f1(times: int) -> Iterator[Cell]:
    """SalBench's macro F1 under `robust`: labels drawn with their real frequencies, each found or taken for another."""
    from snellen.core.types import Mark, Outcome, Sample
    from snellen.exams.salbench.names import labels_of
    from snellen.exams.salbench.protocols import PROTOCOLS
    from snellen.stats.tally import Tally

    often = {"P3": (0.33, 0.34, 0.33), "O3": (0.15, 0.85, 0.05, 0.4, 0.3, 0.1, 0.2)}
    for split, frequency in often.items():
        labels = labels_of(split)
        for n in (45, 300, 2000):
            for found_rate, false_rate in ((0.95, 0.01), (0.7, 0.1)):
                drawn = _labels(split, frequency, found_rate, false_rate, 400_000)
                truth = _macro(*drawn)
                intervals = []
                for _ in range(times):
                    true, said = _labels(split, frequency, found_rate, false_rate, n)
                    tally = Tally(PROTOCOLS["robust"])
                    tags = {"config": split, "split": split, "task": "D"}
                    for i, (t, s) in enumerate(zip(true, said, strict=True)):
                        sample = Sample(id=str(i), tags=tags, truth=", ".join(x for x, has in zip(labels, t, strict=True) if has))
                        reading = [x for x, has in zip(labels, s, strict=True) if has]
                        metrics = dict.fromkeys(("exact_match", "precision", "recall", "f1"), 0.0)
                        tally.add(sample, Mark(id=str(i), outcome=Outcome.WRONG, reading=reading, metrics=metrics))
                    score = next(g for g in tally._groups.values() if g.whole)
                    made = PROTOCOLS["robust"].own_scores(score)["macro_f1"]
                    intervals.append(Interval(made.low or 0.0, made.high or 0.0, ""))
                yield cell(f"macro F1, {split}", f"n {n}, found {found_rate}, false {false_rate}", intervals, truth)


def _labels(split: str, frequency: tuple[float, ...], found: float, false: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    if split == "P3":
        true = np.eye(len(frequency), dtype=bool)[RNG.choice(len(frequency), size=n, p=frequency)]
    else:
        true = RNG.random((n, len(frequency))) < frequency
        true[~true.any(axis=1), 1] = True
    return true, np.where(true, RNG.random(true.shape) < found, RNG.random(true.shape) < false)


def _macro(true: np.ndarray, said: np.ndarray) -> float:
    hits = (true & said).sum(axis=0)
    return float(np.mean(2 * hits / (true.sum(axis=0) + said.sum(axis=0))))


def others(times: int) -> Iterator[Cell]:
    """Areas under curves, quantiles, and means of measurements, with and without clusters."""
    from snellen.stats.calibration import auroc

    def area(right: np.ndarray, scores: np.ndarray) -> Callable[[Sequence[float]], float | None]:
        def ranked(weights: Sequence[float]) -> float | None:
            there = np.asarray(weights) > 0
            return auroc(scores[there].tolist(), right[there].tolist())

        return ranked

    for n, apart in ((45, 0.5), (45, 2.0), (300, 0.5), (300, 2.0)):
        found = []
        for _ in range(times // 4):
            right = RNG.random(n) < 0.6
            scores = RNG.normal(size=n) + apart * right
            few = float(min(right.sum(), n - right.sum()))
            found.append(jackknifed(area(right, scores), [f"c{i}" for i in range(n)], made_of=max(1.0, few)))
        truth = 0.5 * (1 + float(np.vectorize(__import__("math").erf)(apart / 2)))
        yield cell("AUROC", f"n {n}, {truth:.2f}", found, truth)
    for clusters, each in ((45, 1), (300, 1), (12, 19), (60, 5)):
        for at in (0.5, 0.95):
            if at == 0.95 and clusters * each < 100:
                continue
            found, names = [], [f"c{i}" if each > 1 else "" for i in range(clusters) for _ in range(each)]
            for _ in range(times):
                values = 0.5 * np.repeat(RNG.normal(size=clusters), each) + 0.866 * RNG.normal(size=clusters * each)
                found.append(quantile_interval(np.exp(values).tolist(), at, names))
            truth = float(np.exp({0.5: 0.0, 0.95: 1.6448536}[at]))
            yield cell("quantiles of a time", f"p{100 * at:.0f}, {clusters} x {each}", found, truth, truth)
    for clusters, each, skewed in ((45, 1, 0.3), (300, 1, 0.6), (12, 19, 0.3), (60, 5, 0.6), (610, 2, 1.0)):
        found, names = [], [f"c{i}" if each > 1 else "" for i in range(clusters) for _ in range(each)]
        for _ in range(times):
            values = 0.5 * np.repeat(RNG.normal(size=clusters), each) + 0.866 * RNG.normal(size=clusters * each)
            found.append(measured_interval(of_samples(np.exp(skewed * values).tolist(), names)))
        truth = float(np.exp(skewed**2 / 2))
        yield cell("means of a time", f"log spread {skewed:g}, {clusters} x {each}", found, truth, truth)


# ---------------------------------------------------------------- power


def power(n: float, changing: float = 0.2) -> float:
    """The difference between two models on the same n samples that is found with a chance of 80 %, in points, where a fifth of them
    come out differently.

    The difference d is found where it is 1.96 standard errors from 0, in four of five draws: n d² = (z sqrt(c) + 0.84 sqrt(c - d²))².
    """
    z, most = 1.959964, 0.841621
    low, high = 0.0, changing
    for _ in range(60):
        d = (low + high) / 2
        enough = n * d * d >= (z * changing**0.5 + most * (changing - d * d) ** 0.5) ** 2
        low, high = (low, d) if enough else (d, high)
    return 100 * high


POWER = {
    "a demo of 45": 45,
    "IllusionBench test100": 100,
    "D3": 247,
    "OSWorld-G": 564,
    "ScreenSpot": 1272,
    "ScreenSpot-Pro": 1581,
    "VQA-X test": 1968,
    "SalBench O3": 2001,
    "SalBench P3": 2589,
    "ACT-X test": 3620,
    "e-SNLI-VE test": 14740,
    "VCR val": 26534,
}


def main() -> int:
    times = 200 if "--quick" in sys.argv else 1000
    print(f"{'':28}{'cells':>7}{'lowest':>8}{'mean':>7}{'highest':>9}{'width':>7}   the cell that covers least")
    low: list[Cell] = []
    kinds: tuple[tuple[str, Callable[[Design], Iterator[Cell]]], ...] = (
        ("right or wrong", lambda d: means(d, times, graded=False)),
        ("graded", lambda d: means(d, times, graded=True)),
        ("paired differences", lambda d: differences(d, times)),
    )
    for title, made in kinds:
        print(f"\n{title}")
        for design in DESIGNS:
            low += shown(design.name, list(made(design)))
    print("\nscores that are no means")
    cells: dict[str, list[Cell]] = {}
    for one in (*macro_f1(times // 5), *others(times)):
        cells.setdefault(one.design, []).append(one)
    for name, some in cells.items():
        low += shown(name, some)
    print(f"\npower: the difference in points found with a chance of 80 %, {'a fifth of samples changing'}")
    print("  ".join(f"{name} {power(n):.1f}" for name, n in POWER.items()))
    print(f"one false 'excludes zero' among 24 differences that are 0: {100 * (1 - 0.95**24):.0f} %")
    least = LEAST if times >= 1000 else LEAST - 4
    under = [c for c in low if c.coverage < least]
    print(f"\n{len(low)} cells, {len(under)} under {least:g} %")
    for one in under:
        print(f"  {one.design}, {one.setting}: {one.coverage:.1f}")
    return 1 if under else 0


def shown(name: str, cells: list[Cell]) -> list[Cell]:
    """Print a design's line."""
    cover = [c.coverage for c in cells]
    worst = min(cells, key=lambda c: c.coverage)
    print(
        f"{name:28}{len(cells):7}{min(cover):8.1f}{np.mean(cover):7.1f}{max(cover):9.1f}"
        f"{np.mean([c.width for c in cells]):7.2f}   {worst.setting}",
        flush=True,
    )
    return cells


if __name__ == "__main__":
    sys.exit(main())
