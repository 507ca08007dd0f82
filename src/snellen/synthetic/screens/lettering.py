"""Text as levels of ink, put together from letters that are drawn once a size. The font is the one that Pillow carries.

Pillow would rasterise every letter of every word again; a screenshot has thousands. Ink extents come out exact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from snellen.synthetic.screens.canvas import Ink, ink_edges, levels

FONT = "Aileron Regular (Pillow's own)"
DOTS = "…"
LETTERS = "".join(chr(code) for code in range(32, 127)) + DOTS
UNKNOWN = "?"


class _TextLine(NamedTuple):
    """A line of text: its ink cut to the visible part, the position of that from pen and baseline, and the pen's advance."""

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


class _Letter(NamedTuple):
    """A letter in a strip: the columns of the pen's advance, and its ink with a margin where it reaches beyond them."""

    columns: NDArray[np.intp]
    leaning: Ink | None


class _Strip(NamedTuple):
    """All letters of a size in one line, drawn at once and a margin apart."""

    ink: Ink
    letters: dict[str, _Letter]
    margin: int

    def of(self, text: str) -> list[_Letter]:
        """Return the letters of a text."""
        return [self.letters.get(letter, self.letters[UNKNOWN]) for letter in text]


@lru_cache(maxsize=128)
def _drawn(size: int) -> tuple[Ink, list[int], int]:
    """Draw all letters of a size; return the ink, how far each moves the pen, and the room between them."""
    font = ImageFont.load_default(size)
    gap = " " * max(1, round(size / max(1.0, font.getlength(" "))))  # so that no letter reaches into the next
    room = round(font.getlength(gap))
    advances = [round(font.getlength(letter)) for letter in LETTERS]
    image = Image.new("L", (sum(advances) + room * len(LETTERS) + 2 * size, 2 * size))
    ImageDraw.Draw(image).text((size, _baseline(size)), gap.join(LETTERS), fill=255, font=font, anchor="ls")
    return levels(np.asarray(image)), advances, room


def _baseline(size: int) -> int:
    return size + size // 4


@lru_cache(maxsize=128)
def _strip(size: int, bold: bool) -> _Strip:
    """Return a strip. There is no bold cut: a second strike beside the first makes one, as on typewriters."""
    ink, advances, room = _drawn(size)
    margin, strike = room // 2, max(1, size // 16) if bold else 0
    if strike:
        ink = np.maximum(ink, np.pad(ink, ((0, 0), (strike, 0)))[:, :-strike])
    inked = np.asarray(ink.any(axis=0))
    letters, pen = {}, size
    for letter, advance in zip(LETTERS, advances, strict=True):
        end = pen + advance + strike
        leans = inked[pen - margin : pen].any() or inked[end : end + margin].any()
        letters[letter] = _Letter(np.arange(pen, end), ink[:, pen - margin : end + margin] if leans else None)
        pen += advance + room
    return _Strip(ink, letters, margin)


@lru_cache(maxsize=8192)
def line(text: str, size: int, bold: bool = False) -> _TextLine:
    """Return a line of text at a pixel size; where letters touch, the stronger ink is kept."""
    strip = _strip(size, bold)
    letters = strip.of(text)
    edge = np.zeros(size, dtype=np.intp)  # a column without ink, as room for letters that reach over the ends
    whole = strip.ink[:, np.concatenate([edge, *(letter.columns for letter in letters), edge])]
    pen = size
    for letter in letters:
        if letter.leaning is not None:
            left = pen - strip.margin
            there = whole[:, left : left + letter.leaning.shape[1]]
            np.maximum(there, letter.leaning, out=there)
        pen += len(letter.columns)
    x0, y0, x1, y1 = ink_edges(whole)
    return _TextLine(whole[y0:y1, x0:x1], x0 - size, y0 - _baseline(size), pen - size)


@lru_cache(maxsize=64)
def cap_height(size: int) -> int:
    """Return the height of a capital letter, for centring by eye."""
    return line("H", size).height


@lru_cache(maxsize=16384)
def width(text: str, size: int) -> int:
    """Return the advance of the pen for a text."""
    return sum(len(letter.columns) for letter in _strip(size, False).of(text))


def shortened(text: str, room: int, size: int) -> str:
    """Return the text, or its beginning with three dots where it would not fit."""
    if width(text, size) <= room:
        return text
    end, pen = 0, width(DOTS, size)
    for i, letter in enumerate(text):
        pen += width(letter, size)
        if pen > room:
            break
        if letter != " ":
            end = i + 1
    return text[:end] + DOTS if end else ""
