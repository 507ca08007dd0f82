"""What is drawn over a screenshot: the target, the prediction, crops and detections, as numbers for SVG. Pure.

All numbers are finite and within the picture, whatever a method said; what lies outside is moved to the edge and called so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.exams.grounding.geometry import Point
from snellen.exams.grounding.marking.marks import Truth, nearest_on
from snellen.exams.grounding.reading.predictions import Prediction

SMALLEST_VIEW = 0.14  # of the screenshot's width
LARGEST_SHARED = 0.24  # of the screenshot's width: target and prediction in one close-up
SHAPE = 10 / 16
ROOM = 2.6


class OverlayBox(NamedTuple):
    """A box; `note` is what is known of it, for people."""

    x: float
    y: float
    width: float
    height: float
    note: str = ""

    @property
    def corners(self) -> tuple[float, float, float, float]:
        return self.x, self.y, self.x + self.width, self.y + self.height


class Click(NamedTuple):
    """Where the prediction is drawn; `outside` where it was off the screen."""

    x: float
    y: float
    outside: bool


class Overlay(NamedTuple):
    """All shapes over one screenshot of the stated size. `miss` goes from a wrong click to the nearest target."""

    width: int
    height: int
    targets: tuple[OverlayBox, ...]
    polygons: tuple[str, ...]
    click: Click | None
    box: OverlayBox | None
    miss: tuple[float, float, float, float] | None
    crops: tuple[OverlayBox, ...]
    detections: tuple[OverlayBox, ...]

    @property
    def whole(self) -> OverlayBox:
        """The screenshot itself."""
        return OverlayBox(0.0, 0.0, float(self.width), float(self.height))


class CloseUp(NamedTuple):
    """A part of the screenshot, shown larger."""

    name: str
    view: OverlayBox


def overlay(truth: Truth, prediction: Prediction | None) -> Overlay:
    """The shapes of a prediction and of the truth."""
    width, height = truth.space.width, truth.space.height
    targets = _rects(((b.as_xyxy(), "target") for b in truth.boxes), width, height)
    polygons = tuple(" ".join(_number(v) for v in p) for p in truth.polygons if all(map(math.isfinite, p)))
    if prediction is None:
        return Overlay(width, height, targets, polygons, None, None, None, (), ())
    click = _click(prediction, width, height)
    box = rect(prediction.box, width, height, prediction.text or "") if prediction.box is not None else None
    crops = _rects(((c, f"crop {i}") for i, c in enumerate(prediction.crops, 1)), width, height)
    seen = _rects(((d.box, _said(d.kind, d.text, d.confidence)) for d in prediction.detections), width, height)
    return Overlay(width, height, targets, polygons, click, box, _miss(click, targets, truth), crops, seen)


def rect(corners: Sequence[float], width: int, height: int, note: str = "") -> OverlayBox | None:
    """The part of a box that lies in the picture; None where there is none.

    >>> rect((-5, 10, 20, 15), 100, 50)
    OverlayBox(x=0.0, y=10.0, width=20.0, height=5.0, note='')
    >>> rect((200, 0, 300, 10), 100, 50) is None
    True
    """
    if not all(math.isfinite(v) for v in corners):
        return None
    x1, x2 = sorted((corners[0], corners[2]))
    y1, y2 = sorted((corners[1], corners[3]))
    if x1 > width or y1 > height or x2 < 0 or y2 < 0:
        return None
    left, top = max(0.0, float(x1)), max(0.0, float(y1))
    return OverlayBox(left, top, min(float(width), x2) - left, min(float(height), y2) - top, note)


def close_ups(drawn: Overlay) -> list[CloseUp]:
    """The target and the prediction larger: in one view where they are close together, else in two."""
    target = nearest(drawn.click, drawn.targets)
    if drawn.click is None:
        return [CloseUp("target", _around([target.corners], drawn))] if target else []
    clicked = [(drawn.click.x, drawn.click.y) * 2]
    clicked += [drawn.box.corners] if drawn.box is not None else []
    if target is None:
        return [CloseUp("prediction", _around(clicked, drawn))]
    shared = _around([target.corners, *clicked], drawn)
    if shared.width <= LARGEST_SHARED * drawn.width:
        return [CloseUp("target and prediction", shared)]
    return [CloseUp("target", _around([target.corners], drawn)), CloseUp("prediction", _around(clicked, drawn))]


def nearest(click: Click | None, targets: Sequence[OverlayBox]) -> OverlayBox | None:
    """The target that the click is nearest to; the first where there is no click."""
    if click is None or not targets:
        return targets[0] if targets else None
    return min(targets, key=lambda t: _length(_between(click, t)))


# ---------------------------------------------------------------- pieces


def _rects(boxes: Iterable[tuple[Sequence[float], str]], width: int, height: int) -> tuple[OverlayBox, ...]:
    found = (rect(corners, width, height, note) for corners, note in boxes)
    return tuple(r for r in found if r is not None)


def _click(prediction: Prediction, width: int, height: int) -> Click | None:
    if prediction.pointed is None or not all(map(math.isfinite, prediction.pointed)):
        return None
    x, y = prediction.pointed
    inside_x, inside_y = min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))
    return Click(inside_x, inside_y, (inside_x, inside_y) != (x, y))


def _between(click: Click, target: OverlayBox) -> tuple[float, float, float, float]:
    """From a click to the nearest place of a box."""
    x1, y1, x2, y2 = target.corners
    return click.x, click.y, min(max(click.x, x1), x2), min(max(click.y, y1), y2)


def _length(line: tuple[float, float, float, float]) -> float:
    return math.hypot(line[2] - line[0], line[3] - line[1])


def _miss(click: Click | None, targets: Sequence[OverlayBox], truth: Truth) -> tuple[float, float, float, float] | None:
    target = nearest(click, targets)
    if click is None or target is None:
        return None
    line = _between(click, target)
    shapes = [p for p in truth.polygons if all(map(math.isfinite, p))]
    if shapes:
        at = Point(click.x, click.y, truth.space)
        line = min(((click.x, click.y, *nearest_on(at, p)) for p in shapes), key=_length)
    return line if _length(line) > 0 else None


def _said(kind: str, text: str, confidence: float | None) -> str:
    sure = "" if confidence is None else f" ({confidence:.2f})"
    return f"{kind}: {text}{sure}" if text else f"{kind}{sure}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _around(boxes: list[tuple[float, float, float, float]], drawn: Overlay) -> OverlayBox:
    """A view of fixed shape with some room around the boxes, moved to lie within the screenshot."""
    x1, y1 = min(b[0] for b in boxes), min(b[1] for b in boxes)
    x2, y2 = max(b[2] for b in boxes), max(b[3] for b in boxes)
    room = ROOM if len(boxes) == 1 else 1.6
    width = max((x2 - x1) * room, (y2 - y1) * room / SHAPE, SMALLEST_VIEW * drawn.width)
    width, height = round(min(width, drawn.width)), round(min(width * SHAPE, drawn.height))
    left = min(max((x1 + x2 - width) / 2, 0.0), drawn.width - width)
    top = min(max((y1 + y2 - height) / 2, 0.0), drawn.height - height)
    return OverlayBox(float(round(left)), float(round(top)), float(width), float(height))
