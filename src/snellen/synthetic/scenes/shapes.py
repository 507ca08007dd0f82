"""Draws the shapes of a drawing with a pen, and knows the colours that a drawing names."""

from __future__ import annotations

import re
from typing import Any

from PIL import ImageColor

from snellen.synthetic.colours import RGB, darker, lighter, mix
from snellen.synthetic.drawings import read_drawings, read_table
from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.catalog import COLOURS

DRAWINGS = {**read_drawings("scenes/drawings.toml"), **read_drawings("scenes/backdrops.toml")}
_NAMED: dict[str, dict[str, str]] = read_table("scenes/drawings.toml")["colours"]
_WORD = re.compile(r"(#?\w+)(?:([+-])([\d.]+))?")
DULL: RGB = (96, 108, 126)


class Shades:
    """The colours of a drawing: those that it is given, by name, and those that it names itself, duller in the rain."""

    def __init__(self, dull: float = 0.0, **given: str | RGB | None) -> None:
        self.dull, self.given = dull, given

    def filled(self, word: str) -> Shades:
        """Return the shades of a drawing within this one, which has that colour."""
        return Shades(self.dull, **{**self.given, "fill": self.given.get(word, word)})

    def of(self, word: str) -> RGB | None:
        """Return a colour by a word as `wood`, `#fafafa` or `fill-.3`; None where the drawing is not given that colour."""
        match = _WORD.fullmatch(word)
        if match is None:
            raise ValueError(f"{word} does not name a colour")
        name, way, part = match.groups()
        colour = self.given.get(name, name)
        if isinstance(colour, str):
            colour = self._named(colour)
        if colour is None or way is None:
            return colour
        return (darker if way == "-" else lighter)(colour, float(part))

    def _named(self, name: str) -> RGB | None:
        meant = _NAMED.get(str(self.given.get("fill")), {}).get(name, _NAMED["any"].get(name))
        if meant is not None:
            return self.of(meant)
        colour = ImageColor.getrgb(name)[:3] if name.startswith("#") else COLOURS[name]
        return mix(colour, DULL, self.dull)


def draw_shapes(pen: Pen, name: str, shades: Shades, /, **names: float) -> None:
    """Draw a drawing. The form of a shape is a method of the pen or another drawing; then numbers say where that begins."""
    for shape in DRAWINGS[name]:
        colour = shades.of(shape.colour)
        how: dict[str, Any] = {"rim": False} if shape.flat else {}
        for numbers in shape.numbers(names):
            if shape.form in DRAWINGS:
                draw_shapes(pen.moved(*numbers), shape.form, shades.filled(shape.colour), **names)
            elif colour is not None:
                getattr(pen, shape.form)(colour, *numbers, **how)
