"""Complex scenes under the open sky: medieval village, city, and the night street of Time_square."""

from __future__ import annotations

from itertools import pairwise

from snellen.synthetic.hidden.scenery_base import (
    YY,
    Colour,
    Field,
    Painting,
    Rng,
    mixed,
    noise,
    ramp,
    scaled,
    step,
    tone,
    toward,
)

_BEAM: Colour = (74, 48, 30)
_STONE: Colour = (150, 142, 130)


def _tower(canvas: Painting, rng: Rng, x: float, top: float, half: float, foot: float) -> None:
    """A round stone tower with battlements or a pointed roof."""
    stone = tone(rng, _STONE, 8)
    canvas.box(stone, x - half, top, x + half, foot)
    canvas.box(scaled(stone, 0.78), x + half * 0.35, top, x + half, foot)
    for row in range(int((foot - top) / 0.025)):
        y = top + 0.025 * row
        canvas.line(scaled(stone, 0.84), 0.0018, x - half, y, x + half, y)
    if rng.random() < 0.5:
        canvas.poly((128, 58, 44), x - half * 1.3, top, x, top - half * 3.0, x + half * 1.3, top)
        canvas.poly((98, 42, 34), x, top, x, top - half * 3.0, x + half * 1.3, top)
    else:
        canvas.box(stone, x - half * 1.2, top - 0.02, x + half * 1.2, top)
        for k in range(4):
            left = x - half * 1.2 + k * half * 0.686
            canvas.box(scaled(stone, 1.05), left, top - 0.045, left + half * 0.36, top - 0.02)
    canvas.box((40, 34, 34), x - 0.008, top + 0.04, x + 0.008, top + 0.085)


def _cottage(canvas: Painting, rng: Rng, x: float, foot: float, wide: float, wall: float) -> None:
    """A half-timbered gable house seen from the front."""
    plaster = tone(rng, (228, 212, 178), 8)
    roof = tone(rng, ((150, 72, 48), (118, 70, 50), (140, 92, 56))[int(rng.integers(3))], 8)
    left, right, eave = x - wide / 2, x + wide / 2, foot - wall
    peak = eave - wide * float(rng.uniform(0.62, 0.8))
    canvas.box(plaster, left, eave, right, foot)
    canvas.poly(plaster, left, eave, x, peak, right, eave)
    thick = wide * 0.05
    for k in range(4):
        at = left + wide * k / 3
        canvas.line(_BEAM, thick, at, eave, at, foot)
    for y in (eave, eave + wall * 0.48, foot):
        canvas.line(_BEAM, thick, left, y, right, y)
    canvas.line(_BEAM, thick, left, foot, left + wide / 3, eave + wall * 0.48)
    canvas.line(_BEAM, thick, right, foot, right - wide / 3, eave + wall * 0.48)
    canvas.line(_BEAM, thick, x, peak, x, eave)
    canvas.line(_BEAM, thick, x - wide / 4, (eave + peak) / 2, x + wide / 4, (eave + peak) / 2)
    over = wide * 0.1
    canvas.line(roof, wide * 0.13, left - over, eave + over, x, peak, right + over, eave + over)
    canvas.line(
        scaled(roof, 0.6), wide * 0.03, left - over, eave + over * 1.7, x, peak + over, right + over, eave + over * 1.7
    )
    glass: Colour = (250, 205, 110) if rng.random() < 0.5 else (92, 104, 116)
    for k in (0, 2):
        at = left + wide * (k + 0.5) / 3
        canvas.box(glass, at - wide * 0.075, eave + wall * 0.12, at + wide * 0.075, eave + wall * 0.4)
        canvas.line(_BEAM, thick * 0.4, at, eave + wall * 0.12, at, eave + wall * 0.4)
    canvas.box((88, 54, 32), x - wide * 0.1, foot - wall * 0.42, x + wide * 0.1, foot)


def medieval_village(rng: Rng) -> Field:
    """Half-timbered houses with steep gables, stone towers on a hill, a cobbled lane."""
    sky = ramp(YY + 0.05 * noise(rng, 4, 8, 3), [(0, (138, 170, 200)), (0.5, (228, 216, 196))])
    hill = 0.4 - 0.08 * step(noise(rng, 3, 1), -0.5, 0.8)
    grass = ramp(YY + 0.06 * noise(rng, 60, 80, 2), [(0.3, (132, 150, 92)), (0.75, (106, 112, 62))])
    canvas = Painting(mixed(sky, grass, step(YY - hill, 0.0, 0.01)))
    castle = float(rng.uniform(0.25, 0.75))
    canvas.box(scaled(_STONE, 0.9), castle - 0.16, 0.24, castle + 0.16, 0.42)
    for k in range(11):
        canvas.box(scaled(_STONE, 0.9), castle - 0.16 + 0.03 * k, 0.222, castle - 0.143 + 0.03 * k, 0.24)
    for dx in (-0.16, 0.02, 0.16):
        _tower(canvas, rng, castle + dx, float(rng.uniform(0.12, 0.2)), 0.032, 0.44)
    for row, (foot, wide, count) in enumerate(((0.52, 0.12, 7), (0.68, 0.18, 5), (0.9, 0.28, 4))):
        offset = rng.uniform(0, 1 / count)
        for k in range(count + 1):
            x = k / count + offset - 0.5 / count + rng.uniform(-0.01, 0.01)
            if row == 2 and abs(x - 0.5) < 0.12:
                continue
            _cottage(canvas, rng, x, foot + rng.uniform(-0.012, 0.012), wide * rng.uniform(0.85, 1.05), wide * 0.72)
    canvas.poly((140, 126, 108), 0.0, 1.0, 0.0, 0.93, 0.42, 0.86, 0.58, 0.86, 1.0, 0.93, 1.0, 1.0)
    for _ in range(170):
        y = rng.uniform(0.88, 1.0)
        x = rng.uniform(0, 1)
        canvas.oval(tone(rng, (146, 134, 118), 14), x, y, 0.014, 0.007)
    return canvas.pixels() + 0.025 * noise(rng, 130, 130)[..., None]


def _skyscraper(canvas: Painting, rng: Rng, x: float, wide: float, top: float, wall: Colour, glass: Colour) -> None:
    """A block with a grid of windows, a shaded side and sometimes a spire or a setback."""
    canvas.box(wall, x, top, x + wide, 1.0)
    canvas.box(scaled(wall, 0.72), x + wide * 0.8, top, x + wide, 1.0)
    kind = int(rng.integers(4))
    if kind == 0:
        canvas.box(wall, x + wide * 0.25, top - 0.05, x + wide * 0.75, top)
    elif kind == 1:
        canvas.line(scaled(wall, 0.7), 0.004, x + wide / 2, top, x + wide / 2, top - 0.09)
    elif kind == 2:
        canvas.poly(scaled(wall, 0.9), x, top, x + wide / 2, top - 0.05, x + wide, top)
    columns = max(3, int(wide / 0.022))
    pitch = wide / columns
    rows = int((1.0 - top) / 0.024)
    shine = rng.random((rows, columns))
    bright: Colour = (255, 226, 150)
    if rng.random() < 0.3:
        for r in range(rows):
            y = top + 0.012 + r * 0.024
            canvas.box(
                scaled(glass, 0.8 + 0.4 * float(shine[r, 0])), x + 0.2 * pitch, y, x + wide - 0.2 * pitch, y + 0.013
            )
        return
    for r in range(rows):
        y = top + 0.012 + r * 0.024
        for c in range(columns):
            fill = bright if shine[r, c] > 0.86 else scaled(glass, 0.75 + 0.5 * float(shine[r, c]))
            left = x + (c + 0.22) * pitch
            canvas.box(fill, left, y, left + pitch * 0.56, y + 0.014)


def city(rng: Rng) -> Field:
    """A skyline of skyscrapers with rows of windows, by day or at dusk."""
    sky_top, sky_low, glass = (
        ((120, 165, 210), (222, 230, 236), (96, 128, 158)),
        ((150, 175, 200), (240, 228, 210), (84, 110, 140)),
        ((92, 100, 150), (248, 190, 150), (74, 84, 118)),
    )[int(rng.integers(3))]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 4, 9, 3), [(0, sky_top), (0.6, sky_low)]))
    for layer, count in enumerate((9, 7, 5)):
        x = float(rng.uniform(-0.1, 0.0))
        while x < 1.0:
            wide = float(rng.uniform(0.7, 1.3)) / count
            top = float(rng.uniform(0.1, 0.34)) + 0.15 * layer
            grey = tone(
                rng, ((170, 172, 176), (156, 148, 140), (128, 142, 160), (182, 168, 150))[int(rng.integers(4))], 10
            )
            far = 0.5 - 0.25 * layer
            _skyscraper(canvas, rng, x, wide, top, toward(scaled(grey, 0.9), sky_low, far), toward(glass, sky_low, far))
            x += wide * float(rng.uniform(0.95, 1.1))
    canvas.box((70, 72, 76), 0.0, 0.955, 1.0, 1.0)
    for k in range(12):
        x = k / 12 + float(rng.uniform(0, 0.05))
        canvas.box(tone(rng, ((180, 50, 45), (230, 230, 230), (40, 60, 110))[k % 3], 12), x, 0.962, x + 0.04, 0.98)
    return canvas.pixels() + 0.02 * noise(rng, 130, 130)[..., None]


_NEON: tuple[Colour, ...] = (
    (255, 50, 90),
    (40, 170, 255),
    (255, 205, 40),
    (60, 235, 140),
    (215, 80, 255),
    (255, 120, 30),
    (245, 245, 255),
)


def _wall(side: float, depth: float, height: float) -> tuple[float, float]:
    """A point of the left (-1) or right (1) house front: near is depth 1, the vanishing point is far away."""
    return 0.5 + side * 0.56 / depth, 0.7 - height / depth


def _board(canvas: Painting, rng: Rng, corners: tuple[tuple[float, float], ...]) -> None:
    """A glowing advertisement: a coloured face with blocks, discs and bars like letters on it."""
    face, ink = (_NEON[i] for i in rng.permutation(len(_NEON))[:2])
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners

    def at(u: float, v: float) -> tuple[float, float]:
        top, low = (ax + (bx - ax) * u, ay + (by - ay) * u), (dx + (cx - dx) * u, dy + (cy - dy) * u)
        return top[0] + (low[0] - top[0]) * v, top[1] + (low[1] - top[1]) * v

    def quad(fill: Colour, u0: float, v0: float, u1: float, v1: float) -> None:
        canvas.poly(fill, *at(u0, v0), *at(u1, v0), *at(u1, v1), *at(u0, v1))

    quad((20, 20, 26), -0.05, -0.04, 1.05, 1.04)
    quad(face, 0, 0, 1, 1)
    if rng.random() < 0.4:
        quad(scaled(face, 0.6), 0, 0.5, 1, 1)
    if rng.random() < 0.5:
        x, y = at(0.5, 0.35)
        r = 0.22 * min(abs(bx - ax), abs(dy - ay))
        canvas.oval(ink, x, y, r, r)
    for row in range(int(rng.integers(1, 4))):
        v, u = 0.58 + 0.13 * row, 0.1
        while u < 0.85:
            wide = float(rng.uniform(0.05, 0.14))
            quad(ink, u, v, min(0.9, u + wide), v + 0.08)
            u += wide + 0.04


def _traffic(canvas: Painting, rng: Rng) -> None:
    """Reflections on the street, cabs and people."""
    for _ in range(60):
        x, y = rng.uniform(0.0, 1.0), rng.uniform(0.73, 1.0)
        glow = scaled(_NEON[int(rng.integers(len(_NEON)))], 0.5)
        if abs(x - 0.5) < (y - 0.7) * 2:
            canvas.line(glow, 0.003, x - 0.012, y, x + 0.012, y)
    for k in range(4):
        depth = 3.6 - 0.75 * k + float(rng.uniform(-0.2, 0.2))
        x, y, s = 0.5 + (0.28 if k % 2 else -0.28) / depth, 0.7 + 0.34 / depth, 0.16 / depth
        canvas.box((245, 190, 30), x - s, y - s * 0.7, x + s, y)
        canvas.box((40, 44, 60), x - s * 0.6, y - s * 1.1, x + s * 0.6, y - s * 0.6)
        canvas.oval((255, 250, 210), x - s * 0.7, y - s * 0.3, s * 0.16, s * 0.16)
        canvas.oval((255, 250, 210), x + s * 0.7, y - s * 0.3, s * 0.16, s * 0.16)
    for _ in range(34):
        x, y = float(rng.uniform(0, 1)), float(rng.uniform(0.86, 1.02))
        if abs(x - 0.5) > 0.12:
            s, coat = 0.02 + 0.12 * (y - 0.8), tone(rng, (30, 30, 42), 12)
            canvas.oval(coat, x, y, s * 0.5, s)
            canvas.oval(tone(rng, (150, 110, 90), 15), x, y - s * 1.2, s * 0.28, s * 0.32)


def time_square(rng: Rng) -> Field:
    """A street at night between fronts full of bright billboards, with a crowd and yellow cabs."""
    canvas = Painting(ramp(YY, [(0, (12, 14, 38)), (0.6, (60, 44, 84)), (0.72, (96, 70, 100)), (1, (26, 26, 36))]))
    canvas.box((150, 120, 150), 0.44, 0.56, 0.56, 0.7)
    canvas.poly((44, 42, 54), 0.5, 0.7, 1.15, 1.0, -0.15, 1.0)
    canvas.box((46, 44, 66), 0.4, 0.2, 0.6, 0.68)
    for k in range(5):
        y = 0.22 + 0.09 * k
        _board(canvas, rng, ((0.42, y), (0.58, y), (0.58, y + 0.075), (0.42, y + 0.075)))
    edges = (6.0, 4.0, 2.8, 2.0, 1.45, 1.05, 0.8)
    for far, near in pairwise(edges):
        for side in (-1.0, 1.0):
            high = float(rng.uniform(0.8, 1.3)) * (1.0 + 0.12 * far)
            front = tone(rng, (46, 44, 66), 10)
            canvas.poly(
                front, *_wall(side, far, high), *_wall(side, near, high), *_wall(side, near, 0), *_wall(side, far, 0)
            )
            for level in range(1, 12):
                h = high * level / 12
                for k in range(4):
                    a, b = far + (near - far) * (k + 0.25) / 4, far + (near - far) * (k + 0.7) / 4
                    lit: Colour = (236, 200, 120) if rng.random() < 0.4 else (78, 80, 112)
                    canvas.poly(
                        lit,
                        *_wall(side, a, h),
                        *_wall(side, b, h),
                        *_wall(side, b, h - 0.03),
                        *_wall(side, a, h - 0.03),
                    )
            base = float(rng.uniform(0.1, 0.16))
            while base < high - 0.1:
                tall = float(rng.uniform(0.14, 0.34))
                a, b = far + (near - far) * 0.12, far + (near - far) * 0.88
                top = min(base + tall, high)
                if rng.random() < 0.85:
                    _board(
                        canvas,
                        rng,
                        (_wall(side, a, top), _wall(side, b, top), _wall(side, b, base), _wall(side, a, base)),
                    )
                base += tall + 0.03
    _traffic(canvas, rng)
    return canvas.pixels() + 0.015 * noise(rng, 130, 130)[..., None]
