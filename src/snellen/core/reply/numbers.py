"""Read numbers as replies write them: signs, digits, number words, "1.5 million". Pure.

A dash directly before a digit is a minus sign; a bullet has a space behind it. A number that is not understood ("three quarters",
"twenty-odd", "12:30", "5,5") is None, never the part of it that could be read.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from snellen.core.reply.vocabulary import one_of

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: i for i, word in enumerate(_UNITS)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_WORDS |= {"fourty": 40}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SCALE = rf"{one_of(_SCALES)}s?"
_TOKEN = re.compile(
    r"(?P<minus>(?<![\w.)\]%\u00b0-])(?<!\w['\"])-[$\u20ac\u00a3]?(?=\.?\d|[a-z])|\b(?:minus|negative)[\s-]+(?:[$\u20ac\u00a3](?=\d))?(?=\.?\d|"
    + one_of((*_WORDS, *_SCALES, "a "))
    + r"))?(?:(?<![\w.])\+?(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE](?P<power>[-+]?\d{1,3})(?!\w))?(?!\d|\.\d)"
    rf"|(?<!\bno )\b(?P<word>{one_of(_WORDS)}|an?(?=\s{_SCALE}\b)|{_SCALE})\b)",
    re.IGNORECASE,
)
_PARTS = "half|halves|(?:third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth|hundredth|thousandth|millionth)s?"
_UNFINISHED = re.compile(  # this makes it another number than the one read so far
    r"[,'\u2019\u202f\u00a0]\d+|(?:(?<=\b\d)|(?<=\b\d\d)|(?<=\b\d{3}))\x20\d{3}(?!\d)|\s?[\u00d7\u00b7]\s?\d|(?=\s(?-i:[KMB]|[bm]n)\b|\s?(?:mil|mln|mlrd|mrd|mio|lakhs?|crores?)\b)|"
    r"\s?\*+\s?\d|\^|\s?\u03c0|\.{2,}\d|x\d|(?<=0)x\w|h\d|m\d+s|(?<=ty|ed)\s(?:first|second)\b|"
    rf"[/:]\d|\s\d{{1,2}}/\d|(?-i:[kKMB]|[bm]n)\b|-?ish\b|\spoint\s|[\s-](?:{_PARTS})\b|-(?:first|second|odd|something|teen|fold)\b"
    rf"|\sand\s(?:\d{{1,2}}/\d|(?:an?|one|two|three)[\s-](?:{_PARTS})\b)",
    re.IGNORECASE,
)
_HALF_A = re.compile(r"\b(?:half|quarter(?: of)?)[\s-](?:an?[\s-])?$", re.IGNORECASE)
_BELOW = re.compile(r"(?:\d[/:,^*]|\u221a|sqrt[({])$")
_DOUBTFUL_SIGN = re.compile(  # a dash that may be a minus sign and is not a bullet
    r"(?:[:=({\[]|\b(?:is|are|was|at))\s{0,3}[-\u2212\u2013\u2014]\s+$"  # ": - 3"
    r"|(?<!\w)[-\u2212\u2013]\s?(?:[^\w\s.,;:)*-]|[A-Z]{3}\s?|\{-\})$"  # "-\u00a53", "-USD 3", "-(3)"
    r"|\{-\}$|(?<!\w)[\u2014\u2015\u00b1][^\w\s]?$|\b(?:minus|negative)\s\w+\s$",
    re.IGNORECASE,
)
_POINT = re.compile(r"\bpoint\s$", re.IGNORECASE)
_MINUS = re.compile(  # a sign directly before the number, or a true minus sign before a space
    "(?<![\\w.)\\]%\u00b0])(?<!\\w['\"\u2019\u201d\u2032\u2033])"
    "(?:[\u2212\u2013\u2012\ufe63\uff0d]|(?<![\\d)\\]]\\s)(?<!\\b\\w\\s)\u2212\\s+)(?=[$\u20ac\u00a3]?\\.?\\d)"
)
_AMOUNT = re.compile(rf"(?:[^\w\s.-]|[A-Z]{{3}}\s?)?\.?\d|{one_of(_WORDS)}$", re.IGNORECASE)
_MINUS_WORD = re.compile(r"(?<!\d )\b(?:minus|negative) (?=\.?\d)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"([(\[{=>][^\S\n]{0,3})-[^\S\n]{1,3}(?=\.?\d)")
_JOINTS = (" ", "-", "\n")


class Number(NamedTuple):
    """A number in a text, and its place; `value` is None if it is not understood."""

    value: float | None
    start: int
    end: int


def minus_signs(text: str) -> str:
    """Turn every dash that is a minus sign into a hyphen-minus; leave other dashes as they are.

    >>> minus_signs("\\u22123 \\u2013 from \\u20135 to 8, 2\\u20134")
    '-3 \\u2013 from -5 to 8, 2\\u20134'
    """
    return _MINUS.sub("-", text)


def minus_words(text: str) -> str:
    """Turn "minus 3", "negative 3" and a "- 3" that opens brackets, a tag or an equation into "-3".

    >>> minus_words("minus 3, or 5 minus 3, or (- 3, 5)")
    '-3, or 5 minus 3, or (-3, 5)'
    """
    return _IN_BRACKETS.sub(r"\1-", _MINUS_WORD.sub("-", minus_signs(text)))


def trimmed(text: str, signs: str) -> str:
    """Return a text without some signs at its ends; a minus sign and a decimal point stay.

    >>> trimmed(" - red - ", " -"), trimmed("(-3)", "-() "), trimmed("- 3", "- "), trimmed(".5.", ".")
    ('red', '-3', '3', '.5')
    """
    kept = text.strip(signs)
    before = text[: len(text) - len(text.lstrip(signs))]
    sign = next((s for s in ("-.", "-", ".") if before.endswith(s) and not before.endswith("..")), "")
    return sign + kept if sign and _AMOUNT.match(kept) else kept


def numbers_in(text: str) -> list[Number]:
    """Return the numbers of a text, from left to right.

    >>> [n.value for n in numbers_in("-3, minus three, twenty-one, one hundred and one, 1.5 million, a dozen, 1,200, 3/4, 12:30")]
    [-3.0, -3.0, 21.0, 101.0, 1500000.0, 12.0, 1200.0, None, None, None, None]
    """
    found = []
    for run in _runs(text):
        start, end = run[0].start(), run[-1].end()
        more = _UNFINISHED.match(text, end)
        below = _BELOW.search(text, max(0, start - 5), start)
        parted = more or below
        point = run[0]["word"] and _POINT.search(text, max(0, start - 7), start)
        half = _HALF_A.search(text, max(0, start - 16), start)
        signed = not run[0]["minus"] and _DOUBTFUL_SIGN.search(text, max(0, start - 20), start)
        value = None if parted or point or half or signed else _value(run)
        begin = next((found.start() for found in (half, below, signed) if found), start)
        found.append(Number(value, begin, more.end() if more else end))
    return found


def is_part_of_number(numbers: list[Number], start: int, end: int) -> bool:
    """Tell whether a stretch of a text is only a part of one of its numbers.

    >>> numbers = numbers_in("twenty-one")
    >>> is_part_of_number(numbers, 0, 6), is_part_of_number(numbers, 0, 10)
    (True, False)
    """
    return any(_straddled(numbers, start)) or any(_straddled(numbers, end))


def _straddled(numbers: list[Number], at: int) -> Iterator[bool]:
    """Tell for each number near a place whether it begins before it and ends behind it; only a few ever overlap."""
    near = bisect_right(numbers, at, key=lambda n: n.start)
    return (n.start < at < n.end for n in numbers[max(0, near - 4) : near])


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of tokens that form one number."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if run and not _goes_on(run, text[run[-1].end() : token.start()], token):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _goes_on(run: list[re.Match[str]], gap: str, token: re.Match[str]) -> bool:
    """Tell whether a token continues the number before it: words do, and after digits only a scale ("3 million")."""
    if token["minus"] or token["digits"]:
        return False
    word, last = token["word"].lower(), (run[-1]["word"] or "").lower()
    scale = _SCALES.get(last)
    if word in ("a", "an") or (run[-1]["digits"] and word not in _SCALES):
        return False
    return gap in _JOINTS or (scale is not None and (gap == " and " or (scale > 100 and gap in (", ", ", and "))))


def _value(run: list[re.Match[str]]) -> float | None:
    """Return the value of the tokens of a number; None if they do not form one."""
    total = group = 0.0
    ceiling: float = math.inf
    begun = False
    for token in run:
        word = (token["word"] or "").lower()
        if token["digits"]:
            if token["digits"].startswith("0") and "," in token["digits"]:  # a decimal comma, as in "0,125"
                return None
            group, begun = float(f"{token['digits'].replace(',', '')}e{token['power'] or 0}"), True
        elif word in ("a", "an"):
            group, begun = 1.0, True
        elif word in _WORDS:
            value = _WORDS[word]
            fits = group % 100 == 0 or (value < 10 and group % 10 == 0 and group % 100 >= 20)
            if not fits or (begun and value == 0) or (begun and not group and not total):
                return None
            group, begun = group + value, True
        elif word in _SCALES:
            scale = _SCALES[word]
            if not group or (scale <= 100 and group % 100 == 0 and group >= 100) or scale >= ceiling:
                return None
            if scale <= 100:
                group *= scale
            else:
                total, group, ceiling = total + group * scale, 0.0, scale
        else:  # "hundreds"
            return None
    total += group
    if not math.isfinite(total):
        return None
    return -total if run[0]["minus"] else total
