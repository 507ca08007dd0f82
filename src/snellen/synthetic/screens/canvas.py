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

from snellen.synthetic.colours import RGB

Edges = tuple[int, int, int, int]
Ink = NDArray[np.uint8]

LEVELS = 8  # shades between background and full ink
_SAMPLES = 4
_QUANTISED = np.asarray([(v * LEVELS + 127) // 255 for v in range(256)], dtype=np.uint8)


def rgb(text: str) -> RGB:
    """Return a colour from its hexadecimal form.

    >>> rgb("#1e90ff")
    (30, 144, 255)
    """
    return tuple(bytes.fromhex(text[1:]))


@lru_cache(maxsize=16384)
def _shades(below: RGB, colour: RGB) -> tuple[RGB, ...]:
    """Return the colours of all levels of an ink on a background, from one level to full ink."""
    half = LEVELS // 2
    pairs = list(zip(below, colour, strict=True))
    return tuple(tuple(a + ((b - a) * i + half) // LEVELS for a, b in pairs) for i in range(1, LEVELS + 1))


def levels(coverage: Any) -> Ink:
    """Return coverage (0 to 255) as whole levels."""
    return _QUANTISED[np.asarray(coverage, dtype=np.uint8)]


@lru_cache(maxsize=512)
def _disc(radius: int) -> Ink:
    """Return a disc, twice the radius wide, as levels of ink: the four corners of a round rectangle put together."""
    at = (np.arange(radius * _SAMPLES) + 0.5) / _SAMPLES
    inside = (at[:, None] ** 2 + at[None, :] ** 2) <= radius * radius
    quarter = levels(inside.reshape(radius, _SAMPLES, radius, _SAMPLES).mean(axis=(1, 3)) * 255)
    half = np.concatenate([quarter[::-1], quarter])
    return np.concatenate([half[:, ::-1], half], axis=1)


@lru_cache(maxsize=512)
def _lined(radius: int, thick: int) -> tuple[Ink, tuple[int, ...]]:
    """Return a disc with a line around it, as codes (levels of the line x 9 + levels of the inside), and the codes that occur."""
    codes = _disc(radius) * (LEVELS + 1)
    if radius > thick:
        codes[thick:-thick, thick:-thick] += _disc(radius - thick)
    return codes, tuple(int(code) for code in np.unique(codes))


def ink_edges(ink: Ink) -> Edges:
    """Return where the visible ink of a mask begins and ends (left, top, right, bottom)."""
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return 0, 0, 0, 0
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


class IndexedCanvas:
    """A surface to draw on. Edges are half open: a rectangle from 10 to 20 covers ten pixels."""

    def __init__(self, width: int, height: int, background: RGB) -> None:
        self.width, self.height = width, height
        # every line begins with PNG's filter byte (0: none), so that this buffer is what the file compresses
        self._lines = np.zeros((height, width + 1), dtype=np.uint8)
        self.pixels = self._lines[:, 1:]
        self.colours: list[RGB] = []
        self._numbers: dict[RGB, int] = {}
        self._ramps: dict[tuple[int, RGB], Ink] = {}
        self._tables: dict[tuple[int, RGB, RGB, tuple[int, ...]], Ink] = {}
        self.number(background)

    def number(self, colour: RGB) -> int:
        """Return the palette entry of a colour: its own, or the nearest one when all 256 are taken."""
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

    def rect(self, box: Edges, colour: RGB) -> None:
        """Draw a filled rectangle."""
        x0, y0, x1, y1 = box
        if x0 < 0 or y0 < 0:
            x0, y0, x1, y1 = max(x0, 0), max(y0, 0), max(x1, 0), max(y1, 0)
        self.pixels[y0:y1, x0:x1] = self.number(colour)

    def frame(self, box: Edges, colour: RGB, thick: int = 1) -> None:
        """Draw an outline inside the edges."""
        x0, y0, x1, y1 = box
        self.rect((x0, y0, x1, y0 + thick), colour)
        self.rect((x0, y1 - thick, x1, y1), colour)
        self.rect((x0, y0 + thick, x0 + thick, y1 - thick), colour)
        self.rect((x1 - thick, y0 + thick, x1, y1 - thick), colour)

    def rounded(self, box: Edges, radius: int, colour: RGB, outline: RGB | None = None, thick: int = 1) -> None:
        """Draw a filled rectangle with round corners, with or without an outline."""
        x0, y0, x1, y1 = box
        r = max(0, min(radius, (x1 - x0) // 2, (y1 - y0) // 2))
        inside = x0 >= 0 and y0 >= 0 and x1 <= self.width and y1 <= self.height
        places = np.ix_([*range(y0, y0 + r), *range(y1 - r, y1)], [*range(x0, x0 + r), *range(x1 - r, x1)])
        corners = self._corners(self.pixels[places], r, colour, outline, thick) if r and inside else None
        if outline is not None:
            self._cross(box, r, outline)
            self._cross((x0 + thick, y0 + thick, x1 - thick, y1 - thick), max(0, r - thick), colour)
        else:
            self._cross(box, r, colour)
        if corners is not None:
            self.pixels[places] = corners

    def _cross(self, edges: Edges, r: int, colour: RGB) -> None:
        """Draw a rectangle without its corners."""
        x0, y0, x1, y1 = edges
        self.rect((x0, y0 + r, x1, y1 - r), colour)
        if r:
            self.rect((x0 + r, y0, x1 - r, y0 + r), colour)
            self.rect((x0 + r, y1 - r, x1 - r, y1), colour)

    def _corners(self, there: Ink, r: int, colour: RGB, outline: RGB | None, thick: int) -> Ink:
        """Return the four corners as they will look, joined into a disc."""
        if outline is None:
            self._blend(there, _disc(r), colour)
            return there
        codes, known = _lined(r, thick)
        corners = there.copy()
        for below in np.unique(there):
            here = there == below
            corners[here] = self._two_inks(int(below), outline, colour, known)[codes[here]]
        return corners

    def _two_inks(self, below: int, outline: RGB, colour: RGB, known: tuple[int, ...]) -> Ink:
        """Return the palette entries of the codes of a lined disc, on one background."""
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

    def stamp(self, ink: Ink, x: int, y: int, colour: RGB) -> None:
        """Draw levels of ink in one colour over the existing pixels."""
        high, wide = ink.shape
        if x < 0 or y < 0 or x + wide > self.width or y + high > self.height:
            ink = ink[max(-y, 0) : max(self.height - y, 0), max(-x, 0) : max(self.width - x, 0)]
            x, y = max(x, 0), max(y, 0)
            high, wide = ink.shape
        if high and wide:
            self._blend(self.pixels[y : y + high, x : x + wide], ink, colour)

    def _blend(self, region: Ink, ink: Ink, colour: RGB) -> None:
        below = int(region[0, 0])
        if (region == below).all():
            region[...] = self._ramp(below, colour)[ink]
            return
        before = region.copy()
        for number in np.unique(before[ink > 0]):
            here = (before == number) & (ink > 0)
            region[here] = self._ramp(int(number), colour)[ink[here]]

    def _ramp(self, below: int, colour: RGB) -> Ink:
        ramp = self._ramps.get((below, colour))
        if ramp is None:
            numbers = [below, *map(self.number, _shades(self.colours[below], colour))]
            ramp = self._ramps[below, colour] = np.asarray(numbers, dtype=np.uint8)
        return ramp

    def rgb(self) -> NDArray[np.uint8]:
        """Return the screen as colours, height x width x 3."""
        return np.take(np.asarray(self.colours, dtype=np.uint8), self.pixels, axis=0)  # four times as fast as an index

    def png(self) -> bytes:
        """Return the screen as a palette PNG."""
        palette = bytes(value for colour in self.colours for value in colour)
        return png_file(self._lines, self.width, 3, palette, memory=6, strategy=zlib.Z_RLE)


def png_file(
    lines: Ink, width: int, colours: int, palette: bytes = b"", memory: int = 8, strategy: int = zlib.Z_DEFAULT_STRATEGY
) -> bytes:
    """Return a PNG file of lines that begin with PNG's filter byte. `colours` is PNG's number for grey, RGB or a palette.

    The compression is the fastest: the defaults of zlib take four times as long for two thirds of the size.
    """
    head = struct.pack(">IIBBBBB", width, len(lines), 8, colours, 0, 0, 0)
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, memory, strategy)
    body = packer.compress(lines.data) + packer.flush()
    chunks = ((b"IHDR", head), *([(b"PLTE", palette)] if palette else []), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
