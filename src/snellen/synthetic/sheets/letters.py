"""Letters of falling height (a chart's line), and a large letter of falling contrast.

The line has five letters with a letter's width between them, as on a chart, and two triangles point at the one in the middle. One
letter is asked for, so a guess is right once in ten; all five would be a harder question to read, and their order another
faculty. The others may be any letters, including the asked one: reading them reveals nothing about it. The triangles and their
distance do not depend on the letters' height: they show where to look.
"""

from __future__ import annotations

import math

import numpy as np

from snellen.core.errors import SnellenError
from snellen.synthetic.sheets.marks import LETTERS, cover, put
from snellen.synthetic.sheets.paper import DrawnSheet, begun, dithered, png

A_LINE = 5
_LINE = 2 * A_LINE - 1  # letters and gaps
_ASIDE = 0.016  # of the picture's side: how far the line may be off the middle
LARGE = 0.3
"""Height of the letter of falling contrast, of the picture's side."""


def letters(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw a line of five letters, `level` pixels high; the truth is the middle one."""
    if _LINE * level > size * (1 - 2 * _ASIDE):
        raise SnellenError(
            f"a line of letters of {level:g} pixels does not fit in a picture of {size}: choose 448 or more"
        )
    chance, truth = begun("letters", LETTERS, seed, number)
    line = chance.choices(LETTERS, k=A_LINE - 1)
    line.insert(A_LINE // 2, truth)
    ground, ink = chance.randint(235, 255), chance.randint(0, 20)
    x, y = (size * (0.5 + chance.uniform(-far, far)) for far in (_ASIDE, 0.1))
    levels = np.full((size, size), ground, dtype=np.uint8)
    for place, letter in enumerate(line):
        put(levels, cover(letter, level, x + level * (2 * place - _LINE / 2), y - level / 2), ink)
    arrow, away = size * 0.04, size * 0.17
    for mark, top in (("down", y - away - arrow), ("triangle", y + away)):
        put(levels, cover(mark, arrow, x - arrow / 2, top), ink)
    return DrawnSheet((png(levels),), truth, {"line": "".join(line), "centre": [x, y], "levels": [ground, ink]})


def contrast(level: float, seed: int | str, number: int, size: int) -> DrawnSheet:
    """Draw one large letter, darker than its ground by `level` percent of the ground's light (Weber contrast)."""
    chance, truth = begun("contrast", LETTERS, seed, number)
    ground = chance.uniform(170, 200)
    ink = level_of(light_of(ground) * (1 - level / 100))
    tall = size * LARGE
    x, y = ((size - tall) * (0.5 + chance.uniform(-0.3, 0.3)) for _ in range(2))
    levels = np.full((size, size), ground)
    put(levels, cover(truth, tall, x, y), ink)
    picture = png(dithered(levels, "contrast", seed, number))
    return DrawnSheet((picture,), truth, {"box": [x, y, x + tall, y + tall], "levels": [ground, ink]})


def light_of(level: float) -> float:
    """Return the light that a screen gives for a grey level (sRGB), white being 1."""
    part = level / 255
    return part / 12.92 if part <= 0.04045 else math.pow((part + 0.055) / 1.055, 2.4)


def level_of(light: float) -> float:
    """Return the grey level that gives that light."""
    return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * math.pow(light, 1 / 2.4) - 0.055)
