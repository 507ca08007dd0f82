"""A clone of the repository as it is committed, to test the steps of a new user."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def git(*words: str, cwd: Path) -> str:
    """Run git and return what it prints."""
    return subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True, check=True).stdout


def clone(folder: Path) -> Path:
    """Clone the repository into a folder; skip the test where this is not a git checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: there is nothing to clone")
    git("clone", "--quiet", "--no-tags", str(ROOT), str(folder), cwd=folder.parent)
    return folder


def changed(folder: Path) -> str:
    """List the changes that commands made in a clone and git would commit: new files that are not ignored, and changed ones."""
    return git("status", "--porcelain", cwd=folder)
