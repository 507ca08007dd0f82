"""A plugin file's METHODS are methods like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from tests.support.command import snellen
from tests.support.marked_screens import write_screens

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "colourful.py"


def run(tmp_path: Path, data: Path, plugin: Path, *words: str, code: int = 0) -> dict[str, object]:
    told = ("run", "grounding", "--plugin", plugin, "--data", data, "--out", tmp_path / "runs", "--json", *words)
    done = snellen(*told, cache=tmp_path)
    assert done.returncode == code, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def score(summary: dict[str, object]) -> float:
    protocols: list[dict[str, object]] = summary["protocols"]  # type: ignore[assignment]
    return float(protocols[0]["groups"][0]["metrics"]["click_accuracy"]["value"])  # type: ignore[index]


def test_the_example_of_the_docs_runs_also_with_crops(tmp_path: Path) -> None:
    data = write_screens(tmp_path / "set")
    plain = run(tmp_path, data, EXAMPLE, "--method", "colourful")
    assert score(plain) == 1.0
    cropped = run(tmp_path, data, EXAMPLE, "--method", "colourful+reground")
    assert score(cropped) == 1.0
    assert plain["run"] != cropped["run"]
    listed = snellen(
        "list", "methods", "--plugin", EXAMPLE, "--json", cache=tmp_path, EVAL_OMNIPARSER_URL="http://127.0.0.1:9"
    )
    rows = {row["name"]: row for row in json.loads(listed.stdout)["methods"]}
    assert rows["colourful"]["about"] == "a plugin's: the most colourful patch, whatever is asked for"
    assert rows["colourful"]["needs"] == "nothing"


def test_an_edited_method_is_another_subject(tmp_path: Path) -> None:
    data, plugin = write_screens(tmp_path / "set"), tmp_path / "mine.py"
    plugin.write_text("METHODS = {'mine': lambda image, instruction: (350, 220)}\n")
    first = run(tmp_path, data, plugin, "--method", "mine")
    plugin.write_text("METHODS = {'mine': lambda image, instruction: (1, 1)}\n")
    second = run(tmp_path, data, plugin, "--method", "mine")
    assert (score(first), score(second)) == (0.25, 0.0)
    assert first["run"] != second["run"]


def test_boxes_refusals_and_mistakes(tmp_path: Path) -> None:
    data, plugin = write_screens(tmp_path / "set"), tmp_path / "mine.py"
    Image.new("RGB", (10, 10)).save(tmp_path / "x.png")
    plugin.write_text(
        "def box(image, instruction): return [300, 200, 400, 240]\n"
        "def gone(image, instruction): return None\n"
        "def odd(image, instruction): return 'there'\n"
        "def broken(image, instruction): return 1 / 0\n"
        "METHODS = {'box': box, 'gone': gone, 'odd': odd, 'broken': broken}\n"
    )
    assert score(run(tmp_path, data, plugin, "--method", "box")) == 0.25
    assert score(run(tmp_path, data, plugin, "--method", "gone")) == 0.0
    for name, told in (
        ("odd", "method odd gave 'there', not (x, y)"),
        ("broken", "ZeroDivisionError: division by zero"),
    ):
        words = ("run", "grounding", "--plugin", plugin, "--data", data, "--out", tmp_path / "runs", "--method", name)
        done = snellen(*words, cache=tmp_path)
        assert done.returncode != 0
        assert told in " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("METHODS = {'ocr': print}", "there is one of that name already"),
        ("METHODS = {'my+own': print}", "a name is letters, digits and -"),
        ("METHODS = {'mine': 3}", 'METHODS["mine"] must be a function, not a int'),
    ],
)
def test_bad_methods_get_one_line(tmp_path: Path, source: str, told: str) -> None:
    data, plugin = write_screens(tmp_path / "set"), tmp_path / "mine.py"
    plugin.write_text(source)
    words = ("run", "grounding", "--plugin", plugin, "--data", data, "--out", tmp_path / "runs", "--method", "mine")
    done = snellen(*words, cache=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
