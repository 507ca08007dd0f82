"""Floors are labelled wherever they stand, a score at or below one is marked, and a plugin's exam has them in its run."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.present.made import group, made_run, protocol, score
from tests.support.command import snellen
from tests.support.sets import png

from snellen.present.model.table_view import score_cell
from snellen.present.terminal.run import print_run

PLUGIN = Path(__file__).parents[2] / "docs" / "examples" / "dots.py"
CHOICE = """
from snellen import Exam, Picture, Prompt, Protocol, Question, Sample, Text

OPTIONS = (("red", "blue"), ("blue", "green"))

def ask(sample, _shots):
    return Question(id=sample.id, exam="pick", prompt="question", parts=(Text(text="Which?"), *sample.pictures),
                    options=OPTIONS[int(sample.id) % 2], answer_kind="one-of", answer_form="It is {}")

class Pick(Exam):
    name = "pick"
    title = "Pick: which colour"
    prompts = {"question": Prompt("question", "which colour", ask)}
    protocols = {"last": Protocol("last", "the last word", lambda r, s: r.split()[-1], lambda w, s: w == s.truth)}

    def samples(self, where):
        for i in range(8):
            yield Sample(id=str(i), tags={}, truth=OPTIONS[i % 2][1 if i else 0], pictures=(Picture(data=(where / "a.png").read_bytes()),))

EXAM = Pick()
"""


def dots(folder: Path) -> Path:
    folder.mkdir()
    with (folder / "truth.csv").open("w", newline="", encoding="utf-8") as table:
        rows = csv.writer(table)
        rows.writerow(["file", "dots"])
        for i, n in enumerate((3, 3, 3, 5, 6, 1)):
            (folder / f"{i}.png").write_bytes(png(i))
            rows.writerow([f"{i}.png", n])
    return folder


def test_a_plugins_run_shows_its_floor(tmp_path: Path) -> None:
    how = ("--plugin", PLUGIN, "--data", dots(tmp_path / "data"), "--model", "baseline/constant:3")
    done = snellen("run", "dots", *how, "--out", tmp_path / "out", cache=tmp_path)
    assert "50.0 at floor" in done.stdout, done.stdout + done.stderr
    (summary,) = (tmp_path / "out").rglob("summary.json")
    found = json.loads(summary.read_text())["protocols"][0]["groups"][0]["metrics"]["score"]
    assert (found["floor"], found["floor_answer"]) == (0.5, "3")


def test_a_plugin_with_options_is_tried_with_what_each_question_offers(tmp_path: Path) -> None:
    (tmp_path / "pick.py").write_text(CHOICE)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.png").write_bytes(png(1))
    how = ("--plugin", tmp_path / "pick.py", "--data", tmp_path / "data", "--model", "baseline/constant:It is pink")
    done = snellen("run", "pick", *how, "--out", tmp_path / "out", cache=tmp_path)
    assert "87.5 below floor" in done.stdout, "the second option of each question: 7 of 8\n" + done.stdout + done.stderr
    (summary,) = (tmp_path / "out").rglob("summary.json")
    found = json.loads(summary.read_text())["protocols"][0]["groups"][0]["metrics"]["score"]
    assert found["floor_answer"] == "option 2"


def test_a_floor_in_a_cell_is_labelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    low = score(0.4, floor=0.5)
    mine = protocol("mine", group({}, accuracy=low))
    print_run(made_run(tmp_path / "r", mine), verbose=True)
    assert "[10.1, 90.0] below floor 50.0 *" in capsys.readouterr().out
    assert score_cell(mine, "accuracy", score(0.9, floor=0.5)).floor_said == "floor 50.0"
