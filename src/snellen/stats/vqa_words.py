"""The official VQA normalisation of answers, quirks included: the form in which short answers are compared.

Kept on purpose: a mark beside a space anywhere is deleted everywhere, else it becomes a space; the look-behind that should
spare decimal points is mistyped and does nothing; at most 32 periods go; one contraction is mapped the wrong way round.
"""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.core.reply import minus_signs

_MARKS = ';/[]"{}()=+\\_->' + "<@`,?!"
_MINUS = re.compile(r"(?<!\S)-(?=\.?\d)")
_COMMA_IN_NUMBER = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
_MOST_PERIODS = 32  # the official tool passes a flag where the number of replacements belongs
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DIGITS = {"none": "0"} | {word: str(i) for i, word in enumerate(_NUMBERS)}
_ARTICLES = frozenset({"a", "an", "the"})
_WITH_APOSTROPHES = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's
how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've o'clock
oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd
someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's they'd
they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's where'd where's
where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've y'all y'all'll
y'all'd've you'd you'd've you'll you're you've
"""


def _contractions() -> dict[str, str]:
    """Return every contraction with one apostrophe left out. (Entries with a capital I never match lower-cased text: left out.)"""
    found = {"somebody'd": "somebodyd"}
    for full in _WITH_APOSTROPHES.split():
        for at in (i for i, c in enumerate(full) if c == "'"):
            found[full[:at] + full[at + 1 :]] = full
    return found


CONTRACTIONS = _contractions()


@lru_cache(maxsize=65536)
def normalise(answer: str) -> str:
    """Return an answer in the form in which official answers are compared: marks and periods go first; then lower case, number words to
    digits, articles dropped, apostrophes of contractions restored.

    >>> [normalise(a) for a in ("t-shirt", "1,000", "u.s.a.", "The Dont know", "two")]
    ['t shirt', '1000', 'usa', "don't know", '2']
    """
    number = _COMMA_IN_NUMBER.search(answer) is not None
    text = answer
    for mark in _MARKS:
        loose = number or f"{mark} " in answer or f" {mark}" in answer
        text = text.replace(mark, "" if loose else " ")
    text = _PERIOD.sub("", text, count=_MOST_PERIODS)
    digits = (_DIGITS.get(word, word) for word in text.lower().split())
    return " ".join(CONTRACTIONS.get(word, word) for word in digits if word not in _ARTICLES)


def signed(answer: str) -> str:
    """Return the same with the minus sign of a number as a word; the official form has no minus signs.

    >>> signed("-3"), signed("t-shirt")
    ('minus 3', 't shirt')
    """
    return normalise(_MINUS.sub("minus ", minus_signs(answer)))
