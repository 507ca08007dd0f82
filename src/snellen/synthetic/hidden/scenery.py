"""All eleven scenes, and the mixing of a silhouette into the coarse brightness of one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from snellen.synthetic.hidden.scenery_base import SIZE, Field, Rng, noise, smooth
from snellen.synthetic.hidden.scenery_scenes import SCENES

Pixels = npt.NDArray[np.uint8]
LUMA: Field = np.array([0.299, 0.587, 0.114], dtype=np.float32)
_NIGHT = 0.37  # in a scene darker than this only light shapes: a dark one would turn night into day


def scene(name: str, rng: Rng) -> Field:
    """Return a scene of the named kind without any shape, height by width by 3 in 0..1."""
    return np.clip(SCENES[name](rng), 0, 1)


def brightness(image: Field) -> Field:
    """Return the brightness. Written out: a product of matrices rounds as the processor's own routine does, and bytes would differ."""
    return image[..., 0] * LUMA[0] + image[..., 1] * LUMA[1] + image[..., 2] * LUMA[2]


def _clutter(image: Field) -> float:
    """Return the unevenness of the scene at the scale of the shapes' parts, colours included."""
    cells = image.reshape(SIZE // 8, 8, SIZE // 8, 8, 3).mean(axis=(1, 3))
    blocks = cells.reshape(4, 12, 4, 12, 3)
    return float((blocks - blocks.mean(axis=(1, 3), keepdims=True)).std())


def _relit(image: Field, light: Field, wanted: Field) -> Field:
    """Return the picture with another brightness at each point: darker by a factor, lighter half by a factor and half toward white."""
    ratio = wanted / np.maximum(light, np.float32(0.02))
    gain = np.where(ratio < 1, ratio, np.sqrt(np.minimum(ratio, 4)))
    part: Field = np.minimum(image * gain[..., None].astype(np.float32), np.float32(1))
    reached = brightness(part)
    lift: Field = np.clip((wanted - reached) / np.maximum(1 - reached, np.float32(0.02)), 0, 1)
    return part + (1 - part) * lift[..., None]


_TORN, _PATCHY = 0.5, 0.1
"""The variation of a shape's edges and of its depth."""
_DEEP, _FROM_STRENGTH = 0.21, -0.4
"""The depth of a shape by its strength."""
_LEAST, _MOST, _BY_DETAIL = 1.0, 1.75, 2.5
"""Limits of the factor on the depth, which is larger in uneven scenes, and the weight of fine detail in it."""
_CALM, _LESS_CALM = 0.72, 0.3
"""The share of the scene's own unevenness that stays at the scale of the shape, and its fall with the strength."""
_DETAIL = 0.07
"""The largest spread of brightness of fine detail."""


def compose(image: Field, mask: Field, strength: float, rng: Rng) -> Pixels:
    """Return the scene with the shape in it: coarse brightness and contrast follow the mask, fine detail stays the scene's.

    Edges are distorted by the scene's own detail, so that its elements seem to form the shape, and some parts
    of it are fainter than others. An uneven scene is smoothed and gets a deeper shape, for the same visibility.
    """
    light = brightness(image)
    middling = smooth(light, 8)
    broad = smooth(middling, 96)
    band, fine = middling - broad, light - middling
    soft = smooth(mask, 6)
    ragged = soft + _TORN * (np.clip(fine * 0.9, -0.25, 0.25) + np.float32(0.12) * noise(rng, 40, 40))
    shape = 0.45 * soft + 0.55 * smooth(np.clip((ragged - 0.5) * 2.2 + 0.5, 0, 1), 3)
    shape = (shape - np.float32(0.5)) * (1 + np.float32(_PATCHY) * noise(rng, 3, 3))
    mean, quiet = float(broad.mean()), _CALM - _LESS_CALM * strength
    sign = 1.0 if rng.random() < 0.5 or mean < _NIGHT else -1.0
    spread = float(fine.std())
    effort = float(np.clip(6.4 * _clutter(image) + _BY_DETAIL * spread + 0.22, _LEAST, _MOST))
    fine = fine * np.float32(min(1.0, _DETAIL / max(spread, 1e-3)))
    swing = np.float32(sign * _DEEP * effort * (strength - _FROM_STRENGTH)) * shape
    busy = min(1.0, 0.06 / max(float(band.std()), 1e-3))
    wanted = float(np.clip(mean, 0.38, 0.6)) + np.float32(0.95 - 0.3 * strength) * (broad - mean)
    wanted = wanted + np.float32(busy * quiet) * band + fine * (1 + 0.8 * swing) + swing
    out = _relit(image, light, np.clip(wanted, 0.02, 0.98))
    return np.rint(np.clip(out, 0, 1) * 255).astype(np.uint8)


def flat(name: str, rng: Rng) -> Pixels:
    """Return a scene as in the pictures, but without a shape in it."""
    return compose(scene(name, rng), np.full((SIZE, SIZE), 0.5, dtype=np.float32), 1.0, rng)
