"""The closed-form intervals that all others are made of, and their one level.

Wilson's is for a share, Tango's for a difference of two shares of the same samples, Student's t for a measurement. Samples that
share an image are worth less than as many independent ones. Graded values are worth more than right or wrong ones. `worth`
says how many independent right-or-wrong samples a mean stands on, and the answer is Wilson's or Tango's interval of that many. With
independent samples that are right or wrong nothing is estimated, and it is exactly Wilson's or Tango's.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95
"""The level of every interval that this package makes."""
TAIL = (1 - LEVEL) / 2
Z = NormalDist().inv_cdf(1 - TAIL)


class Interval(NamedTuple):
    """Both ends of an interval, and its method in a word or two for people."""

    low: float
    high: float
    kind: str


def wilson(successes: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return Wilson's score interval of a share.

    >>> [round(x, 4) for x in wilson(8, 10)]
    [0.4902, 0.9433]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if n <= 0:
        return 0.0, 1.0
    p = successes / n
    centre = p + z * z / (2 * n)
    half = z * sqrt(max(0.0, p * (1 - p)) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if successes <= 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if successes >= n else min(1.0, (centre + half) / scale)
    return low, high


@lru_cache(maxsize=1024)
def tango(up: float, down: float, n: float, z: float = Z) -> tuple[float, float]:
    """Return the score interval of a paired difference of shares (Tango 1998): `up` of n samples gained, `down` lost.

    For graded scores give the sums of gains and losses: their spread is at most that of whole gains and losses with
    the same sums, so the interval is wide enough.

    >>> [round(x, 3) for x in tango(0, 0, 10)], [round(x, 3) for x in tango(5, 0, 5)]
    ([-0.278, 0.278], [0.131, 1.0])
    """

    def plausible(d: float) -> bool:
        """Tell whether the observed difference is within z standard errors of d, the losses being as likely as can be under d."""
        b = (2 * n - up + down) * d - up - down
        c = -down * d * (1 - d)
        lost = (sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        return (up - down - n * d) ** 2 <= z * z * n * max(0.0, 2 * lost + d * (1 - d))

    def edge(end: float) -> float:
        inside, outside = (up - down) / n, end
        if plausible(end):
            return end
        for _ in range(50):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if plausible(middle) else (inside, middle)
        return outside

    return edge(-1.0), edge(1.0)


class MeanSpread(NamedTuple):
    """The known doubt of a mean over n samples.

    `most` is the variance of a sample, were all right or wrong with this mean: p(1 - p). `own` is the variance of the samples as they are,
    which is less where they are graded. `found` is the variance of the mean as the clusters show it, times n. Found / own is Kish's design
    effect: `likely` is its value where the samples cannot tell, 1 is its minimum and `top` its maximum. Where it is likely to be 1, nothing
    is estimated. `telling` is how many samples tell of it: n p(1 - p), or the number of moves.
    """

    n: float
    found: float
    own: float
    most: float
    clusters: float
    likely: float = 1.0
    top: float = inf
    telling: float = 0.0


class _EffectiveSample(NamedTuple):
    """An equivalent number of independent right-or-wrong samples, and the quantile to use with them."""

    n: float
    quantile: float


CORRELATION = 0.45
"""The correlation within clusters that is assumed where all samples agree, so that it cannot be estimated. Where the true one is 0.5 or
less, intervals have their stated coverage (`bench/coverage.py`). Where samples of a cluster stand and fall as one, a little less.
"""
DOUBT = 0.1
"""The weight of that assumption, in clusters of evidence: it is there for samples that cannot tell, not to overrule those that can."""
WHOLE = 0.25
"""The weight, in samples of evidence, of values being right or wrong after all, where few samples tell how they are graded."""


def worth(spread: MeanSpread) -> _EffectiveSample:
    """Return the number of independent right-or-wrong samples that a mean stands on: n over the design effect and over the gain of grades.

    Both are estimated. The design effect comes from few clusters, and near 0 and 1 from the few that disagree. So it is drawn towards the
    likely one by as much as the evidence is short. The gain of grades comes from the samples that disagree, so it is drawn towards none.
    Only an estimate can be off by chance, and makes degrees of freedom few (Satterthwaite's rule). The clusters' part has twice as many as
    there is evidence, because sums that have ends vary less than normal ones. Small clusters have more of both, because nothing is
    estimated from samples that stand for themselves. The grades' part is as sure as a share.

    >>> worth(MeanSpread(n=50, found=0.2, own=0.2, most=0.2, clusters=50, top=1.0)).n
    50.0
    >>> few = MeanSpread(n=190, found=0.75, own=0.25, most=0.25, clusters=10, likely=9.1, top=19.0, telling=47.5)
    >>> agree = few._replace(found=0.0, own=0.0, most=0.0, telling=0.0)
    >>> [round(x, 2) for x in worth(few)], [round(x, 2) for x in worth(agree)]
    ([62.16, 2.14], [20.88, 2.07])
    """
    n, most, own, top, likely = spread.n, spread.most, spread.own, spread.top, spread.likely
    about = spread.found / n  # how much more samples vary around the true mean than around their own
    events, clusters = n * most, max(0.0, spread.clusters - 1)
    grades, seen = 1.0, events / (events + WHOLE)
    if own != most:
        grades = seen * (own + about) / (most + about) + 1 - seen
    effect, part, unsure, freest = 1.0, 0.0, 0.0, 2 * clusters
    if likely > 1:
        loose = (
            1 - 1 / top
        )  # the part of the variance that the mean does not settle: of single samples none, of pairs half
        freest /= loose
        # grades that are drawn one by one leave clusters as alike as they were, grades that a cluster shares make them more so
        likely = min(top, 1 + (likely - 1) / sqrt(grades))
        evidence = min(clusters, spread.telling / (likely - 1))
        found = min(spread.found / (own + about), top) if own > 0 else likely
        estimated = evidence * found / (evidence + DOUBT)
        effect = min(max(estimated + DOUBT * likely / (evidence + DOUBT), 1.0), top)
        part = min(1.0, estimated / effect)
        unsure = part**2 * loose / (2 * evidence) if part > 0 else 0.0
    if grades != 1:
        unsure += ((1 - part) * seen) ** 2 * abs(1 - grades) / (4 * events * grades)
    freedom = min(1 / unsure, freest) if unsure > 0 else inf
    if likely > 1:  # an effect between 1 and top is hardly off by more than a third of their distance
        freedom = min(freedom, freest) + 16 * (effect / (top - 1)) ** 2
    quantile = student(float(f"{max(1.0, freedom):.4g}"))
    if quantile**2 * effect * grades > Z**2 * top:  # that would be more doubt than there can be
        return _EffectiveSample(n / top, Z)
    return _EffectiveSample(n / (effect * grades), quantile)


@lru_cache(maxsize=4096)
def student(df: float) -> float:
    """Return the point that Student's t, of any number of degrees of freedom above 0, exceeds with a chance of 2.5%.

    >>> round(student(4), 4), round(student(1e9), 4)
    (2.7764, 1.96)
    """
    if df > 1e7:
        return Z
    low, high = 0.0, 2.0
    while _t_tail(high, df) > TAIL:
        low, high = high, high * 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_tail(middle, df) > TAIL else (low, middle)
    return high


def _t_tail(t: float, df: float) -> float:
    """Return the chance that Student's t is above t > 0: half the regularised incomplete beta function at df / (df + t * t)."""
    return _beta(df / (df + t * t), df / 2, 0.5) / 2


def _beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction."""
    if not 0 < x < 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    value, c, d, step = 1.0, 1.0, 0.0, inf
    i = 0
    while abs(step - 1) > 1e-15 and i < 10_000:  # Lentz' way to evaluate it
        m = i // 2
        if i == 0:
            part = 1.0
        elif i % 2:
            part = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            part = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + part * d)
        c = 1 + part / c
        step = c * d
        value *= step
        i += 1
    return front * (value - 1)
