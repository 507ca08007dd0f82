"""Simulate whether 95% intervals cover the truth in 93 to 97% of runs, and whether p values are uniform under no difference.

    python bench/grid.py [--quick] [intervals] [tests]

Intervals: every kind that a run or a comparison shows, at n = 30, 247 and 2,589 and true rates of 5 to 95%, 2,000 runs a cell. Samples are
independent or in 10, 30 and 100 clusters of one size, with a correlation of 0.2 within clusters. A line is a kind at an n and a number of
clusters: the mean coverage over its rates, the lowest and highest cell, and the numbers of cells below 93 and above 97%. With few
right-or-wrong samples, coverage moves in steps. Wilson's and Tango's for independent samples are therefore also computed exactly, from the
binomial and the trinomial distribution. `known` is the coverage of Wilson's or Tango's interval if the design effect and grades were known
instead of estimated, by 10,000 separate draws. For a difference of macro F1 it is Tango's on the same runs' shares of right answers. A cell
is `forced` where even that covers over 97%: no better estimate can fix it. The mean includes forced cells, `others` does not.
Tests: how often p is at most 1, 5, 10, 20 and 50% without a difference, and its largest distance from uniform. Exact tests move in steps
and stay below; with ties broken by a coin there are no steps.
Exits 1 if a line's mean is below 93%, or outside 93 to 97% without its forced cells, or if p is too small too often.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from math import exp, lgamma, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.headline import _ends, own_difference
from snellen.core.protocol import Seen
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.stats.intervals import Interval, Z, tango, wilson
from snellen.stats.jackknife import left_out, quantile_interval
from snellen.stats.means import Clusters, measured_interval, share_interval
from snellen.stats.paired import difference_interval
from snellen.stats.significance import _counted_out, sign_flips
from snellen.stats.tally import group_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SEED = 13
RNG = np.random.default_rng(SEED)
APART = np.random.default_rng(31)  # for `known`, so that its draws do not change those of the cells
KNOWN = 10_000
NUMBERS = (30, 247, 2589)
RATES = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95)
CLUSTERS = (0, 10, 30, 100)
CORRELATION = 0.2
MOVES = ((0.025, 0.025), (0.1, 0.1), (0.02, 0.1), (0.05, 0.25), (0.3, 0.3))
"""Shares of samples that are won and lost between two runs."""
ALIKE = (0.7, 0.2)
"""Shares of samples on which the second of two runs repeats the reply of the first."""
GRADES = np.array([0.3, 0.6, 1.0])
WHOLE = 0.6
"""Of graded values, those that are right or wrong; the others lie around the chance, half as far from it as they could."""
LOW, HIGH = 93.0, 97.0
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.5)
LABELS = ("Color", "Orientation", "Size")
ROBUST = PROTOCOLS["robust"]
TAGS = {"config": "P3", "split": "P3", "task": "D"}


class Cell(NamedTuple):
    """A kind of interval at an n, a number of clusters (0: none) and a true value, with the coverage in percent."""

    kind: str
    n: int
    clusters: int
    setting: str
    coverage: float
    known: float | None = None

    @property
    def forced(self) -> bool:
        """Tell whether even the interval that knows what others estimate covers too often."""
        return self.known is not None and self.known > HIGH


def designs() -> Iterator[tuple[int, int, Ints]]:
    """Yield n, the number of clusters, and their sizes. One cluster per sample counts as none."""
    for n in NUMBERS:
        for clusters in CLUSTERS:
            if clusters < n:
                count = clusters or n
                yield n, clusters, np.full(count, n // count) + (np.arange(count) < n % count)


def chances(rate: float, shape: tuple[int, int], clusters: int, rng: np.random.Generator = RNG) -> Floats:
    """Draw a chance for each cluster of each run."""
    if not clusters:
        return np.full(shape, rate)
    both = (1 - CORRELATION) / CORRELATION
    return rng.beta(rate * both, (1 - rate) * both, shape)


def covered(found: Iterable[Interval | None], truth: float) -> float:
    """Return the coverage in percent; a missing interval does not cover the truth."""
    held = [one is not None and one.low - 1e-12 <= truth <= one.high + 1e-12 for one in found]
    return 100 * float(np.mean(held))


# ---------------------------------------------------------------- means and differences


def shares(times: int) -> Iterator[Cell]:
    """Yield cells of shares of right answers."""
    for n, clusters, sizes in designs():
        ones = np.ones(len(sizes))
        for rate in RATES:
            if clusters:
                sums = RNG.binomial(sizes, chances(rate, (times, len(sizes)), clusters)).astype(np.float64)
                found = [
                    share_interval(Clusters(row, sizes.astype(np.float64), ones, True, 0.0, 1.0, float(row.sum())))
                    for row in sums
                ]
                yield Cell("share", n, clusters, f"{rate:g}", covered(found, rate), known_share(sizes, clusters, rate))
            else:
                counts = Counter(RNG.binomial(n, rate, times).tolist())
                held = sum(c for k, c in counts.items() if _holds(k, n, rate))
                yield Cell("share", n, clusters, f"{rate:g}", 100 * held / times, exact(n, rate))


@cache
def _holds(k: int, n: int, rate: float) -> bool:
    """Tell whether the interval of k right ones of n independent samples covers the rate."""
    values = np.array([1.0, 0.0])
    found = share_interval(Clusters(values, np.ones(2), np.array([float(k), float(n - k)]), True, 0.0, 1.0, float(k)))
    return found.low - 1e-12 <= rate <= found.high + 1e-12


def exact(n: int, rate: float) -> float:
    """Return the coverage of Wilson's interval, in percent."""
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(rate) + (n - k) * log(1 - rate)
        for k in range(n + 1)
    ]
    held = (low <= rate <= high for low, high in (wilson(k, n) for k in range(n + 1)))
    return 100 * sum(exp(one) for one, yes in zip(logs, held, strict=True) if yes)


def graded(times: int) -> Iterator[Cell]:
    """Yield cells of means of graded values."""
    for n, clusters, sizes in designs():
        starts, ones = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.ones(len(sizes))
        for rate in RATES:
            found: list[Interval | None] = []
            for chance in chances(rate, (times, len(sizes)), clusters):
                each = np.repeat(chance, sizes)
                right = (RNG.random(n) < each).astype(np.float64)
                values = np.where(RNG.random(n) < WHOLE, right, (right + each) / 2)
                sums, counts = np.add.reduceat(values, starts), sizes.astype(np.float64)
                found.append(share_interval(Clusters(sums, counts, ones, False, 0.0, 1.0, float(values @ values))))
            known = known_share(sizes, clusters, rate, grades=True)
            yield Cell("share, graded", n, clusters, f"{rate:g}", covered(found, rate), known)


def known_share(sizes: Ints, clusters: int, rate: float, *, grades: bool = False) -> float:
    """Return the coverage of Wilson's interval in percent if the number of equivalent right-or-wrong samples were known."""
    share, n = CORRELATION if clusters else 0.0, int(sizes.sum())
    alike = (float((sizes**2).sum()) / n - 1) * share
    part = 1 / ((share + (1 - share) * (1 + 3 * WHOLE) / 4 if grades else 1.0) + alike)
    if not clusters:
        sizes = np.array([n])  # it is their sum that counts
    each = chances(rate, (KNOWN, len(sizes)), clusters, APART)
    whole = APART.binomial(sizes, WHOLE, each.shape) if grades else np.broadcast_to(sizes, each.shape)
    sums = APART.binomial(whole, each) + (APART.binomial(sizes - whole, each) + (sizes - whole) * each) / 2
    far = np.abs(sums.sum(axis=1) / n - rate)
    return 100 * float(np.mean(far <= Z * sqrt(rate * (1 - rate) / (n * part)) + 1e-12))


def differences(times: int, *, grades: bool) -> Iterator[Cell]:
    """Yield cells of paired differences: samples that are won and lost, whole or by grades."""
    kind = "difference, graded" if grades else "difference"
    mean = float(GRADES.mean()) if grades else 1.0
    for n, clusters, sizes in designs():
        for won, lost in MOVES:
            drawn = moves(sizes, clusters, won, lost, times, grades=grades)
            cover = covered((difference_interval(*one) for one in drawn), (won - lost) * mean)
            known = known_difference(sizes, clusters, won, lost, grades=grades)
            yield Cell(kind, n, clusters, f"+{won:g} -{lost:g}", cover, known)


def known_difference(sizes: Ints, clusters: int, won: float, lost: float, *, grades: bool = False) -> float:
    """Return the coverage of Tango's interval in percent if the number of equivalent right-or-wrong samples were known."""
    n = int(sizes.sum())
    alike = (float((sizes**2).sum()) / n - 1) * (CORRELATION if clusters else 0.0)
    mean, square = (float((GRADES**k).mean()) if grades else 1.0 for k in (1, 2))
    truth = (won - lost) * mean
    own, shared, most = ((won + lost) * part - truth**2 for part in (square, mean**2, mean))
    parts = np.array([won, lost, 1 - won - lost])
    if clusters:
        chance = APART.dirichlet(parts * (1 - CORRELATION) / CORRELATION, (KNOWN, len(sizes)))
        counts = APART.multinomial(np.broadcast_to(sizes, chance.shape[:2]), chance).sum(axis=1)
    else:
        counts = APART.multinomial(n, parts, KNOWN)
    sums = APART.multinomial(counts[:, :2], np.full(len(GRADES), 1 / len(GRADES))) @ GRADES if grades else counts[:, :2]
    part = most / (own + alike * shared)
    return 100 * float(np.mean(_plausible(sums[:, 0] * part, sums[:, 1] * part, n * part, truth)))


def _plausible(up: Floats, down: Floats, n: float, d: float) -> NDArray[np.bool_]:
    """Tell whether Tango's interval of each (up, down) covers d: the formula of `tango`, vectorised (`check_plausible`)."""
    b, c = (2 * n - up + down) * d - up - down, -down * d * (1 - d)
    lost = (np.sqrt(np.maximum(0.0, b * b - 8 * n * c)) - b) / (4 * n)
    return np.asarray((up - down - n * d) ** 2 <= Z**2 * n * np.maximum(0.0, 2 * lost + d * (1 - d)) + 1e-9)


def exact_difference(n: int, won: float, lost: float) -> float:
    """Return the coverage of Tango's interval, in percent."""
    up, down = np.triu_indices(n + 1)  # down counts both, so far
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    same, down = n - down, down - up
    chance = logs[n] - logs[up] - logs[down] - logs[same]
    chance += up * log(won) + down * log(lost) + same * log(1 - won - lost)
    return 100 * float(np.exp(chance) @ _plausible(up.astype(np.float64), down.astype(np.float64), n, won - lost))


def check_plausible() -> None:
    up, down = np.indices((9, 9)).reshape(2, -1).astype(np.float64)
    ends = [tango(*one, 30) for one in zip(up.tolist(), down.tolist(), strict=True)]
    if [low <= 0.1 <= high for low, high in ends] != _plausible(up, down, 30, 0.1).tolist():
        raise SystemExit("Tango's interval of this file is not that of the package")


def moves(
    sizes: Ints, clusters: int, won: float, lost: float, times: int, *, grades: bool = False
) -> Iterator[tuple[Clusters, float, float]]:
    """Yield draws of moves by cluster, with the sums of what was won and lost."""
    parts = np.array([won, lost, 1 - won - lost])
    n, counts, ones = int(sizes.sum()), sizes.astype(np.float64), np.ones(len(sizes))
    for _ in range(times):
        if clusters:
            chance = RNG.dirichlet(parts * (1 - CORRELATION) / CORRELATION, size=len(sizes))
            up, down = RNG.multinomial(sizes, chance).T[:2]
        else:
            kinds = RNG.choice(3, n, p=parts)
            up, down = kinds == 0, kinds == 1
        gained, given = (_graded(x) if grades else (x.astype(np.float64), float(x.sum())) for x in (up, down))
        found = Clusters(gained[0] - given[0], counts, ones, not grades, -1.0, 1.0, gained[1] + given[1])
        yield found, float(gained[0].sum()), float(given[0].sum())


def _graded(counts: NDArray[np.int64] | NDArray[np.bool_]) -> tuple[Floats, float]:
    """Return the sums of that many grades, and the sum of their squares."""
    whole = counts.astype(np.int64)
    each = RNG.choice(GRADES, int(whole.sum()))
    sums = np.bincount(np.repeat(np.arange(len(whole)), whole), weights=each, minlength=len(whole))
    return np.asarray(sums, dtype=np.float64), float(each @ each)


def times_taken(times: int) -> Iterator[Cell]:
    """Yield cells of means and medians of a skewed measurement, in seconds."""
    for n, clusters, sizes in designs():
        starts, ones = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.ones(len(sizes))
        names = [f"c{i}" if clusters else "" for i, size in enumerate(sizes.tolist()) for _ in range(size)]
        share = CORRELATION if clusters else 0.0
        means: list[Interval | None] = []
        medians: list[Interval | None] = []
        for _ in range(times):
            normal = sqrt(share) * np.repeat(RNG.normal(size=len(sizes)), sizes) + sqrt(1 - share) * RNG.normal(size=n)
            values = np.exp(0.5 * normal)
            sums, counts = np.add.reduceat(values, starts), sizes.astype(np.float64)
            ends = False, 0.0, float(values.max())
            means.append(measured_interval(Clusters(sums, counts, ones, *ends, float(values @ values))))
            medians.append(quantile_interval(values.tolist(), 0.5, names))
        yield Cell("measurement", n, clusters, "log spread 0.5", covered(means, exp(0.125)))
        yield Cell("median", n, clusters, "log spread 0.5", covered(medians, 1.0))


# ---------------------------------------------------------------- scores other than means


def said(true: int, label: int) -> Seen:
    """Return a mark of SalBench's `robust`."""
    sample = Sample(id="", tags=TAGS, truth=LABELS[true].lower())
    values: dict[str, float | str | None] = dict.fromkeys(
        ("exact_match", "precision", "recall", "f1"), float(true == label)
    )
    mark = Mark(
        id="",
        outcome=Outcome.CORRECT if true == label else Outcome.WRONG,
        reading=[LABELS[label].lower()],
        metrics=values,
    )
    return ROBUST.seen(sample, mark)


def f1(counts: Floats) -> Floats:
    """Return the macro F1 of counted (true, said) in the last two axes."""
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    both = counts.sum(axis=-1) + counts.sum(axis=-2)
    there = counts.sum(axis=-1) > 0
    each = np.where(there, 2 * hits / np.maximum(both, 1e-9), 0.0)
    return np.asarray(each.sum(axis=-1) / there.sum(axis=-1).clip(min=1), dtype=np.float64)


def confused(rate: float) -> Floats:
    """Return the chances of (true, said): three labels, this share said rightly, the others at random."""
    return (np.eye(3) * (rate - (1 - rate) / 2) + (1 - rate) / 2) / 3


def macro(times: int) -> Iterator[Cell]:
    """Yield cells of SalBench's macro F1 on P3, by the protocol's own code."""
    seen = [said(true, label) for true in range(3) for label in range(3)]
    for n in NUMBERS:
        for rate in RATES:
            counts = RNG.multinomial(n, confused(rate).ravel(), times).tolist()
            scores = (
                ROBUST.own_scores(group_of({"config": "P3"}, zip(seen, row, strict=True)))["macro_f1"] for row in counts
            )
            found = (None if s.low is None or s.high is None else Interval(s.low, s.high, "") for s in scores)
            yield Cell("macro F1", n, 0, f"{rate:g}", covered(found, float(f1(confused(rate)))))


def macro_difference(times: int) -> Iterator[Cell]:
    """Yield the difference of two runs' macro F1 as `compare` shows it: the second repeats some replies, else has its own rate."""
    for n, alike in product(NUMBERS, ALIKE):
        groups = min(n, 100)
        sizes = np.full(groups, n // groups) + (np.arange(groups) < n % groups)
        for rate in RATES:
            other = abs(rate - 0.1)
            own = confused(rate), confused(other)
            joint = alike * np.einsum("ta,ab->tab", own[0], np.eye(3))
            joint += (1 - alike) * np.einsum("ta,tb->tab", own[0], 3 * own[1])
            truth = float(f1(joint.sum(axis=1)) - f1(joint.sum(axis=2)))
            found: list[Interval | None] = []
            for _ in range(times):
                counts = RNG.multinomial(sizes, joint.ravel()).reshape(groups, 3, 3, 3).astype(np.float64)
                found.append(_moved(counts))
            moved = ((1 - alike) * (1 - rate) * other, (1 - alike) * rate * (1 - other))
            known = known_difference(np.ones(n, dtype=np.int64), 0, *moved)
            yield Cell("macro F1, difference", n, 0, f"{rate:g}, {alike:g} alike", covered(found, truth), known)


def _moved(counts: Floats) -> Interval | None:
    """Return the interval from counts of (true, first, second) in each of the groups that are left out."""
    every = counts.sum(axis=0)
    rest = every - counts
    value = float(f1(every.sum(axis=1)) - f1(every.sum(axis=2)))
    low, high = _ends(value, f1(rest.sum(axis=2)) - f1(rest.sum(axis=3)), round(float(every.sum())))
    return None if low is None or high is None else Interval(low, high, "")


def check_moved() -> None:
    """Check that the shortcut above gives the same as `compare`."""
    drawn = RNG.integers(0, 3, (120, 3)).tolist()
    first, second = ([said(true, label[k]) for true, *label in drawn] for k in (0, 1))
    theirs = own_difference(ROBUST, "macro_f1", {"config": "P3"}, [first], [second])
    counts = np.zeros((100, 3, 3, 3))
    for group, row in enumerate(left_out([""] * 120)):
        for at in np.flatnonzero(row == 0).tolist():
            counts[(group, *drawn[at])] += 1
    ours = _moved(counts)
    ends = (None, None) if theirs is None else (theirs.low, theirs.high)
    if ours is None or None in ends or not np.allclose(np.array(ends, dtype=np.float64), ours[:2], atol=1e-6, rtol=0):
        raise SystemExit(f"the macro F1 of this file is not that of compare: {ours}, {theirs}")


# ---------------------------------------------------------------- tests


class Tested(NamedTuple):
    """A design without a difference: its p values, and those with ties broken by a coin where all outcomes are enumerated."""

    name: str
    p: Floats
    broken: Floats | None


def tested(times: int) -> Iterator[Tested]:
    """Yield right-or-wrong values at every n, alone and in clusters, and graded values, drawn and enumerated."""
    for n, clusters, sizes in designs():
        drawn = [one for one, _up, _down in moves(sizes, clusters, 0.1, 0.1, times)]
        p = np.array([sign_flips(one).p for one in drawn])
        yield Tested(f"right or wrong, n {n:,}{_in(clusters)}", p, np.array([broken(one) for one in drawn]))
    for n, clusters in ((30, 10), (247, 0), (247, 30), (2589, 100)):
        sizes = np.full(clusters or n, n // (clusters or n))
        drawn = [one for one, _up, _down in moves(sizes, clusters, 0.2, 0.2, times, grades=True)]
        yield Tested(f"graded, n {n:,}{_in(clusters)}", np.array([sign_flips(one).p for one in drawn]), None)


def _in(clusters: int) -> str:
    return f", {clusters} clusters" if clusters else ""


def broken(moved: Clusters) -> float:
    """Return the chance of more than was found, plus that of as much times a random number: uniform under no difference."""
    sizes = Counter(np.abs(moved.sums).round().astype(int).tolist())
    del sizes[0]
    found = round(abs(moved.total))
    more = _counted_out(sizes, found + 1)
    return more + float(RNG.random()) * (_counted_out(sizes, found) - more)


# ---------------------------------------------------------------- tables


def print_intervals(times: int) -> int:
    """Print a line for each kind, n and number of clusters, then for each kind and n; return how many of the former are off."""
    check_moved()
    check_plausible()
    print(f"Coverage of 95 % intervals, in %; {times:,} runs a cell, correlation {CORRELATION} within clusters")
    print(
        f"{'kind':22}{'n':>6}{'clusters':>10}{'cells':>7}{'mean':>7}{'lowest':>8}{'highest':>9}{'<93':>5}{'>97':>5}"
        f"{'forced':>8}{'others':>8}{'known':>7}   lowest at"
    )
    every: list[Cell] = []
    kinds: Sequence[Callable[[int], Iterator[Cell]]] = (
        shares,
        graded,
        lambda count: differences(count, grades=False),
        lambda count: differences(count, grades=True),
        times_taken,
        macro,
        macro_difference,
    )
    off = 0
    for made in kinds:
        cells = list(made(times))
        every += cells
        for key in dict.fromkeys((c.kind, c.n, c.clusters) for c in cells):
            off += _line([c for c in cells if (c.kind, c.n, c.clusters) == key], f"{key[2] or 'none'}")
    print("\nAll numbers of clusters together:")
    for kind, n in dict.fromkeys((c.kind, c.n) for c in every):
        _line([c for c in every if (c.kind, c.n) == (kind, n)], "all")
    print(
        f"{off} lines have a mean below {LOW:g} %, or without forced cells one that is not between {LOW:g} and {HIGH:g} %"
    )
    print("\nForced cells: even with the samples' worth known, coverage is above 97 % (coverage, known):")
    for one in every:
        if one.forced:
            where = f"{one.n:,}{_in(one.clusters)}"
            print(f"{one.kind:22}{where:24}{one.setting:20}{one.coverage:7.1f}{one.known:7.1f}")
    print("\nWilson's interval of independent samples, computed without chance; rates of 5 to 95 %:")
    for n in NUMBERS:
        print(f"n {n:5,}  " + "  ".join(f"{exact(n, rate):5.1f}" for rate in RATES))
    print("Tango's, of " + ", ".join(f"+{won:g} -{lost:g}" for won, lost in MOVES))
    for n in NUMBERS[:2]:
        print(f"n {n:5,}  " + "  ".join(f"{exact_difference(n, *one):5.1f}" for one in MOVES))
    return off


def _line(cells: Sequence[Cell], clusters: str) -> bool:
    """Print cells as one line; return whether their mean is off."""
    cover = [c.coverage for c in cells]
    others = [c.coverage for c in cells if not c.forced]
    known = [c.known for c in cells if c.known is not None]
    worst = min(cells, key=lambda c: c.coverage)
    below, above = sum(c < LOW for c in cover), sum(c > HIGH for c in cover)
    mean, rest = float(np.mean(cover)), float(np.mean(others)) if others else None
    print(
        f"{worst.kind:22}{worst.n:6,}{clusters:>10}{len(cells):7}{mean:7.1f}{min(cover):8.1f}{max(cover):9.1f}"
        f"{below:5}{above:5}{len(cells) - len(others):8}{'' if rest is None else f'{rest:.1f}':>8}"
        f"{f'{np.mean(known):.1f}' if known else '':>7}   {worst.setting}",
        flush=True,
    )
    return mean < LOW or (rest is not None and not LOW <= rest <= HIGH)


def print_tests(times: int) -> int:
    """Print a line for each design; return how many p values are too small too often. Its draws do not depend on the intervals before."""
    RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state
    print(f"\nHow often p is at most so much where there is no difference, in %; {times:,} draws")
    head = "".join(f"{100 * level:7.0f}" for level in LEVELS)
    print(f"{'design':44}{head}   furthest   ties broken:{head}   furthest")
    wrong = 0
    for one in tested(times):
        shares = [float(np.mean(one.p <= level + 1e-12)) for level in LEVELS]
        wrong += any(
            s > level + 3.5 * sqrt(level * (1 - level) / times) for s, level in zip(shares, LEVELS, strict=True)
        )
        said = "".join(f"{100 * s:7.1f}" for s in shares) + f"{_furthest(one.p):11.3f}"
        if one.broken is not None:
            even = [float(np.mean(one.broken <= level)) for level in LEVELS]
            wrong += any(abs(s - x) > 3.5 * sqrt(x * (1 - x) / times) for s, x in zip(even, LEVELS, strict=True))
            said += " " * 15 + "".join(f"{100 * s:7.1f}" for s in even) + f"{_furthest(one.broken):11.3f}"
        print(f"{one.name:44}{said}", flush=True)
    return wrong


def _furthest(p: Floats) -> float:
    """Return the largest distance of the p values' distribution from the uniform one (Kolmogorov and Smirnov's)."""
    found = np.sort(p)
    steps = np.arange(len(found) + 1) / len(found)
    return float(max(np.max(steps[1:] - found), np.max(found - steps[:-1])))


def main() -> int:
    """Print the requested parts; without arguments, all of them."""
    times = 200 if "--quick" in sys.argv else 2000
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")] or ["intervals", "tests"]
    wrong = print_intervals(times) if "intervals" in wanted else 0
    wrong += print_tests(times) if "tests" in wanted else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
