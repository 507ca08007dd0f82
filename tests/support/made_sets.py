"""Synthetic sets that several tests ask for: drawn once a process, then copied."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from snellen import exams


def made(exam: str, folder: Path, *, count: int, seed: int) -> Path:
    """The set that `exam.make` draws, in a folder of its own that a test may change."""
    shutil.copytree(_drawn(exam, count, seed), folder, dirs_exist_ok=True)
    return folder


@cache
def _home() -> Path:
    home = Path(tempfile.mkdtemp(prefix="made-sets-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@cache
def _drawn(exam: str, count: int, seed: int) -> Path:
    folder = _home() / f"{exam}-{count}-{seed}"
    exams.load(exam).make(folder, count=count, seed=seed, workers=1, progress=None)
    return folder
