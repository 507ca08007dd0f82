"""Replies: every form that models answer in, and predictions as the text that a run folder keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import openadapt_reference as reference
from tests.support.openadapt_reference import UITARS_HELPER

from snellen.core.errors import SnellenError
from snellen.core.resizing import PROCESSOR, PixelLimits, smart_resize
from snellen.exams.grounding.geometry import Box, Pixels, Point
from snellen.exams.grounding.reading.points import PlaceReading, read_point
from snellen.exams.grounding.reading.predictions import (
    DESCRIBED,
    MOST_DETECTIONS,
    Detection,
    Prediction,
    bounded,
    flattened,
    from_text,
    shortened,
    to_text,
)
from snellen.methods import wire_omniparser
from snellen.methods.formats import FORMATS, UITARS_V1, fit_within, place

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "grounding.json").read_text())

POINTS = {
    "(966,546)": (966, 546),
    "( 966 , 546 )": (966, 546),
    "966, 546": (966, 546),
    "966 546": (966, 546),
    "[966, 546]": (966, 546),
    "[[966,546]]": (966, 546),
    "(966.5, 546.25)": (966.5, 546.25),
    "Action: click(start_box='(966,546)')": (966, 546),
    "Thought: the (1,2) is wrong\nAction: click(start_box='(966,546)')": (966, 546),
    "<think>maybe (1,2)</think>(966,546)": (966, 546),
    "Action: left_double(point='<point>966 546</point>')": (966, 546),
    "click(start_box='<|box_start|>(966,546)<|box_end|>')": (966, 546),
    "x=966, y=546": (966, 546),
    '{"x": 966, "y": 546}': (966, 546),
    '```json\n[{"point_2d": [966, 546], "label": "Save"}]\n```': (966, 546),
    '{"action": "left_click", "coordinate": [966, 546]}': (966, 546),
    '<tool_call>\n{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [966, 546]}}\n</tool_call>': (
        966,
        546,
    ),
    '<point x="63.5" y="44.9" alt="Save">Save</point>': (63.5, 44.9),
    "I looked at (1,2). Answer: (966,546)": (966, 546),
    '{"point": [[966, 546]]}': (966, 546),
}
BOXES = {
    "<bbox>10 20 30 40</bbox>": (10, 20, 30, 40),
    "Action: click(start_box='(10,20,30,40)')": (10, 20, 30, 40),
    "<|box_start|>(10,20),(30,40)<|box_end|>": (10, 20, 30, 40),
    '{"bbox_2d": [30, 40, 10, 20]}': (10, 20, 30, 40),
}


@pytest.mark.parametrize("reply", POINTS)
def test_a_point_is_read_in_every_form(reply: str) -> None:
    assert read_point(reply) == PlaceReading("point", POINTS[reply])


@pytest.mark.parametrize("reply", BOXES)
def test_a_box_is_read_with_its_corners_in_order(reply: str) -> None:
    assert read_point(reply) == PlaceReading("box", BOXES[reply])


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", "nothing"),
        ("I would click the button.", "nothing"),
        ("Thought: it is at (10,20)", "nothing"),
        ("either (10,20) or (30,40) or (50,60)", "several"),
        ('<points x1="10" y1="20" x2="30" y2="40" alt="a">a</points>', "several"),
        ("Action: drag(start_box='(1,2)', end_box='(3,4)')", "other-action"),
        ("Action: scroll(direction='down', point='<point>966 546</point>')", "other-action"),
        ("Action: finished(content='done')", "other-action"),
        ('{"action": "wait", "time": 2}', "other-action"),
        ("none", "refusal"),
        ("Target not existent", "refusal"),
        ("[-1, -1]", "refusal"),
        ("No target", "refusal"),
    ],
)
def test_what_is_no_click_is_told_apart(reply: str, kind: str) -> None:
    assert read_point(reply).kind == kind


@pytest.mark.parametrize(
    "reply", ["<think>It is not the toolbar at (12,34), so", "<thinking>x=1, y=2", "Hm (1,2).<think>or"]
)
def test_thinking_that_never_ends_is_no_answer(reply: str) -> None:
    assert read_point(reply).kind == "nothing"
    assert read_point(reply + " no.</think>(5, 6)").numbers == (5, 6)


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("It is not the toolbar at (12,34), so", ()),
        ("<think>first (1,2)</think>The icon at (12,34) is not", ()),
        ("<think>first (1,2)</think>(12, 3", ()),
        ("<think>first (1,2)</think>12, 3", ()),
        ("<think>first (1,2)</think>x=12, y=3", ()),
        ("<think>first (1,2)</think>none", ()),
        ("Thought: at (1,2)\nAction: click(start_box='(96,5", ()),
        ("Thought: at (1,2)\nAction: click(start_box='(96,54)')\nand", (96, 54)),
        ('<think>first (1,2)</think>{"x": 12, "y": 34} becau', (12, 34)),
        ("<think>first (1,2)</think><point>12 34</point> be", (12, 34)),
    ],
)
def test_a_reply_that_was_cut_off_counts_only_where_its_answer_is_whole(reply: str, numbers: tuple[float, ...]) -> None:
    assert read_point(reply, cut=True).numbers == numbers


@given(st.text(max_size=300))
def test_no_reply_can_break_the_reader(reply: str) -> None:
    said = read_point(reply)
    assert len(said.numbers) == {"point": 2, "box": 4}.get(said.kind, 0)


@given(st.integers(-50, 9999), st.integers(-50, 9999))
def test_numbers_come_back_as_they_were_said(x: int, y: int) -> None:
    if (x, y) != (-1, -1):
        for form in ("({},{})", "<point>{} {}</point>", "Action: click(start_box='({},{})')", '{{"x": {}, "y": {}}}'):
            assert read_point(form.format(x, y)).numbers == (x, y)


def test_long_hostile_replies_are_read_to_the_end() -> None:
    pieces = (
        "1" + " " * 50,
        "x=1 ",
        "(1,",
        "[[",
        '{"a":',
        "<point ",
        "<|box_start|>",
        "</think>",
        "```json ",
        "Action: ",
        "answer: ",
    )
    for piece in pieces:  # each of them would take hours if a pattern could run wild
        assert read_point(piece * 20_000).kind == "nothing"


# ---------------------------------------------------------------- UI-TARS against the originals


@pytest.mark.parametrize("row", GOLDEN["uitars_parse_response"], ids=lambda r: r["raw"][:40])
def test_the_originals_reader_is_kept_row_by_row(row: dict[str, object]) -> None:
    read = reference.read_uitars(str(row["raw"]), *row["image_wh"])  # type: ignore[misc]
    assert read.point == ((row["x"], row["y"]) if row["found"] else None)
    assert read.thought == row["thought"]


@pytest.mark.parametrize("row", GOLDEN["uitars_parse_response"], ids=lambda r: r["raw"][:40])
def test_ours_reads_the_point_wherever_upstream_reads_a_click(row: dict[str, object]) -> None:
    upstream = row["uitars_upstream_parser"]
    if not isinstance(upstream, list):
        return
    width, height = row["image_wh"]  # type: ignore[misc]
    said = read_point(str(row["raw"]))
    if upstream[0]["action_type"] != "click":
        assert said.kind == "other-action"
        return
    x, y, _x2, _y2 = json.loads(upstream[0]["action_inputs"]["start_box"])
    found = place(said.numbers, "resized_pixels", smart_resize(width, height, UITARS_HELPER), Pixels(width, height))
    assert isinstance(found, Point)
    assert (found.x / width, found.y / height) == pytest.approx((x, y), abs=1e-12)


def test_ours_reads_what_the_original_could_not() -> None:
    missed = [r["raw"] for r in GOLDEN["uitars_parse_response"] if not r["found"]]
    read = {raw: read_point(raw).kind for raw in missed}
    assert sum(kind in ("point", "box") for kind in read.values()) == len(missed) - 1
    assert read["Thought: only a thought"] == "nothing"


@pytest.mark.parametrize("row", GOLDEN["smart_resize"], ids=lambda r: f"{r['w']}x{r['h']}")
def test_smart_resize_equals_the_originals(row: dict[str, object]) -> None:
    for key, limits in (
        ("seed_hw", UITARS_HELPER),
        ("uitars_upstream_hw", UITARS_HELPER),
        ("qwen2vl_processor_min3136_max12845056_hw", PROCESSOR),
        ("uitars_v1_max2116800_hw", UITARS_V1),
    ):
        if isinstance(row[key], dict):
            with pytest.raises(SnellenError, match="too long and thin"):
                smart_resize(row["w"], row["h"], limits)  # type: ignore[arg-type]
        else:
            assert smart_resize(row["w"], row["h"], limits)[::-1] == tuple(row[key])  # type: ignore[arg-type]


@given(st.integers(28, 8000), st.integers(28, 8000), st.sampled_from([PROCESSOR, UITARS_V1, UITARS_HELPER]))
def test_what_is_sent_is_not_resized_again_by_the_server(width: int, height: int, limits: PixelLimits) -> None:
    if max(width, height) / min(width, height) > 150:
        return
    sent = smart_resize(width, height, limits)
    assert smart_resize(*sent, limits) == sent


@given(st.integers(100, 4000), st.integers(100, 4000), st.floats(0, 1), st.floats(0, 1))
def test_sending_resized_or_letting_the_server_resize_gives_the_same_place(w: int, h: int, x: float, y: float) -> None:
    sent = smart_resize(w, h)
    ours = place((x * sent[0], y * sent[1]), "resized_pixels", sent, Pixels(w, h))
    server = smart_resize(*sent)
    theirs = place((x * server[0], y * server[1]), "resized_pixels", server, Pixels(w, h))
    assert isinstance(ours, Point)
    assert isinstance(theirs, Point)
    assert (ours.x, ours.y) == pytest.approx((theirs.x, theirs.y), abs=1e-6)


def test_numbers_mean_what_is_declared_and_are_never_guessed() -> None:
    picture = Pixels(2000, 1000)
    assert place((500, 500), "relative_1000", (1, 1), picture) == Point(1000, 500, picture)
    assert place((500, 500), "resized_pixels", (1000, 1000), picture) == Point(1000, 500, picture)
    assert place((500, 500), "image_pixels", (1, 1), picture) == Point(500, 500, picture)
    assert place((0.5, 0.5), "unit", (1, 1), picture) == Point(1000, 500, picture)
    assert place((50, 50), "percent", (1, 1), picture) == Point(1000, 500, picture)
    assert place((0, 0, 500, 1000), "relative_1000", (1, 1), picture) == Box(0, 0, 1000, 1000, picture)
    # 0.5 in a space of pixels is half a pixel, not the middle
    assert place((0.5, 0.5), "image_pixels", (1, 1), picture) == Point(0.5, 0.5, picture)


def test_every_format_asks_for_the_size_that_it_sends() -> None:
    for form in FORMATS.values():
        width, height = form.size(1920, 1080)
        text = form.template.format(instruction="Click on {this} 'Save'", width=width, height=height)
        assert "Click on {this} 'Save'" in text
        if "{width}" in form.template:
            assert str(width) in text
            assert str(height) in text
    assert fit_within(800, 600, 1568, 1_150_000) == (800, 600)
    assert max(fit_within(6016, 3384, 1568, 1_150_000)) <= 1568


# ---------------------------------------------------------------- predictions


def test_a_prediction_survives_its_text() -> None:
    prediction = Prediction(
        method="ocr",
        status="found",
        size=(1920, 1080),
        point=(10.5, 20.25),
        box=(0.0, 10.0, 21.0, 30.5),
        text="Save",
        confidence=0.9,
        attempts=4,
        calls=5,
        crops=((0.0, 0.0, 200.0, 200.0),),
        detections=(Detection(box=(1.0, 2.0, 3.0, 4.0), text="Save", kind="button"),),
        detections_total=1,
        replies=("(1,2)",),
        failures=("server-500: x",),
        reason="because",
        seconds=0.5,
        oracle=True,
    )
    assert from_text(to_text(prediction)) == prediction


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(1,2)",
        "{}",
        "[1,2]",
        '{"method":"x","status":"found","size":[10,10]}',
        '{"method":"x","status":"guessed","size":[10,10],"point":[1,2]}',
        '{"method":"x","status":"found","size":[10,10],"point":[1]}',
        '{"method":"x","status":"found","size":[10,10],"point":[1e999,2]}',
        "\ud800",
    ],
)
def test_what_is_no_prediction_is_not_taken_for_one(text: str) -> None:
    assert from_text(text) is None


def test_what_is_stored_is_bounded() -> None:
    assert MOST_DETECTIONS >= wire_omniparser.MOST_ITEMS, (
        "a crowded screen is kept whole, or nobody knows what was seen"
    )
    many = [Detection(box=(0.123456, 1, 2, 3), text="a\nb" * 100) for _ in range(MOST_DETECTIONS + 9)]
    kept = shortened(many)
    assert len(kept) == DESCRIBED
    others = flattened(many)
    assert len(others) == 4 * (MOST_DETECTIONS - DESCRIBED)
    whole = Prediction(method="m", status="refused", size=(9, 9), detections=kept, others=others)
    assert len(whole.boxes) == MOST_DETECTIONS
    assert len(kept[0].text) <= 80
    assert kept[0].box[0] == 0.1
    assert all(len(t) <= 2000 for t in bounded(["x" * 10_000] * 50))
    assert len(bounded(["x"] * 50)) == 16
