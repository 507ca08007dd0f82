"""`protocols --blind` claims only what it computed, says which labels it used, and names what the question's text alone gives away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import snellen


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    for exam in ("esnlive", "vqax"):
        done = snellen("data", "make", exam, "--count", 120, "--out", folder / exam, cache=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_where_nothing_could_be_tried_nothing_is_claimed(tmp_path: Path) -> None:
    done = snellen("protocols", "grounding", "--blind", "--protocol", "click", cache=tmp_path)
    assert "Nothing could be tried, and so nothing is said, of click." in done.stdout
    assert "can be won" not in done.stdout.lower()
    assert "90 %" not in done.stdout


def test_without_data_it_says_that_every_truth_counts_alike(tmp_path: Path) -> None:
    done = snellen("protocols", "esnlive", "--blind", "--protocol", "strict", cache=tmp_path)
    said = " ".join(done.stdout.split())
    assert "No data set: every truth that there can be counts equally often" in said
    assert "None of those tried reaches 90 %. Others who never look may do better." in said


@pytest.mark.parametrize("exam", ["esnlive", "vqax"])
def test_the_text_alone_gets_more_than_any_constant(exam: str, made: Path) -> None:
    done = snellen("protocols", exam, "--blind", "--protocol", "strict", "--data", made / exam, "--json", cache=made)
    (row,) = json.loads(done.stdout)
    guessed = row.get("text only")
    assert guessed is not None, "a subject that only reads is a subject that never looks"
    assert guessed > row["best constant"] + 0.05
    low, high = row["text only interval"]
    assert low < guessed < high
    assert "train split" in row["text only how"]


def test_where_all_questions_are_the_same_it_says_so(made: Path, tmp_path: Path) -> None:
    done = snellen("data", "make", "actx", "--count", 20, "--out", tmp_path / "actx", cache=tmp_path)
    done = snellen("protocols", "actx", "--blind", "--protocol", "strict", "--data", tmp_path / "actx", cache=tmp_path)
    assert "Text only: nothing to learn from; the questions of a part are all the same." in " ".join(
        done.stdout.split()
    )


def test_the_table_is_readable_at_80_columns(tmp_path: Path) -> None:
    done = snellen("protocols", "illusionbench", "--blind", "--protocol", "original", cache=tmp_path, COLUMNS="80")
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("Illusion_ICON · shape")]
    assert rows == [["Illusion_ICON", "·", "shape", "66", "4.9", "16.7", "100.0"]], "one line a part, nothing folded"
