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
    ramp,
    scaled,
    stamp,
    step,
    tone,
    toward,
)


def _tower(canvas: Painting, rng: Rng, x: float, top: float, half: float, foot: float) -> None:
    """Draw a round stone tower with battlements or a pointed roof."""
    stone = tone(rng, (150, 142, 130), 8)
    stamp(canvas, "tower", stone=stone, x=x, top=top, half=half, foot=foot)
    for row in range(int((foot - top) / 0.025)):
        stamp(canvas, "tower-course", stone=stone, x=x, half=half, y=top + 0.025 * row)
    end = "tower-roof" if rng.random() < 0.5 else "tower-battlements"
    stamp(canvas, end, stone=stone, x=x, top=top, half=half)
    stamp(canvas, "tower-window", x=x, top=top)


def _cottage(canvas: Painting, rng: Rng, x: float, foot: float, wide: float, wall: float) -> None:
    """Draw a half-timbered gable house seen from the front."""
    plaster, roof = tone(rng, (228, 212, 178), 8), tone(rng, one_of(rng, "roofs"), 8)
    eave = foot - wall
    peak = eave - wide * rng.uniform(0.62, 0.8)
    glass: Colour = (250, 205, 110) if rng.random() < 0.5 else (92, 104, 116)
    colours = {"plaster": plaster, "roof": roof, "glass": glass}
    left, right = x - wide / 2, x + wide / 2
    stamp(
        canvas, "cottage", x=x, foot=foot, wide=wide, wall=wall, left=left, right=right, eave=eave, peak=peak, **colours
    )


def medieval_village(rng: Rng) -> Field:
    """Paint half-timbered houses with steep gables, stone towers on a hill, a cobbled lane."""
    sky = ramp(YY + 0.05 * noise(rng, 4, 8, 3), RAMPS["village-sky"])
    hill = 0.4 - 0.08 * step(noise(rng, 3, 1), -0.5, 0.8)
    grass = ramp(YY + 0.06 * noise(rng, 60, 80, 2), RAMPS["village-grass"])
    canvas = Painting(mixed(sky, grass, step(YY - hill, 0.0, 0.01)))
    castle = rng.uniform(0.25, 0.75)
    stamp(canvas, "castle", x=castle)
    for dx in (-0.16, 0.02, 0.16):
        _tower(canvas, rng, castle + dx, rng.uniform(0.12, 0.2), 0.032, 0.44)
    for row, (foot, wide, count) in enumerate(((0.52, 0.12, 7), (0.68, 0.18, 5), (0.9, 0.28, 4))):
        offset = rng.uniform(0, 1 / count)
        for k in range(count + 1):
            x = k / count + offset - 0.5 / count + rng.uniform(-0.01, 0.01)
            if row == 2 and abs(x - 0.5) < 0.12:
                continue
            _cottage(canvas, rng, x, foot + rng.uniform(-0.012, 0.012), wide * rng.uniform(0.85, 1.05), wide * 0.72)
    stamp(canvas, "lane")
    for _ in range(170):
        y, x = rng.uniform(0.88, 1.0), rng.uniform(0, 1)
        stamp(canvas, "cobble", stone=tone(rng, (146, 134, 118), 14), x=x, y=y)
    return grained(canvas.pixels(), rng, 0.025)


_TOPS = ("block-setback", "block-spire", "block-roof")


def _skyscraper(canvas: Painting, rng: Rng, x: float, wide: float, top: float, wall: Colour, glass: Colour) -> None:
    """Draw a block with a grid of windows, a shaded side and sometimes a spire or a setback."""
    stamp(canvas, "block", wall=wall, x=x, wide=wide, top=top)
    kind = int(rng.integers(4))
    if kind < len(_TOPS):
        stamp(canvas, _TOPS[kind], wall=wall, x=x, wide=wide, top=top)
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
    stamp(canvas, "street")
    for k in range(12):
        x = k / 12 + rng.uniform(0, 0.05)
        stamp(canvas, "car", car=tone(rng, PALETTES["cars"][k % 3], 12), x=x)
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
    stamp(panel, "board", face=face)
    if rng.random() < 0.4:
        stamp(panel, "board-shade", face=face)
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


def _traffic(canvas: Painting, rng: Rng) -> None:
    """Draw reflections on the street, cabs and people."""
    for _ in range(60):
        x, y = rng.uniform(0.0, 1.0), rng.uniform(0.73, 1.0)
        glow = scaled(one_of(rng, "neon"), 0.5)
        if abs(x - 0.5) < (y - 0.7) * 2:
            canvas.line(glow, 0.003, x - 0.012, y, x + 0.012, y)
    for k in range(4):
        depth = 3.6 - 0.75 * k + rng.uniform(-0.2, 0.2)
        stamp(canvas, "cab", x=0.5 + (0.28 if k % 2 else -0.28) / depth, y=0.7 + 0.34 / depth, s=0.16 / depth)
    for _ in range(34):
        x, y = rng.uniform(0, 1), rng.uniform(0.86, 1.02)
        if abs(x - 0.5) > 0.12:
            coat, face = tone(rng, (30, 30, 42), 12), tone(rng, (150, 110, 90), 15)
            stamp(canvas, "walker", coat=coat, face=face, x=x, y=y, s=0.02 + 0.12 * (y - 0.8))


def time_square(rng: Rng) -> Field:
    """Paint a street at night between fronts full of bright billboards, with a crowd and yellow cabs."""
    canvas = Painting(ramp(YY, RAMPS["night-sky"]))
    stamp(canvas, "night")
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
    _traffic(canvas, rng)
    return grained(canvas.pixels(), rng, 0.015)
