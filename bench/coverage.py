"""Coverage of the 95% intervals, by simulation, on the design of every exam: its n, its clusters, likely correlations.

    python bench/coverage.py [--quick] [shares] [graded] [paired] [repeats] [scores] [beyond]

Every figure comes from the functions that make the intervals of a run. A cell is one design, one correlation within clusters and
one true value; it is drawn 400 times, and 2,000 or 6,000 times where it seems to cover too little. Printed are the lowest, mean and
highest coverage of a design's cells, and how wide intervals are relative to Wilson's (Tango's) on n. Those would be right if samples
were independent and right or wrong. The mean is over true shares of 10 to 90%. Cells at the ends, where a share moves in steps, have a
separate mean: 2 and 98%, and differences where hardly a sample moves. Exits 1 if a cell, ends included, covers less than 92%. Without
arguments, all parts run. Each part begins with the same random numbers, so it prints the same alone as with the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from math import erf, exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.salbench.names import labels_of
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.stats.calibration import auroc
from snellen.stats.intervals import Interval, tango, wilson
from snellen.stats.jackknife import jackknifed, quantile_interval
from snellen.stats.means import Clusters, measured_interval, of_samples, share_interval
from snellen.stats.paired import difference_interval
from snellen.stats.tally import Tally

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEAST = 92.0
SEED = 20
RNG = np.random.default_rng(SEED)
PARTS = ["shares", "graded", "paired", "repeats", "scores", "beyond"]
CORRELATIONS = (0.05, 0.2, 0.5)
MEANS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
MOVES = ((0.1, 0.1), (0.02, 0.3), (0.01, 0.05), (0.3, 0.5))
"""Shares of samples that gain and lose under a control."""
GRADES = np.array([0.0, 0.3, 0.6, 0.9, 1.0])
"""VQA's soft accuracies."""
ENDS = (0.02, 0.98, (0.01, 0.05))
"""True shares and moves near an end."""


class Design(NamedTuple):
    """An exam's samples: how many there are in each cluster."""

    name: str
    sizes: tuple[int, ...]

    @property
    def correlations(self) -> tuple[float, ...]:
        return CORRELATIONS if max(self.sizes) > 1 else (0.0,)


def spread(n: int, clusters: int) -> tuple[int, ...]:
    """Spread n samples over clusters of uneven size: some have one, some several times the mean."""
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
    Design("grounding, 100 screens", (19,) * 100),
    Design("grounding demo, 12 screens", spread(228, 12)),
    Design("14 screens", spread(266, 14)),
    Design("15 screens", spread(285, 15)),
    Design("16 screens", spread(304, 16)),
    Design("5 screens", (19,) * 5),
)


ASKED = (
    (Design("30 samples, asked 3 times", (1,) * 30), 3),
    (Design("247 samples, asked 3 times", (1,) * 247), 3),
    (Design("2589 samples, asked 5 times", (1,) * 2589), 5),
    (Design("100 screens of 3, asked 3 times", (3,) * 100), 3),
)
"""Samples that are asked several times."""
STEADY = (0.2, 1.0, 10.0)
"""A model's consistency: at 0.2 nearly every sample is always right or always wrong, at 10 all are about equally likely."""


class Cell(NamedTuple):
    """One design under one correlation with one true value: coverage in percent, and width relative to that of independent samples.

    `end` says that the true value is near an end.
    """

    design: str
    setting: str
    coverage: float
    width: float
    end: bool = False


# ---------------------------------------------------------------- draws


def chances(mean: float, correlation: float, shape: tuple[int, ...], *, some: bool = False) -> Floats:
    """Draw a chance for each cluster, so that right-or-wrong samples of one cluster have this correlation.

    With `some`, all samples in that share of the clusters agree, and the samples of the others are independent.
    """
    if correlation <= 0:
        return np.full(shape, mean)
    if some:
        return np.where(RNG.random(shape) < correlation, RNG.random(shape) < mean, mean)
    both = (1 - correlation) / correlation
    return RNG.beta(mean * both, (1 - mean) * both, shape)


def grade(chance: Floats) -> Floats:
    """Draw soft accuracies with these means: six in ten are right or wrong, the others one grade beside the mean."""
    whole = RNG.random(chance.shape) < chance
    at = np.clip(np.searchsorted(GRADES, chance, side="right") - 1, 0, len(GRADES) - 2)
    up = RNG.random(chance.shape) < (chance - GRADES[at]) / (GRADES[at + 1] - GRADES[at])
    return np.where(RNG.random(chance.shape) < 0.6, whole, np.where(up, GRADES[at + 1], GRADES[at]))


def shares(
    design: Design, correlation: float, mean: float, times: int, *, graded: bool, some: bool = False
) -> Iterator[Clusters]:
    """Yield draws of a design as clusters."""
    sizes = np.array(design.sizes)
    counts, ones = sizes.astype(np.float64), np.ones(len(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for _ in range(times):
        chance = chances(mean, correlation, sizes.shape, some=some)
        if graded:
            values = grade(np.repeat(chance, sizes))
            sums, whole = np.add.reduceat(values, starts), bool(np.isin(values, (0.0, 1.0)).all())
            squares = float(values @ values)
        else:
            sums, whole = RNG.binomial(sizes, chance).astype(np.float64), True
            squares = float(sums.sum())
        yield Clusters(sums, counts, ones, whole, 0.0, 1.0, squares)


# ---------------------------------------------------------------- cells


def means(
    design: Design, times: int, *, graded: bool, correlations: Sequence[float] = (), some: bool = False
) -> Iterator[Cell]:
    """Yield the coverage of the mean of right-or-wrong or of graded samples."""
    n = sum(design.sizes)
    for correlation in correlations or design.correlations:
        for mean in MEANS:
            low, high = wilson(mean * n, n)

            def drawn(count: int, correlation: float = correlation, mean: float = mean) -> Iterator[Interval]:
                return map(share_interval, shares(design, correlation, mean, count, graded=graded, some=some))

            made = cell(design.name, f"mean {mean:g}, correlation {correlation:g}", drawn, times, mean, high - low)
            yield made._replace(end=mean in ENDS)


def asked_again(design: Design, repeats: int, times: int) -> Iterator[Cell]:
    """Yield the mean over samples of the mean over repeats, and the paired difference of two such runs, computed as a run and `compare` do.

    Every sample has its own chance; its cluster decides half of how easy or hard it is. Width is relative to that of as many
    independent samples, each asked once.
    """
    n = sum(design.sizes)
    for steady in STEADY:
        for mean in MEANS:
            low, high = wilson(mean * n, n)

            def drawn(count: int, steady: float = steady, mean: float = mean) -> Iterator[Interval]:
                return (share_interval(of_samples(*_asked(design, repeats, steady, mean))) for _ in range(count))

            made = cell(design.name, f"mean {mean:g}, steady {steady:g}", drawn, times, mean, high - low)
            yield made._replace(end=mean in ENDS)

            def moved(count: int, steady: float = steady, mean: float = mean) -> Iterator[Interval]:
                return (_moved(design, repeats, steady, mean) for _ in range(count))

            low, high = tango(mean * (1 - mean) * n, mean * (1 - mean) * n, n)
            made = cell(design.name, f"two of mean {mean:g}, steady {steady:g}", moved, times, 0.0, high - low)
            yield made._replace(end=mean in ENDS)


def _ease(design: Design, steady: float, mean: float) -> tuple[Floats, list[str]]:
    """Draw a chance for each sample: its cluster's or its own, with equal probability."""
    shared = np.repeat(RNG.beta(mean * steady, (1 - mean) * steady, len(design.sizes)), design.sizes)
    own = RNG.beta(mean * steady, (1 - mean) * steady, len(shared))
    names = [f"c{i}" if size > 1 else "" for i, size in enumerate(design.sizes) for _ in range(size)]
    return np.where(RNG.random(len(shared)) < 0.5, shared, own), names


def _asked(design: Design, repeats: int, steady: float, mean: float) -> tuple[list[float], list[str]]:
    ease, names = _ease(design, steady, mean)
    return (RNG.binomial(repeats, ease) / repeats).tolist(), names


def _moved(design: Design, repeats: int, steady: float, mean: float) -> Interval:
    """Return the paired difference of two runs of the same model on the same samples."""
    ease, names = _ease(design, steady, mean)
    moves = (RNG.binomial(repeats, ease) - RNG.binomial(repeats, ease)) / repeats
    up, down = float(moves[moves > 0].sum()), -float(moves[moves < 0].sum())
    return difference_interval(of_samples(moves.tolist(), names), up, down)


def differences(design: Design, times: int) -> Iterator[Cell]:
    """Yield the coverage of the paired difference of right-or-wrong samples under a control."""
    n = sum(design.sizes)
    for correlation in design.correlations:
        for up, down in MOVES:
            low, high = tango(up * n, down * n, n)

            def drawn(
                count: int, correlation: float = correlation, up: float = up, down: float = down
            ) -> Iterator[Interval]:
                return (difference_interval(*one) for one in moves(design, correlation, up, down, count))

            setting = f"+{up:g} -{down:g}, correlation {correlation:g}"
            made = cell(design.name, setting, drawn, times, up - down, high - low)
            yield made._replace(end=(up, down) in ENDS)


def moves(
    design: Design, correlation: float, up: float, down: float, times: int
) -> Iterator[tuple[Clusters, float, float]]:
    """Yield draws of a design's moves by cluster, and how many samples gained and lost."""
    sizes = np.array(design.sizes)
    chance = np.array([up, down, 1 - up - down])
    for _ in range(times):
        part = RNG.dirichlet(chance * (1 - correlation) / correlation, size=len(sizes)) if correlation else chance
        gained, lost, _same = RNG.multinomial(sizes, part).T
        sums = (gained - lost).astype(np.float64)
        up_sum, down_sum = float(gained.sum()), float(lost.sum())
        counts, ones = sizes.astype(np.float64), np.ones(len(sizes))
        yield Clusters(sums, counts, ones, True, -1.0, 1.0, up_sum + down_sum), up_sum, down_sum


def cell(
    design: str,
    setting: str,
    drawn: Callable[[int], Iterable[Interval | None]],
    times: int,
    truth: float,
    plain: float = 1.0,
) -> Cell:
    """Summarise the intervals of many draws. Where coverage seems too low, use 5 or 15 times as many draws.

    A missing interval does not cover the truth.
    """
    found: list[Interval | None] = []
    for most, enough in ((1, LEAST + 1.5), (5, LEAST + 0.8), (15, 0.0)):
        while len(found) < most * times:
            found += drawn(times)
        if _held(found, truth) >= enough:
            break
    widths = [one.high - one.low for one in found if one is not None]
    return Cell(design, setting, _held(found, truth), float(np.mean(widths)) / plain)


def _held(found: Sequence[Interval | None], truth: float) -> float:
    return 100 * float(np.mean([one is not None and one.low - 1e-12 <= truth <= one.high + 1e-12 for one in found]))


# ---------------------------------------------------------------- scores other than means


def macro_f1(times: int) -> Iterator[Cell]:
    """Simulate SalBench's macro F1 under `robust`: labels drawn with their real frequencies, each found or confused with another."""
    often = {"P3": (0.33, 0.34, 0.33), "O3": (0.15, 0.85, 0.05, 0.4, 0.3, 0.1, 0.2)}
    for split, frequency in often.items():
        for n in (45, 300, 2000):
            for found, false in ((0.95, 0.01), (0.7, 0.1)):

                def drawn(
                    count: int, split: str = split, given: tuple[float, ...] = frequency, n: int = n
                ) -> Iterator[Interval]:
                    return (_macro_interval(split, *_labels(split, given, found, false, n)) for _ in range(count))  # noqa: B023 (used at once)

                truth = _macro(*_labels(split, frequency, found, false, 400_000))
                yield cell(f"macro F1, {split}", f"n {n}, found {found}, false {false}", drawn, times, truth)


def _macro_interval(split: str, true: Bools, said: Bools) -> Interval:
    """Return the interval as a run computes it, from marks."""
    names = labels_of(split)
    tags, values = (
        {"config": split, "split": split, "task": "D"},
        dict.fromkeys(("exact_match", "precision", "recall", "f1"), 0.0),
    )
    tally = Tally(PROTOCOLS["robust"])
    for i, (has, read) in enumerate(zip(true.tolist(), said.tolist(), strict=True)):
        sample = Sample(id=str(i), tags=tags, truth=", ".join(compress(names, has)))
        tally.add(
            sample, Mark(id=str(i), outcome=Outcome.WRONG, reading=list(compress(names, read)), metrics=dict(values))
        )
    group = next(g for g in tally._groups.values() if g.whole)
    made = PROTOCOLS["robust"].own_scores(group)["macro_f1"]
    return Interval(made.low or 0.0, made.high or 0.0, "")


def _labels(split: str, frequency: tuple[float, ...], found: float, false: float, n: int) -> tuple[Bools, Bools]:
    if split == "P3":
        true = np.eye(len(frequency), dtype=bool)[RNG.choice(len(frequency), size=n, p=frequency)]
    else:
        true = RNG.random((n, len(frequency))) < frequency
        true[~true.any(axis=1), 1] = True
    return true, np.where(true, RNG.random(true.shape) < found, RNG.random(true.shape) < false)


def _macro(true: Bools, said: Bools) -> float:
    hits = (true & said).sum(axis=0)
    return float(np.mean(2 * hits / (true.sum(axis=0) + said.sum(axis=0))))


def others(times: int) -> Iterator[Cell]:
    """Simulate areas under curves, quantiles, and means of measurements, with and without clusters."""
    for n, apart in ((45, 0.5), (45, 2.0), (300, 0.5), (300, 2.0)):
        truth = 0.5 * (1 + erf(apart / 2))
        yield cell("AUROC", f"n {n}, {truth:.2f}", repeated(_auroc_interval, n, apart), times // 5, truth)
    for clusters, each in ((45, 1), (300, 1), (12, 19), (60, 5)):
        for at, truth in ((0.5, 1.0), (0.95, exp(1.6448536))):
            if clusters * each > 100 or at == 0.5:
                drawn = repeated(_quantile_interval, clusters, each, at)
                yield cell("quantiles of a time", f"p{100 * at:.0f}, {clusters} x {each}", drawn, times, truth, truth)
    for clusters, each, skewed in ((45, 1, 0.3), (300, 1, 0.6), (12, 19, 0.3), (60, 5, 0.6), (610, 2, 1.0)):
        drawn, truth = repeated(_time_interval, clusters, each, skewed), exp(skewed**2 / 2)
        setting = f"log spread {skewed:g}, {clusters} x {each}"
        yield cell("means of a time", setting, drawn, times, truth, truth)


def repeated(made: Callable[..., Interval | None], *given: float) -> Callable[[int], Iterable[Interval | None]]:
    """Return a function that draws an interval that many times."""
    return lambda count: (made(*given) for _ in range(count))


def _auroc_interval(n: int, apart: float) -> Interval | None:
    right = RNG.random(n) < 0.6
    scores = RNG.normal(size=n) + apart * right

    def ranked(weights: Floats) -> float | None:
        return auroc(scores[weights > 0].tolist(), right[weights > 0].tolist())

    return jackknifed(ranked, [f"c{i}" for i in range(n)], made_of=max(1.0, float(min(right.sum(), n - right.sum()))))


def _logs(clusters: int, each: int) -> tuple[Floats, list[str]]:
    """Draw normal values with a correlation of 0.25 within clusters; return them with the clusters' names."""
    values = 0.5 * np.repeat(RNG.normal(size=clusters), each) + 0.75**0.5 * RNG.normal(size=clusters * each)
    return values, [f"c{i}" if each > 1 else "" for i in range(clusters) for _ in range(each)]


def _quantile_interval(clusters: int, each: int, at: float) -> Interval | None:
    values, names = _logs(clusters, each)
    return quantile_interval(np.exp(values).tolist(), at, names)


def _time_interval(clusters: int, each: int, skewed: float) -> Interval | None:
    values, names = _logs(clusters, each)
    return measured_interval(of_samples(np.exp(skewed * values).tolist(), names))


# ---------------------------------------------------------------- power


def power(design: Design, changing: float = 0.2, correlation: float = 0.2) -> float:
    """Return the difference between two models on the same samples that is detected with 80% power, in points.

    A fifth of the samples come out differently, with a correlation of 0.2 within clusters.
    A difference d is detected where it is 1.96 standard errors from 0, in four of five draws: n d² = (1.96 √c + 0.84 √(c - d²))².
    """
    sizes = np.array(design.sizes)
    n = sizes.sum() / (1 + ((sizes**2).sum() / sizes.sum() - 1) * correlation)
    low, high = 0.0, changing
    for _ in range(60):
        d = (low + high) / 2
        enough = n * d * d >= (1.959964 * changing**0.5 + 0.841621 * (changing - d * d) ** 0.5) ** 2
        low, high = (low, d) if enough else (d, high)
    return 100 * high


def claimed(times: int, wanted: Sequence[str]) -> Iterator[Cell]:
    """Print the parts with a claimed coverage, and yield their cells."""
    kinds: tuple[tuple[str, str, Callable[[Design], Iterator[Cell]]], ...] = (
        ("shares", "right or wrong", lambda d: means(d, times, graded=False)),
        ("graded", "graded", lambda d: means(d, times, graded=True)),
        ("paired", "paired differences", lambda d: differences(d, times)),
    )
    for word, title, made in kinds:
        if word in wanted:
            begin(title)
            for design in DESIGNS:
                yield from shown(design.name, list(made(design)))
    if "repeats" in wanted:
        begin("asked several times")
        for design, repeats in ASKED:
            yield from shown(design.name, list(asked_again(design, repeats, times)))
    if "scores" in wanted:
        begin("scores that are no means")
        cells: dict[str, list[Cell]] = {}
        for one in (*macro_f1(times // 5), *others(times)):
            cells.setdefault(one.design, []).append(one)
        for name, some in cells.items():
            yield from shown(name, some)


def beyond(times: int) -> None:
    """Print what has no claimed coverage, and the differences that the designs can detect."""
    begin("samples of a cluster that nearly stand and fall as one (not counted below)")
    for correlation in (0.8, 0.95):
        for design in (DESIGNS[3], DESIGNS[13], DESIGNS[-1]):
            found = means(design, times, graded=False, correlations=(correlation,))
            shown(f"{design.name}, {correlation:g}", list(found))
    begin("some clusters stand and fall as one, the others not at all (not counted below)")
    for correlation in (0.1, 0.35):
        for design in (DESIGNS[3], DESIGNS[13], DESIGNS[17]):
            found = means(design, times, graded=False, correlations=(correlation,), some=True)
            shown(f"{design.name}, {correlation:g}", list(found))
    print("\npower: the difference in points found with a chance of 80 %, a fifth of samples changing")
    print("  ".join(f"{design.name} {power(design):.1f}" for design in DESIGNS))
    print(f"one false 'excludes zero' among 24 differences that are 0: {100 * (1 - 0.95**24):.0f} %")


def begin(title: str) -> None:
    """Print a part's title and restart the random numbers."""
    RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state
    print(f"\n{title}", flush=True)


def main() -> int:
    times = 100 if "--quick" in sys.argv else 400
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")] or PARTS
    print(
        f"{'':28}{'cells':>7}{'lowest':>8}{'mean':>7}{'ends':>7}{'highest':>9}{'width':>7}   the cell that covers least"
    )
    low = list(claimed(times, wanted))
    if "beyond" in wanted:
        beyond(times)
    least = LEAST if times >= 400 else LEAST - 2
    under = [c for c in low if c.coverage < least]
    print(f"\n{len(low)} cells, {len(under)} under {least:g} %")
    for one in under:
        print(f"  {one.design}, {one.setting}: {one.coverage:.1f}")
    return 1 if under else 0


def shown(name: str, cells: list[Cell]) -> list[Cell]:
    """Print a design's line."""
    cover = [c.coverage for c in cells]
    worst = min(cells, key=lambda c: c.coverage)
    ends = [c.coverage for c in cells if c.end]
    print(
        f"{name:28}{len(cells):7}{min(cover):8.1f}{np.mean([c.coverage for c in cells if not c.end]):7.1f}"
        f"{f'{np.mean(ends):.1f}' if ends else '':>7}{max(cover):9.1f}"
        f"{np.mean([c.width for c in cells]):7.2f}   {worst.setting}",
        flush=True,
    )
    return cells


if __name__ == "__main__":
    sys.exit(main())
