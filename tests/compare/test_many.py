"""Three runs and more: order, ties, cost and time."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compare.conftest import Runs, chatty, right, wrong
from tests.support.command import snellen as command

import snellen
from snellen.comparison.ranking import front, letters, ranking
from snellen.comparison.results import RunSide
from snellen.comparison.verdict import leading, verdict


def three(subject: Runs) -> list[Path]:
    return [
        subject("weak", lambda i, s: chatty(right(s)) if i < 20 else right(s) if i < 50 else wrong(s)),
        subject("strong", lambda i, s: right(s) if i % 5 else wrong(s)),
        subject("alike", lambda i, s: right(s) if i % 5 != 1 else wrong(s)),
    ]


def test_runs_that_cannot_be_told_apart_share_a_letter(subject: Runs, tmp_path: Path) -> None:
    runs = three(subject)
    found = snellen.compare(*runs)
    assert found.ranking is not None and found.protocols == ("paper",)
    assert [(r.run, r.groups) for r in found.ranking.rows] == [("B", "a"), ("C", "a"), ("A", "b")]
    assert found.verdict == (
        "Under 'paper' B is first with 80.0 (exact match) and cannot be told apart from C; A is behind it.",
        "A gave no answer to 20 of 120 (20 unparsable), counted as wrong.",
    )
    done = command("compare", *runs, cache=tmp_path, COLUMNS="80")
    assert done.returncode == 0 and "B 80.0 a   C 80.0 a   A 25.0 b" in done.stdout


def test_another_order_out_of_the_same_replies_is_said(subject: Runs, tmp_path: Path) -> None:
    runs = [
        subject("plain", lambda i, s: right(s) if i % 5 > 1 else wrong(s)),
        subject("wordy", lambda i, s: chatty(right(s)) if i % 3 else right(s) if i % 30 else wrong(s)),
        subject("guess", lambda i, s: right(s) if i % 3 == 1 else wrong(s)),
    ]
    found = snellen.compare(*runs)
    assert found.verdict[0] == "Under 'paper' A leads with 60.0 (exact match); C and B are behind it."
    assert (
        found.verdict[1]
        == "Under 'robust', read out of the same replies, B leads with 96.7 (exact match); A and C are behind it."
    )
    assert leading(found.rows, found.ranking) == " ".join(found.verdict[:2])
    assert found.protocols == ("paper",) and {row.protocol for row in found.rows} == {"paper"}
    done = command("compare", *runs, "-v", cache=tmp_path, COLUMNS="80")
    assert "-v and --power are for two runs at a time" in done.stdout
    alone = snellen.compare(*runs, protocols=("robust",))
    assert not any("same replies" in sentence for sentence in alone.verdict)


def called(run: Path, **call: float) -> Path:
    """The run as if each answer had come from an endpoint, at this cost and in this time."""
    path = run / "answers.jsonl"
    answers = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    whole = {"key": "k", "kind": "chat", "endpoint": "e", "model": "m", **call}
    path.write_text("".join(json.dumps(a | {"calls": [whole]}) + "\n" for a in answers), encoding="utf-8")
    snellen.remark(run)
    return run


def test_cost_and_time_are_shown_beside_the_score(subject: Runs, tmp_path: Path) -> None:
    weak, strong, alike = three(subject)
    runs = called(weak, cost=0.001, latency=1.0), called(strong, cost=0.02, latency=3.0), called(alike, latency=2.5)
    found = snellen.compare(*runs)
    assert [side.cost for side in found.sides] == [pytest.approx(1.0), pytest.approx(20.0), None]
    assert [side.seconds for side in found.sides] == [1.0, 3.0, 2.5]
    assert found.ranking is not None and found.ranking.measures == ("score", "seconds")
    assert found.ranking.front == ("A", "C")  # as good as B and quicker; what C costs nobody knows
    shown = command("compare", *runs, cache=tmp_path, COLUMNS="80").stdout
    assert "20.00" in shown and "unknown" in shown and "3.00 s" in shown
    assert "A and C are on the Pareto front of score and time" in shown


def test_cost_and_time_make_a_front(subject: Runs) -> None:
    found = snellen.compare(*three(subject))
    known = [
        RunSide(letter=k, run=k, subject=k, cost=c, seconds=s)
        for k, c, s in (("A", 1.0, 0.5), ("B", 9.0, 2.0), ("C", 4.0, 2.0))
    ]
    ranks = ranking("paper", found.rows, known)
    assert ranks.front == ("A", "C") and ranks.measures == ("score", "cost", "seconds")
    assert verdict(found.rows, ranks)[-1] == (
        "A and C are on the Pareto front of score, cost and time: no other run is better in one and as good in the rest."
    )
    unknown = [msgspec.structs.replace(known[0], cost=None, seconds=None), *known[1:]]
    assert ranking("paper", found.rows, unknown).front == ()


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] < p[1])))
def test_two_share_a_letter_if_and_only_if_they_were_not_told_apart(apart: set[tuple[int, int]]) -> None:
    order = [str(i) for i in range(7)]
    found = letters(order, [(str(a), str(b)) for a, b in sorted(apart)])
    for a in range(7):
        for b in range(a + 1, 7):
            assert bool(set(found[str(a)]) & set(found[str(b)])) == ((a, b) not in apart)


@given(
    st.dictionaries(
        st.text("ABCDEF", min_size=1, max_size=2), st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1
    )
)
def test_nobody_on_the_front_is_beaten_and_all_others_are(points: dict[str, tuple[int, int]]) -> None:
    best = front({k: (float(a), float(b)) for k, (a, b) in points.items()})
    for name, (a, b) in points.items():
        beaten = any((x >= a and y >= b) and (x, y) != (a, b) for x, y in points.values())
        assert (name in best) is not beaten
