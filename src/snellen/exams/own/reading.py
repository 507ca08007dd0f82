"""From a reply to a number or a short answer. `robust` readers remove the text that models put around it, `exact` readers do not. Pure."""

from __future__ import annotations

import re

from snellen.choice.reading import CLOSING, claimed, said
from snellen.choice.signs import REFERENCE, sign
from snellen.core.reply import Number, minus_signs, numbers_in
from snellen.exams.own.rows import number_of

_SUM = re.compile(r"(?<![\d.,])[\d.,]{1,15}(?:\s?[-+*/\u00d7]\s?[\d.,]{1,15}){1,20}\s?=\s?(?=[-+]?\d)")
_COUNTS_ONE = re.compile(r"(?:^|[:=]|\b(?:is|are|'s|only|exactly|just|say))\W*$", re.IGNORECASE | re.MULTILINE)
_ANSWER = re.compile(r"\b(?:answer|verdict|conclusion)\b[\"'*]{0,2}\s?(?:is|:|=|->)+\s*(?=\S)", re.IGNORECASE)
_IS = re.compile(
    r"^(?:the|this|it|that|its|there|he|she|they|what)\b[^.!?\n]{0,80}?(?:\bis|\bare|\bsays|\breads|'s)\b(?:\scalled)?\s(?P<rest>[^.!?\n]{1,80})[.!]?$",
    re.IGNORECASE,
)


def read_number(reply: str) -> float | None:
    """Return the one number in a reply; None if it has none or several, or is in doubt.

    >>> [read_number(r) for r in ("7", "There are seven.", "1,200 cars", "3 + 4 = 7", "2 or 3", "2 cats and 3 dogs. Answer: 5")]
    [7.0, 7.0, 1200.0, 7.0, None, 5.0]
    >>> [read_number(r) for r in ("-3 \u00b0C", "\u22123", "minus 3", "- 3", "twenty-one", "1.5 million", "twenty-odd", "image 3")]
    [-3.0, -3.0, -3.0, 3.0, 21.0, 1500000.0, None, None]
    """
    if (bare := exact_number(reply)) is not None:
        return bare
    text = re.sub(REFERENCE, " ", _SUM.sub("", said(reply)), flags=re.IGNORECASE)
    numbers = [number for number in numbers_in(text) if not _is_pronoun(text, number)]
    values = list(dict.fromkeys(number.value for number in numbers))
    signs = {value: sign(place) for place, value in enumerate(values)}
    for number in reversed(numbers):
        text = text[: number.start] + signs[number.value] + text[number.end :]
    found = claimed(text.casefold())
    return values[min(found)] if len(found) == 1 else None


def _is_pronoun(text: str, number: Number) -> bool:
    """Return whether a number is a pronoun, as in "a clearer one" or "one of them"."""
    if text[number.start : number.end].casefold() != "one":
        return False
    return not _COUNTS_ONE.search(text, max(0, number.start - 12), number.start) or text.startswith(" of", number.end)


def exact_number(reply: str) -> float | None:
    """Return the number if a reply is only a number."""
    return number_of(minus_signs(reply.strip().rstrip(".")))


def read_text(reply: str) -> str | None:
    """Return the short answer in a reply: after "answer:", or after "it is" if nothing follows.

    >>> read_text("Final answer: **red**."), read_text("The ball is red."), read_text("red"), read_text("<think>hm")
    ('red', 'red', 'red', None)
    """
    text = said(reply)
    answers = list(_ANSWER.finditer(text))
    if answers:
        text = text[answers[-1].end() :].splitlines()[0]
    found = _IS.match(text.strip())
    return (found["rest"] if found else text).strip(CLOSING) or None
