"""Screens from templates: data files define what is drawn, and where.

A template is a list of nodes that are drawn one after the other. The first key of a node is its verb:

    text, link, button, icon, field, rect, ...   draw a widget or a shape: one of WIDGETS, or a template by that name; afterwards
                                                 `before`, `above`, `after` and `below` are the edges of what was drawn
    let = {x = "left + 24"}                      give names to numbers, texts and lists
    defaults = {wide = 170}                      the same for names that were not given
    at = "in the toolbar", row = "", do = []     say where the widgets inside are
    each = "@people", as = "name", do = []       repeat for each thing of a list (`i` counts), `until` there is no room
    when = "wide > 100", do = [], else = []      draw on a condition; {chance = 0.5} is one, too
    stop = "y > bottom"                          end the template on a condition
    use = "labelled", label = "Name"             draw another template with names of its own
    dock = "menu bar", names = "File|Edit"       the same along an edge: what it leaves becomes left, top, right, bottom

Values are texts with gaps ("{name}", "{1..99}" for a random number, "{name|lower}", "{label|fields}" for a table of words), lists
("a|b|c", "@people" for words or a name), colours ("accent", "#ffffff", "window accent 0.25" for a mixture) or expressions of lengths
(expressions.py); which of these follows from the key. Random choices are tables: {choice = list}, {sample = list, n = 3},
{chance = 0.5}, {between = [1, 9]}, {uniform = [0.4, 1]}, {rows = list, cells = texts}, {pop = "name of a list"}. They are drawn in the
order of writing, so that a seed always gives the same screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from snellen.synthetic.colours import RGB, mix
from snellen.synthetic.drawings import read_table
from snellen.synthetic.expressions import Formula, Functions
from snellen.synthetic.expressions import formula as read_formula
from snellen.synthetic.screens.canvas import Edges, rgb
from snellen.synthetic.screens.widgets import BASE, Ui, aligned

FILES = ("widgets", "parts", "frames", "documents", "media", "forms", "pages")
KNOWN = ("width", "height", "touch", "site", "choices", "decor")
"""Names that are available in every template."""
SIDES = ("left", "top", "right", "bottom")
PLACES = ("before", "above", "after", "below")
WORDS = read_table("screens/data/words.toml")

# the key decides the type of a value: one of these, or else a number or an expression
TEXTS = frozenset(
    (
        "as",
        "label",
        "value",
        "hint",
        "icon",
        "noun",
        "kind",
        "style",
        "align",
        "place",
        "row",
        "title",
        "heading",
        "search",
        "page",
    )
)
LISTS = frozenset(("names", "icons", "labels", "buttons", "actions", "links", "heads", "rows"))
COLOURS = frozenset(("colour", "outline"))
BARE = frozenset(("dp", "lines"))
"""Numbers under these keys are not lengths."""
CHANGES: dict[str, Callable[[str], str]] = {"lower": str.lower, "initial": lambda text: text[0]}
GAP = re.compile(r"\{([^{}]+)\}")


class DrawnTemplate:
    """A template while it is drawn: the screen, and the names available in the template."""

    def __init__(self, ui: Ui, names: dict[str, Any]) -> None:
        self.ui = self.host = ui
        self.names = names

    def run(self, template: str) -> None:
        """Draw a template, up to where it stops."""
        with suppress(_EndOfTemplate):
            self.draw(TEMPLATES[template])

    def draw(self, nodes: list[TemplateNode]) -> None:
        """Draw nodes one after the other."""
        for node in nodes:
            if node.verb in VERBS:
                VERBS[node.verb](self, node)
                continue
            given = {node.key: node.main(self)}
            for key, read in node.options.items():
                given[key] = read(self)
            if node.verb in WIDGETS:
                box = WIDGETS[node.verb][0](self.ui, **given)
                self.names.update(zip(PLACES, box or (), strict=False))
            else:
                self.use(node.verb, given, PLACES)

    def use(self, template: str, given: dict[str, Any], results: Iterable[str]) -> None:
        """Draw another template, which begins with the names of every template, and keep some of its names."""
        known = {name: self.names[name] for name in (*KNOWN, *SIDES) if name in self.names}
        inner = DrawnTemplate(self.ui, known | given)
        inner.run(template)
        self.names.update({name: inner.names[name] for name in results if name in inner.names})

    # ---------------------------------------------------------------- values

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

    def colour(self, text: str) -> RGB:
        """Return a colour: of the theme, by its number, or a mixture of two."""
        first, *more = self.text(text).split()
        if more:
            return mix(self.colour(first), self.colour(more[0]), float(more[1]))
        if first.startswith("#"):
            return rgb(first)
        return getattr(self.ui.theme, first)

    def random(self, table: dict[str, Any]) -> Any:
        """Return a random choice described by a table."""
        dice = self.ui.dice
        match table:
            case {"choice": things}:
                return dice.choice(self.words(things))
            case {"sample": things, "n": number}:
                pool = self.words(things)
                return dice.sample(pool, self._number(number))
            case {"shuffled": things}:
                pool = self.words(things)
                return dice.sample(pool, len(pool))
            case {"chance": share}:
                return dice.random() < share
            case {"between": [low, high]}:
                return dice.randint(self._number(low), self._number(high))
            case {"uniform": [low, high]}:
                return dice.uniform(low, high)
            case {"pop": name}:
                return self.names[name].pop()
            case {"range": [low, high]}:
                return list(range(low, high))
            case {"words": things, "without": name}:
                return [thing for thing in self.words(things) if thing != self.names[name]]
            case {"rows": things, "cells": cells}:
                return [self._row(thing, cells) for thing in self.words(things)]
        raise ValueError(f"not a value of templates: {table}")

    def _number(self, number: int | str) -> int:
        return number if isinstance(number, int) else formula(number)(self)

    def _row(self, thing: str, cells: list[Any]) -> list[str]:
        self.names["it"] = thing
        return self.words(cells)


FUNCTIONS: Functions = {
    "min": lambda ui, *lengths: min(lengths),
    "max": lambda ui, *lengths: max(lengths),
    "abs": lambda ui, length: abs(length),
    "d": Ui.d,
    "int": lambda ui, number: int(number),
    "round": lambda ui, number: round(number),
    "aligned": lambda ui, x, wide, align: aligned(x, wide, align),
    "cut": Ui.cut,
    "side": Ui.side,
    "measure": Ui.measure,
    "px": lambda ui, number: number,
    "count": lambda ui, values: len(values),
    "entry": lambda ui, values, i: values[i] if i < len(values) else "",
}


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula:
    """Read an expression of a template."""
    return read_formula(text, FUNCTIONS, lengths=True)


class _EndOfTemplate(Exception):
    """Signals that the rest of a template is not drawn."""


# ---------------------------------------------------------------- reading templates

Reader = Callable[[DrawnTemplate], Any]


class TemplateNode(NamedTuple):
    """A node of a template: its verb, the readers of its values, and the nodes in it."""

    verb: str
    key: str
    main: Reader
    options: dict[str, Reader]
    do: list[TemplateNode]
    otherwise: list[TemplateNode]


def node_of(table: dict[str, Any]) -> TemplateNode:
    """Read a node."""
    verb, value = next(iter(table.items()))
    options = value if verb in ("let", "defaults") else table
    main = WIDGETS[verb][1] if verb in WIDGETS else MAIN.get(verb, "label")
    return TemplateNode(
        verb,
        main,
        _reader(main, value),
        {
            key: _reader(
                "label" if key in COLOURS and verb not in WIDGETS else key, option
            )  # templates hand on the words
            for key, option in options.items()
            if key not in (verb, "do", "else")
        },
        [node_of(inner) for inner in table.get("do", [])],
        [node_of(inner) for inner in table.get("else", [])],
    )


def _reader(key: str, value: Any) -> Reader:
    """Return the function that gives a value while a template is drawn: a text, a list, a colour or a number."""
    if key in LISTS or isinstance(value, list):
        return lambda drawing: drawing.words(value)
    if isinstance(value, dict):
        length = "choice" in value and key not in TEXTS and key not in BARE
        return lambda drawing: _length(drawing, drawing.random(value)) if length else drawing.random(value)
    if key in TEXTS and "{" in value:
        return lambda drawing: drawing.text(value)
    if key in COLOURS:
        return lambda drawing: drawing.colour(value)
    if isinstance(value, str) and key not in TEXTS:
        return formula(value)
    if key in TEXTS or key in BARE or isinstance(value, bool):
        return lambda drawing: value
    return lambda drawing: _length(drawing, value)


def _length(drawing: DrawnTemplate, value: Any) -> Any:
    """Return a number as pixels, and other things as they are."""
    return drawing.ui.d(value) if value and isinstance(value, int) else value


# ---------------------------------------------------------------- verbs


def _let(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """Give names to values; as defaults, only to those that were not given."""
    for name, read in node.options.items():
        if node.verb == "let" or name not in drawing.names:
            drawing.names[name] = read(drawing)


def _at(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """Draw nodes whose widgets lie at a place, or in a row."""
    row = node.options["row"](drawing) if "row" in node.options else ""
    with drawing.ui.at(node.main(drawing), row):
        drawing.draw(node.do)


def _each(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """Draw nodes for each thing of a list, as long as there is room."""
    name = node.options["as"](drawing) if "as" in node.options else "it"
    for i, thing in enumerate(node.main(drawing)):
        drawing.names.update({"i": i, name: thing})
        if "until" in node.options and node.options["until"](drawing):
            return
        drawing.draw(node.do)


def _when(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """Draw nodes on a condition, or others."""
    drawing.draw(node.do if node.main(drawing) else node.otherwise)


def _stop(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """End the template on a condition."""
    if node.main(drawing):
        raise _EndOfTemplate


def _use(drawing: DrawnTemplate, node: TemplateNode) -> None:
    """Draw another template; one along an edge leaves other sides."""
    given = {key: read(drawing) for key, read in node.options.items()}
    drawing.use(node.main(drawing), given, (*PLACES, *SIDES) if node.verb == "dock" else PLACES)


# ---------------------------------------------------------------- beyond templates


def _site(ui: Ui) -> str:
    """Return the company of the page; it follows from the screen's colours, so that tab, address and page agree."""
    companies: list[str] = WORDS["companies"]
    return companies[sum(ui.theme.accent + ui.theme.window + ui.theme.desk_top) % len(companies)]


def _paragraph(ui: Ui, lines: int, x: int, y: int, room: int, dp: float = BASE) -> Edges:
    """Write running text as filler; return the room that it takes."""
    sentences = WORDS["sentences"]
    words = " ".join(ui.dice.sample(sentences, min(len(sentences), 3 + lines))).split()
    step, space, top = ui.d(dp * 1.65), ui.measure(" ", dp), y
    for _ in range(lines):
        line: list[str] = []
        used = 0
        while words and used + ui.measure(words[0], dp) <= room:
            used += ui.measure(words[0], dp) + space
            line.append(words.pop(0))
        if line:
            ui.text(x, y + step // 2, " ".join(line), dp=dp, colour=ui.theme.faint, aim=False)
        y += step
    return x, top, x + room, y


VERBS: dict[str, Callable[[DrawnTemplate, TemplateNode], None]] = {
    "let": _let,
    "defaults": _let,
    "at": _at,
    "each": _each,
    "when": _when,
    "stop": _stop,
    "use": _use,
    "dock": _use,
}
# the key under which the value of a verb is read
MAIN = {"let": "", "defaults": "", "when": "", "stop": "", "at": "place", "each": "names", "table": "heads"}
# the function that draws a widget or a shape, and its argument for the value of the verb
WIDGETS: dict[str, tuple[Callable[..., Edges | None], str]] = {
    "text": (Ui.text, "label"),
    "write": (Ui.write, "label"),
    "glyph": (Ui.glyph, "label"),
    "note": (Ui.note, "label"),
    "cover": (Ui.cover, "box"),
    "rect": (Ui.rect, "colour"),
    "rounded": (Ui.rounded, "colour"),
    "frame": (Ui.frame, "colour"),
    "paragraph": (_paragraph, "lines"),
}
TEMPLATES = {
    name: [node_of(table) for table in tables]
    for file in FILES
    for name, tables in read_table(f"screens/data/{file}.toml").items()
}


def draw(ui: Ui, template: str, box: Edges, **names: Any) -> Edges:
    """Draw a template into a box and return the part of the box that stays free."""
    known = {"width": ui.width, "height": ui.height, "touch": ui.touch, "site": _site(ui)}
    known |= {"choices": WORDS["choices"], **dict(zip(SIDES, box, strict=True))}
    drawing = DrawnTemplate(ui, known | names)
    drawing.run(template)
    left, top, right, bottom = (drawing.names[side] for side in SIDES)
    return left, top, right, bottom
