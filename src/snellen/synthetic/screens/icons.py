"""Icons by name, after data/icons.toml: those of the original generator, and those of window frames, tool bars and side bars.

An icon is drawn larger than it is shown and then reduced to levels of ink.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from snellen.synthetic.drawings import Painter, read_drawings
from snellen.synthetic.screens.canvas import Edges, Ink, ink_edges, levels

GRID = 24
SMALL = 24
"""Up to this size in pixels, an icon is drawn four times as large as it is shown, beyond it three times."""
BEND_STEPS = 8
DRAWINGS = read_drawings("screens/data/icons.toml")


class _Icon(NamedTuple):
    """An icon at a size: its ink and where the visible part lies in it."""

    ink: Ink
    edges: Edges


class _IconPen:
    """Draws the forms of icons; ink is 255, a hole 0."""

    def __init__(self, image: Image.Image) -> None:
        self._unit = image.width / GRID
        self._draw = ImageDraw.Draw(image)

    def _at(self, *numbers: float) -> list[float]:
        return [number * self._unit for number in numbers]

    def _wide(self, width: float) -> int:
        return max(1, round(width * self._unit))

    def disc(self, ink: int, x: float, y: float, r: float) -> None:
        self._draw.ellipse(self._at(x - r, y - r, x + r, y + r), fill=ink)

    def ring(self, ink: int, width: float, x: float, y: float, r: float) -> None:
        r += width / 2
        self._draw.ellipse(self._at(x - r, y - r, x + r, y + r), outline=ink, width=self._wide(width))

    def poly(self, ink: int, *xy: float) -> None:
        self._draw.polygon(self._at(*xy), fill=ink)

    def box(self, ink: int, width: float, radius: float, x0: float, y0: float, x1: float, y1: float) -> None:
        half = width / 2
        edges = self._at(x0 - half, y0 - half, x1 + half, y1 + half)
        self._draw.rounded_rectangle(edges, (radius + half) * self._unit, outline=ink, width=self._wide(width))

    def block(self, ink: int, radius: float, *edges: float) -> None:
        self._draw.rounded_rectangle(self._at(*edges), radius * self._unit, fill=ink)

    def line(self, ink: int, width: float, *xy: float) -> None:
        self._draw.line(self._at(*xy), ink, self._wide(width), joint="curve")
        for x, y in (xy[:2], xy[-2:]):
            self.disc(ink, x, y, width / 2)

    def arc(self, ink: int, width: float, x: float, y: float, r: float, start: float, end: float) -> None:
        steps = max(6, int(abs(end - start) / 12))
        angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        self.line(ink, width, *(v for a in angles for v in (x + r * math.cos(a), y + r * math.sin(a))))

    def curve(self, ink: int, width: float, *xy: float) -> None:
        spots = np.reshape(xy, (-1, 2))
        points = [*spots[0]]
        for i in range(0, len(spots) - 3, 3):
            a, b, c, d = spots[i : i + 4]
            for k in range(1, BEND_STEPS + 1):
                t = k / BEND_STEPS
                u = 1 - t
                points.extend(u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d)
        self.line(ink, width, *map(float, points))


@lru_cache(maxsize=2048)
def icon(name: str, size: int) -> _Icon:
    """Draw an icon in a square of `size` pixels."""
    over = 4 if size <= SMALL else 3
    image = Image.new("L", (size * over, size * over))
    Painter(DRAWINGS, _IconPen(image), {"ink": 255, "hole": 0}).draw(name)
    ink = levels(np.asarray(image.reduce(over)))
    return _Icon(ink, ink_edges(ink))
