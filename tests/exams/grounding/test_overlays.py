"""What is drawn over a screenshot, and what is said of it: shapes, close-ups, and what lies off the screen."""

from __future__ import annotations

import math
from typing import Any

import pytest

from snellen.core.types import Mark, Outcome
from snellen.exams.grounding import overlays
from snellen.exams.grounding.gallery import said
from snellen.exams.grounding.geometry import Box, Pixels
from snellen.exams.grounding.marking.marks import Truth
from snellen.exams.grounding.overlays import OverlayBox
from snellen.exams.grounding.reading.predictions import Detection, Prediction

SPACE = Pixels(1000, 500)
TRUTH = Truth(SPACE, (Box(100, 50, 140, 70, SPACE),))


def prediction(point: tuple[float, float] | None = (900.0, 400.0), **more: Any) -> Prediction:
    return Prediction(**{"method": "mine", "status": "found", "size": (1000, 500), "point": point} | more)


def test_shapes_lie_where_the_prediction_says() -> None:
    seen = Detection(box=(10.0, 10.0, 30.0, 20.0), text="OK", kind="text", confidence=0.5)
    drawn = overlays.overlay(
        TRUTH,
        prediction((90, 60), box=(80.0, 55.0, 100.0, 65.0), crops=((0.0, 0.0, 500.0, 500.0),), detections=(seen,)),
    )
    assert drawn.targets == (OverlayBox(100, 50, 40, 20, "target"),)
    assert drawn.click == overlays.Click(90, 60, outside=False)
    assert drawn.box == OverlayBox(80, 55, 20, 10)
    assert drawn.miss == (90, 60, 100, 60)
    assert drawn.crops == (OverlayBox(0, 0, 500, 500, "crop 1"),)
    assert drawn.detections == (OverlayBox(10, 10, 20, 10, "text: OK (0.50)"),)


def test_a_hit_has_no_line_and_a_polygon_keeps_its_corners() -> None:
    assert overlays.overlay(TRUTH, prediction((100, 50))).miss is None
    round_ = TRUTH._replace(polygons=((100.0, 50.0, 140.0, 50.25, 120.0, 70.0),))
    assert overlays.overlay(round_, None).polygons == ("100 50 140 50.2 120 70",)
    beside = overlays.overlay(
        TRUTH._replace(polygons=((100.0, 50.0, 140.0, 50.0, 100.0, 70.0),)), prediction((140, 70))
    )
    assert beside.miss == pytest.approx(
        (140, 70, 132, 54)
    )  # to the slope, though the click is in the rectangle around it


def test_an_oracles_miss_is_drawn_and_said_to_be_one() -> None:
    miss = prediction((90, 60), status="missed", reason="best score 0.1", oracle=True)
    drawn = overlays.overlay(TRUTH, miss)
    assert drawn.click == overlays.Click(90, 60, outside=False)
    words = said(Mark(id="a", outcome=Outcome.WRONG), TRUTH, miss, drawn)
    assert "accepted nothing" in words[0]
    assert words[1].startswith("Click at (90, 60)")


@pytest.mark.parametrize("point", [(-50.0, 1e300), (math.inf, 3.0)])
def test_what_lies_outside_is_drawn_at_the_edge_or_not_at_all(point: tuple[float, float]) -> None:
    wild = ((-1e9, -1e9, 1e9, 1e9), (2000.0, 0.0, 2100.0, 10.0), (math.nan, 0.0, 1.0, 1.0))
    drawn = overlays.overlay(TRUTH, prediction(point, crops=wild, box=(1500.0, 0.0, 1600.0, 10.0)))
    assert drawn.click == (overlays.Click(0, 500, outside=True) if math.isfinite(point[0]) else None)
    assert drawn.crops == (OverlayBox(0, 0, 1000, 500, "crop 1"),)
    assert drawn.box is None


def test_close_ups_hold_what_they_name_and_stay_on_the_screen() -> None:
    for point, names in (((900.0, 480.0), ["target", "prediction"]), ((150.0, 60.0), ["target and prediction"])):
        found = overlays.close_ups(overlays.overlay(TRUTH, prediction(point)))
        assert [c.name for c in found] == names
        for close_up in found:
            x1, y1, x2, y2 = close_up.view.corners
            assert 0 <= x1 < x2 <= 1000
            assert 0 <= y1 < y2 <= 500
        assert _inside((100, 50, 140, 70), found[0].view)
        assert _inside((*point, *point), found[-1].view)
    assert [c.name for c in overlays.close_ups(overlays.overlay(TRUTH, None))] == ["target"]
    absent = Truth(SPACE, (), absent=True)
    assert overlays.close_ups(overlays.overlay(absent, None)) == []
    assert [c.name for c in overlays.close_ups(overlays.overlay(absent, prediction()))] == ["prediction"]


def _inside(corners: tuple[float, ...], view: OverlayBox) -> bool:
    x1, y1, x2, y2 = view.corners
    return x1 <= corners[0] <= corners[2] <= x2 and y1 <= corners[1] <= corners[3] <= y2
