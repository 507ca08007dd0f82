"""A drawing surface with smooth edges, and pens that draw in an item's own frame and record what they covered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from snellen.synthetic.colours import RGB, darker

WIDE, HIGH = 320, 240
LINE = 1.6
Point = tuple[float, float]


class CanvasBox(NamedTuple):
    """The area that an item covers, in the units of the canvas: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float


class Canvas:
    """A surface of 320 by 240 units, drawn `fine` times larger and then scaled to the requested size."""

    def __init__(self, fine: int) -> None:
        self.fine = fine
        self.image = Image.new("RGB", (WIDE * fine, HIGH * fine))
        self.draw = ImageDraw.Draw(self.image)

    def finished(self, size: tuple[int, int]) -> Image.Image:
        """Return the picture at its final size; every pixel is the mean of the area that it covers."""
        if size == (WIDE, HIGH):
            return self.image.reduce(self.fine) if self.fine > 1 else self.image
        return self.image.resize(size, Image.Resampling.BOX)

    def pen(self, x: float = 0.0, y: float = 0.0, scale: float = 1.0, mirrored: bool = False) -> Pen:
        """Return a pen whose (0, 0) is at (x, y), with y upwards; `mirrored` swaps its left and right."""
        return Pen(self, x, y, scale, -1.0 if mirrored else 1.0, [])


def _edge(colour: RGB) -> RGB:
    """Return the colour of the line around a shape: darker, and enough darker that white stands out from a pale wall."""
    return darker(colour, 0.42 if sum(colour) > 600 else 0.34)


class Pen:
    """A pen with its own frame. Shapes have a darker outline by default."""

    def __init__(self, canvas: Canvas, x: float, y: float, scale: float, sign: float, covered: list[float]) -> None:
        self._fine, self._draw, self._canvas = canvas.fine, canvas.draw, canvas
        self._x, self._y, self._scale, self._sign = x, y, scale, sign
        self._covered = covered

    @property
    def covered(self) -> CanvasBox:
        """The box around everything that this pen has drawn, cut at the edges of the canvas."""
        xs, ys = self._covered[0::2], self._covered[1::2]
        return CanvasBox(max(0.0, min(xs)), max(0.0, min(ys)), min(float(WIDE), max(xs)), min(float(HIGH), max(ys)))

    def moved(self, x: float = 0.0, y: float = 0.0, scale: float = 1.0) -> Pen:
        """Return a pen at another point of this frame; this pen also records what it covers."""
        px, py = self._x + self._sign * self._scale * x, self._y - self._scale * y
        return Pen(self._canvas, px, py, self._scale * scale, self._sign, self._covered)

    def _at(self, x: float, y: float) -> Point:
        px, py = self._x + self._sign * self._scale * x, self._y - self._scale * y
        self._covered += (px, py)
        return px * self._fine, py * self._fine

    def _places(self, xy: Sequence[float]) -> list[Point]:
        return [self._at(x, y) for x, y in zip(xy[::2], xy[1::2], strict=True)]

    def _spot(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        (x0, y0), (x1, y1) = self._at(left, top), self._at(right, bottom)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def _width(self, width: float) -> int:
        return max(1, round(width * self._scale * self._fine))

    def _look(self, fill: RGB, rim: bool) -> dict[str, Any]:
        """Return Pillow's settings for filling a shape and drawing its outline."""
        return {"fill": fill, "outline": _edge(fill) if rim else None, "width": self._rim() if rim else 0}

    def _rim(self) -> int:
        return max(1, round(LINE * self._fine))

    def poly(self, fill: RGB, *xy: float, rim: bool = True) -> None:
        """Draw a polygon through x0, y0, x1, y1, ..."""
        placed = self._places(xy)
        self._draw.polygon(placed, fill=fill)
        if rim:
            self._draw.line([*placed, placed[0], placed[1]], fill=_edge(fill), width=self._rim(), joint="curve")

    def box(
        self, fill: RGB, left: float, bottom: float, right: float, top: float, radius: float = 0.0, *, rim: bool = True
    ) -> None:
        """Draw an upright rectangle, with rounded corners where asked."""
        spot = self._spot(left, bottom, right, top)
        corner = min(radius * self._scale * self._fine, (spot[2] - spot[0]) / 2, (spot[3] - spot[1]) / 2)
        self._draw.rounded_rectangle(spot, corner, **self._look(fill, rim))

    def oval(self, fill: RGB, x: float, y: float, across: float, up: float | None = None, *, rim: bool = True) -> None:
        """Draw an ellipse around (x, y) with these half axes."""
        up = across if up is None else up
        self._draw.ellipse(self._spot(x - across, y - up, x + across, y + up), **self._look(fill, rim))

    def ring(self, colour: RGB, x: float, y: float, radius: float, width: float) -> None:
        """Draw a circle's line."""
        spot = self._spot(x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse(spot, outline=colour, width=self._width(width))

    def line(self, colour: RGB, width: float, *xy: float) -> None:
        """Draw a thick line with round ends and corners."""
        placed = self._places(xy)
        thick = self._width(width)
        reach = width * self._scale / 2
        for x, y in placed:
            px, py = x / self._fine, y / self._fine
            self._covered += (px - reach, py - reach, px + reach, py + reach)
        self._draw.line(placed, fill=colour, width=thick, joint="curve")
        if thick > 2:
            half = (thick - 1) / 2
            for x, y in (placed[0], placed[-1]):
                self._draw.ellipse((x - half, y - half, x + half, y + half), fill=colour)

    def limb(self, fill: RGB, width: float, *xy: float) -> None:
        """Draw a thick line with a darker line around it."""
        self.line(_edge(fill), width + 2 * LINE / self._scale * 0.75, *xy)
        self.line(fill, width, *xy)

    def arc(
        self, colour: RGB, width: float, x: float, y: float, across: float, up: float, start: float, stop: float
    ) -> None:
        """Draw part of an ellipse's line; angles in degrees, 0 to the right, 90 up."""
        self.line(colour, width, *_arc(x, y, across, up, start, stop))

    def dome(self, fill: RGB, x: float, y: float, across: float, up: float) -> None:
        """Draw the upper half of an ellipse (the lower half where `up` is negative)."""
        self.poly(fill, *_arc(x, y, across, up, 0, 180))


def _arc(x: float, y: float, across: float, up: float, start: float, stop: float) -> list[float]:
    steps = max(6, round(abs(stop - start) / 12))
    turns = [math.radians(start + (stop - start) * k / steps) for k in range(steps + 1)]
    return [v for t in turns for v in (x + across * math.cos(t), y + up * math.sin(t))]
