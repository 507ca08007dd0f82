"""Positions of the objects in a cluttered scene: a row, rows, a ring, scattered, or in a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snellen.synthetic.patterns.colour import Floats
from snellen.synthetic.patterns.drawing import TABLE

WITH_OUTLIER = ("row", "ring", "group")


@dataclass(frozen=True, slots=True)
class _PatternLayout:
    """Centres of the objects, the number of the target, and the spacing between them."""

    places: Floats
    target: int
    spacing: float


def _row(rng: np.random.Generator, width: int, height: int, off: float) -> _PatternLayout:
    n = int(rng.integers(8, 12))
    spacing = width * 0.92 / n
    slope = rng.uniform(-0.06, 0.06)
    x = (np.arange(n) - (n - 1) / 2) * spacing
    places = np.stack([x, x * slope], axis=1) + rng.normal(size=(n, 2)) * spacing * [0.03, 0.025]
    target = int(rng.integers(n))
    # The row stands high or low enough to leave room for the one that is out of it.
    room = height / 2 - 0.55 * spacing
    side = float(rng.choice([-1.0, 1.0]))
    shift = min(off * spacing, 2 * room)
    places[target, 1] += side * shift
    centre = height / 2 - side * min(shift / 2, room) if off else height / 2 + rng.uniform(-0.4, 0.4) * room
    return _PatternLayout(places + np.array([width / 2, centre]), target, spacing)


def _rows(rng: np.random.Generator, width: int, height: int, _off: float) -> _PatternLayout:
    across, down = int(rng.integers(4, 8)), int(rng.integers(2, 6))
    spacing = min(width * 0.92 / across, height * 0.92 / down)
    x, y = np.meshgrid(np.arange(across) - (across - 1) / 2, np.arange(down) - (down - 1) / 2)
    places = np.stack([x.ravel(), y.ravel()], axis=1) * spacing
    places += rng.normal(size=places.shape) * spacing * 0.03
    return _PatternLayout(places + np.array([width / 2, height / 2]), int(rng.integers(len(places))), spacing)


def _ring(rng: np.random.Generator, width: int, height: int, off: float) -> _PatternLayout:
    n = int(rng.integers(8, 19))
    radius = min(width, height) * (0.34 if off else 0.38)
    spacing = 2 * radius * np.sin(np.pi / n)
    around = (np.arange(n) + rng.normal(size=n) * 0.03) * 2 * np.pi / n + rng.uniform(0, 2 * np.pi)
    out = np.full(n, radius) + rng.normal(size=n) * spacing * 0.025
    target = int(rng.integers(n))
    inward = off * spacing > 0.1 * radius or rng.random() < 0.5
    out[target] += -min(off * spacing, radius) if inward else off * spacing
    places = np.stack([np.cos(around), np.sin(around)], axis=1) * out[:, None]
    return _PatternLayout(places + np.array([width / 2, height / 2]), target, float(spacing))


def _packed(rng: np.random.Generator, low: Floats, high: Floats, wanted: int) -> tuple[Floats, float]:
    """Return random points in a rectangle, none closer than the spacing, until hardly another one fits."""
    spacing = float(np.sqrt(0.62 * np.prod(high - low) / wanted))
    kept: list[Floats] = []
    for dart in rng.uniform(low, high, size=(60 * wanted, 2)):
        if all((dart[0] - p[0]) ** 2 + (dart[1] - p[1]) ** 2 >= spacing**2 for p in kept):
            kept.append(dart)
    return np.array(kept[:40]), spacing


def _inmate(rng: np.random.Generator, places: Floats) -> int:
    """Return an object no farther from its neighbour than usual: not odd in location by chance."""
    gaps = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps.min(axis=1)
    return int(rng.choice(np.flatnonzero(nearest <= np.median(nearest) * 1.1)))


def _scatter(rng: np.random.Generator, width: int, height: int, _off: float) -> _PatternLayout:
    edge = 0.09 * min(width, height)
    places, spacing = _packed(
        rng, np.array([edge, edge]), np.array([width - edge, height - edge]), int(rng.integers(14, 32))
    )
    return _PatternLayout(places, _inmate(rng, places), spacing)


def _group(rng: np.random.Generator, width: int, height: int, off: float) -> _PatternLayout:
    """Lay out a dense group in one part of the picture; with `off`, the target stands away from it on the free side."""
    edge = 0.09 * min(width, height)
    share = rng.uniform(0.5, 0.62)
    low, high = np.array([edge, edge]), np.array([edge + (width - 2 * edge) * share, height - edge])
    places, spacing = _packed(rng, low, high, int(rng.integers(16, 30)))
    target = _inmate(rng, places)
    if off:
        y = rng.uniform(edge, height - edge)
        dy = places[:, 1] - y
        near = np.abs(dy) < off * spacing
        x = (places[near, 0] + np.sqrt((off * spacing) ** 2 - dy[near] ** 2)).max()
        places[target] = min(float(x), width - edge), y
    if rng.random() < 0.5:
        places[:, 0] = width - places[:, 0]
    return _PatternLayout(places, target, spacing)


def lay_out(rng: np.random.Generator, width: int, height: int, outlier: str | None) -> _PatternLayout:
    """Lay out objects at random; `outlier` is how far off the target is (easy, medium, hard), None for in its place."""
    kind = str(rng.choice(list(_LAYOUTS) if outlier is None else WITH_OUTLIER))
    off = 0.0
    if outlier is not None:
        off = rng.uniform(*TABLE["o3"][outlier]["off_group" if kind == "group" else "off_line"])
    return _LAYOUTS[kind](rng, width, height, off)


_LAYOUTS = {"row": _row, "rows": _rows, "ring": _ring, "scatter": _scatter, "group": _group}
