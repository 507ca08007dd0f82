"""The same charts as PNG, for places that show no SVG. Drawn with Pillow and the font that it carries."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from snellen.exams.grounding.charts.shapes import ChartDrawing, ChartRect, ChartText, Dot, DrawnLine, diamond

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

SCALE = 2  # pixels of the picture for each unit of the chart
SMOOTH = 2  # drawn larger by this and made smaller, for soft edges
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def to_png(picture: ChartDrawing) -> bytes:
    """A PNG with two pixels for each unit: sharp on dense screens and in print."""
    from PIL import Image, ImageDraw

    zoom = SCALE * SMOOTH
    size = (max(1, round(picture.width * zoom)), max(1, round(picture.height * zoom)))
    image = Image.new("RGB", size, "#ffffff")
    pen = ImageDraw.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, ChartRect):
            _rect(image, pen, shape, zoom)
        elif isinstance(shape, DrawnLine):
            _line(pen, shape, zoom)
        elif isinstance(shape, Dot):
            _dot(pen, shape, zoom)
    image = image.reduce(SMOOTH)
    pen = ImageDraw.Draw(image)
    for shape in picture.shapes:  # text last, at its own size, so that its edges stay sharp
        if isinstance(shape, ChartText):
            _text(pen, shape)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _rect(image: Image.Image, pen: ImageDraw.ImageDraw, shape: ChartRect, zoom: int) -> None:
    from PIL import Image, ImageDraw

    wide, high = round(shape.width * zoom), round(shape.height * zoom)
    if wide < 1 or high < 1:
        return
    x, y = round(shape.x * zoom), round(shape.y * zoom)
    piece = Image.new("RGB", (wide, high), shape.fill)
    own = ImageDraw.Draw(piece)
    if shape.hatch:
        step = round(8.5 * zoom)
        for start in range(-high - step, wide + step, step):
            own.line((start, high, start + high, 0), fill=shape.hatch, width=round(2.4 * zoom))
    if shape.stroke:
        own.rectangle((0, 0, wide - 1, high - 1), outline=shape.stroke, width=zoom)
    image.paste(piece, (x, y))


def _line(pen: ImageDraw.ImageDraw, shape: DrawnLine, zoom: int) -> None:
    width = max(1, round(shape.width * zoom))
    if not shape.dashed:
        pen.line([v * zoom for v in shape[:4]], fill=shape.stroke, width=width)
        return
    x1, y1, x2, y2 = shape[:4]
    length = max(1e-9, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    at = 0.0
    while at < length:
        a, b = at / length, min(1.0, (at + 5) / length)
        ends = (x1 + a * (x2 - x1), y1 + a * (y2 - y1), x1 + b * (x2 - x1), y1 + b * (y2 - y1))
        pen.line([v * zoom for v in ends], fill=shape.stroke, width=width)
        at += 9


def _dot(pen: ImageDraw.ImageDraw, shape: Dot, zoom: int) -> None:
    width = round(1.5 * zoom)
    if shape.diamond:
        corners = [(x * zoom, y * zoom) for x, y in diamond(shape)]
        pen.polygon(corners, fill=shape.fill, outline=shape.stroke, width=width)
        return
    x, y, r = shape.x * zoom, shape.y * zoom, shape.radius * zoom
    pen.ellipse((x - r, y - r, x + r, y + r), fill=shape.fill, outline=shape.stroke, width=width)


def _text(pen: ImageDraw.ImageDraw, shape: ChartText) -> None:
    from PIL import ImageFont

    font: Any = ImageFont.load_default(shape.size * SCALE)
    for strike in (0.0, 0.6) if shape.bold else (0.0,):  # the font has no bold cut: a second strike makes one
        at = (shape.x * SCALE + strike, shape.y * SCALE)
        pen.text(at, shape.text, fill=shape.fill, font=font, anchor=_ANCHORS[shape.anchor])
