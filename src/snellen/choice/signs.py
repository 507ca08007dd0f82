"""Replace what names an option, its letter or its text, by a sign, so that both are affirmed, denied and corrected alike.

A letter alone is a label only where it cannot be a word: "A man" and "I see" name no option, "(A)", "A.", "option A" and a reply that is
nothing else do. The text of an option counts as whole words, the longest that fits, and never as a part of a number: "twenty-one"
names no "one", and "-3" no "3".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.choice.letters import LETTERS, fold
from snellen.core.reply import Number, is_part_of_number, minus_signs, numbers_in
from snellen.core.reply.vocabulary import one_of

OPEN, CLOSE = "\ue010", "\ue011"
SIGN = re.compile(f"{OPEN}(\\d+){CLOSE}")
_SMALL_WORDS_TEXT = """
yes no none not a an the is it in on of to or and all both neither true false other one two
"""
_SMALL_WORDS = frozenset(_SMALL_WORDS_TEXT.split())
_SPACE = re.compile(r"\s+")


class _Patterns(NamedTuple):
    """How the options of a question are found: their texts, those that are small words, and their labels."""

    texts: re.Pattern[str] | None
    small: re.Pattern[str] | None
    labels: re.Pattern[str]
    listed: re.Pattern[str]
    places: dict[str, int]
    numbers: bool


@lru_cache(maxsize=4096)
def _patterns(options: tuple[str, ...]) -> _Patterns:
    places = {fold(minus_signs(option)).strip(" .!?,;:\"'"): i for i, option in enumerate(options)}
    places.pop("", None)
    long = [text for text in places if text not in _SMALL_WORDS and not (len(text) == 1 and text.isalpha())]
    short = [text for text in places if text in _SMALL_WORDS]
    last = LETTERS[len(options) - 1]
    # a label in brackets; before a closing sign; after "option"; alone at the start, before its text, a comma or a reason;
    # after a word such as "or"
    labels = re.compile(
        rf"[(\[]([A-{last}])[)\]][.:]?(?=\W|$)|(?<![\w'.&-])([A-{last}])[).:](?=\s|$|{OPEN}|,)"
        rf"|\b(?i:options?|choices?|answers?|letters?)(?:\sis|\sare|:)?\s?[\"'*]?([A-{last}])(?![\w'])"
        rf"|^\W{{0,3}}([A-{last}])(?=\s?{OPEN}|\s?[,;(/&|-]|\s(?:because|since|is|as|and|or)\b|\W{{0,3}}$)"
        rf"|\b(?i:both|either|but|is|be|choose|pick|select|say|or|and|nor|not|than|with|maybe|perhaps|possibly|probably|actually)\s[\"'*]?([A-{last}])"
        rf"(?=[\"'*.,;!)]|\s?$|\s\(|\s(?:or|and|but|because|since|as|is)\b)"
    )
    one = rf"(?![AI]\s(?!(?:is|are|do|does|because|since|and|or)\b)[a-z])[A-{last}](?![\w'])"  # "A man" and "I see" are no labels
    return _Patterns(
        re.compile(rf"(?<!\w){one_of(long)}(?!\w)", re.IGNORECASE) if long else None,
        re.compile(rf"^\W*({one_of(short)})(?!\w)", re.IGNORECASE) if short else None,
        labels,
        re.compile(rf"(?<![\w'.&-]){one}(?:(?:\s?[,;/&|]\s?(?:(?:and|or)\s)?|\s(?:and|or)\s){one})+"),
        places,
        any(numbers_in(text) for text in places),
    )


def signed(text: str, options: Sequence[str]) -> str:
    """A text with a sign for each place that names an option."""
    found = _patterns(tuple(options))
    text = _SPACE.sub(" ", text.replace(OPEN, " ").replace(CLOSE, " ")).strip()
    for pattern in (found.texts, found.small):
        if pattern is not None:
            inside = numbers_in(text) if found.numbers else []
            text = pattern.sub(lambda m: _text_signed(m, found.places, inside), text)  # noqa: B023  (used at once)
    text = found.listed.sub(_list_signed, text)
    text = found.labels.sub(_label_signed, text)
    return re.sub(rf"({OPEN}\d+{CLOSE})(?:[\s.:)(,-]{{0,3}}\1)+", r"\1", text)  # a label and its own text are one


def _text_signed(found: re.Match[str], places: dict[str, int], numbers: list[Number]) -> str:
    """The text of an option as a sign; what is but a part of a number stays."""
    group = found.lastindex or 0
    return found[0] if is_part_of_number(numbers, *found.span(group)) else _sign(places[fold(found[group])])


def _label_signed(found: re.Match[str]) -> str:
    """A label as a sign, with what stands around it."""
    group = found.lastindex or 0
    whole, start = found.group(), found.start()
    return whole[: found.start(group) - start] + _sign(LETTERS.index(found[group])) + whole[found.end(group) - start :]


def _list_signed(found: re.Match[str]) -> str:
    """A list of labels as a list of signs."""
    return re.sub(r"\b[A-Z]\b", lambda label: _sign(LETTERS.index(label[0])), found[0])


def _sign(place: int) -> str:
    return f"{OPEN}{place}{CLOSE}"


def places_in(text: str) -> list[int]:
    """The options that a signed text names, each once."""
    return list(dict.fromkeys(int(n) for n in SIGN.findall(text)))
