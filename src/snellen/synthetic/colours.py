"""Colours of 0 to 255, and mixtures of them."""

from __future__ import annotations

RGB = tuple[int, ...]


def mix(a: RGB, b: RGB, share: float) -> RGB:
    """Return a mixture of two colours, with `share` of the second.

    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    return tuple(round(x + (y - x) * share) for x, y in zip(a, b, strict=True))


def darker(colour: RGB, share: float = 0.3) -> RGB:
    """Return the colour nearer to black."""
    return mix(colour, (20, 20, 28), share)


def lighter(colour: RGB, share: float = 0.4) -> RGB:
    """Return the colour nearer to white."""
    return mix(colour, (255, 255, 255), share)
