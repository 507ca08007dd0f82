"""What the page and the terminal say of a run in words: each finding with a run that shows it, and one that does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.present.made import group, made_run, protocol, score

from snellen.core.finding import BAD, DOUBT, FACT, GOOD, WEIGHTS, Finding
from snellen.core.records import ControlRow, DifferenceRow, PositionRow, Summary, Totals
from snellen.core.results import GroupSummary, Metric, ProtocolSummary, Score
from snellen.core.unanswered import UnansweredPart, silent_parts
from snellen.exams.grounding.exam import EXAM as GROUNDING
from snellen.exams.vqa_nle.exam import VQAX
from snellen.present.model.findings import findings, heaviest
from snellen.present.model.run_view import run_view
from snellen.present.terminal.run import print_findings, print_run


def summary(*protocols: ProtocolSummary, **more: Any) -> Summary:
    known = {"exam": "made-up", "subject": "x", "synthetic": False, "complete": True, "samples": 24}
    return Summary(protocols=protocols, **(known | more))


def said(found: Summary, kind: str, **more: Any) -> list[tuple[str, str]]:
    return [(one.weight, one.text) for one in findings(found, **more) if one.kind == kind]


def exact(value: float, low: float, high: float, floor: float | None) -> Score:
    return Score(value=value, n=24, low=low, high=high, floor=floor)


def parts(*scores: Score, name: str = "mine") -> ProtocolSummary:
    return protocol(name, *(group({"split": s}, accuracy=one) for s, one in zip("ABCDEF", scores, strict=False)))


# ---------------------------------------------------------------- does it see?


def test_a_score_at_or_below_its_floor_is_no_sign_of_seeing() -> None:
    found = summary(parts(exact(0.2, 0.1, 0.3, 0.3), exact(0.3, 0.2, 0.4, 0.3)))
    ((weight, text),) = said(found, "floor")
    assert weight == BAD
    assert (
        text == "No sign of seeing: accuracy (mine) is 20.0 to 30.0 (floor 30.0), at or below its floor in both parts."
    )
    assert not said(found, "score")


def test_a_run_that_says_nothing_about_the_model_is_not_called_blind() -> None:
    blind = parts(exact(0.0, 0.0, 0.1, 0.3), exact(0.2, 0.1, 0.3, 0.3))
    silent = UnansweredPart(protocol="mine", by={"split": "A"}, n=24, outcomes={"unparsable": 24})
    assert said(summary(blind, lost=(silent,)), "floor") == [
        (BAD, "No sign of seeing: accuracy (mine) is 20.0 (floor 30.0), at or below its floor in B.")
    ], "only of the part that was answered"
    control = ControlRow(
        protocol="mine", control="none", by={"split": "A"}, metric="accuracy", score=0.0, control_score=0.0,
        difference=0.0, low=-0.1, high=0.1, n=24,
    )  # fmt: skip
    alone = summary(parts(exact(0.0, 0.0, 0.1, 0.3)), lost=(silent,), controls=(control,))
    assert not any("No sign" in one.text for one in findings(alone))
    assert not said(summary(blind, complete=False), "floor")


def test_a_score_whose_interval_holds_the_floor_is_no_clear_sign() -> None:
    ((weight, text),) = said(summary(parts(exact(0.4, 0.25, 0.55, 0.3))), "floor")
    assert (weight, text) == (
        BAD,
        "No clear sign of seeing: accuracy (mine) is 40.0 (floor 30.0), not clearly above its floor.",
    )


def test_parts_that_see_and_parts_that_do_not_are_told_apart() -> None:
    some = (exact(0.9, 0.8, 0.95, 0.3), exact(0.1, 0.0, 0.2, 0.3), exact(0.4, 0.25, 0.6, 0.3))
    found = summary(parts(*some))
    assert said(found, "floor") == [
        (BAD, "No sign of seeing in B: accuracy (mine) is 10.0 (floor 30.0), at or below the floor."),
        (DOUBT, "Not clearly above the floor in C: accuracy (mine) is 40.0 (floor 30.0)."),
    ]
    assert said(found, "score") == [(GOOD, "Accuracy (mine) is 90.0 (floor 30.0), clearly above the floor in A.")]


def test_a_score_without_a_floor_is_a_plain_fact_and_a_lower_is_better_one_is_turned() -> None:
    assert said(summary(parts(exact(0.9, 0.8, 0.95, None))), "score") == [(FACT, "Accuracy (mine) is 90.0.")]
    lower = [Metric(name="accuracy", label="errors", better="lower")]
    good = protocol("mine", group({}, accuracy=exact(0.1, 0.05, 0.2, 0.5)), metrics=lower)
    bad = protocol("mine", group({}, accuracy=exact(0.6, 0.5, 0.7, 0.5)), metrics=lower)
    assert [w for w, _text in said(summary(good), "score")] == [GOOD]
    assert [w for w, _text in said(summary(bad), "floor")] == [BAD]


# ---------------------------------------------------------------- can it be read?


def answered(name: str, outcomes: dict[str, int], value: float = 0.6) -> ProtocolSummary:
    n = sum(outcomes.values())
    one = GroupSummary(by={"split": "A"}, n=n, outcomes=outcomes, metrics={"accuracy": score(value, n)}, whole=True)
    return protocol(name, one)


def test_unreadable_replies_are_named_with_the_protocol_that_reads_them() -> None:
    paper = answered("paper", {"correct": 50, "wrong": 20, "unparsable": 30}, 0.5)
    robust = answered("robust", {"correct": 75, "wrong": 24, "unparsable": 1}, 0.75)
    found = summary(paper, robust, silent=silent_parts((paper, robust)))
    assert said(found, "silent") == [
        (BAD, "30 % of the replies cannot be read under 'paper'; 'robust' reads nearly all of them.")
    ]
    turned = summary(robust, paper, silent=silent_parts((robust, paper)))
    assert [w for w, _text in said(turned, "silent")] == [DOUBT], "the main protocol reads them"
    assert not said(summary(robust, silent=silent_parts((robust,))), "silent")


def test_replies_that_were_cut_off_are_not_called_unreadable() -> None:
    cut = answered("mine", {"correct": 5, "truncated": 15})
    assert said(summary(cut, silent=silent_parts((cut,))), "silent")[0][1].startswith(
        "75 % of the replies were cut off under"
    )


def test_protocols_that_are_far_apart_are_named_with_the_stage() -> None:
    found = summary(answered("paper", {"correct": 24}, 0.45), answered("robust", {"correct": 24}, 0.733))
    assert said(found, "protocols", stages={"prompt": 0, "reading": 7, "marking": 1}) == [
        (
            DOUBT,
            "The protocol decides by up to 28.3 points of accuracy: 73.3 under 'robust', 45.0 under 'paper'. They part most often at the reading.",
        )
    ]
    near = summary(answered("paper", {"correct": 24}, 0.70), answered("robust", {"correct": 24}, 0.733))
    assert not said(near, "protocols")


# ---------------------------------------------------------------- does it look?


def control(name: str, before: float, after: float, low: float, high: float, part: str = "A") -> ControlRow:
    return ControlRow(
        protocol="mine", control=name, by={"split": part}, metric="accuracy", score=before, control_score=after,
        difference=after - before, low=low, high=high, n=50,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "weight", "text"),
    [
        (control("blank", 0.64, 0.04, -0.724, -0.462), GOOD, "It looks: accuracy 64.0 -> 4.0 with a blank picture."),
        (
            control("none", 0.5, 0.49, -0.06, 0.04),
            BAD,
            "No sign that it looks: accuracy 50.0 -> 49.0 without the picture, which could be chance.",
        ),
        (
            control("options", 0.5, 0.3, -0.3, -0.1),
            DOUBT,
            "The order matters: accuracy 50.0 -> 30.0 with the options in another order, -20.0 [-30.0, -10.0].",
        ),
    ],
)
def test_controls_say_whether_it_looks(row: ControlRow, weight: str, text: str) -> None:
    assert said(summary(parts(exact(0.6, 0.5, 0.7, 0.3)), controls=(row,)), "controls") == [(weight, text)]


def test_an_order_that_changes_nothing_is_not_worth_a_word_and_parts_are_counted() -> None:
    one = parts(exact(0.6, 0.5, 0.7, 0.3), exact(0.6, 0.5, 0.7, 0.3))
    assert not said(summary(one, controls=(control("options", 0.5, 0.49, -0.1, 0.1),)), "controls")
    both = (control("blank", 0.6, 0.1, -0.6, -0.4), control("blank", 0.5, 0.5, -0.1, 0.1, "B"))
    ((weight, text),) = said(summary(one, controls=both), "controls")
    assert weight == DOUBT
    assert text == "It looks (accuracy 60.0 -> 10.0 with a blank picture in A), but there is no sign of that in B."


def test_the_place_of_a_picture_is_named_where_it_matters() -> None:
    def row(difference: float, low: float, high: float) -> PositionRow:
        slot = DifferenceRow(first=0.5, second=0.5 + difference, difference=difference, low=low, high=high, n=40)
        return PositionRow(protocol="mine", slot=slot, order=slot, flipped=9, n=40)

    one = parts(exact(0.6, 0.5, 0.7, 0.3))
    ((weight, text),) = said(summary(one, position=(row(0.2, 0.1, 0.3),)), "position")
    assert weight == DOUBT
    assert (
        "the one in the first place is told right 20.0 points more often; 9 of 40 are right in one order only." in text
    )
    assert not said(summary(one, position=(row(0.02, -0.1, 0.14),)), "position")


# ---------------------------------------------------------------- what only the exam knows, and what stands in the summary


def screens(saw: float, hit: float) -> Summary:
    metrics = {"click_accuracy": exact(hit, hit - 0.01, hit + 0.01, 0.01), "detector_recall": exact(saw, 0, 1, None)}
    return summary(protocol("click", group({"part": "all"}, **metrics), headline="click_accuracy"))


def test_grounding_says_whether_the_detector_or_the_chooser_lost() -> None:
    assert said(screens(1.0, 0.24), "detector", exam=GROUNDING) == [
        (DOUBT, "The detector saw 100.0 % of the targets, the chooser lost 76.0 points of that.")
    ]
    assert said(screens(0.4, 0.38), "detector", exam=GROUNDING)[0][1].endswith(
        "what it does not see no chooser can choose."
    )
    assert [w for w, _text in said(screens(0.99, 0.97), "detector", exam=GROUNDING)] == [FACT]
    assert not said(summary(parts(exact(0.6, 0.5, 0.7, 0.3))), "detector", exam=GROUNDING)


@pytest.mark.parametrize(("low", "high", "weight"), [(0.6, 0.8, FACT), (0.2, 0.4, DOUBT), (0.4, 0.6, DOUBT)])
def test_explained_answers_say_whether_certainty_means_anything(low: float, high: float, weight: str) -> None:
    sure = Score(value=(low + high) / 2, n=24, low=low, high=high)
    made = group({}, accuracy=exact(0.6, 0.5, 0.7, 0.3), answer_entropy_mean_auroc=sure)
    assert [w for w, _text in said(summary(protocol("strict", made)), "certainty", exam=VQAX)] == [weight]
    assert not said(summary(parts(exact(0.6, 0.5, 0.7, 0.3))), "certainty", exam=VQAX)


def test_notes_are_told_by_their_first_sentence() -> None:
    note = "The 60 points look like thousandths (0 to 1000): 1.3 % of them hit; as thousandths 78.5 % would. The score is as read."
    found = summary(parts(exact(0.1, 0.0, 0.2, 0.3)), notes=(note,), complete=False, totals=Totals(calls=7, cost=1.5))
    assert said(found, "note") == [(DOUBT, note.partition(" The score")[0])]
    assert said(found, "incomplete")[0][0] == BAD
    assert said(found, "cost") == [(FACT, "7 calls: 1.5000 USD.")]
    weights = [WEIGHTS.index(one.weight) for one in findings(found)]
    assert weights == sorted(weights), "the heaviest first"
    assert not {"note", "incomplete", "cost"} & {
        one.kind for one in findings(summary(parts(exact(0.1, 0.0, 0.2, 0.3))))
    }


def test_the_headline_is_always_among_the_few_that_are_shown() -> None:
    every = [Finding(BAD, "silent", "a"), Finding(DOUBT, "protocols", "b"), Finding(GOOD, "score", "c")]
    assert [one.text for one in heaviest(every, 2)] == ["a", "c"]
    assert [one.text for one in heaviest(every, 3)] == ["a", "b", "c"]
    assert heaviest([], 2) == []


def test_the_terminal_says_what_to_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blind = made_run(tmp_path / "a", parts(exact(0.2, 0.1, 0.3, 0.3)), subject="hostile\x1b[31m")
    print_run(blind)
    assert "No sign of seeing: accuracy (mine) is 20.0" in " ".join(capsys.readouterr().out.split())
    sees = made_run(tmp_path / "b", parts(exact(0.9, 0.8, 0.95, 0.3)))
    print_run(sees)
    assert "clearly above" not in capsys.readouterr().out, "what the table says is not said twice"
    print_findings([run_view(run) for run in (blind, sees)])
    out = capsys.readouterr().out
    assert "\x1b[31m" not in out
    assert "No sign of seeing" in out
    assert "clearly above the floor" in out
