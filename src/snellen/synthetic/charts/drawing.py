"""What the charts share: letters at a height, and a picture as a labelled file.

Where a chart's letters stand depends on its size alone; which letters they are depends on the seed. So whoever is tested can be
handed the layout without being told the answer.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from snellen.core.pixels import as_rgb
from snellen.data.synthetic_marker import labelled
from snellen.synthetic.writing import label_of

GENERATOR = "probe-charts"
LETTERS = "CDHKNORSVZ"
"""The ten letters of Louise Sloan's charts, about equally easy to read."""
A_ROW = 5
CELL = 1.5
"""Side of a letter's cell, in heights of the letter."""
_CAP = 0.7  # height of a capital of Pillow's font, in sizes of the font
Grey = npt.NDArray[np.float32]


class ChartCell(NamedTuple):
    """Where a letter stands: a square, in pixels of the picture."""

    x: int
    y: int
    side: int

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.side, self.y + self.side


class LetterRow(NamedTuple):
    """A row of letters: their height, how dark they are (0 to 255 levels under the ground), their cells and what they are."""

    height: int
    contrast: int
    cells: tuple[ChartCell, ...]
    letters: str = ""


class Chart(NamedTuple):
    """A picture file and what is on it."""

    data: bytes
    width: int
    height: int
    rows: tuple[LetterRow, ...]


@lru_cache(maxsize=512)
def ink(text: str, height: int, side: int) -> Grey:
    """Return a letter or number in the middle of a square: 0 is ground, 1 is ink. `height` is that of a capital."""
    font = ImageFont.load_default(max(4, round(height / _CAP)))
    image = Image.new("L", (side, side))
    pen = ImageDraw.Draw(image)
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    pen.text(
        ((side - right - left) // 2, (side - bottom - top) // 2), text, fill=255, font=font
    )  # whole pixels: no edge is lost
    return np.asarray(image, dtype=np.float32) / np.float32(255)


def painted(width: int, height: int, rows: tuple[LetterRow, ...], ground: int) -> Image.Image:
    """Return a grey picture with the rows on it."""
    levels = np.full((height, width), float(ground), dtype=np.float32)
    for row in rows:
        for cell, letter in zip(row.cells, row.letters, strict=True):
            there = levels[cell.y : cell.y + cell.side, cell.x : cell.x + cell.side]
            there -= row.contrast * ink(letter, row.height, cell.side)
    return Image.fromarray(np.round(levels).clip(0, 255).astype(np.uint8)).convert("RGB")


def spread(width: int, height: int, heights: tuple[int, ...], contrasts: tuple[int, ...]) -> tuple[LetterRow, ...]:
    """Rows one under the other, with even gaps between them."""
    sides = [max(h + 2, round(h * CELL)) for h in heights]
    gap = (height - sum(sides)) // (len(sides) + 1)
    rows, y = [], gap
    for tall, contrast, side in zip(heights, contrasts, sides, strict=True):
        x = (width - A_ROW * side) // 2
        rows.append(LetterRow(tall, contrast, tuple(ChartCell(x + i * side, y, side) for i in range(A_ROW))))
        y += side + gap
    return tuple(rows)


def png(image: Image.Image, seed: int) -> bytes:
    """Return a PNG file that says of itself that it was drawn."""
    out = io.BytesIO()
    image.save(out, "PNG")
    return labelled(out.getvalue(), label_of(GENERATOR, seed))


def jpeg(data: bytes, quality: int, seed: int) -> bytes:
    """Return the same picture as a JPEG file of some quality, with colours at half the resolution, as most encoders do."""
    out = io.BytesIO()
    as_rgb(data).save(out, "JPEG", quality=quality, subsampling=2)
    return labelled(out.getvalue(), label_of(GENERATOR, seed))
