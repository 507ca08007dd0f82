"""The training sheets of the eye exam for snellen-tiny, drawn as the exam does, at levels from the middle of each ladder to its easy end.

Their seeds are texts that no exam takes (`--seed` is a number, a sealed seed has no space), so no exam shares a sheet with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from PIL import Image

from snellen.core.pixels import as_rgb
from snellen.exams.eye.exam import EXAM as EYE
from snellen.exams.eye.faculties import FACULTIES, Faculty
from snellen.synthetic.chance import generator
from snellen.synthetic.sheets import draw
from snellen.synthetic.sheets.odd import A_ROW, CELLS
from training.tiny_data import GRID, SIDE, Fact, Maker, Pixels, Row, block, sample_of

COUNTS = {"colour": 6000, "orientation": 6000, "size": 6000, "hidden": 3000}
"""The number of sheets of each faculty."""
TAUGHT = tuple(COUNTS)
"""Faculties whose answer is one word. Letters, pointing and differences are too fine for its eye; it hardly learnt contrast."""
EASIEST = 0.15
"""Share of sheets at the easy end itself, where catch trials are."""
HARDEST = {"colour": 0.35, "orientation": 0.4, "size": 0.4, "hidden": 0.4}
"""The start of the other levels on the ladder: below it nothing is visible at 112 pixels. More are easy than hard."""
SCENE_OF = 96
"""Sheets with one seed, and so with the same six scenes of hidden shapes."""
DRAWN = 256
"""The side at which sheets of 512 are drawn, which is quicker; at 112 pixels they look the same."""


def level(faculty: Faculty, part: float) -> float:
    """Return the level at a part of the ladder, 1 being the easiest."""
    return faculty.levels[round(part * (len(faculty.levels) - 1))]


def sheets(name: str, seed: int, index: int) -> list[Row]:
    """Return the sheet of a number, with its question, its reply and the facts for the eye."""
    chance = generator("snellen-tiny", "sheets", name, seed, index)
    faculty, low = FACULTIES[name], HARDEST[name]
    part = 1.0 if chance.random() < EASIEST else 1 - (1 - low) * chance.random() ** 1.3
    own = f"snellen-tiny {seed} {index // SCENE_OF}"
    size = DRAWN if faculty.size == 2 * DRAWN else faculty.size
    sheet = draw(name, level(faculty, part), seed=own, number=index % SCENE_OF, size=size)
    fact = Fact(f"{name}/{sheet.truth}", _cell(sheet.truth) if faculty.options == CELLS else ())
    asked = block(EYE, sample_of({"faculty": name, "sheet": "trial"}), sheet.truth)
    return [Row(_small(sheet.pictures[0])[None], (asked,), ((fact,),))]


PARTS: Mapping[str, Maker] = {name: partial(sheets, name) for name in COUNTS}


def _cell(truth: str) -> tuple[int, ...]:
    """Return the patch in the middle of one of nine cells."""
    down, across = divmod(CELLS.index(truth), A_ROW)
    middle = [int((2 * at + 1) * GRID / (2 * A_ROW)) for at in (down, across)]
    return (middle[0] * GRID + middle[1],)


def _small(picture: bytes) -> Pixels:
    """Return the picture as the model's image processor makes it."""
    return np.asarray(as_rgb(picture).resize((SIDE, SIDE), Image.Resampling.BICUBIC))
