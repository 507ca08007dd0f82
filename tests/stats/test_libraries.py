"""The same numbers as scipy, statsmodels and scikit-learn, wherever they have the method."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest

from snellen.core.types import Mark, Outcome, Sample
from snellen.exams.salbench.protocols import PROTOCOLS
from snellen.stats import significance
from snellen.stats.agreement import Agreement
from snellen.stats.calibration import auroc
from snellen.stats.entropy import bound_from_top
from snellen.stats.intervals import LEVEL, student, wilson
from snellen.stats.jackknife import jackknifed
from snellen.stats.means import alone, measured_interval, of_samples, share_interval
from snellen.stats.power import POWER, samples_for
from snellen.stats.significance import DRAWN, EXACT, NORMAL, sign_flips
from snellen.stats.tally import summarised

DICE = np.random.default_rng(9)


def test_students_quantile_is_scipys() -> None:
    t = pytest.importorskip("scipy.stats").t
    for df in (0.5, 1, 1.3, 2, 2.7, 3, 5, 8.8, 14, 30, 99.5, 1000, 123456.7, 5e6):
        assert student(df) == pytest.approx(t.ppf((1 + LEVEL) / 2, df), rel=1e-7)
    assert student(1e9) == pytest.approx(t.ppf((1 + LEVEL) / 2, 1e9), rel=1e-6)


def test_wilsons_interval_is_scipys_and_statsmodels() -> None:
    stats, proportion = pytest.importorskip("scipy.stats"), pytest.importorskip("statsmodels.stats.proportion")
    for n in (1, 2, 7, 45, 247, 26534):
        for k in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            theirs = stats.binomtest(k, n).proportion_ci(method="wilson")
            assert wilson(k, n) == pytest.approx(tuple(theirs), abs=1e-12)
            assert wilson(k, n) == pytest.approx(proportion.proportion_confint(k, n, method="wilson"), abs=1e-12)
            ours = share_interval(alone({v: c for v, c in ((1.0, k), (0.0, n - k)) if c}))
            assert ours[:2] == pytest.approx(tuple(theirs), abs=1e-12)


def test_the_mean_of_a_measurement_has_statsmodels_t_interval() -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    values = DICE.lognormal(size=37)
    ours = measured_interval(of_samples(values.tolist(), [""] * 37))
    assert ours is not None
    assert ours[:2] == pytest.approx(weightstats.DescrStatsW(values).tconfint_mean(), rel=1e-9)


def test_clusters_have_statsmodels_robust_error() -> None:
    """An ordinary regression on nothing but a constant, with errors clustered by screenshot."""
    models = pytest.importorskip("statsmodels.api")
    clusters = np.repeat(np.arange(23), DICE.integers(1, 9, size=23))
    values = DICE.random(len(clusters)) + DICE.normal(size=23)[clusters]
    fit = models.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    ours = of_samples(values.tolist(), [f"c{c}" for c in clusters])
    assert ours.total / ours.n == pytest.approx(fit.params[0])
    assert (ours.variance() / ours.n) ** 0.5 == pytest.approx(fit.bse[0], rel=1e-9)


def test_kappa_and_auroc_are_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for _ in range(20):
        first, second = DICE.random((2, 60)) < DICE.random()
        counts = [int(((first == a) & (second == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        ours = Agreement(*counts).kappa
        if ours is not None:
            assert ours == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)
        right, scores = DICE.random(60) < 0.4, DICE.integers(0, 15, size=60) / 10
        assert auroc(scores.tolist(), right.tolist()) == pytest.approx(metrics.roc_auc_score(right, scores), abs=1e-12)


def test_label_scores_are_scikit_learns_over_the_labels_that_occur() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    labels = ("orientation", "color", "focus", "shape", "size", "location", "pattern")
    for n in (5, 12, 300):
        true, said = DICE.random((2, n, 7)) < np.array([0.3, 0.6, 0.02, 0.2, 0.2, 0.1, 0.3])
        true[:, 1] |= ~true.any(axis=1)
        marked = []
        for i in range(n):
            tags = {"config": "O3", "split": "O3", "task": "D"}
            sample = Sample(
                id=str(i), tags=tags, truth=", ".join(x for x, has in zip(labels, true[i], strict=True) if has)
            )
            reading = [x for x, has in zip(labels, said[i], strict=True) if has]
            values = dict.fromkeys(("exact_match", "precision", "recall", "f1"), 0.0)
            marked.append((sample, Mark(id=str(i), outcome=Outcome.WRONG, reading=reading, metrics=dict(values))))
        found = summarised(PROTOCOLS["robust"], marked)[0].metrics
        there = np.flatnonzero(true.any(axis=0))
        theirs = metrics.precision_recall_fscore_support(true, said, labels=there, average="macro", zero_division=0)
        for name, value in zip(("macro_precision", "macro_recall", "macro_f1"), theirs, strict=False):
            assert found[name].value == pytest.approx(value, abs=1e-6)
            low, high = found[name].low, found[name].high
            assert low is not None and high is not None and 0 <= low <= value <= high <= 1


def test_the_entropy_of_a_whole_distribution_is_scipys() -> None:
    entropy = pytest.importorskip("scipy.stats").entropy
    chances = DICE.dirichlet(np.ones(12))
    low, high = bound_from_top([log(p) for p in chances], vocabulary=12)
    assert low == pytest.approx(entropy(chances), abs=1e-9)
    assert high == pytest.approx(entropy(chances), abs=1e-9)


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = DICE.normal(10, 2, size=30)
    found = jackknifed(lambda w: float(w @ values / w.sum()), [f"c{i}" for i in range(30)], share=False)
    assert found is not None
    half = student(29) * values.std(ddof=1) / 30**0.5
    assert found[:2] == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-9)


def test_samples_without_a_cluster_stand_for_themselves() -> None:
    values = DICE.random(40)

    def mean(weights: np.ndarray) -> float:
        return float(weights @ values / weights.sum())

    apart = jackknifed(mean, [""] * 40)
    named = jackknifed(mean, [f"c{i}" for i in range(40)])
    assert apart is not None
    assert named is not None
    assert apart[:2] == pytest.approx(named[:2])


# ---------------------------------------------------------------- what `compare` and `gate` use


def test_the_mean_of_a_paired_measurement_has_scipys_t_interval() -> None:
    stats = pytest.importorskip("scipy.stats")
    first, second = DICE.lognormal(size=(2, 41))
    ours = measured_interval(of_samples((second - first).tolist(), [""] * 41))
    assert ours is not None
    theirs = stats.ttest_rel(second, first).confidence_interval(LEVEL)
    assert ours[:2] == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_whole_clusters_have_scipys_permutation_test() -> None:
    """Sums of clusters flipped in every way, exactly; and of many graded ones, drawn."""
    stats = pytest.importorskip("scipy.stats")

    def theirs(sums: np.ndarray, ways: float) -> float:
        test = stats.permutation_test(
            (sums, np.zeros(len(sums))),
            lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples",
            n_resamples=ways,
            vectorized=True,
            rng=np.random.default_rng(3),
        )
        return float(test.pvalue)

    moves, names = DICE.choice([-1.0, 0.0, 1.0], 60, p=[0.1, 0.6, 0.3]), [f"c{i // 6}" for i in range(60)]
    found = sign_flips(of_samples(moves.tolist(), names))
    assert found.how == EXACT and found.p == pytest.approx(theirs(moves.reshape(10, 6).sum(axis=1), np.inf))
    graded = DICE.normal(0.1, 0.4, 60)
    drawn = sign_flips(of_samples(graded.tolist(), [""] * 60))
    assert drawn.how == DRAWN and drawn.p == pytest.approx(theirs(graded, 9_999), abs=0.02)


def test_the_normal_limit_is_scipys(monkeypatch: pytest.MonkeyPatch) -> None:
    norm = pytest.importorskip("scipy.stats").norm
    monkeypatch.setattr(significance, "MOST_DRAWN", 10)
    moves = DICE.normal(0.05, 0.4, 300)
    found = sign_flips(of_samples(moves.tolist(), [""] * 300))
    assert found.how == NORMAL
    assert found.p == pytest.approx(2 * norm.sf(abs(moves.sum()) / (moves**2).sum() ** 0.5), rel=1e-9)


def test_so_many_samples_show_so_much_as_statsmodels_counts() -> None:
    """Connor's formula is the usual one for a mean of moves whose spread differs with and without the difference."""
    power = pytest.importorskip("statsmodels.stats.power")
    for difference, moving in ((0.05, 0.2), (0.1, 0.3), (0.02, 0.02)):
        needed = power.normal_sample_size_one_tail(
            difference,
            power=POWER,
            alpha=(1 - LEVEL) / 2,
            std_null=moving**0.5,
            std_alternative=(moving - difference**2) ** 0.5,
        )
        assert samples_for(difference, moving) == ceil(needed - 1e-9)
