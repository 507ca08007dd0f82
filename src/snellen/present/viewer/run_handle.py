"""Indexes of the runs that are looked at, made in the background; the latest few are kept."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.core.records import Summary
from snellen.core.results import ProtocolSummary
from snellen.engine.runs.folder import marked_as
from snellen.present.viewer import records
from snellen.present.viewer.run_index import RunEntry, RunIndex
from snellen.present.viewer.sample_filter import Rows, SampleFilter, rows_of
from snellen.present.viewer.sample_index import RunFiles, SampleIndex, source_of

KEPT = 6
KEPT_SEARCHES = 8
FRESH = 0.5
"""Seconds in which a run is not looked at again."""


@dataclass(frozen=True, slots=True)
class RunHandle:
    """A run that is looked at: its files and its index. `summary` is None where it is not marked yet."""

    entry: RunEntry
    summary: Summary | None
    source: RunFiles
    index: SampleIndex

    @property
    def protocols(self) -> dict[str, ProtocolSummary]:
        """Return its protocols, those of control arms too."""
        return {p.protocol: p for p in self.summary.protocols} if self.summary is not None else {}

    @property
    def plain(self) -> list[str]:
        """Return the names of its protocols without those of control arms, the main one first."""
        return [p.protocol for p in self.summary.plain] if self.summary is not None else []

    @property
    def plain_marks(self) -> list[str]:
        """Return the names of their marks, each time that questions were asked: the first time of all of them first."""
        found = self.summary.plain if self.summary is not None else []
        most = max((p.repeats for p in found), default=1)
        return [marked_as(p.protocol, at) for at in range(1, most + 1) for p in found if at <= p.repeats]

    @property
    def repeats(self) -> int:
        """Return how often questions were asked."""
        return max((p.repeats for p in self.protocols.values()), default=1)


class RunHandles:
    """Gives handles at once; their indexes get ready by themselves, one after the other."""

    def __init__(self, run_index: RunIndex) -> None:
        self.run_index = run_index
        self._pool = ThreadPoolExecutor(1, "index")
        self._searcher = ThreadPoolExecutor(1, "search")
        self._indexes: OrderedDict[str, tuple[SampleIndex, Future[None], float]] = OrderedDict()
        self._searches: OrderedDict[tuple[str, int, str], Future[NDArray[np.bool_]]] = OrderedDict()
        self._lock = threading.Lock()
        self._closed = False

    def handle(self, key: str, wait: float = 0.0) -> RunHandle | None:
        """Return a run by its key. Waits so many seconds for its index; `index.ready` says whether that was enough."""
        entry = self.run_index.run(key)
        if entry is None:
            return None
        summary = self.run_index.summary(entry)
        protocols = {p.protocol: p.repeats for p in summary.protocols} if summary is not None else {}
        source = source_of(self.run_index, entry.path, entry.manifest, protocols)
        with self._lock:
            kept = self._indexes.pop(key, None)
            if kept is None or (kept[1].done() and time.monotonic() - kept[2] > FRESH):
                index = SampleIndex() if kept is None or kept[0].outdated(source) else kept[0]
                kept = index, self._pool.submit(index.update, source), time.monotonic()
            self._indexes[key] = kept
            while len(self._indexes) > KEPT:
                self._indexes.popitem(last=False)
        index, going_on, _begun = kept
        wait_for([going_on], wait)
        if going_on.done() and not index.ready:
            going_on.result()  # says what is wrong with it
        return RunHandle(entry, summary, source, index)

    def rows(self, handle: RunHandle, wanted: SampleFilter, wait: float) -> Rows | None:
        """Return the rows that a filter lets through; None where a search takes longer than so many seconds, and goes on."""
        if not wanted.text:
            return rows_of(handle.index, wanted, handle.plain)
        found = self._search(handle, wanted.text)
        wait_for([found], wait)
        return rows_of(handle.index, wanted, handle.plain, found.result()) if found.done() else None

    def _search(self, handle: RunHandle, text: str) -> Future[NDArray[np.bool_]]:
        """Begin to look for a text, or return the search that was begun. It ends once later ones have crowded it out."""
        asked = handle.entry.key, handle.index.version, text

        def given_up() -> bool:
            with self._lock:
                return self._closed or asked not in self._searches

        with self._lock:
            found = self._searches.pop(asked, None)
            if found is None:
                found = self._searcher.submit(records.matching, handle.source, handle.index, text, given_up)
            self._searches[asked] = found
            while len(self._searches) > KEPT_SEARCHES:
                self._searches.popitem(last=False)[1].cancel()
        return found

    def close(self) -> None:
        """End what goes on."""
        self._closed = True
        for pool in (self._pool, self._searcher):
            pool.shutdown(wait=False, cancel_futures=True)
