"""Complex scenes of places: underwater ruins, museum hall and bazaar."""

from __future__ import annotations

import numpy as np

from snellen.synthetic.hidden.scenery_base import (
    PALETTES,
    XX,
    YY,
    Field,
    Painting,
    Panel,
    Rng,
    colour,
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


def underwater_ruins(rng: Rng) -> Field:
    """Paint broken columns and an arch on the sea bed, light falling through blue-green water."""
    mood = one_of(rng, "sea")
    top, water = mood["top"], mood["water"]
    sea = ramp(YY + 0.06 * noise(rng, 4, 4, 3), [(0, top), (0.45, water), (1, mood["low"])])
    bed = 0.85 + 0.02 * noise(rng, 5, 1, 2)
    sandy = [(0.8, toward(water, (190, 190, 150), 0.5)), (1, scaled(water, 0.6))]
    canvas = Painting(mixed(sea, ramp(YY + 0.05 * noise(rng, 30, 70, 2), sandy), step(YY - bed, 0.0, 0.02)))
    paint(canvas, rng, "ruins", water=water)
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
    paint(panel, rng, "frame", frame=frame, ground=toward(first, (240, 230, 210), 0.4))
    if rng.random() < 0.5:
        paint(panel, rng, "landscape", second=second, third=third)
        return
    paint(panel, rng, "portrait", second=second)
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
    low = 0.7
    canvas = Painting(ramp(YY, [(0, scaled(wall, 0.95)), (1, scaled(wall, 0.85))]))
    paint(canvas, rng, "hall", wall=wall)
    _museum_floor(canvas, rng, low)
    paint(canvas, rng, "hall-trim")
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
    paint(canvas, rng, "exhibits")
    return grained(canvas.pixels(), rng, 0.02)


def bazaar_market(rng: Rng) -> Field:
    """Paint rows of stalls with striped awnings and heaped goods, lanterns above, arches behind."""
    stone = tone(rng, (206, 166, 118), 8)
    wall = [(0, stone), (0.5, scaled(stone, 0.8)), (1, (170, 136, 96))]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 20, 20, 3), wall))
    paint(canvas, rng, "bazaar", stone=stone)
    return grained(canvas.pixels(), rng, 0.025)
