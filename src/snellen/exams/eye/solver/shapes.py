"""The hidden thing from pixels: coarse brightness is compared with every silhouette, resized, turned, mirrored and shifted.

The picture is reduced to 64 x 64, slow changes of brightness are removed, and the best match counts. The scene sets the limit: its own
light and dark at the silhouette's scale must be weaker than the silhouette.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from snellen.exams.eye.solver.base import Pixels, grey
from snellen.synthetic.hidden.silhouettes import IN, templates
from snellen.synthetic.sheets.hidden import THINGS

_GRID = 64
_REACH = 5
_SLOW = 5.0
"""Waves per picture to remove: the scene's broad light and dark."""
_SCALES, _TURNS = (0.72, 0.78, 0.84), (-6.0, 0.0, 6.0)
Waves = npt.NDArray[np.complex128]


@cache
def _filter() -> Pixels:
    """Return the weight of each wave: slow ones little, the silhouettes' own scale most, fine detail nothing."""
    y, x = np.fft.fftfreq(_GRID)[:, None], np.fft.rfftfreq(_GRID)[None, :]
    waves = np.hypot(x, y) * _GRID
    return waves / (waves + _SLOW) * np.exp(-((waves / 20) ** 2))


@cache
def _patterns() -> tuple[tuple[str, ...], Waves]:
    """Return all silhouettes of the options as waves, with equal strength after the filter."""
    names, masks = templates(IN, _GRID, _SCALES, _TURNS)
    keep = [i for i, name in enumerate(names) if name in THINGS]
    waves = np.fft.rfft2(masks[keep].astype(np.float64)) * _filter()
    strength = np.sqrt((np.fft.irfft2(waves, s=(_GRID, _GRID)) ** 2).sum(axis=(1, 2)))
    return tuple(names[i] for i in keep), np.conj(waves / strength[:, None, None])


def hidden_thing(picture: Pixels) -> str:
    """Return the thing whose silhouette matches best, lighter or darker."""
    light = Image.fromarray(grey(picture).astype(np.float32)).resize((_GRID, _GRID), Image.Resampling.BOX)
    field = np.asarray(light, dtype=np.float64)
    names, waves = _patterns()
    match = np.fft.irfft2(np.fft.rfft2(field - field.mean()) * _filter() * waves, s=(_GRID, _GRID))
    near = np.r_[0 : _REACH + 1, _GRID - _REACH : _GRID]
    best = np.abs(match[:, near][:, :, near]).max(axis=(1, 2))
    return names[int(best.argmax())]
