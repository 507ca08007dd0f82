"""Charts that measure an endpoint: letters of falling size and contrast, discs of named colours, numbered pictures.

The positions of a chart's letters depend on its size alone, the letters on the seed. So a tested endpoint can
get the layout without the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from snellen.core.pixels import as_rgb
from snellen.synthetic.chance import generator
from snellen.synthetic.writing import label_of, picture_file

GENERATOR = "probe-charts"
LETTERS = "CDHKNORSVZ"
"""The ten letters of Louise Sloan's charts, about equally easy to read."""
A_ROW = 5
CELL = 1.5
"""Side of a letter's cell, in heights of the letter."""
_CAP = 0.7  # height of a capital of Pillow's font, in sizes of the font
SMALL, LARGE = (512, 384), (2048, 1536)
HEIGHTS = (64, 51, 41, 33, 26, 21, 17, 14, 11, 9, 7, 6, 5)
"""Heights of capitals in pixels, each about four fifths of the one before."""
SMALL_FROM = 41
"""The small chart has no room for taller letters."""
FINE, BROAD = 18, 60
FINE_CONTRASTS = (64, 45, 32, 23, 16, 11, 8, 6, 4, 3)
BROAD_CONTRASTS = (16, 8, 6, 4)
WHITE, GREY = 255, 128
"""Ground levels. On this grey, broad strokes keep their contrast under any JPEG: its blocks are coded as differences from it."""
COLOURS = {
    "red": (220, 30, 30),
    "green": (30, 150, 50),
    "blue": (30, 60, 220),
    "orange": (250, 150, 20),
    "purple": (140, 40, 160),
    "black": (20, 20, 20),
}
WIDE, NARROW = (1600, 1200), (640, 480)
"""Picture sizes. No side is 1000 or 100, so that pixels, thousandths and percent can be told apart."""
COLUMNS, LINES = 4, 3
NUMBERED = 256


class _ChartCell(NamedTuple):
    """The place of a letter: a square, in pixels of the picture."""

    x: int
    y: int
    side: int

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The left, top, right and bottom edge."""
        return self.x, self.y, self.x + self.side, self.y + self.side


class LetterRow(NamedTuple):
    """A row of letters: their height, how dark they are (0 to 255 levels under the ground), their cells and the letters themselves."""

    height: int
    contrast: int
    cells: tuple[_ChartCell, ...]
    letters: str = ""


DIGITS = _ChartCell(28, 28, 200)
DIGIT_HEIGHT = 110


class Chart(NamedTuple):
    """A picture file and what is on it: rows of letters, discs (the middle of each by its colour), or a number."""

    data: bytes
    width: int
    height: int
    rows: tuple[LetterRow, ...] = ()
    middles: Mapping[str, tuple[int, int]] = {}
    number: int = 0


@lru_cache(maxsize=512)
def ink(text: str, height: int, side: int) -> npt.NDArray[np.float32]:
    """Return a letter or number in the middle of a square: 0 is ground, 1 is ink. `height` is that of a capital."""
    font = ImageFont.load_default(max(4, round(height / _CAP)))
    image = Image.new("L", (side, side))
    pen = ImageDraw.Draw(image)
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    middle = ((side - right - left) // 2, (side - bottom - top) // 2)  # whole pixels: no edge is lost
    pen.text(middle, text, fill=255, font=font)
    return np.asarray(image, dtype=np.float32) / np.float32(255)


def png(image: Image.Image, seed: int) -> bytes:
    """Return a PNG file with a label that it was drawn."""
    return picture_file(image, label_of(GENERATOR, seed))


def jpeg(data: bytes, quality: int, seed: int) -> bytes:
    """Return the same picture as a JPEG file of this quality, with colours at half the resolution, as most encoders do."""
    return picture_file(as_rgb(data), label_of(GENERATOR, seed), "JPEG", quality=quality, subsampling=2)


# ---------------------------------------------------------------- letters


def size_rows(width: int, height: int) -> tuple[LetterRow, ...]:
    """Return the layout of a chart of falling sizes, by the picture's size."""
    heights = tuple(h for h in HEIGHTS if width > SMALL[0] or h <= SMALL_FROM)
    return _spread(width, height, heights, (WHITE,) * len(heights))


def contrast_rows(broad: bool) -> tuple[LetterRow, ...]:
    """Return the layout of a chart of falling contrast: small letters with thin strokes, or large ones with broad strokes."""
    contrasts = BROAD_CONTRASTS if broad else FINE_CONTRASTS
    return _spread(*SMALL, (BROAD if broad else FINE,) * len(contrasts), contrasts)


def size_chart(size: tuple[int, int], seed: int, number: int = 0) -> Chart:
    """Draw letters of falling size, black on white."""
    return _letter_chart(size, size_rows(*size), WHITE, seed, "size", *size, seed, number)


def contrast_chart(broad: bool, seed: int) -> Chart:
    """Draw letters of falling contrast on grey."""
    return _letter_chart(SMALL, contrast_rows(broad), GREY, seed, "contrast", int(broad), seed)


def _letter_chart(size: tuple[int, int], rows: tuple[LetterRow, ...], ground: int, seed: int, *key: int | str) -> Chart:
    """Draw rows of letters, none of them twice in a row."""
    chance = generator("charts", *key)
    filled = tuple(row._replace(letters="".join(chance.sample(LETTERS, A_ROW))) for row in rows)
    levels = np.full(size[::-1], float(ground), dtype=np.float32)
    for row in filled:
        for cell, letter in zip(row.cells, row.letters, strict=True):
            _write(levels, letter, row.height, cell, row.contrast)
    return Chart(_grey(levels, seed), *size, filled)


def _spread(width: int, height: int, heights: tuple[int, ...], contrasts: tuple[int, ...]) -> tuple[LetterRow, ...]:
    """Return rows one under the other, with even gaps between them."""
    sides = [max(h + 2, round(h * CELL)) for h in heights]
    gap = (height - sum(sides)) // (len(sides) + 1)
    rows, y = [], gap
    for tall, contrast, side in zip(heights, contrasts, sides, strict=True):
        x = (width - A_ROW * side) // 2
        rows.append(LetterRow(tall, contrast, tuple(_ChartCell(x + i * side, y, side) for i in range(A_ROW))))
        y += side + gap
    return tuple(rows)


def _write(levels: npt.NDArray[np.float32], text: str, height: int, cell: _ChartCell, contrast: int) -> None:
    left, top, right, bottom = cell.box
    levels[top:bottom, left:right] -= contrast * ink(text, height, cell.side)


def _grey(levels: npt.NDArray[np.float32], seed: int) -> bytes:
    return png(Image.fromarray(np.round(levels).clip(0, 255).astype(np.uint8)).convert("RGB"), seed)


# ---------------------------------------------------------------- discs and numbers


def disc_chart(size: tuple[int, int], seed: int) -> Chart:
    """Draw discs in different cells of a grid, each somewhere in its cell."""
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
    return Chart(png(image, seed), width, height, middles=middles)


def numbered(count: int, seed: int, number: int = 0) -> tuple[Chart, ...]:
    """Draw numbers of two different digits, no digit at the same place twice, so that a misread one is not another's."""
    chance = generator("charts", "numbers", count, seed, number)
    tens, ones = (chance.sample(range(1, 10), count) for _ in range(2))
    return tuple(_number_chart(10 * ten + one, seed) for ten, one in zip(tens, ones, strict=True))


def _number_chart(number: int, seed: int) -> Chart:
    levels = np.full((NUMBERED, NUMBERED), 255.0, dtype=np.float32)
    _write(levels, str(number), DIGIT_HEIGHT, DIGITS, 255)
    return Chart(_grey(levels, seed), NUMBERED, NUMBERED, number=number)
