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

from snellen.synthetic.sheets.paper import Floats, Pixels

LETTERS = "CDHKNORSVZ"
STROKES = 5
_FINE = 40
_SIDE = STROKES * _FINE
_AT = (np.arange(_SIDE) + 0.5) / _FINE
_X: Floats = np.broadcast_to(_AT[None, :], (_SIDE, _SIDE))
_Y: Floats = np.broadcast_to(_AT[:, None], (_SIDE, _SIDE))
Mask = npt.NDArray[np.bool_]


class Cover(NamedTuple):
    """How much of each pixel is covered (0 to 1), and where the patch lies."""

    share: Floats
    left: int
    top: int


def _disc(x: float, y: float, radius: float) -> Mask:
    return (_X - x) * (_X - x) + (_Y - y) * (_Y - y) <= radius * radius


def _ring(x: float, y: float, radius: float, stroke: float = 1.0) -> Mask:
    return _disc(x, y, radius) & ~_disc(x, y, radius - stroke)


def _box(x0: float, y0: float, x1: float, y1: float) -> Mask:
    return (x0 <= _X) & (x1 >= _X) & (y0 <= _Y) & (y1 >= _Y)


def _poly(*xy: float) -> Mask:
    """A convex polygon, its corners clockwise (y down)."""
    corners = list(zip(xy[::2], xy[1::2], strict=True))
    inside = np.ones((_SIDE, _SIDE), dtype=np.bool_)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        inside &= (x1 - x0) * (_Y - y0) - (y1 - y0) * (_X - x0) >= 0
    return inside


def _c() -> Mask:
    return _ring(2.5, 2.5, 2.5) & ~_box(2.5, 2, 5, 3)


def _d() -> Mask:
    outer = _box(0, 0, 2.5, 5) | _disc(2.5, 2.5, 2.5)
    inner = _box(1, 1, 2.5, 4) | (_disc(2.5, 2.5, 1.5) & (_X >= 2.5))
    return outer & ~inner


def _h() -> Mask:
    return _box(0, 0, 1, 5) | _box(4, 0, 5, 5) | _box(0, 2, 5, 3)


def _k() -> Mask:
    arm = _poly(3.6, 0, 5, 0, 1, 3.7, 1, 2.4)
    leg = _poly(1.75, 2.3, 2.75, 1.55, 5, 5, 3.7, 5)
    return _box(0, 0, 1, 5) | arm | leg


def _n() -> Mask:
    return _box(0, 0, 1, 5) | _box(4, 0, 5, 5) | _poly(0, 0, 1.25, 0, 5, 5, 3.75, 5)


def _o() -> Mask:
    return _ring(2.5, 2.5, 2.5)


def _r() -> Mask:
    bowl = (_ring(3.5, 1.5, 1.5) & (_X >= 3.5)) | _box(0, 0, 3.5, 1) | _box(0, 2, 3.5, 3)
    return _box(0, 0, 1, 5) | bowl | _poly(2.1, 3, 3.4, 3, 5, 5, 3.7, 5)


def _s() -> Mask:
    upper = _ring(1.5, 1.5, 1.5) & (_X <= 1.5) | (_ring(3.5, 1.5, 1.5) & (_X >= 3.5) & (_Y <= 1.5))
    lower = _ring(3.5, 3.5, 1.5) & (_X >= 3.5) | (_ring(1.5, 3.5, 1.5) & (_X <= 1.5) & (_Y >= 3.5))
    return upper | lower | _box(1.5, 0, 3.5, 1) | _box(1.5, 2, 3.5, 3) | _box(1.5, 4, 3.5, 5)


def _v() -> Mask:
    return _poly(0, 0, 1.07, 0, 3.02, 5, 1.95, 5) | _poly(3.93, 0, 5, 0, 3.05, 5, 1.98, 5)


def _z() -> Mask:
    return _box(0, 0, 5, 1) | _box(0, 4, 5, 5) | _poly(3.75, 0, 5, 0, 1.25, 5, 0, 5)


_MARKS: Mapping[str, Callable[[], Mask]] = {
    **dict(zip(LETTERS, (_c, _d, _h, _k, _n, _o, _r, _s, _v, _z), strict=True)),
    "disc": lambda: _disc(2.5, 2.5, 2.5),
    "square": lambda: _box(0.2, 0.2, 4.8, 4.8),
    "triangle": lambda: _poly(2.5, 0, 5, 5, 0, 5),
    "diamond": lambda: _poly(2.5, 0, 5, 2.5, 2.5, 5, 0, 2.5),
    "plus": lambda: _box(1.6, 0, 3.4, 5) | _box(0, 1.6, 5, 3.4),
    "ring": lambda: _ring(2.5, 2.5, 2.5, 1.2),
    "dome": lambda: _disc(2.5, 3.5, 2.5) & (_Y <= 3.5),
    "hexagon": lambda: _poly(1.25, 0.33, 3.75, 0.33, 5, 2.5, 3.75, 4.67, 1.25, 4.67, 0, 2.5),
    "arrow": lambda: _poly(2.5, 0, 5, 2.5, 0, 2.5) | _box(1.6, 2.5, 3.4, 5),
    "down": lambda: _poly(0, 0, 5, 0, 2.5, 5),
}
SHAPES = ("disc", "square", "triangle", "diamond", "plus", "ring", "dome", "hexagon", "arrow")


@cache
def points(mark: str) -> Mask:
    """A mark as points, 40 a stroke."""
    return _MARKS[mark]()


@cache
def _sums(mark: str) -> Floats:
    """Above and left of each corner: how many points are covered. Whole numbers, so every difference is exact."""
    out = np.zeros((_SIDE + 1, _SIDE + 1))
    out[1:, 1:] = points(mark).cumsum(axis=0).cumsum(axis=1)
    return out


def _edges(start: float, height: float, first: int, last: int) -> tuple[npt.NDArray[np.intp], Floats]:
    """Where the edges of the pixels lie among the points: whole and fraction."""
    at = np.clip((np.arange(first, last + 1) - start) * (_SIDE / height), 0.0, float(_SIDE))
    whole = np.minimum(at.astype(np.intp), _SIDE - 1)
    return whole, at - whole


def cover(mark: str, height: float, left: float, top: float) -> Cover:
    """A mark whose square of that height has its corner at left, top (pixels; whole numbers are edges of pixels)."""
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


def put(levels: Floats | Pixels, ink: Cover, level: float | Floats) -> None:
    """Ink of a level (or colour) over what is there, by the share of each pixel that it covers; whole levels stay whole."""
    high, wide = ink.share.shape
    there = levels[ink.top : ink.top + high, ink.left : ink.left + wide]
    share = ink.share if levels.ndim == 2 else ink.share[..., None]
    mixed = there + (level - there.astype(np.float64)) * share
    there[...] = np.rint(mixed) if levels.dtype == np.uint8 else mixed
