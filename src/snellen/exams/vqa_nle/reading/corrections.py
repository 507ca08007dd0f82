"""Replies that retract an answer: "Red. No, wait, blue"."""

from __future__ import annotations

import re

from snellen.core.reply import correction_end, left_open, trimmed
from snellen.exams.vqa_nle.reading.preambles import is_clause, leads_off, preface_off
from snellen.exams.vqa_nle.reading.reasons import REASON, sentence_ends

_BEFORE = re.compile(r"\W*\w+\W+\w")  # there is text before it that can be retracted
_SAID_NO = re.compile(r"\bno[.!,:-]?$", re.IGNORECASE)
_NO_MORE = re.compile(
    r"\W*$|[\"')\]]{0,3}\s?(?:[.!?\n):;,]|-\s|\s-\s|\s\(|,?\s?\b(?:because|since|as|due|given|which|considering|seeing)\b)",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


_LONGEST_HEAD = 400
_HEAD_ENDS = re.compile(r"[:;]\s(?!\d{1,3}\s?%)|\s-\s|(?<=\w)\s\((?=\w)")
_RETRACTED = re.compile(
    r"[.!?,;\n-]\s{0,3}(?:(?:no|nope),?\s(?:that|this|it)(?:'s| is| was) (?:wrong|incorrect|not right)"
    r"|(?:(?:but|however|yet),?\s(?:that|this|it)|which|that)(?:'s| is| was| turned out to be)(?: \w{1,12}ly)? (?:wrong|incorrect|not right"
    r"|mistaken|a mistake)|never\s?mind|or not)\W{0,3}$",
    re.IGNORECASE,
)


def corrected(text: str) -> str:
    """Return the text that remains after "no, wait" and the like retract the rest; empty if all is retracted and nothing replaces it.

    After a reason, "Actually, ..." may continue the reason: it is not a correction if a whole clause follows.
    """
    text = preface_off(text)
    end = correction_end(text)
    if not end or not _BEFORE.match(text[:end]):
        return "" if _RETRACTED.search(text, max(0, len(text) - 60)) else _chosen(text)
    said_no = _SAID_NO.search(text, max(0, end - 4), end)
    if said_no and _NO_MORE.match(text, end) and _YES_OR_NO.search(text, 0, said_no.start()):
        end = said_no.start()  # "Yes. Sorry, no."
    tail = _begun(text[end:])
    if not re.search(r"\w", tail):
        return ""
    late = REASON.search(text, 0, end) is not None
    return _chosen(text if late and is_clause(leads_off(tail)) else tail)


def _begun(text: str) -> str:
    """Return a text from its first word or number on."""
    return trimmed(f"{text}x", " \t\n,;:!-.")[:-1]


def _chosen(text: str) -> str:
    """Return a text from its first sentence that does more than list the choices or name the wrong ones."""
    for _ in range(4):
        if left_open(text.partition("\n")[0].partition(" because ")[0][:_LONGEST_HEAD]) is None:
            break
        line = text.find("\n") + 1 or len(text)
        whole = min(next((end for _at, end in sentence_ends(text)), line), line)
        reason = REASON.search(text, 0, whole)
        ends = _HEAD_ENDS.search(text, len(text) - len(leads_off(text)), whole)
        whole = ends.end() if ends and ends.group()[0] == ";" else whole
        head = text[: min(ends.start() + 1 if ends else whole, reason.start() if reason else whole)]
        found = left_open(head)
        if found is None:
            break
        start, end = found
        text = text[:start] + text[len(head) :] if start else text[end if end < len(head) else whole :].lstrip(" \t\n,")
    return text
