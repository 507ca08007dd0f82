"""Screens from templates: data files say what is drawn, and where.

A template is a list of nodes that are drawn one after the other. The first key of a node is its verb:

    text, link, button, icon, field, rect, ...   draw a widget or a shape, see WIDGETS; afterwards `before`, `after` and `below` are the
                                                 left, right and lower edge of what was drawn
    let = {x = "left + 24"}                      give names to numbers, texts and lists
    at = "in the toolbar", row = "", do = []     say where the widgets inside are
    each = "@people", as = "name", do = []       repeat for each thing of a list (`i` counts), `until` there is no room
    when = "wide > 100", do = [], else = []      draw on a condition
    maybe = 0.5, do = [], else = []              draw with a probability
    stop = "y > bottom"                          end the template on a condition
    use = "labelled", label = "Name"             draw another template with names of its own
    dock = "menu bar", names = "File|Edit"       the same along an edge: what it leaves becomes left, top, right, bottom

Values are texts with gaps ("{name}", "{1..99}" for a random number, "{name|lower}", "{label|fields}" for a table of words), lists
("a|b|c", "@people" for words or a name), colours ("accent", "#ffffff", "window accent 0.25" for a mixture) or expressions of lengths
(expressions.py); which of these follows from the key. Random choices are tables: {choice = list}, {sample = list, n = 3},
{chance = 0.5}, {between = [1, 9]}, {rows = list, cells = texts}, {pop = "name of a list"}. They are drawn in the order of writing, so
that a seed gives the same screen for good.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from snellen.synthetic.screens import parts
from snellen.synthetic.screens.canvas import Colour, Edges, mix, rgb
from snellen.synthetic.screens.data_files import load
from snellen.synthetic.screens.expressions import Scope, formula
from snellen.synthetic.screens.widgets import Ui

Node = dict[str, Any]

WORDS = load("words")
TEMPLATES: dict[str, list[Node]] = {}
for _name in ("frames", "documents", "media", "forms", "pages"):
    TEMPLATES |= load(_name)

KNOWN = ("width", "height", "touch", "site", "choices", "style")
"""Names that every template knows."""
SIDES = ("left", "top", "right", "bottom")
PLACES = ("before", "after", "below")
BARE = frozenset(("dp", "lines"))
"""Numbers under these keys are no lengths."""
CHANGES: dict[str, Callable[[str], str]] = {"lower": str.lower, "initial": lambda text: text[0]}
GAP = re.compile(r"\{([^{}]+)\}")

# verb: what draws it, and the argument that the verb itself gives
WIDGETS: dict[str, tuple[Callable[..., Edges | None], str]] = {
    "text": (Ui.text, "label"),
    "write": (Ui.write, "label"),
    "link": (Ui.link, "label"),
    "icon": (Ui.icon, "label"),
    "button": (Ui.button, "label"),
    "field": (Ui.field, "label"),
    "dropdown": (Ui.dropdown, "label"),
    "checkbox": (Ui.checkbox, "label"),
    "item": (Ui.item, "label"),
    "note": (Ui.note, "label"),
    "cover": (Ui.cover, "box"),
    "rect": (Ui.rect, "colour"),
    "rounded": (Ui.rounded, "colour"),
    "frame": (Ui.frame, "colour"),
    "table": (parts.table, "heads"),
    "paragraph": (parts.paragraph, "lines"),
    "picture": (parts.picture, "box"),
    "bars": (parts.bars, "box"),
    "wallpaper": (parts.wallpaper, "box"),
    "code": (parts.code, "box"),
    "cells": (parts.cells, "box"),
}


class _Stop(Exception):
    """The rest of a template is not drawn."""


def draw(ui: Ui, template: str, box: Edges, **names: Any) -> Edges:
    """Draw a template into a box and return the part of the box that it leaves."""
    known = {
        "width": ui.width,
        "height": ui.height,
        "touch": ui.touch,
        "site": parts.site(ui),
        "choices": WORDS["choices"],
    }
    drawing = _Drawing(ui, known | dict(zip(SIDES, box, strict=True)) | names)
    drawing.template(template)
    return drawing.box()


class _Drawing:
    """A template while it is drawn."""

    def __init__(self, ui: Ui, names: dict[str, Any]) -> None:
        self.ui, self.names = ui, names
        self.scope = Scope(ui, names)

    def template(self, name: str) -> None:
        """Draw a template, up to where it stops."""
        with suppress(_Stop):
            self.nodes(TEMPLATES[name])

    def box(self) -> Edges:
        """Return what is left of the box."""
        left, top, right, bottom = (self.names[side] for side in SIDES)
        return left, top, right, bottom

    def nodes(self, nodes: list[Node]) -> None:
        """Draw nodes one after the other."""
        for node in nodes:
            verb = next(iter(node))
            if verb in WIDGETS:
                self._widget(verb, node)
            else:
                VERBS[verb](self, node)

    def _widget(self, verb: str, node: Node) -> None:
        draw_it, main = WIDGETS[verb]
        given = {main: self.value(main, node[verb])}
        given |= {key: self.value(key, value) for key, value in node.items() if key != verb}
        box = draw_it(self.ui, **given)
        if box is not None:
            self.names.update(before=box[0], after=box[2], below=box[3])

    # ---------------------------------------------------------------- verbs

    def let(self, node: Node) -> None:
        """Give names to values."""
        for name, value in node["let"].items():
            self.names[name] = self.value(name, value)

    def defaults(self, node: Node) -> None:
        """Give names to values that were not given."""
        self.let({"let": {name: value for name, value in node["defaults"].items() if name not in self.names}})

    def at(self, node: Node) -> None:
        """Draw nodes whose widgets lie at a place or in a row."""
        with self.ui.at(self.text(node.get("at", "")), self.text(node.get("row", ""))):
            self.nodes(node["do"])

    def each(self, node: Node) -> None:
        """Draw nodes for each thing of a list."""
        for i, thing in enumerate(self.words(node["each"])):
            self.names.update({"i": i, node.get("as", "it"): thing})
            if "until" in node and formula(node["until"])(self.scope):
                return
            self.nodes(node["do"])

    def when(self, node: Node) -> None:
        """Draw nodes on a condition, or others."""
        self.nodes(node.get("do" if formula(node["when"])(self.scope) else "else", []))

    def maybe(self, node: Node) -> None:
        """Draw nodes with a probability, or others."""
        self.nodes(node.get("do" if self.ui.dice.random() < node["maybe"] else "else", []))

    def stop(self, node: Node) -> None:
        """End the template on a condition."""
        if formula(node["stop"])(self.scope):
            raise _Stop

    def use(self, node: Node) -> None:
        """Draw another template, which begins with the names that are known here and keeps its own."""
        verb = next(iter(node))
        given = {key: self.value(key, value) for key, value in node.items() if key != verb}
        known = {name: self.names[name] for name in (*KNOWN, *SIDES) if name in self.names}
        inner = _Drawing(self.ui, known | given)
        inner.template(self.text(node[verb]))
        results = (*PLACES, *SIDES) if verb == "dock" else PLACES
        self.names.update({name: inner.names[name] for name in results if name in inner.names})

    # ---------------------------------------------------------------- values

    def value(self, key: str, value: Any) -> Any:
        """Return a value of a node: a text, a list, a colour or a number."""
        if isinstance(value, dict):
            found = self.random(value)
            if isinstance(found, str) and READERS.get(key) is _Drawing.words:
                return self.words(found)
            return self.ui.d(found) if "choice" in value and isinstance(found, int) and key not in BARE else found
        if key in READERS:
            return READERS[key](self, value)
        if isinstance(value, list):
            return self.words(value)
        if isinstance(value, str):
            return formula(value)(self.scope)
        return value if key in BARE or not value or value is True else self.ui.d(value)

    def random(self, value: Node) -> Any:
        """Return what chance makes of a table."""
        match value:
            case {"choice": things}:
                return self.ui.dice.choice(self.words(things))
            case {"sample": things, "n": number}:
                pool = self.words(things)
                return self.ui.dice.sample(pool, number if isinstance(number, int) else formula(number)(self.scope))
            case {"shuffled": things}:
                pool = self.words(things)
                return self.ui.dice.sample(pool, len(pool))
            case {"chance": share}:
                return self.ui.dice.random() < share
            case {"between": ends}:
                low, high = (end if isinstance(end, int) else formula(end)(self.scope) for end in ends)
                return self.ui.dice.randint(low, high)
            case {"pop": name}:
                return self.names[name].pop()
            case {"range": [low, high]}:
                return list(range(low, high))
            case {"words": things, "without": name}:
                return [thing for thing in self.words(things) if thing != self.names[name]]
            case {"rows": things, "cells": cells}:
                return [self._row(thing, cells) for thing in self.words(things)]
        raise ValueError(f"not a value of templates: {value}")

    def _row(self, thing: str, cells: list[Any]) -> list[str]:
        self.names["it"] = thing
        return self.words(cells)

    def text(self, text: str) -> str:
        """Fill the gaps of a text."""
        return GAP.sub(self._gap, text) if "{" in text else text

    def _gap(self, gap: re.Match[str]) -> str:
        low, dots, high = gap[1].partition("..")
        if dots:
            return str(self.ui.dice.randint(int(low), int(high))).zfill(len(low))
        name, _, change = gap[1].partition("|")
        found = str(self.names[name])
        if change in CHANGES:
            return CHANGES[change](found)
        return str(WORDS[change][found]) if change else found

    def words(self, words: Any) -> list[Any]:
        """Return the things of a list."""
        if isinstance(words, dict):
            words = self.random(words)
        if isinstance(words, int):
            return list(range(words))
        if not isinstance(words, str):
            return [thing for one in words for thing in self._things(one)]
        if words.startswith("@"):
            name, _, entry = self.text(words[1:]).partition("/")
            found = self.names[name] if name in self.names else WORDS[name]
            return self.words(found) if isinstance(found, int) else list(found[entry] if entry else found)
        return [self.text(word) for word in words.split("|")] if words else []

    def _things(self, one: Any) -> list[Any]:
        if isinstance(one, dict):
            found = self.random(one)
            return found if isinstance(found, list) else [found]
        if isinstance(one, str):
            return self.words(one) if one.startswith("@") else [self.text(one)]
        return [one]

    def colour(self, text: str) -> Colour:
        """Return a colour: of the theme, by its number, or a mixture of two."""
        first, *more = self.text(text).split()
        if more:
            return mix(self.colour(first), self.colour(more[0]), float(more[1]))
        if first.startswith("#"):
            return rgb(first)
        found: Colour = getattr(self.ui.theme, first)
        return found


TEXTS = "label value hint icon noun kind style align place heading title search action row page"
LISTS = "names icons labels buttons actions links heads rows"
COLOURS = "colour outline"
# what the values under a key are; all others are numbers or expressions
READERS: dict[str, Callable[[_Drawing, Any], Any]] = (
    dict.fromkeys(TEXTS.split(), _Drawing.text)
    | dict.fromkeys(LISTS.split(), _Drawing.words)
    | dict.fromkeys(COLOURS.split(), _Drawing.colour)
)
VERBS: dict[str, Callable[[_Drawing, Node], None]] = {
    "let": _Drawing.let,
    "defaults": _Drawing.defaults,
    "at": _Drawing.at,
    "row": _Drawing.at,
    "each": _Drawing.each,
    "when": _Drawing.when,
    "maybe": _Drawing.maybe,
    "stop": _Drawing.stop,
    "use": _Drawing.use,
    "dock": _Drawing.use,
}
