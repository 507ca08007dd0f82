"""Two runs side by side: the samples on which they part, and in a thread of its own what `snellen compare` says of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison
from snellen.core.types import Outcome
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.run_index import Stamp, stamp
from snellen.present.viewer.sample_index import CODES, NONE

KEPT = 8
WHICH = {
    "first": "only A right",
    "second": "only B right",
    "both": "both right",
    "neither": "neither right",
    "": "any difference in outcome",
}
Asked = tuple[Path, Path, Stamp | None, Stamp | None]


class Pairs(NamedTuple):
    """Samples that both runs have marks of, as rows of the one and of the other, in the order of the first."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    counts: dict[str, int]


def pairs_of(one: RunHandle, other: RunHandle, protocol: str, which: str) -> Pairs:
    """Return the common samples under a protocol of which one, both or neither run is right; and how many of each kind there are."""
    common = [(row, other.index.rows[name]) for name, row in one.index.rows.items() if name in other.index.rows]
    first, second = np.array(common, np.intp).reshape(-1, 2).T
    a, b = one.index.usual(protocol)[first], other.index.usual(protocol)[second]
    marked = (a != NONE) & (b != NONE)
    first, second, a, b = first[marked], second[marked], a[marked], b[marked]
    a_right, b_right = a == CODES[Outcome.CORRECT], b == CODES[Outcome.CORRECT]
    sets = {
        "first": a_right & ~b_right,
        "second": ~a_right & b_right,
        "both": a_right & b_right,
        "neither": ~a_right & ~b_right,
        "": a != b,
    }
    keep = sets[which]
    return Pairs(first[keep], second[keep], {name: int(some.sum()) for name, some in sets.items()})


class Comparer:
    """What `snellen compare` says of two runs, made once, one after the other."""

    def __init__(self) -> None:
        self._turns = ThreadPoolExecutor(1, "comparing")
        self._found: OrderedDict[Asked, Future[Comparison]] = OrderedDict()
        self._lock = threading.Lock()

    def compare(self, one: Path, other: Path) -> Future[Comparison]:
        """Return a comparison that is being made."""
        asked = one, other, stamp(one / "summary.json"), stamp(other / "summary.json")
        with self._lock:
            found = self._found.pop(asked, None)
            if found is None:
                found = self._turns.submit(compare_runs, [one, other], flips=False)
            self._found[asked] = found
            while len(self._found) > KEPT:
                self._found.popitem(last=False)[1].cancel()
        return found

    def close(self) -> None:
        """End what goes on."""
        self._turns.shutdown(wait=False, cancel_futures=True)
