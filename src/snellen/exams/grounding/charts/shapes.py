"""What a chart is made of, and how it becomes SVG text. Pure: the same shapes give the same bytes, and PNG draws them too.

Names in charts come from files, so every text is escaped and control characters are shown, not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

from snellen.core.text import for_terminal

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
Anchor = Literal["start", "middle", "end"]
_NARROW = frozenset("iljtfrI.,:;|!'`()[]{}/\\ -")
_WIDE = frozenset("mwMW%@&")


class ChartRect(NamedTuple):
    """A box, filled, outlined or hatched."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    hatch: str | None = None


class DrawnLine(NamedTuple):
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    width: float = 1.0
    dashed: bool = False


class ChartText(NamedTuple):
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor = "start"
    bold: bool = False


class Dot(NamedTuple):
    """A marker: a disc, or a diamond."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str
    diamond: bool = False


Shape = ChartRect | DrawnLine | ChartText | Dot


class ChartDrawing(NamedTuple):
    """A chart: its size, what it is for people who do not see it, and its shapes from back to front."""

    width: float
    height: float
    title: str
    about: str
    shapes: tuple[Shape, ...]


def text_width(text: str, size: float) -> float:
    """About how wide a text is; no font is asked, so that charts do not depend on the machine."""
    return size * sum(_advance(letter) for letter in text)


def _advance(letter: str) -> float:
    if letter in _NARROW:
        return 0.33
    if letter in _WIDE:
        return 0.88
    if ord(letter) > 0x2E80:
        return 1.0
    return 0.7 if letter.isupper() else 0.57


def shortened(text: str, room: float, size: float) -> str:
    """A text that fits: control characters shown, and cut with three dots where it is too long.

    >>> shortened("a very long name of a method", 60, 12)
    'a very lo…'
    """
    shown = for_terminal(" ".join(text.split()), 400)
    if text_width(shown, size) <= room:
        return shown
    while shown and text_width(shown + "…", size) > room:
        shown = shown[:-1]
    return shown.rstrip() + "…"


def to_svg(picture: ChartDrawing) -> str:
    """A document that needs nothing from outside: no scripts, no fonts to fetch, no style sheets."""
    hatches = sorted({s.hatch for s in picture.shapes if isinstance(s, ChartRect) and s.hatch})
    width, height = _n(picture.width), _n(picture.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="t d" font-family="{escape(FONTS)}">',
        f'<title id="t">{_say(picture.title)}</title>',
        f'<desc id="d">{_say(picture.about)}</desc>',
    ]
    if hatches:
        lines.append("<defs>" + "".join(_pattern(colour, i) for i, colour in enumerate(hatches)) + "</defs>")
    lines.append(f'<rect width="{width}" height="{height}" fill="#ffffff"/>')
    lines += [_element(shape, hatches) for shape in picture.shapes]
    return "\n".join([*lines, "</svg>", ""])


def _pattern(colour: str, number: int) -> str:
    return (
        f'<pattern id="h{number}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<line x1="0" y1="0" x2="0" y2="6" stroke="{_say(colour)}" stroke-width="2.4"/></pattern>'
    )


def _element(shape: Shape, hatches: Sequence[str]) -> str:
    if isinstance(shape, ChartRect):
        return _rect(shape, hatches)
    if isinstance(shape, DrawnLine):
        dash = ' stroke-dasharray="5 4"' if shape.dashed else ""
        return (
            f'<line x1="{_n(shape.x1)}" y1="{_n(shape.y1)}" x2="{_n(shape.x2)}" y2="{_n(shape.y2)}" '
            f'stroke="{_say(shape.stroke)}" stroke-width="{_n(shape.width)}"{dash}/>'
        )
    if isinstance(shape, ChartText):
        weight = ' font-weight="bold"' if shape.bold else ""
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        return (
            f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}" fill="{_say(shape.fill)}"'
            f"{anchor}{weight}>{_say(shape.text)}</text>"
        )
    ink = f'fill="{_say(shape.fill)}" stroke="{_say(shape.stroke)}" stroke-width="1.5"'
    if not shape.diamond:
        return f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" {ink}/>'
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in diamond(shape))
    return f'<polygon points="{points}" {ink}/>'


def _rect(shape: ChartRect, hatches: Sequence[str]) -> str:
    place = (
        f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(max(0.0, shape.width))}" height="{_n(max(0.0, shape.height))}"'
    )
    stroke = f' stroke="{_say(shape.stroke)}"' if shape.stroke else ""
    solid = f'<rect {place} fill="{_say(shape.fill)}"{"" if shape.hatch else stroke}/>'
    if not shape.hatch:
        return solid
    return f'{solid}<rect {place} fill="url(#h{hatches.index(shape.hatch)})"{stroke}/>'


def diamond(dot: Dot) -> list[tuple[float, float]]:
    """The corners of a diamond marker."""
    r = dot.radius * 1.25
    return [(dot.x, dot.y - r), (dot.x + r, dot.y), (dot.x, dot.y + r), (dot.x - r, dot.y)]


def _n(value: float) -> str:
    """A coordinate, short and without an exponent."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def _say(text: str) -> str:
    return escape(for_terminal(text), quote=True)
