"""The paper of a sheet: levels between the 256 that a file has, and reproducible picture files.

A stimulus of one part in a thousand is finer than the step between two grey levels. Rounding would turn it into nothing, or into
ten times as much. So a faint sheet gets noise before it is rounded, of triangular distribution and two steps wide: then mean and
spread of a region are as intended, also between two levels, and no single pixel reveals anything.

The file's label says that it was drawn, but not from which seed: a sealed exam reveals its seed afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snellen.core.pixels import as_rgb
from snellen.data.synthetic_marker import labelled
from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.screens.canvas import png_file

GENERATOR = "sheets"
VERSION = 1
Pixels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
_TILE = 512
_UNIT = 1 << 16
"""Noise is in parts of a level, so that sums are whole numbers and the same everywhere."""


class DrawnSheet(NamedTuple):
    """A drawn question: its pictures as PNG files, the right answer, and a description of the drawing (for people and for checks)."""

    pictures: tuple[bytes, ...]
    truth: str
    facts: dict[str, Any]


def begun(faculty: str, options: Sequence[str], seed: int | str, number: int) -> tuple[Random, str]:
    """Return the random numbers of a sheet, and its right answer: answers are dealt evenly."""
    chance = generator(GENERATOR, faculty, seed, number)
    return chance, dealt(options, number, GENERATOR, faculty, seed)


@lru_cache(maxsize=1)
def _noise() -> npt.NDArray[np.int32]:
    """Return a tile of noise: the difference of two uniform ones, between -1 and 1 levels."""
    raw = generator(GENERATOR, "noise").randbytes(4 * _TILE * _TILE)
    first, second = np.frombuffer(raw, dtype="<u2").astype(np.int32).reshape(2, _TILE, _TILE)
    return first - second


def dithered(levels: Floats, *key: int | str) -> Pixels:
    """Round levels (0 to 255, with fractions) to whole ones whose mean over any region is right. The key shifts and flips the noise."""
    high, wide = levels.shape
    chance = generator(GENERATOR, "dither", *key)
    tile = np.roll(_noise(), (chance.randrange(_TILE), chance.randrange(_TILE)), axis=(0, 1))
    tile = tile[:: chance.choice((1, -1)), :: chance.choice((1, -1))]
    if max(high, wide) > _TILE:
        tile = np.tile(tile, (-(-high // _TILE), -(-wide // _TILE)))
    whole = np.rint(levels * _UNIT).astype(np.int32) + tile[:high, :wide] + _UNIT // 2
    return np.clip(whole >> 16, 0, 255).astype(np.uint8)


def png(pixels: Pixels, *, textured: bool = False) -> bytes:
    """Return a grey or colour PNG file, packed for speed. `textured`: rows are written as differences, which pack better there."""
    high, wide = pixels.shape[:2]
    rows = pixels.reshape(high, -1)
    lines = np.zeros((high, rows.shape[1] + 1), dtype=np.uint8)
    lines[:, 1:] = rows
    if textured:
        lines[1:, 0] = 2
        lines[1:, 1:] -= rows[:-1]
    file = png_file(lines, wide, 2 if pixels.ndim == 3 else 0)
    return labelled(file, {"generator": GENERATOR, "version": VERSION})


def fingerprint(picture: bytes) -> str:
    """Return a digest of a picture's pixels. Files of the same pixels may differ where another library packed them; this does not."""
    image = as_rgb(picture)
    return hashlib.sha256(f"{image.width} x {image.height} ".encode() + image.tobytes()).hexdigest()
