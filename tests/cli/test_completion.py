"""The Tab key: what the scripts of docs/installing.md ask the command for, and that bash really completes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.command import SNELLEN, environment


def completed(line: str, shell: str, cache: Path) -> list[str]:
    """What is offered for the last word of a command line."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1) if shell != "fish" else words[-1]}
    env = environment(cache, _SNELLEN_COMPLETE=f"{shell}_complete", **asked)
    done = subprocess.run([SNELLEN], env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("snellen ex", ["exam", "export", "explain"]),
        ("snellen run sal", ["salbench"]),
        ("snellen data make il", ["illusionbench"]),
        ("snellen data m", ["make"]),
        ("snellen compare --po", ["--power"]),
        ("snellen run salbench --sho", ["--shots"]),
    ],
)
def test_the_last_word_is_completed(line: str, offered: list[str], tmp_path: Path) -> None:
    assert [word.partition(",")[2] for word in completed(line, "bash", tmp_path)] == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_the_same(shell: str, tmp_path: Path) -> None:
    assert "salbench" in "\n".join(completed("snellen run sal", shell, tmp_path))


def test_bash_completes(tmp_path: Path) -> None:
    """The script that the page has one write, read by bash, called as the Tab key does."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    env = environment(tmp_path, _SNELLEN_COMPLETE="bash_source")
    script = subprocess.run([SNELLEN], env=env, capture_output=True, text=True, timeout=120, check=True).stdout
    press = "COMP_WORDS=(snellen run sal); COMP_CWORD=2; _snellen_completion snellen; echo ${COMPREPLY[@]}"
    env = environment(tmp_path)
    env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        [bash, "-c", script + press], env=env, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "salbench"
