"""The point or box in a model's reply, in any form. Only numbers are read here; their space is declared elsewhere.

Forms are tried from the most specific to the barest, and the first that occurs decides. Numbers that the reply takes back or denies
do not count. Two different answers in one reply are not an answer. Neither is one that visibly breaks off: nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from snellen.core.reply import after_correction, field, holds_json, layout_off, marked, minus_words, opened
from snellen.exams.grounding.reading import forms
from snellen.exams.grounding.reading.found import Numbers, PlaceMatch
from snellen.exams.grounding.reading.json_points import from_json, objects
from snellen.exams.grounding.reading.turns import breaks_off, denied, refuses, taken_back, undecided

AS_WRITTEN = (forms.from_tokens, forms.from_tags, forms.from_attributes, from_json)
"""Forms that are searched in the reply as it stands; the others are searched without emphasis, fences and bullets."""
FORMS = (*AS_WRITTEN, forms.from_names, forms.from_tuples, forms.from_box_words, forms.from_whole, forms.from_leads)
CLOSED = (forms.from_tags, forms.from_attributes, from_json, forms.from_tuples)
"""Forms that mark their own end."""
Kind = Literal["point", "box", "refusal", "other-action", "several", "nothing"]

_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_W = r"\s{0,8}"
_ANSWER = re.compile(
    rf"(?<![\"'_])\b(?:final{_W})?answers?\b[\"'*_]{{0,3}}{_W}"
    rf"(?:is\b|would be\b|should be\b|must be\b|[:=]|->)[\"'*_]{{0,3}}{_W}:?"
    r"|(?<![\"'_])\bfinal\b[^\n:()]{0,30}:",
    re.IGNORECASE,
)
_ACTION = re.compile(r"(?<![\"'])\baction:", re.IGNORECASE)
_THOUGHT = re.compile(r"[\s*#]{0,8}thought:", re.IGNORECASE)
_CALL = re.compile(rf"\b([a-z_]{{3,30}}){_W}\(", re.IGNORECASE)
POINTING = frozenset(
    {"click", "leftclick", "leftsingle", "leftdouble", "doubleclick", "rightsingle", "rightclick", "middleclick"}
    | {"longpress", "tap", "hover", "mousemove", "moveto", "select", "singleclick"}
)
OTHER_ACTIONS = frozenset(
    {"drag", "dragto", "leftclickdrag", "scroll", "swipe", "type", "hotkey", "key", "wait", "finished", "terminate"}
    | {"calluser", "openapp", "presshome", "pressback", "pressenter", "pressrecent"}
)
_STRUCK = re.compile(r"~~[^~]{1,300}~~|<(?P<tag>del|s|strike)>.{0,300}?</(?P=tag)>", re.DOTALL | re.IGNORECASE)
_SURE = re.compile(
    r"\(?\b(?:confidence|certainty|probability)\b[\s:=of]{0,8}\d{1,3}(?:\.\d{1,6})?\s?%?\)?", re.IGNORECASE
)
_LATEX_BRACKETS = re.compile(r"\\(?:left|right|bigl?|bigr)\s?(?=[()\[\]])")
_MARKS = {0x060C: ",", 0x066B: ".", 0x066C: ",", 0x3001: ",", 0x00D7: "x"}


class PlaceReading(NamedTuple):
    """The numbers in a reply: two for a point, four for a box (corners in order), none otherwise.

    `unit` is "percent" where the reply says so.
    """

    kind: Kind
    numbers: Numbers = ()
    note: str = ""
    unit: str = ""


def read_point(reply: str, cut: bool = False) -> PlaceReading:
    """Return the one point or box that a reply names. In a reply that was `cut` off, it counts only where a closed one follows a marker.

    >>> read_point("Action: click(start_box='(966,546)')").numbers
    (966.0, 546.0)
    >>> read_point("Not (1, 2) but <point>966.5 546.2</point>").numbers
    (966.5, 546.2)
    >>> read_point("Action: drag(start_box='(1,2)', end_box='(3,4)')").kind
    'other-action'
    >>> read_point("It is the toolbar at (12,34), so").kind, read_point("It is the toolbar at (12,34).", cut=True).kind
    ('nothing', 'nothing')
    """
    text = _spoken(reply)
    if cut and not _closed_answer(reply, text):
        return PlaceReading("nothing", note="the reply was cut off")
    action = _other_action(text)
    if action:
        return PlaceReading("other-action", note=f"the action is {action}, not a click")
    if not cut and breaks_off(text):
        return PlaceReading("nothing", note="the reply breaks off")
    for part in _parts(text):
        said = _answer(part, cut)
        if said is not None:
            return said
    if not cut and refuses(text):
        return PlaceReading("refusal", note="the model says that it is not there")
    return PlaceReading("nothing", note="no point in the reply")


def thought_out(reply: str) -> str:
    """Return the text after the thinking; nothing where the thinking never ends."""
    thoughts = list(_THINKING.finditer(reply))
    behind = thoughts[-1].end() if thoughts and thoughts[-1].group(1) else 0
    return opened(reply[behind:]).text


def _spoken(reply: str) -> str:
    """Return the reply without thinking and with plain characters. Of an agent's reply only the text after the last `Action:` is kept."""
    text = _LATEX_BRACKETS.sub("", minus_words(_digits(_STRUCK.sub(" ", thought_out(reply)))))
    actions = [match.end() for match in _ACTION.finditer(text)]
    if actions:
        return text[actions[-1] :]
    # a thought without an action is not an answer, whatever numbers it mentions
    return "" if _THOUGHT.match(text) and not _ANSWER.search(text) else text


def _parts(text: str) -> Iterator[str]:
    """Yield the text, narrowest part first: the content of an answer tag or \\boxed{}, text after the last correction or `Answer:`, all.

    A narrower part with a number in it, or one that refuses, decides.
    """
    held = marked(text)
    tagged = () if held is None or not held[0] else (*_in_json(held[0]), held[0])
    narrow: list[str] = []
    for whole in (*tagged, *_in_json(text), text):
        for part in dict.fromkeys((after_correction(whole), whole)):
            ends = [match.end() for match in _ANSWER.finditer(part)]
            for one in (part[ends[-1] :], part) if ends else (part,):
                narrow += [*_in_json(one), one]
    for one in dict.fromkeys(narrow):
        yield one
        if any(sign.isdecimal() for sign in one) or (one != text and refuses(one)):
            return


def _in_json(text: str) -> Iterator[str]:
    """Yield the answer in words from the only JSON object of a text."""
    quoted = text[:1] == '"'  # JSON in a JSON text
    held = [holds_json(text)[0]] if quoted else [value for _start, _end, value in objects(text)]
    answer = field(held[0]) if len(held) == 1 else None
    if isinstance(answer, str) and answer != text:
        yield answer


def _answer(text: str, cut: bool) -> PlaceReading | None:
    """Return the answer of a part of a reply; None where it names no place."""
    if text.count("{") != text.count("}"):
        return PlaceReading("nothing", note="braces that do not match")
    flat, gone = _SURE.sub(" ", layout_off(text, numbered=True)), set[Numbers]()
    for reader in CLOSED if cut else FORMS:
        one = text if reader in AS_WRITTEN else flat
        every = [found for found in reader(one) if found.numbers not in gone]
        if not every:
            continue
        if taken_back(one, max(found.end for found in every)):
            return PlaceReading("nothing", note="the answer is taken back")
        refused = {found.numbers for found in every if denied(one, found)}
        kept = [found for found in every if not denied(one, found)]
        if any(found.numbers in refused for found in kept):
            return PlaceReading("nothing", note="the reply says yes and no to one answer")
        shapes = _distinct(every if undecided(one, every) else kept)
        if len(shapes) > 1:
            return PlaceReading("several", note=f"{len(shapes)} different answers in one reply")
        if shapes:
            return _said(*shapes[0])
        gone |= refused
    return None


def _distinct(found: Iterable[PlaceMatch]) -> list[tuple[Numbers, str]]:
    """Return the different answers; a box and its own middle are one, the middle."""
    shapes = list(dict.fromkeys((f.numbers, f.unit) for f in found))
    if len(shapes) == 2 and {len(numbers) for numbers, _unit in shapes} == {2, 4}:
        point, box = sorted(shapes, key=lambda shape: len(shape[0]))
        (x, y), (x1, y1, x2, y2) = point[0], box[0]
        if abs(x - (x1 + x2) / 2) <= 1 and abs(y - (y1 + y2) / 2) <= 1 and point[1] == box[1]:
            return [point]
    return shapes


def _said(numbers: Numbers, unit: str) -> PlaceReading:
    if len(numbers) == 2:
        if numbers == (-1.0, -1.0):
            return PlaceReading("refusal", note="the model answers (-1, -1)")
        return PlaceReading("point", numbers, unit=unit)
    x1, y1, x2, y2 = numbers
    if numbers == (-1.0, -1.0, -1.0, -1.0):
        return PlaceReading("refusal", note="the model answers -1 four times")
    return PlaceReading("box", (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), unit=unit)


def _closed_answer(reply: str, text: str) -> bool:
    """Tell whether a reply that was cut off got to its answer: behind an `Action:`, or as the first thing behind its thinking."""
    if _ACTION.search(reply) and text:
        return True
    return _THINKING.search(reply) is not None and text.lstrip()[:1] in ("(", "[", "{", "<", "`")


def _other_action(text: str) -> str:
    """Return the name of an action that is not a click; nothing where a click is among the actions."""
    actions = (field(data, ("action",)) for _start, _end, data in objects(text))
    named = (action.get("type", action.get("name")) if isinstance(action, dict) else action for action in actions)
    called = [*_CALL.findall(text), *(name for name in named if isinstance(name, str))]
    known = [(name, name.lower().replace("_", "")) for name in called]
    if any(plain in POINTING for _name, plain in known):
        return ""
    return next((name for name, plain in known if plain in OTHER_ACTIONS), "")


def _digits(text: str) -> str:
    """Return digits of every script as 0 to 9, and the commas that go with them.

    >>> _digits("(\u0661\u0662\u060c \u0663\u0664)")
    '(12, 34)'
    """
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else _MARKS.get(ord(c), c) for c in text)
