"""Read which option a reply chooses, by letter or by text: robustly, whatever stands around it, or exactly. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from snellen.choice.letters import LETTERS, fold
from snellen.choice.signs import CLOSE, OPEN, places_in, signed
from snellen.core.reply import (
    after_correction,
    field,
    layout_off,
    left_open,
    marked,
    minus_signs,
    opened,
    taken_back,
    trimmed,
    undoubted,
)

_KEYS_TEXT = """
final_answer answer answers letter letters option options choice choices label labels number count value result prediction
output response
"""
_KEYS = tuple(_KEYS_TEXT.split())
VERDICT = re.compile(
    r"\b(?:final answer|correct answer|right answer|answer|correct option|verdict|conclusion)\b[\"'*]{0,2}\s?"
    r"(?:is|are|would be|must be|should be|:|=|->){1,2}[\s:]{0,2}|\b(?:therefore|thus|hence|in conclusion)\b,?",
    re.IGNORECASE,
)
_S = f"{OPEN}\\d+{CLOSE}"
_DENIED = re.compile(
    rf"\b(?:not|no|never|neither|nor|none of|without|unlike|rather than|instead of|isn't|aren't|wasn't|doesn't|don't|cannot|can't)\b"
    rf"[^.;,{OPEN}]{{0,40}}{_S}(?:\s?(?:,\s?(?:or|nor|and)|,|or|nor|and)\s(?:an?\s|the\s)?{_S})*"
    rf"|{_S}(?:\s?(?:,\s?(?:and|or)?|and|or|&)\s?{_S})*[\s,)]{{0,3}}(?:is|are|was|were|does|do|would be|can be|can)\s?(?:clearly\s|also\s)?"
    rf"(?:not|n't|wrong|incorrect|false|ruled out|excluded)\b"
    rf"|{_S}\s(?:isn't|aren't|wasn't|doesn't|don't|cannot|can't)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\n|\b(?:because|since)\b", re.IGNORECASE)
_ALONE = re.compile(rf"\W*(?:{_S}(?:\W|and\b)*)+")
_SECOND_THOUGHT = re.compile(
    r"\b(?:however|actually|wait|mistake|mistaken|instead|correction|sorry|or|either|also|could|may|might|maybe|perhaps|possibly)\b|\?"
    rf"|^\W*(?:(?:and|so|then|it is|it's|answer|the answer is)\b)?\W*(?:{_S}\W*)+$",
    re.IGNORECASE,
)
_NO_CHOICE = re.compile(
    r"\b(?:impossible to|don't know|do not know|can(?:no|')t (?:tell|say|determine)|not (?:sure|certain)|unsure|unclear"
    r"|(?:all|none) of (?:the|these) |all options)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n")
_BARE_LETTERS = re.compile(r"[\s(\[\"'*]*([A-Za-z])(?:[\s,;&/)(\]\"'*.]|and\b)*")
_MAYBE_MINUS = re.compile(r"[^\S\n]*[-\u2212\u2013\u2014] +\.?\d")
MOST_VERDICTS = 10
CLOSING = " \t\n.!?,;:\"'`*"


def _said(reply: str) -> str | list[Any]:
    """Return what a reply says: the answer in its JSON, in its answer tag, or its text after the last correction."""
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


def answer_texts(reply: str) -> list[str]:
    """Return the answer of a reply without what models put around it; several texts where it is a JSON list."""
    said = _said(reply)
    return [said] if isinstance(said, str) else [str(item) for item in said if isinstance(item, str | int | float)]


def read_choice(reply: str, options: Sequence[str]) -> str | None:
    """Return the one option that a reply chooses; None where it chooses none, or several.

    >>> few = ("a cat", "a dog")
    >>> [read_choice(r, few) for r in ("B", "(b)", "B. a dog", "It is a dog.", "Not A. a cat, but B", "A or B", "A man")]
    ['a dog', 'a dog', 'a dog', 'a dog', 'a dog', None, None]
    """
    said = answer_texts(reply)
    found = _chosen(said[0], options) if len(said) == 1 else []
    return options[found[0]] if len(found) == 1 else None


def read_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """Return all options that a reply names, in their order; None where it names none.

    >>> three = ("red", "blue", "green")
    >>> read_labels("A, C", three), read_labels('["red"]', three), read_labels("red and green, not blue", three)
    (['red', 'green'], ['red'], ['red', 'green'])
    """
    found = {place for text in answer_texts(reply) for place in _chosen(text, options)}
    return [options[i] for i in sorted(found)] or None


def _chosen(text: str, options: Sequence[str]) -> list[int]:
    """Return the places of the options that a text chooses: by its last verdict, else by all of it."""
    if (bare := _bare(text, options)) is not None:
        return bare
    for found in reversed(list(VERDICT.finditer(text))[-MOST_VERDICTS:]):
        if _MAYBE_MINUS.match(text, found.end()):
            return []
        if places := _claimed(text[found.end() :].strip(), options, verdict=True):
            return places
    return _claimed(text, options, verdict=False)


def _claimed(text: str, options: Sequence[str], *, verdict: bool) -> list[int]:
    """Return the places of the options in the first line, or before "because", where what follows takes nothing back; else in all of it.

    What follows a line that has nothing but options may mention others; what follows a sentence may only deny them.
    """
    if (bare := _bare(text, options)) is not None:
        return bare
    claim, *reason = _REASON.split(text, maxsplit=1)
    alone = _ALONE.fullmatch(signed(claim, options)) is not None
    first = _affirmed(signed(claim, options)) if reason and (verdict or alone) else []
    lines = [signed(line, options) for part in reason for line in part.splitlines()]
    denied = places_in(" ".join(found[0] for line in lines for found in _DENIED.finditer(line)))
    sentences = [sentence for line in lines for sentence in _SENTENCE.split(_DENIED.sub(" ", line))]
    others = [sentence for sentence in sentences if not set(places_in(sentence)) <= set(first)]
    doubted = any(map(_SECOND_THOUGHT.search, others)) or any(map(_NO_CHOICE.search, lines)) or set(denied) & set(first)
    if first and not doubted and (alone or not others):
        return first
    return _affirmed(signed(text, options))


def _bare(text: str, options: Sequence[str]) -> list[int] | None:
    """Return the places of the options in a reply that is nothing but their texts, or letters."""
    forms = {_form(option): i for i, option in enumerate(options)}
    listed = [forms.get(_form(part)) for part in re.split(r"[,\n]", text)]
    if len(listed) > 1 and None not in listed:
        return [i for i in listed if i is not None]
    as_text = [i for i, option in enumerate(options) if _form(option) == trimmed(_form(text), CLOSING)]
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
    """Read the letter, maybe with a point or brackets, or the option's text; nothing around it."""
    said = reply.strip()
    letter = said.strip("().").upper()
    if letter in LETTERS[: len(options)]:
        return options[LETTERS.index(letter)]
    return next((option for option in options if _form(option) == _form(said).rstrip(".")), None)


def exact_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """Read letters or texts with commas between them; one that is none makes the reply unreadable."""
    found = [exact_choice(part, options) for part in reply.split(",")]
    if not found or None in found:
        return None
    return [option for option in options if option in found]
