"""Instructions that fit only one thing on the screen, or say that any of several will do.

The original generator's sentences are kept. Where two things would fit the same sentence, the place, the row, the window or the
position is added. Where nothing distinguishes them, neither becomes a target.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from snellen.synthetic.screens.canvas import Edges
from snellen.synthetic.screens.widgets import Widget

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
ANY_SHARE = 0.4
BARE_NOUNS = ("icon", "text field")


class NamedWidget(NamedTuple):
    """A widget with its instruction; `boxes` are all right answers, its own first."""

    widget: Widget
    instruction: str
    boxes: tuple[Edges, ...]


def _phrase(widget: Widget, article: str = "the ") -> str:
    """Return a thing's name in the original generator's sentences."""
    if widget.noun == "text":
        return f"{article}text '{widget.label}'"
    if widget.noun in BARE_NOUNS:
        return f"{article}{widget.label} {widget.noun}"
    return f"{article}'{widget.label}' {widget.noun}"


class InstructionMaker:
    """Instructions for the things of one screen, with a list of everything visible."""

    def __init__(self, widgets: Sequence[Widget], dice: random.Random) -> None:
        self._dice = dice
        self._same: dict[str, list[Widget]] = defaultdict(list)
        for widget in widgets:
            self._same[widget.label.lower()].append(widget)

    def knows(self, label: str) -> bool:
        """Tell whether anything on the screen has this name or shows these words."""
        return label.lower() in self._same

    def _rivals(self, widget: Widget) -> list[Widget]:
        """Return other things that could be meant: the same words on the same kind of thing. Words may be meant wherever they are read."""
        others = [w for w in self._same[widget.label.lower()] if w is not widget]
        if widget.noun == "text":
            return [w for w in others if w.noun not in BARE_NOUNS]
        return [w for w in others if w.noun == widget.noun]

    def name(self, widget: Widget) -> NamedWidget | None:
        """Return the instruction of a target, or None where it cannot be distinguished from its rivals."""
        others = self._rivals(widget)
        if not others:
            return NamedWidget(widget, f"Click on {_phrase(widget)}", (widget.box,))
        if _alike(widget, others) and self._dice.random() < ANY_SHARE:
            return NamedWidget(widget, f"Click on {_phrase(widget, 'any ')}", (widget.box, *(w.box for w in others)))
        for way in _ways(widget):
            if all(way not in _ways(w) for w in others):
                return NamedWidget(widget, f"Click on {_phrase(widget)}{way}", (widget.box,))
        return _by_position(widget, others)


def _alike(widget: Widget, others: list[Widget]) -> bool:
    """Tell whether any of them would do as well: the same kind of words in different rows or cards, none hidden."""
    return all(w.aim and w.noun == widget.noun and w.window == widget.window for w in others) and widget.noun == "link"


def _ways(widget: Widget) -> list[str]:
    """Return ways to say where a thing is, shortest first."""
    row = f" in the row '{widget.row}'" if widget.row else ""
    place = f" {widget.place}" if widget.place else ""
    ways = [row, place]
    if widget.window:
        ways += [f" in the '{widget.window}' window"]
        ways += [f"{place} of the '{widget.window}' window"] if place else []
    if row and place:
        ways.append(f"{row} {place}".replace("  ", " "))
    return [way for way in ways if way]


def _by_position(widget: Widget, others: list[Widget]) -> NamedWidget | None:
    """Name a thing by 'the second ... from the top', for things of one place that stand in one column or one line."""
    near = [w for w in others if (w.place, w.window) == (widget.place, widget.window)]
    elsewhere = len(near) < len(others)
    if any(w.noun != widget.noun for w in near) or len(near) + 1 > len(ORDINALS) or (elsewhere and not widget.place):
        return None
    if elsewhere and any(w.place == widget.place for w in others if w not in near):
        return None
    for axis, side in ((1, "top"), (0, "left")):
        group = sorted([widget, *near], key=lambda w: w.box[axis])
        if all(a.box[axis + 2] <= b.box[axis] for a, b in pairwise(group)):
            order = f"{ORDINALS[group.index(widget)]} {_phrase(widget, '')} from the {side}"
            where = f" {widget.place}" if elsewhere else ""
            return NamedWidget(widget, f"Click on the {order}{where}", (widget.box,))
    return None
