"""Methods that never look: the middle, a random point, a random window. An honest exam gives them no more than chance."""

from __future__ import annotations

import random
from functools import lru_cache

from snellen.exams.grounding.geometry import Box, Crop, Point
from snellen.exams.grounding.methods.base import MethodView, Parse, Tools
from snellen.exams.grounding.methods.looks import Locator, Look
from snellen.exams.grounding.reading.predictions import DESCRIBED, Corners, Detection

SIDES = (16, 25, 40, 64, 100, 160)
HEIGHTS = (8, 13, 20, 32, 50, 80)
STRIDE = 0.6


class Center(Locator):
    """Always the middle of what it is shown."""

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        return Look("found", point=Point(crop.inner.width / 2, crop.inner.height / 2, crop.inner))


class _Drawn(Locator):
    """Draws by chance: the same for the same sample and crop."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def draw(self, view: MethodView, crop: Crop) -> random.Random:
        return random.Random(f"{self.seed}/{view.id}/{crop.edges}")  # noqa: S311 (a coin, not a secret)


class RandomPoint(_Drawn):
    """A uniformly random point of what it is shown."""

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        draw = self.draw(view, crop)
        x, y = draw.uniform(0, crop.inner.width), draw.uniform(0, crop.inner.height)
        return Look("found", point=Point(x, y, crop.inner))


class SlidingWindow(_Drawn):
    """A detector that never looks: windows of many sizes all over the picture, one of them chosen at random.

    Under the original's rule, which picks the window nearest to the truth, it is nearly perfect.
    """

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        boxes = windows(crop.inner.width, crop.inner.height)
        draw = self.draw(view, crop)
        shown = draw.sample(boxes, min(DESCRIBED, len(boxes)))
        box = Box(*shown[0], crop.inner)
        detections = tuple(Detection(box=b, kind="window") for b in shown)
        return Look("found", point=box.centre, box=box, detections=detections, total=len(boxes))


@lru_cache(maxsize=8)
def windows(width: int, height: int) -> list[Corners]:
    """Windows of every size, a fixed part of their own side apart, in the order of size and place."""
    shapes = sorted({(w, h) for w in SIDES for h in HEIGHTS} | {(s, s) for s in (*SIDES, 200)})
    found: list[Corners] = []
    for wide, high in shapes:
        if wide <= width and high <= height:
            found += [
                (float(x), float(y), float(x + wide), float(y + high))
                for y in _places(height, high)
                for x in _places(width, wide)
            ]
    return found or [(0.0, 0.0, float(width), float(height))]


def _places(length: int, side: int) -> list[int]:
    """Starts that cover the whole length, the last one flush with the end."""
    step = max(1, round(side * STRIDE))
    starts = list(range(0, length - side + 1, step))
    return starts if starts[-1] == length - side else [*starts, length - side]


@lru_cache(maxsize=8)
def window_parse(width: int, height: int) -> Parse:
    """The windows as a parse, for rules that choose among detections."""
    detections = tuple(Detection(box=box, kind="window") for box in windows(width, height))
    return Parse(width=width, height=height, detections=detections, parser="sliding-window")
