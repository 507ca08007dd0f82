"""Two runs side by side: the samples on which they part, and in a process of its own what `snellen compare` says of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from snellen.comparison.results import Comparison
from snellen.core.types import Outcome
from snellen.present.viewer.run_handle import RunHandle
from snellen.present.viewer.run_index import Stamp, stamp
from snellen.present.viewer.sample_index import CODES, NONE
from snellen.workers.pool import Workers
from snellen.workers.processes import here

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
    """The common samples under a protocol of which one, both or neither run is right; and how many of each kind there are."""
    _both, first, second = np.intersect1d(one.index.hashes, other.index.hashes, return_indices=True)
    order = np.argsort(first, kind="stable")
    first, second = first[order], second[order]
    a, b = one.index.usual(protocol)[first], other.index.usual(protocol)[second]
    marked = (a != NONE) & (b != NONE)
    first, second, a, b = first[marked], second[marked], a[marked], b[marked]
    right = CODES[Outcome.CORRECT]
    sets = {
        "first": (a == right) & (b != right),
        "second": (a != right) & (b == right),
        "both": (a == right) & (b == right),
        "neither": (a != right) & (b != right),
        "": a != b,
    }
    keep = sets[which]
    return Pairs(first[keep], second[keep], {name: int(some.sum()) for name, some in sets.items()})


class Comparer:
    """What `snellen compare` says of two runs, made once, one after the other. A new process for each: it holds all marks in memory."""

    def __init__(self) -> None:
        self._turns = ThreadPoolExecutor(1, "comparing")
        self._workers: Workers[bytes] | None = None
        self._closed = False
        self._found: OrderedDict[Asked, Future[bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def compare(self, one: Path, other: Path) -> Future[bytes]:
        """Return a comparison that is being made."""
        asked = one, other, stamp(one / "summary.json"), stamp(other / "summary.json")
        with self._lock:
            found = self._found.pop(asked, None)
            if found is None:
                found = self._turns.submit(self._compared, one, other)
            self._found[asked] = found
            while len(self._found) > KEPT:
                self._found.popitem(last=False)[1].cancel()
        return found

    def _compared(self, one: Path, other: Path) -> bytes:
        with self._lock:
            if self._closed:
                raise CancelledError
            self._workers = here(compared, 1)
        with self._workers as workers:
            return workers.submit(one, other).result()

    def close(self) -> None:
        """End what goes on."""
        with self._lock:
            self._closed = True
        self._turns.shutdown(wait=False, cancel_futures=True)
        if self._workers is not None:
            self._workers.close()


def read(raw: bytes) -> Comparison:
    """Read a comparison as the other process wrote it."""
    return msgspec.json.decode(raw, type=Comparison)


def compared(one: Path, other: Path) -> bytes:
    """Compare two runs."""
    from snellen.comparison.comparing import compare_runs

    return msgspec.json.encode(compare_runs([one, other], flips=False))
