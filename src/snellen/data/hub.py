"""Pinned downloads from a hub: the commit and each file's digest are written down, and checked ever after."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.secret import without_logins
from snellen.core.text import one_line

LOCK = "snellen-data.json"


def download(repo: str, patterns: tuple[str, ...], folder: Path, revision: str | None) -> dict[str, Any]:
    """Fetch the files of a data set at one commit; gives the lock that was written."""
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError
    except ImportError:
        raise MissingExtra("downloading from the hub", "hub") from None
    pinned = read_lock(folder)
    wanted = revision or (pinned["commit"] if pinned and pinned.get("repo") == repo else None)
    try:
        info = HfApi().dataset_info(repo, revision=wanted)
        commit, of_commit = info.sha, {s.rfilename for s in info.siblings or ()}
        snapshot_download(repo, repo_type="dataset", revision=commit, allow_patterns=list(patterns), local_dir=folder)
    except RevisionNotFoundError:
        raise SnellenError(f"{repo} has no revision '{wanted}'") from None
    except RepositoryNotFoundError:
        raise SnellenError(f"the hub shows no data set {repo}: it may need a login (set HF_TOKEN)") from None
    except Exception as error:  # the hub library raises its HTTP library's errors, which differ by version
        raise SnellenError(f"cannot download {repo}: {one_line(without_logins(str(error)))}") from None
    if pinned and pinned.get("commit") != commit:
        for name in pinned["files"]:
            if name not in of_commit:  # a file of the commit that was here before
                (folder / name).unlink(missing_ok=True)
    files = sorted(p for p in folder.rglob("*") if p.is_file() and _wanted(p.relative_to(folder), patterns))
    if not files:
        raise SnellenError(f"{repo} at {commit} has no files where they are expected ({', '.join(patterns)})")
    lock: dict[str, Any] = {
        "repo": repo,
        "commit": commit,
        "fetched": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "files": {p.relative_to(folder).as_posix(): file_digest(p) for p in files},
    }
    if pinned and pinned.get("commit") == commit and pinned["files"] != lock["files"]:
        changed = sorted(set(pinned["files"].items()) ^ set(lock["files"].items()))
        raise SnellenError(
            f"{repo} at {commit}: {changed[0][0]} is not the file that was pinned; delete {folder} to start anew"
        )
    (folder / LOCK).write_bytes(msgspec.json.format(msgspec.json.encode(lock), indent=2) + b"\n")
    return lock


def _wanted(path: Path, patterns: tuple[str, ...]) -> bool:
    """Whether a file is data that was asked for, and no page about it."""
    return (
        ".cache" not in path.parts
        and path.suffix.lower() != ".md"
        and any(fnmatch(path.as_posix(), p) for p in patterns)
    )


def read_lock(folder: Path) -> dict[str, Any] | None:
    """The lock of a folder, if it was downloaded."""
    try:
        return msgspec.json.decode((folder / LOCK).read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError:
        raise SnellenError(f"{folder / LOCK} is damaged; delete it and get the data again") from None


def check_lock(folder: Path) -> Iterator[Problem]:
    """Files that are missing or not what was downloaded."""
    lock = read_lock(folder)
    for name, digest in (lock or {}).get("files", {}).items():
        path = folder / name
        if not path.is_file():
            yield Problem(name, "missing; it was downloaded once")
        elif file_digest(path) != digest:
            yield Problem(name, "not the file that was downloaded (its SHA-256 differs)")


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
