"""Corrections: text before the last "no, wait", "actually," or the like is taken back."""

from __future__ import annotations

import re

from snellen.core.reply.hints import is_there
from snellen.core.reply.numbers import trimmed

_CLAUSE = r"(?:^|(?<=[.!?;:,\n-]\s)|(?<=\.\.\.))"
_WRONG = r"that's (?:not right|wrong|incorrect)|that is (?:not right|wrong|incorrect)|i made a mistake|i was wrong|let me correct"
_CORRECTION = re.compile(
    # "wait" is a verb, too: only at the start of a clause, or after "no" and the like
    rf"(?:{_CLAUSE}|\b(?:no|oh|hmm|hm|but|sorry|oops)[,.]? )wait\b(?:[,.!:-]{{1,3}}|(?= ))(?: (?:no|actually|{_WRONG})\b[,.!:-]?){{0,2}}"
    rf"|{_CLAUSE}(?:actually|rather|oops|correction|edit|update|my mistake|my bad|hold on|sorry|apologies)\b"
    r"[,.!:-]{1,3}(?: (?:no|i mean(?:t)?)\b,?)?"
    r"|(?:^|(?<=[.!?;\n]\s))(?:no, )?actually\s|\b(?:scratch|strike|forget|ignore|disregard) that\b[,.!:-]?"
    r"|\b(?:let me|i (?:must|should|need to|have to)) (?:correct|rephrase|revise|reconsider)\b(?: (?:that|myself|my answer|this|it)\b)?"
    rf"|{_CLAUSE}(?:no, )?i mean(?:t)?\b[,:-]?(?: to say\b)?|{_CLAUSE}or rather\b[,:-]?"
    r"|\bi (?:take (?:that|it) back|stand corrected)\b|\blet me (?:re-?(?:check|examine|evaluate|think)|(?:look|check"
    r"|think) again)\b[.,:-]?"
    r"|\bon second (?:thoughts?|look|glance)\b[,:-]?"
    r"|\b(?:upon|on|after) (?:closer|further|more careful) (?:inspection|examination|look|reflection|review)\b[,:-]?"
    r"|\b(?:corrected|revised|updated) answer\b\s?(?:is\b|:)?",
    re.IGNORECASE | re.MULTILINE,
)
_IN_EVERY_ONE = (
    "wait|actually|or rather|rather,|oops|correction|me correct|to correct|must correct|should correct|mistake|"
    "my bad|hold on|sorry|apologies|scratch that|strike that|forget that|ignore that|disregard|i mean|on second|"
    "rephrase|revise|reconsider|closer|further|more careful|corrected answer|updated answer|no,|no:|no;| back|edit|"
    "update|let me re|stand corrected| again"
)
_HINTS = tuple(_IN_EVERY_ONE.split("|"))  # most replies have none of these, and need not be searched


def correction_end(text: str) -> int:
    """Return where the last "no, wait", "actually," or the like ends; 0 if nothing is corrected.

    >>> correction_end("red because he waits"), "red. Wait, blue"[correction_end("red. Wait, blue"):]
    (0, ' blue')
    """
    if not is_there(_HINTS, text.lower()):
        return 0
    end = max((found.end() for found in _CORRECTION.finditer(text)), default=0)
    return end - 1 if text[end - 1 : end] == "-" and text[end : end + 1].isdigit() else end  # a minus sign


def after_correction(text: str) -> str:
    """Return the text after the last "no, wait", "actually," or the like; all of it if nothing is corrected, or nothing follows.

    >>> after_correction("Red. No, wait, it is blue."), after_correction("Red because it is actually hot.")
    ('it is blue.', 'Red because it is actually hot.')
    """
    end = correction_end(text)
    rest = text[end:].strip(" \t\n,.;:!-")
    return trimmed(text[end:], " \t\n,;:!-") if rest else text
