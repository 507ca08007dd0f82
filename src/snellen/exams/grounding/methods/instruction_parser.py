"""What an instruction asks for: the words on the element or its name, its kind, its place, and what it stands beside.

Read with patterns, not with a model: `Click on the second 'Save' button from the top` names a text, a kind and an ordinal.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

KINDS: tuple[tuple[str, str], ...] = (
    (
        "text_field",
        r"text[ _-]?(?:field|box|area|input)|input(?: (?:field|box))?|search (?:box|field|bar)|entry(?: field)?|field",
    ),
    ("checkbox", r"check[ _-]?box|tick[ _-]?box"),
    ("dropdown", r"drop[ _-]?down(?: (?:menu|list|box))?|combo[ _-]?box|select box|list[ _-]?box|picker"),
    ("radio", r"radio(?: button)?"),
    ("switch", r"toggle(?: switch)?|switch"),
    ("slider", r"slider"),
    ("icon", r"icon|symbol|glyph"),
    ("tab", r"tab"),
    ("menu", r"menu(?: (?:item|entry|bar item))?"),
    ("link", r"(?:hyper)?link"),
    ("button", r"button"),
    ("cell", r"(?:list )?item|cell|row|column|entry"),
    ("text", r"text|label|heading|header|caption|title"),
)
_KINDS = tuple((kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in KINDS)
_QUOTED = re.compile(r"(?<!\w)'(.{1,200}?)'(?!\w)|\"(.{1,200}?)\"|“(.{1,200}?)”|‘(.{1,200}?)’|`(.{1,200}?)`")
_LEAD = re.compile(
    r"^\W*(?:please\s+)?(?:(?:left|right|double)[ -]?)?(?:click|press|tap|hit|push|select|choose|open|find|locate|"
    r"go to|pick|focus|activate|toggle|check|tick|use)\b"
    r"\s*(?:on|in|into|at|the|a|an|\s)*",
    re.IGNORECASE,
)
_SWITCHING = re.compile(r"^\W*switch (?:to|over|back)\b", re.IGNORECASE)  # to switch to a thing does not name a switch
_CLICK = re.compile(r"^\W*(?:please\s+)?(?:(?:left|right|double)[ -]?)?(?:click|press|tap|hit|push)\b", re.IGNORECASE)
ORDINALS = (
    {f"{n}th": n for n in range(4, 31)}
    | {"first": 1, "1st": 1, "topmost": 1, "uppermost": 1, "leftmost": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
    | {"fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
    | {"last": -1, "rightmost": -1, "lowest": -1}
)
_ORDINAL = re.compile(rf"\b({'|'.join(sorted(ORDINALS, key=len, reverse=True))})\b", re.IGNORECASE)
_FROM = re.compile(r"\bfrom (?:the )?(top|bottom|left|right)\b", re.IGNORECASE)
_SIDES = {"leftmost": "left", "rightmost": "left", "topmost": "top", "uppermost": "top", "lowest": "top"}
_PLACE = re.compile(
    r"\b(top|upper|bottom|lower|left|right|cent(?:er|re)|middle)(?:[ -](?:hand|most))?\b", re.IGNORECASE
)
_REGIONS: tuple[tuple[re.Pattern[str], float | None, float | None], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), x, y)
    for words, x, y in (
        (r"menu bar|title bar|tool ?bar|header|address bar|ribbon", None, 0.05),
        (r"status bar|task ?bar|footer|dock", None, 0.97),
        (r"(?:left )?side ?bar|left (?:panel|pane)|navigation(?: panel)?", 0.07, None),
        (r"right (?:panel|pane|side ?bar)", 0.93, None),
        (r"dialog(?:ue)?(?: box)?|pop-?up", 0.5, 0.5),
    )
)
_AREAS = tuple(
    re.compile(rf"\b(?:in|on|at|of) (?:the )?{pattern.pattern}", re.IGNORECASE) for pattern, _x, _y in _REGIONS
)
_CORNER = re.compile(
    r"\b(?:in|at|on|to|near) the (?:\w{1,20}[ -]?){0,2}(?:top|bottom|left|right|cent(?:er|re)|middle|corner|side)\b.*$",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(to the left of|left of|to the right of|right of|below|under(?:neath)?|beneath|above|over|next to|beside|near|labell?ed|"
    r"in the (?:row|line|group|section|panel|dialog|card|column|tab|window|form|toolbar|list)"
    r"(?: (?:of|for|labell?ed|called|named|titled))?|"
    r"(?:of|for|in|inside|within|under))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_ON = re.compile(r"\b(on)\s+(?:the\s+)?$", re.IGNORECASE)  # "on the 'Desk lamp' card", but not "click on 'Save'"
_RELATIONS = (
    ("left", {"left"}),
    ("right", {"right"}),
    ("below", {"below", "under", "beneath"}),
    ("above", {"above", "over"}),
    ("row", {"row", "line"}),
)
_STOP = frozenset({"the", "a", "an", "any", "on", "of", "in", "at", "to", "for", "with"}) | {
    *("this", "that", "which", "says", "and", "or", "is", "click")
}
_SPACES = re.compile(r"[^\w]+", re.UNICODE)


class ParsedInstruction(NamedTuple):
    """What is wanted. `x` and `y` are where on the screen (0 to 1), `nth` which of several (-1 the last), counted along `along`."""

    phrase: str = ""
    quoted: bool = False
    kind: str = ""
    x: float | None = None
    y: float | None = None
    nth: int | None = None
    along: str = ""
    anchor: str = ""
    relation: str = ""


def plain(text: str) -> str:
    """Lower case words without punctuation, for comparing.

    >>> plain("Forgot  password?")
    'forgot password'
    """
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def says_click(instruction: str) -> bool:
    """Whether an instruction says what to do with the mouse, and so names what is there."""
    return _CLICK.search(instruction) is not None


def read_wish(instruction: str) -> ParsedInstruction:
    """The wish in an instruction.

    >>> read_wish("Click on the second 'Save' button from the top")[:3]
    ('Save', True, 'button')
    >>> read_wish("Click on the settings icon").phrase
    'settings'
    """
    text = " ".join(instruction[:2000].split())
    quotes = list(_QUOTED.finditer(text))
    said = [next(g for g in m.groups() if g is not None).strip() for m in quotes]
    rest = _QUOTED.sub(" ’ ", text)
    target = _target_quote(text, quotes)
    anchor, relation = _anchor(text, quotes, said, target)
    kind = _kind(text, quotes, target, rest)
    x, y = _where(rest)
    nth, along = _which(rest)
    phrase = said[target] if target is not None else _words(rest, relation, kind)
    return ParsedInstruction(phrase, target is not None, kind, x, y, nth, along, anchor, relation)


def _target_quote(text: str, quotes: list[re.Match[str]]) -> int | None:
    """Which quote names the target: the first that does not follow a word of place; none where all do."""
    return next((i for i, match in enumerate(quotes) if not _RELATION.search(text[: match.start()])), None)


def _anchor(text: str, quotes: list[re.Match[str]], said: list[str], target: int | None) -> tuple[str, str]:
    for i, match in enumerate(quotes):
        if i == target:
            continue
        lead = text[: match.start()]
        before = _RELATION.search(lead) or (_ON.search(lead) if target is not None else None)
        if before:
            words = set(before.group(1).lower().split())
            return said[i], next((relation for relation, named in _RELATIONS if words & named), "near")
    return "", ""


def _kind(text: str, quotes: list[re.Match[str]], target: int | None, rest: str) -> str:
    """The kind word nearest after the target's name, else before it, else anywhere outside quotes."""
    if target is not None:
        after = text[quotes[target].end() :]
        end = quotes[target + 1].start() - quotes[target].end() if target + 1 < len(quotes) else len(after)
        # the kind stands right behind the name: 'Save' button
        near = " ".join(after[:end].split()[:3])
        before = " ".join(text[: quotes[target].start()].split()[-3:])
        return _first_kind(near) or _first_kind(before) or _first_kind(rest)
    return _first_kind(_SWITCHING.sub("", rest))


def _first_kind(text: str) -> str:
    """The most specific kind that is named: a "text field" is no text, a "menu icon" is an icon."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "")


def _where(rest: str) -> tuple[float | None, float | None]:
    x: float | None = None
    y: float | None = None
    for pattern, to_x, to_y in _REGIONS:
        if pattern.search(rest):
            x, y = (x if to_x is None else to_x), (y if to_y is None else to_y)
    free = _FROM.sub(" ", rest)
    free = re.sub(r"\b(?:to the )?(?:left|right) of\b", " ", free, flags=re.IGNORECASE)
    for match in _PLACE.finditer(free):
        word = match.group(1).lower()
        if word in ("top", "upper", "bottom", "lower"):
            y = 0.1 if word in ("top", "upper") else 0.9
        elif word in ("left", "right"):
            x = 0.1 if word == "left" else 0.9
        else:
            x, y = (0.5 if x is None else x), (0.5 if y is None else y)
    return x, y


def _which(rest: str) -> tuple[int | None, str]:
    match = _ORDINAL.search(rest)
    if not match:
        return None, ""
    word = match.group(1).lower()
    side = _FROM.search(rest)
    return ORDINALS[word], side.group(1).lower() if side else _SIDES.get(word, "")


def _words(rest: str, relation: str, kind: str) -> str:
    """The name of something that is not quoted: what is left without verb, kind, place and small words."""
    text = _LEAD.sub("", rest)
    if relation:
        text = text.split("’")[0]
    text = _FROM.sub(" ", text)
    for pattern in _AREAS:
        text = pattern.sub(" ", text)
    text = _ORDINAL.sub(" ", _CORNER.sub(" ", text))
    for name, pattern in _KINDS:
        matches = list(pattern.finditer(text)) if name == kind else []
        if matches:  # the name stands before the kind: the title field in the form
            before, after = text[: matches[-1].start()], text[matches[-1].end() :]
            text = before if any(w.lower() not in _STOP for w in re.findall(r"\w+", before)) else after
    return " ".join(w for w in re.findall(r"[\w&+/.#-]+", text) if w.lower() not in _STOP)
