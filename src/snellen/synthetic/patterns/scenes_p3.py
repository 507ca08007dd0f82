"""Synthetic P3: 7x7 equal objects on a plain ground, one of them odd in colour, orientation or size."""

from __future__ import annotations

import numpy as np

from snellen.synthetic.chance import dealt_number
from snellen.synthetic.patterns.colour import Floats, difference, lab_to_rgb
from snellen.synthetic.patterns.drawing import (
    DIFFICULTIES,
    OUTLINES,
    PERIOD,
    TABLE,
    OddOneOut,
    PixelBox,
    Pixels,
    any_colour,
    colour_at,
    coverage,
    ink_box,
    reach,
    turned,
)
from snellen.synthetic.patterns.wording import FEATURES_P3

SPLIT = 3
SIDE = 1024
CELLS = 7
_PITCH = SIDE / CELLS
_ALL = ("rectangle", "ellipse", "square", "triangle", "bar", "arrow", "circle", "wedge")
_TURNABLE = ("rectangle", "ellipse", "square", "triangle", "bar", "arrow", "wedge")
_BY_DIFFICULTY = TABLE["p3"]


def _ground(rng: np.random.Generator) -> Floats:
    """Choose black, white, grey or a tint, as in the patterns of the literature."""
    kind = int(rng.integers(4))
    if kind == 0:
        return np.array([rng.uniform(0, 6), 0.0, 0.0])
    if kind == 1:
        return np.array([rng.uniform(94, 100), 0.0, 0.0])
    return any_colour(rng, (20, 90), (0, 4) if kind == 2 else (8, 40))


def _base_colour(rng: np.random.Generator, ground: Floats) -> Floats:
    while True:
        lab = any_colour(rng, (30, 88), (0, 70))
        if float(difference(lab, ground)) >= 32:
            return lab


def _turn(rng: np.random.Generator, shape: str, difficulty: str) -> float:
    """Choose a turn that the shape shows: at most half of its symmetry period, beyond which it would approach itself again."""
    low, high = _BY_DIFFICULTY[difficulty]["turn"]
    return float(rng.uniform(low, min(high, PERIOD[shape] / 2)) * rng.choice([-1, 1]))


def _sizes(rng: np.random.Generator, feature: str, difficulty: str) -> tuple[float, float]:
    """Choose the largest extent in pixels of the common objects and of the target."""
    if feature != "size":
        size = rng.uniform(34 if feature == "color" else 40, 100)
        return size, size
    small = rng.uniform(30 if difficulty == "easy" else 42, 72)
    large = small * rng.uniform(*_BY_DIFFICULTY[difficulty]["ratio"])
    return (small, large) if rng.random() < 0.5 else (large, small)


def _stamp(outline: Floats, back: Floats, colour: Floats) -> tuple[Pixels, PixelBox]:
    """Return the object drawn on the ground, cropped to its ink, and its position relative to the object's centre."""
    cover, left, top = coverage(outline, 8)
    ink = ink_box(cover, left, top, 0.0)
    cover = cover[ink[1] - top : ink[3] - top, ink[0] - left : ink[2] - left]
    front = np.clip(lab_to_rgb(colour), 0, 255)
    return np.rint(back + cover[..., None] * (front - back)).astype(np.uint8), ink


def scene(seed: int, index: int) -> OddOneOut:
    """Draw sample `index` of the set with this seed."""
    condition = dealt_number(len(FEATURES_P3) * len(DIFFICULTIES), index, seed, SPLIT, 0)
    feature, difficulty = FEATURES_P3[condition % 3], DIFFICULTIES[condition // 3]
    rng = np.random.default_rng([seed, SPLIT, 1, index])
    shape = str(rng.choice(_TURNABLE if feature == "orientation" else _ALL))
    ground = _ground(rng)
    colour = _base_colour(rng, ground)
    angle = float(rng.choice([0, 45, 90, 135]) if rng.random() < 0.4 else rng.uniform(0, 360))
    size, odd_size = _sizes(rng, feature, difficulty)
    odd_colour, odd_angle = colour, angle
    if feature == "color":
        odd_colour = colour_at(rng, colour, _BY_DIFFICULTY[difficulty]["colour"], away=ground, gap=25)
    elif feature == "orientation":
        odd_angle = angle + _turn(rng, shape, difficulty)

    outline = OUTLINES[shape] / (2 * reach(OUTLINES[shape]))
    back = np.rint(np.clip(lab_to_rgb(ground), 0, 255))
    jitter = int(np.clip((_PITCH - (size + odd_size) / 2 - 16) / 2, 0, 10))
    target = int(rng.integers(CELLS * CELLS))
    image = np.empty((SIDE, SIDE, 3), dtype=np.uint8)
    image[0] = back.astype(np.uint8)
    image[1:] = image[0]
    common = _stamp(turned(outline, angle) * size, back, colour)
    odd = _stamp(turned(outline, odd_angle) * odd_size, back, odd_colour)
    box = (0, 0, 0, 0)
    for cell in range(CELLS * CELLS):
        patch, ink = odd if cell == target else common
        x = int((cell % CELLS + 0.5) * _PITCH) + int(rng.integers(-jitter, jitter + 1)) + ink[0]
        y = int((cell // CELLS + 0.5) * _PITCH) + int(rng.integers(-jitter, jitter + 1)) + ink[1]
        # a large object in a cell at the edge is moved inwards
        y, x = (min(max(0, at), SIDE - side) for at, side in zip((y, x), patch.shape[:2], strict=True))
        image[y : y + patch.shape[0], x : x + patch.shape[1]] = patch
        if cell == target:
            box = (x, y, x + patch.shape[1], y + patch.shape[0])
    return OddOneOut(image, box, CELLS * CELLS, (feature,), difficulty)
