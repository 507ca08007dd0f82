"""Numbered boxes on an image, which make VCR's object tags visible: the object that a text calls 2 has box 2.

The number on a box is the data's own index, the same as in the text's tag. Colours differ, and sizes follow the image, so that the numbers
are legible in a thumbnail as well as in a film frame.
"""

from __future__ import annotations

import colorsys
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.pixels import BadPicture, decoded
from snellen.core.types import Picture

if TYPE_CHECKING:
    from PIL import Image as PillowImage

Colour = tuple[int, int, int]

# distinguishable by hue and by lightness; for more boxes, hues are spread evenly
_HEX = "e41e26 2364eb 14a03c fad714 9628be f58214 14cde1 f04bb9 825523 a5e12d 6e6ee1 00736e"
PALETTE: tuple[Colour, ...] = tuple((red, green, blue) for red, green, blue in map(bytes.fromhex, _HEX.split()))
SMALLEST_SIDE = 384  # a smaller image is enlarged first, because legible numbers would cover it
MOST_ENLARGED = 16
MANY = 12
_GOLDEN = 0.618  # neighbours in the list are far apart in hue
REFUSED = 32  # bytes of an image that does not decode: too few for any image, enough to tell its codec


class Rectangle(NamedTuple):
    """A rectangle in pixels, right and bottom edge included."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def area(self) -> float:
        """Area in square pixels."""
        return max(0.0, self.x2 - self.x1) * max(0.0, self.y2 - self.y1)

    def shared(self, other: Rectangle) -> float:
        """Return the area of overlap of two rectangles."""
        width = min(self.x2, other.x2) - max(self.x1, other.x1)
        height = min(self.y2, other.y2) - max(self.y1, other.y1)
        return max(0.0, width) * max(0.0, height)


def colours(count: int) -> list[Colour]:
    """Return that number of different colours.

    >>> len(set(colours(40)))
    40
    """
    if count <= len(PALETTE):
        return list(PALETTE[:count])
    spread = (colorsys.hsv_to_rgb(i * _GOLDEN % 1, (1.0, 0.85)[i % 2], (1.0, 0.72, 0.88)[i % 3]) for i in range(count))
    return [(round(red * 255), round(green * 255), round(blue * 255)) for red, green, blue in spread]


def _ink(colour: Colour) -> Colour:
    """Return black or white, whichever is more legible on a colour."""
    red, green, blue = colour
    return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else (255, 255, 255)


def _box_of(boxes: Sequence[Sequence[float]], number: int, name: str) -> Rectangle:
    """Return the box with a number; raise SnellenError if there is none."""
    if not 0 <= number < len(boxes):
        raise SnellenError(f"{name}: no box for object {number} (there are {len(boxes)}); ask without '-boxes'")
    x1, y1, x2, y2 = boxes[number]
    return Rectangle(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def draw(picture: Picture, boxes: Sequence[Sequence[float]], numbers: Sequence[int]) -> Picture:
    """Return the picture as PNG with the boxes of these numbers; `boxes[n]` is the box of number n, in pixels of the picture.

    Without numbers, return the picture unchanged. `transforms` lists the changes. An image that does not decode is returned truncated, and
    is refused like any broken image before the question is sent.
    """
    wanted = sorted(set(numbers))
    if not wanted:
        return picture
    name = picture.name or "image"
    rectangles = {n: _box_of(boxes, n, name) for n in wanted}
    decoded = _open(picture)
    if decoded is None:
        # truncated, so that the image check refuses it: it must not be asked about without its boxes
        return Picture(data=picture.data[:REFUSED], name=picture.name, transforms=picture.transforms)
    image, notes = decoded
    scale = min(MOST_ENLARGED, max(1, math.ceil(SMALLEST_SIDE / max(image.size))))
    if scale > 1:
        image = image.resize((image.width * scale, image.height * scale))
        notes.append(f"enlarged {scale} times")
    _paint(image, {n: _inside(r, scale, image.size) for n, r in rectangles.items()})
    notes.append(f"numbered boxes drawn: {', '.join(map(str, wanted))}")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=2)  # five times as fast as the default, 5% larger
    return Picture(data=out.getvalue(), name=picture.name, transforms=(*picture.transforms, *notes))


def _open(picture: Picture) -> tuple[PillowImage.Image, list[str]] | None:
    try:
        with decoded(picture.data) as opened:
            mode = opened.mode
            image = opened.convert("RGB")
    except BadPicture:
        return None
    codec = sniff(picture.data).codec
    notes = [f"{codec} to png"] if codec != "png" else []
    return image, notes + ([f"mode {mode} to RGB"] if mode != "RGB" else [])


def _inside(box: Rectangle, scale: int, size: tuple[int, int]) -> Rectangle:
    """Return a box in pixels of the image that is drawn on, clipped to it, and thick enough to be visible."""
    width, height = size
    x1, x2 = (min(max(v * scale, 0), width - 1) for v in (box.x1, box.x2))
    y1, y2 = (min(max(v * scale, 0), height - 1) for v in (box.y1, box.y2))
    least = max(6, max(size) // 150)
    x1, x2 = (x1, x2) if x2 - x1 >= least else (max(0, x2 - least), min(width - 1, x1 + least))
    y1, y2 = (y1, y2) if y2 - y1 >= least else (max(0, y2 - least), min(height - 1, y1 + least))
    return Rectangle(x1, y1, x2, y2)


def _paint(image: PillowImage.Image, boxes: dict[int, Rectangle]) -> None:
    from PIL import ImageDraw, ImageFont

    canvas = ImageDraw.Draw(image)
    long_side = max(image.size)
    line = max(3, round(long_side / 320))
    font = ImageFont.load_default(size=max(18, round(long_side / (30 if len(boxes) <= MANY else 42))))
    hue = dict(zip(boxes, colours(len(boxes)), strict=True))
    for number, box in sorted(boxes.items(), key=lambda item: -item[1].area):  # small boxes on top of large ones
        edge = Rectangle(*(round(v) for v in box))
        canvas.rectangle(edge, outline=_ink(hue[number]), width=line + 2)
        canvas.rectangle((edge.x1 + 1, edge.y1 + 1, edge.x2 - 1, edge.y2 - 1), outline=hue[number], width=line)
    placed: list[Rectangle] = []
    for number, box in sorted(boxes.items(), key=lambda item: item[1].area):  # small boxes get their number first
        left, top, right, bottom = canvas.textbbox((0, 0), str(number), font=font)
        pad = line + 1
        width, height = right - left + 2 * pad + 2, bottom - top + 2 * pad
        width = max(width, height)
        tag = place_tag(box, width, height, image.size, placed, list(boxes.values()))
        placed.append(tag)
        canvas.rectangle(tag, fill=hue[number], outline=_ink(hue[number]))
        middle = ((tag.x1 + tag.x2) / 2 - (left + right) / 2, (tag.y1 + tag.y2) / 2 - (top + bottom) / 2)
        canvas.text(middle, str(number), fill=_ink(hue[number]), font=font)


def place_tag(
    box: Rectangle,
    width: float,
    height: float,
    size: tuple[int, int],
    placed: Sequence[Rectangle],
    boxes: Sequence[Rectangle],
) -> Rectangle:
    """Return the position of a number: inside the image and at its box. Avoid other numbers first, and then the objects in the boxes."""
    tried: list[tuple[float, Rectangle]] = []
    for order, (x, y) in enumerate(_places(box, width, height)):
        left = min(max(x, 0), max(0, size[0] - 1 - width))
        top = min(max(y, 0), max(0, size[1] - 1 - height))
        tag = Rectangle(left, top, left + width, top + height)
        hidden = sum(tag.shared(other) for other in placed) / tag.area
        covered = max((tag.shared(b) / max(b.area, 1.0) for b in boxes), default=0.0)
        moved = (abs(left - x) + abs(top - y)) / height
        tried.append((100 * hidden + 10 * covered + moved + 0.01 * order, tag))
    return min(tried)[1]


def _places(box: Rectangle, width: float, height: float) -> list[tuple[float, float]]:
    """Return top left corners to try, the usual first: along the top edge from left to right, then the sides, then the bottom edge."""
    columns = [box.x1, box.x2 - width, (box.x1 + box.x2 - width) / 2]
    above = [(x, box.y1 - height) for x in columns]
    inside = [(x, box.y1) for x in columns[:2]] + [(x, box.y2 - height) for x in columns[:2]]
    beside = [(x, y) for x in (box.x2, box.x1 - width) for y in (box.y1, box.y2 - height)]
    below = [(x, box.y2) for x in columns]
    return [above[0], inside[0], *above[1:], *inside[1:], *beside, *below]
