"""Marks of one prediction against one truth: in the box or not, how far off, how well a box fits, what a detector saw. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Metrics, Sample
from snellen.exams.grounding.geometry import Box, Pixels, Point, distance, iou
from snellen.exams.grounding.reading.found import PERCENT
from snellen.exams.grounding.reading.points import read_point
from snellen.exams.grounding.reading.predictions import Prediction, from_text

PLAIN = "reply"
"""The method of a prediction that was read from a plain reply."""
TOLERANCES = (5, 10, 20, 40)
IOUS = (10, 30, 50, 70, 90)


class Truth(NamedTuple):
    """Every box (and polygon) that is a right answer, in pixels of the screenshot; none where the target is not there."""

    space: Pixels
    boxes: tuple[Box, ...]
    polygons: tuple[tuple[float, ...], ...] = ()
    absent: bool = False


def truth_of(sample: Sample) -> Truth:
    """The truth of a sample as typed geometry."""
    truth: dict[str, Any] = sample.truth
    try:
        space = Pixels(int(sample.facts["width"]), int(sample.facts["height"]))
        boxes = tuple(Box.from_xyxy(b, space) for b in truth["boxes"])
        polygons = tuple(tuple(float(v) for v in p) for p in truth.get("polygons", ()))
        absent = bool(truth["absent"])
    except (KeyError, TypeError) as error:
        raise SnellenError(f"sample {sample.id}: its truth or size is incomplete ({error})") from None
    if not absent and not boxes:
        raise SnellenError(f"sample {sample.id}: neither a box nor marked as absent")
    return Truth(space, boxes, polygons, absent)


def read_prediction(reply: str, sample: Sample, cut: bool = False) -> Prediction:
    """The prediction in a reply; a plain reply with a point is taken as pixels of the screenshot, or as percents where it says so."""
    prediction = from_text(reply)
    if prediction is not None:
        return prediction
    size = (int(sample.facts["width"]), int(sample.facts["height"]))
    said = read_point(reply, cut)
    if said.kind == "refusal":
        return Prediction(method=PLAIN, status="refused", size=size, reason=said.note)
    if said.kind not in ("point", "box"):
        return Prediction(method=PLAIN, status="unparsable", size=size, reason=said.note)
    numbers = said.numbers
    if said.unit == PERCENT:
        numbers = tuple(n * size[i % 2] / 100 for i, n in enumerate(numbers))
    if len(numbers) == 2:
        return Prediction(method=PLAIN, status="found", size=size, point=(numbers[0], numbers[1]))
    x1, y1, x2, y2 = numbers
    middle = ((x1 + x2) / 2, (y1 + y2) / 2)
    return Prediction(method=PLAIN, status="found", size=size, point=middle, box=(x1, y1, x2, y2))


def hits(point: Point, truth: Truth) -> bool:
    """Whether a click lands on a right answer: edges count, and there is no tolerance (a millionth of a pixel is arithmetic)."""
    point = Point(round(point.x, 6), round(point.y, 6), point.space)
    if truth.polygons:
        return any(in_polygon(point, polygon) for polygon in truth.polygons)
    return any(box.contains(point) for box in truth.boxes)


def in_polygon(point: Point, flat: Sequence[float]) -> bool:
    """Whether a point lies in a polygon [x, y, x, y, ...], its edges included."""
    corners = list(zip(flat[::2], flat[1::2], strict=True))
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        cross = (x2 - x1) * (point.y - y1) - (y2 - y1) * (point.x - x1)
        if cross == 0 and min(x1, x2) <= point.x <= max(x1, x2) and min(y1, y2) <= point.y <= max(y1, y2):
            return True
        if (y1 > point.y) != (y2 > point.y) and point.x < (x2 - x1) * (point.y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


def nearest_on(point: Point, flat: Sequence[float]) -> tuple[float, float]:
    """The place of a polygon that is nearest to a point: the point itself where it lies inside, else on an edge."""
    if in_polygon(point, flat):
        return point.x, point.y
    corners = list(zip(flat[::2], flat[1::2], strict=True))
    places = []
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        dx, dy = x2 - x1, y2 - y1
        length = dx * dx + dy * dy
        along = min(1.0, max(0.0, ((point.x - x1) * dx + (point.y - y1) * dy) / length)) if length else 0.0
        places.append((x1 + along * dx, y1 + along * dy))
    return min(places, key=lambda at: math.hypot(at[0] - point.x, at[1] - point.y))


def distance_to(point: Point, truth: Truth) -> float:
    """How far a point is from the nearest right box or polygon, 0 inside."""
    if truth.polygons:
        places = (nearest_on(point, polygon) for polygon in truth.polygons)
        return min(math.hypot(x - point.x, y - point.y) for x, y in places)
    return min(box.distance(point) for box in truth.boxes)


def is_right(prediction: Prediction, truth: Truth) -> bool:
    """A hit; or, where the target is not there, a refusal."""
    if truth.absent:
        return prediction.status == "refused"
    at = clicked(prediction, truth)
    return prediction.status == "found" and at is not None and hits(at, truth)


def clicked(prediction: Prediction, truth: Truth) -> Point | None:
    """The point of a prediction in the screenshot's space."""
    return None if prediction.pointed is None else Point(*prediction.pointed, truth.space)


def metrics(prediction: Prediction | None, truth: Truth) -> Metrics:
    """All values of one sample; None where one is not defined. Without a prediction: what a non-answer gets."""
    at = None if prediction is None else clicked(prediction, truth)
    right = prediction is not None and is_right(prediction, truth)
    refused = prediction is not None and prediction.status == "refused"
    values: Metrics = {
        "click_accuracy": float(right),
        "present_accuracy": None if truth.absent else float(right),
        "refusal_accuracy": float(refused) if truth.absent else None,
        "false_refusal": None if truth.absent else float(refused),
    }
    values |= _distances(at, truth)
    values |= _overlaps(prediction, truth)
    values |= _detector(prediction, truth)
    values |= {
        "attempts": None if prediction is None else float(prediction.attempts),
        "calls": None if prediction is None else float(prediction.calls),
        "seconds": None if prediction is None else prediction.seconds,
    }
    if prediction is not None and prediction.oracle:
        values["oracle"] = "yes"
    return values


def _distances(at: Point | None, truth: Truth) -> Metrics:
    """How far off, in pixels: to the nearest middle of a right box, and to the nearest right box or polygon (0 inside)."""
    away = None if at is None or truth.absent else distance_to(at, truth)
    middle = None if at is None or truth.absent else min(distance(at, box.centre) for box in truth.boxes)
    within: Metrics = {
        f"within_{t}_px": None if truth.absent else float(away is not None and away <= t) for t in TOLERANCES
    }
    return {"distance_px": middle, "distance_box_px": away, **within}


def _overlaps(prediction: Prediction | None, truth: Truth) -> Metrics:
    """IoU with the best right box, where there is a box; what a missing box costs is known only for a whole run (summary.py)."""
    best = None
    if prediction is not None and prediction.box is not None and prediction.status == "found" and not truth.absent:
        x1, y1, x2, y2 = prediction.box
        box = Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), truth.space)
        best = max(iou(box, other) for other in truth.boxes)
    return {"iou": best, **{f"acc_iou_{t}": None if best is None else float(best >= t / 100) for t in IOUS}}


def _detector(prediction: Prediction | None, truth: Truth) -> Metrics:
    """What the detector saw, whatever was chosen: a box whose middle is a right click, and a box that fits (IoU 0.5).

    Not defined where the method has no detector, or where only a part of the detections was kept.
    """
    if prediction is None or prediction.detections_total is None or truth.absent:
        return {"detector_recall": None, "detector_recall_iou_50": None}
    kept = prediction.boxes
    cut_short = prediction.detections_total > len(kept)
    boxes = [Box(*b, truth.space) for b in kept if b[0] <= b[2] and b[1] <= b[3]]
    centred = any(hits(box.centre, truth) for box in boxes)
    fitting = any(iou(box, other) >= 0.5 for box in boxes for other in truth.boxes)
    return {
        "detector_recall": None if cut_short else float(centred),
        "detector_recall_iou_50": None if cut_short else float(fitting),
    }
