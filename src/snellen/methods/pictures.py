"""Cutting, scaling and drawing on screenshots. Pictures go in and out as encoded bytes; Pillow is imported when used."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from snellen.core.errors import SnellenError
from snellen.core.pixels import BadPicture, as_rgb
from snellen.core.text import one_line
from snellen.exams.grounding.geometry import Box, Crop

if TYPE_CHECKING:
    from PIL.Image import Image

RED = (255, 0, 0)
FRAME = 5
_RING = 24
_TAG_COLOURS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (140, 86, 75), (227, 119, 194))


@lru_cache(maxsize=4)
def opened(data: bytes) -> Image:
    """Return the decoded picture in RGB; the last few are kept, since many crops are cut from one screenshot."""
    try:
        return as_rgb(data)
    except BadPicture as error:
        raise SnellenError(f"the picture cannot be used: {one_line(str(error), 160)}") from None


def encoded(image: Image) -> bytes:
    """Encode a picture as PNG, quickly."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def cut(data: bytes, crop: Crop) -> bytes:
    """Return the cut-out as PNG; the same bytes where nothing is cut off."""
    return data if crop == Crop.whole(crop.parent) else encoded(opened(data).crop(crop.edges))


def noted(crop: Crop) -> str:
    """Say what was cut: "whole" or "crop LEFT,TOP,RIGHT,BOTTOM"."""
    return "whole" if crop == Crop.whole(crop.parent) else f"crop {','.join(map(str, crop.edges))}"


def scaled(data: bytes, width: int, height: int) -> bytes:
    """Return the picture in exactly this size; the same bytes where it already has that size."""
    from PIL import Image

    image = opened(data)
    if image.size == (width, height):
        return data
    return encoded(image.resize((width, height), Image.Resampling.BICUBIC))


def framed(data: bytes, box: Box) -> bytes:
    """Draw a red frame of 5 px around a box, or a ring around a point (a frame without size would not be visible)."""
    from PIL import ImageDraw

    image = opened(data).copy()
    draw = ImageDraw.Draw(image)
    if box.width < 2 or box.height < 2:
        at = box.centre
        draw.ellipse((at.x - _RING, at.y - _RING, at.x + _RING, at.y + _RING), outline=RED, width=FRAME)
    else:
        draw.rectangle((box.x1 - FRAME, box.y1 - FRAME, box.x2 + FRAME, box.y2 + FRAME), outline=RED, width=FRAME)
    return encoded(image)


def tagged(data: bytes, boxes: Sequence[tuple[float, float, float, float]]) -> bytes:
    """Draw a frame and a number at every box, for a model that chooses a number."""
    from PIL import ImageDraw, ImageFont

    image = opened(data).copy()
    draw = ImageDraw.Draw(image)
    side = max(10, round(max(image.size) / 140))
    font = ImageFont.load_default(side)
    thick = max(1, round(max(image.size) / 1000))
    for number, (x1, y1, x2, y2) in enumerate(boxes):
        colour = _TAG_COLOURS[number % len(_TAG_COLOURS)]
        draw.rectangle((x1, y1, x2, y2), outline=colour, width=thick)
        label = str(number)
        wide = draw.textlength(label, font=font)
        top = y1 - side - 4 if y1 >= side + 4 else y1
        draw.rectangle((x1, top, x1 + wide + 4, top + side + 4), fill=colour)
        draw.text((x1 + 2, top + 1), label, fill=(255, 255, 255), font=font)
    return encoded(image)
