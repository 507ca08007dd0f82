"""Points and boxes whose numbers have names: `x=12, y=34`, `xmin=..`, `left: ..`, `12 px from the left`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from snellen.exams.grounding.reading.found import END, GROUPED, UNIT, N, Numbers, PlaceMatch, W, unit_of, value_of

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
CENTRED = {"cx", "cy", "xc", "yc", "xcenter", "ycenter", "centerx", "centery", "centrex", "centrey"}
_NAMES = _PLAIN | _LOW | _HIGH | {"xcenter": "x", "centerx": "x", "ycenter": "y", "centery": "y"}
_AXIS_WORDS = r"(?:coord(?:inate)?|pos(?:ition)?|value|axis|pixel)"
_ASSIGNED = re.compile(
    r"(?<![\w.])(?P<name>[xy]_?(?:min|max|[012]|center|centre)?|c[xy]|[xy]c|(?:center|centre)_?[xy]|left|top|right|bottom|width|height|[wh])"
    rf"(?:[ _-]?{_AXIS_WORDS})?[\"'`]?{W}"
    r"(?:=|:|\||\u2248|~|->|\bis\b|\bof\b|\bat\b|\bequals\b|\bvalue\b|\babout\b|\bapproximately\b"
    r"|(?<!\d\s[xy])(?<=[xy])\s(?=-?\d)){1,3}"
    rf"{W}(?:about|approximately|around|roughly|~|=|:)?{W}[\"'`]?(?P<number>{GROUPED}(?!\d|,\d)|{N}){UNIT}{END}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:[\s,;|/&*\"'`_.{}()\[\]-]|px|pixels?|and|the|with|to|by|its|of|then){0,40}", re.IGNORECASE)
_FARTHEST = 40  # characters between two numbers of one place
_FROM_EDGE = re.compile(rf"(?P<number>{N}){UNIT}{W}(?:away{W})?from{W}(?:the{W})?(?P<edge>left|top)\b", re.IGNORECASE)


def canonical(name: str) -> str:
    """How a name is known, or nothing.

    >>> canonical("X_min"), canonical("center_y"), canonical("price")
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


def from_names(text: str) -> list[PlaceMatch]:
    """`x=12, y=34`, `X: 12 | Y: 34`, `xmin=.. ymin=.. xmax=.. ymax=..`, `left: .. top: .. width: .. height: ..`, `12 px from the left`."""
    found: list[PlaceMatch] = []
    group: dict[str, re.Match[str]] = {}
    for match in (*_ASSIGNED.finditer(text), None):
        name = "" if match is None else canonical(match["name"])
        last = next(reversed(group.values()), None)
        near = match is not None and last is not None and _near(text, last.end(), match.start())
        if match is None or name in group or not near:
            found += _named(group)
            group = {}
        if match is not None and (group or name not in ("w", "h")):  # a size stands behind its place
            group[name] = match
    return found or _from_edges(text)


def _near(text: str, end: int, start: int) -> bool:
    return start - end <= _FARTHEST and _BETWEEN.fullmatch(text, end, start) is not None


def _named(group: Mapping[str, re.Match[str]]) -> list[PlaceMatch]:
    """What numbers that stand together make, where they count the same."""
    centred = any(match["name"].lower().replace("_", "") in CENTRED for match in group.values())
    numbers = shape_of({name: value_of(match["number"]) for name, match in group.items()}, centred)
    units = {unit_of(match["unit"]) for match in group.values()}
    if not numbers or len(units) != 1:
        return []
    matches = list(group.values())
    return [PlaceMatch(matches[0].start(), matches[-1].end(), numbers, units.pop())]


def _from_edges(text: str) -> list[PlaceMatch]:
    matches = list(_FROM_EDGE.finditer(text))
    edges = {m["edge"].lower(): m for m in matches}
    if len(matches) != 2 or len(edges) != 2:
        return []
    left, top = edges["left"], edges["top"]
    if unit_of(left["unit"]) != unit_of(top["unit"]):
        return []
    return [
        PlaceMatch(
            matches[0].start(),
            matches[1].end(),
            (value_of(left["number"]), value_of(top["number"])),
            unit_of(left["unit"]),
        )
    ]
