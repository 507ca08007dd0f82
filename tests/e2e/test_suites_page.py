"""docs/suites.md: its file is a suite, and its commands print what the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from tests.support.command import SNELLEN, environment

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "suites.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = [SNELLEN, *shlex.split(command)[1:]]
    around = environment(folder / "cache", COLUMNS="80")
    return subprocess.run(words, cwd=folder, env=around, capture_output=True, text=True, timeout=300, check=False)


def shown(text: str) -> str:
    """Without the space at the ends of lines, which the page does not have."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(blocks("toml")[0], encoding="utf-8")
    for block in blocks(""):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            done = run(tmp_path, command)
            assert done.returncode == 0, done.stderr
            assert shown(done.stdout) == shown(printed) or not printed.strip(), command


def test_the_small_case_is_four_runs(tmp_path: Path) -> None:
    for exam in ("salbench", "illusionbench"):
        assert run(tmp_path, f"snellen data make {exam} --count 2 --out data/{exam}").returncode == 0
    command = next(line for block in blocks("") for line in block.splitlines() if line.startswith("snellen run"))
    done = run(tmp_path, command)
    assert done.returncode == 0, done.stderr
    assert "4 runs, estimate, nothing was called" in done.stdout
