"""The forms in which a reply can name a point or a box; each finds all of its places. Pure.

Tags, special tokens and attributes, numbers with names, brackets, and bare numbers; JSON is in json_points. Patterns name their numbers
a, b, c and d, and the percent signs behind them u and v.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from snellen.exams.grounding.reading.found import PERCENT, N, Numbers, PlaceMatch, W, unit_of

_GROUPED = r"\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,6})?"  # 1,024
_END = r"(?![\w%]|\.\d)"  # a number ends here
_PX = rf"(?:{W}(?:px|pixels?)\b)?"
_MOST = 100  # more than one place is not an answer; more than this are not read


def _value(number: str) -> float:
    """Return a number, which may have commas between thousands, or one for its point."""
    return float(number.replace(",", "") if re.fullmatch(_GROUPED, number) else number.replace(",", "."))


def _place(match: re.Match[str], at: str | int = 0) -> PlaceMatch | None:
    """Return the numbers of a pattern, and where its group `at` begins; None where only one of two has a percent sign."""
    named = match.groupdict()
    if bool(named.get("u")) != bool(named.get("v")):
        return None
    numbers = tuple(_value(named[name]) for name in "abcd" if named.get(name))
    return PlaceMatch(match.start(at), match.end(), numbers, PERCENT if named.get("u") else "")


def _found(pattern: re.Pattern[str], text: str, at: str | int = 0) -> list[PlaceMatch]:
    return [place for match in pattern.finditer(text) if (place := _place(match, at)) is not None]


# ---------------------------------------------------------------- tags and attributes

_TOKENS = re.compile(r"<\|box_start\|>(?P<inner>.{0,200}?)(?:<\|box_end\|>|$)", re.DOTALL | re.IGNORECASE)
_POINT_TAGS = "points?|bbox(?:_2d)?|box|coordinates?|coords?|position|location|click(?:_point)?|point_2d|loc|pos"
_TAGS = re.compile(rf"<(?P<name>{_POINT_TAGS})>(?P<inner>.{{0,200}}?)</(?P=name)>", re.DOTALL | re.IGNORECASE)
_AXES = re.compile(rf"<x>{W}(?P<a>{N}){W}</x>{W}<y>{W}(?P<b>{N}){W}</y>", re.IGNORECASE)
_ATTRIBUTES = re.compile(
    r"<(?P<name>[a-z_]{1,20})\s(?P<all>[^<>]{0,4000})>(?:[^<>]{0,200}</(?P=name)>)?", re.IGNORECASE
)
_ATTRIBUTE = re.compile(rf"\b([xy])(\d{{0,3}}){W}={W}[\"']?{W}({N}){W}(%?)", re.IGNORECASE)
_IN_TAG = re.compile(rf"({N}){W}(%?)")
_WORDS = re.compile(r"[a-z]{2,}", re.IGNORECASE)
_OPEN_TAG = re.compile(rf"<(?:{_POINT_TAGS}|x|y)>", re.IGNORECASE)
_CLOSED_TAG = re.compile(rf"</(?:{_POINT_TAGS}|x|y)>", re.IGNORECASE)


def from_tokens(text: str) -> list[PlaceMatch]:
    """Read `<|box_start|>(x,y)<|box_end|>`, also with two corners."""
    return list(_held(_TOKENS, text))


def from_tags(text: str) -> list[PlaceMatch]:
    """Read `<point>x y</point>`, `<bbox>x1 y1 x2 y2</bbox>`, `<x>..</x><y>..</y>`."""
    return list(_held(_TAGS, text)) or _found(_AXES, text)


def _held(pattern: re.Pattern[str], text: str) -> Iterator[PlaceMatch]:
    """Yield places that hold two or four numbers and no words; the rest is left to the other forms."""
    for tag in pattern.finditer(text):
        numbers = _IN_TAG.findall(tag["inner"])
        units = {unit_of(sign) for _number, sign in numbers}
        if len(numbers) in (2, 4) and len(units) == 1 and not _WORDS.search(tag["inner"].replace("px", "")):
            yield PlaceMatch(*tag.span(), tuple(float(number) for number, _sign in numbers), units.pop())


def from_attributes(text: str) -> list[PlaceMatch]:
    """Read `<point x="1" y="2" ...>` and `<points x1="1" y1="2" ...>`."""
    found: list[PlaceMatch] = []
    for tag in _ATTRIBUTES.finditer(text):
        by_number: dict[str, dict[str, tuple[float, str]]] = {}
        for axis, number, value, sign in _ATTRIBUTE.findall(tag["all"]):
            by_number.setdefault(number, {})[axis.lower()] = (float(value), unit_of(sign))
        pairs = [(p["x"], p["y"]) for p in by_number.values() if len(p) == 2]
        found += [PlaceMatch(*tag.span(), (x, y), unit) for (x, unit), (y, other) in pairs if unit == other]
    return found


def unclosed_tag(text: str) -> bool:
    """Tell whether a tag that holds a point never ends."""
    return len(_OPEN_TAG.findall(text)) > len(_CLOSED_TAG.findall(text))


# ---------------------------------------------------------------- numbers with names

_NAMES = {
    **dict.fromkeys(("x", "cx", "xc", "xcenter", "centerx"), "x"),
    **dict.fromkeys(("y", "cy", "yc", "ycenter", "centery"), "y"),
    **dict.fromkeys(("w", "width"), "w"),
    **dict.fromkeys(("h", "height"), "h"),
    **dict.fromkeys(("x1", "xmin", "left", "x0"), "x1"),
    **dict.fromkeys(("y1", "ymin", "top", "y0"), "y1"),
    **dict.fromkeys(("x2", "xmax", "right"), "x2"),
    **dict.fromkeys(("y2", "ymax", "bottom"), "y2"),
}
_CENTRED = {"cx", "cy", "xc", "yc", "xcenter", "ycenter", "centerx", "centery", "centrex", "centrey"}
_UNIT = rf"(?:{W}(?P<unit>%|px\b|pixels?\b))?"
_AXIS_WORDS = r"(?:coord(?:inate)?|pos(?:ition)?|value|axis|pixel)"
_ASSIGNED = re.compile(
    r"(?<![\w.])(?P<name>[xy]_?(?:min|max|[012]|center|centre)?|c[xy]|[xy]c|(?:center|centre)_?[xy]|left|top|right|bottom|width|height|[wh])"
    rf"(?:[ _-]?{_AXIS_WORDS})?[\"'`]?{W}"
    r"(?:=|:|\||\u2248|~|->|\bis\b|\bof\b|\bat\b|\bequals\b|\bvalue\b|\babout\b|\bapproximately\b"
    r"|(?<!\d\s[xy])(?<=[xy])\s(?=-?\d)){1,3}"
    rf"{W}(?:about|approximately|around|roughly|~|=|:)?{W}[\"'`]?(?P<number>{_GROUPED}(?!\d|,\d)|{N}){_UNIT}{_END}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:[\s,;|/&*\"'`_.{}()\[\]-]|px|pixels?|and|the|with|to|by|its|of|then){0,40}", re.IGNORECASE)
_FARTHEST = 40  # characters between two numbers of one place
_FROM_EDGE = re.compile(rf"(?P<number>{N}){_UNIT}{W}(?:away{W})?from{W}(?:the{W})?(?P<name>left|top)\b", re.IGNORECASE)


def canonical(name: str) -> str:
    """Return the canonical form of a name, or nothing.

    >>> canonical("X_min"), canonical("center_y"), canonical("price")
    ('x1', 'y', '')
    """
    plain = re.sub(r"[\s_-]+", "", name.lower())
    plain = re.sub(r"(?:coord(?:inate)?|pos(?:ition)?|pixel|value)$", "", plain) or plain
    return _NAMES.get(plain.replace("centre", "center"), "")


def place_of(given: Iterable[tuple[str, float, str]]) -> tuple[Numbers, str] | None:
    """Return the point or box of some names, numbers and units, where all have the same unit."""
    parts = [(name, number, unit) for name, number, unit in given if canonical(name)]
    centred = any(re.sub(r"[\s_-]+", "", name.lower()) in _CENTRED for name, _number, _unit in parts)
    numbers = _shape_of({canonical(name): number for name, number, _unit in parts}, centred)
    units = {unit for _name, _number, unit in parts}
    return (numbers, units.pop()) if numbers and len(units) == 1 else None


def _shape_of(named: Mapping[str, float], centred: bool) -> Numbers:
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


def from_names(text: str) -> list[PlaceMatch]:
    """Read `x=12, y=34`, `xmin=.. ymin=.. xmax=.. ymax=..`, `left: .. top: .. width: .. height: ..`, `12 px from the left`."""
    groups: list[dict[str, re.Match[str]]] = [{}]
    for match in _ASSIGNED.finditer(text):
        name, last = canonical(match["name"]), next(reversed(groups[-1].values()), None)
        if name in groups[-1] or last is None or not _near(text, last.end(), match.start()):
            groups.append({})
        if groups[-1] or name not in ("w", "h"):  # a size stands behind its place
            groups[-1][name] = match
    found = [place for g in groups for place in _named([m["name"] for m in g.values()], [*g.values()])]
    edges = list(_FROM_EDGE.finditer(text))
    axes = [{"left": "x", "top": "y"}[match["name"].lower()] for match in edges]
    return found or (_named(axes, edges) if sorted(axes) == ["x", "y"] else [])


def _near(text: str, end: int, start: int) -> bool:
    return start - end <= _FARTHEST and _BETWEEN.fullmatch(text, end, start) is not None


def _named(names: Iterable[str], group: Sequence[re.Match[str]]) -> list[PlaceMatch]:
    """Return the places of numbers that stand together."""
    numbers = ((_value(match["number"]), unit_of(match["unit"])) for match in group)
    place = place_of((name, *number) for name, number in zip(names, numbers, strict=True))
    return [PlaceMatch(group[0].start(), group[-1].end(), *place)] if place is not None else []


# ---------------------------------------------------------------- brackets

_OPEN, _CLOSE = r"[(\[{<]", r"[)\]}>]"
_NEXT = rf"(?:{W}[,;]{W}|\s{{1,8}})"
_CORNER = rf"{_OPEN}{W}(?P<%s>{N}){_PX}{_NEXT}(?P<%s>{N}){_PX}{W},?{W}{_CLOSE}"
_CORNERS = re.compile(
    rf"{_CORNER % ('a', 'b')}(?:{W},{W})?{_CORNER % ('c', 'd')}(?={W}(?:$|[\])'\"<.`]))", re.IGNORECASE
)
_QUAD = re.compile(
    rf"{_OPEN}{W}(?P<a>{N}){_PX}{_NEXT}(?P<b>{N}){_PX}{_NEXT}(?P<c>{N}){_PX}{_NEXT}(?P<d>{N}){_PX}{W}{_CLOSE}",
    re.IGNORECASE,
)
_PAIRS = re.compile(
    rf"{_OPEN}{W}(?P<a>{N}){_PX}(?P<u>{W}%)?{_NEXT}(?P<b>{N}){_PX}(?P<v>{W}%)?{W},?{W}{_CLOSE}", re.IGNORECASE
)
_CALLED = re.compile(
    r"\b(?:click|moveto|tap|doubleclick|double_click|rightclick|left_click|mouse_move|press)"
    rf"{W}\({W}(?P<a>{N}){W},{W}(?P<b>{N}){W},[^()]{{0,200}}\)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(rf"{_OPEN}{W}(?P<a>{_GROUPED}|{N})(?:,\s{{1,8}}|{W};{W})(?P<b>{_GROUPED}|{N}){W}{_CLOSE}")
_DECIMAL_COMMA = re.compile(rf"{_OPEN}?{W}(?P<a>-?\d{{1,6}},\d{{1,2}}){W};{W}(?P<b>-?\d{{1,6}},\d{{1,2}}){W}{_CLOSE}?")
_ONE_OR_TWO = re.compile(r"(?<!\d)\d{1,3},0\d\d(?!\d)")  # 1,024


def from_tuples(text: str) -> list[PlaceMatch]:
    """Read `(x,y)`, `[x, y]`, four numbers in one bracket, two corners side by side, `click(x, y, ...)`."""
    quads = [
        q for q in _found(_QUAD, text) if not {",", ";"} <= set(text[q.start : q.end])
    ]  # (12,5; 34,2) is not a box
    boxes = [*quads, *_found(_CORNERS, text)][:_MOST]
    pairs = [p for p in _found(_PAIRS, text) if not _ONE_OR_TWO.search(text, p.start, p.end)]
    pairs += _found(_CALLED, text)
    pairs += [p for p in _found(_THOUSANDS, text) if text.count(",", p.start, p.end) > 1]
    pairs += _found(_DECIMAL_COMMA, text)
    kept = [p for p in pairs[:_MOST] if not any(b.start <= p.start and p.end <= b.end for b in boxes)]
    return sorted([*boxes, *kept])


# ---------------------------------------------------------------- bare numbers

_LEAD = (
    r"(?:coordinates?|coords?|points?|position|location|locations?|cent(?:er|re)|click(?:ed|ing)?|tap(?:ping)?|press|at|mousemove|moveto"
    r"|answer|pixels?|target|here|it)"
)
_LINK_WORDS = "is|are|at|on|of|to|would|should|be|located|approximately|about|around|roughly|the|pixel|point|position|coordinates?"
_LINK = rf"(?:\b(?:{_LINK_WORDS})\b{W}){{0,5}}"
_SEP = rf"(?:{W}[,;|/]{W}|{W}\band\b{W}|\s{{1,8}})"
_NOT_MORE = rf"(?!{W}(?:[,;|/]|and\b)?{W}[-+]?\d)"
_LED = re.compile(
    rf"\b{_LEAD}\b[\"'`*]{{0,3}}{W}{_LINK}[:=~|]{{0,2}}{W}(?P<a>{N}){_PX}(?P<u>{W}%)?{_SEP}(?P<b>{N}){_PX}(?P<v>{W}%)?{_NOT_MORE}{_END}",
    re.IGNORECASE,
)
_BOX_LED = re.compile(
    rf"\b(?:bounding{W})?(?:box|bbox|rect(?:angle)?|region){W}{_LINK}[:=]{{0,2}}{W}"
    rf"(?P<a>{N}){_SEP}(?P<b>{N}){_SEP}(?P<c>{N}){_SEP}(?P<d>{N}){_NOT_MORE}{_END}",
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


def from_box_words(text: str) -> list[PlaceMatch]:
    """Read `box: 10, 20, 30, 40`."""
    return _found(_BOX_LED, text)


def from_whole(text: str) -> list[PlaceMatch]:
    """Read only a text of two or four numbers; or pairs of numbers in a text that has no others."""
    whole = _WHOLE.fullmatch(text)
    matches = [whole] if whole is not None else list(_ALONE.finditer(text))
    places = [_place(match, "a") for match in matches if not _ONE_OR_TWO.search(match.group())]
    found = [place for place in places if place is not None and not (place.unit and len(place.numbers) > 2)]
    count = sum(len(place.numbers) for place in found)
    sure = len(found) == len(matches) <= _MOST_PAIRS and count == len(_ANY_NUMBER.findall(text))
    return found if sure else []


def from_leads(text: str) -> list[PlaceMatch]:
    """Read `Coordinates: 10, 20`, `click at 10 20`, beside other numbers. A second pair beside it makes two answers."""
    led = _found(_LED, text, "a")
    others = [place for place in _found(_ALONE, text, "a") if "," in text[place.start : place.end]] if led else []
    return led + [o for o in others if not any(f.start <= o.end and o.start <= f.end for f in led)]
