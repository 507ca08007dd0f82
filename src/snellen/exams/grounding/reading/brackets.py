"""Points and boxes in brackets, and bare numbers: `(12, 34)`, `click(12, 34)`, `Coordinates: 12, 34`. Pure."""

from __future__ import annotations

import re

from snellen.exams.grounding.reading.found import END, GROUPED, PERCENT, N, PlaceMatch, W, value_of

_OPEN, _CLOSE = r"[(\[{<]", r"[)\]}>]"
_PX = rf"(?:{W}(?:px|pixels?)\b)?"
_PAIR = rf"{_OPEN}{W}(?P<a%s>{N}){_PX}(?P<u%s>{W}%%)?(?:{W}[,;]{W}|\s{{1,8}})(?P<b%s>{N}){_PX}(?P<v%s>{W}%%)?{W},?{W}{_CLOSE}"
_PAIRS = re.compile(_PAIR % (("",) * 4), re.IGNORECASE)
_CORNERS = re.compile(
    rf"{_PAIR % (('1',) * 4)}(?:{W},{W})?{_PAIR % (('2',) * 4)}(?={W}(?:$|[\])'\"<.`]))",
    re.IGNORECASE,
)
_NEXT = rf"(?:{W}[,;]{W}|\s{{1,8}})"
_QUAD = re.compile(
    rf"{_OPEN}{W}({N}){_PX}{_NEXT}({N}){_PX}{_NEXT}({N}){_PX}{_NEXT}({N}){_PX}{W}{_CLOSE}",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:click|moveto|tap|doubleclick|double_click|rightclick|left_click|mouse_move|press)"
    rf"{W}\({W}({N}){W},{W}({N}){W},[^()]{{0,200}}\)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(rf"{_OPEN}{W}({GROUPED}|{N})(?:,\s{{1,8}}|{W};{W})({GROUPED}|{N}){W}{_CLOSE}")
_DECIMAL_COMMA = re.compile(rf"{_OPEN}?{W}(-?\d{{1,6}},\d{{1,2}}){W};{W}(-?\d{{1,6}},\d{{1,2}}){W}{_CLOSE}?")
_ONE_OR_TWO = re.compile(r"(?<!\d)\d{1,3},0\d\d(?!\d)")  # 1,024
_LEAD = (
    r"(?:coordinates?|coords?|points?|position|location|locations?|cent(?:er|re)|click(?:ed|ing)?|tap(?:ping)?|press|at|mousemove|moveto"
    r"|answer|pixels?|target|here|it)"
)
_LINK_WORDS = "is|are|at|on|of|to|would|should|be|located|approximately|about|around|roughly|the|pixel|point|position|coordinates?"
_LINK = rf"(?:\b(?:{_LINK_WORDS})\b{W}){{0,5}}"
_SEP = rf"(?:{W}[,;|/]{W}|{W}\band\b{W}|\s{{1,8}})"
_NOT_MORE = rf"(?!{W}(?:[,;|/]|and\b)?{W}[-+]?\d)"
_LED = re.compile(
    rf"\b{_LEAD}\b[\"'`*]{{0,3}}{W}{_LINK}[:=~|]{{0,2}}{W}(?P<a>{N}){_PX}(?P<u>{W}%)?{_SEP}(?P<b>{N}){_PX}(?P<v>{W}%)?{_NOT_MORE}{END}",
    re.IGNORECASE,
)
_BOX_LED = re.compile(
    rf"\b(?:bounding{W})?(?:box|bbox|rect(?:angle)?|region){W}{_LINK}[:=]{{0,2}}{W}({N}){_SEP}({N}){_SEP}({N}){_SEP}({N}){_NOT_MORE}{END}",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"(?<![\w.+])(?P<a>{N}){_PX}(?P<u>{W}%)?{W}(?:[,;|/\n]|\s){W}(?P<b>{N}){_PX}(?P<v>{W}%)?{END}", re.IGNORECASE
)
_WHOLE = re.compile(
    rf"{W}(?P<a>{N})(?P<u>{W}%)?{_SEP}(?P<b>{N})(?P<v>{W}%)?(?:{_SEP}(?P<c>{N}){_SEP}(?P<d>{N}))?{W}\.?{W}"
)
_ANY_NUMBER = re.compile(N)
_MOST_PAIRS = 4
_MOST = 100  # more than one are no answer, however many


def from_tuples(text: str) -> list[PlaceMatch]:
    """`(x,y)`, `[x, y]`, four numbers in one bracket, two corners side by side, `click(x, y, ...)`."""
    boxes = [_box(m) for m in _QUAD.finditer(text) if _uniform(m.group())] + [
        PlaceMatch(*m.span(), tuple(float(m[name]) for name in ("a1", "b1", "a2", "b2")))
        for m in _CORNERS.finditer(text)
        if not any(m[name] for name in ("u1", "v1", "u2", "v2"))
    ]
    pairs = [
        PlaceMatch(m.start(), m.end(), (float(m["a"]), float(m["b"])), PERCENT if m["u"] else "")
        for m in _PAIRS.finditer(text)
        if bool(m["u"]) == bool(m["v"]) and not _ONE_OR_TWO.search(m.group())
    ]
    pairs += [PlaceMatch(m.start(), m.end(), (float(m[1]), float(m[2]))) for m in _CALLED.finditer(text)]
    pairs += [
        PlaceMatch(m.start(), m.end(), (value_of(m[1]), value_of(m[2])))
        for m in _THOUSANDS.finditer(text)
        if m[0].count(",") > 1
    ]
    pairs += [PlaceMatch(m.start(), m.end(), (_comma(m[1]), _comma(m[2]))) for m in _DECIMAL_COMMA.finditer(text)]
    boxes, pairs = boxes[:_MOST], pairs[:_MOST]
    kept = [p for p in pairs if not any(b.start <= p.start and p.end <= b.end for b in boxes)]
    return sorted([*boxes, *kept])


def from_box_words(text: str) -> list[PlaceMatch]:
    """`box: 10, 20, 30, 40`."""
    return [_box(m) for m in _BOX_LED.finditer(text)]


def from_leads(text: str) -> list[PlaceMatch]:
    """`Coordinates: 10, 20`, `click at 10 20`, beside other numbers."""
    led = [_pair(m) for m in _LED.finditer(text) if bool(m["u"]) == bool(m["v"])]
    if not led:
        return []
    # a second pair beside it makes two answers
    taken = [(f.start, f.end) for f in led]
    more = (_pair(m) for m in _ALONE.finditer(text) if "," in m.group())
    return led + [f for f in more if not any(start <= f.end and f.start <= end for start, end in taken)]


def from_whole(text: str) -> list[PlaceMatch]:
    """Nothing but two or four numbers; or pairs of numbers in a text that has no others."""
    whole = _WHOLE.fullmatch(text)
    pairs = [whole] if whole is not None else list(_ALONE.finditer(text))
    found = []
    for match in pairs:
        more = match.groupdict()
        if bool(match["u"]) != bool(match["v"]) or (more.get("c") and match["u"]) or _ONE_OR_TWO.search(match.group()):
            return []
        numbers = tuple(float(match[key]) for key in "abcd" if more.get(key))
        found.append(PlaceMatch(match.start("a"), match.end(), numbers, PERCENT if match["u"] else ""))
    counted = len(_ANY_NUMBER.findall(text))
    return found if counted == sum(len(f.numbers) for f in found) and len(found) <= _MOST_PAIRS else []


def _pair(match: re.Match[str]) -> PlaceMatch:
    return PlaceMatch(
        match.start("a"), match.end(), (float(match["a"]), float(match["b"])), PERCENT if match["u"] else ""
    )


def _box(match: re.Match[str]) -> PlaceMatch:
    numbers = tuple(float(g) for g in match.groups() if g and re.fullmatch(N, g))
    return PlaceMatch(match.start(), match.end(), numbers)


def _uniform(text: str) -> bool:
    """Whether numbers in a bracket are told apart by one sign: `(12,5; 34,2)` is no box."""
    return not ("," in text and ";" in text)


def _comma(number: str) -> float:
    return float(number.replace(",", "."))
