"""The tables in the terminal, and the words that they share with the page: every score with its n, every label true."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.show.pages import inert, report
from tests.support.sets import write_set

import snellen
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.show import words
from snellen.show.terminal import print_run


def metric(value: float, n: int, **more: Any) -> Score:
    return Score(value=value, n=n, low=0.1, high=0.9, interval="wilson", **more)


def protocol(name: str, n: int, headline: str = "accuracy", **more: Score) -> ProtocolSummary:
    group = GroupSummary(
        by={"split": "LOGO"},
        n=n,
        outcomes={"correct": 1, "error": n - 1},
        metrics={headline: metric(0.5, n), **more},
        bounds=(0.5, 0.9),
    )
    return ProtocolSummary(protocol=name, version="1", prompt="p", headline=headline, groups=(group,))


CONTROL = {
    "protocol": "narrow", "control": "none", "by": {"split": "LOGO"}, "metric": "accuracy", "score": 1.0, "control_score": 0.0,
    "difference": -1.0, "low": -1.0, "high": -0.131, "n": 7, "chance": 0.25,
}  # fmt: skip
SLOT = {"first": 0.5, "second": 0.75, "difference": 0.25, "low": -0.2, "high": 0.6, "n": 8}
POSITION = {"protocol": "narrow", "slot": SLOT, "order": SLOT, "flipped": 3, "n": 8}


@pytest.fixture
def run(tmp_path: Path) -> snellen.Run:
    """A run on disk whose summary is made up: a narrow protocol comes first, and metrics have an n of their own."""
    data = write_set(tmp_path / "set", 3)
    made = snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs", protocols=["paper"])
    summaries = [protocol("narrow", 5, bleu4_filtered=metric(0.2, 3)), protocol("wide", 11)]
    changed = made.summary | {
        "protocols": msgspec.to_builtins(summaries),
        "controls": [CONTROL],
        "position": [POSITION],
        "scorers": [{"name": "tiny-siglip", "identity": {"padding": "max_length"}, "unscored": 2}],
    }
    (made.path / "summary.json").write_text(json.dumps(changed))
    for name in ("narrow", "wide"):
        shutil.copy(made.path / "marks" / "paper.jsonl", made.path / "marks" / f"{name}.jsonl")
    return snellen.open_run(made.path)


def printed(run: snellen.Run, capsys: pytest.CaptureFixture[str], **how: bool) -> list[str]:
    print_run(run, **how)
    return [" ".join(line.replace("│", "|").replace("┃", "|").split()) for line in capsys.readouterr().out.splitlines()]


def line(lines: list[str], start: str) -> str:
    return next(one for one in lines if one.startswith(start))


def test_every_score_has_its_n(run: snellen.Run, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(run, capsys)
    assert line(lines, "LOGO, n = 11")
    assert line(lines, "| metric") == "| metric | n = 5 | wide |"
    assert line(lines, "| accuracy |") == "| accuracy | 50.0 [10.0, 90.0] * | 50.0 [10.0, 90.0] * |"
    assert line(lines, "| bleu4 filtered") == "| bleu4 filtered | 20.0 [10.0, 90.0] (n=3) | – |"
    assert line(lines, "| LOGO | 11") == "| LOGO | 11 | 50.0 [10.0, 90.0] (n=5) | 50.0 [10.0, 90.0] |"


def test_bounds_controls_position_and_scorers_are_told(run: snellen.Run, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(run, capsys)
    assert line(lines, "| accuracy could be") == "| accuracy could be | 50.0 to 90.0 | 50.0 to 90.0 |"
    assert (
        line(lines, "| LOGO | narrow")
        == "| LOGO | narrow | accuracy | none | 7 | 100.0 | 0.0 | -100.0 [-100.0, -13.1] | 25.0 | – |"
    )
    assert line(lines, "position bias: the same pictures in the other order")
    assert line(lines, "| narrow | 8 | 75.0 | 50.0 | +25.0")
    assert "scored by tiny-siglip (padding max_length); 2 answers not scored" in lines


def test_the_page_says_the_same(run: snellen.Run, tmp_path: Path) -> None:
    page = report(run, tmp_path=tmp_path)
    inert(page)
    for said in (
        "LOGO, n = 11",
        "n = 5",
        "(n=3)",
        "accuracy could be",
        "-100.0 [-100.0, -13.1]",
        "+25.0 [-20.0, +60.0]",
    ):
        assert said in page.text
    text = (tmp_path / "new" / "report.html").read_text("utf-8")
    assert '<td>none</td><td class="number">7</td>' in text
    overview = text.partition('<table class="overview">')[2].partition("</table>")[0]
    assert [cell.partition("<")[0] for cell in overview.split('<td class="number">') if cell[0].isdigit()] == [
        "5",
        "11",
    ]


def test_parts_that_only_a_later_protocol_has_are_shown() -> None:
    other = GroupSummary(by={"split": "ICON"}, n=4, outcomes={}, metrics={"accuracy": metric(0.5, 4)})
    later = protocol("later", 3)
    summaries = [protocol("first", 3), msgspec.structs.replace(later, groups=(*later.groups, other))]
    parts = words.side_by_side(summaries, whole=True)
    assert [(list(p), words.most(p.values())) for p in parts] == [(["first", "later"], 3), (["later"], 4)]


def test_bounds_are_named_after_what_they_bound() -> None:
    assert words.bounded([protocol("a", 3, "both")]) == "both could be"
    assert words.bounded([protocol("a", 3, "both"), protocol("b", 3)]) == "headline could be"
    exact = [
        protocol("a", 3, "macro_f1", exact_match=metric(0.5, 3)),
        protocol("b", 3, "f1", exact_match=metric(0.5, 3)),
    ]
    assert words.bounded(exact) == "exact match could be"


def test_shares_within_a_distance_are_no_distances() -> None:
    assert words.metric_name("within_5_px") == "within 5 px"
    assert words.unit_of("within_5_px") == ""
    assert (words.metric_name("distance_px_p50"), words.unit_of("distance_px_p50")) == ("distance p50, px", "px")


@pytest.mark.parametrize(
    ("exam", "shots", "title"),
    [
        ("salbench", 0, "salbench · x · 0 shots"),
        ("illusionbench", 4, "illusionbench · x · 4 shots"),
        ("vqax", 0, "vqax · x"),
        ("a plugin that is gone", 0, "a plugin that is gone · x"),
        ("a plugin that is gone", 2, "a plugin that is gone · x · 2 shots"),
    ],
)
def test_shots_are_told_where_an_exam_has_some(exam: str, shots: int, title: str) -> None:
    options = {"shots": shots} if shots else {}
    assert words.title({"benchmark": exam, "subject": {"spec": "x"}, "options": options}) == title
