"""A pen for icons: strokes and shapes on a grid of 24 units, drawn large and reduced to levels of ink."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from snellen.synthetic.screens.canvas import Ink, levels

GRID = 24
STROKE = 2.0
_SMALL = 24  # pixels

Spot = tuple[float, float]


class IconPen:
    """Draws one icon. Coordinates run from 0 to 24; strokes are 2 wide with round ends."""

    def __init__(self, size: int) -> None:
        self._over = 4 if size <= _SMALL else 3  # how much larger it is drawn than shown
        self._unit = size * self._over / GRID
        self._image = Image.new("L", (size * self._over, size * self._over))
        self._draw = ImageDraw.Draw(self._image)

    def _at(self, x: float, y: float) -> Spot:
        return x * self._unit, y * self._unit

    def _box(self, cx: float, cy: float, r: float) -> list[Spot]:
        return [self._at(cx - r, cy - r), self._at(cx + r, cy + r)]

    def disc(self, cx: float, cy: float, r: float, *, erase: bool = False) -> None:
        """A filled circle, or a round hole."""
        self._draw.ellipse(self._box(cx, cy, r), fill=0 if erase else 255)

    def ring(self, cx: float, cy: float, r: float, width: float = STROKE) -> None:
        """A circle's line, its middle at the radius."""
        self._draw.ellipse(self._box(cx, cy, r + width / 2), outline=255, width=self._wide(width))

    def line(self, *spots: Spot, width: float = STROKE, erase: bool = False) -> None:
        """A stroke through some places, round at its ends."""
        ink = 0 if erase else 255
        points = [self._at(*s) for s in spots]
        self._draw.line(points, fill=ink, width=self._wide(width), joint="curve")
        for x, y in (spots[0], spots[-1]):
            self._draw.ellipse(self._box(x, y, width / 2), fill=ink)

    def loop(self, *spots: Spot, width: float = STROKE) -> None:
        """A stroke that returns to its beginning."""
        self.line(*spots, spots[0], width=width)

    def fill(self, *spots: Spot, erase: bool = False) -> None:
        """A filled outline."""
        self._draw.polygon([self._at(*s) for s in spots], fill=0 if erase else 255)

    def box(self, x0: float, y0: float, x1: float, y1: float, *, round_: float = 1.5, width: float = STROKE) -> None:
        """The line of a rectangle with round corners, its middle on the edges."""
        half = width / 2
        edges = [self._at(x0 - half, y0 - half), self._at(x1 + half, y1 + half)]
        self._draw.rounded_rectangle(edges, (round_ + half) * self._unit, outline=255, width=self._wide(width))

    def block(self, x0: float, y0: float, x1: float, y1: float, *, round_: float = 0.8, erase: bool = False) -> None:
        """A filled rectangle with round corners."""
        edges = [self._at(x0, y0), self._at(x1, y1)]
        self._draw.rounded_rectangle(edges, round_ * self._unit, fill=0 if erase else 255)

    def arc(self, cx: float, cy: float, r: float, start: float, end: float, width: float = STROKE) -> None:
        """Part of a circle, angles in degrees clockwise from the right."""
        steps = max(6, int(abs(end - start) / 12))
        angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        self.line(*((cx + r * math.cos(a), cy + r * math.sin(a)) for a in angles), width=width)

    def arrow(self, tip: Spot, towards: float, size: float = 4.0, width: float = STROKE) -> None:
        """An arrow head at a tip that points in a direction (degrees)."""
        ends = [
            (
                tip[0] + size * math.cos(math.radians(towards + turn)),
                tip[1] + size * math.sin(math.radians(towards + turn)),
            )
            for turn in (140, -140)
        ]
        self.line(ends[0], tip, ends[1], width=width)

    def curve(self, spots: Sequence[Spot], width: float = STROKE) -> None:
        """A smooth stroke: each three places after the first bend it (Bezier)."""
        points: list[Spot] = [spots[0]]
        for i in range(0, len(spots) - 3, 3):
            a, b, c, d = spots[i : i + 4]
            for k in range(1, 9):
                t = k / 8
                u = 1 - t
                points.append(
                    (
                        u**3 * a[0] + 3 * u * u * t * b[0] + 3 * u * t * t * c[0] + t**3 * d[0],
                        u**3 * a[1] + 3 * u * u * t * b[1] + 3 * u * t * t * c[1] + t**3 * d[1],
                    )
                )
        self.line(*points, width=width)

    def ink(self) -> Ink:
        """What was drawn, at the icon's own size."""
        return levels(np.asarray(self._image.reduce(self._over)))

    def _wide(self, width: float) -> int:
        return max(1, round(width * self._unit))
