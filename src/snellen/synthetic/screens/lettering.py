"""Text as levels of ink, put together from glyphs that are drawn once a size. The font is the one that Pillow carries.

Pillow would rasterise every letter of every word again; a screenshot has thousands. Ink extents come out exact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from snellen.synthetic.screens.canvas import Ink, ink_edges, levels

FONT = "Aileron Regular (Pillow's own)"
LETTERS = "".join(chr(code) for code in range(32, 127)) + "…"
UNKNOWN = "?"
_FAR = 1 << 20
_NOTHING: Ink = np.zeros((0, 0), dtype=np.uint8)


class Glyph(NamedTuple):
    """A letter's ink, where it lies from pen and baseline, and how far the pen moves."""

    ink: Ink
    dx: int
    dy: int
    advance: int


class TextLine(NamedTuple):
    """A line of text: its ink cut to the visible part, and where that lies from pen and baseline."""

    ink: Ink
    dx: int
    dy: int
    advance: int

    @property
    def width(self) -> int:
        return int(self.ink.shape[1])

    @property
    def height(self) -> int:
        return int(self.ink.shape[0])


class _Strip(NamedTuple):
    """All letters of a size in one line, drawn at once: where each pen position is, and how far each moves the pen."""

    ink: Ink
    pens: dict[str, int]
    advances: dict[str, int]
    baseline: int
    margin: int


@lru_cache(maxsize=128)
def _strip(size: int) -> _Strip:
    font = ImageFont.load_default(size)
    gap = " " * max(1, round(size / max(1.0, font.getlength(" "))))  # apart, so that no letter reaches into the next
    step = round(font.getlength(gap))
    pens, advances, pen = {}, {}, 0
    for letter in LETTERS:
        pens[letter], advances[letter] = pen, round(font.getlength(letter))
        pen += advances[letter] + step
    image = Image.new("L", (pen + 2 * size, 2 * size))
    baseline = size + size // 4
    ImageDraw.Draw(image).text((size, baseline), gap.join(LETTERS), fill=255, font=font, anchor="ls")
    return _Strip(levels(np.asarray(image)), pens, advances, baseline, step // 2)


@lru_cache(maxsize=8192)
def glyph(letter: str, size: int, bold: bool = False) -> Glyph:
    """One letter at a pixel size. There is no bold cut; a second strike beside the first makes one, as printers did."""
    strip = _strip(size)
    known = letter if letter in strip.pens else UNKNOWN
    pen, advance = size + strip.pens[known], strip.advances[known]
    strike = max(1, size // 16) if bold else 0
    left = pen - strip.margin
    ink = strip.ink[:, left : pen + advance + strip.margin]
    if strike:
        ink = ink.copy()
        np.maximum(ink[:, strike:], strip.ink[:, left : pen + advance + strip.margin - strike], out=ink[:, strike:])
    x0, y0, x1, y1 = ink_edges(ink)
    return Glyph(ink[y0:y1, x0:x1], left + x0 - pen, y0 - strip.baseline, advance + strike)


class _Tile(NamedTuple):
    """A letter on a tile as wide as the pen moves and as high as the strip; `leans`: some of its ink lies beside the tile."""

    ink: Ink
    top: int
    bottom: int
    leans: bool


@lru_cache(maxsize=8192)
def _tile(letter: str, size: int, bold: bool) -> _Tile:
    ink, dx, dy, advance = glyph(letter, size, bold)
    strip = _strip(size)
    high, wide = ink.shape
    tile = np.zeros((strip.ink.shape[0], advance), dtype=np.uint8)
    if not high:
        return _Tile(tile, _FAR, -_FAR, False)
    top = strip.baseline + dy
    left = max(dx, 0)
    part = ink[:, left - dx : advance - dx]
    tile[top : top + high, left : left + part.shape[1]] = part
    return _Tile(tile, top, top + high, dx < 0 or dx + wide > advance)


@lru_cache(maxsize=8192)
def line(text: str, size: int, bold: bool = False) -> TextLine:
    """A line of text at a pixel size: tiles side by side, and the ink of letters that lean over their neighbours."""
    tiles, leaning = [], []
    pen, top, bottom = size, _FAR, -_FAR
    for letter in text:
        ink, above, below, leans = _tile(letter, size, bold)
        tiles.append(ink)
        top, bottom = min(top, above), max(bottom, below)
        if leans:
            leaning.append((pen, letter))
        pen += ink.shape[1]
    if bottom < top:
        return TextLine(_NOTHING, 0, 0, pen - size)
    edge = _edge(size)
    whole = np.concatenate([edge, *tiles, edge], axis=1)
    strip = _strip(size)
    for at, letter in leaning:
        ink, dx, dy, _ = glyph(letter, size, bold)
        y = strip.baseline + dy
        there = whole[y : y + ink.shape[0], at + dx : at + dx + ink.shape[1]]
        np.maximum(there, ink, out=there)
    columns = np.flatnonzero(whole.any(axis=0))
    left, right = int(columns[0]), int(columns[-1]) + 1
    return TextLine(whole[top:bottom, left:right], left - size, top - strip.baseline, pen - size)


@lru_cache(maxsize=128)
def _edge(size: int) -> Ink:
    """Room before and after a line, for ink that reaches over its ends."""
    return np.zeros((_strip(size).ink.shape[0], size), dtype=np.uint8)


@lru_cache(maxsize=64)
def cap_height(size: int) -> int:
    """Height of a capital letter, for centring by eye."""
    return int(glyph("H", size).ink.shape[0])


@lru_cache(maxsize=16384)
def width(text: str, size: int, bold: bool = False) -> int:
    """How far a text moves the pen."""
    return sum(glyph(letter, size, bold).advance for letter in text)


def shortened(text: str, room: int, size: int, bold: bool = False) -> str:
    """The text, or its beginning with three dots where it would not fit."""
    if width(text, size, bold) <= room:
        return text
    for end in range(len(text) - 1, 0, -1):
        cut = text[:end].rstrip() + "…"
        if width(cut, size, bold) <= room:
            return cut
    return ""
