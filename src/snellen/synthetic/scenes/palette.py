"""The colours of the world: few, far apart, and still told apart when a scene is scaled down to 64 by 64."""

from __future__ import annotations

RGB = tuple[int, int, int]

COLOURS: dict[str, RGB] = {
    "red": (216, 40, 44),
    "orange": (246, 138, 30),
    "yellow": (250, 212, 48),
    "green": (24, 140, 66),
    "blue": (36, 92, 214),
    "purple": (134, 60, 178),
    "pink": (244, 128, 178),
    "brown": (130, 80, 44),
    "black": (40, 40, 46),
    "white": (252, 252, 252),
    "grey": (142, 146, 154),
}
BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "black", "white")
CLOTHES = ("red", "orange", "yellow", "green", "blue", "purple", "black", "white")
TROUSERS = ("blue", "black", "brown", "green", "grey", "red")
HAIR: dict[str, RGB] = {
    "black": (44, 36, 34),
    "brown": (122, 74, 40),
    "blond": (240, 204, 96),
    "red": (204, 84, 34),
    "grey": (176, 176, 180),
}
SKIN: tuple[RGB, ...] = ((250, 220, 190), (236, 188, 150), (198, 140, 98), (140, 92, 62), (100, 66, 46))


def toward(a: RGB, b: RGB, part: float) -> RGB:
    """A colour between two.

    >>> toward((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    r, g, bl = (round(x + (y - x) * part) for x, y in zip(a, b, strict=True))
    return r, g, bl


def darker(colour: RGB, part: float = 0.3) -> RGB:
    """The colour nearer to black."""
    return toward(colour, (20, 20, 28), part)


def lighter(colour: RGB, part: float = 0.4) -> RGB:
    """The colour nearer to white."""
    return toward(colour, (255, 255, 255), part)


def edge(colour: RGB) -> RGB:
    """The line around a shape of that colour: darker, and enough darker that white stands out from a pale wall."""
    return darker(colour, 0.42 if sum(colour) > 600 else 0.34)
