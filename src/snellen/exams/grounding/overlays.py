"""The overlays of a screenshot: the target, the prediction, crops and detections, as numbers for SVG. Pure.

All numbers are finite and within the picture, whatever a method returned. A place outside is moved to the edge and labelled so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen.exams.grounding.geometry import Point
from snellen.exams.grounding.marking.marks import Truth, nearest_place
from snellen.exams.grounding.reading.predictions import Prediction

_SMALLEST_VIEW = 0.14  # of the screenshot's width
_LARGEST_SHARED = 0.24  # of the screenshot's width: target and prediction in one close-up
SHAPE = 10 / 16
ROOM = 2.6


class OverlayBox(NamedTuple):
    """A box; `note` is its description, for people."""

    x: float
    y: float
    width: float
    height: float
    note: str = ""

    @property
    def corners(self) -> tuple[float, float, float, float]:
        return self.x, self.y, self.x + self.width, self.y + self.height


class Click(NamedTuple):
    """The place at which the prediction is drawn; `outside` where it was off the screen."""

    x: float
    y: float
    outside: bool


class Overlay(NamedTuple):
    """All shapes over one screenshot of the stated size.

    `nearest` is the target nearest to the click, or the first one without a click; `miss` goes from a wrong click to the nearest
    right place.
    """

    width: int
    height: int
    targets: tuple[OverlayBox, ...]
    polygons: tuple[str, ...]
    nearest: OverlayBox | None
    click: Click | None = None
    box: OverlayBox | None = None
    miss: tuple[float, float, float, float] | None = None
    crops: tuple[OverlayBox, ...] = ()
    detections: tuple[OverlayBox, ...] = ()

    @property
    def whole(self) -> OverlayBox:
        """The screenshot itself."""
        return OverlayBox(0.0, 0.0, float(self.width), float(self.height))


class CloseUp(NamedTuple):
    """A part of the screenshot, shown larger."""

    name: str
    view: OverlayBox


def overlay(truth: Truth, prediction: Prediction | None) -> Overlay:
    """Return the shapes of a prediction and of the truth."""
    width, height = truth.space.width, truth.space.height
    truth = truth._replace(polygons=tuple(p for p in truth.polygons if all(map(math.isfinite, p))))
    targets = _rects(((b.corners, "target") for b in truth.boxes), width, height)
    polygons = tuple(" ".join(f"{v:.1f}".removesuffix(".0") for v in p) for p in truth.polygons)
    drawn = Overlay(width, height, targets, polygons, next(iter(targets), None))
    if prediction is None:
        return drawn
    if prediction.pointed is not None and all(map(math.isfinite, prediction.pointed)):
        x, y = prediction.pointed
        click = Click(min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height)), False)
        at = Point(click.x, click.y, truth.space)
        if targets:
            place = nearest_place(at, truth)
            near = min(zip(targets, truth.boxes, strict=False), key=lambda pair: pair[1].distance(at))[0]
            miss = (click.x, click.y, *place) if place != (click.x, click.y) else None
            drawn = drawn._replace(nearest=near, miss=miss)
        drawn = drawn._replace(click=click._replace(outside=(click.x, click.y) != (x, y)))
    seen = ((d.box, _note(d.kind, d.text, d.confidence)) for d in prediction.detections)
    return drawn._replace(
        box=rect(prediction.box, width, height, prediction.text or "") if prediction.box is not None else None,
        crops=_rects(((c, f"crop {i}") for i, c in enumerate(prediction.crops, 1)), width, height),
        detections=_rects(seen, width, height),
    )


def rect(corners: Sequence[float], width: int, height: int, note: str = "") -> OverlayBox | None:
    """Return the part of a box that lies in the picture; None where there is none.

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
    """Return the target and the prediction larger: in one view where they are close together, else in two."""
    target = [drawn.nearest.corners] if drawn.nearest is not None else []
    clicked = [(drawn.click.x, drawn.click.y) * 2] if drawn.click is not None else []
    clicked += [drawn.box.corners] if clicked and drawn.box is not None else []
    if target and clicked:
        shared = _around([*target, *clicked], drawn)
        if shared.width <= _LARGEST_SHARED * drawn.width:
            return [CloseUp("target and prediction", shared)]
    parts = (("target", target), ("prediction", clicked))
    return [CloseUp(name, _around(boxes, drawn)) for name, boxes in parts if boxes]


def _rects(boxes: Iterable[tuple[Sequence[float], str]], width: int, height: int) -> tuple[OverlayBox, ...]:
    found = (rect(corners, width, height, note) for corners, note in boxes)
    return tuple(r for r in found if r is not None)


def _note(kind: str, text: str, confidence: float | None) -> str:
    sure = "" if confidence is None else f" ({confidence:.2f})"
    return f"{kind}: {text}{sure}" if text else f"{kind}{sure}"


def _around(boxes: Sequence[tuple[float, float, float, float]], drawn: Overlay) -> OverlayBox:
    """Return a view of fixed shape with some room around the boxes, moved to lie within the screenshot."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    x1, y1, x2, y2 = min(lefts), min(tops), max(rights), max(bottoms)
    room = ROOM if len(boxes) == 1 else 1.6
    width = max((x2 - x1) * room, (y2 - y1) * room / SHAPE, _SMALLEST_VIEW * drawn.width)
    width, height = round(min(width, drawn.width)), round(min(width * SHAPE, drawn.height))
    left = min(max((x1 + x2 - width) / 2, 0.0), drawn.width - width)
    top = min(max((y1 + y2 - height) / 2, 0.0), drawn.height - height)
    return OverlayBox(float(round(left)), float(round(top)), float(width), float(height))
