"""Point formats of vision-language models: what they are asked, at which size they see the picture, what their numbers count."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.exams.grounding import prompts
from snellen.exams.grounding.geometry import THOUSAND, UNIT, Box, Pixels, Point, Resized, Space
from snellen.exams.grounding.methods.image_sizes import (
    CLAUDE_LONGEST,
    CLAUDE_PIXELS,
    PROCESSOR,
    UITARS_V1,
    Limits,
    fit_within,
    smart_resize,
)
from snellen.exams.grounding.reading.points import Numbers

Size = tuple[int, int]
SPACES = ("relative_1000", "resized_pixels", "image_pixels", "unit", "percent")


class Format(NamedTuple):
    """One way of asking for a point. `size` is what is sent for a picture of a given size; `space` what the reply counts."""

    name: str
    template: str
    space: str
    size: Callable[[int, int], Size]
    about: str


def as_is(width: int, height: int) -> Size:
    """The picture in its own size."""
    return width, height


def smart(limits: Limits) -> Callable[[int, int], Size]:
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
    f.name: f
    for f in (
        Format(
            "qwen2-vl", prompts.QWEN_THOUSAND, "relative_1000", smart(PROCESSOR), "0-1000; also <|box_start|> replies"
        ),
        Format("qwen2.5-vl", prompts.QWEN_PIXELS, "resized_pixels", smart(PROCESSOR), "pixels of the resized picture"),
        Format("qwen3-vl", prompts.QWEN_THOUSAND, "relative_1000", as_is, "0-1000"),
        Format(
            "gpt", prompts.PIXELS_JSON, "resized_pixels", _gpt, "pixels of the picture at the size that GPT models see"
        ),
        Format(
            "claude",
            prompts.CLAUDE_PIXELS,
            "resized_pixels",
            _claude,
            "pixels of the picture within 1568 px and 1.15 MP",
        ),
        Format("molmo", prompts.MOLMO, "percent", as_is, '<point x="63.5" y="44.9">, in percent'),
        Format("pixels", prompts.PIXELS_JSON, "image_pixels", as_is, "pixels of the picture as it is"),
        Format("unit", prompts.UNIT_JSON, "unit", as_is, "0 to 1"),
    )
}

UITARS = {
    "1": Format("uitars-1", prompts.UITARS_OFFICIAL, "relative_1000", smart(UITARS_V1), "UI-TARS 2B/7B/72B: 0-1000"),
    "1.5": Format(
        "uitars-1.5", prompts.UITARS_OFFICIAL, "resized_pixels", smart(PROCESSOR), "UI-TARS 1.5: resized pixels"
    ),
}


def place(numbers: Numbers, space: str, sent: Size, picture: Pixels) -> Point | Box:
    """Numbers of a reply, in their declared space, to pixels of the picture that was looked at. Never guessed from magnitude."""
    if space == "percent":
        numbers = tuple(n / 100 for n in numbers)
    spaces: dict[str, Space] = {
        "relative_1000": THOUSAND,
        "resized_pixels": Resized(*sent),
        "image_pixels": picture,
        "unit": UNIT,
        "percent": UNIT,
    }
    if space not in spaces:
        raise SnellenError(f"unknown coordinate space '{space}': choose from {', '.join(SPACES)}")
    if len(numbers) == 2:
        return Point(*numbers, spaces[space]).to(picture)
    return Box.from_xyxy(numbers, spaces[space]).to(picture)
