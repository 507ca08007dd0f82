"""Cropping: the blind strategies look around their own answers, and the original's regions are kept for comparison only."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from tests.support import openadapt_reference as reference
from tests.support.uitars import MARK, PIXEL_FORMS, InProcess, UitarsServer, find_mark, png

from snellen.core.types import Answer, Failure, Question
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.geometry import Pixels, Point
from snellen.exams.grounding.reading.predictions import Detection, Prediction
from snellen.methods import catalogue as methods
from snellen.methods import seeker_math as seeker
from snellen.methods.base import Look, MethodView, Parse, ToolFailure
from snellen.methods.crops import choose, finer, panels

GOLDEN = json.loads((Path(__file__).parents[1] / "parity" / "grounding.json").read_text())
REFERENCE = GOLDEN["screenseeker_reference"]
SIZE = (1920, 1080)
SCREEN = png(*SIZE, {(1500, 200, 1540, 220): MARK})
CENTRE = (1520.0, 210.0)


def view(
    image: bytes = SCREEN, size: tuple[int, int] = SIZE, instruction: str = "Click on the 'Save' button"
) -> MethodView:
    return MethodView(id="s/e", image=image, width=size[0], height=size[1], instruction=instruction)


def locate(name: str, tools: InProcess, seen: MethodView | None = None, **options: Any) -> Prediction:
    return asyncio.run(methods.build(name, options).locate(seen or view(), tools))


def model(offset: float = 0.0) -> InProcess:
    """Points at the mark, beside it by a part of the picture's width: nearer the smaller the picture is."""
    server = UitarsServer(PIXEL_FORMS["decimals"])

    def say(image: Image.Image, _question: Question) -> str:
        at = find_mark(image)
        if at is None:
            return "(1, 1)"
        width, height = image.size
        return server.form((at[0] + offset) * width, at[1] * height)

    return InProcess(say=say)


# ---------------------------------------------------------------- the original's, as parity


@pytest.mark.parametrize("row", GOLDEN["crop_regions"], ids=lambda r: f"{r['strategy']}-{r['img']}-{r['target_bbox']}")
def test_the_originals_regions_and_pixel_crops(row: dict[str, Any]) -> None:
    regions = original.regions(row["strategy"], tuple(row["target_bbox"]), *row["img"])
    assert [list(r) for r in regions] == row["regions_xywh"]
    crops = [original.crop_pixels(r, *row["img"]) for r in regions]
    assert [list(c) for c in crops] == row["crop_px_xywh"]
    assert [[c[2], c[3]] for c in crops] == row["crop_sizes"]


def test_the_originals_bound_on_regions() -> None:
    for row in GOLDEN["screenseeker_max_regions"]:
        regions = original.regions("screenseeker", tuple(row["target_bbox"]), 1920, 1080, row["max_regions"])
        assert [list(r) for r in regions] == row["regions"]


def test_the_originals_way_back_uses_the_ideal_region() -> None:
    for row in GOLDEN["crop_transform"]:
        region = tuple(row["region"])
        assert list(original.crop_pixels(region, *row["img"])) == row["crop_px_xywh"]
        assert list(reference.box_to_full(region, tuple(row["element"]))) == row["element_full"]
        assert list(original.to_full(region, tuple(row["point"]))) == row["point_full"]


# ---------------------------------------------------------------- fixed, panels, reground, narrow


def test_fixed_crops_lie_around_the_methods_own_first_answer() -> None:
    prediction = locate("uitars-fixed", model(offset=0.01))
    first = CENTRE[0] + 0.01 * 1920
    assert prediction.attempts == 4
    assert [round(c[2] - c[0]) for c in prediction.crops] == [200, 300, 500]
    for crop in prediction.crops:
        assert (crop[0] + crop[2]) / 2 == pytest.approx(first, abs=1)
    # the answers within crops are nearer to the mark, agree, and outvote the first
    assert prediction.point is not None
    assert abs(prediction.point[0] - CENTRE[0]) < 6


def test_fixed_crops_are_moved_inside_at_the_edge_and_map_back_exactly() -> None:
    corner = view(png(*SIZE, {(0, 0, 20, 10): MARK}))
    prediction = locate("uitars-fixed", model(), corner, sizes="200")
    assert prediction.crops == ((0, 0, 200, 200),)
    assert prediction.point == pytest.approx((10, 5), abs=0.6)


def test_a_crop_larger_than_the_screenshot_is_the_screenshot() -> None:
    small = view(png(400, 250, {(300, 100, 320, 110): MARK}), (400, 250))
    prediction = locate("uitars-fixed", model(), small)
    # the original maps such a crop wrongly (by 1.25 and 2.0)
    assert prediction.point == pytest.approx((310, 105), abs=0.6)


def test_all_panels_are_looked_at_whatever_the_answers_are() -> None:
    tools = InProcess(say=lambda _image, _question: "(1,1)")
    prediction = locate("uitars-screenseeker", tools)
    assert prediction.attempts == len(panels(Pixels(*SIZE))) == 10
    assert len(prediction.crops) == 9
    found = locate("uitars-screenseeker", model())
    assert found.point == pytest.approx(CENTRE, abs=1)


def test_panels_cover_the_screen_and_do_not_depend_on_the_picture() -> None:
    assert [c.edges for c in panels(Pixels(100, 100))][1:3] == [(0, 0, 100, 15), (0, 0, 30, 100)]
    assert len({c.edges for c in panels(Pixels(1920, 1080))}) == 10


def test_reground_looks_again_at_1024_pixels_and_narrow_three_times() -> None:
    again = locate("uitars+reground", model(offset=0.02))
    assert [(round(c[2] - c[0]), round(c[3] - c[1])) for c in again.crops] == [(1024, 1024)]
    assert again.point is not None
    assert abs(again.point[0] - CENTRE[0]) == pytest.approx(0.02 * 1024, abs=1.5)
    narrow = locate("uitars+narrow", model(offset=0.02))
    assert [(round(c[2] - c[0]), round(c[3] - c[1])) for c in narrow.crops] == [(960, 540), (480, 270)]
    assert narrow.point is not None
    assert abs(narrow.point[0] - CENTRE[0]) == pytest.approx(0.02 * 480, abs=1.5)


def test_a_screenshot_within_the_crop_is_not_looked_at_twice() -> None:
    small = view(png(800, 600, {(10, 10, 30, 20): MARK}), (800, 600))
    assert locate("uitars+reground", model(), small).attempts == 1


def test_a_crop_that_fails_does_not_take_the_first_answer_away() -> None:
    def see(image: bytes) -> Parse | ToolFailure:
        if image != SCREEN:
            return ToolFailure("server-500", "no text")
        return Parse(
            width=1920, height=1080, detections=(Detection(box=(1500, 200, 1540, 220), text="Sawe", kind="text"),)
        )

    prediction = locate("omniparser-fixed", InProcess(see=see))
    assert prediction.status == "found"
    assert prediction.point == CENTRE
    assert prediction.failures == ("server-500: no text",) * 3
    whole = locate("omniparser-fixed", InProcess(see=lambda _image: ToolFailure("server-500", "no text")))
    assert whole.status == "error"
    assert whole.attempts == 1


def test_a_sure_parser_needs_no_crops() -> None:
    exact = Detection(box=(1500, 200, 1540, 220), text="Save", kind="button")
    tools = InProcess(see=lambda _image: Parse(width=1920, height=1080, detections=(exact,)))
    assert locate("omniparser-fixed", tools).attempts == 1
    assert tools.parses == ["whole"]


def test_without_an_answer_there_is_nothing_to_crop_around() -> None:
    prediction = locate("uitars-fixed", InProcess(say=lambda _image, _question: "none"))
    assert (prediction.status, prediction.attempts) == ("refused", 1)


def test_calls_can_be_capped() -> None:
    assert locate("uitars-screenseeker", model(), max_calls=3).calls == 3


def test_agreement_wins_without_confidences_and_confidence_with_them() -> None:
    space = Pixels(1000, 1000)

    def at(x: float, confidence: float | None = None) -> Look:
        return Look("found", point=Point(x, 500, space), confidence=confidence)

    looks = [at(100), at(505), at(900), at(500)]
    assert choose(looks, scored=False).point == Point(505, 500, space)
    assert choose([at(1, 0.5), at(2, 0.9), at(3, 0.9)], scored=True).point == Point(2, 500, space)
    assert finer(at(1, 0.9), at(2, 0.5), scored=True).point == Point(1, 500, space)
    assert finer(at(1), at(2), scored=False).point == Point(2, 500, space)
    assert finer(at(1), Look("unparsable"), scored=False).point == Point(1, 500, space)
    assert choose([Look("error", reason="x"), Look("refused")], scored=False).status == "refused"


# ---------------------------------------------------------------- ScreenSeekeR


def test_patch_scores_equal_the_reference() -> None:
    for row in REFERENCE["score_patch"]:
        assert seeker.score_patch(tuple(row["patch"]), tuple(row["point"])) == pytest.approx(row["score"], abs=1e-12)
    rows = REFERENCE["score_patches"]
    scores = seeker.score_patches([tuple(p) for p in rows["patches"].values()], [tuple(v) for v in rows["votes_xyxy"]])
    assert scores == pytest.approx(list(rows["scores"].values()), abs=1e-12)
    assert seeker.score_patch((0.5, 0.5, 0.5, 0.5), (0.5, 0.5)) == 0  # the reference raises


def test_dilated_patches_and_suppression_equal_the_reference() -> None:
    for row in REFERENCE["auto_dilate_patch"]:
        found = seeker.dilate(tuple(row["patch_xyxy"]), *row["img"], tuple(row["min_patch_size"]), row["max_ratio"])
        assert len(found) == len(row["out"])
        for ours, theirs in zip(found, row["out"], strict=True):
            assert ours == pytest.approx(tuple(theirs), abs=1e-12)
    for row in REFERENCE["nms_order"]:
        kept = seeker.distinct([tuple(b) for b in row["boxes"]], row["iou_threshold"])
        assert [list(b) for b in kept] == row["kept"]


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([(3840, 2160), (1920, 1080), (900, 3000)]),
)
def test_dilated_patches_stay_in_the_picture_and_have_an_area(
    a: float, b: float, c: float, d: float, size: tuple[int, int]
) -> None:
    patch = (min(a, b), min(c, d), max(a, b), max(c, d))
    for x1, y1, x2, y2 in seeker.dilate(patch, *size):
        assert 0 <= x1 < x2 <= 1
        assert 0 <= y1 < y2 <= 1


def test_the_planners_replies_are_read_without_the_references_mistakes() -> None:
    row = REFERENCE["extract_ui_ref"]
    names, absent = seeker.read_hints(row["text"])
    theirs = [name[name.index(">") + 1 : name.rindex("<")] for kind in row["out"].values() for name in kind]
    assert (names, absent) == (list(dict.fromkeys(theirs)), False)  # the same, without tags
    assert seeker.read_hints("No target") == ([], True)
    assert seeker.read_hints("<area>Menu</area> or No target") == (["Menu"], False)
    for row in REFERENCE["extract_existence"]:
        check = seeker.read_check(row["text"])
        if check is None or "```json" in row["text"]:  # the reference reads no bare object
            assert (None if check is None else msgspec.structs.asdict(check)) == row["out"]
    assert seeker.read_check('{"result":"is_target"}') == seeker.ElementCheck(result="is_target")


BIG = (2600, 1600)
WIDE = png(*BIG, {(2000, 1100, 2040, 1120): MARK})


class Planner:
    """A planner that knows the area, checks finds by looking at the red mark, and counts its calls."""

    def __init__(self, plan: str, verdict: str = "") -> None:
        self.plan, self.verdict, self.asked = plan, verdict, []  # type: ignore[var-annotated]

    def __call__(self, image: Image.Image, question: Question) -> str | Answer:
        self.asked.append(question.prompt)
        if question.prompt == "plan":
            return self.plan
        if question.prompt == "check":
            return self.verdict or (
                '```json\n{"result": "%s"}\n```' % ("is_target" if find_mark(image) else "target_not_found")
            )
        at = find_mark(image)
        if "status bar" in question.text or at is None:
            return "(10, 10)"
        return f"({at[0] * image.width:.1f}, {at[1] * image.height:.1f})"


def seek(planner: Planner, **options: Any) -> Prediction:
    return locate("uitars+screenseeker", InProcess(say=planner), view(WIDE, BIG), **options)


def test_the_search_zooms_in_and_takes_what_the_planner_confirms() -> None:
    planner = Planner("The <element>Save button</element> is in the <area>status bar</area>.")
    prediction = seek(planner)
    assert prediction.status == "found"
    assert prediction.point == pytest.approx((2020, 1110), abs=1.5)
    assert prediction.reason == "confirmed by the planner"
    assert "plan" in planner.asked
    assert "check" in planner.asked
    leaf = prediction.crops[-1]
    assert leaf[2] - leaf[0] < BIG[0]
    assert leaf[3] - leaf[1] < BIG[1]


def test_no_target_and_never_confirmed_are_refusals() -> None:
    assert seek(Planner("No target")).reason == "the planner says that there is no target"
    never = seek(Planner("<area>status bar</area>", '```json\n{"result": "target_not_found"}\n```'))
    assert never.status == "refused"
    thinking = seek(Planner("<think>No target, or is there?</think><area>status bar</area>", never.replies[-1]))
    assert thinking.reason != "the planner says that there is no target"


@pytest.mark.parametrize("verdict", ["yes, I think so", '<think>it may be {"result": "target_not_found"}, but'])
def test_a_planner_that_cannot_be_read_denies_nothing(verdict: str) -> None:
    garbled = seek(Planner("<area>status bar</area>", verdict))
    assert (garbled.status, garbled.point) == ("unparsable", None)
    assert "no verdict" in garbled.reason


def test_a_plan_that_is_cut_off_does_not_say_that_there_is_no_target() -> None:
    planner = Planner("No target")

    def say(image: Image.Image, question: Question) -> str | Answer:
        said = planner(image, question)
        if question.prompt == "plan":
            return Answer(id=question.id, prompt="plan", text=str(said), finish_reason="length")
        return said

    assert locate("uitars+screenseeker", InProcess(say=say), view(WIDE, BIG)).status == "found"


def test_the_planners_rewording_is_grounded_once_more() -> None:
    planner = Planner(
        "<element>Save</element>", '```json\n{"result": "target_elsewhere", "new_instruction": "the status bar"}\n```'
    )
    prediction = seek(planner)
    assert prediction.reason == "grounded again with the planner's wording"
    assert prediction.status == "found"


def test_the_search_keeps_its_cap_and_then_gives_the_first_answer() -> None:
    planner = Planner(
        "<element>a</element><element>b</element><area>c</area>", '```json\n{"result": "target_not_found"}\n```'
    )
    prediction = seek(planner, max_calls=6)
    assert prediction.calls <= 6
    assert prediction.status == "found"
    assert "not confirmed within 6 calls" in prediction.reason
    assert seek(planner).calls <= 40


def test_a_failing_planner_does_not_loop() -> None:
    def say(image: Image.Image, question: Question) -> str | Answer:
        if question.prompt == "ground":
            return "(5, 5)"
        return Answer(id=question.id, prompt=question.prompt, failure=Failure(kind="bad-request", reason="400"))

    prediction = locate("uitars+screenseeker", InProcess(say=say), view(WIDE, BIG))
    assert prediction.status == "error"  # nobody said that it is not there
    assert prediction.calls < 10
    assert any("400" in f for f in prediction.failures)
