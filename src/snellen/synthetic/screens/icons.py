"""Icons by name: those of the original generator, and those of window frames, tool bars and side bars. Their shapes are in icons.toml.

Coordinates run from 0 to 24. Strokes have round ends. An icon is drawn larger than it is shown and then reduced to levels of ink.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from snellen.synthetic.screens.canvas import Edges, Ink, ink_edges, levels

GRID = 24
STROKE = 2.0
SMALL = 24
"""Up to this size in pixels, an icon is drawn four times as large as it is shown, beyond it three times."""
BEND_STEPS = 8

Spot = tuple[float, float]


class IconShape(NamedTuple):
    """One shape of an icon."""

    verb: str
    numbers: tuple[float, ...]
    width: float = STROKE
    round: float | None = None
    erase: bool = False

    @property
    def spots(self) -> list[Spot]:
        """The numbers as pairs."""
        return list(zip(self.numbers[::2], self.numbers[1::2], strict=True))


class Icon(NamedTuple):
    """An icon at a size: its ink and where the visible part lies in it."""

    ink: Ink
    edges: Edges


def shape(text: str) -> IconShape:
    """Read a shape.

    >>> shape("line 4 6 20 6 width=1.5")
    IconShape(verb='line', numbers=(4.0, 6.0, 20.0, 6.0), width=1.5, round=None, erase=False)
    """
    verb, *words = text.split()
    numbers = tuple(float(word) for word in words if word[-1].isdigit() and "=" not in word)
    options = dict(word.split("=") for word in words if "=" in word)
    return IconShape(verb, numbers, **{name: float(value) for name, value in options.items()}, erase="erase" in words)


DRAWINGS = {
    name: [shape(text) for text in texts]
    for name, texts in tomllib.loads(Path(__file__).with_name("icons.toml").read_text(encoding="utf-8")).items()
}


class IconPen:
    """Draw the shapes of one icon."""

    def __init__(self, image: Image.Image) -> None:
        self._unit = image.width / GRID
        self._draw = ImageDraw.Draw(image)

    def _at(self, *numbers: float) -> list[float]:
        return [number * self._unit for number in numbers]

    def _wide(self, width: float) -> int:
        return max(1, round(width * self._unit))

    def disc(self, shape: IconShape) -> None:
        """Draw a filled circle, or a round hole."""
        x, y, r = shape.numbers
        self._draw.ellipse(self._at(x - r, y - r, x + r, y + r), fill=0 if shape.erase else 255)

    def ring(self, shape: IconShape) -> None:
        """Draw the line of a circle, its middle at the radius."""
        x, y, r = shape.numbers
        r += shape.width / 2
        self._draw.ellipse(self._at(x - r, y - r, x + r, y + r), outline=255, width=self._wide(shape.width))

    def line(self, shape: IconShape) -> None:
        """Draw a stroke through some places."""
        self._stroke(shape, shape.spots)

    def fill(self, shape: IconShape) -> None:
        """Draw a filled outline."""
        self._draw.polygon(self._at(*shape.numbers), fill=0 if shape.erase else 255)

    def box(self, shape: IconShape) -> None:
        """Draw the line of a rectangle with round corners, its middle on the edges."""
        x0, y0, x1, y1 = shape.numbers
        half = shape.width / 2
        radius = 1.5 if shape.round is None else shape.round
        edges = self._at(x0 - half, y0 - half, x1 + half, y1 + half)
        self._draw.rounded_rectangle(edges, (radius + half) * self._unit, outline=255, width=self._wide(shape.width))

    def block(self, shape: IconShape) -> None:
        """Draw a filled rectangle with round corners."""
        radius = 0.8 if shape.round is None else shape.round
        self._draw.rounded_rectangle(self._at(*shape.numbers), radius * self._unit, fill=0 if shape.erase else 255)

    def arc(self, shape: IconShape) -> None:
        """Draw part of a circle, from one angle to another, in degrees clockwise from the right."""
        x, y, r, start, end = shape.numbers
        steps = max(6, int(abs(end - start) / 12))
        angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        self._stroke(shape, [(x + r * math.cos(a), y + r * math.sin(a)) for a in angles])

    def curve(self, shape: IconShape) -> None:
        """Draw a smooth stroke: each three places after the first bend it (Bezier)."""
        spots = np.asarray(shape.spots)
        points = [shape.spots[0]]
        for i in range(0, len(spots) - 3, 3):
            a, b, c, d = spots[i : i + 4]
            for k in range(1, BEND_STEPS + 1):
                t = k / BEND_STEPS
                u = 1 - t
                x, y = u**3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t**3 * d
                points.append((float(x), float(y)))
        self._stroke(shape, points)

    def _stroke(self, shape: IconShape, spots: list[Spot]) -> None:
        ink = 0 if shape.erase else 255
        self._draw.line(
            [(x * self._unit, y * self._unit) for x, y in spots], ink, self._wide(shape.width), joint="curve"
        )
        r = shape.width / 2
        for x, y in (spots[0], spots[-1]):
            self._draw.ellipse(self._at(x - r, y - r, x + r, y + r), fill=ink)


VERBS: dict[str, Callable[[IconPen, IconShape], None]] = {
    "disc": IconPen.disc,
    "ring": IconPen.ring,
    "line": IconPen.line,
    "fill": IconPen.fill,
    "box": IconPen.box,
    "block": IconPen.block,
    "arc": IconPen.arc,
    "curve": IconPen.curve,
}


@lru_cache(maxsize=2048)
def icon(name: str, size: int) -> Icon:
    """Draw an icon in a square of `size` pixels."""
    over = 4 if size <= SMALL else 3
    image = Image.new("L", (size * over, size * over))
    pen = IconPen(image)
    for part in DRAWINGS[name]:
        VERBS[part.verb](pen, part)
    ink = levels(np.asarray(image.reduce(over)))
    return Icon(ink, ink_edges(ink))
