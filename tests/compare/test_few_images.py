"""Many questions on few images: a fall of 73 points passed the gate, and nothing on the screen said why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.support.own_sets import lines

import snellen
from snellen.cli import gate_command
from snellen.present.page.report import write_report
from snellen.present.terminal.run import print_run

N, IMAGES = 60, 3


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("few")
    rows = [
        {"id": f"q{i}", "image": f"{1 + i % IMAGES}.png", "question": f"Which colour has {i}?", "options": ["red", "blue"], "answer": "blue"}
        for i in range(N)
    ]  # fmt: skip
    table = lines(folder / "set", *rows)

    def run(name: str, right: int) -> Path:
        replies = folder / f"{name}.jsonl"
        said = [{"id": f"q{i}", "text": "blue" if i < right else "red"} for i in range(N)]
        replies.write_text("\n".join(map(json.dumps, said)))
        return snellen.evaluate("own", model=f"replay/{replies}", data=table, out=folder / "runs").path

    return run("good", 56), run("bad", 12)


def test_the_gate_has_no_verdict(runs: tuple[Path, Path]) -> None:
    words = [str(runs[1]), "--baseline", str(runs[0])]
    done = CliRunner().invoke(gate_command.command, words, standalone_mode=False)
    assert isinstance(done.exception, snellen.SnellenError) and done.exception.exit_code == 2
    said = str(done.exception)
    assert said.startswith("nothing can be judged by 3 images") and "n 60 on 3 images" in said and "at least 5" in said


def test_every_table_says_on_how_many_images(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = map(snellen.open_run, runs)
    print_run(good)
    assert "60 on 3 images" in capsys.readouterr().out
    write_report([good, bad], tmp_path / "page.html", samples=0)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("60 on 3 images") >= 5 and "Too few images to compare A and B" in page
    assert "four times in five" not in page and "cannot be told apart" not in page
