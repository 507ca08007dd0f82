"""Ends of a reply that are not an answer: courtesy, which is removed, and "I cannot see the image", which leaves nothing."""

from __future__ import annotations

import re

_COURTESY = re.compile(
    r"(?:\n|(?<=[.!?)}*])[^\S\n])\s{0,9}(?:i hope (?:this|that) helps|hope (?:this|that) helps|(?:please )?(?:let me know"
    r"|feel free|do not hesitate"
    r"|don't hesitate)\b[^\n.!?]{0,120})[.!?]{0,3}\s{0,9}$",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\bi(?:'d|'m)?\s(?:(?:would|do|am|still)\s){0,2}(?:cannot|can't|can not|couldn't|need to|have to|unable to"
    r"|not able to)\s(?:actually |really )?"
    r"(?:see|view|access|open)\s(?:the|this|any|an|your)\s(?:image|picture|photo)\b\W{0,3}$",
    re.IGNORECASE,
)
_HINTS = ("helps", "let me know", "feel free", "hesitate")


def without_courtesy(text: str) -> str:
    """Remove "I hope this helps!" and the like at the end, which would pass for a last line.

    >>> without_courtesy("Red\\n\\nI hope this helps!")
    'Red'
    """
    end = text[-200:].lower()
    if not any(hint in end for hint in _HINTS):
        return text
    found = _COURTESY.search(text, max(0, len(text) - 200))
    return text[: found.start()].rstrip() if found and found.start() else text


def ends_unseen(text: str) -> bool:
    """Tell whether a reply ends with not seeing the image. Such a reply has no answer, whatever was named before.

    >>> ends_unseen("It may be red, but I cannot see the image."), ends_unseen("Red")
    (True, False)
    """
    return _UNSEEN.search(text, max(0, len(text) - 80)) is not None
