"""Two pictures of the same nine things, one of which has another size in the second: which?

The dial is that of `size`, where all nine stand in one picture. So the two thresholds beside each other say what it costs a model to
compare two pictures. The nine differ from each other in shape, colour and size, so one picture alone says nothing.
"""

from __future__ import annotations

import numpy as np

from snellen.synthetic.screens.canvas import rgb
from snellen.synthetic.sheets.marks import SHAPES, centred, put
from snellen.synthetic.sheets.odd import CELLS, places
from snellen.synthetic.sheets.paper import DrawnSheet, begun, png

THING = 0.12
"""Size of a thing, of the picture's side; each is up to a fifth larger or smaller."""
COLOURS = tuple(
    rgb(colour) for colour in ("#c01c28", "#1a5fb4", "#26734d", "#613583", "#b5835a", "#a3620a", "#0e6e78", "#3d3846")
)
_GROUND = 240


def difference(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw two pictures; in the second, one of nine things is `level` percent larger, or so much smaller."""
    chance, truth = begun("difference", CELLS, seed, number)
    shapes = chance.sample(SHAPES, len(CELLS))
    colours = [np.array(chance.choice(COLOURS), dtype=np.float64) for _ in CELLS]
    sides = [THING * size * chance.uniform(0.8, 1.2) for _ in CELLS]
    ratio, which = 1 + level / 100, CELLS.index(truth)
    odd = sides[which] * ratio if chance.random() < 0.5 else sides[which] / ratio
    middles = places(seed, number, "difference", size)
    first = np.full((size, size, 3), _GROUND, dtype=np.uint8)
    for shape, colour, side, middle in zip(shapes, colours, sides, middles, strict=True):
        put(first, centred(shape, side, *middle), colour)
    second = first.copy()
    cell = size // 3
    second[which // 3 * cell : (which // 3 + 1) * cell, which % 3 * cell : (which % 3 + 1) * cell] = _GROUND
    put(second, centred(shapes[which], odd, *middles[which]), colours[which])
    facts = {"usual": sides[which], "odd": odd, "thing": shapes[which]}
    return DrawnSheet((png(first), png(second)), truth, facts)
