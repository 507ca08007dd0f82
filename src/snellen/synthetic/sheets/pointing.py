"""A made-up screen with coloured squares on it: where is the red one? The dial is the squares' side in pixels.

The picture is 1000 x 1000 pixels, so that pixels and thousandths, the two ways in which models give a place, are the same numbers. The
target is named by its colour, which is there however small it is; a word on it would have to be read, which is another
faculty. Edges lie on eighths of a pixel and are drawn as what they cover, so that a picture that is reduced on its way looks like one
whose squares were drawn smaller.
"""

from __future__ import annotations

from random import Random

import numpy as np

from snellen.core.errors import SnellenError
from snellen.synthetic.chance import generator
from snellen.synthetic.screens.canvas import rgb
from snellen.synthetic.screens.themes import choose_theme
from snellen.synthetic.screens.widgets import Ui
from snellen.synthetic.sheets.marks import Cover, put
from snellen.synthetic.sheets.paper import DrawnSheet, Floats, png

SIDE = 1000
LARGEST = 160
EIGHTHS = 8
TARGET = rgb("#e01b24")
OTHERS = tuple(map(rgb, ("#1c71d8", "#26a269", "#f5c211", "#813d9c", "#1ba8a8")))
_APART = LARGEST + 14


def pointing(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw a screen with six squares of `level` pixels a side; the truth is the red one's box: left, top, right, bottom."""
    if size != SIDE:
        raise SnellenError(
            f"the screen of pointing is {SIDE} x {SIDE} pixels, so that replies can be read: it has no other size"
        )
    from snellen.synthetic.screens.templates import draw  # reads many files, which the other sheets do not need

    chance = generator("sheets", "pointing", seed, number)
    side = max(1, round(level * EIGHTHS))
    screen = Ui(SIDE, SIDE, SIDE / 100, choose_theme(chance.choice(("light", "dark")), chance), chance)
    draw(screen, "greyed screen", (0, 0, SIDE, SIDE))
    picture = screen.rgb()
    corners = [tuple(round(at * EIGHTHS - side / 2) for at in middle) for middle in _middles(chance)]
    for (x, y), colour in zip(corners, (TARGET, *OTHERS), strict=True):
        put(picture, _square(x, y, side), np.array(colour, dtype=np.float64))
    x, y = corners[0]
    box = [edge / EIGHTHS for edge in (x, y, x + side, y + side)]
    return DrawnSheet((png(picture),), ",".join(f"{edge:g}" for edge in box), {"box": box})


def _square(x: int, y: int, side: int) -> Cover:
    """Return a square; all lengths in eighths of a pixel."""
    across, down = (_covered(at % EIGHTHS, side) for at in (x, y))
    return Cover(down[:, None] * across[None, :], x // EIGHTHS, y // EIGHTHS)


def _covered(start: int, side: int) -> Floats:
    """Return how much of each pixel lies between two places."""
    edges = np.clip(np.arange(0, start + side + EIGHTHS, EIGHTHS), start, start + side)
    return (edges[1:] - edges[:-1]) / EIGHTHS


def _middles(chance: Random) -> list[tuple[float, float]]:
    """Return six places on a screen of 1000, far enough apart for the largest squares: the same at all levels."""
    low, high = LARGEST / 2 + 4, SIDE - LARGEST / 2 - 4
    found: list[tuple[float, float]] = []
    tries = 0
    while len(found) <= len(OTHERS):
        x, y = chance.uniform(low, high), chance.uniform(low, high)
        if all(max(abs(x - a), abs(y - b)) >= _APART for a, b in found):
            found.append((x, y))
        tries += 1
        if tries > 200:  # the first few stand in the way of the others
            found, tries = [], 0
    return found
