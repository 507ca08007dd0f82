"""Complex scenes of places: underwater ruins, museum hall and bazaar."""

from __future__ import annotations

import numpy as np

from snellen.synthetic.hidden.scenery_base import (
    XX,
    YY,
    Colour,
    Field,
    Painting,
    Rng,
    colour,
    mixed,
    noise,
    ramp,
    scaled,
    step,
    tone,
    toward,
)


def _column(
    canvas: Painting, rng: Rng, stone: Colour, x: float, half: float, foot: float, top: float, whole: bool
) -> None:
    """A fluted column with a base, and a capital or a broken end."""
    jag = [top + float(rng.uniform(-0.03, 0.03)) for _ in range(5)]
    if whole:
        canvas.box(stone, x - half, top, x + half, foot)
    else:
        upper = [v for k, y in enumerate(jag) for v in (x - half + half * k / 2, y)]
        canvas.poly(stone, *upper, x + half, foot, x - half, foot)
    for k in range(5):
        at = x - half * 0.8 + half * 0.4 * k
        shade = scaled(stone, (1.18, 1.08, 0.95, 0.8, 0.66)[k])
        canvas.line(shade, half * 0.2, at, top + 0.03, at, foot)
    if whole:
        canvas.box(scaled(stone, 1.12), x - half * 1.5, top - half * 0.6, x + half * 1.5, top)
        canvas.box(scaled(stone, 0.8), x - half * 1.25, top, x + half * 1.25, top + half * 0.35)
    canvas.box(scaled(stone, 0.9), x - half * 1.4, foot - half * 0.5, x + half * 1.4, foot)


def _seabed(canvas: Painting, rng: Rng, water: Colour) -> None:
    """Rubble, weeds, fish and bubbles."""
    for _ in range(45):
        x, y, s = rng.uniform(0, 1), rng.uniform(0.84, 1.0), rng.uniform(0.01, 0.03)
        stone = toward(tone(rng, (120, 136, 122), 12), water, 0.3)
        canvas.poly(
            stone, x - s, y, x - s * 0.7, y - s * 0.8, x + s * 0.4, y - s, x + s, y - s * 0.2, x + s * 0.8, y + 0.3 * s
        )
    for _ in range(16):
        x, foot = float(rng.uniform(0, 1)), float(rng.uniform(0.88, 1.0))
        green, sway = tone(rng, (30, 110, 70), 14), float(rng.uniform(2, 5))
        ys = np.linspace(0, float(rng.uniform(0.1, 0.22)), 8)
        points = np.stack([x + 0.014 * np.sin(ys * 50 + sway), foot - ys], axis=1)
        canvas.line(green, 0.009, *points.ravel())
    for _ in range(14):
        x, y, s = rng.uniform(0.05, 0.95), rng.uniform(0.1, 0.8), rng.uniform(0.012, 0.024)
        side = 1.0 if rng.random() < 0.5 else -1.0
        scale = tone(rng, ((240, 170, 60), (200, 220, 225), (235, 110, 80))[int(rng.integers(3))], 10)
        canvas.oval(scale, x, y, s, s * 0.5)
        canvas.poly(scale, x - side * s * 0.7, y, x - side * s * 1.6, y - s * 0.5, x - side * s * 1.6, y + s * 0.5)
    for _ in range(26):
        x, y, r = rng.uniform(0, 1), rng.uniform(0, 0.9), rng.uniform(0.003, 0.007)
        canvas.oval(toward(water, (220, 250, 250), 0.6), x, y, r, r)


def underwater_ruins(rng: Rng) -> Field:
    """Broken columns and an arch on the sea bed, light falling through blue-green water."""
    top, low, water = (
        ((96, 206, 210), (8, 62, 88), (26, 118, 140)),
        ((110, 200, 190), (6, 66, 74), (22, 120, 118)),
        ((100, 190, 225), (8, 48, 96), (24, 100, 150)),
    )[int(rng.integers(3))]
    sea = ramp(YY + 0.06 * noise(rng, 4, 4, 3), [(0, top), (0.45, water), (1, low)])
    bed = 0.85 + 0.02 * noise(rng, 5, 1, 2)
    sand = ramp(
        YY + 0.05 * noise(rng, 30, 70, 2), [(0.8, toward(water, (190, 190, 150), 0.5)), (1, scaled(water, 0.6))]
    )
    canvas = Painting(mixed(sea, sand, step(YY - bed, 0.0, 0.02)))
    for layer in range(3):
        near = layer / 2
        stone = toward(water, tone(rng, (176, 186, 168), 6), 0.3 + 0.55 * near)
        half = 0.018 + 0.018 * near
        foot = 0.86 + 0.04 * near
        count = 6 - layer
        for k in range(count):
            x = (k + float(rng.uniform(0.25, 0.75))) / count
            whole = rng.random() < 0.35
            high = float(rng.uniform(0.14, 0.3)) if whole else float(rng.uniform(0.3, 0.68))
            _column(canvas, rng, stone, x, half, foot, high, bool(whole))
        if layer == 1:
            x = float(rng.uniform(0.25, 0.75))
            canvas.box(stone, x - 0.17, 0.36, x - 0.11, 0.87)
            canvas.box(stone, x + 0.11, 0.36, x + 0.17, 0.87)
            turn = np.linspace(np.pi, 2 * np.pi, 15)
            canvas.line(stone, 0.06, *np.stack([x + 0.14 * np.cos(turn), 0.37 + 0.15 * np.sin(turn)], axis=1).ravel())
            canvas.poly(
                scaled(stone, 1.1), x - 0.26, 0.22, x + 0.2, 0.2, x + 0.22, 0.15, x + 0.05, 0.11, x - 0.26, 0.17
            )
    _seabed(canvas, rng, water)
    image = canvas.pixels()
    source = float(rng.uniform(0.2, 0.8))
    angle = (XX - source) / (YY + 0.45)
    line = noise(rng, 17, 1, 2)[0]
    place = np.clip((angle * 0.5 + 0.5) * 383, 0, 383).astype(np.int32)
    rays = step(line[place], 0.1, 0.9) * (1 - step(YY, 0.25, 1.0))
    image = mixed(image, colour(*toward(top, (255, 255, 245), 0.6)), rays * 0.5)
    return image + 0.02 * noise(rng, 130, 130)[..., None]


_FRAME: tuple[Colour, ...] = ((196, 152, 62), (150, 104, 44), (70, 48, 34))
_PAINT: tuple[Colour, ...] = (
    (60, 90, 130),
    (150, 60, 50),
    (90, 120, 70),
    (220, 190, 130),
    (110, 80, 120),
    (40, 60, 70),
)


def _painting(
    canvas: Painting, rng: Rng, at: tuple[float, float, float, float], lean: tuple[float, float] = (0.0, 0.0)
) -> None:
    """A framed picture of a little landscape or a portrait; `lean` moves the right edge's top and bottom."""
    x0, y0, x1, y1 = at
    frame = _FRAME[int(rng.integers(3))]

    def quad(fill: Colour, u0: float, v0: float, u1: float, v1: float) -> None:
        def y(u: float, v: float) -> float:
            return (y0 + lean[0] * u) * (1 - v) + (y1 + lean[1] * u) * v

        a, b = x0 + (x1 - x0) * u0, x0 + (x1 - x0) * u1
        canvas.poly(fill, a, y(u0, v0), b, y(u1, v0), b, y(u1, v1), a, y(u0, v1))

    quad(scaled(frame, 0.45), 0.02, 0.03, 1.05, 1.06)
    quad(frame, 0, 0, 1, 1)
    quad(scaled(frame, 1.3), 0.04, 0.04, 0.96, 0.96)
    quad(scaled(frame, 0.6), 0.1, 0.1, 0.9, 0.9)
    first, second, third = (tone(rng, _PAINT[i], 14) for i in rng.permutation(len(_PAINT))[:3])
    quad(toward(first, (240, 230, 210), 0.4), 0.12, 0.12, 0.88, 0.88)
    if rng.random() < 0.5:
        quad(second, 0.12, 0.58, 0.88, 0.88)
        quad(third, 0.2, 0.4, 0.42, 0.7)
        quad(scaled(second, 1.3), 0.5, 0.48, 0.88, 0.62)
    else:
        x, y = (x0 + x1) / 2, (y0 + y1 + (lean[0] + lean[1]) / 2) / 2
        quad(second, 0.3, 0.6, 0.7, 0.88)
        canvas.oval((224, 180, 150), x, y - 0.06 * (y1 - y0), 0.14 * abs(x1 - x0), 0.15 * (y1 - y0))


def _museum_floor(canvas: Painting, rng: Rng, low: float) -> None:
    tile = tone(rng, (176, 138, 96), 8)
    canvas.poly(tile, 0.2, low, 0.8, low, 1.2, 1.0, -0.2, 1.0)
    depths = 1 - (1 / np.linspace(1, 2.6, 9) - 1 / 2.6) / (1 - 1 / 2.6)
    for row in range(8):
        for k in range(10):
            if (row + k) % 2 == 0:
                continue
            a, b = float(depths[8 - row - 1]), float(depths[8 - row])
            ya, yb = low + (1 - low) * (1 - a), low + (1 - low) * (1 - b)
            xs = [0.5 + (k / 10 - 0.5 + d / 10) * (0.6 + 0.8 * (1 - t)) for t, d in ((a, 0), (a, 1), (b, 1), (b, 0))]
            canvas.poly(scaled(tile, 0.72), xs[0], ya, xs[1], ya, xs[2], yb, xs[3], yb)


def museum(rng: Rng) -> Field:
    """A hall in perspective with framed pictures, columns, a bench and a vase on a plinth."""
    wall: Colour = ((226, 218, 204), (150, 72, 66), (116, 138, 122), (208, 200, 188))[int(rng.integers(4))]
    low, high = 0.7, 0.24
    canvas = Painting(ramp(YY, [(0, scaled(wall, 0.95)), (1, scaled(wall, 0.85))]))
    canvas.poly((238, 232, 222), 0.0, 0.0, 1.0, 0.0, 0.8, high, 0.2, high)
    canvas.poly((255, 252, 240), 0.3, 0.0, 0.7, 0.0, 0.6, high * 0.86, 0.4, high * 0.86)
    for k in range(5):
        y = high * 0.86 * k / 5
        canvas.line((188, 182, 172), 0.005, 0.3 + 0.1 * y / (high * 0.86), y, 0.7 - 0.1 * y / (high * 0.86), y)
    canvas.poly(scaled(wall, 0.82), 0, 0, 0.2, high, 0.2, low, 0, 1)
    canvas.poly(scaled(wall, 0.76), 1, 0, 0.8, high, 0.8, low, 1, 1)
    canvas.box(wall, 0.2, high, 0.8, low)
    _museum_floor(canvas, rng, low)
    trim: Colour = (238, 230, 214)
    canvas.line(trim, 0.012, 0, 0, 0.2, high, 0.8, high, 1, 0)
    canvas.line(scaled(trim, 0.5), 0.012, 0, 1, 0.2, low, 0.8, low, 1, 1)
    for k in range(3):
        x0 = 0.225 + 0.19 * k
        tall = float(rng.uniform(0.15, 0.26))
        top = 0.44 - tall / 2 + float(rng.uniform(-0.02, 0.02))
        _painting(canvas, rng, (x0, top, x0 + 0.16, top + tall))
    for side in (0, 1):
        for near in (0, 1):
            a, b = (0.015, 0.085) if near == 0 else (0.115, 0.165)
            up, down = 0.25 + 0.05 * near, 0.8 - 0.09 * near
            lean = (0.035, -0.05)
            x0, x1 = (a, b) if side == 0 else (1 - a, 1 - b)
            _painting(canvas, rng, (x0, up, x1, down), lean)
    for x in (0.2, 0.8):
        _column(canvas, rng, tone(rng, (222, 214, 200), 5), x, 0.024, low + 0.03, high - 0.02, True)
    x, y = float(rng.uniform(0.32, 0.46)), 0.86
    canvas.box((92, 52, 40), x - 0.16, y - 0.02, x + 0.16, y + 0.025)
    for dx in (-0.14, 0.12):
        canvas.box((50, 34, 28), x + dx, y + 0.025, x + dx + 0.02, y + 0.08)
    x = float(rng.uniform(0.66, 0.76))
    canvas.box((232, 228, 220), x - 0.05, 0.74, x + 0.05, 0.93)
    canvas.box((176, 170, 162), x + 0.025, 0.74, x + 0.05, 0.93)
    vase = tone(rng, ((60, 96, 150), (176, 90, 56), (74, 120, 104))[int(rng.integers(3))], 8)
    canvas.oval(vase, x, 0.685, 0.035, 0.05)
    canvas.box(vase, x - 0.014, 0.61, x + 0.014, 0.65)
    canvas.oval(scaled(vase, 1.3), x, 0.612, 0.024, 0.008)
    for x in (0.3, 0.5, 0.7):
        canvas.poly((255, 246, 210), x - 0.008, high, x + 0.008, high, x + 0.012, high + 0.02, x - 0.012, high + 0.02)
    return canvas.pixels() + 0.02 * noise(rng, 130, 130)[..., None]


_CLOTH: tuple[Colour, ...] = (
    (200, 50, 45),
    (30, 120, 130),
    (225, 150, 30),
    (60, 110, 60),
    (130, 50, 110),
    (35, 80, 150),
)
_GOODS: tuple[Colour, ...] = (
    (235, 130, 30),
    (200, 40, 40),
    (230, 200, 60),
    (110, 150, 50),
    (150, 80, 40),
    (190, 60, 110),
)


def _stall(canvas: Painting, rng: Rng, x: float, foot: float, wide: float) -> None:
    """A table with heaps of goods under a striped, scalloped awning."""
    cloth = _CLOTH[int(rng.integers(len(_CLOTH)))]
    left, right = x - wide / 2, x + wide / 2
    roof, hem, table = foot - wide * 0.98, foot - wide * 0.72, foot - wide * 0.32
    canvas.box((66, 44, 34), left, hem, right, table)
    for k in range(6):
        at = left + wide * (k + 0.5) / 6
        fill = tone(rng, _CLOTH[int(rng.integers(len(_CLOTH)))], 14)
        canvas.box(
            fill, at - wide * 0.06, hem + wide * 0.06, at + wide * 0.05, hem + wide * float(rng.uniform(0.14, 0.26))
        )
    canvas.line((86, 58, 36), wide * 0.035, left + wide * 0.02, hem, left + wide * 0.02, foot)
    canvas.line((86, 58, 36), wide * 0.035, right - wide * 0.02, hem, right - wide * 0.02, foot)
    canvas.box(tone(rng, (136, 92, 54), 8), left, table, right, foot)
    for k in range(5):
        canvas.line((92, 60, 36), 0.003, left + wide * k / 4, table, left + wide * k / 4, foot)
    baskets = 4
    for k in range(baskets):
        at = left + wide * (k + 0.5) / baskets
        goods, r = _GOODS[int(rng.integers(len(_GOODS)))], wide * 0.034
        canvas.poly((112, 76, 42), at - wide * 0.11, table - wide * 0.03, at + wide * 0.11, table - wide * 0.03,
                    at + wide * 0.08, table + wide * 0.08, at - wide * 0.08, table + wide * 0.08)  # fmt: skip
        for row, many in enumerate((5, 4, 3, 2)):
            for j in range(many):
                px = at + (j - (many - 1) / 2) * r * 1.25
                canvas.oval(tone(rng, goods, 14), px, table - wide * 0.035 - row * r * 0.95, r * 0.75, r * 0.75)
    stripes = 8
    for k in range(stripes):
        fill = cloth if k % 2 == 0 else (240, 228, 200)
        a, b = left + wide * (k / stripes * 1.1 - 0.05), left + wide * ((k + 1) / stripes * 1.1 - 0.05)
        ta, tb = left + wide * (0.08 + 0.84 * k / stripes), left + wide * (0.08 + 0.84 * (k + 1) / stripes)
        canvas.poly(fill, ta, roof, tb, roof, b, hem, a, hem)
        canvas.oval(scaled(fill, 0.86), (a + b) / 2, hem, (b - a) / 2, wide * 0.05)


def bazaar_market(rng: Rng) -> Field:
    """Rows of stalls with striped awnings and heaped goods, lanterns above, arches behind."""
    stone = tone(rng, (206, 166, 118), 8)
    canvas = Painting(
        ramp(YY + 0.04 * noise(rng, 20, 20, 3), [(0, stone), (0.5, scaled(stone, 0.8)), (1, (170, 136, 96))])
    )
    for k in range(5):
        x = (k + 0.5) / 5
        canvas.box((84, 54, 38), x - 0.065, 0.16, x + 0.065, 0.42)
        canvas.poly((84, 54, 38), x - 0.065, 0.165, x - 0.045, 0.1, x, 0.055, x + 0.045, 0.1, x + 0.065, 0.165)
        canvas.line(scaled(stone, 1.2), 0.008, x - 0.068, 0.42, x - 0.068, 0.165, x - 0.045, 0.1, x, 0.05,
                    x + 0.045, 0.1, x + 0.068, 0.165, x + 0.068, 0.42)  # fmt: skip
    for foot, wide, count in ((0.52, 0.24, 4), (0.74, 0.32, 3), (0.99, 0.44, 2)):
        offset = float(rng.uniform(-0.05, 0.05))
        for k in range(-1, count + 1):
            _stall(canvas, rng, (k + 0.5) / count + offset, foot, wide * float(rng.uniform(0.92, 1.0)))
    for k in range(9):
        x, y = (k + float(rng.uniform(0.2, 0.8))) / 9, float(rng.uniform(0.06, 0.2))
        lamp = tone(rng, ((250, 200, 90), (240, 120, 70), (110, 200, 190))[k % 3], 10)
        canvas.line((60, 40, 30), 0.003, x, 0, x, y)
        canvas.oval(lamp, x, y, 0.02, 0.026)
        canvas.oval((255, 246, 205), x, y, 0.008, 0.012)
        canvas.box((80, 50, 30), x - 0.009, y - 0.032, x + 0.009, y - 0.024)
    return canvas.pixels() + 0.025 * noise(rng, 130, 130)[..., None]
