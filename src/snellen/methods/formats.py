"""Point formats of vision-language models: the prompt, the size of the picture as the model sees it, the space of the reply's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from snellen.core.resizing import PROCESSOR, PixelLimits, smart_resize
from snellen.exams.grounding.geometry import THOUSAND, UNIT, Box, Pixels, Point, Resized, Space
from snellen.exams.grounding.reading.found import Numbers
from snellen.methods import prompts

Size = tuple[int, int]
SpaceName = Literal["relative_1000", "resized_pixels", "image_pixels", "unit", "percent"]
Format = Literal["qwen2-vl", "qwen2.5-vl", "qwen3-vl", "gpt", "claude", "molmo", "pixels", "unit"]
Version = Literal["1", "1.5"]
UITARS_V1 = PixelLimits(3136, 2_116_800)  # the preprocessor file of UI-TARS-7B-SFT
_CLAUDE_LONGEST = 1568
CLAUDE_PIXELS = 1_150_000


class PointFormat(NamedTuple):
    """One way to ask for a point. `size` gives the size that is sent for a picture; `space` is the unit of the reply's numbers."""

    template: str
    space: SpaceName
    size: Callable[[int, int], Size]


def fit_within(width: int, height: int, longest: int, pixels: int) -> Size:
    """Scale (width, height) down until both are within their limits; never up.

    >>> fit_within(1920, 1080, _CLAUDE_LONGEST, CLAUDE_PIXELS)
    (1429, 804)
    """
    scale = min(1.0, longest / max(width, height), math.sqrt(pixels / (width * height)))
    return max(1, math.floor(width * scale)), max(1, math.floor(height * scale))


def _as_is(width: int, height: int) -> Size:
    return width, height


def _gpt(width: int, height: int) -> Size:
    """Apply OpenAI's published rule for high detail: within 2048 x 2048, then the shorter side at most 768."""
    wide, high = fit_within(width, height, 2048, 2048 * 2048)
    scale = min(1.0, 768 / min(wide, high))
    return max(1, round(wide * scale)), max(1, round(high * scale))


_claude = partial(fit_within, longest=_CLAUDE_LONGEST, pixels=CLAUDE_PIXELS)

FORMATS: dict[Format, PointFormat] = {
    "qwen2-vl": PointFormat(prompts.QWEN_THOUSAND, "relative_1000", smart_resize),
    "qwen2.5-vl": PointFormat(prompts.QWEN_PIXELS, "resized_pixels", smart_resize),
    "qwen3-vl": PointFormat(prompts.QWEN_THOUSAND, "relative_1000", _as_is),
    "gpt": PointFormat(prompts.PIXELS_JSON, "resized_pixels", _gpt),
    "claude": PointFormat(prompts.CLAUDE_PIXELS, "resized_pixels", _claude),
    "molmo": PointFormat(prompts.MOLMO, "percent", _as_is),
    "pixels": PointFormat(prompts.PIXELS_JSON, "image_pixels", _as_is),
    "unit": PointFormat(prompts.UNIT_JSON, "unit", _as_is),
}
UITARS: dict[Version, tuple[SpaceName, PixelLimits]] = {
    "1": ("relative_1000", UITARS_V1),
    "1.5": ("resized_pixels", PROCESSOR),
}
_UITARS_PROMPTS = {"official": prompts.UITARS_OFFICIAL, "grounding": prompts.UITARS_GROUNDING}


def uitars(version: Version, prompt: str, fewest: int | None, most: int | None) -> PointFormat:
    """Return UI-TARS v1 (0-1000) or 1.5 (pixels of the resized picture), with the maintainers' evaluation prompt or the GROUNDING template.

    `fewest` and `most` are the server's pixels, where they differ from the model's own.
    """
    space, own = UITARS[version]
    limits = PixelLimits(fewest or own.fewest, most or own.most)
    return PointFormat(_UITARS_PROMPTS[prompt], space, partial(smart_resize, limits=limits))


def place(numbers: Numbers, space: str, sent: Size, picture: Pixels) -> Point | Box:
    """Convert numbers of a reply, in their declared space, to pixels of the picture. The space is never guessed from their magnitude."""
    spaces: dict[str, Space] = {
        "relative_1000": THOUSAND,
        "resized_pixels": Resized(*sent),
        "image_pixels": picture,
        "unit": UNIT,
        "percent": Resized(100, 100),
    }
    if len(numbers) == 2:
        return Point(*numbers, spaces[space]).to(picture)
    return Box.from_xyxy(numbers, spaces[space]).to(picture)
