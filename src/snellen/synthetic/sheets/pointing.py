"""A made-up screen with coloured squares on it: where is the red one? The dial is the squares' side in pixels.

The picture is 1000 x 1000 pixels, so that pixels and thousandths, the two ways in which models say a place, are the same numbers. The
target is named by its colour, which is there however small it is; a word on it would have to be read, which is another
faculty. Edges lie on eighths of a pixel and are drawn as what they cover, so that a picture that is reduced on its way looks like one
whose squares were drawn smaller.
"""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt

from snellen.data.label import labelled
from snellen.synthetic.chance import generator
from snellen.synthetic.screens.canvas import LEVELS, IndexedCanvas, Ink, rgb
from snellen.synthetic.screens.themes import Theme, choose_theme
from snellen.synthetic.sheets.paper import GENERATOR, VERSION, Sheet

SIDE = 1000
LARGEST = 160
TARGET = rgb("#e01b24")
OTHERS = tuple(map(rgb, ("#1c71d8", "#26a269", "#f5c211", "#813d9c", "#1ba8a8")))
_APART = LARGEST + 14


def pointing(level: float, seed: int | str, number: int, size: int) -> Sheet:
    """A screen with six squares of `level` pixels a side; the truth is the red one's box: left, top, right, bottom."""
    chance = generator("sheets", "pointing", seed, number)
    scale = size / SIDE
    side = max(1, round(level * LEVELS))
    canvas = _screen(chance, size)
    corners = [tuple(round(at * scale * LEVELS - side / 2) for at in middle) for middle in _middles(chance)]
    for (x, y), colour in zip(corners, (TARGET, *OTHERS), strict=True):
        canvas.stamp(_square(x, y, side), x // LEVELS, y // LEVELS, colour)
    x, y = corners[0]
    box = [edge / LEVELS for edge in (x, y, x + side, y + side)]
    picture = labelled(canvas.png(), {"generator": GENERATOR, "version": VERSION})
    return Sheet((picture,), ",".join(f"{edge:g}" for edge in box), {"box": box})


def _square(x: int, y: int, side: int) -> Ink:
    """A square as levels of ink from the pixel on that holds its corner; all lengths in eighths of a pixel."""
    across, down = (_covered(at % LEVELS, side) for at in (x, y))
    return ((down[:, None] * across[None, :] + LEVELS // 2) // LEVELS).astype(np.uint8)


def _covered(start: int, side: int) -> npt.NDArray[np.int64]:
    """How many eighths of each pixel lie between two places."""
    edges = np.clip(np.arange(0, start + side + LEVELS, LEVELS), start, start + side)
    out: npt.NDArray[np.int64] = edges[1:] - edges[:-1]
    return out


def _middles(chance: Random) -> list[tuple[float, float]]:
    """Six places on a screen of 1000, so far apart that the largest squares do not touch: the same at all levels."""
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


def _screen(chance: Random, size: int) -> IndexedCanvas:
    """A window with a bar, a list and cards, all in greys of a theme. Lines of text are bars, so that nothing on it can be read."""
    theme = choose_theme(chance.choice(("light", "dark")), chance)
    canvas = IndexedCanvas(size, size, theme.window)
    unit = size / 100
    bar, aside = round(unit * chance.uniform(5, 8)), round(unit * chance.uniform(16, 24))
    canvas.rect((0, 0, size, bar), theme.bar)
    canvas.rect((0, bar, size, bar + 1), theme.edge)
    canvas.rect((0, bar + 1, aside, size), theme.panel)
    canvas.rect((aside, bar + 1, aside + 1, size), theme.edge)
    for place in range(4):
        _line(canvas, chance, unit * (3 + 12 * place), bar / 2, unit * 9, unit, theme.faint)
    for row in range(int((size - bar) / (4 * unit))):
        _line(canvas, chance, 2 * unit, bar + unit * (3 + 4 * row), aside - 5 * unit, unit, theme.faint)
    columns = chance.choice((2, 3))
    wide, high = (size - aside - 2 * unit) / columns, (size - bar - 2 * unit) / chance.choice((3, 4))
    top = bar + 2 * unit
    while top + high <= size + 1:
        for column in range(columns):
            _card(canvas, chance, aside + 2 * unit + column * wide, top, wide - 2 * unit, high - 2 * unit, unit, theme)
        top += high
    return canvas


def _card(
    canvas: IndexedCanvas, chance: Random, x: float, y: float, wide: float, high: float, unit: float, theme: Theme
) -> None:
    edges = (round(x), round(y), round(x + wide), round(y + high))
    canvas.rounded(edges, round(unit), theme.panel, theme.edge)
    _line(canvas, chance, x + 2 * unit, y + 3 * unit, wide - 6 * unit, 1.4 * unit, theme.text)
    for line in range(int((high - 7 * unit) / (2.6 * unit))):
        _line(canvas, chance, x + 2 * unit, y + unit * (6 + 2.6 * line), wide - 4 * unit, 0.7 * unit, theme.faint)


def _line(
    canvas: IndexedCanvas, chance: Random, x: float, y: float, room: float, thick: float, ink: tuple[int, int, int]
) -> None:
    """A line of text, as a bar around a height."""
    end = x + room * chance.uniform(0.4, 1)
    canvas.rounded((round(x), round(y - thick / 2), round(end), round(y + thick / 2)), round(thick / 2), ink)
