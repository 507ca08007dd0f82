"""A silhouette mixed into a scene: what is it? Scenes and silhouettes are those of the synthetic IllusionBench.

The dial is simple here: `level` percent of the picture is the silhouette's field, the rest is the scene. In the field the silhouette
is lighter or darker than its surroundings by half of the range from black to white. The field's mean is the scene's, whatever
the silhouette's size, so the picture's brightness says nothing.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.hidden import scenery, silhouettes
from snellen.synthetic.hidden.scenery_base import SIZE, Field, smooth
from snellen.synthetic.sheets.paper import DrawnSheet, Pixels, begun, png

THINGS = (
    "airplane", "bicycle", "bird", "bottle", "car", "cat", "dolphin", "fork", "guitar", "mug", "sailboat", "teapot",
)  # fmt: skip
"""Those of sixteen with distinct outlines (no dog beside the cat, no scooter beside the bicycle)."""
SCENES = ("Forest", "Cloud", "Museum", "Bazaar_market", "City", "Underwater_ruins")
"""Scenes that contain none of the things: no paper birds, no taxis."""
SWING = 128
_EDGE = 6


@lru_cache(maxsize=len(SCENES))
def _scene(name: str, seed: int | str) -> tuple[Field, float]:
    """Return a scene (0 to 255) and its mean, drawn once a seed, since drawing is slow. Mirrored or not, it serves several sheets."""
    key = generator("sheets", "hidden", "scene", name, seed).getrandbits(64)
    field = scenery.scene(name, np.random.default_rng(key)) * np.float32(255)
    field.flags.writeable = False
    return field, float(field.mean(dtype=np.float64))


def hidden(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw a scene with a silhouette that makes up `level` percent of the picture."""
    chance, truth = begun("hidden", THINGS, seed, number)
    name = dealt(SCENES, number, "sheets", "hidden", "scene", seed)
    scene, mean = _scene(name, seed)
    scene = scene[:, :: chance.choice((1, -1))]
    mask = silhouettes.silhouette(silhouettes.IN, truth, 0, np.random.default_rng(chance.getrandbits(64)))
    # night has no darker shapes, snow has no lighter ones
    sign = chance.choice((1, -1)) if 64 < mean < 191 else 1 if mean < 128 else -1
    picture = blended(scene, mean, mask, sign * level / 100)
    if size != SIZE:
        picture = np.asarray(Image.fromarray(picture).resize((size, size), Image.Resampling.BICUBIC))
    facts = {"scene": name, "lighter": sign > 0}
    return DrawnSheet((png(picture, textured=True),), truth, facts)


def blended(scene: Field, mean: float, mask: Field, part: float) -> Pixels:
    """Return the scene (0 to 255) with a part of it replaced by the silhouette: a lighter one, or a darker one where negative."""
    soft = smooth(mask, _EDGE)
    share = np.float32(abs(part))
    middle = np.float32(soft.mean(dtype=np.float64))
    field = share * np.float32(mean) + np.float32(SWING * part) * (soft - middle)
    mixed = scene * (1 - share) + field[..., None]
    return np.rint(np.clip(mixed, 0, 255)).astype(np.uint8)
