"""Synthetic sets that several tests ask for: drawn once for all processes of a test run, then copied."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

from snellen import exams
from snellen.core.extras import maker_of

HOME = "SETS_OF_THIS_TEST_RUN"
"""The variable that names the folder of the drawn sets (tests/conftest.py makes the folder and removes it)."""


def made(exam: str, folder: Path, *, count: int, seed: int) -> Path:
    """Copy the set that `exam.make` draws into a folder that a test may change."""
    shutil.copytree(drawn(exam, count=count, seed=seed), folder, dirs_exist_ok=True)
    return folder


def drawn(exam: str, *, count: int, seed: int) -> Path:
    """Return the set that `exam.make` draws, to be read only."""
    home = Path(os.environ[HOME])
    folder = home / f"{exam}-{count}-{seed}"
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_suffix(".part")
            maker_of(exams.load(exam)).make(part, count=count, seed=seed, workers=1, progress=None)
            part.rename(folder)
    return folder
