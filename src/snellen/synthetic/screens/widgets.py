"""The parts of a user interface: each is drawn and noted down with the box that its ink or its frame fills.

Everything that can be read or recognised on the screen is noted, also what never becomes a target: only so can an instruction
be known to fit one thing alone. Positions are pixels; `d` turns sizes in the design's units into pixels of the screen's scale.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from snellen.synthetic.screens import lettering
from snellen.synthetic.screens.canvas import Colour, Edges, IndexedCanvas, mix
from snellen.synthetic.screens.icons import icon as icon_ink
from snellen.synthetic.screens.themes import Theme

BASE = 13  # text size in the design's units


class Widget(NamedTuple):
    """Something on the screen. `noun` is what instructions call it, `place` and `row` say where it is; `aim`: may be a target."""

    type: str
    noun: str
    label: str
    box: Edges
    place: str
    row: str = ""
    window: str = ""
    aim: bool = True


def union(*boxes: Edges) -> Edges:
    """The smallest box around some boxes."""
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def meets(a: Edges, b: Edges) -> bool:
    """Whether two boxes share a pixel."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


class Ui:
    """A screen under construction."""

    def __init__(
        self, width: int, height: int, scale: float, theme: Theme, dice: random.Random, touch: float = 1.0
    ) -> None:
        self.width, self.height, self.scale, self.theme, self.dice = width, height, scale, theme, dice
        self.touch = touch  # how much larger the symbols of tool bars are than on a dense screen
        self.canvas = IndexedCanvas(width, height, theme.desk[0])
        self.widgets: list[Widget] = []
        self.window = ""
        self._place = self._row = ""
        self._pixels: dict[float, int] = {}

    # ------------------------------------------------ bookkeeping

    def d(self, size: float) -> int:
        """The design's units as whole pixels, at least one."""
        found = self._pixels.get(size)
        if found is None:
            found = self._pixels[size] = max(1, round(size * self.scale))
        return found

    def side(self, dp: float) -> int:
        """The side of an icon in pixels: whole steps, as icon sets have them."""
        step = 4 if dp * self.scale < 32 else 8
        return step * max(3, math.ceil(dp * self.scale / step - 0.3))

    @contextmanager
    def at(self, place: str = "", row: str = "") -> Iterator[None]:
        """What is noted inside lies at this place, or in this row."""
        before = self._place, self._row
        self._place, self._row = place or self._place, row or self._row
        yield
        self._place, self._row = before

    def note(self, kind: str, noun: str, label: str, box: Edges, aim: bool = True) -> Edges:
        """Write down what is on the screen."""
        seen = box[0] >= 0 and box[1] >= 0 and box[2] <= self.width and box[3] <= self.height
        self.widgets.append(Widget(kind, noun, label, box, self._place, self._row, self.window, aim and seen))
        return box

    def cover(self, box: Edges) -> None:
        """Forget what a window on top hides; what is partly hidden stays known but is no target."""
        kept = []
        for w in self.widgets:
            if not meets(w.box, box):
                kept.append(w)
            elif w.box[0] < box[0] or w.box[1] < box[1] or w.box[2] > box[2] or w.box[3] > box[3]:
                kept.append(w._replace(aim=False))
        self.widgets = kept

    # ------------------------------------------------ bare ink

    def size(self, dp: float = BASE) -> int:
        """Pixel size of text: whole steps that grow with it."""
        wanted = max(11, round(dp * self.scale))
        step = 1 if wanted <= 14 else 2 if wanted <= 28 else 4
        return step * round(wanted / step)

    def measure(self, text: str, dp: float = BASE, bold: bool = False) -> int:
        """Width of a text in pixels."""
        return lettering.width(text, self.size(dp), bold)

    def fits(self, text: str, room: int, dp: float = BASE) -> str:
        """The text, cut with dots where the room is too small."""
        return lettering.shortened(text, room, self.size(dp))

    def write(
        self, x: int, mid: int, text: str, *, dp: float = BASE, colour: Colour | None = None, bold: bool = False,
        align: str = "left",
    ) -> Edges:  # fmt: skip
        """Ink only: text with its capitals centred on a line; gives the box of the ink."""
        size = self.size(dp)
        line = lettering.line(text, size, bold)
        if align == "centre":
            x -= line.advance // 2
        elif align == "right":
            x -= line.advance
        left, top = x + line.dx, mid + lettering.cap_height(size) // 2 + line.dy
        self.canvas.stamp(line.ink, left, top, colour or self.theme.text)
        return left, top, left + line.width, top + line.height

    def glyph(self, x: int, y: int, name: str, side: int, colour: Colour | None = None) -> Edges:
        """Ink only: an icon in a square of `side` pixels; gives the box of the ink."""
        drawn = icon_ink(name, side)
        self.canvas.stamp(drawn.ink, x, y, colour or self.theme.text)
        x0, y0, x1, y1 = drawn.edges
        return x + x0, y + y0, x + x1, y + y1

    # ------------------------------------------------ parts

    def text(
        self, x: int, mid: int, text: str, *, dp: float = BASE, colour: Colour | None = None, bold: bool = False,
        align: str = "left", aim: bool = True, room: int | None = None,
    ) -> Edges:  # fmt: skip
        """Words to read. Cut words are no target."""
        shown = text if room is None else self.fits(text, room, dp)
        if not shown:
            return x, mid, x, mid
        box = self.write(x, mid, shown, dp=dp, colour=colour, bold=bold, align=align)
        return self.note("text", "text", shown, box, aim and shown == text)

    def link(self, x: int, mid: int, text: str, *, dp: float = BASE, align: str = "left", line: bool = True) -> Edges:
        """Words to follow, underlined."""
        box = self.write(x, mid, text, dp=dp, colour=self.theme.link, align=align)
        if line:
            low = box[3] + self.d(1)
            thick = max(1, self.d(1) // 2)
            self.canvas.rect((box[0], low, box[2], low + thick), self.theme.link)
            box = (box[0], box[1], box[2], low + thick)
        return self.note("link", "link", text, box)

    def icon(
        self, x: int, y: int, name: str, *, dp: float = 18, colour: Colour | None = None, frame: bool = False,
        aim: bool = True,
    ) -> Edges:  # fmt: skip
        """A symbol, bare (its box is its ink) or on a small button of its own (its box is the button)."""
        side = self.side(dp)
        if frame:
            pad = self.d(6)
            box = (x, y, x + side + 2 * pad, y + side + 2 * pad)
            self.canvas.rounded(box, self.d(5), self.theme.field, self.theme.edge)
            self.glyph(x + pad, y + pad, name, side, colour)
        else:
            box = self.glyph(x, y, name, side, colour)
        return self.note("icon", "icon", name, box, aim)

    def button(
        self, x: int, y: int, label: str, *, w: int | None = None, h: int | None = None, style: str = "plain",
        icon: str = "", dp: float = BASE, align: str = "left",
    ) -> Edges:  # fmt: skip
        """A button with words: main (filled), plain (outlined), soft (tinted)."""
        height = h or self.d(30)
        side = self.side(dp + 3) if icon else 0
        inner = self.measure(label, dp) + (side + self.d(6) if icon else 0)
        width = max(w or 0, inner + 2 * self.d(12))
        if align == "right":
            x -= width
        elif align == "centre":
            x -= width // 2
        box = (x, y, x + width, y + height)
        colour = self._button_face(box, style)
        at = x + (width - inner) // 2
        if icon:
            part = self.glyph(at, y + (height - side) // 2, icon, side, colour)
            self.note("icon", "icon", icon, part, aim=False)
            at += side + self.d(6)
        self.write(at, y + height // 2, label, dp=dp, colour=colour)
        return self.note("button", "button", label, box)

    def _button_face(self, box: Edges, style: str) -> Colour:
        t = self.theme
        radius = min(self.d(5), (box[3] - box[1]) // 2)
        if style == "main":
            self.canvas.rounded(box, radius, t.accent)
            return t.on_accent
        if style == "soft":
            self.canvas.rounded(box, radius, t.chosen)
            return t.text
        self.canvas.rounded(box, radius, t.field, t.edge)
        return t.text

    def field(
        self, x: int, y: int, w: int, label: str, *, value: str = "", hint: str = "", icon: str = "", h: int | None = None,
        aim: bool = True,
    ) -> Edges:  # fmt: skip
        """A place to type into, with what was typed or a pale hint."""
        t = self.theme
        height = h or self.d(28)
        box = (x, y, x + w, y + height)
        self.canvas.rounded(box, self.d(4), t.field, t.edge)
        at = x + self.d(8)
        if icon:
            side = self.side(14)
            part = self.glyph(at, y + (height - side) // 2, icon, side, t.faint)
            self.note("icon", "icon", icon, part, aim=False)
            at += side + self.d(6)
        words = self.fits(value or hint, box[2] - at - self.d(6))
        if words:
            ink = self.write(at, y + height // 2, words, colour=t.text if value else t.faint)
            self.note("text", "text", words, ink, aim=False)
        return self.note("text_field", "text field", label, box, aim)

    def dropdown(self, x: int, y: int, w: int, label: str, value: str, *, h: int | None = None) -> Edges:
        """A list that opens, with the value that is set."""
        t = self.theme
        height = h or self.d(28)
        box = (x, y, x + w, y + height)
        self.canvas.rounded(box, self.d(4), t.field, t.edge)
        side = self.side(12)
        self.glyph(box[2] - side - self.d(7), y + (height - side) // 2, "chevron down", side, t.faint)
        words = self.fits(value, w - side - self.d(24))
        if words:
            ink = self.write(x + self.d(9), y + height // 2, words)
            self.note("text", "text", words, ink, aim=False)
        return self.note("dropdown", "dropdown", label, box)

    def checkbox(self, x: int, mid: int, label: str, on: bool, *, style: str = "box") -> Edges:
        """A box, a round choice or a switch, with its words: all of it can be clicked."""
        t, c = self.theme, self.canvas
        side = self.d(16)
        top = mid - side // 2
        wide = side
        if style == "switch":
            wide = self.d(30)
            c.rounded((x, top, x + wide, top + side), side // 2, t.accent if on else mix(t.window, t.faint, 0.55))
            knob = side - 2 * self.d(2)
            left = x + (wide - knob - self.d(2) if on else self.d(2))
            c.rounded((left, top + self.d(2), left + knob, top + self.d(2) + knob), knob // 2, (255, 255, 255))
        elif style == "radio":
            c.rounded((x, top, x + side, top + side), side // 2, t.field, t.accent if on else t.faint, self.d(1))
            if on:
                inner = self.d(4)
                c.rounded((x + inner, top + inner, x + side - inner, top + side - inner), side // 2, t.accent)
        else:
            box = (x, top, x + side, top + side)
            c.rounded(box, self.d(3), t.accent if on else t.field, t.accent if on else t.faint, self.d(1))
            if on:
                inner = self.d(2)
                self.glyph(x + inner, top + inner, "check", side - 2 * inner, t.on_accent)
        ink = self.write(x + wide + self.d(8), mid, label)
        noun = {"box": "checkbox", "radio": "radio button", "switch": "switch"}[style]
        return self.note("checkbox", noun, label, union((x, top, x + wide, top + side), ink))

    def item(
        self, x: int, mid: int, label: str, *, noun: str = "item", icon: str = "", chosen: bool = False, bold: bool = False,
        room: int | None = None, colour: Colour | None = None, dp: float = BASE,
    ) -> Edges:  # fmt: skip
        """An entry of a menu, a tab strip or a list: words, with or without a symbol before them."""
        boxes = []
        t = self.theme
        ink = colour or (t.accent if chosen and t.name == "light" else t.text)
        if icon:
            side = self.side(dp + 3)
            boxes.append(self.glyph(x, mid - side // 2, icon, side, ink))
            self.note("icon", "icon", icon, boxes[0], aim=False)
            x += side + self.d(8)
        shown = label if room is None else self.fits(label, room, dp)
        if not shown:
            return x, mid, x, mid
        boxes.append(self.write(x, mid, shown, colour=ink, bold=bold, dp=dp))
        return self.note("button", noun, shown, union(*boxes), aim=shown == label)
