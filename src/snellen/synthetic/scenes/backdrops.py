"""Where scenes are set: pale backdrops that leave the strong colours to people and things."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from PIL import Image

from snellen.synthetic.scenes.canvas import HIGH, WIDE, Canvas, Pen
from snellen.synthetic.scenes.palette import RGB, darker, lighter, toward

COLUMN_X = {"left": 56.0, "centre": 160.0, "right": 264.0}
FLOOR = 226.0
COUNTER = 178.0
COUNTER_EDGE = 164.0
WATERLINE = {"lake": 160.0, "beach": 148.0}
SKY = {
    "sunny": ((150, 206, 246), (222, 240, 250)),
    "cloudy": ((196, 206, 216), (228, 233, 238)),
    "rainy": ((122, 134, 150), (176, 186, 198)),
}
_SUN: RGB = (255, 206, 40)
_TINT: RGB = (96, 108, 126)


def floor_of(place: str) -> float:
    """Where things stand."""
    return COUNTER if place == "kitchen" else FLOOR


def draw_backdrop(canvas: Canvas, place: str, weather: str, sun: str, rng: Random) -> None:
    """Fills the canvas."""
    flat = canvas.pen(0, HIGH)
    if place in ("living room", "kitchen"):
        _INDOORS[place](flat, rng)
        return
    horizon = _OUTDOORS[place][0]
    _sky(canvas, flat, weather, sun, horizon, rng)
    _OUTDOORS[place][1](flat, rng, 0.22 if weather == "rainy" else 0.0)


def draw_rain(canvas: Canvas, rng: Random) -> None:
    """Slanted drops over everything."""
    pen = canvas.pen(0, HIGH)
    for row in range(5):
        for column in range(9):
            x = column * 38 + rng.uniform(-10, 10) + (row % 2) * 18
            y = row * 50 + rng.uniform(0, 20)
            pen.line((236, 244, 252), 1.6, (x, y + 15), (x - 4, y))


def _sky(canvas: Canvas, pen: Pen, weather: str, sun: str, horizon: float, rng: Random) -> None:
    top, bottom = SKY[weather]
    high = round((HIGH - horizon) * canvas.fine) + 1
    strip = Image.new("RGB", (1, 8))
    strip.putdata([toward(top, bottom, k / 7) for k in range(8)])
    canvas.image.paste(strip.resize((WIDE * canvas.fine, high), Image.Resampling.BILINEAR), (0, 0))
    x = COLUMN_X[sun]
    if weather == "sunny":
        for k in range(8):
            c, s = math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)
            pen.line(_SUN, 3.5, (x + 25 * c, 200 + 25 * s), (x + 34 * c, 200 + 34 * s))
        pen.oval(_SUN, x, 200, 20, rim=False)
    else:
        fill: RGB = (250, 251, 253) if weather == "cloudy" else (88, 98, 114)
        for dx in (-6, 118, -128):
            cx = x + dx + rng.uniform(-6, 6)
            cy = 204 + rng.uniform(-6, 8) - (14 if dx else 0)
            for ox, oy, r in ((-26, -3, 14), (-6, 5, 20), (18, 1, 16), (32, -5, 10)):
                pen.oval(fill, cx + ox, cy + oy, r, r * 0.85, rim=False)
            pen.box(fill, cx - 30, cy - 15, cx + 34, cy - 4, round_=5, rim=False)


def _dim(colour: RGB, part: float) -> RGB:
    return toward(colour, _TINT, part)


def _hills(pen: Pen, rng: Random, base: float, colour: RGB, rise: float) -> None:
    for k in range(4):
        x = k * 100 + rng.uniform(-30, 30)
        pen.oval(colour, x, base, rng.uniform(70, 110), rise * rng.uniform(0.7, 1.1), rim=False)


def _street(pen: Pen, rng: Random, dim: float) -> None:
    shades: tuple[RGB, ...] = ((226, 206, 196), (206, 214, 224), (228, 222, 200), (212, 202, 216))
    x = -10.0
    while x < WIDE:
        wide, high = rng.uniform(48, 74), rng.uniform(30, 64)
        wall = _dim(rng.choice(shades), dim)
        pen.box(wall, x, 88, x + wide, 98 + high, rim=False)
        for row in range(int(high // 20) + 1):
            for column in range(3):
                wx = x + wide * (0.2 + 0.28 * column)
                pen.box(darker(wall, 0.14), wx - 5, 98 + row * 20, wx + 5, 109 + row * 20, rim=False)
        x += wide + 2
    pen.box(_dim((214, 212, 206), dim), 0, 72, WIDE, 92, rim=False)
    pen.box(_dim((168, 172, 180), dim), 0, 0, WIDE, 74, rim=False)
    for k in range(5):
        pen.box(_dim((236, 236, 230), dim), k * 74 - 10, 42, k * 74 + 28, 47, rim=False)


def _park(pen: Pen, rng: Random, dim: float) -> None:
    _hills(pen, rng, 92, _dim((168, 206, 152), dim), 34)
    pen.box(_dim((188, 220, 152), dim), 0, 0, WIDE, 100, rim=False)
    bend = rng.uniform(-40, 40)
    pen.poly(
        _dim((234, 222, 190), dim),
        (110, 0),
        (240, 0),
        (190 + bend, 60),
        (174 + bend, 100),
        (162 + bend, 100),
        (150 + bend, 60),
        rim=False,
    )


def _beach(pen: Pen, rng: Random, dim: float) -> None:
    pen.box(_dim((112, 186, 214), dim), 0, 70, WIDE, 132, rim=False)
    for _ in range(9):
        x, y = rng.uniform(0, 300), rng.uniform(84, 124)
        pen.line(_dim((196, 226, 238), dim), 1.8, (x, y), (x + rng.uniform(14, 28), y))
    pen.box(_dim((244, 228, 184), dim), 0, 0, WIDE, 74, rim=False)
    pen.line(_dim((250, 250, 250), dim), 4, *((x, 74 + 3 * ((x // 20) % 2)) for x in range(0, 341, 20)))
    for _ in range(26):
        pen.oval(_dim((224, 204, 152), dim), rng.uniform(0, 320), rng.uniform(2, 62), 1.4, rim=False)


def _field(pen: Pen, rng: Random, dim: float) -> None:
    _hills(pen, rng, 90, _dim((198, 208, 158), dim), 46)
    pen.box(_dim((226, 214, 146), dim), 0, 0, WIDE, 98, rim=False)
    for k in range(11):
        x = k * 44 - 60
        pen.line(_dim((212, 196, 122), dim), 2.4, (x - (160 - x) * 0.25, 0), (x + (160 - x) * 0.45, 97))


def _lake(pen: Pen, rng: Random, dim: float) -> None:
    _hills(pen, rng, 118, _dim((176, 204, 176), dim), 40)
    pen.box(_dim((128, 190, 220), dim), 0, 50, WIDE, 122, rim=False)
    for _ in range(10):
        x, y = rng.uniform(0, 300), rng.uniform(68, 116)
        pen.line(_dim((200, 226, 238), dim), 1.8, (x, y), (x + rng.uniform(14, 30), y))
    shore = [(x, 56 + 4 * ((x // 40) % 2)) for x in range(0, 361, 40)]
    pen.poly(_dim((190, 214, 150), dim), (0, 0), *shore, (360, 0), rim=False)


def _snow(pen: Pen, rng: Random, dim: float) -> None:
    rock, cap = _dim((182, 194, 212), dim), _dim((240, 245, 250), dim)
    for k in range(3):
        x, high = 50 + k * 110 + rng.uniform(-25, 25), rng.uniform(56, 84)
        pen.poly(rock, (x - 80, 90), (x, 90 + high), (x + 80, 90), rim=False)
        pen.poly(
            cap,
            (x - 26, 90 + high * 0.67),
            (x, 90 + high),
            (x + 26, 90 + high * 0.67),
            (x + 8, 90 + high * 0.74),
            (x - 8, 90 + high * 0.62),
            rim=False,
        )
    pen.box(_dim((230, 238, 247), dim), 0, 0, WIDE, 96, rim=False)
    for _ in range(5):
        x, y = rng.uniform(0, 320), rng.uniform(6, 80)
        pen.line(_dim((208, 220, 236), dim), 2.4, (x - 30, y), (x, y + 3), (x + 30, y))


def _living_room(pen: Pen, rng: Random) -> None:
    wall = rng.choice(((236, 226, 206), (212, 228, 222), (224, 218, 234), (218, 226, 238)))
    pen.box(wall, 0, 60, WIDE, HIGH, rim=False)
    for k in range(9):
        pen.box(lighter(wall, 0.25), k * 40 - 6, 66, k * 40 + 8, HIGH, rim=False)
    floor = rng.choice(((214, 184, 144), (204, 176, 150), (196, 170, 134)))
    pen.box(floor, 0, 0, WIDE, 64, rim=False)
    for y in (16, 34, 50):
        pen.line(darker(floor, 0.1), 1.4, (0, y), (WIDE, y))
    pen.box((248, 246, 240), 0, 62, WIDE, 70, rim=False)


def _kitchen(pen: Pen, rng: Random) -> None:
    tile = rng.choice(((222, 234, 232), (236, 230, 216), (228, 226, 238)))
    pen.box(tile, 0, 0, WIDE, HIGH, rim=False)
    for x in range(0, WIDE + 1, 32):
        pen.line(lighter(tile, 0.6), 1.6, (x, 60), (x, HIGH))
    for y in range(72, HIGH, 32):
        pen.line(lighter(tile, 0.6), 1.6, (0, y), (WIDE, y))


def draw_counter(canvas: Canvas, rng: Random) -> None:
    """The worktop of the kitchen, in front of the people and under the things."""
    pen = canvas.pen(0, HIGH)
    wood = rng.choice(((206, 170, 128), (190, 160, 130), (176, 168, 160)))
    pen.box(lighter(wood, 0.25), 0, 44, WIDE, 76, rim=False)
    pen.box(darker(wood, 0.2), 0, 38, WIDE, 45, rim=False)
    pen.box(wood, 0, 0, WIDE, 39, rim=False)
    for x in (80, 160, 240):
        pen.line(darker(wood, 0.22), 1.6, (x, 0), (x, 38))
    for x in (66, 94, 226, 254):
        pen.oval(darker(wood, 0.4), x, 26, 2.6, rim=False)


_INDOORS: dict[str, Callable[[Pen, Random], None]] = {"living room": _living_room, "kitchen": _kitchen}
_OUTDOORS: dict[str, tuple[float, Callable[[Pen, Random, float], None]]] = {
    "street": (88, _street),
    "park": (92, _park),
    "beach": (130, _beach),
    "field": (90, _field),
    "lake": (118, _lake),
    "snow": (90, _snow),
}
