"""Complex scenes of places: underwater ruins, museum hall and bazaar."""

from __future__ import annotations

import numpy as np

from snellen.synthetic.hidden.scenery_base import (
    PALETTES,
    XX,
    YY,
    Colour,
    Field,
    Painting,
    Panel,
    Rng,
    colour,
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


def _column(
    canvas: Painting, rng: Rng, stone: Colour, x: float, half: float, foot: float, top: float, whole: bool
) -> None:
    """Draw a fluted column with a base, and a capital or a broken end."""
    jag = [top + rng.uniform(-0.03, 0.03) for _ in range(5)]
    upper = [v for k, y in enumerate(jag) for v in (x - half + half * k / 2, top if whole else y)]
    canvas.poly(stone, *upper, x + half, foot, x - half, foot)
    for part in ("column-flutes", "column-capital", "column-base"):
        if whole or part != "column-capital":
            stamp(canvas, part, stone=stone, x=x, half=half, foot=foot, top=top)


def _seabed(canvas: Painting, rng: Rng, water: Colour) -> None:
    """Draw rubble, weeds, fish and bubbles."""
    for _ in range(45):
        x, y, s = rng.uniform(0, 1), rng.uniform(0.84, 1.0), rng.uniform(0.01, 0.03)
        stamp(canvas, "rubble", stone=toward(tone(rng, (120, 136, 122), 12), water, 0.3), x=x, y=y, s=s)
    for _ in range(16):
        x, foot = rng.uniform(0, 1), rng.uniform(0.88, 1.0)
        green, sway = tone(rng, (30, 110, 70), 14), rng.uniform(2, 5)
        ys = np.linspace(0, rng.uniform(0.1, 0.22), 8)
        points = np.stack([x + 0.014 * np.sin(ys * 50 + sway), foot - ys], axis=1)
        canvas.line(green, 0.009, *points.ravel())
    for _ in range(14):
        x, y, s = rng.uniform(0.05, 0.95), rng.uniform(0.1, 0.8), rng.uniform(0.012, 0.024)
        side = 1.0 if rng.random() < 0.5 else -1.0
        stamp(canvas, "fish", scale=tone(rng, one_of(rng, "fish"), 10), x=x, y=y, s=s, side=side)
    for _ in range(26):
        x, y, r = rng.uniform(0, 1), rng.uniform(0, 0.9), rng.uniform(0.003, 0.007)
        canvas.oval(toward(water, (220, 250, 250), 0.6), x, y, r, r)


def underwater_ruins(rng: Rng) -> Field:
    """Paint broken columns and an arch on the sea bed, light falling through blue-green water."""
    mood = one_of(rng, "sea")
    top, water = mood["top"], mood["water"]
    sea = ramp(YY + 0.06 * noise(rng, 4, 4, 3), [(0, top), (0.45, water), (1, mood["low"])])
    bed = 0.85 + 0.02 * noise(rng, 5, 1, 2)
    sandy = [(0.8, toward(water, (190, 190, 150), 0.5)), (1, scaled(water, 0.6))]
    canvas = Painting(mixed(sea, ramp(YY + 0.05 * noise(rng, 30, 70, 2), sandy), step(YY - bed, 0.0, 0.02)))
    for layer in range(3):
        near = layer / 2
        stone = toward(water, tone(rng, (176, 186, 168), 6), 0.3 + 0.55 * near)
        count = 6 - layer
        for k in range(count):
            x = (k + rng.uniform(0.25, 0.75)) / count
            whole = rng.random() < 0.35
            high = rng.uniform(0.14, 0.3) if whole else rng.uniform(0.3, 0.68)
            _column(canvas, rng, stone, x, 0.018 + 0.018 * near, 0.86 + 0.04 * near, high, bool(whole))
        if layer == 1:
            x = rng.uniform(0.25, 0.75)
            stamp(canvas, "arch-feet", stone=stone, x=x)
            turn = np.linspace(np.pi, 2 * np.pi, 15)
            canvas.line(stone, 0.06, *np.stack([x + 0.14 * np.cos(turn), 0.37 + 0.15 * np.sin(turn)], axis=1).ravel())
            stamp(canvas, "lintel", stone=stone, x=x)
    _seabed(canvas, rng, water)
    image = canvas.pixels()
    source = rng.uniform(0.2, 0.8)
    angle = (XX - source) / (YY + 0.45)
    line = noise(rng, 17, 1, 2)[0]
    place = np.clip((angle * 0.5 + 0.5) * 383, 0, 383).astype(np.int32)
    rays = step(line[place], 0.1, 0.9) * (1 - step(YY, 0.25, 1.0))
    image = mixed(image, colour(*toward(top, (255, 255, 245), 0.6)), rays * 0.5)
    return grained(image, rng, 0.02)


def _picture(panel: Panel, rng: Rng) -> None:
    """Draw a framed picture of a little landscape or a portrait."""
    frame, paints = one_of(rng, "frames"), PALETTES["paints"]
    first, second, third = (tone(rng, paints[i], 14) for i in rng.permutation(len(paints))[:3])
    stamp(panel, "frame", frame=frame, ground=toward(first, (240, 230, 210), 0.4))
    if rng.random() < 0.5:
        stamp(panel, "landscape", second=second, third=third)
        return
    stamp(panel, "portrait", second=second)
    (x0, y0), (x1, _), (_, low), (_, y1) = panel.corners
    middle = (y0 + y1 + (panel.corners[1][1] - y0 + low - y1) / 2) / 2
    wide, high = abs(x1 - x0), y1 - y0
    panel.canvas.oval((224, 180, 150), (x0 + x1) / 2, middle - 0.06 * high, 0.14 * wide, 0.15 * high)


def _museum_floor(canvas: Painting, rng: Rng, low: float) -> None:
    tile = tone(rng, (176, 138, 96), 8)
    canvas.poly(tile, 0.2, low, 0.8, low, 1.2, 1.0, -0.2, 1.0)
    depths = (1 - (1 / np.linspace(1, 2.6, 9) - 1 / 2.6) / (1 - 1 / 2.6)).tolist()
    for row in range(8):
        for k in range(1 - row % 2, 10, 2):
            a, b = depths[8 - row - 1], depths[8 - row]
            ya, yb = low + (1 - low) * (1 - a), low + (1 - low) * (1 - b)
            xs = [0.5 + (k / 10 - 0.5 + d / 10) * (0.6 + 0.8 * (1 - t)) for t, d in ((a, 0), (a, 1), (b, 1), (b, 0))]
            canvas.poly(scaled(tile, 0.72), xs[0], ya, xs[1], ya, xs[2], yb, xs[3], yb)


def museum(rng: Rng) -> Field:
    """Paint a hall in perspective with framed pictures, columns, a bench and a vase on a plinth."""
    wall = one_of(rng, "walls")
    low, high = 0.7, 0.24
    canvas = Painting(ramp(YY, [(0, scaled(wall, 0.95)), (1, scaled(wall, 0.85))]))
    stamp(canvas, "hall", wall=wall)
    _museum_floor(canvas, rng, low)
    stamp(canvas, "hall-trim")
    for k in range(3):
        x0 = 0.225 + 0.19 * k
        tall = rng.uniform(0.15, 0.26)
        top = 0.44 - tall / 2 + rng.uniform(-0.02, 0.02)
        x1, foot = x0 + 0.16, top + tall
        _picture(Panel(canvas, (x0, top), (x1, top), (x1, foot), (x0, foot)), rng)
    for side in (0, 1):
        for near in (0, 1):
            up, down = 0.25 + 0.05 * near, 0.8 - 0.09 * near
            x0, x1 = (abs(side - x) for x in ((0.015, 0.085) if near == 0 else (0.115, 0.165)))
            _picture(Panel(canvas, (x0, up), (x1, up + 0.035), (x1, down - 0.05), (x0, down)), rng)
    for x in (0.2, 0.8):
        _column(canvas, rng, tone(rng, (222, 214, 200), 5), x, 0.024, low + 0.03, high - 0.02, True)
    stamp(canvas, "bench", x=rng.uniform(0.32, 0.46))
    x = rng.uniform(0.66, 0.76)
    stamp(canvas, "plinth", vase=tone(rng, one_of(rng, "vases"), 8), x=x)
    stamp(canvas, "spotlights")
    return grained(canvas.pixels(), rng, 0.02)


def _stall(canvas: Painting, rng: Rng, x: float, foot: float, wide: float) -> None:
    """Draw a table with heaps of goods under a striped, scalloped awning."""
    cloth = one_of(rng, "cloths")
    left, right = x - wide / 2, x + wide / 2
    roof, hem, table = foot - wide * 0.98, foot - wide * 0.72, foot - wide * 0.32
    place = {"left": left, "right": right, "hem": hem, "table": table, "wide": wide, "foot": foot}
    stamp(canvas, "stall-back", **place)
    for k in range(6):
        hung = tone(rng, one_of(rng, "cloths"), 14)
        long = wide * rng.uniform(0.14, 0.26)
        stamp(canvas, "hanging", cloth=hung, at=left + wide * (k + 0.5) / 6, long=long, hem=hem, wide=wide)
    stamp(canvas, "stall-table", wood=tone(rng, (136, 92, 54), 8), **place)
    for k in range(4):
        at = left + wide * (k + 0.5) / 4
        goods, r = one_of(rng, "goods"), wide * 0.034
        stamp(canvas, "basket", at=at, table=table, wide=wide)
        for row, many in enumerate((5, 4, 3, 2)):
            for j in range(many):
                px = at + (j - (many - 1) / 2) * r * 1.25
                canvas.oval(tone(rng, goods, 14), px, table - wide * 0.035 - row * r * 0.95, r * 0.75, r * 0.75)
    for k in range(8):
        stripe = cloth if k % 2 == 0 else (240, 228, 200)
        a, b = (left + wide * (edge / 8 * 1.1 - 0.05) for edge in (k, k + 1))
        ta, tb = (left + wide * (0.08 + 0.84 * edge / 8) for edge in (k, k + 1))
        stamp(canvas, "awning", stripe=stripe, left=a, right=b, topleft=ta, topright=tb, roof=roof, hem=hem, wide=wide)


def bazaar_market(rng: Rng) -> Field:
    """Paint rows of stalls with striped awnings and heaped goods, lanterns above, arches behind."""
    stone = tone(rng, (206, 166, 118), 8)
    wall = [(0, stone), (0.5, scaled(stone, 0.8)), (1, (170, 136, 96))]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 20, 20, 3), wall))
    for k in range(5):
        stamp(canvas, "arches", stone=stone, x=(k + 0.5) / 5)
    for foot, wide, count in ((0.52, 0.24, 4), (0.74, 0.32, 3), (0.99, 0.44, 2)):
        offset = rng.uniform(-0.05, 0.05)
        for k in range(-1, count + 1):
            _stall(canvas, rng, (k + 0.5) / count + offset, foot, wide * rng.uniform(0.92, 1.0))
    for k in range(9):
        x, y = (k + rng.uniform(0.2, 0.8)) / 9, rng.uniform(0.06, 0.2)
        stamp(canvas, "lantern", lamp=tone(rng, PALETTES["lamps"][k % 3], 10), x=x, y=y)
    return grained(canvas.pixels(), rng, 0.025)
