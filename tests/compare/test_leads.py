"""`compare --explain`: in how many of the readings each run leads, on the two models whose difference is parsing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compare.conftest import Runs, right, wrong
from tests.compare.test_example import a, b
from tests.support.command import snellen as command

import snellen


@pytest.fixture
def runs(subject: Runs) -> tuple[Path, Path]:
    return subject("a", a), subject("b", b)


def test_the_lead_is_there_or_not_by_how_replies_are_read(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*runs, explain=True)
    leads = found.leads
    assert leads is not None and found.verdict[:3] == snellen.compare(*runs).verdict
    assert (leads.first, leads.second) == (0, leads.readings) and 0 < leads.clear_second < leads.readings
    clear = {t.value: (t.clear_second, t.readings) for t in leads.turns if t.choice == "protocol"}
    assert clear["robust"][0] == clear["plan-v2"][0] == 0 and clear["paper"][0] > clear["paper"][1] / 2
    turned = {(r.protocol, r.non_answers) for r in leads.turning}
    assert turned == {("paper", "left out"), ("robust", "count as wrong"), ("plan-v2", "count as wrong")}
    assert found.verdict[3].startswith(
        f"B leads in {leads.readings} of {leads.readings} readings of the same answers, in "
    )
    assert found.verdict[4].startswith(
        "Under 'paper' macro F1 shows a lead of B; changed in one choice, it is gone with "
    )


def test_the_same_test_as_compares_own(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*runs, explain=True)
    assert found.leads is not None
    for protocol in ("paper", "robust"):
        own = found.row(protocol)
        plain = [
            r
            for r in found.leads.rows
            if (r.protocol, r.metric, r.average, r.non_answers)
            == (protocol, own.metric, "over samples", "count as wrong")
        ]
        assert len(plain) == 1 and plain[0].p == pytest.approx(own.p)
        assert (plain[0].first, plain[0].second) == pytest.approx((own.first, own.second))


def test_who_leaves_out_leaves_out_for_both(runs: tuple[Path, Path]) -> None:
    """29 replies of A cannot be read: B is not scored on these either."""
    found = snellen.compare(*runs, explain=True)
    assert found.leads is not None
    row = next(r for r in found.leads.rows if r.metric == "exact_match" and r.non_answers == "left out")
    assert row.n == 91 and row.second - row.first == pytest.approx((25 - 20) / 91)


def test_turned_around(runs: tuple[Path, Path]) -> None:
    leads = snellen.compare(*reversed(runs), explain=True).leads
    assert leads is not None and (leads.first, leads.second) == (leads.readings, 0)


def test_a_lead_that_no_choice_takes_away(subject: Runs) -> None:
    found = snellen.compare(
        subject("weak", lambda i, s: right(s) if i % 3 == 0 else wrong(s)),
        subject("strong", lambda i, s: right(s) if i % 5 else wrong(s)),
        explain=True,
    )
    assert found.leads is not None and found.leads.clear_second == found.leads.readings
    assert found.verdict[-1] == "Under 'paper' macro F1 shows a lead of B, and no single other choice changes that."


def test_equal_runs_have_no_leader(subject: Runs) -> None:
    leads = snellen.compare(subject("one", b), subject("two", b), explain=True).leads
    assert leads is not None and (leads.first, leads.second, leads.clear_first, leads.clear_second) == (0, 0, 0, 0)


def test_on_the_screen_and_as_json(runs: tuple[Path, Path], tmp_path: Path) -> None:
    done = command("compare", *runs, "--explain", cache=tmp_path, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    screen = lines[: lines.index("Next:")]
    assert max(map(len, screen)) <= 80 and len(screen) < 45
    assert "readings of the same answers (P3), who leads (clearly):" in done.stdout
    document = json.loads(command("compare", *runs, "--explain", "--json", cache=tmp_path).stdout)
    assert document["leads"]["readings"] == len(document["leads"]["rows"]) > 20


def test_two_runs_at_a_time(subject: Runs, runs: tuple[Path, Path], tmp_path: Path) -> None:
    third = subject("c", lambda i, s: right(s))
    done = command("compare", *runs, third, "--explain", cache=tmp_path)
    assert done.returncode == 2 and "--explain compares two runs: name two" in done.stderr


@pytest.mark.parametrize("words", [(), ("62.5",), ("71.0",)])
def test_the_document_shows_what_explain_says(subject: Runs, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Every line but those with the run's path."""
    page = (Path(__file__).parents[2] / "docs" / "explaining.md").read_text(encoding="utf-8").splitlines()
    lines = command("explain", subject("a", a), *words, cache=tmp_path, COLUMNS="80").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("The run's own number"))
    said = [line.rstrip() for line in lines[start : lines.index("Next:")]]
    assert len(said) > 10 and [line for line in said if line not in page] == []


def test_the_document_shows_what_compare_says(runs: tuple[Path, Path], tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "explaining.md").read_text(encoding="utf-8").splitlines()
    lines = command("compare", *runs, "--explain", cache=tmp_path, COLUMNS="80").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "who leads (clearly)" in line)
    assert [line for line in lines[start : lines.index("Next:")] if line.rstrip() not in page] == []
