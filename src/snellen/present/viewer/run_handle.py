"""Indexes of the runs that are looked at; the latest few are kept."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snellen.core.records import Summary
from snellen.core.results import ProtocolSummary
from snellen.engine.runs.folder import marked_as
from snellen.present.model import repeats
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
        times = range(1, repeats.most(found) + 1)
        return [marked_as(p.protocol, at) for at in times for p in found if at <= p.repeats]

    @property
    def repeats(self) -> int:
        """Return how often questions were asked."""
        return repeats.most(list(self.protocols.values()))


class RunHandles:
    """Gives handles, each with an index that is up to date."""

    def __init__(self, run_index: RunIndex) -> None:
        self.run_index = run_index
        self._indexes: OrderedDict[str, tuple[SampleIndex, float]] = OrderedDict()
        self._searches: OrderedDict[tuple[str, int, str], NDArray[np.bool_]] = OrderedDict()
        self._lock = threading.Lock()

    def handle(self, key: str) -> RunHandle | None:
        """Return a run by its key; None where there is none."""
        entry = self.run_index.run(key)
        if entry is None:
            return None
        summary = self.run_index.summary(entry)
        protocols = {p.protocol: p.repeats for p in summary.protocols} if summary is not None else {}
        source = source_of(self.run_index, entry.path, entry.manifest, protocols)
        with self._lock:
            index, read = self._indexes.pop(key, (SampleIndex(), 0.0))
            if time.monotonic() - read > FRESH:
                index = SampleIndex() if index.outdated(source) else index
                index.update(source)
                read = time.monotonic()
            self._indexes[key] = index, read
            while len(self._indexes) > KEPT:
                self._indexes.popitem(last=False)
        return RunHandle(entry, summary, source, index)

    def rows(self, handle: RunHandle, wanted: SampleFilter) -> Rows:
        """Return the rows that a filter lets through; what a search found is kept."""
        if not wanted.text:
            return rows_of(handle.index, wanted, handle.plain)
        asked = handle.entry.key, handle.index.version, wanted.text
        found = self._searches.get(asked)
        if found is None:
            found = self._searches[asked] = records.matching(handle.source, handle.index, wanted.text)
            while len(self._searches) > KEPT_SEARCHES:
                self._searches.popitem(last=False)
        return rows_of(handle.index, wanted, handle.plain, found)
