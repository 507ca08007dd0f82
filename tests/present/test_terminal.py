"""What a run prints: one screen of 80 columns that says what matters, and everything under verbose. Every label is true."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.present.made import group, made_run, protocol, score

from snellen.core.options import Selection
from snellen.core.records import (
    ControlRow,
    DataEntry,
    DifferenceRow,
    Manifest,
    PositionRow,
    ScorerSummary,
    SubjectEntry,
    Totals,
)
from snellen.core.results import GroupSummary, Metric, ProtocolSummary
from snellen.core.unanswered import UnansweredPart
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.run_view import run_view
from snellen.present.terminal.run import print_run

HOSTILE = "[red]\x1b[31m\u202e"
Print = Callable[..., list[str]]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Print:
    """The lines that a run prints on a screen of some width."""

    def show(run: Run, width: int = 80, **how: bool) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        print_run(run, **how)
        return [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    return show


def line(lines: list[str], start: str) -> str:
    """The first line that starts so, with single spaces."""
    spaced = (" ".join(one.split()) for one in lines)
    return next(one for one in spaced if one.startswith(start))


def salbench(path: Path, **more: Any) -> Run:
    """Six parts under four protocols, one of which has another headline."""
    metrics = (Metric(name="macro_f1", label="macro F1", kind="own"), Metric(name="f1", label="F1 (sample)"))
    parts = [{"config": f"{c}{x}"} for c in ("P3", "O3") for x in ("", "_box", "_box_img")]
    some = [
        protocol(
            name,
            *(group(by, macro_f1=score(0.95 - i / 100, floor=0.499), f1=score(0.9, floor=0.4)) for by in parts),
            metrics=metrics,
            headline="f1" if name == "plan-v2" else "macro_f1",
        )
        for i, name in enumerate(("paper", "lmms-eval", "plan-v2", "robust"))
    ]
    return made_run(path, *some, synthetic=True, **more)


def illusionbench(path: Path, **more: Any) -> Run:
    """Nine parts with long names under six protocols."""
    splits, tasks = ("Illusion_IN", "Illusion_LOGO", "Illusion_ICON"), ("shape", "scene", "both")
    names = ("original", "original-icl", "lmms-first", "lmms-strict", "lmms-head", "robust")
    parts = [
        group({"split": s, "task": t}, accuracy=score(0.708, floor=1.0 if t == "shape" else 0.125))
        for s in splits
        for t in tasks
    ]
    return made_run(path, *(protocol(name, *parts) for name in names), synthetic=True, **more)


def grounding(path: Path, **more: Any) -> Run:
    """One part under five protocols, three of which say the same."""
    metrics = (
        Metric(name="click_accuracy", label="click accuracy"),
        Metric(name="distance", unit="px", better="lower", interval="normal"),
        Metric(name="attempts", label="looks", unit="count"),
    )

    def one(name: str, value: float) -> ProtocolSummary:
        whole = group(
            {"part": "all"},
            click_accuracy=score(value, floor=0.001),
            distance=score(154.5, unit="px"),
            attempts=score(2.0, unit="count"),
        )
        kinds = [
            group({"part": "all", key: "text"}, whole=False, click_accuracy=score(value)) for key in ("type", "kind")
        ]
        return protocol(name, whole, *kinds, metrics=metrics, headline="click_accuracy")

    same = ("click", "screenspot", "osworld-g")
    return made_run(path, *(one(n, 0.81) for n in same), one("openadapt", 0.5), one("pro", 0.6), **more)


@pytest.mark.parametrize("make", [salbench, illusionbench, grounding])
def test_a_run_fits_one_screen_of_80_columns(make: Callable[..., Run], tmp_path: Path, printed: Print) -> None:
    run = make(tmp_path / "r", totals=Totals(calls=5, tries=7, input_tokens=100, output_tokens=9, cost=0.25))
    lines = printed(run, verbose=False)
    assert len(lines) <= 24
    assert all(len(one) <= 80 for one in lines if not one.startswith("Run:"))
    assert lines[0].startswith("made-up · baseline/pixels · 144 samples")
    assert "In all: 5 calls in 7 tries, 0 from the store, 100 + 9 tokens, 0.2500 USD." in lines
    assert str(run.path) in "".join(lines[-2:])
    assert "'snellen report RUN' writes a page, -v shows every metric and protocol" in " ".join(lines[-2:])


def test_each_part_has_its_main_score_its_floor_and_the_spread_of_the_others(tmp_path: Path, printed: Print) -> None:
    lines = printed(salbench(tmp_path / "r"))
    assert line(lines, "part") == "part n macro F1 (paper) floor 3 others"
    assert line(lines, "P3_box ") == "P3_box 24 95.0 [10.1, 90.0] 49.9 90.0–94.0"
    assert "Others: lowest to highest score by lmms-eval, plan-v2, robust, each by its own headline." in " ".join(lines)
    assert "SYNTHETIC DATA. Do not compare these scores with published results." in lines
    assert "No API calls (local subject)." in lines


def test_parts_keep_their_names_where_they_are_silent(tmp_path: Path, printed: Print) -> None:
    by = {"split": "val", "task": "vcr"}
    names = {"multimodal-vqa-eval": 0.0, "strict": 0.125, "nlxgpt": 0.25, "e-vil": 0.375}
    some = [protocol(name, group(by, accuracy=score(value, floor=0.5))) for name, value in names.items()]
    silent = UnansweredPart(protocol="multimodal-vqa-eval", by=by, n=40, outcomes={"truncated": 20})
    lines = printed(made_run(tmp_path, *some, silent=(silent,)), 80)
    assert line(lines, "val · vcr").startswith("val · vcr 24 0.0")
    assert "50 % no" in "\n".join(lines)


def test_one_other_protocol_is_named_and_none_takes_no_column(tmp_path: Path, printed: Print) -> None:
    part = group({}, accuracy=score(0.5))
    two = printed(made_run(tmp_path / "two", protocol("mine", part), protocol("strict", part)))
    assert line(two, "part") == "part n accuracy (mine) strict"
    assert line(two, "all") == "all 24 50.0 [10.1, 90.0] 50.0"
    one = printed(made_run(tmp_path / "one", protocol("mine", part)))
    assert line(one, "part") == "part n accuracy (mine)"


def test_names_that_tell_rows_apart_are_never_cut(tmp_path: Path, printed: Print) -> None:
    lines = printed(illusionbench(tmp_path / "r"))
    for name in ("Illusion_IN · shape", "Illusion_LOGO · scene", "Illusion_ICON · both"):
        assert line(lines, name)
    assert not any("…" in one for one in lines)


def test_a_word_says_that_a_score_is_no_better_than_not_looking(tmp_path: Path, printed: Print) -> None:
    parts = [
        group({"split": s}, accuracy=score(v, floor=f))
        for s, v, f in (("A", 0.5, 0.5), ("B", 0.4, 0.5), ("C", 0.6, 0.5))
    ]
    lines = printed(made_run(tmp_path / "r", protocol("mine", *parts)))
    assert line(lines, "A ").endswith("50.0 at floor")
    assert line(lines, "B ").endswith("50.0 below floor")
    assert line(lines, "C ").endswith("50.0")
    lower = protocol("mine", metrics=[Metric(name="error", better="lower")])
    assert formatting.floor_word(lower, "error", score(0.6, floor=0.5)) == "below floor"
    assert formatting.floor_word(lower, "error", score(0.4, floor=0.5)) == ""


def test_a_floor_word_comes_in_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    print_run(made_run(tmp_path / "r", protocol("mine", group({}, accuracy=score(0.4, floor=0.5)))))
    assert re.search("\x1b\\[[0-9;]*31m[^\x1b]*below floor", capsys.readouterr().out)


def test_what_must_not_be_lost_has_a_line_each(tmp_path: Path, printed: Print) -> None:
    part = msgspec.structs.replace(
        group({}, accuracy=score(0.5)), outcomes={"correct": 12, "unparsable": 8, "error": 4}
    )
    run = made_run(
        tmp_path / "r",
        protocol("mine", part),
        complete=False,
        questions=30,
        asked={"question": 24},
        failed=4,
        failures={f"reason {i} {HOSTILE}": 1 for i in range(5)},
        scorers=(ScorerSummary(name="tiny-siglip", identity={"padding": "max_length"}, unscored=2),),
    )
    lines = printed(run)
    assert lines[0].endswith("· INCOMPLETE")
    assert "No answer: 12 of 24 (8 unparsable, 4 error), counted as wrong." in lines
    assert "INCOMPLETE: 20 of 30 questions answered, 4 failed. Run the same command again" in " ".join(lines)
    assert "  1 x reason 0 [red]\\x1b[31m\\u202e" in lines
    assert "  and 2 other reasons" in lines
    assert "Scored by tiny-siglip (padding max_length); 2 answers not scored." in lines


def control(part: str, name: str, of: str = "mine") -> ControlRow:
    return ControlRow(
        protocol=of, control=name, by={"split": part}, metric="accuracy", score=0.64, control_score=0.04,
        difference=-0.6, low=-0.724, high=-0.462, n=24, chance=0.25,
    )  # fmt: skip


def test_controls_are_told_with_their_intervals(tmp_path: Path, printed: Print) -> None:
    part = protocol("mine", group({"split": "Illusion_LOGO"}, accuracy=score(0.64)))
    few = made_run(tmp_path / "few", part, controls=(control("Illusion_LOGO", "blank"), control("X", "none", "other")))
    lines = printed(few)
    assert line(lines, "part control") == "part control score with control difference"
    assert [" ".join(one.split()) for one in lines if "blank" in one or "none" in one] == [
        "Illusion_LOGO blank 64.0 4.0 -60.0 [-72.4, -46.2]"
    ]
    rows = tuple(control("Illusion_LOGO", c) for c in ("blank", "shuffled", "options"))
    many = made_run(tmp_path / "many", part, controls=rows)
    assert sum("-60.0 [-72.4, -46.2]" in one for one in printed(many)) == 3
    assert sum("-60.0 [-72.4, -46.2]" in one for one in printed(many, verbose=True)) == 3


def test_the_order_of_pictures_is_told(tmp_path: Path, printed: Print) -> None:
    row = DifferenceRow(first=0.5, second=0.75, difference=0.25, low=-0.2, high=0.6, n=8)
    position = (PositionRow(protocol="mine", slot=row, order=row, flipped=3, n=8),)
    run = made_run(tmp_path / "r", protocol("mine", group({}, accuracy=score(0.5))), position=position)
    said = " ".join(printed(run))
    assert "Order of the pictures (mine): first place minus last +25.0 [-20.0, +60.0] points" in said
    assert "3 of 8 right in one order only" in said
    for width in (80, 200):
        lines = printed(run, width, verbose=True)
        assert all(len(one) <= width for one in lines if not one.startswith("Run:"))
        assert any("right in the first place" in one for one in lines)


# ---------------------------------------------------------------- everything


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("make", [salbench, illusionbench, grounding])
def test_nothing_is_wider_than_the_screen(make: Callable[..., Run], width: int, tmp_path: Path, printed: Print) -> None:
    rows = tuple(control("Illusion_LOGO", c, p) for c in ("blank", "options") for p in ("click", "paper", "original"))
    lines = printed(make(tmp_path / "r", controls=rows), width, verbose=True)
    assert all(len(one) <= width for one in lines if not one.startswith("Run:"))
    assert not any("…" in one for one in lines)


def test_everything_is_each_protocols_headline_and_each_metric_of_the_main_one(tmp_path: Path, printed: Print) -> None:
    lines = printed(grounding(tmp_path / "r"), 120, verbose=True)
    assert (
        line(lines, "all click, s") == "all click, screenspot, osworld-g click accuracy 24 81.0 [10.1, 90.0] floor 0.1"
    )
    assert line(lines, "all openadapt") == "all openadapt click accuracy 24 50.0 [10.1, 90.0] floor 0.1"
    assert line(lines, "click accuracy") == "click accuracy 81.0 [10.1, 90.0] floor 0.1 *"
    assert line(lines, "distance, px") == "distance, px 154.50 [0.10, 0.90]"
    assert " ".join(lines).count("* marks a protocol's headline") == 1
    assert "2 groups within the parts: on the page, and in 'snellen export'." in lines


@pytest.mark.parametrize("make", [salbench, illusionbench, grounding])
def test_everything_fits_two_screens(make: Callable[..., Run], tmp_path: Path, printed: Print) -> None:
    assert len(printed(make(tmp_path / "r"), 100, verbose=True)) <= 90


def test_metrics_of_many_parts_are_bare_values(tmp_path: Path, printed: Print) -> None:
    lines = printed(salbench(tmp_path / "r"), 80, verbose=True)
    assert line(lines, "metric") == "metric P3 P3_box P3_box_img O3 O3_box O3_box_img"
    assert line(lines, "macro F1 ") == "macro F1 95.0 95.0 95.0 95.0 95.0 95.0"


def test_labels_and_units_are_the_declared_ones(tmp_path: Path, printed: Print) -> None:
    lines = printed(grounding(tmp_path / "r"), 80, verbose=True)
    assert line(lines, "looks") == "looks 2.00 [0.10, 0.90]"
    some = protocol(
        "p", metrics=[Metric(name="within_5_px"), Metric(name="keywords_recall"), Metric(name="captions", unit="count")]
    )
    assert [formatting.metric_name(some, key) for key in ("within_5_px", "keywords_recall")] == [
        "within 5 px",
        "keywords recall",
    ]
    assert [formatting.sample_value(some, key, 2.0) for key in ("captions", "keywords_recall")] == ["2", "200.0"]


def test_groups_of_one_name_are_told_apart(tmp_path: Path) -> None:
    names = [row[0] for row in run_view(grounding(tmp_path / "r")).breakdown.rows]
    assert names == ["all · type text", "all · kind text"]


def test_scores_have_plain_labels_and_units(tmp_path: Path, printed: Print) -> None:
    run = made_run(
        tmp_path / "r", protocol("seed", group({"part": "all"}, accuracy=score(0.5), off_by=score(2.0, unit="count")))
    )
    lines = printed(run, verbose=True)
    assert line(lines, "all 24").startswith("all 24 50.0")
    assert line(lines, "off by") == "off by 2.00 [0.10, 0.90]"
    assert formatting.sample_value(run.protocols[0], "nobody_said", 2.0) == "2"


def test_every_score_has_its_n(tmp_path: Path, printed: Print) -> None:
    narrow = protocol("narrow", group({"split": "LOGO"}, 5, accuracy=score(0.5, 5), bleu4=score(0.2, 3)))
    wide = protocol("wide", group({"split": "LOGO"}, 11, accuracy=score(0.5, 11)))
    run = made_run(tmp_path / "r", narrow, wide)
    lines = printed(run, 120, verbose=True)
    assert line(lines, "bleu4") == "bleu4 20.0 [10.1, 90.0] (n=3)"
    assert line(lines, "LOGO narrow") == "LOGO narrow accuracy 5 50.0 [10.1, 90.0]"
    assert line(lines, "LOGO wide") == "LOGO wide accuracy 11 50.0 [10.1, 90.0]"
    (part,) = run_view(run).parts
    assert part.scores.title == "LOGO, n = 11" and part.scores.headings[1].below == "n = 5"


def test_text_from_outside_is_inert(tmp_path: Path, printed: Print) -> None:
    run = made_run(tmp_path / "r", protocol("mine", group({"split": HOSTILE}, accuracy=score(0.5))), subject=HOSTILE)
    for verbose in (False, True):
        text = "\n".join(printed(run, verbose=verbose))
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert text.count("[red]\\x1b[31m\\u202e") >= 2


# ---------------------------------------------------------------- words


def test_parts_that_only_a_later_protocol_has_are_shown(tmp_path: Path, printed: Print) -> None:
    first, other = (
        group({"split": "LOGO"}, 3, accuracy=score(0.5, 3)),
        group({"split": "ICON"}, 4, accuracy=score(0.5, 4)),
    )
    both = [protocol("first", first), protocol("later", first, other)]
    parts = formatting.side_by_side(both, whole=True)
    assert [(list(p), formatting.most(p.values())) for p in parts] == [(["first", "later"], 3), (["later"], 4)]
    assert line(printed(made_run(tmp_path / "r", *both)), "ICON") == "ICON 4 – 50.0"


def test_bounds_are_named_after_what_they_bound() -> None:
    metrics = (Metric(name="both"), Metric(name="exact_match", label="exact match"))
    assert formatting.bounded([protocol("a", metrics=metrics, headline="both")]) == "Possible range of both"
    two = [
        protocol("a", metrics=metrics, headline="both"),
        protocol("b", metrics=metrics, headline="both", bounded="exact_match"),
    ]
    assert formatting.bounded(two) == "Possible range"
    assert formatting.bounded(two[1:]) == "Possible range of exact match"


def test_ranges_are_shown(tmp_path: Path, printed: Print) -> None:
    part: GroupSummary = msgspec.structs.replace(group({}, accuracy=score(0.5)), bounds=(0.5, 0.9))
    run = made_run(tmp_path / "r", protocol("mine", part, metrics=[Metric(name="accuracy")]))
    lines = printed(run, verbose=True)
    assert line(lines, "part protocol outcomes") == "part protocol outcomes Possible range of accuracy"
    assert line(lines, "all mine 24") == "all mine 24 correct 50.0 to 90.0"


@pytest.mark.parametrize(("shots", "title"), [(0, "salbench · x"), (4, "salbench · x · 4 shots")])
def test_shots_are_told_where_there_are_some(shots: int, title: str) -> None:
    data = DataEntry(source="", fingerprint="", samples=1)
    manifest = Manifest(
        snellen="", created="", exam="salbench", subject=SubjectEntry(spec="x"), data=data,
        options=Selection(shots=shots),
    )  # fmt: skip
    assert formatting.title(manifest) == title
