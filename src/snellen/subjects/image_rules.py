"""The published rules of providers and model families for the tokens of an image. Pure; image_tokens.py maps models to rules.

`detail` is the user's `--detail`; a rule without such a level ignores it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import ceil, floor, sqrt

from snellen.core.errors import SnellenError
from snellen.core.resizing import PixelLimits, smart_resize

Count = Callable[[int, int, str | None], int]
LOW = "low"
HIGH = "high"
ORIGINAL = "original"

# ---------------------------------------------------------------- OpenAI


def tiles(base: int, tile: int) -> Count:
    """Count by OpenAI's tiles: fit into a square of 2048, shortest side to 768, then tiles of 512; `low` is the base alone.

    >>> tiles(85, 170)(1024, 1024, None), tiles(85, 170)(2048, 4096, "high"), tiles(85, 170)(4096, 8192, "low")
    (765, 1105, 85)
    """

    def count(width: int, height: int, detail: str | None) -> int:
        if detail == LOW:
            return base
        scale = min(1.0, 2048 / max(width, height))
        scale *= min(1.0, 768 / (min(width, height) * scale))
        wide, high = (ceil(_whole(side * scale) / 512) for side in (width, height))
        return base + tile * wide * high

    return count


Limit = Sequence[int]
"""The most patches of an image and its longest side in pixels. A value that is left out has no limit."""
SMALL: Limit = (256, 512)
"""`low`: the model gets a version of 512 x 512 pixels."""


def patches(multiplier: float, high: Limit, auto: Limit | None = None, original: Limit | None = None) -> Count:
    """Count by OpenAI's patches of 32 pixels, scaled down to the budget of the level of detail, times the model's multiplier.

    `auto` applies if no level is asked for (as `high`, if not given).

    >>> patches(1.0, (1536, 2048))(1024, 1024, None), patches(1.0, (1536, 2048))(1800, 2400, None)
    (1024, 1452)
    """
    budgets = {LOW: SMALL, HIGH: high, ORIGINAL: high if original is None else original}

    def count(width: int, height: int, detail: str | None) -> int:
        budget = budgets.get(detail or "", high if auto is None else auto)
        return ceil(_whole(multiplier * _patches(width, height, *budget), 6))

    return count


def _patches(width: int, height: int, most: int | None = None, side: int | None = None) -> int:
    scale = min(1.0, side / max(width, height)) if side else 1.0
    found = _cells(width * scale, height * scale, 32)
    if most is None or found <= most:
        return found
    scale = sqrt(32 * 32 * most / (width * height))
    wide, high = width * scale / 32, height * scale / 32
    scale *= min(floor(wide) / wide, floor(high) / high)
    # an image of one row of patches has no whole patch to shrink to
    return min(most, max(1, _cells(max(1.0, width * scale), max(1.0, height * scale), 32)))


# ---------------------------------------------------------------- Anthropic


def visual_tokens(longest: int, most: int) -> Count:
    """Count Claude's patches of 28 pixels, at the largest size of the same shape within the model's longest side and token limit.

    >>> visual_tokens(1568, 1568)(1920, 1080, None), visual_tokens(2576, 4784)(1920, 1080, None)
    (1560, 2691)
    """

    def fits(wide: int, high: int) -> bool:
        return ceil(max(wide, high) / 28) * 28 <= longest and _cells(wide, high, 28) <= most

    def count(width: int, height: int, _detail: str | None) -> int:
        wide, high = max(width, height), min(width, height)
        if not fits(wide, high):
            fitting, beyond = 1, wide
            while fitting + 1 < beyond:
                middle = (fitting + beyond) // 2
                if fits(middle, max(1, round(middle * high / wide))):
                    fitting = middle
                else:
                    beyond = middle
            wide, high = fitting, max(1, round(fitting * high / wide))
        return _cells(wide, high, 28)

    return count


# ---------------------------------------------------------------- Google


def gemini_tiles(width: int, height: int, detail: str | None) -> int:
    """Count for Gemini up to 2.5: 258 tokens for a small image, else a tile. Tiles are two thirds of the shorter side, 256 to 768 pixels.

    >>> gemini_tiles(384, 384, None), gemini_tiles(960, 540, None), gemini_tiles(960, 540, "low")
    (258, 1548, 64)
    """
    if detail in (LOW, "medium"):
        return 64 if detail == LOW else 256
    if max(width, height) <= 384:
        return 258
    tile = min(768, max(256, floor(min(width, height) / 1.5)))
    return 258 * _cells(width, height, tile)


def gemini_budget(_width: int, _height: int, detail: str | None) -> int:
    """Count for Gemini 3: a fixed number of tokens an image, whatever its size, by the media resolution."""
    return {LOW: 280, "medium": 560, "ultra_high": 2240}.get(detail or "", 1120)


# ---------------------------------------------------------------- open weights


def merged_patches(factor: int, fewest: int, most: int) -> Count:
    """Count as Qwen does: sides to multiples of the factor within the limits, a token for each square of it, and two around the image.

    >>> merged_patches(28, 3136, 12_845_056)(1932, 1092, None)
    2693
    """

    def count(width: int, height: int, _detail: str | None) -> int:
        try:
            wide, high = smart_resize(width, height, PixelLimits(fewest, most), factor)
        except SnellenError:  # the server refuses such a strip
            return most // factor**2
        return wide * high // factor**2 + 2

    return count


def fixed(tokens: int) -> Count:
    """Count the same number of tokens for every image."""
    return lambda _width, _height, _detail: tokens


_PINPOINTS = ((336, 672), (672, 336), (672, 672), (1008, 336), (336, 1008))


def llava_next(width: int, height: int, _detail: str | None) -> int:
    """Count for LLaVA-NeXT (1.6): the image small, and once more in the canvas that fits it best, without the padding.

    >>> llava_next(336, 336, None)
    1176
    """

    def used(canvas: tuple[int, int]) -> tuple[int, int]:
        high, wide = canvas
        scale = min(wide / width, high / height)
        shown = min(int(width * scale) * int(height * scale), width * height)
        return shown, -(wide * high - shown)

    high, wide = (24 * side // 336 for side in max(_PINPOINTS, key=used))
    if width / height > wide / high:
        high -= (high - int(round(height * (wide / width), 7))) // 2 * 2
    else:
        wide -= (wide - int(round(width * (high / height), 7))) // 2 * 2
    return high * wide + high + 576


@cache
def _grids(most: int) -> tuple[tuple[int, int], ...]:
    """Return the (columns, rows) of all grids up to that many tiles, few tiles first."""
    every = ((i, j) for i in range(1, most + 1) for j in range(1, most + 1) if i * j <= most)
    return tuple(sorted(every, key=lambda grid: grid[0] * grid[1]))


def internvl(width: int, height: int, _detail: str | None) -> int:
    """Count for InternVL: up to 12 tiles of 448 pixels in the grid of the closest shape, 256 tokens each, and one small whole image.

    >>> internvl(448, 448, None), internvl(896, 448, None)
    (258, 770)
    """
    best, least = (1, 1), float("inf")
    for columns, rows in _grids(12):
        off = abs(width / height - columns / rows)
        if off < least or (off == least and width * height > 0.5 * 448 * 448 * columns * rows):
            best, least = (columns, rows), off
    found = best[0] * best[1]
    return 256 * (found + (found > 1)) + 2


def mistral(patch: int, longest: int) -> Count:
    """Count for Pixtral and later: patches of the image fitted into a square, and one token more for every row of them.

    >>> mistral(16, 1024)(1024, 1024, None)
    4160
    """

    def count(width: int, height: int, _detail: str | None) -> int:
        scale = max(1.0, max(width, height) / longest)
        wide, high = (ceil(floor(side / scale) / patch) or 1 for side in (width, height))
        return (wide + 1) * high

    return count


def llama_4(width: int, height: int, _detail: str | None) -> int:
    """Count for Llama 4: up to 16 tiles of 336 pixels, 144 tokens and a separator each, markers, and a small whole image for several tiles.

    >>> llama_4(336, 336, None), llama_4(672, 336, None)
    (147, 437)
    """
    scales = {grid: min(grid[0] * 336 / width, grid[1] * 336 / height) for grid in _grids(16)}
    above = [scale for scale in scales.values() if scale >= 1]
    wanted = min(above) if above else max(scales.values())
    columns, rows = next(grid for grid, scale in scales.items() if scale == wanted)  # the smallest of such canvases
    found = columns * rows
    return 147 + (145 * found if found > 1 else 0)


def llama_3(width: int, height: int, _detail: str | None) -> int:
    """Count for Llama 3.2 as Together bills it: 1601 tokens for each of up to four tiles of 560 pixels.

    >>> llama_3(480, 720, None), llama_3(720, 1280, None)
    (1601, 3202)
    """
    wide, high = (min(2, max(side // 560, 1)) for side in (width, height))
    return 1601 * wide * high


def by_area(width: int, height: int, _detail: str | None) -> int:
    """Estimate without a rule: a token for 750 pixels, as Anthropic used to say."""
    return ceil(width * height / 750)


# ---------------------------------------------------------------- arithmetic


def _cells(width: float, height: float, side: int) -> int:
    """Return how many squares cover an image."""
    return ceil(_whole(width) / side) * ceil(_whole(height) / side)


def _whole(value: float, digits: int = 4) -> float:
    """Return a product of fractions without floating-point error: 2048 / 3 * 3 is 2048."""
    return round(value, digits)
