"""Nine things in three rows of three, one of which differs: in colour, in orientation or in size.

Nine and not sixteen: the answer is one digit, in reading order, and naming the place should not be a task of its own.
Their common properties (colour, angle, size, each one's place in its cell) are drawn by seed and number.

`difference` has two pictures of the same nine things, one of which has another size in the second. The dial is that of `size`, where all
nine stand in one picture. So the difference of the two thresholds is a model's cost of comparing two pictures. The nine differ
from each other in shape, colour and size, so one picture alone says nothing.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from snellen.synthetic.chance import generator
from snellen.synthetic.patterns.colour import lab_to_rgb, rgb_to_lab
from snellen.synthetic.screens.canvas import rgb
from snellen.synthetic.sheets.ciede import ciede2000
from snellen.synthetic.sheets.marks import SHAPES, Cover, centred, put
from snellen.synthetic.sheets.paper import DrawnSheet, Floats, begun, png

A_ROW = 3
CELLS = tuple(str(n + 1) for n in range(A_ROW * A_ROW))
"""Places in reading order."""
MOST_COLOUR = 40.0
"""The largest difference that is drawn; base colours are such that a screen can show it."""
THING = 0.13
"""Size of a thing, as a fraction of the picture's side."""
LONG, THICK = 0.2, 0.04
"""Length and thickness of a bar, as fractions of the picture's side."""
_JITTER = 0.02
_GROUND = 128
_CLEAR = 12.0
"""The least distance of every disc's colour from the ground's, by CIEDE2000: at no level may a disc vanish."""
_UNEQUAL = 0.12
"""Size of one of nine different things, as a fraction of the picture's side; each is up to a fifth larger or smaller."""
_COLOURS = ("#c01c28", "#1a5fb4", "#26734d", "#613583", "#b5835a", "#a3620a", "#0e6e78", "#3d3846")
_PALE = 240
_LADDER = np.linspace(0, 1, 17)
_NEAR = np.array([(r, g, b) for r in range(-2, 3) for g in range(-2, 3) for b in range(-2, 3)], dtype=np.float64)


def _places(seed: int | str, number: int, faculty: str, size: int) -> list[tuple[float, float]]:
    """Return the middles of the nine things, each slightly off its cell's."""
    chance = generator("sheets", faculty, "places", seed, number)
    cell = size / A_ROW
    far = _JITTER * size
    middles = [((n % A_ROW + 0.5) * cell, (n // A_ROW + 0.5) * cell) for n in range(len(CELLS))]
    return [(x + chance.uniform(-far, far), y + chance.uniform(-far, far)) for x, y in middles]


def colour(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw nine discs on grey, one of another colour: `level` is the distance by CIEDE2000."""
    _, truth = begun("colour", CELLS, seed, number)
    base, direction = _base(seed, number)
    usual = np.rint(np.clip(lab_to_rgb(np.array(base)), 0, 255))
    odd = _apart(usual, np.array(direction), level)
    levels = np.full((size, size, 3), _GROUND, dtype=np.uint8)
    side = THING * size
    for cell, middle in zip(CELLS, _places(seed, number, "colour", size), strict=True):
        put(levels, centred("disc", side, *middle), odd if cell == truth else usual)
    reached = float(ciede2000(rgb_to_lab(usual), rgb_to_lab(odd)))
    facts = {"usual": usual.astype(int).tolist(), "odd": odd.astype(int).tolist(), "reached": round(reached, 4)}
    return DrawnSheet((png(levels),), truth, facts)


@lru_cache(maxsize=256)
def _base(seed: int | str, number: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the usual colour in Lab, and the direction of the odd one, so that a screen can show the largest difference."""
    chance = generator("sheets", "colour", seed, number)
    while True:
        hue, chroma = chance.uniform(0, 2 * math.pi), chance.uniform(10, 45)
        base = np.array([chance.uniform(35, 75), chroma * math.cos(hue), chroma * math.sin(hue)])
        step = np.array([chance.gauss(0, 0.6), chance.gauss(0, 1), chance.gauss(0, 1)])
        step = step / math.sqrt(float((step * step).sum()))
        way = base + (_moved(base, step, MOST_COLOUR) - base) * _LADDER[:, None]
        shown = lab_to_rgb(way)
        if ((shown >= 0) & (shown <= 255)).all() and (ciede2000(way, rgb_to_lab([_GROUND] * 3)) > _CLEAR).all():
            return tuple(base.tolist()), tuple(step.tolist())


def _moved(base: Floats, step: Floats, level: float) -> Floats:
    """Return the colour at that distance in that direction. The distance grows with every step: each pass uses a finer ladder."""
    low, wide = 0.0, 4 * level + 1
    for _ in range(4):
        at = low + wide * _LADDER
        short = ciede2000(base, base + at[:, None] * step) < level
        low, wide = float(at[max(int(short.sum()) - 1, 0)]), wide / (len(_LADDER) - 1)
    return base + low * step


def _apart(usual: Floats, step: Floats, level: float) -> Floats:
    """Return the colour of whole levels whose distance is nearest to the requested one, near that direction."""
    base = rgb_to_lab(usual)
    near = np.clip(np.rint(lab_to_rgb(_moved(base, step, level))) + _NEAR, 0, 255)
    miss = np.abs(ciede2000(base, rgb_to_lab(near)) - level)
    return near[int(np.round(miss, 6).argmin())]  # rounded: no processor's last digit decides between two


def orientation(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw nine parallel bars, one turned by `level` degrees, one way or the other."""
    chance, truth = begun("orientation", CELLS, seed, number)
    usual, way = chance.uniform(0, 180), chance.choice((-1, 1))
    ground, ink = _two_levels(seed, number, "orientation")
    levels = np.full((size, size), ground, dtype=np.uint8)
    for cell, middle in zip(CELLS, _places(seed, number, "orientation", size), strict=True):
        put(levels, _bar(*middle, LONG * size, THICK * size, usual + way * level * (cell == truth)), ink)
    return DrawnSheet((png(levels),), truth, {"usual": usual, "odd": usual + way * level, "levels": [ground, ink]})


def _two_levels(seed: int | str, number: int, faculty: str) -> tuple[int, int]:
    """Return a light ground and dark ink, or the other way round."""
    chance = generator("sheets", faculty, "levels", seed, number)
    pair = [chance.randint(20, 70), chance.randint(190, 240)]
    chance.shuffle(pair)
    return pair[0], pair[1]


def _bar(x: float, y: float, long: float, thick: float, degrees: float) -> Cover:
    """Return a bar around its middle, its angle clockwise from level. A pixel's share is how far the edge lies from its middle."""
    angle = math.radians(degrees)
    c, s = math.cos(angle), math.sin(angle)
    reach = long / 2 + 2
    left, top = math.floor(x - reach), math.floor(y - reach)
    side = math.ceil(2 * reach) + 1
    dx, dy = (np.arange(left, left + side) + 0.5 - x)[None, :], (np.arange(top, top + side) + 0.5 - y)[:, None]
    along, across = np.abs(dx * c + dy * s), np.abs(dy * c - dx * s)
    share = np.clip(long / 2 - along + 0.5, 0, 1) * np.clip(thick / 2 - across + 0.5, 0, 1)
    return Cover(share, left, top)


def size(level: float, seed: int | str, number: int, side: int) -> DrawnSheet:
    """Draw nine discs, one `level` percent wider than the others, or the others than it."""
    chance, truth = begun("size", CELLS, seed, number)
    ratio = 1 + level / 100
    usual = THING * side * chance.uniform(0.95, 1.05)
    odd = usual * ratio if chance.random() < 0.5 else usual / ratio
    ground, ink = _two_levels(seed, number, "size")
    levels = np.full((side, side), ground, dtype=np.uint8)
    for cell, middle in zip(CELLS, _places(seed, number, "size", side), strict=True):
        put(levels, centred("disc", odd if cell == truth else usual, *middle), ink)
    return DrawnSheet((png(levels),), truth, {"usual": usual, "odd": odd, "levels": [ground, ink]})


def difference(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw two pictures; in the second, one of nine things is `level` percent larger, or so much smaller."""
    chance, truth = begun("difference", CELLS, seed, number)
    shapes = chance.sample(SHAPES, len(CELLS))
    colours = [np.array(rgb(chance.choice(_COLOURS)), dtype=np.float64) for _ in CELLS]
    sides = [_UNEQUAL * size * chance.uniform(0.8, 1.2) for _ in CELLS]
    ratio, which = 1 + level / 100, CELLS.index(truth)
    odd = sides[which] * ratio if chance.random() < 0.5 else sides[which] / ratio
    middles = _places(seed, number, "difference", size)
    first = np.full((size, size, 3), _PALE, dtype=np.uint8)
    for shape, colour, side, middle in zip(shapes, colours, sides, middles, strict=True):
        put(first, centred(shape, side, *middle), colour)
    second = first.copy()
    cell = size // 3
    second[which // 3 * cell : (which // 3 + 1) * cell, which % 3 * cell : (which % 3 + 1) * cell] = _PALE
    put(second, centred(shapes[which], odd, *middles[which]), colours[which])
    facts = {"usual": sides[which], "odd": odd, "thing": shapes[which]}
    return DrawnSheet((png(first), png(second)), truth, facts)
