"""Turns of speech around the numbers: denials, corrections, alternatives and unfinished sentences. Pure."""

from __future__ import annotations

import re
from typing import Any

from snellen.core.reply import layout_off, unwrapped
from snellen.exams.grounding.reading.forms import unclosed_tag
from snellen.exams.grounding.reading.found import PlaceMatch
from snellen.exams.grounding.reading.json_points import is_place, objects

# denials: before the numbers, in the same clause, or behind them
_NO = r"not|n't|never|avoid(?:ing)?|instead of|rather than|neither|nor|no longer|other than|except|unlike|excluding|ignore|wrong|incorrect"
_NO += r"|at first|initially|previously|thought (?:it|that|of)"
_NO += r"|i (?:first |originally |had )?(?:thought|guessed|assumed|considered)|my first (?:guess|thought|idea)"
_NO += r"|(?:any|every)thing but|used to be|you asked|(?:cursor|pointer) is"
_NO_BEFORE = re.compile(
    rf"(?:\b(?:{_NO})\b|n't\b|\b(?:for example|e\.g\.),?)(?:(?!\bbut\b|\binstead\b(?! of))[^.;!?\n,()\[\]{{}}<>]){{0,60}}$",
    re.IGNORECASE,
)
# "if it were there, it would be at"
_UNREAL_BEFORE = re.compile(
    r"\bif\b[^.;!?\n]{1,80}\b(?:were|was|wasn't|weren't|existed|had)\b[^.;!?\n]{0,60}\bwould\b[^.;!?\n()\[\]{}<>]{0,40}$",
    re.IGNORECASE,
)
_SIZE_BEFORE = re.compile(
    r"\b(?:(?:resolution|dimensions?|size|viewport)\b(?: (?:is|of|was|are|being)){0,2}[\s:=]{0,3}"
    r"|(?:screen|screenshot|image)(?: (?:size|resolution|dimensions?))?(?: (?:is|of|was|has|are|being|with|a)){1,3}[\s:]{0,3})$",
    re.IGNORECASE,
)
# text that belongs to the numbers though it stands before them: brackets, quotes, `coordinate=`, `pyautogui.click(`
_DRESS = re.compile(
    r"(?:[A-Za-z_]\w{0,30}\.)?(?:[A-Za-z_]\w{3,30})?$|(?:(?:[A-Za-z_]\w{0,30}\.)?[A-Za-z_]\w{0,30}\(|\w{1,20}=|[\[({<\"'`*\s]){1,20}$"
)
_NO_AFTER = re.compile(
    r"[\s\"'`)\]}>*/]{0,12}(?:\?|,?\s{0,3}(?:(?:which|that|this|it|but that|but this|but it)\s{1,3})?"
    r"(?:(?:is|was|are|would be|seems|looks|appears)\s{1,3}(?:(?:definitely|clearly|probably|actually)\s{1,3})?"
    r"(?:not\b(?! only)|too (?:far|high|low|close)\b|off\b)"
    r"|(?:isn't|wasn't|aren't)\b|(?:(?:is|was|looks|seems)\s{1,3})?(?:the )?(?:wrong|incorrect)\b))",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?:\bwait\b|\bscratch that\b|\bforget that\b|\bactually\b|\boops\b|\bhold on\b|\bcorrection\b|\bmy mistake\b|\bsorry\b"
    r"|\bthat(?:'s| is) (?:not (?:right|it|correct)|wrong|incorrect)\b|\blet me (?:reconsider|re-?check|correct|think again"
    r"|look again)\b)"
    r"[^()\[\]{}<>\d]{0,80}$",
    re.IGNORECASE,
)
# words after which a sentence goes on
_BREAKS_OFF = re.compile(
    r"(?:[,:(\[{<\-+=&/\\]|[,.;]\s{0,3}so|\b(?:and|but|or|because|since|which|the|an?|of|to|at|are|was|with|however|while|as|if|i"
    r"|for|from|its"
    r"|than|into|although|whether|(?<!where it )is))[\s\"'`*]{0,4}$",
    re.IGNORECASE,
)
_OR = re.compile(r"[\s\"'`*)\]}>,]{0,8}(?:or)\b(?! rather)[^.!?\n\d]{0,40}", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\bbetween\s{1,3}(?:the (?:points? )?|clicking (?:at )?|points? )?[\[({<\"'`*\s]{0,8}$", re.IGNORECASE
)
_AND = re.compile(r"[\s\"'`*)\]}>,]{0,8}and\s{0,3}", re.IGNORECASE)
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def undecided(text: str, found: list[PlaceMatch]) -> bool:
    """Tell whether two answers are offered: "this or that", "between this and that"."""
    pairs = zip(sorted(found), sorted(found)[1:], strict=False)
    between = ((a, b, _DRESS.sub("", text[a.end : b.start][:200])) for a, b in pairs if a.numbers != b.numbers)
    return any(
        _OR.fullmatch(gap) or (_AND.fullmatch(gap) and _BETWEEN.search(text, max(0, a.start - 60), a.start))
        for a, _b, gap in between
    )


def denied(text: str, found: PlaceMatch) -> bool:
    """Tell whether the reply denies these numbers, or they are the size of the screen."""
    before = _DRESS.sub(" ", text[max(0, found.start - 120) : found.start])
    if " would " in before and _UNREAL_BEFORE.search(before):
        return True
    return bool(_NO_BEFORE.search(before) or _SIZE_BEFORE.search(before[-60:]) or _NO_AFTER.match(text, found.end))


def taken_back(text: str, end: int) -> bool:
    """Tell whether the reply ends by taking back the text up to a place, without a new answer."""
    return _TAKEN_BACK.search(text, end) is not None


def breaks_off(text: str) -> bool:
    """Tell whether a text visibly breaks off: in a bracket or a tag, or in the middle of a sentence.

    >>> [breaks_off(text) for text in ("(12, 3", "(12,34), so", "Click (12, 34) to save", '{"x": 1, "y": 2', "<point>1 2")]
    [True, True, False, True, True]
    """
    open_: list[str] = []
    for sign in text:
        if sign in "([{":
            open_.append(sign)
        elif sign in _BRACKETS and _BRACKETS[sign] in open_:
            while open_.pop() != _BRACKETS[sign]:
                pass
    bare = layout_off(text[-200:])
    return bool(open_) or unclosed_tag(text) or _BREAKS_OFF.search(bare) is not None


# ---------------------------------------------------------------- it is not there

# the target is absent: these words alone, or a sentence that says so and takes nothing of it back
_NONE = re.compile(
    r"(?:target |element )?(?:none|null|no target(?: found)?|(?:is )?not (?:found|existent|present|visible|there)"
    r"|no (?:such|matching) element(?: found)?|nothing(?: here)? matches|does(?: not|n't) exist|\[\])",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(
    r"\b(?:no target|not existent|does(?: not|n't) exist|(?:is|was|are|could|can)(?: ?not|n't) (?:be )?(?:found|present|visible"
    r"|there)\b"
    r"|(?:is|was|are|there's) no (?:such|matching) \w+|no (?:such|matching) element"
    r"|none of (?:the|these|them)\b[^.]{0,40}\b(?:match|fit)(?:es)?\b)",
    re.IGNORECASE,
)
_ALL_THE_SAME = re.compile(
    r"\?|\b(?:but|however|yet|instead|unless|if|whether|though|although|except|maybe|perhaps)\b", re.IGNORECASE
)
_LONGEST_REFUSAL = 200


def refuses(text: str) -> bool:
    """Tell whether a reply without a point says that the target is absent.

    >>> [refuses(text) for text in ("None.", "The icon is not visible.", "It is not visible, but near", '{"x": null, "y": null}')]
    [True, True, False, True]
    """
    bare = unwrapped(text).strip(" \t\n.!\"'")
    if _NONE.fullmatch(bare) or any(_empty(value) for _start, _end, value in objects(text)):
        return True
    short = len(text) <= _LONGEST_REFUSAL and _NOT_THERE.search(bare) is not None
    return short and not _ALL_THE_SAME.search(bare) and not any(sign.isdecimal() for sign in bare)


def _empty(data: Any) -> bool:
    """Tell whether a JSON object names a place and leaves it empty: null, "none" or an empty list."""
    named = {key: value for key, value in data.items() if is_place(str(key))} if isinstance(data, dict) else {}
    return bool(named) and all(value is None or value in ([], "none", "null", "None") for value in named.values())
