"""The point or box in a model's reply, whatever form it takes. Only numbers are read here; what they count is declared elsewhere.

Forms are tried from the most specific to the barest, and the first that occurs decides. Two different answers in one reply are no
answer: nothing is guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeGuard

import msgspec

Numbers = tuple[float, ...]
Kind = Literal["point", "box", "refusal", "other-action", "several", "nothing"]
LONGEST = 20_000

_N = r"(-?\d{1,12}(?:\.\d{1,20})?)"
_W = r"\s{0,8}"  # white space is bounded everywhere, so that no reply can make a pattern slow
_SEP = rf"(?:{_W},{_W}|\s{{1,8}})"
_PAIR = rf"[(\[]{_W}{_N}{_W},{_W}{_N}{_W}[)\]]"
_QUAD = rf"[(\[]{_W}{_N}{_W},{_W}{_N}{_W},{_W}{_N}{_W},{_W}{_N}{_W}[)\]]"
_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TOKENS = re.compile(r"<\|box_start\|>(.{0,200}?)(?:<\|box_end\|>|$)", re.DOTALL)
_TAGS = re.compile(r"<(point|bbox|box)>(.{0,200}?)</\1>", re.DOTALL | re.IGNORECASE)
_ATTRIBUTES = re.compile(r"<points?\s([^<>]{0,4000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(rf"\b([xy])(\d{{0,3}}){_W}={_W}[\"']?{_W}{_N}", re.IGNORECASE)
_NAMED = re.compile(
    rf"\bx[\"']?{_W}[=:]{_W}[\"']?{_N}[\"']?{_W}[,;]?{_W}(?:and{_W})?[\"']?y[\"']?{_W}[=:]{_W}[\"']?{_N}", re.IGNORECASE
)
_TUPLES = re.compile(rf"{_QUAD}|{_PAIR}{_W},?{_W}{_PAIR}(?={_W}(?:$|[\])'\"<.]))|{_PAIR}")
_BARE = re.compile(rf"{_N}{_SEP}{_N}(?:{_SEP}{_N}{_SEP}{_N})?\.?")
_NUMBER = re.compile(_N)
_FENCE = re.compile(r"```[a-zA-Z]*\s*(.*?)(?:```|$)", re.DOTALL)
_ANSWER = re.compile(rf"\banswer{_W}(?:is)?{_W}[:=]", re.IGNORECASE)
_CALL = re.compile(rf"\b([a-z_]{{3,30}}){_W}\(")

POINTING = frozenset(
    {"click", "left_click", "left_single", "left_double", "double_click", "right_single", "right_click"}
    | {"middle_click", "long_press", "tap", "hover", "mouse_move", "select"}
)
OTHER_ACTIONS = frozenset(
    {"drag", "left_click_drag", "scroll", "swipe", "type", "hotkey", "key", "wait", "finished", "terminate"}
    | {"call_user", "open_app", "press_home", "press_back", "press_enter", "press_recent"}
)
_REFUSALS = re.compile(
    r"\b(?:no target|not existent|does not exist|not (?:be )?found|not (?:present|visible|there)|no (?:such|matching) element|none|null)\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 200
_POINT_KEYS = ("point_2d", "point", "coordinate", "coordinates", "click_point", "position")
_BOX_KEYS = ("bbox_2d", "bbox", "box", "bounding_box")


class Said(NamedTuple):
    """What a reply holds: two numbers for a point, four for a box (corners in order), none otherwise."""

    kind: Kind
    numbers: Numbers = ()
    note: str = ""


def read_point(reply: str, cut: bool = False) -> Said:
    """The one point or box that a reply names. One that was `cut` off is an answer only where a closed one follows a marker.

    >>> read_point("Action: click(start_box='(966,546)')")
    Said(kind='point', numbers=(966.0, 546.0), note='')
    >>> read_point("<point>966.5 546.2</point>").numbers
    (966.5, 546.2)
    >>> read_point("Action: drag(start_box='(1,2)', end_box='(3,4)')").kind
    'other-action'
    >>> read_point("It is not the toolbar at (12,34), so", cut=True).kind
    'nothing'
    """
    text = spoken(reply)
    if cut and not _closed_answer(reply, text):
        return Said("nothing", note="the reply was cut off")
    action = _other_action(text)
    if action:
        return Said("other-action", note=f"the action is {action}, not a click")
    for reader in _CLOSED if cut else _READERS:
        found = list(dict.fromkeys(reader(text)))
        if len(found) > 1 and (answer := _after_answer(text)):
            found = list(dict.fromkeys(reader(answer))) or found
        if not found:
            continue
        if len(found) > 1:
            return Said("several", note=f"{len(found)} different answers in one reply")
        return _said(found[0])
    if not cut and len(text) <= _LONGEST_REFUSAL and _REFUSALS.search(text):
        return Said("refusal", note="the model says that it is not there")
    return Said("nothing", note="no point in the reply")


def thought_out(reply: str) -> str:
    """What follows the thinking; nothing where the thinking never ends."""
    marks = list(_THINKING.finditer(reply))
    if not marks:
        return reply
    return reply[marks[-1].end() :] if marks[-1].group(1) else ""


def spoken(reply: str) -> str:
    """The reply without thinking, and of an agent's reply only what follows the last `Action:`."""
    text = thought_out(reply)[-LONGEST:]
    before, marker, action = text.rpartition("Action:")
    if marker:
        return action
    # a thought without an action is no answer, whatever numbers it mentions
    return "" if before == "" and text.lstrip().startswith("Thought:") else text


def _closed_answer(reply: str, text: str) -> bool:
    """Whether a reply that was cut off got to its answer: behind an `Action:`, or as the first thing behind its thinking."""
    if "Action:" in reply and text:
        return True
    return _THINKING.search(reply) is not None and text.lstrip()[:1] in ("(", "[", "{", "<", "`")


def _after_answer(text: str) -> str:
    ends = [match.end() for match in _ANSWER.finditer(text)]
    return text[ends[-1] :] if ends else ""


def _said(numbers: Numbers) -> Said:
    if len(numbers) == 2:
        if numbers == (-1.0, -1.0):
            return Said("refusal", note="the model answers (-1, -1)")
        return Said("point", numbers)
    x1, y1, x2, y2 = numbers
    return Said("box", (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)))


def _other_action(text: str) -> str:
    """The name of an action that is not a click; nothing where a click is among the actions."""
    called = [name for name in _CALL.findall(text) if name in POINTING or name in OTHER_ACTIONS]
    called += [action for data in _json_values(text) if isinstance(action := _action(data), str)]
    if any(name in POINTING for name in called):
        return ""
    return next((name for name in called if name in OTHER_ACTIONS), "")


# ---------------------------------------------------------------- one reader a form


def _from_tokens(text: str) -> list[Numbers]:
    """`<|box_start|>(x,y)<|box_end|>`, also with two corners."""
    return _numeric(_TOKENS.findall(text))


def _from_tags(text: str) -> list[Numbers]:
    """`<point>x y</point>`, `<bbox>x1 y1 x2 y2</bbox>`."""
    return _numeric([inner for _name, inner in _TAGS.findall(text)])


def _from_attributes(text: str) -> list[Numbers]:
    """`<point x="1" y="2" ...>` and `<points x1="1" y1="2" ...>`."""
    found: list[Numbers] = []
    for attributes in _ATTRIBUTES.findall(text):
        by_number: dict[str, dict[str, float]] = {}
        for axis, number, value in _ATTRIBUTE.findall(attributes):
            by_number.setdefault(number, {})[axis.lower()] = float(value)
        found += [(p["x"], p["y"]) for p in by_number.values() if len(p) == 2]
    return found


def _from_json(text: str) -> list[Numbers]:
    """JSON, fenced or not: point_2d, bbox_2d, coordinate, x and y, tool calls."""
    return [numbers for data in _json_values(text) for numbers in _points_in(data)]


def _from_names(text: str) -> list[Numbers]:
    """`x=12, y=34`."""
    return [(float(x), float(y)) for x, y in _NAMED.findall(text)]


def _from_tuples(text: str) -> list[Numbers]:
    """`(x,y)`, `[x, y]`, four numbers in one bracket, or two corners side by side."""
    return [tuple(float(g) for g in m.groups() if g is not None) for m in _TUPLES.finditer(text)]


def _from_bare(text: str) -> list[Numbers]:
    """Nothing but two or four numbers."""
    match = _BARE.fullmatch(text.strip())
    return [tuple(float(g) for g in match.groups() if g is not None)] if match else []


_READERS: tuple[Callable[[str], list[Numbers]], ...] = (
    _from_tokens,
    _from_tags,
    _from_attributes,
    _from_json,
    _from_names,
    _from_tuples,
    _from_bare,
)
_CLOSED = (_from_tags, _from_attributes, _from_json, _from_tuples)  # forms that show where they end


def _numeric(pieces: list[str]) -> list[Numbers]:
    found = [tuple(float(n) for n in _NUMBER.findall(piece)) for piece in pieces]
    return [numbers for numbers in found if len(numbers) in (2, 4)]


def _json_values(text: str) -> list[Any]:
    """Every JSON object or list in a text: in fences first, then whatever stands between the outermost brackets."""
    found = []
    for piece in [*_FENCE.findall(text), text]:
        for opening, closing in ("[]", "{}"):
            start, end = piece.find(opening), piece.rfind(closing)
            if 0 <= start < end:
                try:
                    found.append(msgspec.json.decode(piece[start : end + 1]))
                except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
                    continue
        if found:
            break
    return [value for value in found if isinstance(value, dict | list)]


def _points_in(data: Any, depth: int = 0) -> list[Numbers]:
    if depth > 6:
        return []
    if isinstance(data, list):
        numbers = _plain(data)
        # bare number lists are left to the tuple reader
        return [] if numbers else [p for item in data[:50] for p in _points_in(item, depth + 1)]
    if not isinstance(data, dict):
        return []
    for key in (*_POINT_KEYS, *_BOX_KEYS):
        value = data.get(key)
        numbers = _plain(value) or (_inner(value) if isinstance(value, dict | list) else ())
        if numbers:
            return [numbers]
    x, y = data.get("x"), data.get("y")
    if _is_number(x) and _is_number(y):
        return [(x, y)]
    return [p for value in list(data.values())[:50] for p in _points_in(value, depth + 1)]


def _inner(value: Any) -> Numbers:
    """[[x, y]] or {"x": .., "y": ..} behind a key."""
    if isinstance(value, list) and len(value) == 1:
        return _plain(value[0])
    if isinstance(value, dict) and _is_number(value.get("x")) and _is_number(value.get("y")):
        return value["x"], value["y"]
    return ()


def _plain(value: Any) -> Numbers:
    if isinstance(value, list) and len(value) in (2, 4) and all(_is_number(v) for v in value):
        return tuple(float(v) for v in value)
    return ()


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e12


def _action(data: Any, depth: int = 0) -> Any:
    """The first value behind the key `action`, in an object or the objects in it."""
    if depth > 6:
        return None
    if isinstance(data, dict) and "action" in data:
        return data["action"]
    inside = list(data.values()) if isinstance(data, dict) else data if isinstance(data, list) else []
    return next((v for v in (_action(item, depth + 1) for item in inside[:50]) if v is not None), None)
