"""Points and boxes in tags, special tokens and attributes: `<point>12 34</point>`, `<point x="12" y="34">`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from snellen.exams.grounding.reading.found import N, PlaceMatch, W, unit_of

_TOKENS = re.compile(r"<\|box_start\|>(.{0,200}?)(?:<\|box_end\|>|$)", re.DOTALL | re.IGNORECASE)
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


def from_tokens(text: str) -> list[PlaceMatch]:
    """`<|box_start|>(x,y)<|box_end|>`, also with two corners."""
    return list(_numeric((m.start(), m.end(), m[1]) for m in _TOKENS.finditer(text)))


def from_tags(text: str) -> list[PlaceMatch]:
    """`<point>x y</point>`, `<bbox>x1 y1 x2 y2</bbox>`, `<x>..</x><y>..</y>`."""
    inner = list(_numeric((m.start(), m.end(), m["inner"]) for m in _TAGS.finditer(text)))
    return inner or [PlaceMatch(m.start(), m.end(), (float(m[1]), float(m[2]))) for m in _AXES.finditer(text)]


def from_attributes(text: str) -> list[PlaceMatch]:
    """`<point x="1" y="2" ...>` and `<points x1="1" y1="2" ...>`."""
    found: list[PlaceMatch] = []
    for tag in _ATTRIBUTES.finditer(text):
        by_number: dict[str, dict[str, tuple[float, str]]] = {}
        for axis, number, value, sign in _ATTRIBUTE.findall(tag["all"]):
            by_number.setdefault(number, {})[axis.lower()] = (float(value), unit_of(sign))
        pairs = [(p["x"], p["y"]) for p in by_number.values() if len(p) == 2]
        found += [PlaceMatch(*tag.span(), (x, y), unit) for (x, unit), (y, other) in pairs if unit == other]
    return found


def _numeric(pieces: Iterable[tuple[int, int, str]]) -> Iterator[PlaceMatch]:
    """Pieces of text that hold two or four numbers and no words; other pieces are left to the other forms."""
    for start, end, inner in pieces:
        numbers = _IN_TAG.findall(inner)
        units = {unit_of(sign) for _number, sign in numbers}
        if len(numbers) in (2, 4) and len(units) == 1 and not _WORDS.search(inner.replace("px", "")):
            yield PlaceMatch(start, end, tuple(float(number) for number, _sign in numbers), units.pop())


def unclosed_tag(text: str) -> bool:
    """Whether a tag that holds a point never ends."""
    return len(_OPEN_TAG.findall(text)) > len(_CLOSED_TAG.findall(text))
