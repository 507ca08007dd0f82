"""Widgets of a user interface: each is drawn and recorded with the box of its ink or its frame.

Everything legible or recognisable on the screen is recorded, also what never becomes a target: only then is it certain that an
instruction fits one thing alone. Positions are pixels; `d` turns sizes in the design's units into pixels of the screen's scale.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from snellen.synthetic.colours import RGB
from snellen.synthetic.screens import lettering
from snellen.synthetic.screens.canvas import Edges, IndexedCanvas
from snellen.synthetic.screens.icons import icon as icon_ink
from snellen.synthetic.screens.themes import Theme

BASE = 13  # text size in the design's units


class Widget(NamedTuple):
    """Something on the screen. `noun` is its name in instructions, `place` and `row` are its location; `aim`: may be a target."""

    type: str
    noun: str
    label: str
    box: Edges
    place: str
    row: str = ""
    window: str = ""
    aim: bool = True


def meets(a: Edges, b: Edges) -> bool:
    """Tell whether two boxes share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


class Ui(IndexedCanvas):
    """A screen under construction."""

    def __init__(
        self, width: int, height: int, scale: float, theme: Theme, dice: random.Random, touch: float = 1.0
    ) -> None:
        super().__init__(width, height, theme.desk_top)
        self.scale, self.theme, self.dice = scale, theme, dice
        self.touch = touch  # how much larger the symbols of tool bars are than on a dense screen
        self.widgets: list[Widget] = []
        self.window = ""
        self._place = self._row = ""
        self._pixels: dict[float, int] = {}

    # ------------------------------------------------ bookkeeping

    def d(self, size: float) -> int:
        """Return the design's units as whole pixels, at least one."""
        found = self._pixels.get(size)
        if found is None:
            found = self._pixels[size] = max(1, round(size * self.scale))
        return found

    def side(self, dp: float) -> int:
        """Return the side of an icon in pixels: whole steps, as icon sets have them."""
        step = 4 if dp * self.scale < 32 else 8
        return step * max(3, math.ceil(dp * self.scale / step - 0.3))

    @contextmanager
    def at(self, place: str = "", row: str = "") -> Iterator[None]:
        """Set the place or the row of the widgets recorded inside."""
        before = self._place, self._row
        self._place, self._row = place or self._place, row or self._row
        yield
        self._place, self._row = before

    def note(self, kind: str, noun: str, label: str, box: Edges, aim: bool = True) -> Edges:
        """Record a widget on the screen."""
        seen = box[0] >= 0 and box[1] >= 0 and box[2] <= self.width and box[3] <= self.height
        self.widgets.append(Widget(kind, noun, label, box, self._place, self._row, self.window, aim and seen))
        return box

    def cover(self, box: Edges) -> None:
        """Remove widgets that a window on top hides; partly hidden ones stay known but are not targets."""
        kept = []
        for w in self.widgets:
            if not meets(w.box, box):
                kept.append(w)
            elif w.box[0] < box[0] or w.box[1] < box[1] or w.box[2] > box[2] or w.box[3] > box[3]:
                kept.append(w._replace(aim=False))
        self.widgets = kept

    # ------------------------------------------------ bare ink

    def size(self, dp: float = BASE) -> int:
        """Return the pixel size of text: whole steps that grow with it."""
        wanted = max(11, round(dp * self.scale))
        step = 1 if wanted <= 14 else 2 if wanted <= 28 else 4
        return step * round(wanted / step)

    def measure(self, label: str, dp: float = BASE) -> int:
        """Return the width of a text in pixels."""
        return lettering.width(label, self.size(dp))

    def cut(self, label: str, room: int | None, dp: float = BASE) -> str:
        """Shorten a text with dots where the room is too small."""
        return label if room is None else lettering.shortened(label, room, self.size(dp))

    def write(
        self, x: int, y: int, label: str, *, dp: float = BASE, colour: RGB | None = None, bold: bool = False,
        align: str = "left",
    ) -> Edges:  # fmt: skip
        """Write text with its capitals centred on a line, as ink only; return the box of the ink."""
        size = self.size(dp)
        line = lettering.line(label, size, bold)
        left = aligned(x, line.advance, align) + line.dx
        top = y + lettering.cap_height(size) // 2 + line.dy
        self.stamp(line.ink, left, top, colour or self.theme.text)
        return left, top, left + line.width, top + line.height

    def glyph(self, x: int, y: int, label: str, side: int, colour: RGB | None = None) -> Edges:
        """Draw an icon in a square of `side` pixels, as ink only; return the box of the ink."""
        drawn = icon_ink(label, side)
        self.stamp(drawn.ink, x, y, colour or self.theme.text)
        x0, y0, x1, y1 = drawn.edges
        return x + x0, y + y0, x + x1, y + y1

    # ------------------------------------------------ widgets

    def text(
        self, x: int, y: int, label: str, *, dp: float = BASE, colour: RGB | None = None, bold: bool = False,
        align: str = "left", aim: bool = True, room: int | None = None,
    ) -> Edges:  # fmt: skip
        """Write words to read. Shortened words are not a target."""
        shown = self.cut(label, room, dp)
        if not shown:
            return x, y, x, y
        box = self.write(x, y, shown, dp=dp, colour=colour, bold=bold, align=align)
        return self.note("text", "text", shown, box, aim and shown == label)


def aligned(x: int, wide: int, align: str) -> int:
    """Return the left edge of something that begins, is centred or ends at x."""
    return x - {"left": 0, "centre": wide // 2, "right": wide}[align]
