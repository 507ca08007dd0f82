"""The forms in which a reply can name a point or a box, each as a function that finds every place where it does. Pure.

White space and repeats are bounded everywhere, so that no reply can make a pattern slow.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from snellen.core.reply import holds_json

Numbers = tuple[float, ...]
PERCENT = "percent"

N = r"-?\d{1,12}(?:\.\d{1,20})?"
W = r"\s{0,8}"
_U = rf"(?:{W}(?P<%s>%%|px\b|pixels?\b))?"
_GROUPED = r"\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,6})?"
_END = r"(?![\w%]|\.\d)"  # a number ends here


class Found(NamedTuple):
    """A point (two numbers) or a box (four: corners), where it stands, and whether its numbers are percents."""

    start: int
    end: int
    numbers: Numbers
    unit: str = ""


# ---------------------------------------------------------------- names of numbers: in words, attributes, JSON

_PLAIN = {
    "x": "x",
    "y": "y",
    "cx": "x",
    "cy": "y",
    "xc": "x",
    "yc": "y",
    "w": "w",
    "h": "h",
    "width": "w",
    "height": "h",
}
_LOW = {"x1": "x1", "y1": "y1", "xmin": "x1", "ymin": "y1", "left": "x1", "top": "y1", "x0": "x1", "y0": "y1"}
_HIGH = {"x2": "x2", "y2": "y2", "xmax": "x2", "ymax": "y2", "right": "x2", "bottom": "y2"}
_CENTRED = {"cx", "cy", "xc", "yc", "xcenter", "ycenter", "centerx", "centery", "centrex", "centrey"}
_NAMES = (
    _PLAIN
    | _LOW
    | _HIGH
    | {name: "y" if "y" in name.replace("center", "") else "x" for name in _CENTRED if len(name) > 2}
)
_AXIS_WORDS = r"(?:coord(?:inate)?|pos(?:ition)?|value|axis|pixel)"
_ASSIGNED = re.compile(
    rf"(?<![\w.])(?P<name>[xy]_?(?:min|max|[012]|center|centre)?|c[xy]|[xy]c|(?:center|centre)_?[xy]|left|top|right|bottom|width|height|[wh])"
    rf"(?:[ _-]?{_AXIS_WORDS})?[\"'`]?{W}(?:=|:|\||\u2248|~|->|\bis\b|\bof\b|\bat\b|\bequals\b|\bvalue\b|\babout\b|\bapproximately\b|(?<!\d\s[xy])(?<=[xy])\s(?=-?\d)){{1,3}}"
    rf"{W}(?:about|approximately|around|roughly|~|=|:)?{W}[\"'`]?(?P<number>{_GROUPED}(?!\d|,\d)|{N}){_U % 'unit'}{_END}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:[\s,;|/&*\"'`_.{}()\[\]-]|px|pixels?|and|the|with|to|by|its|of|then){0,40}", re.IGNORECASE)
_FROM_EDGE = re.compile(
    rf"(?P<number>{N}){_U % 'unit'}{W}(?:away{W})?from{W}(?:the{W})?(?P<edge>left|top)\b", re.IGNORECASE
)


def _canonical(name: str) -> str:
    """How a name is known, or nothing.

    >>> _canonical("X_min"), _canonical("center_y"), _canonical("price")
    ('x1', 'y', '')
    """
    plain = re.sub(r"[\s_-]+", "", name.lower())
    plain = re.sub(r"(?:coord(?:inate)?|pos(?:ition)?|pixel|value)$", "", plain) or plain
    return _NAMES.get(plain.replace("centre", "center"), "")


def shape_of(named: Mapping[str, float], centred: bool = False) -> Numbers:
    """The point or box that some named numbers make; nothing where they make neither."""
    has = set(named)
    if {"x1", "y1", "x2", "y2"} <= has:
        return named["x1"], named["y1"], named["x2"], named["y2"]
    if {"x1", "y1", "w", "h"} <= has and not has & {"x", "y"}:
        return named["x1"], named["y1"], named["x1"] + named["w"], named["y1"] + named["h"]
    if not {"x", "y"} <= has or has & {"x1", "y1", "x2", "y2"}:
        return ()
    x, y = named["x"], named["y"]
    if {"w", "h"} <= has and not centred:
        return x, y, x + named["w"], y + named["h"]
    return x, y


def from_names(text: str) -> list[Found]:
    """`x=12, y=34`, `X: 12 | Y: 34`, `xmin=.. ymin=.. xmax=.. ymax=..`, `left: .. top: .. width: .. height: ..`, `12 px from the left`."""
    found, group, spans = [], {}, []
    centred, units = False, set()

    def close() -> None:
        numbers = shape_of(group, centred)
        if numbers and len(units) == 1:
            found.append(Found(spans[0][0], spans[-1][1], numbers, next(iter(units))))

    for match in _ASSIGNED.finditer(text):
        name = _canonical(match["name"])
        near = bool(spans) and _BETWEEN.fullmatch(text[spans[-1][1] : match.start()][:41]) is not None
        if not near or name in group:
            close()
            group, spans, centred, units = {}, [], False, set()
        if not spans and name in ("w", "h"):
            continue  # a size stands behind its place
        group[name] = _value(match["number"])
        centred = centred or match["name"].lower().replace("_", "") in _CENTRED
        units.add(_unit(match["unit"]))
        spans.append(match.span())
    close()
    return found or _from_edges(text)


def _from_edges(text: str) -> list[Found]:
    matches = list(_FROM_EDGE.finditer(text))
    edges = {m["edge"].lower(): m for m in matches}
    if len(matches) != 2 or len(edges) != 2:
        return []
    left, top = edges["left"], edges["top"]
    if _unit(left["unit"]) != _unit(top["unit"]):
        return []
    return [
        Found(
            matches[0].start(), matches[1].end(), (_value(left["number"]), _value(top["number"])), _unit(left["unit"])
        )
    ]


# ---------------------------------------------------------------- tags and tokens

_TOKENS = re.compile(r"<\|box_start\|>(.{0,200}?)(?:<\|box_end\|>|$)", re.DOTALL)
_POINT_TAGS = "points?|bbox(?:_2d)?|box|coordinates?|coords?|position|location|click(?:_point)?|point_2d|loc|pos"
_TAGS = re.compile(rf"<(?P<name>{_POINT_TAGS})>(?P<inner>.{{0,200}}?)</(?P=name)>", re.DOTALL | re.IGNORECASE)
_AXES = re.compile(rf"<x>{W}({N}){W}</x>{W}<y>{W}({N}){W}</y>", re.IGNORECASE)
_ATTRIBUTES = re.compile(
    r"<(?P<name>[a-z_]{1,20})\s(?P<all>[^<>]{0,4000})>(?:[^<>]{0,200}</(?P=name)>)?", re.IGNORECASE
)
_ATTRIBUTE = re.compile(rf"\b([xy])(\d{{0,3}}){W}={W}[\"']?{W}({N}){W}(%?)", re.IGNORECASE)
_IN_TAG = re.compile(rf"({N}){W}(%?)")
_WORDS = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_OPEN_TAG = re.compile(rf"<(?:{_POINT_TAGS}|x|y)>", re.IGNORECASE)
_CLOSED_TAG = re.compile(rf"</(?:{_POINT_TAGS}|x|y)>", re.IGNORECASE)


def from_tokens(text: str) -> list[Found]:
    """`<|box_start|>(x,y)<|box_end|>`, also with two corners."""
    return list(_numeric((m.start(), m.end(), m[1]) for m in _TOKENS.finditer(text)))


def from_tags(text: str) -> list[Found]:
    """`<point>x y</point>`, `<bbox>x1 y1 x2 y2</bbox>`, `<x>..</x><y>..</y>`."""
    inner = list(_numeric((m.start(), m.end(), m["inner"]) for m in _TAGS.finditer(text)))
    return inner or [Found(m.start(), m.end(), (float(m[1]), float(m[2]))) for m in _AXES.finditer(text)]


def from_attributes(text: str) -> list[Found]:
    """`<point x="1" y="2" ...>` and `<points x1="1" y1="2" ...>`."""
    found: list[Found] = []
    for tag in _ATTRIBUTES.finditer(text):
        by_number: dict[str, dict[str, tuple[float, str]]] = {}
        for axis, number, value, sign in _ATTRIBUTE.findall(tag["all"]):
            by_number.setdefault(number, {})[axis.lower()] = (float(value), _unit(sign))
        for pair in by_number.values():
            if len(pair) == 2 and pair["x"][1] == pair["y"][1]:
                found.append(Found(tag.start(), tag.end(), (pair["x"][0], pair["y"][0]), pair["x"][1]))
    return found


def _numeric(pieces: Iterable[tuple[int, int, str]]) -> Iterator[Found]:
    """Pieces of text that hold two or four numbers and no words; other pieces are left to the other forms."""
    for start, end, inner in pieces:
        numbers = _IN_TAG.findall(inner)
        units = {_unit(sign) for _number, sign in numbers}
        if len(numbers) in (2, 4) and len(units) == 1 and not _WORDS.search(inner.replace("px", "")):
            yield Found(start, end, tuple(float(number) for number, _sign in numbers), units.pop())


# ---------------------------------------------------------------- JSON

_POINT_KEYS = (
    "point_2d",
    "point",
    "points",
    "coordinate",
    "coordinates",
    "coords",
    "click_point",
    "click",
    "position",
    "center",
    "location",
)
_BOX_KEYS = ("bbox_2d", "bbox", "box", "bounding_box", "boundingbox", "start_box", "rect")
_Y_FIRST = "box_2d"
_NUMBER_TEXT = re.compile(rf"{W}({N}){W}(px|%)?{W}", re.IGNORECASE)
_DEEPEST, _WIDEST = 6, 50


def from_json(text: str) -> list[Found]:
    """JSON objects, fenced or not: point_2d, bbox_2d, coordinate, x and y, tool calls."""
    return [
        Found(start, end, numbers, unit)
        for start, end, value in objects(text)
        for numbers, unit in dict.fromkeys(_points_in(value))
    ]


def objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Every outermost JSON object of a text, also where it is only almost JSON."""
    depth, start = 0, 0
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                value, _around = holds_json(text[start : brace.end()])
                if isinstance(value, dict):
                    yield start, brace.end(), value


def _points_in(data: Any, depth: int = 0) -> list[tuple[Numbers, str]]:
    if depth > _DEEPEST:
        return []
    if isinstance(data, list):
        return [] if _plain(data) else [p for item in data[:_WIDEST] for p in _points_in(item, depth + 1)]
    if not isinstance(data, dict):
        return []
    known = {str(key).lower().replace(" ", "_").replace("-", "_"): value for key, value in data.items()}
    for key in (*_POINT_KEYS, *_BOX_KEYS):
        points = _behind(known.get(key), depth)
        if points:
            return points
    box = _plain(known.get(_Y_FIRST))
    if box and len(box[0]) == 4:
        y1, x1, y2, x2 = box[0]
        return [((x1, y1, x2, y2), box[1])]
    named, units, centred = {}, set(), False
    for key, value in known.items():
        name, number = _canonical(key), _number(value)
        if name and number is not None:
            named[name] = number[0]
            units.add(number[1])
            centred = centred or key.replace("_", "") in _CENTRED
    numbers = shape_of(named, centred)
    if numbers and len(units) == 1:
        return [(numbers, units.pop())]
    return [p for value in list(data.values())[:_WIDEST] for p in _points_in(value, depth + 1)]


def _behind(value: Any, depth: int) -> list[tuple[Numbers, str]]:
    """What stands behind a key that names a point or a box: [x, y], [[x, y]], {"x": .., "y": ..}, "x, y"."""
    plain = _plain(value)
    if plain:
        return [plain]
    if isinstance(value, str):
        whole = [
            found for reader in (from_tags, from_names, from_tuples, from_whole) for found in reader(value[:200])[:1]
        ]
        return [(whole[0].numbers, whole[0].unit)] if whole else []
    if isinstance(value, list) and value and all(_plain(item) for item in value[:_WIDEST]):
        inner = [plain for item in value[:_WIDEST] if (plain := _plain(item))]
        corners = len(inner) == 2 and all(len(numbers) == 2 and unit == inner[0][1] for numbers, unit in inner)
        return [((*inner[0][0], *inner[1][0]), inner[0][1])] if corners else inner
    return _points_in(value, depth + 1) if isinstance(value, dict | list) else []


def _plain(value: Any) -> tuple[Numbers, str] | None:
    """A list of two or four numbers, which may be texts."""
    if not isinstance(value, list) or len(value) not in (2, 4):
        return None
    numbers = [number for item in value if (number := _number(item)) is not None]
    units = {unit for _number, unit in numbers}
    return (tuple(n for n, _unit in numbers), units.pop()) if len(numbers) == len(value) and len(units) == 1 else None


def _number(value: Any) -> tuple[float, str] | None:
    if isinstance(value, str):
        match = _NUMBER_TEXT.fullmatch(value)
        return None if match is None else (float(match[1]), _unit(match[2]))
    return (float(value), "") if _is_number(value) else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e12


# ---------------------------------------------------------------- brackets and bare numbers

_OPEN, _CLOSE = r"[(\[{<]", r"[)\]}>]"
_G = rf"(?:{_GROUPED}(?=,\s|{W}{_CLOSE}|{W};)|{N})"
_PX = rf"(?:{W}(?:px|pixels?)\b)?"
_PAIR = rf"{_OPEN}{W}(?P<a%s>{N}){_PX}(?P<u%s>{W}%%)?(?:{W}[,;]{W}|\s{{1,8}})(?P<b%s>{N}){_PX}(?P<v%s>{W}%%)?{W},?{W}{_CLOSE}"
_PAIRS = re.compile(_PAIR % (("",) * 4), re.IGNORECASE)
_CORNERS = re.compile(
    rf"{_PAIR % (('1',) * 4)}{W},{W}{_PAIR % (('2',) * 4)}(?={W}(?:$|[\])'\"<.]))|{_PAIR % (('3',) * 4)}{_PAIR % (('4',) * 4)}(?={W}(?:$|[\])'\"<.`]))",
    re.IGNORECASE,
)
_QUAD = re.compile(
    rf"{_OPEN}{W}({N}){_PX}(?P<s>{W},{W}|\s{{1,8}}|{W};{W})({N}){_PX}(?:{W},{W}|\s{{1,8}}|{W};{W})({N}){_PX}(?:{W},{W}|\s{{1,8}}|{W};{W})({N}){_PX}{W}{_CLOSE}",
    re.IGNORECASE,
)
_CALLED = re.compile(
    rf"\b(?:click|moveto|tap|doubleclick|double_click|rightclick|left_click|mouse_move|press){W}\({W}({N}){W},{W}({N}){W},[^()]{{0,200}}\)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(rf"{_OPEN}{W}({_GROUPED}|{N})(?:,\s{{1,8}}|{W};{W})({_GROUPED}|{N}){W}{_CLOSE}")
_DECIMAL_COMMA = re.compile(rf"{_OPEN}?{W}(-?\d{{1,6}},\d{{1,2}}){W};{W}(-?\d{{1,6}},\d{{1,2}}){W}{_CLOSE}?")
_ONE_OR_TWO = re.compile(r"(?<!\d)\d{1,3},0\d\d(?!\d)")  # 1,024
_LEAD = (
    r"(?:coordinates?|coords?|points?|position|location|locations?|cent(?:er|re)|click(?:ed|ing)?|tap(?:ping)?|press|at|mousemove|moveto"
    r"|answer|pixels?|target|here|it)"
)
_LINK = rf"(?:\b(?:is|are|at|on|of|to|would|should|be|located|approximately|about|around|roughly|the|pixel|point|position|coordinates?)\b{W}){{0,5}}"
_SEP = rf"(?:{W}[,;|/]{W}|{W}\band\b{W}|\s{{1,8}})"
_NOT_MORE = rf"(?!{W}(?:[,;|/]|and\b)?{W}[-+]?\d)"
_LED = re.compile(
    rf"\b{_LEAD}\b[\"'`*]{{0,3}}{W}{_LINK}[:=~|]{{0,2}}{W}(?P<a>{N}){_PX}(?P<u>{W}%)?{_SEP}(?P<b>{N}){_PX}(?P<v>{W}%)?{_NOT_MORE}{_END}",
    re.IGNORECASE,
)
_BOX_LED = re.compile(
    rf"\b(?:bounding{W})?(?:box|bbox|rect(?:angle)?|region){W}{_LINK}[:=]{{0,2}}{W}({N}){_SEP}({N}){_SEP}({N}){_SEP}({N}){_NOT_MORE}{_END}",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?<![\w.+])(?P<a>{N}){_PX}(?P<u>{W}%)?{W}(?:[,;|/\n]|\s){W}(?P<b>{N}){_PX}(?P<v>{W}%)?{_END}", re.IGNORECASE
)
_WHOLE = re.compile(
    rf"{W}(?P<a>{N})(?P<u>{W}%)?{_SEP}(?P<b>{N})(?P<v>{W}%)?(?:{_SEP}(?P<c>{N}){_SEP}(?P<d>{N}))?{W}\.?{W}"
)
_ANY_NUMBER = re.compile(N)
_MOST_PAIRS = 4
_MOST = 100  # more than one are no answer, however many


def from_tuples(text: str) -> list[Found]:
    """`(x,y)`, `[x, y]`, four numbers in one bracket, two corners side by side, `click(x, y, ...)`."""
    boxes = [_box(m) for m in _QUAD.finditer(text) if _uniform(m.group())] + [
        Found(m.start(), m.end(), tuple(float(m[f"{axis}{i}"]) for i in which for axis in "ab"))
        for m in _CORNERS.finditer(text)
        for which in (("1", "2") if m["a1"] else ("3", "4"),)
        if not any(m[f"{unit}{i}"] for i in which for unit in "uv")
    ]
    pairs = [
        Found(m.start(), m.end(), (float(m["a"]), float(m["b"])), PERCENT if m["u"] else "")
        for m in _PAIRS.finditer(text)
        if bool(m["u"]) == bool(m["v"]) and not _ONE_OR_TWO.search(m.group())
    ]
    pairs += [Found(m.start(), m.end(), (float(m[1]), float(m[2]))) for m in _CALLED.finditer(text)]
    pairs += [
        Found(m.start(), m.end(), (_value(m[1]), _value(m[2])))
        for m in _THOUSANDS.finditer(text)
        if m[0].count(",") > 1
    ]
    pairs += [Found(m.start(), m.end(), (_comma(m[1]), _comma(m[2]))) for m in _DECIMAL_COMMA.finditer(text)]
    boxes, pairs = boxes[:_MOST], pairs[:_MOST]
    kept = [p for p in pairs if not any(b.start <= p.start and p.end <= b.end for b in boxes)]
    return sorted([*boxes, *kept])


def from_box_words(text: str) -> list[Found]:
    """`box: 10, 20, 30, 40`."""
    return [_box(m) for m in _BOX_LED.finditer(text)]


def from_leads(text: str) -> list[Found]:
    """`Coordinates: 10, 20`, `click at 10 20`, beside other numbers."""
    led = [_pair(m) for m in _LED.finditer(text) if bool(m["u"]) == bool(m["v"])]
    if not led:
        return []
    # a second pair beside it makes two answers
    taken = [(f.start, f.end) for f in led]
    more = (_pair(m) for m in _ALONE.finditer(text) if "," in m.group())
    return led + [f for f in more if not any(start <= f.end and f.start <= end for start, end in taken)]


def from_whole(text: str) -> list[Found]:
    """Nothing but two or four numbers; or pairs of numbers in a text that has no others."""
    whole = _WHOLE.fullmatch(text)
    pairs = [whole] if whole is not None else list(_ALONE.finditer(text))
    found = []
    for match in pairs:
        more = match.groupdict()
        if bool(match["u"]) != bool(match["v"]) or (more.get("c") and match["u"]) or _ONE_OR_TWO.search(match.group()):
            return []
        numbers = tuple(float(match[key]) for key in "abcd" if more.get(key))
        found.append(Found(match.start("a"), match.end(), numbers, PERCENT if match["u"] else ""))
    counted = len(_ANY_NUMBER.findall(text))
    return found if counted == sum(len(f.numbers) for f in found) and len(found) <= _MOST_PAIRS else []


def _pair(match: re.Match[str]) -> Found:
    return Found(match.start("a"), match.end(), (float(match["a"]), float(match["b"])), PERCENT if match["u"] else "")


def _box(match: re.Match[str]) -> Found:
    numbers = tuple(float(g) for g in match.groups() if g and re.fullmatch(N, g))
    return Found(match.start(), match.end(), numbers)


def _uniform(text: str) -> bool:
    """Whether numbers in a bracket are told apart by one sign: `(12,5; 34,2)` is no box."""
    return not ("," in text and ";" in text)


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _comma(number: str) -> float:
    return float(number.replace(",", "."))


def _unit(sign: str | None) -> str:
    return PERCENT if sign and "%" in sign else ""


def unclosed_tag(text: str) -> bool:
    """Whether a tag that holds a point never ends."""
    return len(_OPEN_TAG.findall(text)) > len(_CLOSED_TAG.findall(text))


FORMS: tuple[Callable[[str], list[Found]], ...] = (
    from_tokens,
    from_tags,
    from_attributes,
    from_json,
    from_names,
    from_tuples,
    from_box_words,
    from_whole,
    from_leads,
)
AS_WRITTEN = (from_tokens, from_tags, from_attributes, from_json)
"""Forms that are looked for in the reply as it stands; the others without emphasis, fences and bullets."""
CLOSED = (from_tags, from_attributes, from_json, from_tuples)
"""Forms that show where they end."""
