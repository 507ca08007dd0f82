"""The eleven scenes: five simple ones (ocean, sand dunes, clouds, origami, forest), and six of places with many things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from snellen.synthetic.hidden.scenery_base import (
    RAMPS,
    SIZE,
    XX,
    YY,
    Field,
    Painting,
    Rng,
    colour,
    grained,
    mixed,
    noise,
    one_of,
    paint,
    ramp,
    scaled,
    steady,
    step,
    tone,
    toward,
)


def _ocean(rng: Rng) -> Field:
    """Paint water with rolling waves in perspective, a horizon and the sun's glitter."""
    horizon = rng.uniform(0.2, 0.34)
    mood = one_of(rng, "ocean")
    sky = ramp(YY + 0.03 * noise(rng, 4, 10, 3), [(0, mood["top"]), (horizon, mood["low"])])
    depth = np.maximum(YY - np.float32(horizon), 0) / np.float32(1 - horizon)
    far = np.float32(1) / (depth + np.float32(0.09))
    sheet = noise(rng, 18, 40, 3, 0.7)
    # The sheet of waves is laid on the sea, mirrored where it ends so that no seam shows.
    across = np.abs((((XX - 0.5) * far * 0.5 + 0.6) % 2 - 1) * (SIZE - 1)).astype(np.int32)
    along = np.abs((far * 0.16 % 2 - 1) * (SIZE - 1)).astype(np.int32)
    chop = sheet[along, across]
    swell = steady(np.sin, far * np.float32(5.5) + noise(rng, 5, 4, 2) * 1.6 + XX * rng.uniform(-2, 2))
    height = np.clip(0.5 + 0.24 * swell + 0.34 * chop, 0, 1)
    waves = height * (0.55 + 0.45 * depth) + 0.25 * (1 - depth)
    water = ramp(waves, [(0, mood["deep"]), (0.75, mood["light"]), (1, (215, 235, 238))])
    foam = step(height + 0.12 * noise(rng, 90, 120), 0.88, 1.0) * step(depth, 0.04, 0.3)
    water = mixed(water, colour(240, 248, 250), foam * 0.85)
    sun = rng.uniform(0.15, 0.85)
    glitter = steady(np.exp, -(((XX - sun) / (0.05 + 0.15 * depth)) ** 2)) * step(chop, 0.25, 0.7)
    water = mixed(water, colour(255, 245, 215), glitter * 0.75)
    disc = np.hypot(XX - sun, YY - horizon * 0.5)
    sky = mixed(sky, colour(255, 250, 225), steady(np.exp, -((disc / 0.06) ** 2)))
    return mixed(sky, water, step(YY, horizon - 0.002, horizon + 0.002))


def _sand_dune(rng: Rng) -> Field:
    """Paint rows of dunes under a clear sky, each with a sunny and a shaded face and wind ripples."""
    mood = one_of(rng, "dune")
    top = rng.uniform(0.14, 0.24)
    image = ramp(YY, [(0, (88, 150, 215)), (top + 0.1, (215, 228, 232))])
    x = XX[0]
    layers = 4
    for layer in range(layers):
        near = layer / (layers - 1)
        base = top + 0.02 + 0.2 * layer + rng.uniform(-0.02, 0.02)
        phase, waves = rng.uniform(0, 2 * np.pi), rng.uniform(1.0, 2.2)
        # A sharpened wave: long windward slope, short steep lee.
        turn = (x * waves + phase / (2 * np.pi)) % 1.0
        peak = rng.uniform(0.45, 0.65)
        rise = np.where(turn < peak, turn / peak, (1 - turn) / (1 - peak))
        sharp, rolling = steady(lambda v: v**1.4, rise), steady(np.sin, x * 9 + phase)
        ridge = base - (0.05 + 0.08 * near) * sharp + 0.012 * rolling
        below = YY - ridge[None, :].astype(np.float32)
        body = step(below, -0.002, 0.002)
        crest = (x[None, :] * waves + phase / (2 * np.pi) + below * rng.uniform(0.5, 1.0)) % 1.0
        lee = step(crest, peak - 0.01, peak + 0.02) * (1 - step(crest, 0.93, 1.0)) * steady(np.exp, -below * 6)
        count = 150 - 75 * near
        warp = noise(rng, 5, 5, 2)
        ripple = steady(np.sin, (below * count) + warp * 5 + x[None, :] * 14)
        value = 0.78 + 0.1 * ripple * (0.5 + 0.5 * near) * (1 - 0.5 * lee) - 0.5 * lee - 0.12 * below + 0.05 * warp
        haze = toward(mood["sand"], (225, 220, 210), 0.45 * (1 - near))
        image = mixed(image, ramp(value, [(0.1, mood["shade"]), (0.8, haze), (1.0, (255, 236, 195))]), body)
    return grained(image, rng, 0.02, 190)


def _cloud(rng: Rng) -> Field:
    """Paint a blue sky with heaped white clouds lit from above."""
    mood = one_of(rng, "cloud")
    sky = ramp(YY, [(0, mood["top"]), (1, mood["low"])])
    heap: Field = np.zeros((SIZE, SIZE), dtype=np.float32)
    detail = noise(rng, 14, 14, 4, 0.6)
    bank = int(rng.integers(7, 10))
    for k in range(bank):
        cx, cy = rng.uniform(0, 1), (k + rng.uniform(0.2, 0.8)) / bank
        wide = rng.uniform(0.14, 0.26) * (0.7 + 0.5 * cy)
        for _ in range(7):
            px, py = cx + rng.normal(0, wide * 0.75), cy - abs(rng.normal(0, wide * 0.28))
            r = rng.uniform(0.4, 0.8) * wide
            bump = 1 - ((XX - np.float32(px)) ** 2 + ((YY - np.float32(py)) * np.float32(1.35)) ** 2) / np.float32(
                r * r
            )
            np.maximum(heap, bump, out=heap)
    heap += np.float32(0.28) * detail - np.float32(0.1)
    cover = step(heap, 0.0, 0.28)
    slope = heap - np.roll(heap, (-9, -5), axis=(0, 1))
    light = np.clip(0.72 + 0.5 * slope + 0.1 * detail, 0, 1)
    puffs = ramp(light, RAMPS["puffs"])
    wisp = 0.35 * step(noise(rng, 3, 12, 3), 0.3, 1.2)
    return mixed(mixed(sky, colour(235, 242, 250), wisp), puffs, cover)


def _lit(points: list[Any], rng: Rng) -> float:
    """Return the brightness of a facet, by the direction in which it leans."""
    (ax, ay), (bx, by), (cx, cy) = points
    angle = np.arctan2(ay + by - 2 * cy, ax + bx - 2 * cx)
    return float(0.84 + 0.2 * np.cos(angle - 2.2) + rng.normal(0, 0.03))


def _origami(rng: Rng) -> Field:
    """Paint a sheet folded into facets, with a few paper cranes on it."""
    papers = one_of(rng, "papers")
    n = int(rng.integers(6, 9))
    canvas = Painting(np.broadcast_to(colour(*papers[2]), (SIZE, SIZE, 3)))
    grid = np.stack(np.meshgrid(np.arange(-1, n + 2), np.arange(-1, n + 2)), axis=-1) / n
    grid = grid + rng.uniform(-0.28, 0.28, grid.shape) / n
    patch = noise(rng, 3, 3)[:: SIZE // n, :: SIZE // n]
    for row in range(n + 2):
        for column in range(n + 2):
            a, b, c, d = (grid[row + i, column + j].tolist() for i, j in ((0, 0), (0, 1), (1, 1), (1, 0)))
            pick = patch[min(row, patch.shape[0] - 1), min(column, patch.shape[1] - 1)] + rng.normal(0, 0.35)
            paper = papers[int(np.clip((pick + 1) * 2, 0, 3))]
            for half in ([a, b, c], [c, d, a]) if rng.random() < 0.5 else ([b, c, d], [d, a, b]):
                flat = [v for point in half for v in point]
                canvas.poly(scaled(paper, _lit(half, rng)), *flat)
                canvas.line(scaled(paper, 1.15), 0.003, *flat[:4])
    paint(canvas, rng, "cranes", papers=papers)
    return canvas.pixels() * (1 + 0.025 * noise(rng, 120, 120, 2))[..., None]


def _forest(rng: Rng) -> Field:
    """Paint tree trunks in a haze of green, leaves above, ferns and litter below."""
    mood = one_of(rng, "forest")
    haze, leaf = mood["haze"], mood["leaf"]
    floor = rng.uniform(0.7, 0.78)
    back = ramp(YY + 0.05 * noise(rng, 8, 8, 3), [(0, scaled(leaf, 1.1)), (0.45, haze), (floor, scaled(leaf, 1.2))])
    ground = ramp(YY + 0.08 * noise(rng, 40, 60, 2), [(floor, (110, 112, 52)), (1.05, (64, 50, 28))])
    canvas = Painting(mixed(back, ground, step(YY + 0.01 * noise(rng, 20, 3, 2), floor - 0.01, floor + 0.02)))
    paint(canvas, rng, "forest", floor=floor, **mood)
    return grained(canvas.pixels(), rng, 0.03, 150)


def _medieval_village(rng: Rng) -> Field:
    """Paint half-timbered houses with steep gables, stone towers on a hill, a cobbled lane."""
    sky = ramp(YY + 0.05 * noise(rng, 4, 8, 3), RAMPS["village-sky"])
    hill = 0.4 - 0.08 * step(noise(rng, 3, 1), -0.5, 0.8)
    grass = ramp(YY + 0.06 * noise(rng, 60, 80, 2), RAMPS["village-grass"])
    canvas = Painting(mixed(sky, grass, step(YY - hill, 0.0, 0.01)))
    paint(canvas, rng, "village")
    return grained(canvas.pixels(), rng, 0.025)


def _city(rng: Rng) -> Field:
    """Paint a skyline of skyscrapers with rows of windows, by day or at dusk."""
    mood = one_of(rng, "city")
    low = mood["low"]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 4, 9, 3), [(0, mood["top"]), (0.6, low)]))
    paint(canvas, rng, "city", low=low, glass=mood["glass"])
    return grained(canvas.pixels(), rng, 0.02)


def _time_square(rng: Rng) -> Field:
    """Paint a street at night between fronts full of bright billboards, with a crowd and yellow cabs."""
    canvas = Painting(ramp(YY, RAMPS["night-sky"]))
    paint(canvas, rng, "times-square")
    return grained(canvas.pixels(), rng, 0.015)


def _underwater_ruins(rng: Rng) -> Field:
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


def _museum(rng: Rng) -> Field:
    """Paint a hall in perspective with framed pictures, columns, a bench and a vase on a plinth."""
    wall = one_of(rng, "walls")
    canvas = Painting(ramp(YY, [(0, scaled(wall, 0.95)), (1, scaled(wall, 0.85))]))
    paint(canvas, rng, "museum", wall=wall, low=0.7)
    return grained(canvas.pixels(), rng, 0.02)


def _bazaar_market(rng: Rng) -> Field:
    """Paint rows of stalls with striped awnings and heaped goods, lanterns above, arches behind."""
    stone = tone(rng, (206, 166, 118), 8)
    wall = [(0, stone), (0.5, scaled(stone, 0.8)), (1, (170, 136, 96))]
    canvas = Painting(ramp(YY + 0.04 * noise(rng, 20, 20, 3), wall))
    paint(canvas, rng, "bazaar", stone=stone)
    return grained(canvas.pixels(), rng, 0.025)


SCENES: Mapping[str, Callable[[Rng], Field]] = {
    "Ocean": _ocean,
    "Origami": _origami,
    "Forest": _forest,
    "Cloud": _cloud,
    "Sand_dune": _sand_dune,
    "Medieval_Village": _medieval_village,
    "City": _city,
    "Underwater_ruins": _underwater_ruins,
    "Museum": _museum,
    "Bazaar_market": _bazaar_market,
    "Time_square": _time_square,
}
