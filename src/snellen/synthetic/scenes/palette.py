"""Colours and what is between them. The named ones are few, far apart, and still told apart when a scene is scaled down to 64 by 64."""

from __future__ import annotations

RGB = tuple[int, int, int]


def toward(a: RGB, b: RGB, part: float) -> RGB:
    """Return a colour between two.

    >>> toward((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    r, g, bl = (round(x + (y - x) * part) for x, y in zip(a, b, strict=True))
    return r, g, bl


def darker(colour: RGB, part: float = 0.3) -> RGB:
    """Return the colour nearer to black."""
    return toward(colour, (20, 20, 28), part)


def lighter(colour: RGB, part: float = 0.4) -> RGB:
    """Return the colour nearer to white."""
    return toward(colour, (255, 255, 255), part)


def edge(colour: RGB) -> RGB:
    """Return the colour of the line around a shape: darker, and enough darker that white stands out from a pale wall."""
    return darker(colour, 0.42 if sum(colour) > 600 else 0.34)
