"""From a reply to a number or a short answer: `robust` readers take off what models put around it, `exact` ones take it as it is. Pure."""

from __future__ import annotations

import re

from snellen.choice.reading import CLOSING, MOST_VERDICTS, VERDICT, answer_texts
from snellen.core.reply import minus_signs, numbers_in
from snellen.exams.own.rows import number_of

_DENIAL = re.compile(r"\b(?:not|rather than|instead of)\s$", re.IGNORECASE)
_EQUALS = re.compile(r"=\s*(?=[-+]?\d)")


def read_number(reply: str) -> float | None:
    """Return the one number that a reply gives; None where it gives none, or several and no verdict.

    >>> [read_number(r) for r in ("7", "There are seven.", "1,200 cars", "3 + 4 = 7", "2 or 3", "2 cats and 3 dogs. Answer: 5")]
    [7.0, 7.0, 1200.0, 7.0, None, 5.0]
    >>> [read_number(r) for r in ("-3 \u00b0C", "\u22123", "minus 3", "- 3", "twenty-one", "1.5 million", "twenty-odd")]
    [-3.0, -3.0, -3.0, 3.0, 21.0, 1500000.0, None]
    """
    if (bare := exact_number(reply)) is not None:
        return bare
    said = answer_texts(reply)
    if len(said) != 1:
        return None
    text = said[0]
    ends = [m.end() for m in (*VERDICT.finditer(text), *_EQUALS.finditer(text))]
    numbers = [n for n in numbers_in(text) if not _DENIAL.search(text, max(0, n.start - 14), n.start)]
    for end in (*sorted(ends, reverse=True)[:MOST_VERDICTS], 0):
        found = {n.value for n in numbers if n.start >= end}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def exact_number(reply: str) -> float | None:
    """Return a reply that is a number and nothing else."""
    return number_of(minus_signs(reply.strip().rstrip(".")))


_IS = re.compile(
    r"^(?:the|this|it|that|its|there|he|she|they|what)\b[^.!?\n]{0,80}?(?:\bis|\bare|\bsays|\breads|'s)\b(?:\scalled)?\s(?P<rest>[^.!?\n]{1,80})[.!]?$",
    re.IGNORECASE,
)


def read_text(reply: str) -> str | None:
    """Return the short answer in a reply: after "answer:", or after "it is" where that is all that is said.

    >>> read_text("Final answer: **red**."), read_text("The ball is red."), read_text("red"), read_text("<think>hm")
    ('red', 'red', 'red', None)
    """
    said = answer_texts(reply)
    if len(said) != 1 or not said[0].strip():
        return None
    text = said[0].strip()
    verdicts = list(VERDICT.finditer(text))
    if verdicts and (rest := text[verdicts[-1].end() :].strip(CLOSING)):
        text = rest.splitlines()[0]
    found = _IS.match(text.strip())
    return (found["rest"] if found else text).strip(CLOSING) or None
