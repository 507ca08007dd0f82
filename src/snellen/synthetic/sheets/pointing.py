"""A made-up screen with coloured squares on it: where is the red one? The dial is the squares' side in pixels.

The picture is 1000 x 1000 pixels, so that pixels and thousandths, the two ways in which models say a place, are the same numbers. The
target is named by its colour, which is there however small it is; a word on it would have to be read, which is another
faculty. Edges lie on eighths of a pixel and are drawn as what they cover, so that a picture that is reduced on its way looks like one
whose squares were drawn smaller.
"""

from __future__ import annotations

from random import Random

import numpy as np

from snellen.core.errors import SnellenError
from snellen.synthetic.chance import generator
from snellen.synthetic.colours import RGB
from snellen.synthetic.screens.canvas import IndexedCanvas, rgb
from snellen.synthetic.screens.themes import Theme, choose_theme
from snellen.synthetic.sheets.marks import Cover, put
from snellen.synthetic.sheets.paper import DrawnSheet, Floats, png

SIDE = 1000
LARGEST = 160
EIGHTHS = 8
TARGET = rgb("#e01b24")
OTHERS = tuple(map(rgb, ("#1c71d8", "#26a269", "#f5c211", "#813d9c", "#1ba8a8")))
_APART = LARGEST + 14
_UNIT = SIDE / 100


def pointing(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """A screen with six squares of `level` pixels a side; the truth is the red one's box: left, top, right, bottom."""
    if size != SIDE:
        raise SnellenError(
            f"the screen of pointing is {SIDE} x {SIDE} pixels, so that replies can be read: it has no other size"
        )
    chance = generator("sheets", "pointing", seed, number)
    side = max(1, round(level * EIGHTHS))
    picture = _screen(chance).rgb()
    corners = [tuple(round(at * EIGHTHS - side / 2) for at in middle) for middle in _middles(chance)]
    for (x, y), colour in zip(corners, (TARGET, *OTHERS), strict=True):
        put(picture, _square(x, y, side), np.array(colour, dtype=np.float64))
    x, y = corners[0]
    box = [edge / EIGHTHS for edge in (x, y, x + side, y + side)]
    return DrawnSheet((png(picture),), ",".join(f"{edge:g}" for edge in box), {"box": box})


def _square(x: int, y: int, side: int) -> Cover:
    """A square; all lengths in eighths of a pixel."""
    across, down = (_covered(at % EIGHTHS, side) for at in (x, y))
    return Cover(down[:, None] * across[None, :], x // EIGHTHS, y // EIGHTHS)


def _covered(start: int, side: int) -> Floats:
    """How much of each pixel lies between two places."""
    edges = np.clip(np.arange(0, start + side + EIGHTHS, EIGHTHS), start, start + side)
    out: Floats = (edges[1:] - edges[:-1]) / EIGHTHS
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


def _screen(chance: Random) -> IndexedCanvas:
    """A window with a bar, a list and cards, all in greys of a theme. Lines of text are bars, so that nothing on it can be read."""
    theme = choose_theme(chance.choice(("light", "dark")), chance)
    canvas = IndexedCanvas(SIDE, SIDE, theme.window)
    bar, aside = round(_UNIT * chance.uniform(5, 8)), round(_UNIT * chance.uniform(16, 24))
    canvas.rect((0, 0, SIDE, bar), theme.bar)
    canvas.rect((0, bar, SIDE, bar + 1), theme.edge)
    canvas.rect((0, bar + 1, aside, SIDE), theme.panel)
    canvas.rect((aside, bar + 1, aside + 1, SIDE), theme.edge)
    for place in range(4):
        _line(canvas, chance, _UNIT * (3 + 12 * place), bar / 2, _UNIT * 9, _UNIT, theme.faint)
    for row in range(int((SIDE - bar) / (4 * _UNIT))):
        _line(canvas, chance, 2 * _UNIT, bar + _UNIT * (3 + 4 * row), aside - 5 * _UNIT, _UNIT, theme.faint)
    columns = chance.choice((2, 3))
    wide, high = (SIDE - aside - 2 * _UNIT) / columns, (SIDE - bar - 2 * _UNIT) / chance.choice((3, 4))
    top = bar + 2 * _UNIT
    while top + high <= SIDE + 1:
        for column in range(columns):
            _card(canvas, chance, aside + 2 * _UNIT + column * wide, top, wide - 2 * _UNIT, high - 2 * _UNIT, theme)
        top += high
    return canvas


def _card(canvas: IndexedCanvas, chance: Random, x: float, y: float, wide: float, high: float, theme: Theme) -> None:
    edges = (round(x), round(y), round(x + wide), round(y + high))
    canvas.rounded(edges, round(_UNIT), theme.panel, theme.edge)
    _line(canvas, chance, x + 2 * _UNIT, y + 3 * _UNIT, wide - 6 * _UNIT, 1.4 * _UNIT, theme.text)
    for line in range(int((high - 7 * _UNIT) / (2.6 * _UNIT))):
        _line(canvas, chance, x + 2 * _UNIT, y + _UNIT * (6 + 2.6 * line), wide - 4 * _UNIT, 0.7 * _UNIT, theme.faint)


def _line(canvas: IndexedCanvas, chance: Random, x: float, y: float, room: float, thick: float, ink: RGB) -> None:
    """A line of text, as a bar around a height."""
    end = x + room * chance.uniform(0.4, 1)
    canvas.rounded((round(x), round(y - thick / 2), round(end), round(y + thick / 2)), round(thick / 2), ink)
