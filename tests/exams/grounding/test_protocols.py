"""Protocols: from a prediction to a mark, and from marks to a summary with intervals that know about screenshots."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen.core.errors import SnellenError
from snellen.core.outcomes import mark_answer, mark_reply
from snellen.core.protocol import Protocol
from snellen.core.results import GroupSummary
from snellen.core.types import Answer, Failure, Mark, Outcome, Sample
from snellen.exams.grounding import prompts
from snellen.exams.grounding.exam import EXAM
from snellen.exams.grounding.geometry import Box, Pixels, Point
from snellen.exams.grounding.marking.marks import Truth, hits, in_polygon, truth_of
from snellen.exams.grounding.marking.osworld import lmms_point
from snellen.exams.grounding.marking.screenspot import correctness, mean_of_cells, report
from snellen.exams.grounding.protocols import PROTOCOLS
from snellen.exams.grounding.reading.predictions import Detection, Prediction, to_text
from snellen.exams.grounding.rows import sample_from_row
from snellen.stats.means import of_samples, share_interval
from snellen.stats.tally import summarised

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "grounding.json").read_text())
SIZE = (1000, 500)


def sample(
    box: list[float] | None = None, *, absent: bool = False, name: str = "a", image: str = "a.png", **more: Any
) -> Sample:
    tags = {"split": "easy", "task": "ground", "type": "button", "kind": "text", "size": "small", "area": "small"}
    boxes = [] if absent else [box or [100.0, 100.0, 200.0, 150.0]]
    facts = {"image": image, "width": SIZE[0], "height": SIZE[1], "text": "Save", "instruction": "Click"}
    return Sample(
        id=name,
        tags=tags | more.pop("tags", {}),
        truth={"boxes": boxes, "absent": absent} | more.pop("truth", {}),
        facts=facts | more,
    )


def found(point: tuple[float, float], **more: Any) -> Prediction:
    return Prediction(method="m", status="found", size=SIZE, point=point, attempts=1, calls=1, **more)


def judge(prediction: Prediction | str, on: Sample, protocol: str = "click") -> Mark:
    text = prediction if isinstance(prediction, str) else to_text(prediction)
    return mark_reply(PROTOCOLS[protocol], on, text)


# ---------------------------------------------------------------- click


@pytest.mark.parametrize(
    ("point", "right"),
    [
        ((150, 125), True),
        ((100, 100), True),
        ((200, 150), True),
        ((200.01, 125), False),
        ((99.99, 125), False),
        ((-5, 125), False),
        ((5000, 5000), False),
    ],
)
def test_a_click_is_right_in_the_box_edges_included_and_nowhere_else(point: tuple[float, float], right: bool) -> None:
    mark = judge(found(point), sample())
    assert mark.outcome is (Outcome.CORRECT if right else Outcome.WRONG)
    assert mark.metrics["click_accuracy"] == float(right)


def test_every_acceptable_box_counts_and_a_polygon_goes_before_its_rectangle() -> None:
    two = sample(truth={"boxes": [[0, 0, 10, 10], [900, 400, 950, 450]]})
    assert judge(found((920, 420)), two).outcome is Outcome.CORRECT
    triangle = sample(truth={"boxes": [[0, 0, 100, 100]], "polygons": [[0, 0, 100, 0, 0, 100]]})
    assert judge(found((10, 10)), triangle).outcome is Outcome.CORRECT
    assert judge(found((90, 90)), triangle).outcome is Outcome.WRONG
    flat = (0.0, 0.0, 100.0, 0.0, 0.0, 100.0)
    assert in_polygon(50, 50, flat)  # on the slope
    assert in_polygon(0, 0, flat)
    assert not in_polygon(50.1, 50, flat)


def test_a_polygon_is_as_far_away_as_its_edges() -> None:
    triangle = sample(truth={"boxes": [[0, 0, 800, 400]], "polygons": [[0, 0, 800, 0, 0, 400]]})
    missed = judge(found((790, 390)), triangle).metrics
    assert missed["click_accuracy"] == 0.0
    assert missed["distance_box_px"] == pytest.approx(344.35, abs=0.01)
    assert [missed[f"within_{t}_px"] for t in (5, 10, 20, 40)] == [0.0] * 4
    assert judge(found((10, 10)), triangle).metrics["distance_box_px"] == 0.0
    assert judge(found((-3, -4)), triangle).metrics["distance_box_px"] == pytest.approx(5.0)


def test_a_row_may_give_polygons() -> None:
    row = {"id": "r", "width": 1000, "height": 500, "polygons": [[0, 0, 800, 0, 0, 400]]}
    on = sample_from_row(row)
    assert on.truth["boxes"] == [[0, 0, 800, 400]]
    assert judge(found((10, 10)), on).outcome is Outcome.CORRECT
    assert judge(found((790, 390)), on).outcome is Outcome.WRONG
    for bad in ([[0, 0, 1, 1]], [["a"] * 6], [[0, 0, 5000, 0, 0, 400]], "x"):
        with pytest.raises(SnellenError, match="polygon"):
            sample_from_row(row | {"polygons": bad})


def test_not_answering_does_not_raise_the_accuracy_at_an_overlap() -> None:
    box = (100.0, 100.0, 200.0, 150.0)
    rows = [(s, judge(found((150, 125), box=box) if i == 0 else "none", s)) for i, s in enumerate(map(named, "abc"))]
    gone = sample(absent=True, name="d")
    lost = sample(name="e")
    failure = Answer(id="e", prompt="instruction", failure=Failure(kind="network", reason=""))
    rows += [(gone, judge("none", gone)), (lost, mark_answer(PROTOCOLS["click"], lost, failure))]
    metrics = whole(summarised(PROTOCOLS["click"], rows)).metrics
    assert (metrics["acc_iou_50"].value, metrics["acc_iou_50"].n) == (0.25, 4)  # the absent one has no overlap to find
    assert (metrics["iou"].value, metrics["iou"].n) == (1.0, 1)


def named(name: str) -> Sample:
    return sample(name=name)


def test_an_oracle_that_accepts_nothing_is_wrong_and_does_not_refuse() -> None:
    miss = Prediction(method="oracle/uitars", status="missed", size=SIZE, point=(300.0, 125.0), oracle=True)
    for protocol in PROTOCOLS:
        mark = judge(miss, sample(), protocol)
        assert mark.outcome is Outcome.WRONG, protocol
        assert (mark.metrics["false_refusal"], mark.metrics["distance_box_px"]) == (0.0, 100.0)
    inside = judge(Prediction(method="o", status="missed", size=SIZE, point=(150.0, 125.0), oracle=True), sample())
    assert inside.outcome is Outcome.WRONG  # what its rule did not accept is not found


def test_values_are_null_where_they_are_not_defined() -> None:
    point = judge(found((150, 125)), sample()).metrics
    assert point["iou"] is None
    assert point["acc_iou_50"] is None
    assert point["detector_recall"] is None
    assert point["refusal_accuracy"] is None
    assert (point["distance_px"], point["distance_box_px"]) == (0.0, 0.0)
    missed = judge(found((300, 150)), sample()).metrics
    assert missed["distance_box_px"] == 100.0
    assert [missed[f"within_{t}_px"] for t in (5, 10, 20, 40)] == [0.0] * 4
    near = judge(found((208, 125)), sample()).metrics
    assert [near[f"within_{t}_px"] for t in (5, 10, 20, 40)] == [0.0, 1.0, 1.0, 1.0]
    nothing = PROTOCOLS["click"].blank(sample())
    assert nothing["distance_px"] is None
    assert nothing["click_accuracy"] == 0.0
    assert nothing["within_40_px"] == 0.0


def test_boxes_have_an_overlap() -> None:
    mark = judge(found((125, 125), box=(100, 100, 150, 150)), sample()).metrics
    assert mark["iou"] == pytest.approx(0.5)
    assert [mark[f"acc_iou_{t}"] for t in (10, 30, 50, 70, 90)] == [1.0, 1.0, 1.0, 0.0, 0.0]


def test_what_the_detector_saw_is_a_metric_of_its_own() -> None:
    saw = Detection(box=(110.0, 105.0, 190.0, 145.0), text="Save")
    wrong = found((900, 400), box=(880.0, 380.0, 920.0, 420.0), detections=(saw,), detections_total=1)
    mark = judge(wrong, sample())
    assert mark.outcome is Outcome.WRONG
    assert mark.metrics["detector_recall"] == 1.0
    assert mark.metrics["detector_recall_iou_50"] == 1.0
    unseen = found((900, 400), detections=(Detection(box=(0.0, 0.0, 9.0, 9.0)),), detections_total=1)
    assert judge(unseen, sample()).metrics["detector_recall"] == 0.0
    # where only a part was kept, nobody knows
    assert (
        judge(found((900, 400), detections=(saw,), detections_total=5000), sample()).metrics["detector_recall"] is None
    )
    flat = found((900, 400), others=(0, 0, 9, 9, 110, 105, 190, 145), detections_total=2)
    assert judge(flat, sample()).metrics["detector_recall"] == 1.0


def test_refusals_are_right_only_where_the_target_is_not_there() -> None:
    refused = Prediction(method="m", status="refused", size=SIZE, reason="nothing there")
    gone = judge(refused, sample(absent=True))
    assert gone.outcome is Outcome.CORRECT
    assert (gone.metrics["refusal_accuracy"], gone.metrics["present_accuracy"]) == (1.0, None)
    there = PROTOCOLS["click"].judge(to_text(refused), sample())
    assert not there.correct
    assert not there.readable
    assert there.reading == {"status": "refused", "reason": "nothing there"}
    assert there.metrics["false_refusal"] == 1.0
    assert judge(found((5, 5)), sample(absent=True)).outcome is Outcome.WRONG


def test_unreadable_replies_are_told_from_wrong_ones() -> None:
    assert judge("I would click Save", sample()).outcome is Outcome.UNPARSABLE
    assert judge("", sample()).outcome is Outcome.EMPTY
    assert judge(Prediction(method="m", status="unparsable", size=SIZE), sample()).outcome is Outcome.UNPARSABLE
    answer = Answer(id="a", prompt="instruction", failure=Failure(kind="network", reason="gone"))
    assert mark_answer(PROTOCOLS["click"], sample(), answer).outcome is Outcome.ERROR


def test_a_plain_reply_is_taken_as_pixels_of_the_screenshot() -> None:
    assert judge("(150, 125)", sample()).outcome is Outcome.CORRECT
    assert judge('{"x": 0.15, "y": 0.25}', sample()).outcome is Outcome.WRONG  # never guessed from magnitude
    assert judge("[100, 100, 200, 150]", sample()).metrics["iou"] == 1.0


def test_a_truth_that_says_nothing_is_refused() -> None:
    with pytest.raises(SnellenError, match="neither a box nor marked as absent"):
        truth_of(sample(truth={"boxes": [], "absent": False}))
    with pytest.raises(SnellenError, match="incomplete"):
        truth_of(Sample(id="x", tags={}, truth={"boxes": []}, facts={"width": 1, "height": 1}))


# ---------------------------------------------------------------- openadapt, ScreenSpot, OSWorld-G


def test_the_seeds_rules_for_points_and_for_boxes() -> None:
    # a point 0.02 of the width beside the box is found, though the click misses
    beside = judge(found((219, 125)), sample(), "openadapt")
    assert beside.outcome is Outcome.CORRECT
    assert beside.metrics["click_accuracy"] == 0.0
    assert judge(found((221, 125)), sample(), "openadapt").outcome is Outcome.WRONG
    # a box of little overlap is found for its words, and is not without them
    small = (140.0, 120.0, 160.0, 130.0)
    assert judge(found((150, 125), box=small, text="save "), sample(), "openadapt").outcome is Outcome.CORRECT
    assert judge(found((150, 125), box=small, text="Open"), sample(), "openadapt").outcome is Outcome.WRONG
    refused = Prediction(method="m", status="refused", size=SIZE)
    values = PROTOCOLS["openadapt"].judge(to_text(refused), sample()).metrics
    assert (values["detection_rate"], values["seed_iou"], values["seed_distance"]) == (0.0, 0.0, 0.0)


def test_the_seeds_scores_come_out_of_stored_predictions() -> None:
    for row in GOLDEN["omniparser_match_score"]:
        if row["target_text"] is None:
            continue
        x, y, w, h = row["target_bbox"]
        on = sample([1000 * x, 500 * y, 1000 * (x + w), 500 * (y + h)], text=row["target_text"])
        dx, dy, dw, dh = row["detected_bbox"]
        box = (1000 * dx, 500 * dy, 1000 * (dx + dw), 500 * (dy + dh))
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        mark = judge(found(middle, box=box, text=row["detected_text"]), on, "openadapt")
        assert mark.metrics["match_score"] == pytest.approx(row["score"], abs=1e-9)
        assert (mark.outcome is Outcome.CORRECT) == (row["score"] >= 0.3)


@pytest.mark.parametrize("row", GOLDEN["screenspot_pro_sample_eval"], ids=lambda r: str(r["point_norm"]))
def test_screenspot_pro_marks_row_by_row(row: dict[str, Any]) -> None:
    width, height = row["img_size"]
    on = sample(row["bbox_xyxy_px"], width=width, height=height)
    if row["point_norm"] is None:
        reply = to_text(Prediction(method="m", status="unparsable", size=(width, height)))
    else:
        x, y = row["point_norm"]
        reply = to_text(Prediction(method="m", status="found", size=(width, height), point=(x * width, y * height)))
    verdict = PROTOCOLS["screenspot-pro"].judge(reply, on)
    assert correctness("found" if verdict.readable else "unparsable", verdict.correct) == row["correctness"]
    assert verdict.metrics["wrong_format"] == float(row["correctness"] == "wrong_format")


def test_screenspot_pro_reports_and_negative_targets() -> None:
    rows = GOLDEN["screenspot_pro_report"]
    assert report(rows["results"]) == rows["metrics"]
    statuses: dict[str, Any] = {"negative": "refused", "positive": "found", "wrong_format": "unparsable"}
    for row in GOLDEN["screenspot_pro_negative_eval"]:
        said = Prediction(method="m", status=statuses[row["result"]], size=SIZE, point=(1.0, 1.0))
        right = PROTOCOLS["screenspot-pro"].judge(to_text(said), sample(absent=True)).correct
        assert correctness(said.status, right) == row["correctness"]


@pytest.mark.parametrize(
    "row", GOLDEN["osworld_g_lmms_eval"], ids=lambda r: f"{r['doc']['box_type']} {r['prediction']}"
)
def test_osworld_g_marks_row_by_row(row: dict[str, Any]) -> None:
    doc = row["doc"]
    numbers = doc["box_coordinates"]
    truth: dict[str, Any] = {"boxes": [], "absent": doc["box_type"] == "refusal"}
    if doc["box_type"] == "bbox":
        truth["boxes"] = [[numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]]]
    elif doc["box_type"] == "polygon":
        truth |= {"boxes": [[0, 0, 100, 100]], "polygons": [numbers]}
    on = sample(truth=truth, width=doc["image_size"][0], height=doc["image_size"][1])
    assert PROTOCOLS["osworld-g"].judge(row["prediction"], on).correct == row["correct"]


def test_lmms_evals_points_row_by_row() -> None:
    for row in GOLDEN["point_parse_lmms_eval"]:
        point = lmms_point(row["text"])
        assert (None if point is None else list(point)) == row["point"]


def test_the_mean_of_screenspots_six_cells() -> None:
    cells = {(p, k): (right, total) for p, k, right, total in (
        ("mobile", "text", 9, 10), ("mobile", "icon", 1, 10), ("desktop", "text", 40, 40), ("desktop", "icon", 0, 10),
        ("web", "text", 5, 10), ("web", "icon", 5, 20),
    )}  # fmt: skip
    assert mean_of_cells(cells) == pytest.approx((0.9 + 0.1 + 1.0 + 0.0 + 0.5 + 0.25) / 6)
    assert mean_of_cells({("web", "text"): (1, 2)}) is None


# ---------------------------------------------------------------- summaries


def marked(n: int = 60, per_image: int = 6, protocol: str = "click") -> Iterator[tuple[Sample, Mark]]:
    dice = random.Random(0)
    for i in range(n):
        image = i // per_image
        tags = {
            "split": ("mobile", "desktop", "web")[i % 3],
            "kind": ("text", "icon")[i % 2],
            "size": ("small", "medium", "large")[i % 3],
            "area": "small",
            "difficulty": "hard",
            "type": "button",
        }
        on = sample([100.0, 100.0, 200.0, 150.0], name=str(i), image=f"{image}.png", tags=tags)
        # all targets of a screenshot stand or fall together
        point = (150.0, 125.0) if image % 2 else (600.0 + dice.random(), 300.0)
        yield on, judge(found(point, seconds=0.1, box=None), on, protocol)


def whole(groups: tuple[GroupSummary, ...]) -> GroupSummary:
    return next(g for g in groups if set(g.by) == {"part"})


def test_a_summary_has_the_whole_its_parts_n_and_intervals() -> None:
    groups = summarised(PROTOCOLS["click"], marked())
    top = whole(groups)
    metric = top.metrics["click_accuracy"]
    assert (metric.value, metric.n, metric.interval) == (0.5, 60, "wilson, clustered")
    assert top.outcomes == {"correct": 30, "wrong": 30}
    assert next(iter(top.metrics)) == "click_accuracy"
    by = {tuple(k for k in g.by if k != "part") for g in groups}
    assert {("size",), ("area",), ("type",), ("kind",), ("split",), ("difficulty",), ("split", "kind")} <= by
    assert ("platform",) not in by  # no sample has one
    sizes = [g.by["size"] for g in groups if set(g.by) == {"part", "size"}]
    assert sizes == ["small", "medium", "large"]
    for group in groups:
        assert all(m.n <= group.n for m in group.metrics.values())
        assert "iou" not in group.metrics  # undefined, so not there
    assert list(top.metrics) == [m.name for m in PROTOCOLS["click"].metrics if m.name in top.metrics]  # all declared


def test_intervals_are_of_screenshots_and_not_of_targets() -> None:
    metric = whole(summarised(PROTOCOLS["click"], marked())).metrics["click_accuracy"]
    assert metric.low is not None
    assert metric.high is not None
    # ten screenshots, half of them right: about 0.2 to 0.8. Sixty independent targets would give 0.37 to 0.63
    assert metric.low <= 0.3
    assert metric.high >= 0.7


def test_the_floor_is_what_never_looking_gets() -> None:
    floor = whole(summarised(PROTOCOLS["click"], marked())).metrics["click_accuracy"]
    assert floor.floor is None, "all targets are at one place: a point is right by construction"
    apart = [sample([100.0 * i, 0.0, 100.0 * i + 50, 50.0], name=str(i), image=f"{i}.png") for i in range(4)]
    floor = whole(summarised(PROTOCOLS["click"], [(s, judge("none", s)) for s in apart])).metrics["click_accuracy"]
    assert floor.floor == pytest.approx(50 * 50 / (1000 * 500))
    assert floor.floor_answer == "a random point", "a point that is right on one screenshot only says nothing"
    middle = [
        (s, judge(found((500, 250)), s))
        for s in [sample([450.0 - i, 200.0, 550.0, 300.0], name=str(i)) for i in range(4)]
    ]
    top = whole(summarised(PROTOCOLS["click"], middle)).metrics["click_accuracy"]
    assert (top.floor, top.floor_answer) == (1.0, "the middle")
    gone = [(s, judge("none", s)) for s in [sample(absent=True, name=str(i)) for i in range(4)]]
    assert whole(summarised(PROTOCOLS["click"], gone)).metrics["click_accuracy"].floor is None
    mixed = whole(summarised(PROTOCOLS["click"], gone + middle[:2])).metrics["click_accuracy"]
    assert (mixed.floor, mixed.floor_answer) == (pytest.approx(4 / 6), "always refuse")


def test_non_answers_widen_the_bounds_and_time_is_summed_for_a_screenshot() -> None:
    rows = list(marked(12))
    lost = sample(name="x", image="x.png")
    failure = Answer(id="x", prompt="instruction", failure=Failure(kind="network", reason=""))
    rows.append((lost, mark_answer(PROTOCOLS["click"], lost, failure)))
    top = whole(summarised(PROTOCOLS["click"], rows))
    assert top.bounds == (6 / 13, 7 / 13)
    assert top.outcomes["error"] == 1
    assert top.metrics["seconds_p50"].value == pytest.approx(0.1)
    assert top.metrics["seconds_image_p50"].value == pytest.approx(0.6)
    assert top.metrics["distance_px"].n == 12


def test_screenspot_says_both_averages() -> None:
    top = whole(summarised(PROTOCOLS["screenspot"], marked(protocol="screenspot")))
    assert "mean_of_six_cells" in top.metrics
    assert top.metrics["wrong_format"].value == 0.0
    assert "mean_of_six_cells" not in whole(summarised(PROTOCOLS["click"], marked())).metrics


def test_no_marks_are_no_summary() -> None:
    assert summarised(PROTOCOLS["click"], []) == ()


def test_clustered_means_against_a_plain_bootstrap() -> None:
    dice = np.random.default_rng(1)
    values = dice.random(200)
    alone = share_interval(of_samples(values.tolist(), [str(i) for i in range(200)]))
    draws = [values[dice.integers(0, 200, 200)].mean() for _ in range(2000)]
    assert (alone.low, alone.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])), abs=0.01)
    one = share_interval(of_samples([1.0] * 50, ["same"] * 50))
    assert one.kind == "wilson, clustered"
    assert one.low == pytest.approx(0.2065, abs=1e-3)  # one screenshot is one observation


# ---------------------------------------------------------------- the exam's own words


def test_protocols_keep_the_contract() -> None:
    for protocol in PROTOCOLS.values():
        checked: Protocol = protocol
        assert checked.prompt in prompts.PROMPTS
        for probe in (*prompts.probes(), *prompts.truths()):
            blank = checked.blank(probe)
            verdict = checked.judge("(1, 1)", probe)
            assert set(blank) == set(verdict.metrics)
            assert checked.headline in blank
    assert list(PROTOCOLS) == ["click", "openadapt", "screenspot", "screenspot-pro", "osworld-g"]


def test_probes_ask_without_truth() -> None:
    for probe in prompts.probes():
        question = EXAM.ask("instruction", probe)
        assert question.text == probe.facts["instruction"]
        assert not hits(Point(0, 0, Pixels(1920, 1080)), truth_of(probe))
    with pytest.raises(SnellenError, match="unknown prompt"):
        EXAM.prompt("other")


def test_truths_are_typed() -> None:
    space = Pixels(*SIZE)
    assert truth_of(sample()) == Truth(space, (Box(100, 100, 200, 150, space),))
