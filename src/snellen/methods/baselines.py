"""Methods that never look: the middle, a random point, a random window. An honest exam gives them no more than chance."""

from __future__ import annotations

import random
from functools import lru_cache

from snellen.exams.grounding.geometry import Box, Crop, Point
from snellen.exams.grounding.reading.predictions import Detection
from snellen.methods.base import Locator, Look, MethodView, Parse, Tools

SIDES = (16, 25, 40, 64, 100, 160)
HEIGHTS = (8, 13, 20, 32, 50, 80)
_STRIDE = 0.6


class Center(Locator):
    """Always the middle of the picture."""

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        return Look("found", point=Point(crop.inner.width / 2, crop.inner.height / 2, crop.inner))


class RandomPoint(Locator):
    """A uniformly random point of the picture: the same for the same seed, sample and crop."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def _dice(self, view: MethodView, crop: Crop) -> random.Random:
        return random.Random(f"{self._seed}/{view.id}/{crop.edges}")  # noqa: S311 (a coin, not a secret)

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        dice = self._dice(view, crop)
        x, y = dice.uniform(0, crop.inner.width), dice.uniform(0, crop.inner.height)
        return Look("found", point=Point(x, y, crop.inner))


class SlidingWindow(RandomPoint):
    """A detector that never looks: windows of many sizes all over the picture, one of them chosen at random.

    Under the original's rule, which picks the window nearest to the truth, it is nearly perfect.
    """

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        windows = window_parse(crop.inner.width, crop.inner.height).detections
        box = Box(*self._dice(view, crop).choice(windows).box, crop.inner)
        return Look("found", point=box.centre, box=box)


@lru_cache(maxsize=8)
def window_parse(width: int, height: int) -> Parse:
    """Return windows of every size, ordered by size and place. Their distance is a fixed part of their own side."""
    shapes = sorted({(w, h) for w in SIDES for h in HEIGHTS} | {(s, s) for s in (*SIDES, 200)})
    boxes = [
        (float(x), float(y), float(x + wide), float(y + high))
        for wide, high in shapes
        if wide <= width and high <= height
        for y in _starts(height, high)
        for x in _starts(width, wide)
    ]
    boxes = boxes or [(0.0, 0.0, float(width), float(height))]
    detections = tuple(Detection(box=box, kind="window") for box in boxes)
    return Parse(width=width, height=height, detections=detections)


def _starts(length: int, side: int) -> list[int]:
    """Return starts that cover the whole length, the last one flush with the end."""
    starts = list(range(0, length - side + 1, max(1, round(side * _STRIDE))))
    return starts if starts[-1] == length - side else [*starts, length - side]
