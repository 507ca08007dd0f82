"""The official VQA answer normalisation and soft accuracy, quirks included.

Kept on purpose: a mark beside a space anywhere is deleted everywhere, else it becomes a space; the look-behind that should
spare decimal points is mistyped and does nothing; at most 32 periods go; one contraction is mapped the wrong way round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_MARKS = ';/[]"{}()=+\\_->' + "<@`,?!"
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
    """Every contraction with one apostrophe left out. (Entries with a capital I never match lower-cased text: left out.)"""
    found = {"somebody'd": "somebodyd"}
    for full in _WITH_APOSTROPHES.split():
        for at in (i for i, c in enumerate(full) if c == "'"):
            found[full[:at] + full[at + 1 :]] = full
    return found


CONTRACTIONS = _contractions()


@lru_cache(maxsize=65536)
def normalise(answer: str) -> str:
    """An answer in the form in which official answers are compared: marks and periods go first; then lower case, number words to
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


def majority(answers: Sequence[str]) -> str | None:
    """The commonest normalised answer, the first of equals; None where there are no answers."""
    return commonest(map(normalise, answers))


def commonest(answers: Iterable[str]) -> str | None:
    """The commonest of some answers, the first of equals; None where there are none."""
    counts = Counter(answers)
    return max(counts, key=counts.__getitem__) if counts else None


def answer_type(answer: str) -> str:
    """What kind of answer a VQA question wants, told from its majority answer.

    >>> [answer_type(a) for a in ("yes", "2", "two", "red")]
    ['yes/no', 'number', 'number', 'other']
    """
    said = normalise(answer)
    if said in ("yes", "no"):
        return "yes/no"
    return "number" if said.replace(".", "", 1).isdecimal() else "other"


def as_written(answers: Sequence[str]) -> str:
    """The majority answer as the first who gave it wrote it; empty where there are no answers.

    >>> as_written(["blue", "Red", "red"])
    'Red'
    """
    best = majority(answers)
    return next((a.strip() for a in answers if normalise(a) == best), "")


def soft_accuracy(answer: str, answers: Sequence[str], *, always: bool = False) -> float | None:
    """Mean over the annotators of min(1, how many of the others said this / 3); None where there are no annotators.

    The official tool normalises nothing where all annotators wrote the same, so "Yes." against ten times "yes" is 0;
    `always` normalises there too.

    >>> soft_accuracy("Yes.", ["yes"] * 10), soft_accuracy("Yes.", ["yes"] * 10, always=True)
    (0.0, 1.0)
    """
    if not answers:
        return None
    said, *true = (re.sub(r"[\n\t]", " ", text).strip() for text in (answer, *answers))
    if always or len(set(true)) > 1:
        said, true = normalise(said), [normalise(a) for a in true]
    same = sum(a == said for a in true)
    left_out = [min(1.0, (same - (a == said)) / 3) for a in true]
    return sum(left_out) / len(left_out)
