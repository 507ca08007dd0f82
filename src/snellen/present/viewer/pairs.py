"""Two runs side by side: the samples on which they part, and in a process of its own what `snellen compare` says of them."""

from __future__ import annotations

import multiprocessing
import threading
from collections import OrderedDict
from concurrent.futures import Future, ProcessPoolExecutor
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
    """What `snellen compare` says of two runs, made once. A process of its own: it holds all marks in memory while it works."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._found: OrderedDict[Asked, Future[bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def compare(self, one: Path, other: Path) -> Future[bytes]:
        """A comparison that is being made; `read` reads it."""
        asked = one, other, stamp(one / "summary.json"), stamp(other / "summary.json")
        with self._lock:
            found = self._found.pop(asked, None)
            if found is None:
                found = self._pooled().submit(_compared, str(one), str(other))
            self._found[asked] = found
            while len(self._found) > KEPT:
                self._found.popitem(last=False)[1].cancel()
        return found

    def _pooled(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1)
        return self._pool

    def close(self) -> None:
        """End what goes on."""
        if self._pool is not None:
            for child in list(multiprocessing.active_children()):
                child.terminate()
            self._pool.shutdown(wait=False, cancel_futures=True)


def read(raw: bytes) -> Comparison:
    """A comparison as the other process wrote it."""
    return msgspec.json.decode(raw, type=Comparison)


def _compared(one: str, other: str) -> bytes:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends this
    from snellen.comparison.comparing import compare_runs

    return msgspec.json.encode(compare_runs([one, other], flips=False))
