"""Complex scenes under the open sky: medieval village, city, and the night street of Time_square."""

from __future__ import annotations

from itertools import pairwise

from snellen.synthetic.hidden.scenery_base import (
    PALETTES,
    RAMPS,
    YY,
    Colour,
    Field,
    Painting,
    Panel,
    Rng,
    grained,
    mixed,
    noise,
    one_of,
    paint,
    ramp,
    scaled,
    step,
    tone,
    toward,
)


def medieval_village(rng: Rng) -> Field:
    """Paint half-timbered houses with steep gables, stone towers on a hill, a cobbled lane."""
    sky = ramp(YY + 0.05 * noise(rng, 4, 8, 3), RAMPS["village-sky"])
    hill = 0.4 - 0.08 * step(noise(rng, 3, 1), -0.5, 0.8)
    grass = ramp(YY + 0.06 * noise(rng, 60, 80, 2), RAMPS["village-grass"])
    canvas = Painting(mixed(sky, grass, step(YY - hill, 0.0, 0.01)))
    paint(canvas, rng, "village")
    return grained(canvas.pixels(), rng, 0.025)


_TOPS = ("block-setback", "block-spire", "block-roof")


def _skyscraper(canvas: Painting, rng: Rng, x: float, wide: float, top: float, wall: Colour, glass: Colour) -> None:
    """Draw a block with a grid of windows, a shaded side and sometimes a spire or a setback."""
    paint(canvas, rng, "block", wall=wall, x=x, wide=wide, top=top)
    kind = int(rng.integers(4))
    if kind < len(_TOPS):
        paint(canvas, rng, _TOPS[kind], wall=wall, x=x, wide=wide, top=top)
    columns = max(3, int(wide / 0.022))
    pitch = wide / columns
    rows = int((1.0 - top) / 0.024)
    shine = rng.random((rows, columns)).tolist()
    bands = rng.random() < 0.3
    for r in range(rows):
        y = top + 0.012 + r * 0.024
        if bands:
            canvas.box(scaled(glass, 0.8 + 0.4 * shine[r][0]), x + 0.2 * pitch, y, x + wide - 0.2 * pitch, y + 0.013)
            continue
        for c in range(columns):
            fill = (255, 226, 150) if shine[r][c] > 0.86 else scaled(glass, 0.75 + 0.5 * shine[r][c])
            left = x + (c + 0.22) * pitch
            canvas.box(fill, left, y, left + pitch * 0.56, y + 0.014)


def city(rng: Rng) -> Field:
    """Paint a skyline of skyscrapers with rows of windows, by day or at dusk."""
    mood = one_of(rng, "city")
    low = mood["low"]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 4, 9, 3), [(0, mood["top"]), (0.6, low)]))
    for layer, count in enumerate((9, 7, 5)):
        x = rng.uniform(-0.1, 0.0)
        while x < 1.0:
            wide = rng.uniform(0.7, 1.3) / count
            top = rng.uniform(0.1, 0.34) + 0.15 * layer
            wall = scaled(tone(rng, one_of(rng, "blocks"), 10), 0.9)
            far = 0.5 - 0.25 * layer
            _skyscraper(canvas, rng, x, wide, top, toward(wall, low, far), toward(mood["glass"], low, far))
            x += wide * rng.uniform(0.95, 1.1)
    paint(canvas, rng, "street")
    return grained(canvas.pixels(), rng, 0.02)


def _wall(side: float, depth: float, height: float) -> tuple[float, float]:
    """Return a point of the left (-1) or right (1) house front: near is depth 1, the vanishing point is far away."""
    return 0.5 + side * 0.56 / depth, 0.7 - height / depth


def _front(canvas: Painting, side: float, far: float, near: float, high: float, low: float) -> Panel:
    """Return a part of a house front to draw on."""
    return Panel(canvas, _wall(side, far, high), _wall(side, near, high), _wall(side, near, low), _wall(side, far, low))


def _board(panel: Panel, rng: Rng) -> None:
    """Draw a glowing advertisement: a coloured face with blocks, discs and bars like letters on it."""
    face, ink = (PALETTES["neon"][i] for i in rng.permutation(len(PALETTES["neon"]))[:2])
    paint(panel, rng, "board", face=face)
    if rng.random() < 0.4:
        paint(panel, rng, "board-shade", face=face)
    if rng.random() < 0.5:
        (ax, _), (bx, _), _, (_, dy) = panel.corners
        r = 0.22 * min(abs(bx - ax), abs(dy - panel.corners[0][1]))
        panel.canvas.oval(ink, *panel.at(0.5, 0.35), r, r)
    for row in range(int(rng.integers(1, 4))):
        v, u = 0.58 + 0.13 * row, 0.1
        while u < 0.85:
            wide = rng.uniform(0.05, 0.14)
            panel.box(ink, u, v, min(0.9, u + wide), v + 0.08)
            u += wide + 0.04


def time_square(rng: Rng) -> Field:
    """Paint a street at night between fronts full of bright billboards, with a crowd and yellow cabs."""
    canvas = Painting(ramp(YY, RAMPS["night-sky"]))
    paint(canvas, rng, "night")
    for k in range(5):
        y = 0.22 + 0.09 * k
        _board(Panel(canvas, (0.42, y), (0.58, y), (0.58, y + 0.075), (0.42, y + 0.075)), rng)
    edges = (6.0, 4.0, 2.8, 2.0, 1.45, 1.05, 0.8)
    for far, near in pairwise(edges):
        for side in (-1.0, 1.0):
            high = rng.uniform(0.8, 1.3) * (1.0 + 0.12 * far)
            _front(canvas, side, far, near, high, 0).box(tone(rng, (46, 44, 66), 10), 0, 0, 1, 1)
            for level in range(1, 12):
                h = high * level / 12
                for k in range(4):
                    a, b = far + (near - far) * (k + 0.25) / 4, far + (near - far) * (k + 0.7) / 4
                    lit: Colour = (236, 200, 120) if rng.random() < 0.4 else (78, 80, 112)
                    _front(canvas, side, a, b, h, h - 0.03).box(lit, 0, 0, 1, 1)
            base = rng.uniform(0.1, 0.16)
            while base < high - 0.1:
                tall = rng.uniform(0.14, 0.34)
                a, b = far + (near - far) * 0.12, far + (near - far) * 0.88
                if rng.random() < 0.85:
                    _board(_front(canvas, side, a, b, min(base + tall, high), base), rng)
                base += tall + 0.03
    paint(canvas, rng, "traffic")
    return grained(canvas.pixels(), rng, 0.015)
