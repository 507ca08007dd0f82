"""Runs whose questions were asked several times, compared: by the means over repeats, against an independent computation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.compare.conftest import right, wrong
from tests.support.command import snellen as command

import snellen
from snellen.comparison.explaining import explain_run
from snellen.comparison.gating import gate_runs
from snellen.comparison.results import Comparison
from snellen.core.options import Selection
from snellen.exams.salbench.data import SalBenchData

N, A_TIMES, B_TIMES = 120, 5, 3


@pytest.fixture
def tables() -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong, a row for each sample and a column for each time: B is better, and neither is sure of itself."""
    draw = np.random.default_rng(3)
    ease = draw.beta(2, 2, N)[:, None]
    return draw.random((N, A_TIMES)) < ease - 0.12, draw.random((N, B_TIMES)) < ease + 0.12


@pytest.fixture
def runs(salbench: Path, tmp_path: Path, tables: tuple[np.ndarray, np.ndarray]) -> list[Path]:
    samples = list(SalBenchData(salbench, Selection(splits=("P3",), tasks=("D",))).light())
    assert len(samples) == N
    found = []
    for name, table in zip("AB", tables, strict=True):
        path = tmp_path / f"{name}.jsonl"
        lines = [
            {"id": s.id, "prompt": f"question#{t + 1}" if t else "question", "text": right(s) if hit else wrong(s)}
            for s, row in zip(samples, table, strict=True)
            for t, hit in enumerate(row)
        ]
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        how: dict[str, Any] = {"protocols": ("paper", "robust"), "splits": ("P3",), "tasks": ("D",)}
        run = snellen.evaluate(
            "salbench", model=f"replay/{path}", data=salbench, repeats=table.shape[1], out=tmp_path / "runs", **how
        )
        found.append(run.path)
    return found


@pytest.fixture
def compared(runs: list[Path]) -> Comparison:
    return snellen.compare(*runs)


def test_a_sample_counts_with_its_mean_over_repeats(
    compared: Comparison, tables: tuple[np.ndarray, np.ndarray]
) -> None:
    row = compared.row("paper")
    a, b = (table.mean(axis=1) for table in tables)
    moves = b - a
    assert (row.n, row.clusters) == (N, N)
    assert (row.first, row.second) == (pytest.approx(a.mean()), pytest.approx(b.mean()))
    assert row.difference == pytest.approx(moves.mean())
    assert row.low is not None
    assert row.high is not None
    # as wide as Student's interval of the mean move, not as that of all answers
    half = 1.98 * moves.std(ddof=1) / N**0.5
    assert (row.low, row.high) == (
        pytest.approx(moves.mean() - half, abs=0.01),
        pytest.approx(moves.mean() + half, abs=0.01),
    )
    draw = np.random.default_rng(1)
    flipped = (draw.choice([-1, 1], (20_000, N)) * moves).mean(axis=1)
    assert row.p == pytest.approx((abs(flipped) >= abs(moves.mean()) - 1e-12).mean(), abs=0.01)


def test_it_says_what_asking_again_does_and_what_part_of_the_doubt_that_is(
    compared: Comparison, tables: tuple[np.ndarray, np.ndarray]
) -> None:
    again = compared.row("paper").again
    assert again is not None
    within = [table.var(axis=1, ddof=1).mean() / N for table in tables]
    assert (again.first, again.second) == (pytest.approx(within[0] ** 0.5), pytest.approx(within[1] ** 0.5))
    moves = tables[1].mean(axis=1) - tables[0].mean(axis=1)
    doubt = moves.var(ddof=1) / N
    assert again.share == pytest.approx((within[0] / A_TIMES + within[1] / B_TIMES) / doubt, rel=1e-6)
    assert [side.repeats for side in compared.sides] == [A_TIMES, B_TIMES]
    assert any("A 5 times, B 3 times" in note for note in compared.notes)
    said = f"A's score moves by ±{100 * within[0] ** 0.5:.1f} points and B's by ±{100 * within[1] ** 0.5:.1f} points"
    assert any(said in sentence for sentence in compared.verdict)


def test_a_headline_that_is_no_mean_is_the_mean_over_repeats(compared: Comparison, runs: list[Path]) -> None:
    own = compared.row("paper").headline
    assert own is not None
    for path, value in zip(runs, (own.first, own.second), strict=True):
        score = snellen.open_run(path).summary.protocols[0].groups[0].metrics["macro_f1"]
        assert value == pytest.approx(score.value)


def test_a_flip_is_a_sample_that_only_one_side_gets_right_more_often_than_not(
    compared: Comparison, tables: tuple[np.ndarray, np.ndarray]
) -> None:
    a, b = (2 * table.sum(axis=1) > table.shape[1] for table in tables)
    row = compared.row("paper")
    assert (row.only_first, row.only_second) == ((a & ~b).sum(), (b & ~a).sum())
    main = [flip for flip in compared.flips if flip.protocol == "paper"]
    assert len(main) == row.only_first + row.only_second
    for flip in main:
        assert (2 * flip.first.right > flip.first.times) == (flip.only == "A")
        assert (2 * flip.second.right > flip.second.times) == (flip.only == "B")
        assert (flip.first.times, flip.second.times) == (A_TIMES, B_TIMES)


def test_one_side_asked_once_says_nothing_of_the_share(subject: Any, runs: list[Path]) -> None:
    once = subject("once", lambda i, s: right(s) if i % 2 else wrong(s))
    found = snellen.compare(runs[0], once)
    again = found.row("paper").again
    assert again is not None
    assert (again.second, again.share) == (None, None)
    assert any("A 5 times, B once" in note for note in found.notes)


def test_runs_that_were_asked_once_say_nothing_of_repeats(subject: Any) -> None:
    a, b = (subject(name, lambda i, s, k=k: right(s) if i % k else wrong(s)) for name, k in (("a", 2), ("b", 3)))
    found = snellen.compare(a, b)
    assert all(row.again is None for row in found.rows)
    assert not [said for said in found.verdict if "again" in said]


def test_its_explanation_is_of_all_repeats(runs: list[Path], tables: tuple[np.ndarray, np.ndarray]) -> None:
    run = snellen.open_run(runs[0])
    found = explain_run(runs[0])
    (group,) = (g for g in run.summary.protocols[0].groups if g.whole)
    assert found.headline.value == pytest.approx(group.metrics["macro_f1"].value)
    exact = next(
        r for r in found.readings if (r.protocol, r.metric, r.changes) == ("paper", "exact_match", ("metric",))
    )
    assert exact.value == pytest.approx(tables[0].mean())
    assert exact.n == N
    figure = explain_run(runs[0], f"{100 * tables[0].mean():.2f}").figures[0]
    assert figure.hits[0].metric == "exact_match"
    assert figure.low is not None and figure.high is not None
    assert figure.low < figure.value < figure.high


def test_whose_lead_is_explained_by_the_first_time_alone_is_said(runs: list[Path], subject: Any) -> None:
    said = snellen.compare(*runs, explain=True).leads
    assert said is not None
    assert said.verdict[-1].endswith("count the first time alone.")
    plain = [subject(name, lambda _i, s: right(s)) for name in ("once", "twice")]
    other = snellen.compare(*plain, explain=True).leads
    assert other is not None
    assert "first time" not in " ".join(other.verdict)


def test_a_gate_counts_means_and_says_how_often_each_side_was_asked(runs: list[Path], tmp_path: Path) -> None:
    worse, better = runs
    found = gate_runs(worse, better, max_drop=0.02)
    check = found.checks[0]
    row = snellen.compare(better, worse).row("paper")
    assert (check.baseline, check.score, check.n) == (row.first, row.second, N)
    assert check.p == pytest.approx(row.p / 2)
    assert not found.passed
    assert (found.baseline_repeats, found.repeats) == (B_TIMES, A_TIMES)
    done = command("gate", worse, "--baseline", better, "--summary", tmp_path / "said.md", cache=tmp_path / "cache")
    assert done.returncode == 1
    for said in (done.stdout, (tmp_path / "said.md").read_text(encoding="utf-8")):
        assert f"asked {A_TIMES} times" in said
        assert f"asked {B_TIMES} times" in said
