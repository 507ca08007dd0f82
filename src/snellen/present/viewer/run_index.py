"""The runs of a folder by keys that addresses can name. A key is made of a folder's name, and looked up: no path ever comes from outside.

What is linked out of the folder is not opened. A run is told from run.json and summary.json, read again only when they change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.records import Manifest, Summary, Totals
from snellen.core.results import Score
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.listing import DAMAGED, NO_RUN, ListedRun, SkippedEntry
from snellen.present.model.run_list import headlines, main_protocol

Stamp = tuple[int, int, int]
OUTSIDE = "linked out"
KEPT_SUMMARIES = 4


class RunHeadline(NamedTuple):
    """What the list of runs shows of a summary; a summary itself is about a megabyte."""

    protocol: str
    scores: tuple[tuple[str, Score], ...]
    totals: Totals
    complete: bool
    asked: int
    expected: int


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
        """Whether every question has an answer, as the summary says."""
        return self.headline is not None and self.headline.complete


class FoundRuns(NamedTuple):
    """All runs, the latest first, and what was passed over."""

    runs: tuple[RunEntry, ...]
    passed: tuple[SkippedEntry, ...]

    def get(self, key: str) -> RunEntry | None:
        """The run of a key."""
        return next((run for run in self.runs if run.key == key), None)


def key_of(name: str) -> str:
    """What addresses call a run."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def stamp(path: Path) -> Stamp | None:
    """What changes when a file does; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


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
        self._entries: dict[str, tuple[tuple[Stamp | None, ...], RunEntry]] = {}
        self._summaries: dict[str, tuple[Stamp | None, Summary]] = {}
        self._lock = threading.Lock()

    def inside(self, path: Path) -> bool:
        """Whether a file is in the folder, links followed."""
        try:
            return path.resolve(strict=True).is_relative_to(self._root)
        except (OSError, RuntimeError):  # not there, or a link to itself
            return False

    def file(self, path: Path) -> Path | None:
        """A regular file inside the folder; None for all else. Names in a run's own records may be anything."""
        return path if path.is_file() and self.inside(path) else None

    def found(self, seconds: float = float("inf")) -> FoundRuns:
        """What the folder holds now. Of runs that are new, the latest are read for so long; the others are `pending`."""
        runs: list[RunEntry] = []
        passed: list[SkippedEntry] = []
        with self._lock:
            for path in self._paths():
                one = self._begun(path)
                (runs if isinstance(one, RunEntry) else passed).append(one)  # type: ignore[arg-type]
            runs.sort(key=lambda run: (run.manifest.created, run.path.name), reverse=True)
            end = time.monotonic() + seconds
            for at, run in enumerate(runs):
                if run.pending and time.monotonic() < end:
                    read = self._read(run)
                    if isinstance(read, RunEntry):
                        runs[at] = read
                    else:
                        passed.append(read)
        refused = {one.path for one in passed}
        return FoundRuns(tuple(run for run in runs if run.path not in refused), tuple(passed))

    def run(self, key: str) -> RunEntry | None:
        """The run of a key, looked up among the folder's names."""
        with self._lock:
            path = next((p for p in self._paths() if key_of(p.name) == key), None)
            one = self._begun(path) if path is not None else None
            if isinstance(one, RunEntry) and one.pending:
                one = self._read(one)
        return one if isinstance(one, RunEntry) else None

    def summary(self, entry: RunEntry) -> Summary | None:
        """A run's summary; None where it has none that can be used."""
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

    def _paths(self) -> Iterator[Path]:
        if self._only is not None:
            return iter((self._root / self._only,))
        try:
            names = sorted(entry.name for entry in os.scandir(self._root) if not entry.name.startswith("."))
        except OSError as error:
            raise SnellenError(f"{self.folder} cannot be read ({error.strerror})") from None
        return (self._root / name for name in names)

    def _begun(self, path: Path) -> RunEntry | SkippedEntry:
        """What was read of a run before, or its manifest."""
        record = path / "run.json"
        if not self.inside(path):
            return SkippedEntry(path, OUTSIDE, "a link to a place outside the folder, which is not followed")
        if not record.is_file():
            return SkippedEntry(path, NO_RUN, "a folder without run.json" if path.is_dir() else "a file")
        if not self.inside(record):
            return SkippedEntry(path, OUTSIDE, "run.json is a link to a place outside the folder")
        kept = self._entries.get(path.name)
        if kept is not None and kept[0] == _stamps(path):
            return kept[1]
        try:
            return RunEntry(key_of(path.name), path, RunFolder(path).manifest(), pending=True)
        except (SnellenError, OSError) as error:
            return SkippedEntry(path, DAMAGED, str(error))

    def _read(self, entry: RunEntry) -> RunEntry | SkippedEntry:
        """A run with its headline, kept until its records change."""
        path = entry.path
        stamps = _stamps(path)
        link = self._link_out(path)
        if link is not None:
            return SkippedEntry(path, OUTSIDE, f"{link} is a link to a place outside the folder")
        headline, problem = None, ""
        if self.file(path / "summary.json") is not None:
            try:
                headline = _headline(ListedRun(path, entry.manifest, RunFolder(path).summary()))
            except (SnellenError, OSError) as error:
                problem = str(error)
        read = entry._replace(headline=headline, problem=problem, pending=False)
        self._entries[path.name] = stamps, read
        return read

    def _link_out(self, path: Path) -> str | None:
        """A file of a run, or a folder in it, that is a link to a place outside; None where there is none."""
        for here, folders, names in os.walk(path):
            for name in (*folders, *names):
                one = Path(here, name)
                if one.is_symlink() and not self.inside(one):
                    return one.relative_to(path).as_posix()
        return None


def _stamps(path: Path) -> tuple[Stamp | None, Stamp | None]:
    return stamp(path / "run.json"), stamp(path / "summary.json")


def _headline(run: ListedRun) -> RunHeadline:
    main, summary = main_protocol(run), run.summary
    expected = sum(summary.expected.values()) or summary.questions
    asked = sum(summary.asked.values())
    scores = tuple(headlines(run))
    return RunHeadline(main.protocol if main else "", scores, summary.totals, summary.complete, asked, expected)


# ---------------------------------------------------------------- runs that go on


def being_written(path: Path, quiet: float) -> bool:
    """Whether a process holds the run's lock. Looked up, never tried: trying could stop a run that is about to begin.

    Where the system does not list its locks: whether answers came in the last minute (`quiet`: seconds since the last one).
    """
    try:
        inode = (path / ".lock").stat().st_ino
    except OSError:
        return False
    with contextlib.suppress(OSError):
        return f":{inode} " in Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    return quiet < 60
