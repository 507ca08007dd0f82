"""Means of samples that come in clusters (targets of one screenshot), with intervals that know it.

Whole clusters are resampled, not samples: nineteen targets of one screenshot that stand or fall together are one observation, not
nineteen. A mean is then a ratio of two sums over the drawn clusters.
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
WILSON = "wilson on clusters"


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
        sums, counts = (np.zeros((len(present), found.shape[1])) for _ in range(2))
        np.add.at(sums, place, np.where(known, found, 0.0))
        np.add.at(counts, place, known)
        drawn = self.draws[:, present].astype(np.float64)
        top, bottom = drawn @ sums, drawn @ counts
        return [_estimate(sums[:, i], counts[:, i], top[:, i], bottom[:, i], share) for i, share in enumerate(bounded)]


def _estimate(sums: Floats, counts: Floats, top: Floats, bottom: Floats, share: bool) -> Estimate:
    import numpy as np

    n = int(counts.sum())
    held = int((counts > 0).sum())
    if n == 0:
        return Estimate(None, 0, 0)
    value = float(sums.sum() / n)
    usable = bottom > 0  # a draw without any such sample says nothing
    ratios = top[usable] / bottom[usable]
    if held >= 2 and len(ratios):
        low, high = (float(v) for v in np.quantile(ratios, [0.025, 0.975]))
        if high - low > 1e-9:
            return Estimate(value, n, held, low, high, BOOTSTRAP)
    if share:
        # all clusters alike, or only one: the bootstrap sees no doubt, and few screenshots leave some
        low, high = wilson(min(1.0, max(0.0, value)) * held, held)
        return Estimate(value, n, held, low, high, WILSON)
    return Estimate(value, n, held)
