"""Pinned downloads from a hub: the commit and each file's digest are recorded, and checked from then on.

A data folder may come from another person, so its lock is not trusted. Names that lead out of the folder are refused, and a
folder with links out of it is not written to. A file is deleted only if it is, byte for byte, one that the lock names.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath, PureWindowsPath

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.secret import without_logins
from snellen.core.text import one_line
from snellen.data.folder import UNFINISHED, unfinished

LOCK = "snellen-data.json"


class Lock(msgspec.Struct, frozen=True):
    """snellen-data.json: the source and the files, with the SHA-256 of each file."""

    repo: str = ""
    commit: str = ""
    fetched: str = ""
    files: dict[str, str] = {}


def _nothing(_folder: Path) -> Sequence[Path]:
    return ()


def download(
    repo: str,
    patterns: tuple[str, ...],
    folder: Path,
    revision: str | None,
    unpack: Callable[[Path], Sequence[Path]] = _nothing,
    command: str = "snellen data get",
) -> tuple[Lock, Sequence[Path]]:
    """Fetch the files of a data set at one commit and unpack them; return the lock that was written and the unpacked files.

    Until everything is there the folder is marked as unfinished, with the command that finishes it.
    """
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
    except ImportError:
        raise MissingExtra("downloading from the hub", "hub") from None
    pinned, half = read_lock(folder), (folder / UNFINISHED).exists()
    _refuse_links_out(folder)
    wanted = revision or (pinned.commit if pinned and pinned.repo == repo else None)
    try:
        info = HfApi().dataset_info(repo, revision=wanted)
        commit, of_commit = str(info.sha), {s.rfilename for s in info.siblings or ()}
        with unfinished(folder, command):
            snapshot_download(
                repo, repo_type="dataset", revision=commit, allow_patterns=list(patterns), local_dir=folder
            )
            lock = _locked(repo, commit, of_commit, patterns, folder, pinned)
            unpacked = unpack(folder)
        return lock, unpacked
    except SnellenError:
        _whole_again(folder, pinned, half)
        raise
    except RevisionNotFoundError:
        raise SnellenError(f"{repo} has no revision '{wanted}'") from None
    except RepositoryNotFoundError:
        raise SnellenError(f"the hub shows no data set {repo}: it may need a login (set HF_TOKEN)") from None
    except Exception as error:  # the hub library raises its HTTP library's errors, which differ by version
        _whole_again(folder, pinned, half)
        raise SnellenError(f"cannot download {repo}: {one_line(without_logins(str(error)))}") from None


def _whole_again(folder: Path, pinned: Lock | None, half: bool) -> None:
    """Remove the mark from a set that was complete before, if none of it was changed."""
    if pinned and not half and read_lock(folder) == pinned and not any(check_lock(folder)):
        (folder / UNFINISHED).unlink(missing_ok=True)


def _locked(
    repo: str, commit: str, of_commit: set[str], patterns: tuple[str, ...], folder: Path, pinned: Lock | None
) -> Lock:
    """Remove the files that only an earlier commit had, and record the present ones."""
    if pinned and pinned.commit != commit:
        for name, digest in pinned.files.items():
            path = folder / name
            ours = _wanted(Path(name), patterns) and path.is_file() and not _linked(folder, name)
            if name not in of_commit and ours and file_digest(path) == digest:
                path.unlink()
    files = sorted(p for p in folder.rglob("*") if p.is_file() and _wanted(p.relative_to(folder), patterns))
    if not files:
        raise SnellenError(f"{repo} at {commit} has no files where they are expected ({', '.join(patterns)})")
    lock = Lock(
        repo=repo,
        commit=commit,
        fetched=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        files={p.relative_to(folder).as_posix(): file_digest(p) for p in files},
    )
    if pinned and pinned.commit == commit and pinned.files != lock.files:
        changed = sorted(set(pinned.files.items()) ^ set(lock.files.items()))
        raise SnellenError(
            f"{repo} at {commit}: {changed[0][0]} is not the file that was pinned; delete {folder} to start anew"
        )
    (folder / LOCK).write_bytes(msgspec.json.format(msgspec.json.encode(lock), indent=2) + b"\n")
    return lock


def _wanted(path: Path, patterns: tuple[str, ...]) -> bool:
    """Tell whether a file is requested data, and not a page about it."""
    return (
        ".cache" not in path.parts
        and path.name not in (LOCK, UNFINISHED)
        and path.suffix.lower() != ".md"
        and any(fnmatch(path.as_posix(), p) for p in patterns)
    )


def read_lock(folder: Path) -> Lock | None:
    """Return the lock of a folder, if it was downloaded. A lock that names a file outside the folder is refused."""
    path = folder / LOCK
    if not path.is_file():
        return None
    try:
        lock = msgspec.json.decode(path.read_bytes(), type=Lock)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise SnellenError(f"{path} is damaged; delete it and get the data again") from None
    except OSError as error:
        raise SnellenError(f"{path} cannot be read ({error.strerror})") from None
    outside = next((name for name in lock.files if not is_inside(name)), None)
    if outside is not None:
        raise SnellenError(f"{path} names {one_line(outside, 80)!r}, which is not a file of this folder; delete {path}")
    return lock


def is_inside(name: str) -> bool:
    """Tell whether a name is a plain path below a folder, on any system.

    >>> [is_inside(name) for name in ("P3/a.parquet", "../a", "/a", "P3/../../a", "C:a", "a\\\\b", "", ".")]
    [True, False, False, False, False, False, False, False]
    """
    parts = PurePosixPath(name).parts
    plain = bool(parts) and not PurePosixPath(name).is_absolute() and not PureWindowsPath(name).anchor
    return plain and ".." not in parts and "\\" not in name and "\0" not in name


def _linked(folder: Path, name: str) -> bool:
    """Tell whether a file, or a folder on the way to it, is a symbolic link."""
    path = folder / name
    return any(place.is_symlink() for place in (path, *path.parents) if folder in place.parents)


def _refuse_links_out(folder: Path) -> None:
    """Refuse to write into a folder that holds a link to another place: the download would land there."""
    home = folder.resolve()
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_symlink() and home not in path.resolve().parents:
            raise SnellenError(f"{path} is a link out of the data folder; take it away, or choose another --out folder")


def check_lock(folder: Path) -> Iterator[Problem]:
    """Yield files that are missing or differ from the download."""
    lock = read_lock(folder)
    for name, digest in (lock or Lock()).files.items():
        path = folder / name
        if not path.is_file():
            yield Problem(name, "missing; it was downloaded once")
        elif file_digest(path) != digest:
            yield Problem(name, "not the file that was downloaded (its SHA-256 differs)")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
