"""Silhouettes of all classes, drawn by code: things and icons from outlines, written names in place of logos.

Nobody's logo is copied: of a brand the set has its name in letters of our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from snellen.synthetic.hidden.silhouettes_things import ICONS, THINGS
from snellen.synthetic.hidden.strokes import Floats, OutlinePen

Mask = npt.NDArray[np.float32]
SIZE = 384
IN, LOGO, ICON = "Illusion_IN", "Illusion_LOGO", "Illusion_ICON"
VARIANTS = {IN: 1, LOGO: 1, ICON: 3}
_NAMES = {
    "adidas": ("ADI", "DAS"),
    "amazon": ("AMA", "ZON"),
    "apple": ("APP", "LE"),
    "audi": ("AU", "DI"),
    "bmw": ("BMW",),
    "benz": ("BE", "NZ"),
    "facebook": ("FACE", "BOOK"),
    "google": ("GOO", "GLE"),
    "instagram": ("INS", "TAG", "RAM"),
    "mcdonalds": ("MC", "DON", "ALDS"),
    "nasa": ("NA", "SA"),
    "nike": ("NI", "KE"),
    "olympics": ("OLYM", "PICS"),
    "playstation": ("PLAY", "STAT", "ION"),
    "puma": ("PU", "MA"),
    "reebok": ("REE", "BOK"),
    "spotify": ("SPOT", "IFY"),
    "starbucks": ("STAR", "BUCKS"),
    "tesla": ("TES", "LA"),
    "telegram": ("TELE", "GRAM"),
    "ubuntu": ("UBU", "NTU"),
}
"""The lines in which a name is written."""
# Letters as strokes in a box 3 wide and 6 high, y down.
_LETTERS: dict[str, tuple[tuple[float, ...], ...]] = {
    "A": ((0, 6, 1.5, 0, 3, 6), (0.7, 4.0, 2.3, 4.0)),
    "B": ((0, 0, 0, 6, 2, 6, 3, 5.2, 3, 3.8, 2, 3, 0, 3), (0, 0, 2, 0, 2.8, 0.8, 2.8, 2.2, 2, 3)),
    "C": ((3, 0.8, 2.2, 0, 0.8, 0, 0, 1, 0, 5, 0.8, 6, 2.2, 6, 3, 5.2),),
    "D": ((0, 0, 0, 6, 1.8, 6, 3, 4.8, 3, 1.2, 1.8, 0, 0, 0),),
    "E": ((3, 0, 0, 0, 0, 6, 3, 6), (0, 3, 2.4, 3)),
    "F": ((3, 0, 0, 0, 0, 6), (0, 3, 2.4, 3)),
    "G": ((3, 0.9, 2.2, 0, 0.8, 0, 0, 1, 0, 5, 0.8, 6, 2.2, 6, 3, 5.2, 3, 3.3, 1.7, 3.3),),
    "I": ((1.5, 0, 1.5, 6), (0.4, 0, 2.6, 0), (0.4, 6, 2.6, 6)),
    "K": ((0, 0, 0, 6), (3, 0, 0, 3.4), (1, 2.6, 3, 6)),
    "L": ((0, 0, 0, 6, 3, 6),),
    "M": ((0, 6, 0, 0, 1.5, 3, 3, 0, 3, 6),),
    "N": ((0, 6, 0, 0, 3, 6, 3, 0),),
    "O": ((0.8, 0, 0, 1, 0, 5, 0.8, 6, 2.2, 6, 3, 5, 3, 1, 2.2, 0, 0.8, 0),),
    "P": ((0, 6, 0, 0, 2.2, 0, 3, 0.8, 3, 2.4, 2.2, 3.2, 0, 3.2),),
    "R": ((0, 6, 0, 0, 2.2, 0, 3, 0.8, 3, 2.3, 2.2, 3.1, 0, 3.1), (1.5, 3.1, 3, 6)),
    "S": ((3, 0.8, 2.2, 0, 0.8, 0, 0, 0.9, 0, 2.1, 0.8, 3, 2.2, 3, 3, 3.9, 3, 5.1, 2.2, 6, 0.8, 6, 0, 5.2),),
    "T": ((0, 0, 3, 0), (1.5, 0, 1.5, 6)),
    "U": ((0, 0, 0, 5, 0.8, 6, 2.2, 6, 3, 5, 3, 0),),
    "W": ((0, 0, 0.7, 6, 1.5, 2.4, 2.3, 6, 3, 0),),
    "Y": ((0, 0, 1.5, 3, 3, 0), (1.5, 3, 1.5, 6)),
    "Z": ((0, 0, 3, 0, 0, 6, 3, 6),),
}


def _written(lines: Sequence[str]) -> OutlinePen:
    """A name in bold letters, in lines that fill the field."""
    pen = OutlinePen()
    high = min(100 / len(lines), 150 / max(map(len, lines)))
    for row, line in enumerate(lines):
        wide = min(104 / len(line), high)
        bold = min(0.2 * high, 0.27 * wide)
        across, up = (wide - 1.75 * bold) / 3, (high - 1.6 * bold) / 6
        for place, letter in enumerate(line):
            left = 50 + wide * (place - len(line) / 2) + 0.875 * bold
            top = 50 + high * (row - len(lines) / 2) + 0.8 * bold
            for stroke in _LETTERS[letter]:
                pen.line(bold, *(left + across * v if i % 2 == 0 else top + up * v for i, v in enumerate(stroke)))
    return pen


@cache
def _pen(split: str, shape: str, variant: int) -> OutlinePen:
    if split == LOGO:
        return _written(_NAMES[shape])
    pen = OutlinePen()
    (THINGS[shape] if split == IN else ICONS[shape][variant % 3])(pen)
    return pen


def shapes(split: str) -> tuple[str, ...]:
    """The classes of a split in the spelling of the data."""
    return tuple({IN: THINGS, LOGO: _NAMES, ICON: ICONS}[split])


def render(
    split: str,
    shape: str,
    variant: int = 0,
    *,
    size: int = SIZE,
    scale: float = 0.8,
    turn: float = 0.0,
    mirror: bool = False,
    shift: tuple[float, float] = (0.0, 0.0),
    stretch: float = 1.0,
    bend: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
) -> Mask:
    """The silhouette as a mask in 0..1. `scale` and `shift` are parts of the image side, `turn` is in degrees.

    `stretch` is width to height; `bend` is how far (in hundredths) and where in its course a slow wave moves x and y.
    """
    fine = 2 * size
    image = Image.new("L", (fine, fine))
    draw = ImageDraw.Draw(image)
    angle = np.radians(turn)
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c, s], [-s, c]]) * (scale * fine / 100.0)
    matrix = np.diag([np.sqrt(stretch), 1 / np.sqrt(stretch)]) @ matrix
    if mirror:
        matrix = np.array([[-1.0, 0.0], [0.0, 1.0]]) @ matrix
    centre: Floats = fine * (np.array([0.5, 0.5]) + np.array(shift))
    for points, ink in _pen(split, shape, variant).pieces:
        wave = np.sin(points[:, ::-1] * (2 * np.pi / 110.0) + [bend[2], bend[3]])
        moved = (points + wave * [bend[0], bend[1]] - 50.0) @ matrix + centre
        draw.polygon([(float(x), float(y)) for x, y in moved], fill=255 if ink else 0)
    out: Mask = np.asarray(image.reduce(2), dtype=np.float32) / np.float32(255)
    return out


def silhouette(split: str, shape: str, variant: int, rng: np.random.Generator) -> Mask:
    """A silhouette a little moved, sized, turned and, letters apart, perhaps mirrored."""
    scale, turn = float(rng.uniform(0.7, 0.86)), float(rng.uniform(-9, 9))
    shift = (float(rng.uniform(-0.05, 0.05)), float(rng.uniform(-0.05, 0.05)))
    mirror = bool(rng.random() < 0.5) and split != LOGO
    stretch = float(np.exp(rng.uniform(-0.1, 0.1)))
    bend = (*(float(v) for v in rng.uniform(-3.0, 3.0, 2)), *(float(v) for v in rng.uniform(0, 2 * np.pi, 2)))
    moved: dict[str, Any] = {
        "scale": scale,
        "turn": turn,
        "mirror": mirror,
        "shift": shift,
        "stretch": stretch,
        "bend": bend,
    }
    return render(split, shape, variant, **moved)


def templates(split: str, size: int, scales: tuple[float, ...], turns: tuple[float, ...]) -> tuple[list[str], Mask]:
    """All classes of a split at the given scales and turns (and mirrored, letters apart): names and masks."""
    forms = (False,) if split == LOGO else (False, True)
    names: list[str] = []
    masks: list[Mask] = []
    for shape in shapes(split):
        for variant in range(VARIANTS[split]):
            for mirror in forms:
                for scale, turn in product(scales, turns):
                    names.append(shape)
                    masks.append(render(split, shape, variant, size=size, scale=scale, turn=turn, mirror=mirror))
    return names, np.stack(masks)
