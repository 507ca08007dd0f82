"""Letters and plain shapes by geometry, at any height and place, fractions of a pixel included.

The letters are after Louise Sloan's ten: 5 x 5 strokes, each a stroke of one fifth of the height, about equally easy to read. No
font is used, so they are the same on every machine. Every mark is drawn once, 40 points a stroke; how much of a pixel it
covers is then a difference of sums over those points, so that a letter of 5.3 pixels is 5.3 pixels high.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from snellen.synthetic.drawings import Painter, Shape, read_drawings
from snellen.synthetic.sheets.paper import Floats, Pixels

LETTERS = "CDHKNORSVZ"
SHAPES = ("disc", "square", "triangle", "diamond", "plus", "ring", "dome", "hexagon", "arrow")
STROKES = 5
_FINE = 40
_SIDE = STROKES * _FINE
_AT = (np.arange(_SIDE) + 0.5) / _FINE
_Y, _X = np.meshgrid(_AT, _AT, indexing="ij")
Mask = npt.NDArray[np.bool_]


class Cover(NamedTuple):
    """The covered share of each pixel (0 to 1), and the position of the patch."""

    share: Floats
    left: int
    top: int


def _box(x0: float, y0: float, x1: float, y1: float) -> Mask:
    return (x0 <= _X) & (x1 >= _X) & (y0 <= _Y) & (y1 >= _Y)


def _disc(x: float, y: float, radius: float, *within: float) -> Mask:
    inside = (_X - x) * (_X - x) + (_Y - y) * (_Y - y) <= radius * radius
    return inside & _box(*within) if within else inside


def _ring(x: float, y: float, radius: float, stroke: float, *within: float) -> Mask:
    return _disc(x, y, radius, *within) & ~_disc(x, y, radius - stroke)


def _poly(*xy: float) -> Mask:
    """Return a convex polygon, its corners clockwise (y down)."""
    corners = list(zip(xy[::2], xy[1::2], strict=True))
    inside = np.ones((_SIDE, _SIDE), dtype=np.bool_)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        inside &= (x1 - x0) * (_Y - y0) - (y1 - y0) * (_X - x0) >= 0
    return inside


_FORMS: Mapping[str, Callable[..., Mask]] = {"box": _box, "disc": _disc, "ring": _ring, "poly": _poly}
_DRAWINGS = read_drawings("sheets/marks.toml")


class _MarkPainter(Painter):
    """A painter that inks points, or removes ink."""

    inked: Mask

    def shape(self, line: Shape) -> None:
        part = _FORMS[line.form](*next(line.numbers({})))
        self.inked = self.inked | part if line.colour == "ink" else self.inked & ~part


@cache
def points(mark: str) -> Mask:
    """Return a mark as points, 40 a stroke."""
    painter = _MarkPainter(_DRAWINGS, None, {})
    painter.inked = np.zeros((_SIDE, _SIDE), dtype=np.bool_)
    painter.draw(mark)
    return painter.inked


@cache
def _sums(mark: str) -> Floats:
    """Return the number of covered points above and left of each corner. Whole numbers, so every difference is exact."""
    out = np.zeros((_SIDE + 1, _SIDE + 1))
    out[1:, 1:] = points(mark).cumsum(axis=0).cumsum(axis=1)
    return out


def _edges(start: float, height: float, first: int, last: int) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the positions of the pixels' edges among the points: whole and fraction."""
    at = np.clip((np.arange(first, last + 1) - start) * (_SIDE / height), 0.0, float(_SIDE))
    whole = np.minimum(at.astype(np.intp), _SIDE - 1)
    return whole, at - whole


def cover(mark: str, height: float, left: float, top: float) -> Cover:
    """Return a mark whose square of that height has its corner at left, top (pixels; whole numbers are edges of pixels)."""
    x0, y0 = int(np.floor(left)), int(np.floor(top))
    x1, y1 = int(np.ceil(left + height)), int(np.ceil(top + height))
    sums = _sums(mark)
    column, over = _edges(left, height, x0, x1)
    row, down = _edges(top, height, y0, y1)
    lines = sums[row] + (sums[row + 1] - sums[row]) * down[:, None]
    corners = lines[:, column] + (lines[:, column + 1] - lines[:, column]) * over[None, :]
    inside = corners[1:, 1:] - corners[:-1, 1:] - corners[1:, :-1] + corners[:-1, :-1]
    share: Floats = np.clip(inside * ((height / _SIDE) ** 2), 0.0, 1.0)
    return Cover(share, x0, y0)


def centred(mark: str, height: float, x: float, y: float) -> Cover:
    """Return a mark around its middle."""
    return cover(mark, height, x - height / 2, y - height / 2)


def put(levels: Floats | Pixels, ink: Cover, level: float | Floats) -> None:
    """Put ink of a level (or colour) over the picture, by the covered share of each pixel; whole levels stay whole."""
    high, wide = ink.share.shape
    there = levels[ink.top : ink.top + high, ink.left : ink.left + wide]
    share = ink.share if levels.ndim == 2 else ink.share[..., None]
    mixed = there + (level - there.astype(np.float64)) * share
    there[...] = np.rint(mixed) if levels.dtype == np.uint8 else mixed
