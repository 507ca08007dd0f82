"""`compare --metric`: any metric that a protocol declares, with no line about it in compare."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.compare.conftest import Runs, right, wrong

import snellen
from snellen.cli.main import app
from snellen.core.errors import SnellenError


@pytest.fixture
def runs(subject: Runs) -> tuple[Path, Path]:
    return (
        subject("a", lambda i, s: right(s) if i % 2 else wrong(s)),
        subject("b", lambda i, s: right(s) if i % 3 else f"{right(s)}, {wrong(s)}"),
    )


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, words)], standalone_mode=False)


def test_a_mean_over_samples_takes_the_headlines_place(runs: tuple[Path, Path]) -> None:
    plain, by_f1 = snellen.compare(*runs), snellen.compare(*runs, metric="f1")
    row = by_f1.row("robust")
    assert (row.metric, row.label, row.headline) == ("f1", "F1 (sample)", None)
    assert plain.row("robust").metric == "exact_match" and plain.row("robust").headline is not None
    assert row.second == pytest.approx((80 + 40 * 2 / 3) / 120, abs=0.02) and row.low is not None
    assert "in F1 (sample)" in by_f1.verdict[0]


def test_a_score_of_whole_groups_is_compared_by_the_jackknife(runs: tuple[Path, Path]) -> None:
    row = snellen.compare(*runs, metric="f1.color").row("robust", "P3")
    assert row.headline is not None and row.headline.metric == "f1.color" and row.headline.low is not None
    summary = snellen.open_run(runs[1]).summary
    group = next(g for p in summary.plain if p.protocol == "robust" for g in p.groups if g.whole)
    assert row.headline.second == pytest.approx(group.metrics["f1.color"].value)


def test_terminal_and_json_show_it_and_three_runs_are_ranked_by_it(runs: tuple[Path, Path], subject: Runs) -> None:
    assert "F1 (sample)" in call(*runs, "--metric", "f1").output
    found = json.loads(call(*runs, "--metric", "f1", "--json").output)
    assert {row["metric"] for row in found["rows"]} == {"f1"}
    ranked = snellen.compare(*runs, subject("c", lambda _i, s: right(s)), metric="f1").ranking
    assert ranked is not None and [(r.run, r.metric) for r in ranked.rows] == [("C", "f1"), ("B", "f1"), ("A", "f1")]
    assert "F1 (sample)" in call(runs[0].parent, "--metric", "f1").output


def test_an_unknown_metric_is_met_with_those_there_are(runs: tuple[Path, Path]) -> None:
    error = call(*runs, "--metric", "f2").exception
    assert isinstance(error, SnellenError)
    assert "'f2'" in str(error) and all(
        name in str(error) for name in ("exact_match", "macro_f1", "f1.color", "recall")
    )
    with pytest.raises(SnellenError, match="leave out --metric"):
        snellen.compare(*runs, metric="f1", explain=True)
