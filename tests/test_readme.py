"""The README shows what the command does today: its examples are run as they stand, and its other commands at least parse.

A block whose commands begin with `$` is run offline and its output compared, letter by letter. A block of bare `snellen` commands needs
a model, data or a network; each is only checked to name a command, options and plugin files that exist.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import SNELLEN, environment

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
RUN = [text for kind, text in BLOCKS if not kind and re.search(r"^\$ ", text, re.MULTILINE)]
LINES = [line for kind, text in BLOCKS if not kind and text not in RUN for line in text.splitlines()]
COMMANDS = [line for line in LINES if line.startswith("snellen ")]
PYTHON = [text for kind, text in BLOCKS if kind == "python"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to work in."""
    return tmp_path_factory.mktemp("readme")


def shell(command: str, folder: Path) -> str:
    """What a user sees of a command: its standard output, 80 columns wide."""
    env = environment(folder / "cache", COLUMNS="80")
    env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def test_there_is_something_to_check() -> None:
    assert len(RUN) == 4 and len(COMMANDS) == 22 and len(PYTHON) == 1


@pytest.mark.parametrize("block", RUN, ids=[re.findall(r"^\$ (.*)", b, re.M)[-1][:40] for b in RUN])
def test_what_the_readme_prints_is_what_the_command_prints(block: str, desk: Path) -> None:
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _newline, printed = step.partition("\n")
        assert plain(shell(command, desk)) == plain(printed), command


@pytest.mark.parametrize("code", PYTHON)
def test_its_python_runs(code: str, desk: Path) -> None:
    shell("test -d E || snellen data make illusionbench --count 12 --seed 1 --out E", desk)
    (desk / "example.py").write_text(code, encoding="utf-8")
    said = plain(shell(f"{shlex.quote(sys.executable)} example.py", desk))
    assert len(said) == 4 and said[0].startswith("Illusion_ICON · shape original 83.3%")


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_that_are_not_run_parse(line: str, desk: Path) -> None:
    """Every word that is a command or an option is one; names of exams and plugin files are, too."""
    words = shlex.split(line, comments=True)
    named = {w for w in words if w.startswith("--")}
    plugins = [w for at, w in enumerate(words) if words[at - 1] == "--plugin"]
    assert all((ROOT / p).is_file() for p in plugins)
    until = next((at for at, w in enumerate(words) if w.startswith("--")), len(words))
    exam = [w for w in words[1:until] if not w.startswith("runs/")]
    asked = " ".join(["snellen", *exam, *(f"--plugin {ROOT / p}" for p in plugins), "--help"])
    known = set(re.findall(r"--[a-z_-]+", shell(asked, desk))) | {"--plugin"}
    assert named <= known, named - known


def test_its_links_lead_somewhere() -> None:
    found = [w for w in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", TEXT) for w in w if w]
    assert len(found) > 15 and all((ROOT / w).is_file() for w in found)


def test_the_two_commands_are_on_the_first_screen() -> None:
    first = TEXT[: TEXT.index("## Four ways in")]
    assert "make demo" in first and "make test" in first and len(first.splitlines()) < 30


def test_the_picture_is_small() -> None:
    assert (ROOT / "docs/images/grounding-miss.png").stat().st_size < 200_000
