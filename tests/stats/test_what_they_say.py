"""Intervals hold the truth as often as they say, and p values are no smaller than they say. The whole grid is in bench/grid.py."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from snellen.comparison.headline import own_difference
from snellen.core.protocol import Seen
from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.stats.intervals import tango, wilson
from snellen.stats.means import Clusters, share_interval
from snellen.stats.significance import _counted_out, mcnemar, sign_flips

RATES = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95)
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.5)


@pytest.mark.parametrize("n", [30, 247, 2589])
def test_wilsons_interval_holds_the_rate_as_often_as_it_says(n: int) -> None:
    """From the binomial distribution, without chance. Right or wrong answers move in steps: with 30 samples a single rate may be off."""
    binom = pytest.importorskip("scipy.stats").binom
    ends = [wilson(k, n) for k in range(n + 1)]
    held = [sum(binom.pmf(k, n, rate) for k in range(n + 1) if ends[k][0] <= rate <= ends[k][1]) for rate in RATES]
    assert 0.93 <= np.mean(held) <= 0.97
    assert min(held) > 0.929 and (n == 30 or max(held) < 0.97)


@pytest.mark.parametrize("n", [30, 247])
def test_tangos_interval_holds_the_difference_as_often_as_it_says(n: int) -> None:
    multinomial = pytest.importorskip("scipy.stats").multinomial
    held = []
    for won, lost in ((0.1, 0.1), (0.05, 0.25)):
        counts = np.array(
            [(up, down, n - up - down) for up in range(min(n, 90)) for down in range(min(n - up, 110) + 1)]
        )
        chances = multinomial.pmf(counts, n, [won, lost, 1 - won - lost])
        likely = chances > 1e-7
        inside = 0.0
        for (up, down, _same), chance in zip(counts[likely].tolist(), chances[likely].tolist(), strict=True):
            low, high = tango(up, down, n)
            inside += chance * (low <= won - lost <= high)
        held.append(inside)
    assert all(0.93 <= one <= 0.97 for one in held), held


def test_a_share_by_clusters_covers_what_it_says_and_samples_taken_for_independent_do_not() -> None:
    """247 samples in 30 clusters with a correlation of 0.2."""
    dice = np.random.default_rng(6)
    sizes = np.full(30, 8) + (np.arange(30) < 7)
    held = naive = 0
    for _ in range(300):
        sums = dice.binomial(sizes, dice.beta(1.2, 2.8, 30)).astype(np.float64)
        found = share_interval(Clusters(sums, sizes.astype(np.float64), np.ones(30), True, 0.0, 1.0, float(sums.sum())))
        held += found.low <= 0.3 <= found.high
        low, high = wilson(float(sums.sum()), 247)
        naive += low <= 0.3 <= high
    assert 280 <= held <= 300 and naive < 260


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("changing", [1, 2, 5, 6, 17, 60, 250])
def test_mcnemars_p_is_never_too_small(changing: int) -> None:
    """Of so many samples that changed, each as likely lost as won: p is at most a level no more often than that, exactly."""
    binom = pytest.importorskip("scipy.stats").binom
    chances = [binom.pmf(k, changing, 0.5) for k in range(changing + 1)]
    found = [mcnemar(k, changing - k) for k in range(changing + 1)]
    for level in LEVELS:
        small = sum(c for c, p in zip(chances, found, strict=True) if p <= level)
        assert small <= level + 1e-9
    for reached in sorted(set(found)):  # and no less often than it can: p is the chance of p or less
        assert sum(c for c, p in zip(chances, found, strict=True) if p <= reached + 1e-12) == pytest.approx(reached)


@pytest.mark.parametrize("clusters", [0, 10, 30])
def test_with_ties_broken_by_a_coin_p_is_uniform(clusters: int) -> None:
    """An exact p has steps; half of the steps by chance, it has none: this finds a tail that is counted once too often or too seldom."""
    kstest = pytest.importorskip("scipy.stats").kstest
    dice = np.random.default_rng(30 + clusters)
    count = clusters or 120
    found, whole = [], []
    for _ in range(500):
        up, down = dice.multinomial(np.full(count, 120 // count), [0.15, 0.15, 0.7]).T[:2]
        sums = (up - down).astype(np.float64)
        sizes = Counter(np.abs(up - down).tolist())
        del sizes[0]
        total = abs(int((up - down).sum()))
        p = sign_flips(Clusters(sums, np.full(count, 120.0 / count), np.ones(count), True, -1.0, 1.0, 0.0)).p
        more = _counted_out(sizes, total + 1)
        assert p == pytest.approx(_counted_out(sizes, total))
        found.append(more + dice.random() * (p - more))
        whole.append(p)
    assert kstest(found, "uniform").pvalue > 0.001
    for level in LEVELS:
        assert np.mean(np.array(whole) <= level) <= level + 3 * (level * (1 - level) / 500) ** 0.5


# ---------------------------------------------------------------- a headline's difference


def answered(truth: str, said: str) -> Seen:
    sample = Sample(id="", tags={"config": "P3", "split": "P3", "task": "D"}, truth=truth)
    values = dict.fromkeys(("exact_match", "precision", "recall", "f1"), float(truth == said))
    return PROTOCOLS["robust"].seen(sample, Mark(id="", outcome=Outcome.CORRECT, reading=[said], metrics=values))


@pytest.mark.parametrize("moved", [0, 1])
def test_two_runs_that_hardly_differ_are_not_surely_the_same(moved: int) -> None:
    """Leaving out samples that did not move moves nothing: some doubt stays, as much as of 30 samples that are all alike."""
    labels = ["color", "orientation", "size"]
    truths = [labels[i % 3] for i in range(30)]
    first = [answered(t, t) for t in truths]
    second = [answered(t, labels[1] if i < moved else t) for i, t in enumerate(truths)]
    found = own_difference(PROTOCOLS["robust"], "macro_f1", {"config": "P3"}, [first], [second])
    assert found is not None and found.low is not None and found.high is not None
    least = tango(0, 0, 30)[1]
    assert found.high - found.difference >= least - 1e-9 and found.difference - found.low >= least - 1e-9
    assert least == pytest.approx(0.1135, abs=1e-3)
