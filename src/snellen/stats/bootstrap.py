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


def resampled_counts(
    counts: NDArray[np.int64], seed: int, resamples: int = RESAMPLES, rest: int = 0
) -> NDArray[np.float64]:
    """(resamples + 1, u) counts; row 0 is the sample itself, the others are bootstrap draws.

    With a `rest`, the rows are a group within that many more samples: all are drawn from, so the size of the group varies from
    draw to draw. A draw without any member of the group says nothing of it and is left out.
    """
    import numpy as np

    every = np.append(counts, rest) if rest else counts
    n = int(every.sum())
    draws = np.random.default_rng(seed).multinomial(n, every / n, size=resamples)[:, : len(counts)]
    found = np.vstack([counts[None, :], draws]).astype(np.float64)
    return found[found.sum(axis=1) > 0] if rest else found


def percentile_interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The middle `level` of bootstrap values (row 0, the estimate itself, left out)."""
    import numpy as np

    tail = (1 - level) / 2
    low, high = np.quantile(values[1:], [tail, 1 - tail])
    return float(low), float(high)
