"""A screen as palette indices: rectangles are slice assignments, and anti-aliased ink is one table look-up.

An RGB screenshot has three bytes a pixel to draw, filter and compress, nearly all of them the same. Here every pixel is one
byte: when ink of one colour meets a background, the shades between the two get palette entries of their own. The PNG is written
from the very buffer that was drawn on, so a whole 1920x1080 screenshot takes milliseconds, and it is lossless.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Edges = tuple[int, int, int, int]
Ink = NDArray[np.uint8]

LEVELS = 8  # shades between background and full ink
_SAMPLES = 4
# of the PNG's compression: fastest, and of the fast ones smallest; zlib's defaults take four times as long for two thirds the size
LEVEL, MEMORY = 1, 6
_STEPS = range(1, LEVELS + 1)
_QUANTISED = np.asarray([(v * LEVELS + 127) // 255 for v in range(256)], dtype=np.uint8)


def rgb(text: str) -> Colour:
    """A colour from its hexadecimal form.

    >>> rgb("#1e90ff")
    (30, 144, 255)
    """
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


@lru_cache(maxsize=4096)
def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Between two colours: `share` of the second."""
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue


@lru_cache(maxsize=16384)
def shades(below: Colour, colour: Colour) -> tuple[Colour, ...]:
    """The colours of all levels of an ink on a background, from one level to full ink."""
    (r, g, b), (red, green, blue) = below, colour
    red, green, blue = red - r, green - g, blue - b
    half = LEVELS // 2
    return tuple(
        (r + (red * i + half) // LEVELS, g + (green * i + half) // LEVELS, b + (blue * i + half) // LEVELS)
        for i in _STEPS
    )


def levels(coverage: Any) -> Ink:
    """Coverage 0 to 255 as whole levels."""
    return _QUANTISED[np.asarray(coverage, dtype=np.uint8)]


@lru_cache(maxsize=512)
def disc(radius: int) -> Ink:
    """A disc, twice the radius wide, as levels of ink: the four corners of a round rectangle put together."""
    at = (np.arange(radius * _SAMPLES) + 0.5) / _SAMPLES
    inside = (at[:, None] ** 2 + at[None, :] ** 2) <= radius * radius
    quarter = levels(inside.reshape(radius, _SAMPLES, radius, _SAMPLES).mean(axis=(1, 3)) * 255)
    half = np.concatenate([quarter[::-1], quarter])
    return np.concatenate([half[:, ::-1], half], axis=1)


@lru_cache(maxsize=512)
def _lined(radius: int, thick: int) -> tuple[Ink, tuple[int, ...]]:
    """A disc with a line around it, as codes (levels of the line x 9 + levels of the inside), and the codes that occur."""
    codes = disc(radius) * (LEVELS + 1)
    if radius > thick:
        codes[thick:-thick, thick:-thick] += disc(radius - thick)
    return codes, tuple(int(code) for code in np.unique(codes))


def ink_edges(ink: Ink) -> Edges:
    """Where the visible ink of a mask begins and ends (left, top, right, bottom)."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return 0, 0, 0, 0
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


class IndexedCanvas:
    """What is drawn on. Edges are half open: a rectangle from 10 to 20 covers ten pixels."""

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self.width, self.height = width, height
        # every line begins with PNG's filter byte (0: none), so that this buffer is what the file compresses
        self._lines = np.zeros((height, width + 1), dtype=np.uint8)
        self.pixels = self._lines[:, 1:]
        self.colours: list[Colour] = []
        self._numbers: dict[Colour, int] = {}
        self._ramps: dict[tuple[int, Colour], Ink] = {}
        self._tables: dict[tuple[int, Colour, Colour, tuple[int, ...]], Ink] = {}
        self.number(background)

    def number(self, colour: Colour) -> int:
        """The palette entry of a colour: its own, or the nearest one when all 256 are taken."""
        found = self._numbers.get(colour)
        if found is None:
            if len(self.colours) < 256:
                found = len(self.colours)
                self.colours.append(colour)
            else:
                known = np.asarray(self.colours, dtype=np.int32)
                found = int(((known - np.asarray(colour)) ** 2).sum(axis=1).argmin())
            self._numbers[colour] = found
        return found

    def rect(self, box: Edges, colour: Colour) -> None:
        """A filled rectangle."""
        x0, y0, x1, y1 = box
        if x0 < 0 or y0 < 0:
            x0, y0, x1, y1 = max(x0, 0), max(y0, 0), max(x1, 0), max(y1, 0)
        self.pixels[y0:y1, x0:x1] = self.number(colour)

    def frame(self, box: Edges, colour: Colour, thick: int = 1) -> None:
        """An outline inside the edges."""
        x0, y0, x1, y1 = box
        self.rect((x0, y0, x1, y0 + thick), colour)
        self.rect((x0, y1 - thick, x1, y1), colour)
        self.rect((x0, y0 + thick, x0 + thick, y1 - thick), colour)
        self.rect((x1 - thick, y0 + thick, x1, y1 - thick), colour)

    def rounded(self, box: Edges, radius: int, colour: Colour, outline: Colour | None = None, thick: int = 1) -> None:
        """A filled rectangle with round corners, with or without an outline."""
        x0, y0, x1, y1 = box
        r = max(0, min(radius, (x1 - x0) // 2, (y1 - y0) // 2))
        corners = self._corners(box, r, colour, outline, thick) if r else None
        if outline is not None:
            self._cross(box, r, outline)
            self._cross((x0 + thick, y0 + thick, x1 - thick, y1 - thick), max(0, r - thick), colour)
        else:
            self._cross(box, r, colour)
        if corners is not None:
            self.pixels[y0 : y0 + r, x0 : x0 + r] = corners[:r, :r]
            self.pixels[y0 : y0 + r, x1 - r : x1] = corners[:r, r:]
            self.pixels[y1 - r : y1, x0 : x0 + r] = corners[r:, :r]
            self.pixels[y1 - r : y1, x1 - r : x1] = corners[r:, r:]

    def _cross(self, edges: Edges, r: int, colour: Colour) -> None:
        """A rectangle without its corners."""
        x0, y0, x1, y1 = edges
        self.rect((x0, y0 + r, x1, y1 - r), colour)
        if r:
            self.rect((x0 + r, y0, x1 - r, y0 + r), colour)
            self.rect((x0 + r, y1 - r, x1 - r, y1), colour)

    def _corners(self, edges: Edges, r: int, colour: Colour, outline: Colour | None, thick: int) -> Ink | None:
        """The four corners as they will look, put together to a disc; None where they lie outside the screen."""
        x0, y0, x1, y1 = edges
        if x0 < 0 or y0 < 0 or x1 > self.width or y1 > self.height:
            return None
        there = np.empty((2 * r, 2 * r), dtype=np.uint8)
        there[:r, :r], there[:r, r:] = self.pixels[y0 : y0 + r, x0 : x0 + r], self.pixels[y0 : y0 + r, x1 - r : x1]
        there[r:, :r], there[r:, r:] = self.pixels[y1 - r : y1, x0 : x0 + r], self.pixels[y1 - r : y1, x1 - r : x1]
        if outline is None:
            self._blend(there, disc(r), colour)
            return there
        codes, known = _lined(r, thick)
        first = int(there[0, 0])
        if (there == first).all():
            return self._two_inks(first, outline, colour, known)[codes]
        before = there.copy()
        for below in np.unique(before):
            here = before == below
            there[here] = self._two_inks(int(below), outline, colour, known)[codes[here]]
        return there

    def _two_inks(self, below: int, outline: Colour, colour: Colour, known: tuple[int, ...]) -> Ink:
        """From codes of a lined disc to palette entries, on one background."""
        key = (below, outline, colour, known)
        table = self._tables.get(key)
        if table is not None:
            return table
        table = self._tables[key] = np.zeros((LEVELS + 1) ** 2, dtype=np.uint8)
        line = self._ramp(below, outline)
        for code in known:
            first, second = divmod(code, LEVELS + 1)
            table[code] = self._ramp(int(line[first]), colour)[second] if second else line[first]
        return table

    def stamp(self, ink: Ink, x: int, y: int, colour: Colour) -> None:
        """Levels of ink in one colour onto whatever is there."""
        high, wide = ink.shape
        if x < 0 or y < 0 or x + wide > self.width or y + high > self.height:
            ink = ink[max(-y, 0) : max(self.height - y, 0), max(-x, 0) : max(self.width - x, 0)]
            x, y = max(x, 0), max(y, 0)
            high, wide = ink.shape
        if high and wide:
            self._blend(self.pixels[y : y + high, x : x + wide], ink, colour)

    def _blend(self, region: Ink, ink: Ink, colour: Colour) -> None:
        below = int(region[0, 0])
        if (region == below).all():
            region[...] = self._ramp(below, colour)[ink]
            return
        before = region.copy()
        for number in np.unique(before[ink > 0]):
            here = (before == number) & (ink > 0)
            region[here] = self._ramp(int(number), colour)[ink[here]]

    def _ramp(self, below: int, colour: Colour) -> Ink:
        ramp = self._ramps.get((below, colour))
        if ramp is None:
            numbers = [below, *map(self.number, shades(self.colours[below], colour))]
            ramp = self._ramps[below, colour] = np.asarray(numbers, dtype=np.uint8)
        return ramp

    def rgb(self) -> NDArray[np.uint8]:
        """The screen as colours, height x width x 3."""
        return np.take(np.asarray(self.colours, dtype=np.uint8), self.pixels, axis=0)  # four times as fast as an index

    def png(self) -> bytes:
        """The screen as a palette PNG."""
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 3, 0, 0, 0)
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, MEMORY, zlib.Z_RLE)
        body = packer.compress(self._lines.data) + packer.flush()
        palette = bytes(value for colour in self.colours for value in colour)
        parts = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", body), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
