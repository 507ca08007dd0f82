"""Pairs can be browsed without a run."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import snellen


def test_a_page_shows_pairs_and_truths_without_a_run(tmp_path: Path) -> None:
    made = snellen("data", "make", "d3", "--count", 4, "--out", tmp_path / "d3", cache=tmp_path / "c")
    assert made.returncode == 0, made.stderr
    page = tmp_path / "pairs.html"
    done = snellen("data", "show", "d3", "--data", tmp_path / "d3", "--limit", 3, "--out", page, cache=tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "3 samples of d3" in done.stdout
    text = page.read_text()
    assert text.count("<article") == 3
    assert text.count('<use href="#p') == 6 and text.count('href="data:image/') == 6
    assert "SYNTHETIC" in text
    assert "<script" not in text
    assert not list(tmp_path.glob("runs*"))


def test_it_works_for_an_exam_of_another_kind_and_says_what_is_wrong(tmp_path: Path) -> None:
    done = snellen("data", "show", "d3", "--data", tmp_path, "--out", tmp_path / "p.html", cache=tmp_path / "c")
    assert done.returncode == 2
    assert not (tmp_path / "p.html").exists()
    made = snellen("data", "make", "grounding", "--count", 2, "--out", tmp_path / "g", cache=tmp_path / "c")
    assert made.returncode == 0, made.stderr
    words = ("data", "show", "grounding", "--data", tmp_path / "g", "--limit", 2, "--out", tmp_path / "g.html")
    done = snellen(*words, cache=tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "<article" in (tmp_path / "g.html").read_text()
