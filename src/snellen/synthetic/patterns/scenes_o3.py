"""Synthetic O3: a cluttered scene of things of one kind, one of which differs in one to three of seven features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter

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
    polar,
    reach,
    turned,
    unit_area,
)
from snellen.synthetic.patterns.layouts import lay_out
from snellen.synthetic.patterns.wording import FEATURES_O3

SPLIT = 7
_BY_DIFFICULTY = TABLE["o3"]
# Shapes with a visible angle; a star or hexagon turned a little hardly has another orientation.
_ORIENTED = frozenset(name for name, period in PERIOD.items() if period >= 90)
_OTHER_SHAPES = ("circle", "square", "triangle", "star", "cross", "leaf")
# Pairs that would hide each other: another shape has no comparable angle, a blurred pattern is not visible.
_CLASHES = ({"shape", "orientation"}, {"focus", "pattern"})


@dataclass(frozen=True, slots=True)
class _PatternObject:
    """One object, with everything needed to draw it. `contrast` 0 is plain, `blur` 0 is sharp."""

    outline: Floats
    colour: Floats
    size: float
    angle: float
    blur: float = 0.0
    contrast: float = 0.0
    pattern: str = "stripes"
    shade: float = 0.0


def _choose(rng: np.random.Generator, first: str) -> tuple[str, ...]:
    """Choose the features of the target: the dealt one and up to two more that go with it."""
    chosen = {first}
    for extra in rng.permutation(FEATURES_O3)[: int(rng.choice([0, 1, 2], p=[0.5, 0.3, 0.2])) + 1]:
        grown = chosen | {str(extra)}
        if len(grown) <= 3 and not any(clash <= grown for clash in _CLASHES) and rng.random() < 0.7:
            chosen = grown
    return tuple(feature for feature in FEATURES_O3 if feature in chosen)


def _shape_gap(first: Floats, second: Floats) -> float:
    """Return the difference of two outlines of equal area at the turn where they differ least (as a fraction of the mean radius)."""
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    a, b = polar(first, turn), polar(second, turn)
    shifted = b[(np.arange(120)[None, :] - np.arange(120)[:, None]) % 120]
    return float(np.sqrt(((a - shifted) ** 2).mean(axis=1).min()) / a.mean())


def _reshaped(rng: np.random.Generator, base: str, difficulty: str) -> Floats:
    """Move the base outline towards another one until they differ by the amount for the difficulty."""
    options = [(_shape_gap(OUTLINES[base], OUTLINES[name]), name) for name in _OTHER_SHAPES]
    options = [option for option in options if option[0] >= 0.17]
    gap, name = options[int(rng.integers(len(options)))]
    wanted = _BY_DIFFICULTY[difficulty]["shape_gap"]
    if wanted >= gap:
        return OUTLINES[name]
    turn = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    a, b = polar(OUTLINES[base], turn), polar(OUTLINES[name], turn)
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    blended = OUTLINES[base]
    for share in np.linspace(0.1, 1.0, 19):
        blended = unit_area(way * ((1 - share) * a + share * b)[:, None])
        if _shape_gap(OUTLINES[base], blended) >= wanted:
            break
    return blended


def _noise(rng: np.random.Generator, rows: int, columns: int, size: tuple[int, int]) -> npt.NDArray[np.float32]:
    """Return soft random relief: noise on a coarse grid, drawn large."""
    coarse = Image.fromarray(rng.normal(size=(rows, columns)).astype(np.float32))
    return np.asarray(coarse.resize(size, Image.Resampling.BILINEAR), dtype=np.float32)


def _ground(rng: np.random.Generator, width: int, height: int, base: Floats) -> npt.NDArray[np.float32]:
    """Draw a ground with a gradient, soft blotches and a faint weave or grain, around one colour."""
    cells = int(rng.integers(6, 40))
    relief = _noise(rng, cells, cells, (width, height)) * np.float32(rng.uniform(0.5, 2.5))
    if rng.random() < 0.4:
        across, down = rng.normal(size=2) * rng.uniform(0.1, 0.4)
        wave = np.exp(1j * down * np.arange(height))[:, None] * np.exp(1j * across * np.arange(width))[None, :]
        relief += wave.imag.astype(np.float32) * np.float32(rng.uniform(0.8, 2.0))
    if rng.random() < 0.5:
        relief += _noise(rng, height // 2, width // 2, (width, height)) * np.float32(rng.uniform(0.8, 2.2))
    slope = rng.uniform(-9, 9, size=(2, 3))
    row = (lab_to_rgb(base) + np.linspace(-0.5, 0.5, width)[:, None] * slope[0]).astype(np.float32)
    column = (np.linspace(-0.5, 0.5, height)[:, None] * slope[1]).astype(np.float32)
    return np.stack([relief + row[:, c] + column[:, None, c] for c in range(3)], axis=-1)


def _relief(thing: _PatternObject, x: Floats, y: Floats) -> Floats:
    """Return the pattern at each point around the thing's centre, from -1 to 1, turning with the thing."""
    angle = np.radians(thing.angle)
    u = (x * np.cos(angle) + y * np.sin(angle)) / thing.size
    v = (y * np.cos(angle) - x * np.sin(angle)) / thing.size
    pitch = 2 * np.pi * 3.5
    if thing.pattern == "stripes":
        wave = np.sin(pitch * (u + v) / np.sqrt(2))
    elif thing.pattern == "checks":
        wave = np.sin(pitch * u) * np.sin(pitch * v) * 1.5
    else:
        wave = (np.cos(pitch * u) + np.cos(pitch * v)) * 0.8
    return np.clip(wave * 4, -1, 1)


def _draw(canvas: npt.NDArray[np.float32], thing: _PatternObject, place: Floats) -> PixelBox:
    """Draw the thing and return the box of its ink."""
    points = turned(thing.outline, thing.angle) * thing.size + place
    cover, left, top = coverage(points, 4, margin=1 + int(np.ceil(2.5 * thing.blur)))
    height, width = cover.shape
    y, x = np.mgrid[top : top + height, left : left + width].astype(np.float64) + 0.5
    x, y = x - place[0], y - place[1]
    relief = _relief(thing, x, y) if thing.contrast else np.zeros((height, width))
    lab = np.repeat(thing.colour[None, None], height, 0).repeat(width, 1)
    lab[..., 0] += relief * thing.contrast / 2 - (x + y) / thing.size * thing.shade
    rgb = np.clip(lab_to_rgb(lab), 0, 255)
    layer = np.concatenate([rgb * cover[..., None], 255 * cover[..., None]], axis=-1).astype(np.float32)
    if thing.blur:
        soft = Image.fromarray(np.rint(layer).astype(np.uint8), "RGBA").filter(ImageFilter.GaussianBlur(thing.blur))
        layer = np.asarray(soft, dtype=np.float32)
    ink = ink_box(layer[..., 3] / np.float32(255), left, top, 0.15)
    y0, x0 = max(0, top), max(0, left)
    y1, x1 = min(canvas.shape[0], top + height), min(canvas.shape[1], left + width)
    layer = layer[y0 - top : y1 - top, x0 - left : x1 - left]
    spot = canvas[y0:y1, x0:x1]
    spot *= 1 - layer[..., 3:] / np.float32(255)
    spot += layer[..., :3]
    return max(ink[0], 0), max(ink[1], 0), min(ink[2], canvas.shape[1]), min(ink[3], canvas.shape[0])


def _colours(rng: np.random.Generator, features: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Choose colours of ground and things, far enough apart.

    Things with a pattern are less colourful: a screen must be able to show both of its halves.
    """
    while True:
        ground = any_colour(rng, (12, 92), (2, 30))
        colour = any_colour(rng, (40, 72), (10, 28 if "pattern" in features else 65))
        if float(difference(colour, ground)) >= 42:
            return ground, colour


def _pair(
    rng: np.random.Generator, features: tuple[str, ...], difficulty: str, *, shape: str, ground: Floats, colour: Floats
) -> tuple[_PatternObject, _PatternObject]:
    """Return the common thing and the target, both of size 1: a blur of 1 is a blur of the thing's own size."""
    kinds = ("stripes", "checks", "dots")
    odd = _BY_DIFFICULTY[difficulty]
    base = _PatternObject(OUTLINES[shape], colour, 1.0, rng.uniform(0, 360), shade=float(rng.choice([0.0, 3.0, 6.0])))
    usual: dict[str, Any] = {}
    target: dict[str, Any] = {}
    if "color" in features:
        target["colour"] = colour_at(rng, colour, odd["colour"], away=ground, gap=36)
    if "orientation" in features:
        low, high = odd["turn"]
        turn = rng.uniform(min(low, 0.8 * PERIOD[shape] / 2), min(high, PERIOD[shape] / 2)) * rng.choice([-1, 1])
        target["angle"] = base.angle + float(turn)
    if "size" in features:
        ratio = rng.uniform(*odd["ratio"])
        target["size"] = ratio if rng.random() < 0.5 else 1 / ratio
    if "shape" in features:
        target["outline"] = _reshaped(rng, shape, difficulty)
    if "focus" in features:
        (target if rng.random() < 0.7 else usual)["blur"] = odd["blur"]
    if "pattern" in features:
        pattern = {"contrast": rng.uniform(*odd["contrast"]), "pattern": str(rng.choice(kinds))}
        (target if rng.random() < 0.7 else usual).update(pattern)
    elif "focus" not in features and rng.random() < 0.15:
        pattern = {"contrast": rng.uniform(10, 20), "pattern": str(rng.choice(kinds))}
        target |= pattern
        usual |= pattern
    return replace(base, **usual), replace(base, **target)


def _varied(rng: np.random.Generator, thing: _PatternObject, size: float, loose: bool) -> _PatternObject:
    """Return a variation with small natural differences in colour, size and angle; `loose` things have any angle."""
    chance = rng.normal(size=5).clip(-2, 2)
    return replace(
        thing,
        colour=thing.colour + 0.8 * chance[:3],
        size=thing.size * size * float(1 + 0.02 * chance[3]),
        angle=rng.uniform(0, 360) if loose else thing.angle + 1.8 * float(chance[4]),
        blur=max(thing.blur * size, 1.1) if thing.blur else 0.0,
    )


def scene(seed: int, index: int) -> OddOneOut:
    """Draw sample `index` of the set with this seed."""
    condition = dealt_number(len(FEATURES_O3) * len(DIFFICULTIES), index, seed, SPLIT, 0)
    difficulty = DIFFICULTIES[condition // len(FEATURES_O3)]
    rng = np.random.default_rng([seed, SPLIT, 1, index])
    features = _choose(rng, FEATURES_O3[condition % len(FEATURES_O3)])
    things = [thing for thing in TABLE["o3_scenes"]["things"] if "orientation" not in features or thing[2] in _ORIENTED]
    plural, singular, shape = things[int(rng.integers(len(things)))]
    sizes = TABLE["o3_scenes"]["sizes"]
    width, height = sizes[int(rng.integers(len(sizes)))]
    ground, colour = _colours(rng, features)
    common, target = _pair(rng, features, difficulty, shape=shape, ground=ground, colour=colour)
    layout = lay_out(rng, width, height, difficulty if "location" in features else None)

    room = layout.spacing * (0.80 if common.blur or target.blur else 0.88)
    near = reach(common.outline)
    size = room / max(near + reach(target.outline) * target.size, 2 * near)
    size = min(size, 0.11 * min(width, height) / max(near, 0.5)) * rng.uniform(0.85, 1.0)
    loose = "orientation" not in features and rng.random() < 0.15
    canvas = _ground(rng, width, height, ground)
    box = (0, 0, 0, 0)
    for which, place in enumerate(layout.places):
        thing = _varied(rng, target if which == layout.target else common, size, loose)
        ink = _draw(canvas, thing, place)
        if which == layout.target:
            box = ink
    image: Pixels = np.rint(np.clip(canvas, 0, 255)).astype(np.uint8)
    return OddOneOut(image, box, len(layout.places), features, difficulty, plural, singular)
