"""From a reply to the one option, or the one point, that it chooses; None where it chooses none or several. Pure.

Questions say exactly how to reply, so little has to be understood: thinking, wrappers and a sentence around the answer are taken off,
and what then names one option alone has chosen it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

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

_KEYS = ("final_answer", "answer", "letter", "cell", "shape", "choice", "label", "result", "output", "response")
_VERDICT = re.compile(
    r"\b(?:final answer|correct answer|answer|letter|cell|shape|silhouette|position|coordinates|point)\b[\"'*]{0,2}"
    r"[^\n.:=]{0,30}?(?:\bis\b|:|=|->)[\s:]{0,3}",
    re.IGNORECASE,
)
_ROW_COLUMN = re.compile(
    r"\brow\s{0,2}(?:number\s)?[:=]?\s{0,2}(\d{1,2})\b[^\d\n]{1,20}\bcol(?:umn)?\s{0,2}(?:number\s)?[:=]?\s{0,2}(\d{1,2})\b",
    re.IGNORECASE,
)
_NUMBER = r"-?\d{1,5}(?:\.\d{1,8})?"
_POINT = re.compile(
    rf"(?<![\d.])(?:x\s{{0,2}}[:=]\s{{0,2}})?({_NUMBER})\s{{0,3}}(?:px)?\s{{0,3}}[,;\s]\s{{0,3}}(?:y\s{{0,2}}[:=]\s{{0,2}})?({_NUMBER})(?![\d.]*\d)",
    re.IGNORECASE,
)
_BOX = re.compile(rf"[\[(<]\s{{0,3}}({_NUMBER})(?:\s{{0,3}},\s{{0,3}}({_NUMBER})){{3}}\s{{0,3}}[\])>]")
SIDE = 1000.0
"""The side of a picture that is pointed at: pixels and thousandths are the same numbers there."""


def read_choice(reply: str, options: Sequence[str]) -> str | None:
    """The option that a reply chooses.

    >>> letters = ("C", "D", "H", "K", "S")
    >>> [read_choice(r, letters) for r in ("K", "k.", "It's the letter **K**.", "C or D", "<think>K?</think>H", '{"answer": "S"}', "")]
    ['K', 'K', 'K', None, 'H', 'S', None]
    >>> [read_choice(r, ("1,1", "1,2", "2,1")) for r in ("2,1", "(2, 1)", "Row 1, column 2.", "row 9, column 9")]
    ['2,1', '2,1', '1,2', None]
    """
    known = _known(tuple(options))
    text = _said(reply)
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
    """Any option as a word of its own. A single letter counts as a capital only: there is an s in "it's"."""
    each = []
    for option in sorted(options, key=len, reverse=True):
        one = re.escape(option).replace(",", r"\s{0,2},\s{0,2}").replace(r"\ ", r"[\s_-]")
        each.append(one if len(option) == 1 else f"(?i:{one})")
    return re.compile(rf"(?<![\w.,])(?:{'|'.join(each)})(?![\w']|[.,]\d)")


def _bare(text: str) -> str:
    """A text without what does not count: case, spaces after commas, signs around it."""
    plain = re.sub(r"[\s_-]+", " ", text.strip().strip("\"'`*.!()[]{}<> ")).casefold()
    return re.sub(r"\s?,\s?", ",", plain)


def _said(reply: str) -> str:
    """What a reply says in the end."""
    whole = opened(reply)
    found = field(whole.value, _KEYS) if whole.value is not None else None
    if isinstance(found, str | int):
        return minus_words(str(found))
    held = marked(whole.text)
    text = held[0] if held is not None and held[0].strip() else whole.text
    return after_correction(layout_off(minus_words(text))).strip()


def read_point(reply: str) -> tuple[float, float] | None:
    """The point that a reply gives, in pixels of a picture of 1000 x 1000; a box stands for its middle, shares for thousandths.

    >>> [read_point(r) for r in ("512, 88", "(512,88)", '{"x": 512, "y": 88}', "x=512 y=88", "[500, 80, 524, 96]", "0.512, 0.088")]
    [(512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0), (512.0, 88.0)]
    >>> read_point("1,2 or 3,4"), read_point("It is the red one.")
    (None, None)
    """
    value = opened(reply).value
    numbers = _numbers(value) if value is not None else None
    if numbers is None:
        text = _said(reply)
        boxes = {m.group() for m in _BOX.finditer(text)}
        if len(boxes) == 1:
            numbers = [float(n) for n in re.findall(_NUMBER, boxes.pop())]
        else:
            points = {(float(m[1]), float(m[2])) for m in _POINT.finditer(text)}
            numbers = list(points.pop()) if len(points) == 1 else None
    if numbers is None or len(numbers) not in (2, 4):
        return None
    x, y = numbers if len(numbers) == 2 else ((numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2)
    scale = SIDE if max(numbers) <= 1 and any(n % 1 for n in numbers) else 1.0
    return x * scale, y * scale


def _numbers(value: Any) -> list[float] | None:
    """Two or four numbers in JSON: a list, or an object with x and y, or with one of these inside."""
    if isinstance(value, dict):
        folded = {str(key).lower(): inner for key, inner in value.items()}
        if "x" in folded and "y" in folded:
            return _numbers([folded["x"], folded["y"]])
        found = [numbers for inner in folded.values() if (numbers := _numbers(inner)) is not None]
        return found[0] if len(found) == 1 else None
    if isinstance(value, list):
        if len(value) in (2, 4) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value):
            return [float(n) for n in value]
        found = [
            numbers for inner in value if isinstance(inner, dict | list) and (numbers := _numbers(inner)) is not None
        ]
        return found[0] if len(found) == 1 else None
    return None
