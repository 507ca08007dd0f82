"""One look at one picture (the screenshot or a crop), and the trail of looks that a search leaves behind.

A Locator looks once. A Strategy (crops.py, screenseeker.py) decides where to look next. Neither knows the truth.
"""

from __future__ import annotations

from typing import NamedTuple
from typing import Protocol as Interface

import msgspec

from snellen.core.text import one_line
from snellen.exams.grounding.geometry import Box, Crop, Point
from snellen.exams.grounding.methods.base import MethodView, Tools
from snellen.exams.grounding.reading.predictions import (
    MOST_CROPS,
    Corners,
    Detection,
    Prediction,
    Status,
    bounded,
    flattened,
    shortened,
)

MOST_FAILURES = 8


class Look(NamedTuple):
    """What one look gave. A locator answers in the crop's pixels; a Trail hands it on in the screenshot's."""

    status: Status
    point: Point | None = None
    box: Box | None = None
    text: str | None = None
    confidence: float | None = None
    detections: tuple[Detection, ...] = ()
    total: int | None = None
    replies: tuple[str, ...] = ()
    calls: int = 0
    reason: str = ""


class Locator(Interface):
    """Looks at one picture and says where it would click. `scored` means that its confidences can be compared between looks."""

    needs: tuple[str, ...] = ()
    scored: bool = False
    prompt: tuple[str, int] = ("", 0)
    """What it says to a model beside the instruction, and how many pictures it shows; nothing where it asks none."""
    version: str = ""
    """Which version of our own rules it goes by: another one gives other answers."""
    code: str = ""
    """What a plugin's locator is made of: other code gives other answers."""

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        """Look at a crop of the view. Never raises for what a parser or a model does."""


class Trail:
    """What a search has tried so far. `cap` bounds the calls; None is no bound."""

    def __init__(self, view: MethodView, cap: int | None = None) -> None:
        self.view, self.cap = view, cap
        self.attempts = 0
        self.calls = 0
        self.crops: list[Crop] = []
        self.replies: list[str] = []
        self.failures: list[str] = []
        self.detections: list[Detection] = []
        self.total: int | None = None
        self.partial = False

    @property
    def spent(self) -> bool:
        """Whether no further call is allowed."""
        return self.cap is not None and self.calls >= self.cap

    async def look(self, locator: Locator, crop: Crop, instruction: str, tools: Tools) -> Look:
        """One look at a crop, entered into the trail; the answer comes in the screenshot's pixels."""
        self.attempts += 1
        if crop != self.view.whole:
            self.crops.append(crop)
        look = await locator.look(self.view, crop, instruction, tools)
        self.calls += look.calls
        self.replies += look.replies
        if look.status == "error":
            self.failures.append(look.reason)
        back = _back(look, crop)
        self.detections += back.detections
        if look.total is not None:
            self.total = (self.total or 0) + look.total
            self.partial = self.partial or look.total > len(look.detections)
        return back

    def prediction(self, method: str, look: Look, seconds: float | None = None, oracle: bool = False) -> Prediction:
        """The final word, with all that led to it."""
        view = self.view
        # without repeats, those of the look that decided before the rest
        seen = list({d.box: d for d in (*look.detections, *self.detections)}.values())
        return Prediction(
            method=method,
            status=look.status,
            size=(view.width, view.height),
            point=None if look.point is None else (look.point.x, look.point.y),
            box=None if look.box is None else corners(look.box),
            text=look.text,
            confidence=look.confidence,
            attempts=self.attempts,
            calls=self.calls,
            crops=tuple(corners(c.box) for c in self.crops[:MOST_CROPS]),
            detections=shortened(seen),
            others=flattened(seen),
            detections_total=self.total if self.total is None or self.partial else len(seen),
            replies=bounded(self.replies),
            failures=tuple(one_line(f) for f in self.failures[:MOST_FAILURES]),
            reason=one_line(look.reason),
            seconds=seconds,
            oracle=oracle,
        )


def corners(box: Box) -> Corners:
    """(x1, y1, x2, y2) of a box."""
    return box.x1, box.y1, box.x2, box.y2


def _back(look: Look, crop: Crop) -> Look:
    """From the crop's pixels to the screenshot's."""
    return look._replace(
        point=None if look.point is None else crop.back(look.point),
        box=None if look.box is None else crop.back(look.box),
        detections=tuple(_moved(d, crop.left, crop.top) for d in look.detections),
    )


def _moved(detection: Detection, dx: float, dy: float) -> Detection:
    if not dx and not dy:
        return detection
    x1, y1, x2, y2 = detection.box
    return msgspec.structs.replace(detection, box=(x1 + dx, y1 + dy, x2 + dx, y2 + dy))
