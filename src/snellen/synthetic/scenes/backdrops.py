"""Where scenes are set, drawn after backdrops.toml."""

from __future__ import annotations

from random import Random

import msgspec
from PIL import Image

from snellen.core.types import Struct
from snellen.synthetic.colours import mix
from snellen.synthetic.drawings import read_table
from snellen.synthetic.scenes.canvas import HIGH, WIDE, Canvas, Pen
from snellen.synthetic.scenes.catalog import PLACES
from snellen.synthetic.scenes.shapes import DULL, Shades, draw_shapes

COLUMN_X = {"left": 56.0, "centre": 160.0, "right": 264.0}
FLOOR = 226.0
COUNTER = 178.0
COUNTER_EDGE = 164.0
WATERLINE = {"lake": 160.0, "beach": 148.0}


class _BackdropPart(Struct, frozen=True):
    """A part of a backdrop: a drawing, how often it is drawn, and what chance decides: numbers each time, colours once."""

    drawing: str
    count: int = 1
    chance: dict[str, tuple[float, float]] = msgspec.field(default_factory=dict)
    shades: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


_TABLE = read_table("scenes/backdrops.toml")
_PARTS = msgspec.convert(_TABLE["parts"], dict[str, tuple[_BackdropPart, ...]])


def floor_of(place: str) -> float:
    """Return where things stand."""
    return COUNTER if place == "kitchen" else FLOOR


def draw_backdrop(canvas: Canvas, place: str, weather: str, sun: str, rng: Random) -> None:
    """Fill the canvas; rain makes all colours duller."""
    pen = canvas.pen(0, HIGH)
    dull = 0.22 if weather == "rainy" and PLACES[place].outdoors else 0.0
    if PLACES[place].outdoors:
        _draw_sky(canvas, pen, weather, COLUMN_X[sun], _TABLE["horizon"][place], rng)
    if place == "street":
        _draw_houses(pen, dull, rng)
    _draw_parts(pen, place, dull, rng)


def draw_counter(canvas: Canvas, rng: Random) -> None:
    """Draw the worktop of the kitchen, in front of the people and under the things."""
    _draw_parts(canvas.pen(0, HIGH), "counter", 0.0, rng)


def draw_rain(canvas: Canvas, rng: Random) -> None:
    """Draw slanted drops over everything."""
    pen = canvas.pen(0, HIGH)
    for row in range(5):
        for column in range(9):
            x = column * 38 + rng.uniform(-10, 10) + (row % 2) * 18
            y = row * 50 + rng.uniform(0, 20)
            draw_shapes(pen, "drop", Shades(), x=x, y=y)


def _draw_parts(pen: Pen, name: str, dull: float, rng: Random) -> None:
    for part in _PARTS[name]:
        shades = Shades(dull, **{shade: rng.choice(options) for shade, options in part.shades.items()})
        for k in range(part.count):
            numbers = {number: rng.uniform(low, high) for number, (low, high) in part.chance.items()}
            draw_shapes(pen, part.drawing, shades, k=k, **numbers)


def _draw_sky(canvas: Canvas, pen: Pen, weather: str, x: float, horizon: float, rng: Random) -> None:
    sky = _TABLE["sky"][weather]
    high = round((HIGH - horizon) * canvas.fine) + 1
    strip = Image.new("RGB", (1, 8))
    strip.putdata([mix(sky["top"], sky["low"], k / 7) for k in range(8)])
    canvas.image.paste(strip.resize((WIDE * canvas.fine, high), Image.Resampling.BILINEAR), (0, 0))
    if weather == "sunny":
        draw_shapes(pen, "sun", Shades(), x=x)
        return
    for aside in (-6, 118, -128):
        cloud_x = x + aside + rng.uniform(-6, 6)
        cloud_y = 204 + rng.uniform(-6, 8) - 14
        draw_shapes(pen, "cloud", Shades(cloud=sky["cloud"]), x=cloud_x, y=cloud_y)


def _draw_houses(pen: Pen, dull: float, rng: Random) -> None:
    x = -10.0
    while x < WIDE:
        wide, high = rng.uniform(48, 74), rng.uniform(30, 64)
        wall = mix(rng.choice(_TABLE["houses"]), DULL, dull)
        draw_shapes(pen, "house-front", Shades(wall=wall), x=x, wide=wide, high=high)
        for row in range(int(high // 20) + 1):
            for column in range(3):
                window = x + wide * (0.2 + 0.28 * column)
                draw_shapes(pen, "house-window", Shades(wall=wall), x=window, row=row)
        x += wide + 2
