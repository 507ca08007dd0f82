"""What is shown of a run, as data: every number of the summary is in it, and nothing has to be computed to show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.present.made import group, made_run, protocol, score

from snellen.core.records import ControlRow, DifferenceRow, PositionRow
from snellen.core.results import GroupSummary, Metric
from snellen.present.model import formatting
from snellen.present.model.run_view import MOST_CELLS, RunView, run_view
from snellen.present.model.table_view import ScoreCell

METRICS = (
    Metric(name="accuracy"),
    Metric(name="f1.*", label="F1 of {}"),
    Metric(name="seconds", unit="s", detail=True),
)


def viewed(path: Path) -> RunView:
    parts = [
        group({"split": name}, accuracy=score(value, floor=0.2, floor_answer="cat"), **{"f1.a": score(0.75)})
        for name, value in (("P3", 0.5), ("O3", 0.2))
    ]
    within = [group({"split": "P3", "size": s}, n=12, whole=False, accuracy=score(0.4, n=12)) for s in ("s", "l")]
    paper = protocol("paper", *parts, *within, metrics=METRICS)
    same = protocol("same", *parts, *within, metrics=METRICS)
    other = protocol("other", group({"split": "P3"}, n=20, accuracy=score(0.9, n=20)), metrics=METRICS)
    row = ControlRow("paper", "none", {"split": "P3"}, "accuracy", 0.5, 0.2, -0.3, -0.4, -0.1, 24)
    two = DifferenceRow(0.4, 0.6, 0.2, 0.1, 0.3, 12)
    more = {"controls": (row,), "position": (PositionRow("paper", two, two, 3, 12),)}
    return run_view(made_run(path, paper, same, other, synthetic=True, **more))


def test_every_score_is_there_with_metric_interval_floor_and_n(tmp_path: Path) -> None:
    view = viewed(tmp_path / "run")
    part = view.parts[0]
    assert part.scores.title == "P3, n = 24"
    assert [(h.text, h.below) for h in part.scores.headings[1:]] == [("paper, same", ""), ("other", "n = 20")]
    label, cell, _other = part.scores.rows[0]
    assert isinstance(cell, ScoreCell) and label == "accuracy"
    assert cell.printed == ("50.0", "[10.1, 90.0]", "20.0", "", "") and cell.headline
    assert cell.why == "floor 20.0: always 'cat'"
    assert ([row[0] for row in part.scores.rows], [row[0] for row in part.details.rows]) == (["accuracy"], ["F1 of a"])
    low = view.parts[1].scores.rows[0][1]
    assert isinstance(low, ScoreCell) and low.floor_said == "at floor 20.0"


def test_the_first_table_has_the_main_protocol_and_the_spread_of_the_others(tmp_path: Path) -> None:
    view = viewed(tmp_path / "run")
    heads = [f"{h.text} {h.below}".strip() for h in view.headlines.headings]
    assert heads == ["part", "n", "accuracy (paper)", "floor", "2 others"]
    assert [(row[0], row[1], row[3], row[4]) for row in view.headlines.rows] == [
        ("P3", "24", " 20.0", "50.0–90.0"),
        ("O3", "24", " 20.0 at floor", "20.0 (1)"),
    ]
    assert view.headline_notes[-1].endswith("(1): only 1 of them has such a score here.")


def test_protocols_that_say_the_same_share_a_row(tmp_path: Path) -> None:
    rows = [(str(r.names), r.cell and r.cell.value, r.first, r.span) for r in viewed(tmp_path / "run").overview]
    assert rows == [("paper, same", "50.0", True, 2), ("other", "90.0", False, 2), ("paper, same", "20.0", True, 1)]


def test_controls_position_and_groups_are_tables(tmp_path: Path) -> None:
    view = viewed(tmp_path / "run")
    assert view.all_controls.rows == (
        ("P3", "paper", "accuracy", "none", "24", "50.0", "20.0", "-30.0 [-40.0, -10.0]", "–", "–"),
    )
    assert view.controls.rows == (("P3", "none", "50.0", "20.0", "-30.0 [-40.0, -10.0]"),)
    assert view.position.rows[0][:4] == ("paper", "12", "60.0", "40.0")
    assert [row[:2] for row in view.breakdown.rows] == [("P3 · s", "12"), ("P3 · l", "12")]
    assert [h.text for h in view.breakdown.headings[2:]] == ["paper, same", "other"] and view.left_out == []


def test_a_page_has_room_for_so_many_groups(tmp_path: Path) -> None:
    groups = [group({"g": str(i)}, whole=False, accuracy=score(i / 200)) for i in range(MOST_CELLS - 1)]
    more = [group({"g": str(i)}, whole=False, accuracy=score(0.5)) for i in range(MOST_CELLS - 1)]
    whole = group({}, accuracy=score(0.5))
    view = run_view(made_run(tmp_path / "run", protocol("a", whole, *groups), protocol("b", whole, *more)))
    assert len(view.breakdown.headings) == 4 and view.left_out == ["b"]


@pytest.mark.parametrize("repeats", [1, 3])
def test_shares_of_outcomes_are_of_all_answers(tmp_path: Path, repeats: int) -> None:
    """Of 8 samples that were asked three times there are 24 answers: a bar over `n` would be three times as wide as its table."""
    outcomes = {"correct": 3 * repeats, "wrong": 5 * repeats}
    one = GroupSummary(by={}, n=8, outcomes=outcomes, metrics={"accuracy": score(0.375, n=8)}, whole=True)
    row = run_view(made_run(tmp_path / "run", protocol("a", one, repeats=repeats))).parts[0].outcomes[0]
    assert [(s.outcome, s.n, s.start, s.share) for s in row.shares] == [
        ("correct", 3 * repeats, 0.0, 0.375),
        ("wrong", 5 * repeats, 0.375, 0.625),
    ]
    assert row.text == formatting.outcomes(one)


def test_a_view_is_frozen(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        viewed(tmp_path / "run").title = "other"  # type: ignore[misc]
