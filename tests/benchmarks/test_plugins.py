"""Benchmarks and protocols of the user's own: the example of the docs, run as printed there, and what can go wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
DOTS = EXAMPLES / "dots.py"
LAST_WORD = EXAMPLES / "last_word.py"


@pytest.fixture
def dots(tmp_path: Path) -> Path:
    folder = tmp_path / "dots"
    folder.mkdir()
    with (folder / "truth.csv").open("w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["file", "dots"])
        for n in range(1, 9):
            image = Image.new("RGB", (90, 20), "white")
            for i in range(n):
                ImageDraw.Draw(image).ellipse([4 + 10 * i, 6, 10 + 10 * i, 12], fill="black")
            image.save(folder / f"{n}.png")
            rows.writerow([f"{n}.png", n])
    return folder


def test_the_example_is_short() -> None:
    assert len(DOTS.read_text().splitlines()) < 60


def test_the_example_runs_reports_and_marks(dots: Path, tmp_path: Path) -> None:
    done = snellen(
        *("run", "dots", "--plugin", DOTS, "--data", dots, "--model", "baseline/constant:3"),
        *("--out", tmp_path / "runs", "--controls", "blank", "--json"),
        cache=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    scores = {p["protocol"]: p["groups"][0]["metrics"]["score"] for p in summary["protocols"]}
    assert scores["exact"]["value"] == 1 / 8
    assert scores["near"]["value"] == (1 + 0.5 + 0.5) / 8
    assert {tuple(g["by"].items()) for g in summary["protocols"][0]["groups"]} == {
        (),
        (("dots", "few"),),
        (("dots", "many"),),
    }
    page = snellen(
        "report", "--plugin", DOTS, *(tmp_path / "runs").iterdir(), "--out", tmp_path / "p.html", cache=tmp_path
    )
    assert page.returncode == 0, page.stderr
    assert "data:image/png;base64" in (tmp_path / "p.html").read_text()
    row = json.dumps({"id": 1, "answer": 4, "response": "I see 4"})
    marked = snellen(f"--plugin={DOTS}", "mark", "dots", "--protocol", "exact", stdin=row, cache=tmp_path)
    assert json.loads(marked.stdout)["outcome"] == "correct"
    listed = snellen("list", "benchmarks", "--plugin", DOTS, cache=tmp_path)
    assert "dots" in listed.stdout
    checked = snellen("data", "check", "dots", "--data", dots, "--plugin", DOTS, cache=tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_a_large_plugin_run_goes_through_the_feeding_process(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    out = io.BytesIO()
    Image.new("RGB", (4, 4)).save(out, "PNG")
    names = [f"{i}.png" for i in range(600)]
    for name in names:
        (folder / name).write_bytes(out.getvalue())
    (folder / "truth.csv").write_text("file,dots\n" + "".join(f"{n},1\n" for n in names))
    with Endpoint(answer="1") as endpoint:
        done = snellen(
            *("run", "dots", "--plugin", DOTS, "--data", folder, "--model", "api/x", "--base-url", endpoint.url),
            *("--out", tmp_path / "runs", "--json"),
            cache=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["protocols"][0]["groups"][0]["metrics"]["score"]["value"] == 1.0


def test_a_protocol_joins_an_old_run(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 12)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:It is color", "--out", tmp_path / "runs")
    assert snellen(*words, "--protocol", "paper", cache=tmp_path).returncode == 0
    run = next((tmp_path / "runs").iterdir())
    done = snellen("remark", run, "--protocol", "last-word", "--plugin", LAST_WORD, "--json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    scores = {p["protocol"]: p for p in json.loads(done.stdout)[0]["protocols"]}
    assert scores["last-word"]["groups"][0]["metrics"]["score"]["value"] > 0
    unknown = snellen("remark", run, "--protocol", "last-word", cache=tmp_path)
    assert unknown.returncode == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "has neither BENCHMARK nor PROTOCOLS"),
        ("x =\n", "does not load: SyntaxError"),
        ("def f():\n    raise ValueError('no')\nf()\n", "does not load: ValueError: no (line 2 of p.py)"),
        ("PROTOCOLS = [1]\n", "PROTOCOLS must be a dictionary"),
    ],
)
def test_a_bad_plugin_gets_one_line(tmp_path: Path, text: str, message: str) -> None:
    plugin = tmp_path / "p.py"
    plugin.write_text(text)
    done = snellen("list", "benchmarks", "--plugin", plugin, cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    missing = snellen("list", "--plugin", tmp_path / "none.py", cache=tmp_path)
    assert "none.py: no such file" in missing.stderr


def test_the_docs_print_the_example_as_it_is() -> None:
    page = (EXAMPLES.parent / "extending.md").read_text()
    assert DOTS.read_text() in page
