"""Read which option a reply names, where options have no letters: they are letters, numbers or words themselves.

Such questions say exactly how to reply, so little has to be understood: thinking, wrappers and a sentence around the answer are taken
off, and what then names one option alone has chosen it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from snellen.core.reply import (
    after_correction,
    field,
    is_part_of_number,
    layout_off,
    marked,
    minus_words,
    numbers_in,
    opened,
    undoubted,
)

_KEYS_TEXT = "final_answer answer letter cell shape choice label result output response"
_KEYS = tuple(_KEYS_TEXT.split())
_VERDICT = re.compile(
    r"\b(?:final answer|correct answer|answer|letter|cell|shape|silhouette|position|coordinates|point)\b[\"'*]{0,2}"
    r"[^\n.:=]{0,30}?(?:\bis\b|:|=|->)[\s:]{0,3}",
    re.IGNORECASE,
)
_ROW_COLUMN = re.compile(
    r"\brow\s{0,2}(?:number\s)?[:=]?\s{0,2}(\d{1,2})\b[^\d\n]{1,20}\bcol(?:umn)?\s{0,2}(?:number\s)?[:=]?\s{0,2}(\d{1,2})\b",
    re.IGNORECASE,
)


def read_named(reply: str, options: Sequence[str]) -> str | None:
    """Return the one option that a reply names; None where it names none, or several.

    >>> letters = ("C", "D", "H", "K", "S")
    >>> [read_named(r, letters) for r in ("K", "k.", "It's the letter **K**.", "C or D", "<think>K?</think>H", '{"answer": "S"}', "")]
    ['K', 'K', 'K', None, 'H', 'S', None]
    >>> [read_named(r, ("1,1", "1,2", "2,1")) for r in ("2,1", "(2, 1)", "Row 1, column 2.", "row 9, column 9")]
    ['2,1', '2,1', '1,2', None]
    """
    known = _known(tuple(options))
    text = answer_text(reply)
    whole = _bare(text)
    if whole in known:
        return known[whole]
    text = _ROW_COLUMN.sub(r"\1,\2", text)
    for part in (*(text[m.end() :] for m in reversed(list(_VERDICT.finditer(text))[-8:])), text):
        sure = undoubted(part)
        numbers = numbers_in(sure)
        found = (m for m in _pattern(tuple(options)).finditer(sure) if not is_part_of_number(numbers, *m.span()))
        named = {known[_bare(m.group())] for m in found}
        if named:
            return named.pop() if len(named) == 1 else None
    return None


@lru_cache(maxsize=64)
def _known(options: tuple[str, ...]) -> dict[str, str]:
    return {_bare(option): option for option in options}


@lru_cache(maxsize=64)
def _pattern(options: tuple[str, ...]) -> re.Pattern[str]:
    """Match any option as a word of its own. A single letter counts as a capital only: there is an s in "it's"."""
    each = []
    for option in sorted(options, key=len, reverse=True):
        one = re.escape(option).replace(",", r"\s{0,2},\s{0,2}").replace(r"\ ", r"[\s_-]")
        each.append(one if len(option) == 1 else f"(?i:{one})")
    return re.compile(rf"(?<![\w.,])(?:{'|'.join(each)})(?![\w']|[.,]\d)")


def _bare(text: str) -> str:
    """Return a text without what does not count: case, spaces after commas, signs around it."""
    plain = re.sub(r"[\s_-]+", " ", text.strip().strip("\"'`*.!()[]{}<> ")).casefold()
    return re.sub(r"\s?,\s?", ",", plain)


def answer_text(reply: str) -> str:
    """Return what a reply says in the end, without what models put around it."""
    whole = opened(reply)
    found = field(whole.value, _KEYS) if whole.value is not None else None
    if isinstance(found, str | int):
        return minus_words(str(found))
    held = marked(whole.text)
    text = held[0] if held is not None and held[0].strip() else whole.text
    return after_correction(layout_off(minus_words(text))).strip()
