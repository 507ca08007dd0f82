"""The strict reader of VCR: which of four choices a reply names, by letter or by text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.exams.vqa_nle.formats.tags import plain
from snellen.exams.vqa_nle.names import LETTERS
from snellen.exams.vqa_nle.reading import Read
from snellen.exams.vqa_nle.reading.strict import LONGEST, clean, explanation_of, from_json, split_because, verdict_cut

SHORTEST_PART = 4  # words of a choice that stand for the whole, where no other choice has them

_LETTER = re.compile(
    r"^\W{0,3}(?:(?:the\s)?(?:(?:correct|best|right|final)\s)?(?:answer|option|choice|letter)\s?(?:(?:is|would be)\b)?\s?:?\s?){0,2}"
    r"\(?\[?\s?(?P<letter>[A-Da-d])\s?"
    r"(?:[).,:;\]\"']+|(?=$)|(?=\s?-\s)|(?=\s?\bbecause\b)|(?=\sis\s(?:the\s)?(?:correct|right|best)\b)|(?=\n))",
    re.IGNORECASE,
)
_MORE_LETTERS = re.compile(r"^\W{0,3}\(?[A-D]\)?\s?(?:,|/|&|or|and)\s?(?:or\s|and\s)?\(?[A-D]\b(?!\w)")
_OR_LETTER = re.compile(r"^\W{0,3}(?:or|and)\s\W?(?:option\s)?[A-D]\b(?!\s\w)")
_LETTER_LATER = re.compile(
    r"\b(?:answer|option|choice|letter)\s?(?:(?:is|would be)\b)?\s?:?\s?\(?(?P<letter>[A-D])\b(?!')"
)
_IS_RIGHT = re.compile(r"^\sis\s(?:the\s)?(?:correct|right|best)\b(?:\s(?:answer|one|option|choice))?", re.IGNORECASE)


def _key(text: str, objects: Sequence[str]) -> str:
    return " ".join(re.findall(r"[^\W_]+", plain(text, objects).lower()))


def read_choice(reply: str, choices: Sequence[str], objects: Sequence[str] = ()) -> Read:
    """A letter, else the text of one choice. The text of a choice is never taken apart, even where it says "because"."""
    given = from_json(reply[:LONGEST].strip())
    text = clean(reply if given is None else f"{given[0]} because {given[1] or ''}")
    chosen, rest = _choose(text, choices, objects)
    before, after = split_because(rest)
    if chosen is not None and after is None:
        after = before
    elif chosen is None and after is not None and not before:
        letter = _last_letter(after)
        if letter is not None:
            chosen, after = letter[0], verdict_cut(after, letter[1])
    if chosen is None or (choices and chosen >= len(choices)):
        return Read(None, explanation_of(after))
    return Read(choices[chosen] if choices else LETTERS[chosen], explanation_of(after), chosen)


def _choose(text: str, choices: Sequence[str], objects: Sequence[str]) -> tuple[int | None, str]:
    """The number of the choice that a reply names, and what is left of the reply after it."""
    if _MORE_LETTERS.match(text):
        return None, text
    keys = [_key(c, objects) for c in choices]
    found = _LETTER.match(text)
    if found:
        at = "abcd".index(found["letter"].lower())
        rest = _IS_RIGHT.sub("", text[found.end() :])
        return at, _after_choice(rest, keys[at]) if at < len(keys) else rest
    whole = _key(text, objects)
    starts = sorted(
        (i for i, k in enumerate(keys) if k and f"{whole} ".startswith(f"{k} ")), key=lambda i: -len(keys[i])
    )
    if starts:
        rest = _after_choice(text, keys[starts[0]])
        return (None, text) if rest != text and _names_another(rest, keys, objects) else (starts[0], rest)
    before, after = split_because(text)
    said = _key(before, objects)
    inside = {k for k in keys if len(k.split()) >= SHORTEST_PART and f" {k} " in f" {said} "}
    parts = {k for k in keys if len(said.split()) >= SHORTEST_PART and f"{k} ".startswith(f"{said} ")}
    named = inside or parts
    if len(named) == 1:
        return keys.index(named.pop()), f"because {after or ''}"
    letter = _last_letter(before)
    return (letter[0], f"because {after or ''}") if letter else (None, text)


def _names_another(rest: str, keys: Sequence[str], objects: Sequence[str]) -> bool:
    """Whether a second choice follows the first, before any reason."""
    before = split_because(rest)[0]
    said = _key(before, objects)
    return bool(_OR_LETTER.match(before)) or any(k and f" {k} " in f" {said} " for k in keys)


def _after_choice(text: str, key: str) -> str:
    """What follows the words of a choice at the head of a text; the text itself where they are not there.

    A number in the key may be said as a tag, in brackets or after a class name.
    """
    between = r"[\W_]+"
    number = r"(?:[^\W\d_]{1,20}[\W_]){0,2}?(?:[^\W\d_]{1,20})?"  # det, a class name, or a class name of several words
    words = (rf"{number}{w}[>\]]?" if w.isdigit() else re.escape(w) for w in key.split())
    found = re.match(rf"[\W_]*{between.join(words)}(?![^\W_])[\s.,;:!?)]*", text, re.IGNORECASE) if key else None
    return text[found.end() :] if found else text


def _last_letter(text: str) -> tuple[int, int] | None:
    """The one letter that "the answer is" or the like names, and where that is said."""
    found = list(_LETTER_LATER.finditer(text))
    if len({m["letter"] for m in found}) != 1:
        return None
    return LETTERS.index(found[-1]["letter"]), found[-1].start()
