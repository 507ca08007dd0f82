"""Marks of one prediction against one truth: hit or miss, distance, fit of the box, and the detector's share. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Metrics, Sample
from snellen.exams.grounding.geometry import Box, Pixels, Point, distance, iou
from snellen.exams.grounding.reading.found import PERCENT
from snellen.exams.grounding.reading.points import read_point
from snellen.exams.grounding.reading.predictions import Prediction, Status, from_text

PLAIN = "reply"
"""The method of a prediction that was read from a plain reply."""
NOTHING = Prediction(method="", status="error", size=(0, 0))
TOLERANCES = (5, 10, 20, 40)
IOUS = (10, 30, 50, 70, 90)


class Truth(NamedTuple):
    """Every box (and polygon) that is a right answer, in pixels of the screenshot; none where the target is absent."""

    space: Pixels
    boxes: tuple[Box, ...]
    polygons: tuple[tuple[float, ...], ...] = ()
    absent: bool = False


def truth_of(sample: Sample) -> Truth:
    """Return the truth of a sample as typed geometry."""
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
    """Return the prediction in a reply. A plain reply counts pixels of the screenshot, or percents where it says so."""
    prediction = from_text(reply)
    if prediction is not None:
        return prediction
    size = (int(sample.facts["width"]), int(sample.facts["height"]))
    said = read_point(reply, cut)
    if said.kind not in ("point", "box"):
        status: Status = "refused" if said.kind == "refusal" else "unparsable"
        return Prediction(method=PLAIN, status=status, size=size, reason=said.note)
    numbers = [n * size[i % 2] / 100 if said.unit == PERCENT else n for i, n in enumerate(said.numbers)]
    found = Prediction(method=PLAIN, status="found", size=size, point=(numbers[0], numbers[1]))
    if len(numbers) == 2:
        return found
    x1, y1, x2, y2 = numbers
    return msgspec.structs.replace(found, point=((x1 + x2) / 2, (y1 + y2) / 2), box=(x1, y1, x2, y2))


def hits(point: Point, truth: Truth) -> bool:
    """Tell whether a click lands on a right answer: edges count, and there is no tolerance (a millionth of a pixel is arithmetic)."""
    point = Point(round(point.x, 6), round(point.y, 6), point.space)
    if truth.polygons:
        return any(in_polygon(point.x, point.y, polygon) for polygon in truth.polygons)
    return any(box.contains(point) for box in truth.boxes)


def in_polygon(x: float, y: float, flat: Sequence[float]) -> bool:
    """Tell whether a point lies in a polygon [x, y, x, y, ...], its edges included."""
    inside = False
    for x1, y1, x2, y2 in _sides(flat):
        cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if cross == 0 and min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
            return True
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


def _sides(flat: Sequence[float]) -> Iterator[tuple[float, float, float, float]]:
    xs, ys = flat[::2], flat[1::2]
    return zip(xs, ys, (*xs[1:], xs[0]), (*ys[1:], ys[0]), strict=True)


def nearest_place(point: Point, truth: Truth) -> tuple[float, float]:
    """Return the place of the right boxes, or polygons, that is nearest to a point: the point itself where it is right."""
    x, y = point.x, point.y
    places = [(min(max(x, box.x1), box.x2), min(max(y, box.y1), box.y2)) for box in truth.boxes]
    if truth.polygons:
        places = [(x, y)] if any(in_polygon(x, y, polygon) for polygon in truth.polygons) else []
    for x1, y1, x2, y2 in (side for polygon in truth.polygons for side in _sides(polygon)):
        dx, dy = x2 - x1, y2 - y1
        length = dx * dx + dy * dy
        along = min(1.0, max(0.0, ((x - x1) * dx + (y - y1) * dy) / length)) if length else 0.0
        places.append((x1 + along * dx, y1 + along * dy))
    return min(places, key=lambda at: math.hypot(at[0] - x, at[1] - y))


def is_right(prediction: Prediction, truth: Truth) -> bool:
    """Tell whether it is a hit; or, where the target is absent, a refusal."""
    if truth.absent:
        return prediction.status == "refused"
    at = clicked(prediction, truth)
    return prediction.status == "found" and at is not None and hits(at, truth)


def clicked(prediction: Prediction, truth: Truth) -> Point | None:
    """Return the point of a prediction in the screenshot's space."""
    return None if prediction.pointed is None else Point(*prediction.pointed, truth.space)


def metrics(prediction: Prediction | None, truth: Truth) -> Metrics:
    """Return all values of one sample; None where one is not defined. Without a prediction: the values of a non-answer."""
    said = prediction or NOTHING
    right, refused = is_right(said, truth), said.status == "refused"
    values: Metrics = {
        "click_accuracy": float(right),
        "present_accuracy": None if truth.absent else float(right),
        "refusal_accuracy": float(refused) if truth.absent else None,
        "false_refusal": None if truth.absent else float(refused),
    }
    values |= _distances(clicked(said, truth), truth) | _overlaps(said, truth) | _detector(said, truth)
    values |= {
        "attempts": None if prediction is None else float(said.attempts),
        "calls": None if prediction is None else float(said.calls),
        "seconds": said.seconds,
    }
    return values | ({"oracle": "yes"} if said.oracle else {})


def _distances(at: Point | None, truth: Truth) -> Metrics:
    """Return the distances in pixels: to the nearest middle of a right box, and to the nearest right box or polygon (0 inside)."""
    away = None if at is None or truth.absent else math.dist(nearest_place(at, truth), (at.x, at.y))
    middle = None if at is None or truth.absent else min(distance(at, box.centre) for box in truth.boxes)
    within: Metrics = {
        f"within_{t}_px": None if truth.absent else float(away is not None and away <= t) for t in TOLERANCES
    }
    return {"distance_px": middle, "distance_box_px": away, **within}


def _overlaps(prediction: Prediction, truth: Truth) -> Metrics:
    """Return the IoU with the best right box, where a box was predicted.

    The cost of a missing box is known only for a whole run (summary.py).
    """
    best = None
    if prediction.box is not None and prediction.status == "found" and not truth.absent:
        x1, y1, x2, y2 = prediction.box
        box = Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), truth.space)
        best = max(iou(box, other) for other in truth.boxes)
    return {"iou": best, **{f"acc_iou_{t}": None if best is None else float(best >= t / 100) for t in IOUS}}


def _detector(prediction: Prediction, truth: Truth) -> Metrics:
    """Return the detector's marks, whatever was chosen: a box whose middle is a right click, and a box that fits (IoU 0.5).

    Not defined where the method has no detector, or where only a part of the detections was kept.
    """
    total = prediction.detections_total
    if total is None or truth.absent or total > len(prediction.boxes):
        return {"detector_recall": None, "detector_recall_iou_50": None}
    boxes = [Box(*b, truth.space) for b in prediction.boxes if b[0] <= b[2] and b[1] <= b[3]]
    return {
        "detector_recall": float(any(hits(box.centre, truth) for box in boxes)),
        "detector_recall_iou_50": float(any(iou(box, other) >= 0.5 for box in boxes for other in truth.boxes)),
    }
