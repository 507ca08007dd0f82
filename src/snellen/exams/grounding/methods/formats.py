"""Point formats of vision-language models: what they are asked, at which size they see the picture, what their numbers count."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snellen.core.errors import unknown
from snellen.exams.grounding import prompts
from snellen.exams.grounding.geometry import THOUSAND, UNIT, Box, Pixels, Point, Resized, Space
from snellen.exams.grounding.methods.image_sizes import (
    CLAUDE_LONGEST,
    CLAUDE_PIXELS,
    PROCESSOR,
    UITARS_V1,
    PixelLimits,
    fit_within,
    smart_resize,
)
from snellen.exams.grounding.reading.found import PERCENT, Numbers

Size = tuple[int, int]
SPACES = ("relative_1000", "resized_pixels", "image_pixels", "unit", PERCENT)


class PointFormat(NamedTuple):
    """One way of asking for a point. `size` is what is sent for a picture of a given size; `space` what the reply counts."""

    template: str
    space: str
    size: Callable[[int, int], Size]


def as_is(width: int, height: int) -> Size:
    """The picture in its own size."""
    return width, height


def smart(limits: PixelLimits) -> Callable[[int, int], Size]:
    """What Qwen's image processor would make of it."""
    return lambda width, height: smart_resize(width, height, limits)


def _gpt(width: int, height: int) -> Size:
    """OpenAI's published rule for high detail: within 2048 x 2048, then the shorter side at most 768."""
    wide, high = fit_within(width, height, 2048, 2048 * 2048)
    scale = min(1.0, 768 / min(wide, high))
    return max(1, round(wide * scale)), max(1, round(high * scale))


def _claude(width: int, height: int) -> Size:
    return fit_within(width, height, CLAUDE_LONGEST, CLAUDE_PIXELS)


FORMATS = {
    "qwen2-vl": PointFormat(prompts.QWEN_THOUSAND, "relative_1000", smart(PROCESSOR)),
    "qwen2.5-vl": PointFormat(prompts.QWEN_PIXELS, "resized_pixels", smart(PROCESSOR)),
    "qwen3-vl": PointFormat(prompts.QWEN_THOUSAND, "relative_1000", as_is),
    "gpt": PointFormat(prompts.PIXELS_JSON, "resized_pixels", _gpt),
    "claude": PointFormat(prompts.CLAUDE_PIXELS, "resized_pixels", _claude),
    "molmo": PointFormat(prompts.MOLMO, PERCENT, as_is),
    "pixels": PointFormat(prompts.PIXELS_JSON, "image_pixels", as_is),
    "unit": PointFormat(prompts.UNIT_JSON, "unit", as_is),
}
UITARS = {"1": ("relative_1000", UITARS_V1), "1.5": ("resized_pixels", PROCESSOR)}


def place(numbers: Numbers, space: str, sent: Size, picture: Pixels) -> Point | Box:
    """Numbers of a reply, in their declared space, to pixels of the picture that was looked at. Never guessed from magnitude."""
    if space == PERCENT:
        numbers = tuple(n / 100 for n in numbers)
    spaces: dict[str, Space] = {
        "relative_1000": THOUSAND,
        "resized_pixels": Resized(*sent),
        "image_pixels": picture,
        "unit": UNIT,
        PERCENT: UNIT,
    }
    if space not in spaces:
        raise unknown("coordinate space", space, spaces)
    if len(numbers) == 2:
        return Point(*numbers, spaces[space]).to(picture)
    return Box.from_xyxy(numbers, spaces[space]).to(picture)
