"""One look at one picture (the screenshot or a crop of it), and the record of the looks of a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from typing import Protocol as Interface

import msgspec

from snellen.core.text import one_line
from snellen.exams.grounding.geometry import Box, Crop, Point
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
from snellen.methods.base import MethodView, Tools

MOST_FAILURES = 8


class Look(NamedTuple):
    """The result of one look: from a Locator in the crop's pixels, from a Search in the screenshot's."""

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
    """Looks at one picture and says where it would click. `needs`, `prompt` and `identity` are a method's."""

    needs: tuple[str, ...] = ()
    scored: bool = False
    """Its confidences can be compared between looks."""
    prompt: tuple[str, int] = ("", 0)
    identity: Mapping[str, str] = {}

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        """Look at a crop of the view. A parser or a model that fails is a Look with the status `error`."""


class Search:
    """The looks that one locator has taken for one sample. `cap` bounds the calls."""

    def __init__(self, view: MethodView, locator: Locator, tools: Tools, cap: int | None = None) -> None:
        self.view, self.locator, self.tools, self.cap = view, locator, tools, cap
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

    def begin(self, crop: Crop) -> None:
        """Count a look."""
        self.attempts += 1
        if crop != self.view.whole:
            self.crops.append(crop)

    def saw(self, total: int | None, kept: int) -> None:
        """Count what a parser saw, of which only some is kept."""
        if total is not None:
            self.total = (self.total or 0) + total
            self.partial = self.partial or total > kept

    async def look(self, crop: Crop, instruction: str | None = None) -> Look:
        """Look at a crop, for the view's instruction or another one, and return the answer in the screenshot's pixels."""
        self.begin(crop)
        wanted = self.view.instruction if instruction is None else instruction
        look = await self.locator.look(self.view, crop, wanted, self.tools)
        self.calls += look.calls
        self.replies += look.replies
        if look.status == "error":
            self.failures.append(look.reason)
        back = look._replace(
            point=None if look.point is None else crop.back(look.point),
            box=None if look.box is None else crop.back(look.box),
            detections=tuple(_moved(d, crop.left, crop.top) for d in look.detections),
        )
        self.detections += back.detections
        self.saw(look.total, len(look.detections))
        return back

    def prediction(self, method: str, look: Look, oracle: bool = False) -> Prediction:
        """Return the final answer with all that led to it."""
        # without repeats, those of the look that decided before the rest
        seen = list({d.box: d for d in (*look.detections, *self.detections)}.values())
        return Prediction(
            method=method,
            status=look.status,
            size=(self.view.width, self.view.height),
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
            oracle=oracle,
        )


def corners(box: Box) -> Corners:
    """Return (x1, y1, x2, y2) of a box."""
    return box.x1, box.y1, box.x2, box.y2


def _moved(detection: Detection, dx: float, dy: float) -> Detection:
    x1, y1, x2, y2 = detection.box
    return msgspec.structs.replace(detection, box=(x1 + dx, y1 + dy, x2 + dx, y2 + dy))
