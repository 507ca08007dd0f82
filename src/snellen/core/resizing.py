"""The sizes to which image processors resize images before a model sees them: pure arithmetic, for coordinates and for token counts."""

from __future__ import annotations

import math
from typing import NamedTuple

from snellen.core.errors import SnellenError

FACTOR = 28
LARGEST_RATIO = 200


class PixelLimits(NamedTuple):
    """The fewest and most pixels that a server's image processor works with."""

    fewest: int
    most: int


PROCESSOR = PixelLimits(3136, 12_845_056)
"""The defaults of Qwen2-VL and Qwen2.5-VL, in their preprocessor files."""


def smart_resize(width: int, height: int, limits: PixelLimits = PROCESSOR, factor: int = FACTOR) -> tuple[int, int]:
    """Return (width, height) rounded to multiples of the factor within the limits, keeping the shape as far as possible.

    >>> smart_resize(1920, 1080)
    (1932, 1092)
    """
    if min(width, height) <= 0:
        raise SnellenError(f"a picture of {width}x{height} has no pixels")
    if max(width, height) / min(width, height) > LARGEST_RATIO:
        raise SnellenError(
            f"a picture of {width}x{height} is too long and thin: one side is over {LARGEST_RATIO} times the other"
        )
    return to_multiples(width, height, limits, factor)


def to_multiples(width: int, height: int, limits: PixelLimits, factor: int) -> tuple[int, int]:
    """Do the same as `smart_resize`, for images of any shape."""
    wide, high = (max(factor, round(v / factor) * factor) for v in (width, height))
    if wide * high > limits.most:
        shrink = math.sqrt(width * height / limits.most)
        wide, high = (max(factor, math.floor(v / shrink / factor) * factor) for v in (width, height))
    elif wide * high < limits.fewest:
        grow = math.sqrt(limits.fewest / (width * height))
        wide, high = (math.ceil(v * grow / factor) * factor for v in (width, height))
    return wide, high
