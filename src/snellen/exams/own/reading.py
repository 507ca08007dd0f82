"""From a reply to an answer of each kind: `robust` readers take off what models put around it, `exact` ones take it as it is. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from snellen.core.reply import (
    after_correction,
    field,
    layout_off,
    left_open,
    marked,
    minus_signs,
    numbers_in,
    opened,
    taken_back,
    trimmed,
    undoubted,
)
from snellen.exams.own.names import LETTERS
from snellen.exams.own.rows import fold, number_of
from snellen.exams.own.signs import CLOSE, OPEN, places_in, signed

_KEYS = ("final_answer", "answer", "answers", "letter", "letters", "option", "options", "choice", "choices", "label", "labels",
         "number", "count", "value", "result", "prediction", "output", "response")  # fmt: skip
_VERDICT = re.compile(
    r"\b(?:final answer|correct answer|right answer|answer|correct option|verdict|conclusion)\b[\"'*]{0,2}\s?"
    r"(?:is|are|would be|must be|should be|:|=|->){1,2}[\s:]{0,2}|\b(?:therefore|thus|hence|in conclusion)\b,?",
    re.IGNORECASE,
)
_S = f"{OPEN}\\d+{CLOSE}"
_DENIED = re.compile(
    rf"\b(?:not|no|never|neither|nor|without|unlike|rather than|instead of|isn't|aren't|wasn't|doesn't|don't|cannot|can't)\b"
    rf"[^.;,{OPEN}]{{0,40}}{_S}(?:\s?(?:,\s?(?:or|nor|and)|,|or|nor|and)\s(?:an?\s|the\s)?{_S})*"
    rf"|{_S}[\s,]{{0,2}}(?:is|are|was|were|does|do|would be|can be|can)\s?(?:clearly\s|also\s)?"
    rf"(?:not|n't|wrong|incorrect|false|ruled out|excluded)\b"
    rf"|{_S}\s(?:isn't|aren't|wasn't|doesn't|don't|cannot|can't)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
_BARE_LETTERS = re.compile(r"[\s(\[\"'*]*([A-Za-z])(?:[\s,;&/)(\]\"'*.]|and\b)*")
_MAYBE_MINUS = re.compile(r"[^\S\n]*[-\u2212\u2013\u2014] +\.?\d")
_MOST_VERDICTS = 10
_CLOSING = " \t\n.!?,;:\"'`*"


def _said(reply: str) -> str | list[Any]:
    """What a reply says: the answer in its JSON, in its answer tag, or its text after the last correction."""
    whole = opened(reply)
    if isinstance(whole.value, list) and not whole.around.strip():
        return whole.value
    if whole.value is not None:
        found = field(whole.value, _KEYS)
        if isinstance(found, list | str | int | float) and not isinstance(found, bool):
            return found if isinstance(found, list) else str(found)
    held = marked(whole.text)
    text = held[0] if held is not None and held[0].strip() else whole.text
    return after_correction(layout_off(text, numbered=False)).strip()


def _texts(said: str | list[Any]) -> list[str]:
    return [said] if isinstance(said, str) else [str(item) for item in said if isinstance(item, str | int | float)]


# ---------------------------------------------------------------- options


def read_choice(reply: str, options: Sequence[str]) -> str | None:
    """The one option that a reply chooses; None where it chooses none, or several.

    >>> few = ("a cat", "a dog")
    >>> [read_choice(r, few) for r in ("B", "(b)", "B. a dog", "It is a dog.", "Not A. a cat, but B", "A or B", "A man")]
    ['a dog', 'a dog', 'a dog', 'a dog', 'a dog', None, None]
    """
    said = _texts(_said(reply))
    found = _chosen(said[0], options) if len(said) == 1 else []
    return options[found[0]] if len(found) == 1 else None


def read_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """All options that a reply names, in their order; None where it names none.

    >>> three = ("red", "blue", "green")
    >>> read_labels("A, C", three), read_labels('["red"]', three), read_labels("red and green, not blue", three)
    (['red', 'green'], ['red'], ['red', 'green'])
    """
    found = {place for text in _texts(_said(reply)) for place in _chosen(text, options)}
    return [options[i] for i in sorted(found)] or None


def _chosen(text: str, options: Sequence[str]) -> list[int]:
    """The options that a text chooses."""
    if (bare := _bare(text, options)) is not None:
        return bare
    for found in reversed(list(_VERDICT.finditer(text))[-_MOST_VERDICTS:]):
        if _MAYBE_MINUS.match(text, found.end()):
            return []
        if places := _affirmed(signed(text[found.end() :], options)):
            return places
    return _affirmed(signed(text, options))


def _bare(text: str, options: Sequence[str]) -> list[int] | None:
    """Return the options of a reply that is nothing but their texts, or letters."""
    forms = {_form(option): i for i, option in enumerate(options)}
    listed = [forms.get(_form(part)) for part in text.split(",")]
    if len(listed) > 1 and None not in listed:
        return [i for i in listed if i is not None]
    as_text = [i for i, option in enumerate(options) if _form(option) == trimmed(_form(text), _CLOSING)]
    if as_text:
        return as_text
    letters, at = [], 0
    while (found := _BARE_LETTERS.match(text, at)) is not None and found.end() > at:
        letters.append(found[1].upper())
        at = found.end()
    known = LETTERS[: len(options)]
    fine = at == len(text) and letters and all(x in known for x in letters) and len(set(letters)) == len(letters)
    return sorted(known.index(x) for x in letters) if fine else None


def _form(text: str) -> str:
    return fold(minus_signs(text))


def _affirmed(text: str) -> list[int]:
    if taken_back(text):
        return []
    kept = []
    for sentence in _SENTENCE.split(text):
        start, end = left_open(sentence) or (0, 0)
        kept.append(sentence[:start] + sentence[end:])
    return places_in(undoubted(_DENIED.sub(" ", ". ".join(kept))))


def exact_choice(reply: str, options: Sequence[str]) -> str | None:
    """The letter, maybe with a point or brackets, or the option's text; nothing around it."""
    said = reply.strip()
    letter = said.strip("().").upper()
    if letter in LETTERS[: len(options)]:
        return options[LETTERS.index(letter)]
    return next((option for option in options if _form(option) == _form(said).rstrip(".")), None)


def exact_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """Letters or texts with commas between them; one that is none makes the reply unreadable."""
    found = [exact_choice(part, options) for part in reply.split(",")]
    if not found or None in found:
        return None
    return [option for option in options if option in found]


# ---------------------------------------------------------------- numbers and texts

_DENIAL = re.compile(r"\b(?:not|rather than|instead of)\s$", re.IGNORECASE)
_EQUALS = re.compile(r"=\s*(?=[-+]?\d)")


def read_number(reply: str) -> float | None:
    """The one number that a reply gives; None where it gives none, or several and no verdict.

    >>> [read_number(r) for r in ("7", "There are seven.", "1,200 cars", "3 + 4 = 7", "2 or 3", "2 cats and 3 dogs. Answer: 5")]
    [7.0, 7.0, 1200.0, 7.0, None, 5.0]
    >>> [read_number(r) for r in ("-3 \u00b0C", "\u22123", "minus 3", "- 3", "twenty-one", "1.5 million", "twenty-odd")]
    [-3.0, -3.0, -3.0, 3.0, 21.0, 1500000.0, None]
    """
    if (bare := exact_number(reply)) is not None:
        return bare
    said = _texts(_said(reply))
    if len(said) != 1:
        return None
    text = said[0]
    ends = [m.end() for m in (*_VERDICT.finditer(text), *_EQUALS.finditer(text))]
    numbers = [n for n in numbers_in(text) if not _DENIAL.search(text, max(0, n.start - 14), n.start)]
    for end in (*sorted(ends, reverse=True)[:_MOST_VERDICTS], 0):
        found = {n.value for n in numbers if n.start >= end}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


_END = re.compile(r"[.!?](?=\s)|\n|\s(?=(?:because|since)\b)", re.IGNORECASE)


def finished(reply: str) -> str:
    """Return what can be relied on of a reply that was cut: up to its last whole sentence with a verdict, or a bare answer at its start.

    >>> [finished(r) for r in ("7 because the", "The total is 1", "I see 1 dog. Answer: 2. So", "I see 1 dog. In row", "7\\n\\nThe")]
    ['7', '', 'I see 1 dog. Answer: 2.', '', '7']
    """
    ends = [m.end() for m in _END.finditer(reply)]
    if not ends:
        return ""
    if _VERDICT.search(whole := reply[: ends[-1]]):
        return whole
    first = reply[: ends[0]].strip()
    return first if len(first.split()) == 1 else ""


def exact_number(reply: str) -> float | None:
    """A reply that is a number and nothing else."""
    return number_of(minus_signs(reply.strip().rstrip(".")))


_IS = re.compile(
    r"^(?:the|this|it|that|its|there|he|she|they|what)\b[^.!?\n]{0,80}?(?:\bis|\bare|\bsays|\breads|'s)\b(?:\scalled)?\s(?P<rest>[^.!?\n]{1,80})[.!]?$",
    re.IGNORECASE,
)


def read_text(reply: str) -> str | None:
    """The short answer in a reply: after "answer:", or after "it is" where that is all that is said.

    >>> read_text("Final answer: **red**."), read_text("The ball is red."), read_text("red"), read_text("<think>hm")
    ('red', 'red', 'red', None)
    """
    said = _texts(_said(reply))
    if len(said) != 1 or not said[0].strip():
        return None
    text = said[0].strip()
    verdicts = list(_VERDICT.finditer(text))
    if verdicts and (rest := text[verdicts[-1].end() :].strip(_CLOSING)):
        text = rest.splitlines()[0]
    found = _IS.match(text.strip())
    return (found["rest"] if found else text).strip(_CLOSING) or None
