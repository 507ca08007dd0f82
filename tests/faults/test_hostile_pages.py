"""Hostile texts in every place of a run: no formula in a cell, no escape in the terminal, nothing that runs on a page in Chromium."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forks import Forks
from tests.support.sets import write_config
from tests.viewer.browser import Watched, chromium, needs_a_browser

SCRIPTS = (
    "</script><script>window.ran=1;alert(1)</script>",
    "<img src=x onerror='window.ran=1;alert(2)'>",
    "\"'><svg/onload=window.ran=1>",
    "javascript:window.ran=1",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "</style><link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "\x1b]0;title\x07\x1b[2Jgone",
    "=cmd|'/c calc'!A1",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1+1",
)


@pytest.fixture(scope="module")
def run(forks: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which ids, questions and replies are hostile."""
    home = tmp_path_factory.mktemp("pages")
    count = len(SCRIPTS)
    names: list[object] = [f"{i} {text}" for i, text in enumerate(SCRIPTS)]
    questions: list[object] = [f"Which? {text}" for text in SCRIPTS]
    write_config(home / "set", "P3", count, image_id=names, question=questions)
    replies = {f"P3/{name}": text for name, text in zip(names, SCRIPTS, strict=True)}
    (home / "<b>replies.json").write_text(json.dumps(replies))
    words = (
        "run",
        "salbench",
        "--data",
        home / "set",
        "--model",
        f"replay/{home}/<b>replies.json",
        "--out",
        home / "runs",
    )
    forks.run(*words, cache=home / "cache").well(0, 3)
    return next((home / "runs").iterdir())


def test_no_cell_is_a_formula(forks: Forks, run: Path, tmp_path: Path) -> None:
    forks.run("export", run, "--format", "csv", "--out", tmp_path / "t.csv", cache=tmp_path).well(0)
    tables = [tmp_path / "t.csv", *run.glob("exports/**/*.csv")]
    cells = [cell for table in tables for row in csv.reader(table.open(encoding="utf-8", newline="")) for cell in row]
    assert len(cells) > 20
    for cell in cells:
        assert not cell.lstrip(" \t\r\n").startswith(("=", "+", "@")), cell
        assert not cell.startswith("-") or cell[1:].replace(".", "").isdigit(), cell


def test_no_command_moves_the_cursor(forks: Forks, run: Path, tmp_path: Path) -> None:
    for words in (
        ("show", run),
        ("show", run, "--wrong"),
        ("show", run.parent),
        ("protocols", "salbench", "--run", run),
    ):
        ended = forks.run(*words, cache=tmp_path).well(0)
        assert "\x1b" not in ended.out + ended.err
        assert "\x07" not in ended.out + ended.err


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.faults
@needs_a_browser
@pytest.mark.parametrize("policy", [True, False], ids=["with its policy", "without"])
def test_nothing_runs_on_a_page(forks: Forks, run: Path, tmp_path: Path, browser: Any, policy: bool) -> None:
    page = tmp_path / "page.html"
    forks.run("report", run, "--out", page, cache=tmp_path).well(0)
    text = page.read_text(encoding="utf-8")
    assert "Content-Security-Policy" in text
    if not policy:
        page.write_text(text.replace("Content-Security-Policy", "X-No-Policy"), encoding="utf-8")
    seen = Watched(browser, page.as_uri())
    seen.page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    seen.page.wait_for_timeout(300)
    assert seen.page.evaluate("() => window.ran") is None
    assert seen.dialogs == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:", "blob:"))] == []
