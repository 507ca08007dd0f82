"""The strict reader of VCR: which of four choices a reply names, by letter or by text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from snellen.exams.vqa_nle.formats.tags import plain
from snellen.exams.vqa_nle.names import LETTERS
from snellen.exams.vqa_nle.reading import Read
from snellen.exams.vqa_nle.reading.affirmed import affirmed, decided
from snellen.exams.vqa_nle.reading.leads import NAMED, VERDICT, before_verdict, leads_off
from snellen.exams.vqa_nle.reading.said import (
    ANSWERS,
    REASON,
    corrected,
    explanation_of,
    said_in,
    sentence_ends,
)

SHORTEST_PART = 4
"""Words of a choice that stand for the whole, where no other choice has them."""

_FIELDS = ("letter", "option", "choice", *ANSWERS)
_GOES_ON = r"because|since|as|due|given|considering|is|isn't|was|would|seems|fits|matches|makes|and|or|but|not|no|rather|instead|can|could|best|nor|wait|over|describes|explains"
_OPTION = re.compile(
    r"(?<![\w'<\[.-])(?P<letter>[A-D])(?![\w'>-])(?!\.\w)|\bthe\s(?P<place>first|second|third|fourth|last)\s(?:option|choice|answer|one)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(rf"\s(?!(?:{_GOES_ON})\b)[^\W\d_]", re.IGNORECASE)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": 3}
_IS_RIGHT = re.compile(
    r"^[)\]\"'.:,*]{0,3}\s(?:is|would be|seems|must be)\s(?:the\s)?(?:correct|right|best|most (?:likely|plausible|appropriate))\b(?:\s(?:answer|one|option|choice))?",
    re.IGNORECASE,
)
_MARKS = " \t\n.,:;)]\"'-"


def _key(text: str, objects: Sequence[str]) -> str:
    return " ".join(re.findall(r"[^\W_]+", plain(text, objects).lower()))


def read_choice(reply: str, choices: Sequence[str], objects: Sequence[str] = ()) -> Read:
    """A letter, else the text of one choice. The text of a choice is never taken apart, even where it says "because"."""
    said = said_in(reply, _FIELDS)
    text = corrected(said.text)
    chosen, after = _choose(text, choices, objects) if text else (None, None)
    told = explanation_of(after) or explanation_of(said.reason)
    if chosen is None or (choices and chosen >= len(choices)):
        return Read(None, told)
    return Read(choices[chosen] if choices else LETTERS[chosen], told, chosen)


def _choose(text: str, choices: Sequence[str], objects: Sequence[str]) -> tuple[int | None, str | None]:
    """The number of the choice that a reply names, and the reason that is left of the reply."""
    keys = [_key(c, objects) for c in choices]
    bare = leads_off(text)
    for said in (text, bare) if bare != text else (text,):
        at = _starts(_key(said, objects), keys)
        if at is not None:
            rest = _after_choice(said, keys[at])
            another = rest != said and _names_another(rest, keys, objects)
            return (None, _told(rest)) if another else (at, _told(rest, whole=True))
    reason = REASON.search(bare)
    zone = bare[: reason.start()] if reason else bare
    after = bare[reason.end() :] if reason else None
    named = list(NAMED.finditer(bare, 0, len(zone))) if zone.strip() else []
    if named:
        bare, zone = bare[named[-1].end() :], zone[named[-1].end() :]
    found = decided(affirmed(zone, _options(zone), _name, len(LETTERS)))
    if found is not None:
        return _with_its_text(int(found.name), bare, found.end, after, keys, objects)
    if any(_options(zone)):
        return _later(bare, after)
    at = _inside(_key(zone, objects), keys)
    return (at, after) if at is not None else _later(bare, after)


def _options(text: str) -> Iterator[re.Match[str]]:
    """Letters and places among the options; not the article of "A man"."""
    for found in _OPTION.finditer(text):
        if found["letter"] not in ("A", "a") or not _ARTICLE.match(text, found.end()):
            yield found


def _name(found: re.Match[str]) -> str:
    return str("ABCD".index(found["letter"].upper()) if found["letter"] else _PLACES[found["place"].lower()])


def _with_its_text(
    at: int, text: str, end: int, after: str | None, keys: Sequence[str], objects: Sequence[str]
) -> tuple[int | None, str | None]:
    """A letter and what follows it: its own text, which is passed over, or another choice's, which makes it none."""
    rest = _IS_RIGHT.sub("", text[end:]).lstrip(_MARKS)
    if at < len(keys):
        behind = _after_choice(rest, keys[at])
        if behind != rest:
            return at, _told(behind, whole=True)
        other = _starts(_key(rest, objects), keys)
        if other is not None and len(keys[other].split()) > 1:
            return None, after
    return at, _told(rest, whole=True)


def _told(rest: str, whole: bool = False) -> str | None:
    """The reason in what follows a choice: from "because" on if that comes at once, else all of it."""
    found = REASON.search(rest)
    if found is not None and (not whole or not re.search(r"\w", rest[: found.start()])):
        return rest[found.end() :]
    return rest if whole else None


def _later(text: str, after: str | None) -> tuple[int | None, str | None]:
    """A letter that is named after a reason, and that reason."""
    for pattern in (VERDICT, NAMED):
        found = list(pattern.finditer(text))
        if found:
            rest = text[found[-1].end() :]
            end = next((at for at, _behind in sentence_ends(rest)), len(rest))
            option = decided(affirmed(rest[:end], _options(rest[:end]), _name, len(LETTERS)))
            if option is not None:
                return int(option.name), before_verdict(text, found[-1].start())
    return None, after


# ---------------------------------------------------------------- choices by their text


def _starts(whole: str, keys: Sequence[str]) -> int | None:
    """The longest choice that a text begins with."""
    starts = [i for i, k in enumerate(keys) if k and f"{whole} ".startswith(f"{k} ")]
    return max(starts, key=lambda i: len(keys[i])) if starts else None


def _inside(said: str, keys: Sequence[str]) -> int | None:
    """The one choice that stands in a text undenied, or that a text begins."""
    inside = {k for k in keys if len(k.split()) >= SHORTEST_PART and f" {k} " in f" {said} "}
    parts = {k for k in keys if len(said.split()) >= SHORTEST_PART and f"{k} ".startswith(f"{said} ")}
    named = inside or parts
    if len(named) != 1:
        return None
    key = named.pop()
    before = f" {said} ".partition(f" {key} ")[0].split()[-6:] if key in inside else []
    return None if {"not", "never", "isn", "doesn", "neither", "wrong"} & set(before) else list(keys).index(key)


def _names_another(rest: str, keys: Sequence[str], objects: Sequence[str]) -> bool:
    """Whether a second choice follows the first, before any reason."""
    found = REASON.search(rest)
    before = rest[: found.start()] if found else rest
    said = _key(before, objects)
    joined = re.match(r"\W{0,3}(?:or|and)\s", before, re.IGNORECASE) is not None and any(_options(before))
    return joined or any(k and f" {k} " in f" {said} " for k in keys)


def _after_choice(text: str, key: str) -> str:
    """What follows the words of a choice at the head of a text; the text itself where they are not there.

    A number in the key may be said as a tag, in brackets or after a class name.
    """
    between = r"[\W_]+"
    number = r"(?:[^\W\d_]{1,20}[\W_]){0,2}?(?:[^\W\d_]{1,20})?"  # det, a class name, or a class name of several words
    words = (rf"{number}{w}[>\]]?" if w.isdigit() else re.escape(w) for w in key.split())
    found = re.match(rf"[\W_]*{between.join(words)}(?![^\W_])[\s.,;:!?)\"']*", text, re.IGNORECASE) if key else None
    return text[found.end() :] if found else text
