"""The two models that made us write this: B beats A by 28 points under the paper's rules, and most of the win is parsing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compare.conftest import Runs, chatty, right, wrong
from tests.support.command import snellen as command

import snellen
from snellen.core.types import Sample
from snellen.stats.significance import mcnemar

ONLY_B, ONLY_A, BOTH = range(29), range(29, 49), range(49, 104)
UNREADABLE = {*range(4), *range(49, 74)}
ESCAPE = "\x1b[31m"
LEFT = (
    "20.8 of 28.3 points in exact match are parsing: the same replies, read by 'robust', leave 7.5 points [-4.0, 18.9], "
    "which could be chance."
)


def a(i: int, sample: Sample) -> str:
    said = right(sample) if i in ONLY_A or i in BOTH else wrong(sample)
    return chatty(said) + (ESCAPE if i == 0 else "") if i in UNREADABLE else said


def b(i: int, sample: Sample) -> str:
    return right(sample) if i in ONLY_B or i in BOTH else wrong(sample)


@pytest.fixture
def runs(subject: Runs) -> tuple[Path, Path]:
    return subject("a", a), subject("b", b)


def test_the_closing_sentence_says_how_much_of_the_lead_is_parsing(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*runs)
    assert len(found.verdict) == 3
    assert found.verdict[0].startswith("Under 'paper' B leads by 28.3 points [")
    assert found.verdict[0].endswith(
        "] in exact match (p < 0.0001), of which 24.2 are questions without an answer (A 29 unparsable; B 0)."
    )
    assert found.verdict[1].startswith("Under 'robust' B is ahead by 7.5 points [")
    assert found.verdict[1].endswith("] in exact match, which could be chance (p = 0.25).")
    assert found.verdict[2] == LEFT


def test_the_figures_behind_it(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*runs, power=0.05)
    paper, robust = found.row("paper"), found.row("robust")
    assert (paper.only_first, paper.only_second) == (20, 54) and paper.p == pytest.approx(mcnemar(20, 54))
    assert (robust.only_first, robust.only_second) == (20, 29) and robust.p == pytest.approx(mcnemar(20, 29))
    assert paper.silence.first == {"unparsable": 29} and paper.silence.second == {} == robust.silence.first
    assert paper.silence.answered == 91 and paper.silence.among_answered == pytest.approx((25 - 20) / 91)
    assert paper.low is not None and paper.low > 0 and robust.low is not None and robust.low < 0
    assert robust.smallest is not None and robust.smallest > robust.difference
    assert robust.needed is not None and robust.needed > 1000
    assert paper.headline is not None and paper.headline.metric == "macro_f1"
    summaries = [snellen.open_run(run).scores()["paper", "P3"].value for run in runs]
    assert [paper.headline.first, paper.headline.second] == pytest.approx(summaries)


def test_turned_around_it_says_the_same(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*reversed(runs))
    assert found.verdict[0].startswith("Under 'paper' A leads by 28.3 points [")
    assert "of which 24.2 are questions without an answer (A 0; B 29 unparsable)" in found.verdict[0]
    assert found.verdict[2] == LEFT


def test_the_protocol_that_is_named_first_is_the_main_one(runs: tuple[Path, Path]) -> None:
    found = snellen.compare(*runs, protocols=["robust"])
    assert found.protocols == ("robust",) and found.verdict[0].startswith("Under 'robust' B is ahead by 7.5 points [")
    assert found.verdict[-1].startswith("A and B cannot be told apart: 120 samples show ")


def test_on_the_screen(runs: tuple[Path, Path], tmp_path: Path) -> None:
    done = command("compare", *runs, "--flips", 1, "--power", 5, cache=tmp_path, COLUMNS="80")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    screen, then = lines[: lines.index("Next:")], lines[lines.index("Next:") :]
    assert max(map(len, screen)) <= 80 and len(screen) <= 40 and "snellen report" in then[-1]
    said = " ".join(" ".join(screen).split())
    assert "salbench · 120 common samples · SYNTHETIC" in said
    assert LEFT in said
    assert "To show 5.0 points it takes" in said
    assert "Only A right under 'paper': 20 samples" in said and "Only B right under 'paper': 54 samples" in said
    assert "A unparsable: 'The odd one out" in said
    assert "\x1b" not in done.stdout


def test_the_document_shows_what_the_command_says(runs: tuple[Path, Path]) -> None:
    page = Path(__file__).parents[2] / "docs" / "comparing.md"
    shown = " ".join(page.read_text(encoding="utf-8").split())
    for sentence in snellen.compare(*runs).verdict:
        assert sentence in shown


def test_as_json(runs: tuple[Path, Path], tmp_path: Path) -> None:
    done = command("compare", *runs, "--json", cache=tmp_path)
    document = json.loads(done.stdout)
    assert [side["letter"] for side in document["sides"]] == ["A", "B"]
    under = [flip for flip in document["flips"] if flip["protocol"] == "paper"]
    assert len(under) == 74 and [f["only"] for f in under] == ["A"] * 20 + ["B"] * 54
    told = next(f for f in under if f["id"].endswith("00000"))
    assert told["first"]["outcome"] == "unparsable" and ESCAPE in told["first"]["reply"]
    assert document["verdict"][-1] == LEFT


def test_a_lead_that_holds_under_every_protocol_is_called_one(subject: Runs) -> None:
    found = snellen.compare(
        subject("weak", lambda i, s: right(s) if i < 40 else wrong(s)),
        subject("strong", lambda i, s: right(s) if i % 5 else wrong(s)),
    )
    assert found.verdict[0].startswith("Under 'paper' and 'robust' B leads by ")
    assert found.verdict[-1] == "B leads under both protocols."


def test_what_remains_of_a_lead_is_said(subject: Runs) -> None:
    found = snellen.compare(
        subject("weak", lambda i, s: chatty(right(s)) if i < 60 else right(s) if i < 85 else wrong(s)),
        subject("strong", lambda i, s: right(s)),
    )
    assert "are parsing: the same replies, read by 'robust', leave 29.2 points [21.8, 37.8]." in found.verdict[-1]


def test_two_that_say_the_same_cannot_be_told_apart(subject: Runs) -> None:
    found = snellen.compare(subject("one", b), subject("two", b))
    assert found.verdict[0] == "Under 'paper' and 'robust' A and B score the same (exact match 70.0)."
    row = found.row("paper")
    assert row.p == 1.0 and row.leader == "" and not found.flips
    assert row.smallest is not None and 0.05 < row.smallest < 0.08  # eight of 120, all one way


def test_unreadable_replies_of_both_sides_make_no_lead(subject: Runs) -> None:
    """Each side has 30 of them, elsewhere: what each loses the other loses, too, and the lead is that of the answers."""
    found = snellen.compare(
        subject("one", lambda i, s: chatty(right(s)) if i < 30 else right(s) if i < 80 else wrong(s)),
        subject("two", lambda i, s: chatty(right(s)) if 30 <= i < 60 else right(s)),
    )
    row = found.row("paper")
    assert row.silence.by_first == pytest.approx(0.25) and row.silence.by_second == pytest.approx(-0.25)
    assert found.verdict[0].startswith("Under 'paper' B leads by 33.3 points [") and "answer" not in found.verdict[0]
    assert found.verdict[-1] == "B leads under both protocols."


def test_a_leader_that_could_be_further_ahead(subject: Runs) -> None:
    found = snellen.compare(
        subject("one", lambda i, s: right(s) if i < 40 else wrong(s)),
        subject("two", lambda i, s: chatty(right(s)) if i < 24 else right(s) if i < 110 else wrong(s)),
    )
    assert found.verdict[0].endswith(
        "(p < 0.0001), in spite of 20.0 points lost by questions without an answer (A 0; B 24 unparsable)."
    )


def test_a_lead_that_is_silence_alone_is_said_so_once(subject: Runs) -> None:
    found = snellen.compare(
        subject("one", lambda i, s: "" if i < 40 else right(s) if i < 110 else wrong(s)),
        subject("two", lambda i, s: right(s) if i < 110 else wrong(s)),
    )
    assert found.verdict[0].endswith("(p < 0.0001), all of it questions without an answer (A 40 empty; B 0).")
    assert found.verdict[-1] == "At least half of B's lead is questions without an answer, not wrong answers."


def test_more_of_them_on_one_side_than_on_the_other(subject: Runs) -> None:
    found = snellen.compare(
        subject("one", lambda i, s: chatty(right(s)) if i < 40 else right(s) if i < 110 else wrong(s)),
        subject("two", lambda i, s: chatty(right(s)) if 40 <= i < 50 else right(s) if i < 110 else wrong(s)),
    )
    assert found.verdict[0].endswith(
        "(p < 0.0001), all of it questions without an answer (A 40 unparsable; B 10 unparsable)."
    )
    assert found.verdict[1] == "Under 'robust' A and B score the same (exact match 91.7)."
    assert "points in exact match are parsing: the same replies, read by 'robust', leave 0.0 points" in found.verdict[2]
