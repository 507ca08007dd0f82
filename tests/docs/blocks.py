"""The fenced blocks of the documents, and how one is run as a reader would: its commands one after the other, in the page's own folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tests.support.command import SNELLEN, environment, snellen

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OF_THE_DAY = (
    (re.compile(r"\b(?:\d{4}-)?\d\d-\d\d[ T]\d\d:\d\d(?::\d\dZ)?"), "WHEN"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "WHEN"),
    (re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{8}\b"), "DIGEST"),
    (re.compile(r"\b\d+\.\d\d s\b"), "TIME"),
)
ANYTHING = "..."
SHELLS = set("|&;<>()$`*?[]{}~#\n")
"""What only a shell understands. A command without is given to Snellen as it is."""


class Block(NamedTuple):
    """A fenced block: `name` is its page and its number there, `file` the file that it is the text of, where it has a title."""

    page: str
    name: str
    language: str
    file: str
    text: str

    @property
    def steps(self) -> list[tuple[str, list[str]]]:
        """Its commands, each with the lines that it is shown to print."""
        found = []
        for step in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _newline, printed = step.partition("\n")
            while command.endswith("\\"):
                more, _newline, printed = printed.partition("\n")
                command = command[:-1] + more
            found.append((command, plain(printed)))
        return found

    @property
    def is_session(self) -> bool:
        return not self.language and self.text.startswith("$ ")


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    name = page.relative_to(DOCS).as_posix()
    found = _FENCE.findall(page.read_text(encoding="utf-8"))
    return [Block(name, f"{name}#{n}", *one) for n, one in enumerate(found, 1)]


def every_block() -> Iterator[Block]:
    """The blocks of all pages."""
    for page in PAGES:
        yield from blocks_of(page)


def plain(text: str) -> list[str]:
    """Lines without what says nothing to a reader and differs: blanks at their ends, times, and digests of runs."""
    for pattern, word in _OF_THE_DAY:
        text = pattern.sub(word, text)
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def said(command: str, folder: Path, addresses: Mapping[str, str] = MappingProxyType({})) -> tuple[int, list[str]]:
    """What a reader sees of a command, 80 columns wide: its output, and where it fails its errors, too."""
    for shown, real in addresses.items():
        command = command.replace(shown, real)
    if command.startswith("snellen ") and not SHELLS & set(command):
        done = snellen(*shlex.split(command)[1:], cache=folder / ".cache", cwd=folder, COLUMNS="80", HOME=str(folder))
        return done.returncode, plain(done.stdout + (done.stderr if done.returncode else ""))
    env = environment(folder / ".cache", COLUMNS="80", HOME=str(folder))
    env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, plain(done.stdout + (done.stderr if done.returncode else ""))


def shows(shown: list[str], printed: list[str]) -> bool:
    """Whether a page shows what was printed; a line of three dots stands for any lines."""
    if not shown:
        return not printed
    if shown[0] == ANYTHING:
        return any(shows(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and shows(shown[1:], printed[1:])


def run(block: Block, folder: Path, addresses: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run a block and hold what it prints against what it shows. A block with a title is a file, which is written."""
    if block.file:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        return
    if block.language == "python":
        (folder / "example.py").write_text(block.text, encoding="utf-8")
        code, printed = said("python example.py", folder)
        assert code == 0, "\n".join([block.name, *printed])
        return
    for command, shown in block.steps:
        code, printed = said(command, folder, addresses)
        assert shows(shown, printed), "\n".join([f"{block.name}: $ {command}", *printed])
        assert code == 0 or shown, f"{block.name}: $ {command} failed and the page does not say so"
