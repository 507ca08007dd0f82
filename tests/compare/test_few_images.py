"""Many questions on few images: a fall of 73 points passed the gate, and nothing on the screen said why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.support.own_sets import lines
from tests.support.sets import png

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


def gated(folder: Path, sizes: list[int], before: list[float], after: list[float]) -> str:
    """Return the verdict on some images with so many questions each and so large shares of right answers."""
    rows, said = [], {"before": [], "after": []}
    for image, size in enumerate(sizes):
        for at in range(size):
            row = {"id": f"{image}-{at}", "image": f"{image + 1}.png", "question": f"Which colour has {at}?"}
            rows.append(row | {"options": ["red", "blue"], "answer": "blue"})
            for name, shares in (("before", before), ("after", after)):
                said[name].append({"id": row["id"], "text": "blue" if at < shares[image] * size else "red"})
    table, paths = lines(folder / "set", *rows), []
    for image in range(len(sizes)):
        (table.parent / f"{image + 1}.png").write_bytes(png(image + 1))
    for name, replies in said.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, replies)))
        run = snellen.evaluate("own", model=f"replay/{folder / name}.jsonl", data=table, out=folder / "runs")
        paths.append(str(run.path))
    done = CliRunner().invoke(gate_command.command, [paths[1], "--baseline", paths[0]], standalone_mode=False)
    return str(done.exception or done.output)


@pytest.mark.parametrize(
    ("sizes", "before", "after"),
    [
        ([20] * 5, [1, 1, 1, 1, 0], [0] * 5),
        ([20] * 6, [1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1]),
        ([20] * 5, [1, 1, 1, 1, 0.5], [0, 0, 0, 0, 0.55]),
        ([90, 1, 1, 1, 1, 1, 1], [1] * 7, [0, 1, 1, 1, 1, 1, 1]),
    ],
    ids=["one image was at 0", "two images stand", "one image is better", "one image has nearly all questions"],
)
def test_a_large_drop_that_the_test_cannot_tell_does_not_pass(
    sizes: list[int], before: list[float], after: list[float], tmp_path: Path
) -> None:
    assert gated(tmp_path, sizes, before, after).startswith("cannot tell: choice dropped by ")


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
