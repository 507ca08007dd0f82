"""The shared parts of the measuring solvers: pixels as numbers, the background, and the characters that the solver knows."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from snellen.synthetic.sheets.marks import LETTERS, STROKES, points

Pixels = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def grey(picture: Pixels) -> Pixels:
    """Return the brightness of each pixel."""
    return picture.mean(axis=2)


def ground(picture: Pixels) -> Pixels:
    """Return the most usual colour (or level) along the picture's edges."""
    edges = [picture[:2], picture[-2:], picture[:, :2], picture[:, -2:]]
    return np.median(np.concatenate([edge.reshape(-1, *picture.shape[2:]) for edge in edges]), axis=0)


def span(seen: Mask) -> tuple[int, int]:
    """Return the first place with something visible, and the one after the last."""
    where = np.flatnonzero(seen)
    return (int(where[0]), int(where[-1]) + 1) if len(where) else (0, 0)


@cache
def _letter_cells() -> Pixels:
    """Return the amount of ink of each letter in each of its 5 x 5 cells."""
    fine = points(LETTERS[0]).shape[0] // STROKES
    rows = [points(letter).reshape(STROKES, fine, STROKES, fine).mean(axis=(1, 3)) for letter in LETTERS]
    return np.stack(rows)


def nearest_letter(cells: Pixels) -> str:
    """Return the letter whose cells differ least from the measured ones."""
    return LETTERS[int(((_letter_cells() - cells) ** 2).sum(axis=(1, 2)).argmin())]
