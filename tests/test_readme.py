"""Every command of the README runs in a fresh clone, in the order printed.

A block whose commands begin with `$` prints what the README shows, letter by letter. Where a command names a hosted model, a local server
with that provider's API answers.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clone import changed, clone
from tests.support.command import SNELLEN, environment, snellen
from tests.support.responses_server import Provider, chat_reply, responses_reply

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
MAKE = re.compile(r"^make (?:demo|test)\b")
"""The two commands that build an environment of their own: tried by hand and in the workflow."""
ANSWERS = {
    "letter only": "K",
    "number only": "5",
    "name only": "cat",
    "x,y only": "512,512",
    "click": "(100, 100)",
    "object": "Color",
}


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    text = str(request)
    said = next((answer for sign, answer in ANSWERS.items() if sign in text.lower()), "A")
    bill = {"input": 900, "cached": 0, "output": 2, "reasoning": 0}
    reply = responses_reply if "input" in request else chat_reply
    return reply(said, request["model"], bill=bill)


@pytest.fixture
def server() -> Iterator[Provider]:
    """OpenAI's, Ollama's and vLLM's API on this machine, with an answer to every question of the README."""
    with Provider(replies=_answer) as running:
        yield running


class Reader:
    """A person who types the README's commands in a clone."""

    def __init__(self, folder: Path, server: Provider) -> None:
        self.more = {
            "COLUMNS": "80",
            "OPENAI_API_KEY": "sk-readme",
            "OPENAI_BASE_URL": server.url,
            "OLLAMA_HOST": server.root,
        }
        self.more["OLLAMA_API_KEY"] = "none"  # this server wants some key, Ollama itself does not
        self.folder, self.url = folder, server.url
        self.env = environment(folder / ".venv" / "cache", **self.more)
        self.env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{self.env['PATH']}"

    def types(self, command: str) -> str:
        """Return what a command prints, 80 columns wide."""
        if " vllm/" in command:
            command = f"{command.partition('  #')[0]} --base-url {self.url} --api-key EMPTY"
        if command.startswith("snellen view"):
            return self._views(command)
        if command.startswith("snellen "):  # in a fork: no shell, and no interpreter to start
            words = [w for word in shlex.split(command, comments=True)[1:] for w in self._files(word)]
            forked = snellen(*words, cache=self.folder / ".venv" / "cache", cwd=self.folder, **self.more)
            assert forked.returncode == 0, f"$ {command}\n{forked.stdout}\n{forked.stderr}"
            return forked.stdout
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _files(self, word: str) -> list[str]:
        """Return what a shell makes of a word with a star."""
        return (
            sorted(str(p.relative_to(self.folder)) for p in self.folder.glob(word)) or [word] if "*" in word else [word]
        )

    def _views(self, command: str) -> str:
        """Start the viewer, wait for its link, and press Ctrl-C."""
        words = [*shlex.split(command, comments=True), "--no-open"]
        with subprocess.Popen(words, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, text=True) as viewer:
            assert viewer.stdout is not None
            said = next((line for line in viewer.stdout if "http://127.0.0.1" in line), "")
            viewer.send_signal(signal.SIGINT)
            rest = viewer.stdout.read()
        assert said and viewer.returncode in (0, 130), said + rest
        return said


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").splitlines()]


def _steps(block: str) -> list[tuple[str, list[str] | None]]:
    """Return the commands of a block, each with the lines that it is shown to print, if it is."""
    if re.search(r"^\$ ", block, re.MULTILINE):
        steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        return [(command, plain(shown)) for command, _, shown in (step.partition("\n") for step in steps)]
    return [(line, None) for line in block.splitlines() if not MAKE.match(line)]


def test_every_command_runs_in_a_clone_in_the_order_printed(tmp_path: Path, server: Provider) -> None:
    reader = Reader(clone(tmp_path / "snellen"), server)
    ran = 0
    for language, text in BLOCKS:
        if language == "python":
            (reader.folder / "example.py").write_text(text, encoding="utf-8")
            said = plain(reader.types(f"{shlex.quote(sys.executable)} example.py"))
            assert len(said) == 4 and said[0].startswith("Illusion_ICON · shape original 83.3%")
            continue
        for command, shown in _steps(text):
            printed = plain(reader.types(command))
            assert shown is None or printed == shown, command
            ran += 1
    assert ran > 25 and server.requests
    assert changed(reader.folder) == "", "what the README's commands write must be in .gitignore"


def test_its_links_lead_somewhere() -> None:
    found = [w for w in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", TEXT) for w in w if w]
    assert len(found) > 15 and all((ROOT / w).is_file() for w in found)


def test_the_two_commands_are_on_the_first_screen() -> None:
    first = TEXT[: TEXT.index("## Four ways in")]
    assert "make demo" in first and "make test" in first and len(first.splitlines()) < 30


def test_the_picture_is_small() -> None:
    assert (ROOT / "docs/images/grounding-miss.png").stat().st_size < 200_000
