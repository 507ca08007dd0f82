"""Discs of named colours at known places, and pictures with a number each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from snellen.synthetic.chance import generator
from snellen.synthetic.charts.drawing import ChartCell, ink, png

COLOURS = {
    "red": (220, 30, 30),
    "green": (30, 150, 50),
    "blue": (30, 60, 220),
    "orange": (250, 150, 20),
    "purple": (140, 40, 160),
    "black": (20, 20, 20),
}
WIDE, NARROW = (1600, 1200), (640, 480)
"""No side is 1000 or 100, so that what numbers count can be told apart."""
NUMBERED = 256
DIGITS = ChartCell(28, 28, 200)
DIGIT_HEIGHT = 110
COLUMNS, LINES = 4, 3


class Discs(NamedTuple):
    """A picture of discs: the middle of each by its colour."""

    data: bytes
    width: int
    height: int
    middles: dict[str, tuple[int, int]]


class NumberChart(NamedTuple):
    """A picture that shows a number."""

    data: bytes
    number: int


def disc_chart(size: tuple[int, int], seed: int) -> Discs:
    """Discs in different cells of a grid, each somewhere in its cell."""
    width, height = size
    chance = generator("charts", "discs", width, height, seed)
    image = Image.new("RGB", size, (255, 255, 255))
    pen = ImageDraw.Draw(image)
    radius = round(min(width / COLUMNS, height / LINES) * 0.18)
    middles = {}
    for colour, place in zip(COLOURS, chance.sample(range(COLUMNS * LINES), len(COLOURS)), strict=True):
        x = round((place % COLUMNS + chance.uniform(0.3, 0.7)) * width / COLUMNS)
        y = round((place // COLUMNS + chance.uniform(0.3, 0.7)) * height / LINES)
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=COLOURS[colour])
        middles[colour] = (x, y)
    return Discs(png(image, seed), width, height, middles)


def numbered(count: int, seed: int, number: int = 0) -> tuple[NumberChart, ...]:
    """Pictures with numbers of two different digits, no digit at the same place twice, so that a misread one is not another's."""
    chance = generator("charts", "numbers", count, seed, number)
    tens, ones = (chance.sample(range(1, 10), count) for _ in range(2))
    return tuple(_number_picture(10 * ten + one, seed) for ten, one in zip(tens, ones, strict=True))


def _number_picture(number: int, seed: int) -> NumberChart:
    levels = np.full((NUMBERED, NUMBERED), 255.0, dtype=np.float32)
    x0, y0, x1, y1 = DIGITS.box
    levels[y0:y1, x0:x1] -= 255 * ink(str(number), DIGIT_HEIGHT, DIGITS.side)
    image = Image.fromarray(np.round(levels).astype(np.uint8)).convert("RGB")
    return NumberChart(png(image, seed), number)
