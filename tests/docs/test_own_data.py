"""docs/own_data.md shows what the commands print today: its examples are run as they stand, in a folder of their own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import SNELLEN, environment

PAGE = Path(__file__).resolve().parents[2] / "docs" / "own_data.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def shell(command: str, folder: Path) -> tuple[int, list[str]]:
    env = environment(folder / "cache", COLUMNS="80")
    env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, [line.rstrip() for line in done.stdout.rstrip("\n").splitlines()]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("own")


def test_what_the_page_prints_is_what_the_commands_print_and_its_python_runs(desk: Path) -> None:
    steps = [s for kind, text in BLOCKS if not kind for s in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    assert len(steps) == 7
    for step in steps:
        command, _newline, printed = step.partition("\n")
        code, said = shell(command, desk)
        assert said == [line.rstrip() for line in printed.rstrip("\n").splitlines()], command
        assert code == (2 if "more.csv" in command and "check" in command else 0), command
    (python,) = (text for kind, text in BLOCKS if kind == "python")
    (desk / "example.py").write_text(python, encoding="utf-8")
    code, said = shell(f"{shlex.quote(sys.executable)} example.py", desk)
    assert (code, said) == (0, ["2 ['options', 'options']"])
