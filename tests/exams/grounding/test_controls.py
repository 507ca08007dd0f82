"""Grounding can be run under controls, marked again and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import snellen


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    made = snellen("data", "make", "grounding", "--out", folder, "--count", 3, cache=tmp_path)
    assert made.returncode == 0, made.stderr
    return folder


def test_controls_end_in_a_comparison_that_can_be_marked_and_reported_again(tmp_path: Path, data: Path) -> None:
    words = (
        "run",
        "grounding",
        "--data",
        data,
        "--out",
        tmp_path / "runs",
        "--model",
        "method/center",
        "--controls",
        "blank",
    )
    done = snellen(*words, "--json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["complete"]
    [row] = [r for r in summary["controls"] if r["protocol"] == "click"]
    assert (row["control"], row["difference"]) == ("blank", 0.0)  # the middle is the middle of an empty picture, too
    run = summary["run"]
    remarked = snellen("mark", run, cache=tmp_path)
    assert remarked.returncode == 0, remarked.stderr
    page = tmp_path / "page.html"
    assert snellen("report", run, "--out", page, cache=tmp_path).returncode == 0
    assert "blank" in page.read_text()


@pytest.mark.parametrize(
    ("control", "told"),
    [
        ("none", "control 'none' shows no picture, and center needs one: 'blank' shows an empty one"),
        ("shuffled", "the control 'shuffled' needs at least two images of each split and task"),
    ],
)
def test_a_control_that_cannot_be_is_refused_before_anything_is_asked(
    tmp_path: Path, data: Path, control: str, told: str
) -> None:
    out = tmp_path / "runs"
    words = ("run", "grounding", "--data", data, "--out", out, "--model", "method/center", "--controls", control)
    done = snellen(*words, cache=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == f"snellen: {told}"
    assert not out.exists()
