"""What is committed: no large files, nothing at the top that the project does not need."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LARGE = 1_000_000
TOP = {
    *(".ci", ".dockerignore", ".github", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff"),
    *("CONTRIBUTING.md", "Dockerfile", "LICENSE", "Makefile", "README.md", "SECURITY.md", "bench", "constraints.txt"),
    *("docs", "mkdocs.yml", "pyproject.toml", "src", "tests", "training"),
}


def _git(*words: str) -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: there is no list of committed files")
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


def test_no_large_file_is_committed() -> None:
    tracked = [ROOT / name for name in _git("ls-files", "-z") if "weights" not in Path(name).parts]
    assert tracked
    assert [p.relative_to(ROOT).as_posix() for p in tracked if p.is_file() and p.stat().st_size > LARGE] == []


def test_nothing_at_the_top_is_there_by_accident() -> None:
    assert {Path(name).parts[0] for name in _git("ls-files", "-z")} <= TOP
