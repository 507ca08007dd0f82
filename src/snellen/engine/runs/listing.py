"""The runs in a folder, recognised from run.json and summary.json alone. Other entries and incomplete runs are named and skipped.

A summary is about a megabyte, and checking whether it was changed takes longer than reading it. So only the requested runs are opened, the
latest first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.records import Manifest, Summary
from snellen.engine.runs.folder import RunFolder

NO_RUN = "no run"
UNFINISHED = "unfinished"
DAMAGED = "damaged"
SHARD = "shard"
MERGED = "merged.json"
"""The file of a merged run with the state of each of its shards."""


class ListedRun(NamedTuple):
    """A run that has a summary."""

    path: Path
    manifest: Manifest
    summary: Summary


class SkippedEntry(NamedTuple):
    """A skipped entry of the folder: its kind (one of the words above), and details for people."""

    path: Path
    kind: str
    why: str


class RunListing(NamedTuple):
    """The content of a folder: runs, the latest first, everything else by name, and the number of older runs that were not opened."""

    runs: tuple[ListedRun, ...]
    passed: tuple[SkippedEntry, ...]
    older: int = 0


def shards_of(whole: Path) -> dict[str, list[str]]:
    """Return the shards that a run was merged from, each with its state at that time. Empty if it was not merged."""
    try:
        return msgspec.json.decode((whole / MERGED).read_bytes(), type=dict[str, list[str]])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def states(shards: Sequence[Path]) -> dict[str, list[str]]:
    """Return the state that tells a shard from one that was asked anew: its time of creation and its number of answers."""
    return {
        place.name: [RunFolder(place).manifest().created, str((place / "answers.jsonl").stat().st_size)]
        for place in shards
    }


def _is_merged(shard: Path, whole: Path) -> bool:
    try:
        return shards_of(whole).get(shard.name) == states([shard])[shard.name]
    except OSError:  # its answers are not there
        return False


def listing(folder: Path, limit: int | None = None) -> RunListing:
    """Return the latest runs directly in a folder, or all. Answers and marks are not opened."""
    if not folder.is_dir():
        what = "a file, and runs are folders" if folder.exists() else "no such folder"
        raise SnellenError(f"{folder}: {what}; 'snellen run' makes runs in runs/, or where --out says")
    begun: list[tuple[RunFolder, Manifest]] = []
    passed: list[SkippedEntry] = []
    for path in _entries(folder):
        run = RunFolder(path)
        manifest = manifest_of(run)
        if isinstance(manifest, SkippedEntry):
            passed.append(manifest)
        elif not run.has("summary.json"):
            why = f"begun {manifest.created}, not marked yet: the same command goes on"
            passed.append(SkippedEntry(path, UNFINISHED, why))
        elif manifest.shard is not None and _is_merged(path, whole := path.with_name(path.stem)):
            passed.append(SkippedEntry(path, SHARD, f"merged into {whole.name}"))
        else:
            begun.append((run, manifest))
    begun.sort(key=lambda one: one[1].created, reverse=True)
    runs: list[ListedRun] = []
    opened = 0
    for run, manifest in begun:
        if len(runs) == limit:
            break
        opened += 1
        try:
            runs.append(ListedRun(run.path, manifest, run.summary()))
        except (SnellenError, OSError) as error:
            passed.append(SkippedEntry(run.path, DAMAGED, _reason(error)))
    passed.sort(key=lambda one: one.path.name)
    return RunListing(tuple(runs), tuple(passed), len(begun) - opened)


def _entries(folder: Path) -> Iterator[Path]:
    """Return the entries of a folder by name, without hidden ones."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except OSError as error:
        raise SnellenError(f"{folder} cannot be read ({error.strerror})") from None
    return (folder / name for name in names)


def manifest_of(run: RunFolder) -> Manifest | SkippedEntry:
    """Return a run's manifest, or why an entry of the folder is not shown."""
    if not run.has("run.json"):
        return SkippedEntry(run.path, NO_RUN, "a folder without run.json" if run.path.is_dir() else "a file")
    try:
        return run.manifest()
    except (SnellenError, OSError) as error:
        return SkippedEntry(run.path, DAMAGED, _reason(error))


def _reason(error: Exception) -> str:
    return f"it cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
