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
DOTS = "…"
LETTERS = "".join(chr(code) for code in range(32, 127)) + DOTS
UNKNOWN = "?"


class Lettering(NamedTuple):
    """A letter or a line: its ink cut to the visible part, where that lies from pen and baseline, and how far the pen moves."""

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
def glyph(letter: str, size: int, bold: bool = False) -> Lettering:
    """Return a letter at a pixel size. There is no bold cut: a second strike beside the first makes one, as printers did."""
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
    return Lettering(ink[y0:y1, x0:x1], left + x0 - pen, y0 - strip.baseline, advance + strike)


@lru_cache(maxsize=8192)
def line(text: str, size: int, bold: bool = False) -> Lettering:
    """Return a line of text at a pixel size; where letters touch, the stronger ink is kept."""
    glyphs = [glyph(letter, size, bold) for letter in text]
    advance = sum(one.advance for one in glyphs)
    baseline, high = _strip(size).baseline, _strip(size).ink.shape[0]
    whole = np.zeros((high, advance + 2 * size), dtype=np.uint8)  # room for ink that reaches over the ends
    pen, top, bottom = size, high, 0
    for ink, dx, dy, step in glyphs:
        if ink.size:
            x, y = pen + dx, baseline + dy
            there = whole[y : y + ink.shape[0], x : x + ink.shape[1]]
            np.maximum(there, ink, out=there)
            top, bottom = min(top, y), max(bottom, y + ink.shape[0])
        pen += step
    columns = np.flatnonzero(whole.any(axis=0))
    if not len(columns):
        return Lettering(whole[:0, :0], 0, 0, advance)
    left, right = int(columns[0]), int(columns[-1]) + 1
    return Lettering(whole[top:bottom, left:right], left - size, top - baseline, advance)


@lru_cache(maxsize=64)
def cap_height(size: int) -> int:
    """Return the height of a capital letter, for centring by eye."""
    return glyph("H", size).height


@lru_cache(maxsize=16384)
def width(text: str, size: int, bold: bool = False) -> int:
    """Return how far a text moves the pen."""
    return sum(glyph(letter, size, bold).advance for letter in text)


def shortened(text: str, room: int, size: int, bold: bool = False) -> str:
    """Return the text, or its beginning with three dots where it would not fit."""
    if width(text, size, bold) <= room:
        return text
    end, pen = 0, glyph(DOTS, size, bold).advance
    for i, letter in enumerate(text):
        pen += glyph(letter, size, bold).advance
        if pen > room:
            break
        if letter != " ":
            end = i + 1
    return text[:end] + DOTS if end else ""
