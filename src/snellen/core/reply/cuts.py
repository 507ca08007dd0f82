"""The part of a cut-off reply that counts: an answer at its beginning, or one that it states to the end of the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from snellen.core.reply.corrections import correction_end
from snellen.core.reply.opening import opened
from snellen.core.reply.wrappers import unwrapped

_REASON = r"\s(?=(?:because|since)\b)"
_ANSWER_END = re.compile(rf"\n|{_REASON}", re.IGNORECASE)
_END = re.compile(rf"[.!?](?=\s)|\n|{_REASON}", re.IGNORECASE)
_STATED = re.compile(r"\b(?:answer|verdict)\b[\"'*]{0,2}\s?(?:is\b|:|=)[\s:\"'*]{0,6}[^\s:\"'*]", re.IGNORECASE)
_HELD = re.compile(
    r"</\s?answer>|\\boxed\{[^{}\n]{1,200}\}|\"(?:final_)?answer\"\s?:\s?\"[^\"\n]{1,200}\"\s?,", re.IGNORECASE
)
_BROKEN_OFF = re.compile(r"\d$|\s\w$")
"""The end of a number, or of a word that has one letter so far."""
_SMALL = frozenset({"an", "the", "and"})
_HEAD = re.compile(r"\d+[.)]$|.*[:!?]$", re.DOTALL)


def finished(reply: str, is_bare: Callable[[str], bool], *, closed: bool = False) -> str:
    """Return the reliable part of a cut reply; empty if there is none.

    `is_bare` tells whether a text is an answer and nothing else. A reply that is such an answer as a whole counts only for
    a `closed` list: half of a number or a text is a different one.

    >>> [finished(r, str.isdigit) for r in ("7 because the", "I see 1 dog. Answer: 2. So", "7\\n\\nThe")]
    ['7', 'I see 1 dog. Answer: 2.', '7']
    >>> [finished(r, str.isdigit) for r in ("The total is 1", "1. On the left", "Thus there are 3. In the", "7")]
    ['', '', '', '']
    >>> finished("A", str.isalpha, closed=True), finished("A cat", str.isalpha, closed=True)
    ('A', '')
    """
    said = opened(reply)
    text = said.text + "\n" * reply.endswith("\n")
    if said.value is not None or _HELD.search(text):
        return text
    whole = text[: max((found.end() for found in _END.finditer(text)), default=0)]
    if _STATED.search(whole):
        return "" if correction_end(text[len(whole) :].lstrip()) else whole
    bare = unwrapped(text)
    if closed and "\n" not in bare and is_bare(bare) and not _BROKEN_OFF.search(bare):
        return bare
    bare += "\n" * text.endswith("\n")
    end = _ANSWER_END.search(bare)
    first = bare[: end.start()].strip() if end else ""
    others = bare[len(first) :].splitlines()[1:]
    if _HEAD.match(first) or not is_bare(first) or any(line != first and is_bare(line) for line in others):
        return ""
    return first


def says_only(text: str, answers: Sequence[str]) -> bool:
    """Tell whether a text is one word, or has only letters and articles around the answers that were read in it.

    >>> [says_only(text, ["a dog"]) for text in ("B. a dog", "B", "Option B", "First I consider a dog")]
    [True, True, False, False]
    """
    words, read = _words(text), {word for answer in answers for word in _words(answer)}
    others = [word for word in words if word not in read] if read.issubset(words) else words
    return bool(answers) and (len(words) == 1 or all(len(word) == 1 or word in _SMALL for word in others))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())
