"""The sizes at which models see a picture, so that the client can send exactly that and know what a coordinate means."""

from __future__ import annotations

import math

from snellen.core.resizing import FACTOR, PROCESSOR, PixelLimits, smart_resize

__all__ = ["FACTOR", "PROCESSOR", "PixelLimits", "smart_resize"]

UITARS_V1 = PixelLimits(3136, 2_116_800)  # the preprocessor file of UI-TARS-7B-SFT
CLAUDE_LONGEST = 1568
CLAUDE_PIXELS = 1_150_000


def fit_within(width: int, height: int, longest: int, pixels: int) -> tuple[int, int]:
    """(width, height) scaled down until neither limit is passed; never up.

    >>> fit_within(1920, 1080, CLAUDE_LONGEST, CLAUDE_PIXELS)
    (1429, 804)
    """
    scale = min(1.0, longest / max(width, height), math.sqrt(pixels / (width * height)))
    return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))
