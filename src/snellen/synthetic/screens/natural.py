"""Natural instructions: what a person would say who thinks of the goal ("get rid of Order 2231") and not of the label ('delete' icon).

Written from goals (goals.py) and two families of sayings, of which the second was kept aside while the chooser of the method `ocr` was
tuned. A target that cannot be told from everything else on its screen by such a sentence has none.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from snellen.synthetic.screens import goals, sayings, sayings_held_out, wording
from snellen.synthetic.screens.goals import Goal
from snellen.synthetic.screens.naming import ORDINALS
from snellen.synthetic.screens.widgets import Widget

PLAIN, NATURAL = "plain", "natural"
Sayings = dict[str, tuple[str, ...]]


class NaturalInstruction(NamedTuple):
    """A natural instruction, and the family it comes from: a, or b that was held out."""

    instruction: str
    family: str


class NaturalName(NamedTuple):
    """Something with a name of its own: which sayings fit, and what stands in their gaps."""

    key: str
    gaps: dict[str, str]


def _read(text: str) -> Sayings:
    pairs = (line.split(":", 1) for line in text.strip().splitlines())
    return {key: tuple(one.strip() for one in said.split("|")) for key, said in pairs}


FAMILIES = {"a": sayings, "b": sayings_held_out}
NAMED = {family: _read(module.NAMED) for family, module in FAMILIES.items()}
_ACTIONS = goals.ACTIONS, {family: _read(module.ACTIONS) for family, module in FAMILIES.items()}
TABLES = {
    "button": _ACTIONS,
    "link": _ACTIONS,
    "icon": _ACTIONS,
    "text_field": (goals.FIELDS, {family: _read(module.FIELDS) for family, module in FAMILIES.items()}),
    "dropdown": (goals.LISTS, {family: _read(module.LISTS) for family, module in FAMILIES.items()}),
    "checkbox": (goals.CHECKS, {family: _read(module.CHECKS) for family, module in FAMILIES.items()}),
}
_PART = re.compile(r"on the '(.+)' (card|tab)")
_LAYERS = frozenset({"Background", "Sky", "People", "Logo", "Shadow", "Frame", "Caption"})
_CELLS = (
    ("when", re.compile(r"\d{4}-\d\d-\d\d")),
    ("written", re.compile(r"\d\d-\d\d")),
    ("sum", re.compile(r"\d+\.\d\d")),
    ("size", re.compile(r"\d+ KB")),
    ("long", re.compile(r"\d:\d\d")),
    ("state", re.compile("|".join(wording.STATES))),
)
_SORTS = {
    "txt": "text", "pdf": "document", "zip": "archive", "png": "picture", "jpg": "photo", "svg": "drawing",
    "xlsx": "spreadsheet", "csv": "table", "doc": "document", "css": "style sheet", "html": "web page", "py": "Python code",
    "js": "script", "md": "text", "ppt": "presentation", "mp3": "recording", "mp4": "film", "json": "data",
}  # fmt: skip
# the same drawing is something else elsewhere: a triangle starts music in a player and a program in an editor
_ONLY_AT = dict.fromkeys(("play", "pause", "next", "previous", "shuffle", "volume"), "in the player bar") | {
    "camera": "in the header", "image": "in the message bar", "flag": "in the toolbar", "tag": "in the toolbar",
}  # fmt: skip
_ONLY = {
    "in the tool palette": frozenset({"brush", "crop", "cut"}),
    "in the activity bar": frozenset({"search", "settings", "user"}),
    "in the task bar": frozenset({"search", "mail", "globe", "calendar", "chat", "wifi", "battery", "cart"}),
    "in the menu bar": frozenset({"help"}),
}
_SHORTEST = 4  # a shorter label inside a sentence is no reason to think of it


def say(widget: Widget, widgets: Sequence[Widget], dice: random.Random) -> NaturalInstruction | None:
    """A natural instruction for one thing of a screen; None where none would fit it alone."""
    others = [w for w in widgets if w is not widget and not _inside(w, widget)]
    row = row_of(widget)
    named = _named(widget)
    if named is not None:
        found = _of_named(named, widget, others)
    elif widget.type in TABLES:
        found = _of_goal(widget, others, row)
    else:
        found = []
    gaps = named.gaps if named is not None else {"row": row}
    said = [NaturalInstruction(_sentence(text, gaps), family) for text, family in found]
    said = [one for one in said if not _quotes_another(one.instruction, widget, others, gaps)]
    families = sorted({one.family for one in said})
    if not families:
        return None
    family = dice.choice(families)
    return dice.choice([one for one in said if one.family == family])


def row_of(widget: Widget) -> str:
    """What the row, the card or the tab is called in which a thing stands."""
    part = _PART.search(widget.place)
    if part:
        return part[1].lower() if part[1] in wording.PRODUCTS else f"the {part[1]} {part[2]}"
    return f"the {widget.row} layer" if widget.row in _LAYERS else widget.row


def meant(instruction: str, widgets: Sequence[Widget]) -> list[Widget]:
    """All things of a screen for which an instruction could have been written: to check that it is one."""
    found = []
    for widget in widgets:
        row, named = row_of(widget), _named(widget)
        if named is not None:
            texts = [text for family in NAMED.values() for text in family.get(named.key, ())]
            gaps = named.gaps
        else:
            known, families = TABLES.get(widget.type, ({}, {}))
            name, _goal = known.get(widget.label.lower(), ("", None))
            texts = [text for family in families.values() for text in family.get(name, ())]
            gaps = {"row": row}
        if any(_sentence(text, gaps) == instruction for text in texts if "{row}" not in text or gaps.get("row")):
            found.append(widget)
    return found


# ---------------------------------------------------------------- goals


def _of_goal(widget: Widget, others: list[Widget], row: str) -> list[tuple[str, str]]:
    known, families = TABLES[widget.type]
    label = widget.label.lower()
    name, goal = known.get(label, ("", None))
    if goal is None or _elsewhere(widget, label):
        return []
    said = [(text, family) for family, one in families.items() for text in one.get(name, ())]
    in_row = [one for one in said if "{row}" in one[0]] if row else []
    rivals = [w for w in others if _serves(goal, w, widget)]
    if in_row and any(w.label.lower() in row.lower() for w in others):
        return [] if any(row_of(w) == row for w in rivals) else in_row
    return [] if rivals else [one for one in said if "{row}" not in one[0]]


def _elsewhere(widget: Widget, label: str) -> bool:
    """Whether a symbol or a menu means something else at its place than its goal says."""
    if widget.noun not in ("icon", "menu"):
        return False
    place = widget.place
    return _ONLY_AT.get(label, place) != place or label not in _ONLY.get(place, frozenset({label}))


def _serves(goal: Goal, other: Widget, target: Widget) -> bool:
    """Whether somebody with this goal could click on another thing. What is written beside an icon may be clicked as well."""
    label = other.label.lower()
    if other.type == "text":
        return target.type == "icon" and label in goal.labels
    return label in goal.near or (label in goal.labels and TABLES[other.type][0] is TABLES[target.type][0])


# ---------------------------------------------------------------- names


def _named(widget: Widget) -> NaturalName | None:
    """What a thing with a name of its own is."""
    label, row = widget.label, row_of(widget)
    if widget.noun == "contact":
        return NaturalName("contact", {"name": label.split()[0]})
    if label in wording.FILES and widget.type in ("text", "button"):
        stem, _, ending = label.partition(".")
        return NaturalName("file", {"name": stem, "sort": _SORTS[ending]})
    if widget.noun == "event":
        return NaturalName("event", {"name": label.lower()})
    if widget.noun == "tab" and re.fullmatch(r"Sheet[1-3]", label):
        return NaturalName("sheet", {"name": ORDINALS[int(label[-1]) - 1], "number": label[-1]})
    if widget.noun == "tab":
        return NaturalName("tab", {"name": label})
    if widget.type == "link" and label in wording.SUBJECTS:
        return NaturalName("headline", {"name": label.strip("?").lower()})
    return _named_text(widget, row) if widget.type == "text" else None


def _named_text(widget: Widget, row: str) -> NaturalName | None:
    label, place = widget.label, widget.place
    if label in wording.SONGS:
        return NaturalName("song", {"name": label})
    if place == "in the month view":
        return NaturalName("day", {"name": _ordinal(int(label))})
    if place == "in the task bar" and re.fullmatch(r"\d\d:\d\d", label):
        return NaturalName("clock", {})
    if _PART.search(place) and re.fullmatch(r"\d+\.\d\d", label):
        return NaturalName("price", {"name": row})
    key = next((key for key, pattern in _CELLS if widget.row and pattern.fullmatch(label)), "")
    return NaturalName(key, {"row": row}) if key else None


def _of_named(named: NaturalName, widget: Widget, others: list[Widget]) -> list[tuple[str, str]]:
    """Sayings for a name, where nothing else has it or has it in its own name."""
    if any(_named(w) == named for w in others):
        return []
    if named.key in ("contact", "file", "song", "event", "tab", "headline"):
        name = re.compile(rf"\b{re.escape(named.gaps['name'])}\b", re.IGNORECASE)
        if any(name.search(w.label) for w in others):
            return []
    return [(text, family) for family, one in NAMED.items() for text in one.get(named.key, ())]


# ---------------------------------------------------------------- sentences


def _sentence(text: str, gaps: dict[str, str]) -> str:
    said = text.format_map(gaps) if "{" in text else text
    return said[0].upper() + said[1:]


def _quotes_another(sentence: str, widget: Widget, others: Sequence[Widget], gaps: dict[str, str]) -> bool:
    """Whether a sentence happens to have the name of another thing in it, which could then be meant."""
    given = " ".join(gaps.values()).lower()
    bare = sentence.lower()
    for other in others:
        label = other.label.lower()
        if other.type == "text" or len(label) < _SHORTEST or label in given or label == widget.label.lower():
            continue
        if re.search(rf"\b{re.escape(label)}\b", bare):
            return True
    return False


def _inside(other: Widget, widget: Widget) -> bool:
    a, b = other.box, widget.box
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def _ordinal(day: int) -> str:
    """A day of the month in words and figures.

    >>> [_ordinal(n) for n in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
    return f"{day}{ending}"
