"""`snellen view` as a user starts and ends it."""

from __future__ import annotations

import re
import signal
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.support.command import snellen as command
from tests.support.command import start

from snellen.cli import flags, view_command
from snellen.core.errors import SnellenError
from snellen.core.installing import install_command


def test_it_prints_a_link_serves_and_ends_with_ctrl_c(runs: Path, tmp_path: Path) -> None:
    process = start("view", runs, "--no-open", cache=tmp_path, PYTHONUNBUFFERED="1")
    try:
        assert process.stdout is not None
        said = "".join(process.stdout.readline() for _ in range(3))
        link = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", said)
        assert link is not None and said.rstrip().endswith("Ctrl-C ends it.")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor())
        assert b"baseline/chance" in opener.open(link.group(), timeout=60).read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and out == "Stopped.\n" and err == ""
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["nowhere"], "no such folder"), (["{runs}", "--data", "nowhere"], "--data nowhere: no such folder")],
)
def test_bad_usage_is_one_clear_line(runs: Path, tmp_path: Path, words: list[str], said: str) -> None:
    done = command("view", *(word.format(runs=runs) for word in words), cache=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and said in done.stderr and done.stderr.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "find_spec", lambda name: None if name == "uvicorn" else object())
    done = CliRunner().invoke(view_command.command, [str(runs)], standalone_mode=False)
    assert isinstance(done.exception, SnellenError) and install_command("view") in str(done.exception)
