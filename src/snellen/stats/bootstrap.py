"""Percentile bootstrap over distinct rows.

Marks take few distinct values, so n samples collapse into u distinct rows with counts. Drawing n samples with
replacement is drawing the counts from a multinomial: exactly the same bootstrap, at a cost that does not grow with n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000


def resampled_counts(counts: NDArray[np.int64], seed: int, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """(resamples + 1, u) counts; row 0 is the sample itself, the others are bootstrap draws."""
    import numpy as np

    n = int(counts.sum())
    draws = np.random.default_rng(seed).multinomial(n, counts / n, size=resamples)
    return np.vstack([counts[None, :], draws]).astype(np.float64)


def percentile_interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The middle `level` of bootstrap values (row 0, the estimate itself, left out)."""
    import numpy as np

    tail = (1 - level) / 2
    low, high = np.quantile(values[1:], [tail, 1 - tail])
    return float(low), float(high)
