"""The runs of a folder by keys that addresses can name. A key is made of a folder's name, and looked up: no path ever comes from outside.

What is linked out of the folder is not opened. A run is told from run.json and summary.json, read again only when they change.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.records import Manifest, Summary, Totals
from snellen.core.results import Score
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.listing import DAMAGED, NO_RUN, ListedRun, SkippedEntry
from snellen.present.model.run_list import headlines

Stamp = tuple[int, int, int]
OUTSIDE = "linked out"
KEPT_SUMMARIES = 4


class RunHeadline(NamedTuple):
    """What the list of runs shows of a summary; a summary itself is about a megabyte."""

    scores: tuple[tuple[str, Score], ...]
    totals: Totals
    complete: bool


class RunEntry(NamedTuple):
    """A run of the folder. `headline` is None where it is not marked yet, `problem` says what is wrong with its summary.

    `pending` is a run of which only run.json was read yet.
    """

    key: str
    path: Path
    manifest: Manifest
    headline: RunHeadline | None = None
    problem: str = ""
    pending: bool = False

    @property
    def complete(self) -> bool:
        """Return whether every question has an answer, as the summary says."""
        return self.headline is not None and self.headline.complete


class FoundRuns(NamedTuple):
    """All runs, the latest first, and what was passed over."""

    runs: tuple[RunEntry, ...]
    passed: tuple[SkippedEntry, ...]


def key_of(name: str) -> str:
    """Return what addresses call a run."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def stamp(path: Path | None) -> Stamp | None:
    """Return what changes when a file does; None where there is none."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


class RunIndex:
    """The runs right below a folder, or the one run that the folder is."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SnellenError(f"{folder}: no such folder; 'snellen run' makes runs in runs/, or where --out says")
        alone = (folder / "run.json").is_file()
        here = folder.resolve()
        self.folder = folder
        self._root = here.parent if alone else here
        self._only = here.name if alone else None
        self._entries: dict[Path, tuple[tuple[Stamp | None, ...], RunEntry]] = {}
        self._summaries: dict[str, tuple[Stamp | None, Summary]] = {}
        self._lock = threading.Lock()

    def inside(self, path: Path) -> bool:
        """Return whether a file is in the folder, links followed."""
        try:
            return path.resolve(strict=True).is_relative_to(self._root)
        except (OSError, RuntimeError):  # not there, or a link to itself
            return False

    def file(self, path: Path) -> Path | None:
        """Return a regular file inside the folder; None for all else. Names in a run's own records may be anything."""
        return path if path.is_file() and self.inside(path) else None

    def found(self, seconds: float = float("inf")) -> FoundRuns:
        """Return what the folder holds now. Of runs that are new, the latest are read for so long; the others are `pending`."""
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
        """Return the run of a key, looked up among the folder's names."""
        with self._lock:
            path = next((p for p in self._paths() if key_of(p.name) == key), None)
            one = self._begun(path) if path is not None else None
            if isinstance(one, RunEntry) and one.pending:
                one = self._read(one)
        return one if isinstance(one, RunEntry) else None

    def summary(self, entry: RunEntry) -> Summary | None:
        """Return a run's summary; None where it has none that can be used."""
        path = self.file(entry.path / "summary.json")
        if path is None:
            return None
        now = stamp(path)
        with self._lock:
            kept = self._summaries.pop(entry.key, None)
            if kept is None or kept[0] != now:
                try:
                    kept = now, RunFolder(entry.path).summary()
                except (SnellenError, OSError):
                    return None
            self._summaries[entry.key] = kept
            while len(self._summaries) > KEPT_SUMMARIES:
                del self._summaries[next(iter(self._summaries))]
        return kept[1]

    def _paths(self) -> list[Path]:
        if self._only is not None:
            return [self._root / self._only]
        try:
            return sorted(path for path in self._root.iterdir() if not path.name.startswith("."))
        except OSError as error:
            raise SnellenError(f"{self.folder} cannot be read ({error.strerror})") from None

    def _begun(self, path: Path) -> RunEntry | SkippedEntry:
        """Return what was read of a run before, or its manifest."""
        record = path / "run.json"
        if not self.inside(path):
            return SkippedEntry(path, OUTSIDE, "a link to a place outside the folder, which is not followed")
        if not record.is_file():
            return SkippedEntry(path, NO_RUN, "a folder without run.json" if path.is_dir() else "a file")
        if not self.inside(record):
            return SkippedEntry(path, OUTSIDE, "run.json is a link to a place outside the folder")
        kept = self._entries.get(path)
        if kept is not None and kept[0] == _stamps(path):
            return kept[1]
        try:
            return RunEntry(key_of(path.name), path, RunFolder(path).manifest(), pending=True)
        except (SnellenError, OSError) as error:
            return SkippedEntry(path, DAMAGED, str(error))

    def _read(self, entry: RunEntry) -> RunEntry | SkippedEntry:
        """Return a run with its headline, kept until its records change."""
        path = entry.path
        stamps = _stamps(path)
        links = [one for one in path.rglob("*") if one.is_symlink() and not self.inside(one)]
        if links:
            where = links[0].relative_to(path).as_posix()
            return SkippedEntry(path, OUTSIDE, f"{where} is a link to a place outside the folder")
        headline, problem = None, ""
        if self.file(path / "summary.json") is not None:
            try:
                summary = RunFolder(path).summary()
                scores = tuple(headlines(ListedRun(path, entry.manifest, summary)))
                headline = RunHeadline(scores, summary.totals, summary.complete)
            except (SnellenError, OSError) as error:
                problem = str(error)
        read = entry._replace(headline=headline, problem=problem, pending=False)
        self._entries[path] = stamps, read
        return read


def _stamps(path: Path) -> tuple[Stamp | None, Stamp | None]:
    return stamp(path / "run.json"), stamp(path / "summary.json")


def being_written(path: Path, quiet: float) -> bool:
    """Return whether a process holds the run's lock. Looked up, never tried: trying could stop a run that is about to begin.

    Where the system does not list its locks: whether answers came in the last minute (`quiet`: seconds since the last one).
    """
    try:
        inode = (path / ".lock").stat().st_ino
    except OSError:
        return False
    with contextlib.suppress(OSError):
        return f":{inode} " in Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    return quiet < 60
