"""The sizes at which models see a picture, so that the client can send exactly that and know what a coordinate means."""

from __future__ import annotations

import math
from typing import NamedTuple

from snellen.core.errors import SnellenError

FACTOR = 28
LARGEST_RATIO = 200


class Limits(NamedTuple):
    """Fewest and most pixels that a server's image processor works with."""

    fewest: int
    most: int


PROCESSOR = Limits(3136, 12_845_056)  # Qwen2-VL and Qwen2.5-VL defaults, and UI-TARS 1.5's by what is known
UITARS_V1 = Limits(3136, 2_116_800)  # the preprocessor file of UI-TARS-7B-SFT
# UI-TARS's own helper (and openadapt-grounding), which disagrees with the server when small
UITARS_HELPER = Limits(78_400, 12_845_056)
CLAUDE_LONGEST = 1568
CLAUDE_PIXELS = 1_150_000


def smart_resize(width: int, height: int, limits: Limits = PROCESSOR, factor: int = FACTOR) -> tuple[int, int]:
    """(width, height) to multiples of the factor within the limits, keeping the shape as far as that goes.

    >>> smart_resize(1920, 1080)
    (1932, 1092)
    """
    if min(width, height) <= 0:
        raise SnellenError(f"a picture of {width}x{height} has no pixels")
    if max(width, height) / min(width, height) > LARGEST_RATIO:
        raise SnellenError(
            f"a picture of {width}x{height} is too long and thin: one side is over {LARGEST_RATIO} times the other"
        )
    wide, high = (max(factor, round(v / factor) * factor) for v in (width, height))
    if wide * high > limits.most:
        shrink = math.sqrt(width * height / limits.most)
        wide, high = (max(factor, math.floor(v / shrink / factor) * factor) for v in (width, height))
    elif wide * high < limits.fewest:
        grow = math.sqrt(limits.fewest / (width * height))
        wide, high = (math.ceil(v * grow / factor) * factor for v in (width, height))
    return wide, high


def fit_within(width: int, height: int, longest: int, pixels: int) -> tuple[int, int]:
    """(width, height) scaled down until neither limit is passed; never up.

    >>> fit_within(1920, 1080, CLAUDE_LONGEST, CLAUDE_PIXELS)
    (1429, 804)
    """
    scale = min(1.0, longest / max(width, height), math.sqrt(pixels / (width * height)))
    return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
