"""The runs of a folder by keys for addresses. A key is made from a folder's name and looked up: no path ever comes from outside.

Links that lead out of the folder are not opened. A run is described by run.json and summary.json, which are read again only when they
change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.records import Manifest, Summary, Totals
from snellen.core.results import ProtocolSummary, Score
from snellen.engine.runs.folder import RunFolder, Stamp, marked_as, stamp
from snellen.engine.runs.listing import ListedRun, SkippedEntry, manifest_of
from snellen.engine.runs.sample_index import SampleIndex
from snellen.present.model import formatting
from snellen.present.model.run_list import headlines

OUTSIDE = "linked out"


class RunEntry(NamedTuple):
    """A run of the folder, with the facts that the list shows from a summary, which itself is about a megabyte.

    `totals` is None if the run is not marked yet. `problem` says what is wrong with its summary. If it is `pending`, only run.json has been
    read.
    """

    key: str
    path: Path
    manifest: Manifest
    scores: tuple[tuple[str, Score], ...] = ()
    totals: Totals | None = None
    complete: bool = False
    problem: str = ""
    pending: bool = False


class FoundRuns(NamedTuple):
    """All runs, latest first, and what was skipped."""

    runs: tuple[RunEntry, ...]
    passed: tuple[SkippedEntry, ...]


def _key_of(name: str) -> str:
    """Return a run's key for addresses."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:12]


class RunIndex:
    """The runs directly below a folder, or the one run that the folder is."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SnellenError(f"{folder}: no such folder; 'snellen run' makes runs in runs/, or where --out says")
        alone = (folder / "run.json").is_file()
        here = folder.resolve()
        self.folder = folder
        self._root = here.parent if alone else here
        self._only = here.name if alone else None
        self._entries: dict[Path, tuple[tuple[Stamp | None, ...], RunEntry]] = {}
        self._indexes: OrderedDict[str, tuple[SampleIndex, float]] = OrderedDict()
        self._lock, self._indexing = threading.Lock(), threading.Lock()

    def inside(self, path: Path) -> bool:
        """Return whether a file is in the folder after links are resolved."""
        try:
            return path.resolve(strict=True).is_relative_to(self._root)
        except (OSError, RuntimeError):  # missing, or a link to itself
            return False

    def file(self, path: Path) -> Path | None:
        """Return a regular file inside the folder, or None for anything else. Names in a run's own records may be anything."""
        return path if path.is_file() and self.inside(path) else None

    def found(self, seconds: float = float("inf")) -> FoundRuns:
        """Return what the folder holds now. New runs are read, latest first, for at most `seconds`. The others are `pending`."""
        with self._lock:
            every = [self._begun(path) for path in self._paths()]
            runs = [one for one in every if isinstance(one, RunEntry)]
            passed = [one for one in every if isinstance(one, SkippedEntry)]
            runs.sort(key=lambda run: (run.manifest.created, run.path.name), reverse=True)
            end = time.monotonic() + seconds
            read = [self._read(run) if run.pending and time.monotonic() < end else run for run in runs]
        passed += [one for one in read if isinstance(one, SkippedEntry)]
        return FoundRuns(tuple(one for one in read if isinstance(one, RunEntry)), tuple(passed))

    def run(self, key: str) -> RunEntry | None:
        """Return the run with a key, looked up among the folder's names."""
        with self._lock:
            path = next((p for p in self._paths() if _key_of(p.name) == key), None)
            one = self._begun(path) if path is not None else None
            if isinstance(one, RunEntry) and one.pending:
                one = self._read(one)
        return one if isinstance(one, RunEntry) else None

    def handle(self, key: str) -> RunHandle | None:
        """Return a run by its key, or None if it does not exist."""
        entry = self.run(key)
        if entry is None:
            return None
        with self._indexing:
            index, read = self._indexes.pop(key, (None, 0.0))
            folder = RunFolder(entry.path) if index is None else index.folder
            summary = self._checked(folder)
            if index is None or time.monotonic() - read > FRESH:
                index, read = (index or SampleIndex(folder)).refreshed(), time.monotonic()
            self._indexes[key] = index, read
            while len(self._indexes) > KEPT:
                self._indexes.popitem(last=False)
        return RunHandle(entry, summary, index)

    def _checked(self, folder: RunFolder) -> Summary | None:
        """Return a run's summary, or None if it has no usable one.

        A file that is linked out of the folder, that a protocol's name leads out of it, or that has no end is an error.
        """
        self._check(folder.path / "summary.json", folder.samples_path, folder.answers_path)
        summary = None
        with contextlib.suppress(SnellenError, OSError):
            summary = folder.summary()
        times = ((p.protocol, at) for p in _protocols(summary) for at in range(1, p.repeats + 1))
        self._check(*(folder.marks_path(*column) for column in times))
        return summary

    def _check(self, *files: Path) -> None:
        for one in files:
            if os.path.lexists(one) and self.file(one) is None:
                raise SnellenError(f"{one} is not a file inside the folder, so this run is not shown")

    def _paths(self) -> list[Path]:
        if self._only is not None:
            return [self._root / self._only]
        try:
            return sorted(path for path in self._root.iterdir() if not path.name.startswith("."))
        except OSError as error:
            raise SnellenError(f"{self.folder} cannot be read ({error.strerror})") from None

    def _begun(self, path: Path) -> RunEntry | SkippedEntry:
        """Return the facts that were read from a run before, or its manifest."""
        record = path / "run.json"
        if not self.inside(path):
            return SkippedEntry(path, OUTSIDE, "a link to a place outside the folder, which is not followed")
        if record.is_file() and not self.inside(record):
            return SkippedEntry(path, OUTSIDE, "run.json is a link to a place outside the folder")
        kept = self._entries.get(path)
        if kept is not None and kept[0] == _stamps(path):
            return kept[1]
        found = manifest_of(RunFolder(path))
        return found if isinstance(found, SkippedEntry) else RunEntry(_key_of(path.name), path, found, pending=True)

    def _read(self, entry: RunEntry) -> RunEntry | SkippedEntry:
        """Return a run with its headline, cached until its records change."""
        path = entry.path
        stamps = _stamps(path)
        links = [one for one in path.rglob("*") if one.is_symlink() and not self.inside(one)]
        if links:
            where = links[0].relative_to(path).as_posix()
            return SkippedEntry(path, OUTSIDE, f"{where} is a link to a place outside the folder")
        read = entry._replace(pending=False)
        if self.file(path / "summary.json") is not None:
            try:
                summary = RunFolder(path).summary()
                scores = tuple(headlines(ListedRun(path, entry.manifest, summary)))
                read = read._replace(scores=scores, totals=summary.totals, complete=summary.complete)
            except (SnellenError, OSError) as error:
                read = read._replace(problem=str(error))
        self._entries[path] = stamps, read
        return read


def _stamps(path: Path) -> tuple[Stamp | None, Stamp | None]:
    return stamp(path / "run.json"), stamp(path / "summary.json")


def being_written(path: Path, quiet: float) -> bool:
    """Return whether a process holds the run's lock. The lock is looked up, never tried: trying could stop a run that is about to begin.

    If the system does not list its locks: whether answers came in the last minute (`quiet`: seconds since the last one).
    """
    try:
        inode = (path / ".lock").stat().st_ino
    except OSError:
        return False
    with contextlib.suppress(OSError):
        return f":{inode} " in Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    return quiet < 60


KEPT = 6
FRESH = 0.5
"""Seconds in which a run is not checked again."""


@dataclass(frozen=True, slots=True)
class RunHandle:
    """A run that is viewed, and its index. `summary` is None if it is not marked yet."""

    entry: RunEntry
    summary: Summary | None
    index: SampleIndex

    @property
    def protocols(self) -> dict[str, ProtocolSummary]:
        """Return its protocols, including those of control arms."""
        return {p.protocol: p for p in _protocols(self.summary)}

    @property
    def plain(self) -> list[str]:
        """Return the names of its protocols without those of control arms, the main one first."""
        return [p.protocol for p in self.summary.plain] if self.summary is not None else []

    @property
    def plain_marks(self) -> list[str]:
        """Return the names of their marks, one for each repeat of the questions: the first repeat of all protocols comes first."""
        found = self.summary.plain if self.summary is not None else []
        times = range(1, formatting.times_asked(found) + 1)
        return [marked_as(p.protocol, at) for at in times for p in found if at <= p.repeats]

    @property
    def repeats(self) -> int:
        """Return how many times questions were asked."""
        return formatting.times_asked(list(self.protocols.values()))


def _protocols(summary: Summary | None) -> tuple[ProtocolSummary, ...]:
    return summary.protocols if summary is not None else ()
