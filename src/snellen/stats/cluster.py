"""Means of samples that come in clusters (targets of one screenshot), with intervals that know it.

Nineteen targets of one screenshot that stand or fall together are one observation, not nineteen. So whole clusters are resampled,
and a mean is a ratio of two sums over the drawn clusters. Below 15 clusters there are too few to draw from: a t-interval of that
ratio takes the bootstrap's place, never narrower than Wilson's on as many independent samples as the clusters are worth.
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from snellen.stats.bootstrap import RESAMPLES
from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BOOTSTRAP = "cluster bootstrap"
FEW_CLUSTERS = "t on clusters"
WILSON = "wilson on clusters"
ENOUGH = 15
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160)
"""Student's t at 97.5 %, for 1, 2, ... degrees of freedom up to ENOUGH - 2."""


class Estimate(NamedTuple):
    """A mean over the samples where it is defined, with a 95 % interval where one can be given."""

    value: float | None
    n: int
    clusters: int
    low: float | None = None
    high: float | None = None
    interval: str | None = None


class ClusteredMeans:
    """Values of samples (rows) under several metrics (columns; NaN where undefined), and the cluster of each sample."""

    def __init__(self, values: Floats, clusters: Sequence[Hashable], resamples: int = RESAMPLES) -> None:
        import numpy as np

        self.values = values
        names = list(dict.fromkeys(clusters))
        places = {name: i for i, name in enumerate(names)}
        self.cluster = np.array([places[c] for c in clusters], dtype=np.int64)
        self.count = len(names)
        seed = zlib.crc32(f"{self.count}/{len(clusters)}".encode())
        share = np.full(max(self.count, 1), 1 / max(self.count, 1))
        self.draws = np.random.default_rng(seed).multinomial(self.count, share, size=resamples).astype(np.float32)

    def estimates(self, rows: NDArray[np.int64], bounded: Sequence[bool]) -> list[Estimate]:
        """One estimate a column over some of the rows; `bounded` columns are shares between 0 and 1."""
        import numpy as np

        found = self.values[rows]
        present, place = np.unique(self.cluster[rows], return_inverse=True)
        known = ~np.isnan(found)
        filled = np.where(known, found, 0.0)
        sums, squares, counts = (np.zeros((len(present), found.shape[1])) for _ in range(3))
        for table, column in ((sums, filled), (squares, filled**2), (counts, known)):
            np.add.at(table, place, column)
        drawn = self.draws[:, present].astype(np.float64)
        top, bottom = drawn @ sums, drawn @ counts
        estimates = []
        for i, share in enumerate(bounded):
            held = counts[:, i] > 0
            some = _Clusters(sums[held, i], squares[held, i], counts[held, i])
            estimates.append(_estimate(some, top[:, i], bottom[:, i], share))
        return estimates


class _Clusters(NamedTuple):
    """Sum, sum of squares and count of the values of each cluster that has any."""

    sums: Floats
    squares: Floats
    counts: Floats

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.counts.sum())

    def worth(self) -> float:
        """How many independent samples these are worth: n over Kish's design effect.

        The likeness within clusters comes from an analysis of variance. Few clusters that happen to agree are no proof that
        clusters do not matter, so the spread between them has a quarter added: what one more sample, half a point off, would add.
        """
        n, held = float(self.counts.sum()), len(self.counts)
        if held < 2 or n <= held:
            return float(held)
        means = self.sums / self.counts
        within = max(0.0, float((self.squares - self.counts * means**2).sum())) / (n - held)
        between = (float((self.counts * (means - self.mean) ** 2).sum()) + 0.25) / (held - 1)
        size = (n - float((self.counts**2).sum()) / n) / (held - 1)
        likeness = max(0.0, (between - within) / (between + (size - 1) * within))
        return n / (1 + (float((self.counts**2).sum()) / n - 1) * likeness)

    def t_interval(self) -> tuple[float, float]:
        """Student's interval of the ratio of sums, from what each cluster is off by (linearised); what is never negative stays so."""
        held = len(self.counts)
        off = self.sums - self.mean * self.counts
        error = float((off**2).sum() * held / (held - 1)) ** 0.5 / float(self.counts.sum())
        low, high = self.mean - T[held - 2] * error, self.mean + T[held - 2] * error
        return max(0.0, low) if self.sums.min() >= 0 else low, high


def _estimate(some: _Clusters, top: Floats, bottom: Floats, share: bool) -> Estimate:
    import numpy as np

    n, held = int(some.counts.sum()), len(some.counts)
    if n == 0:
        return Estimate(None, 0, 0)
    low = high = some.mean
    if held >= ENOUGH:
        usable = bottom > 0  # a draw without any such sample says nothing
        low, high = (float(v) for v in np.quantile(top[usable] / bottom[usable], [0.025, 0.975]))
    elif held > 1:
        low, high = some.t_interval()
    spread = high - low > 1e-9
    kind = BOOTSTRAP if held >= ENOUGH else FEW_CLUSTERS
    if share and (held < ENOUGH or not spread):
        worth = some.worth()
        least, most = wilson(min(1.0, max(0.0, some.mean)) * worth, worth)
        kind = kind if spread and high - low > most - least else WILSON
        low, high = max(0.0, min(low, least)), min(1.0, max(high, most))
    elif not spread:
        return Estimate(some.mean, n, held)
    return Estimate(some.mean, n, held, low, high, kind)
