"""The text of a reply, before it is read as an answer of some kind: the work of the shared front end, and the additions of these four
exams.

An answer may be separate from its reason: as a field of JSON, in a table, in a tag or a box, or as the one option marked "yes". Otherwise
the reply is plain text, in which an answer and its reason follow each other. Everything is linear in the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from snellen.core.reply import field, layout_off, marked, opened
from snellen.exams.vqa_nle.formats.tags import TAG
from snellen.exams.vqa_nle.reading.preambles import without_lead_out
from snellen.exams.vqa_nle.reading.reasons import REASON

LONGEST = 20_000
"""Characters to read, from the start of the reply's text."""

_ANSWERS_TEXT = """
final_answer answer label activity letter choice option prediction relation relationship classification verdict category
action response result output final
"""
ANSWERS = tuple(_ANSWERS_TEXT.split())
_REASONS_TEXT = "explanation explanations reason rationale justification because why reasoning evidence"
REASONS = tuple(_REASONS_TEXT.split())


class _ReplyText(NamedTuple):
    """A reply's text, ready to be read.

    `text` is the text left to read, empty if the reply says nothing. `reason` is an explanation found apart from it. `ended` is true if the
    text is known to be no longer than the answer.
    """

    text: str
    reason: str | None = None
    ended: bool = False


NOTHING = _ReplyText("")


def said_in(reply: str, names: tuple[str, ...] = ANSWERS, hidden: Callable[[str], str] = str) -> _ReplyText:
    """Remove thinking, JSON, tables, tags, boxes and layout from a reply.

    `names` are the fields that hold an answer, best first. `hidden` puts placeholders in place of texts that must not be split.
    """
    front = opened(reply, longest=10 * LONGEST)
    text = front.text[:LONGEST]
    if front.value is not None:
        given = _given(front.value, names)
        if given is not None:
            return given._replace(text=hidden(given.text))
        text = front.around[:LONGEST] if isinstance(front.value, dict) else text
    text = hidden(text)
    if front.value is None and text[:1] in ("{", "`"):
        given = _from_cut_json(text, names)
        if given is not None:
            return given
    return _from_rows(text, names) or _from_marks(text)


def _plainly(text: str) -> str:
    """Return a text without layout, runs of spaces, and angle brackets other than those of object tags."""
    kept = TAG.sub("\ue000\\1\ue001", text)
    kept = _RULE.sub("", _ARROW.sub(" - ", kept))
    if "</" in kept or "<br" in kept:  # "<B> because" is a letter
        kept = _HTML.sub(" ", _HTML_LINES.sub("\n", kept))
    if _LAYOUT.search(kept):
        kept = layout_off(_PRICE.sub("\ue002", kept)).replace("\ue002", "$")
    for pattern in (_PICTURES, _SIGNS, _SPACES):
        kept = pattern.sub(" ", kept)
    return _KEPT_TAG.sub(r"<det\1>", kept.lstrip(_HEAD_SIGNS).rstrip())


_ARROW = re.compile(r"\s?(?:\u2192|[=-]>)\s?|\s\|\s")
_RULE = re.compile(r"^[^\S\n]{0,4}-{3,80}[^\S\n]{0,4}$", re.MULTILINE)
_HTML_LINES = re.compile(r"<br\s?/?>|</(?:p|div|li|h[1-6])>", re.IGNORECASE)
_HTML = re.compile(
    r"</?(?:p|b|i|u|em|strong|span|div|br|ul|ol|li|code|pre|h[1-6]|html|body|mark|small|center|font|response|output|result"
    r"|answer|activity|label|letter|explanation|reason|rationale|justification)(?:\s[^<>]{0,100})?\s?/?>",
    re.IGNORECASE,
)
_LAYOUT = re.compile(r"[*`_~$\\]|^[^\S\n]{0,12}[-+>#\u2022\u25cf\u25aa]", re.MULTILINE)
_PRICE = re.compile(r"\$(?=\d)")
_SIGNS = re.compile(r"[<>|#`*]+")
_SPACES = re.compile(r"[^\S\n]+")
_HEAD_SIGNS = " \t\n\r\u27a1\u25ba\u25b6\u2192\u2022\u00b7=~,;"
# pictures carry no meaning, except a cross, a thumb down and the like: a text with one of those is not an answer
_PICTURES = re.compile(
    "[\u2600-\u2716\u2719-\u274b\u274d\u2757-\u27bf\u2b50\ufe0f\u200d\U0001f000-\U0001f44d\U0001f44f-\U0001f6aa\U0001f6ac-\U0001faff]+"
)
_KEPT_TAG = re.compile("\ue000(\\d{1,4})\ue001")

# ---------------------------------------------------------------- fields


def _given(value: Any, names: tuple[str, ...]) -> _ReplyText | None:
    """Return an answer from a field of JSON, or from a yes beside one of several options; None if there is none."""
    answer = field(value, names)
    if answer is None:
        if isinstance(value, list):
            return _ReplyText(_plainly(value[0]), None, True) if len(value) == 1 and isinstance(value[0], str) else None
        return _elected(value)
    reason = _as_text(field(value, REASONS))
    if isinstance(answer, dict):
        found = _elected(answer)
        return NOTHING._replace(reason=reason) if found is None else found._replace(reason=reason)
    return _ReplyText(_plainly(_as_text(answer) or ""), reason and _plainly(reason), True)


def _as_text(value: Any) -> str | None:
    """Return a JSON value in words: true becomes yes, a list becomes its members."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_as_text, value[:20])))
    return None if value is None or isinstance(value, dict) else str(value)


_YES = frozenset(("yes", "y", "true", "correct", "right", "present", "1", "x", "\u2713", "\u2714", "\u2705", "\u2611"))
_NO = frozenset(
    ("no", "n", "false", "incorrect", "wrong", "absent", "0", "", "\u2717", "\u2718", "\u274c", "\u2612", "\u2610")
)


def _vote(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip(" .*!").lower() if isinstance(value, str | int) else None
    return True if word in _YES else False if word in _NO else None


def _elected(value: dict[str, Any]) -> _ReplyText | None:
    """Return the option that a map marks with yes; an empty text if none or several are marked; None for any other map."""
    votes = {str(key): _vote(said) for key, said in value.items()}
    if len(votes) < 2 or None in votes.values():
        return None
    chosen = [key for key, yes in votes.items() if yes]
    return _ReplyText(_plainly(chosen[0]), None, True) if len(chosen) == 1 else NOTHING


_CUT_FIELD = re.compile(
    r"""["'](?P<key>[A-Za-z_ ]{1,30})["']\s{0,9}:\s{0,9}(?P<quote>["'])(?P<said>(?:(?!(?P=quote))[^\\\n]|\\.){0,4000})(?P<end>["'])?"""
)


def _from_cut_json(text: str, names: tuple[str, ...]) -> _ReplyText | None:
    """Read JSON that stops before its end: a complete answer, and as much of the reason as there is."""
    answer = reason = None
    for found in _CUT_FIELD.finditer(text):
        key = found["key"].strip().lower().replace(" ", "_")
        if key in names and found["end"] and answer is None:
            answer = found["said"]
        elif key in REASONS and reason is None:
            reason = found["said"]
    if answer is None:
        return None
    return _ReplyText(_plainly(answer), reason and _plainly(reason), True)


# ---------------------------------------------------------------- tables and lists of options

_CHECKBOX = re.compile(r"\s{0,9}[-*+]?\s{0,4}\[(?P<vote>[ xX\u2713\u2714]?)\]\s{0,4}(?P<key>\S[^\n]{0,200})(?:\n|$)")
_VOTED = re.compile(
    r"[^\w\ue010]{0,6}(?P<key>[\w\ue010][^\n:;|()]{0,160}?)[*_`\"']{0,4}(?:\s?[:=]\s{0,3}|\s?\(|\s-\s)[*_`]{0,3}"
    r"(?P<vote>yes|no|true|false|correct|incorrect|right|wrong|present|absent"
    r"|[01\u2713\u2714\u2705\u2717\u2718\u274c])[*_`.)]{0,4}(?:\s{0,3}(?:[,;\n]|$)|(?<=\.)\s)",
    re.IGNORECASE,
)
_MOST_ROWS = 40


def _from_rows(text: str, names: tuple[str, ...]) -> _ReplyText | None:
    """Return the answer in a table, or from a yes or no beside each option, in a table, in lines or in one line."""
    if "|" in text:
        lines = [line.strip() for line in text.split("\n", _MOST_ROWS) if line.strip()]
        rows = [[cell.strip(" *_`") for cell in line.strip("|").split("|")] for line in lines if line.count("|") > 1]
        rows = [row for row in rows if any(cell.strip("-: ") for cell in row)]
        if _MOST_ROWS > len(rows) > 1 and len(rows) >= len(lines) - 3:
            return _from_table(rows, names)
    votes: dict[str, Any] = {}
    at = 0
    while at < len(text):
        found = _CHECKBOX.match(text, at) or _VOTED.match(text, at)
        if found is None or _field_name(found["key"]) in (*names, *REASONS, "draft", "question"):
            return None
        votes[found["key"]] = found["vote"]
        at = found.end()
    return _elected(votes) if len(votes) > 1 else None


def _field_name(key: str) -> str:
    return key.strip(" *_`").lower().replace(" ", "_")


def _from_table(rows: list[list[str]], names: tuple[str, ...]) -> _ReplyText | None:
    """Return the answer from a yes beside one of several options, from an answer column, or from an answer row."""
    pairs = {row[0]: row[-1] for row in rows}
    if all(_field_name(row[0]) in (*names, *REASONS) for row in rows):
        return _given(pairs, names)
    for votes in ({row[0]: row[-1] for row in rows[1:]}, pairs):
        if len(votes) > 1 and all(_vote(said) is not None for said in votes.values()):
            return _elected(votes)
    return _given(dict(zip(rows[0], rows[1], strict=False)), names) or _given(pairs, names)


# ---------------------------------------------------------------- tags and boxes

_REASON_TAG = re.compile(r"<(explanation|reason|rationale|justification)>", re.IGNORECASE)
_FIRST_MARK = re.compile(r"<|\\f?box|\[", re.IGNORECASE)


def _from_marks(text: str) -> _ReplyText:
    """Return the answer in the last answer tag or box, and the reason in its own tag or beside it.

    Without a tag or box, return the whole text.
    """
    reason = ""
    if start := _REASON_TAG.search(text):
        close = f"</{start[1].lower()}>"
        end = text.lower().find(close, start.end())
        said = _plainly(text[start.end() : end if end >= 0 else len(text)])
        reason = said if re.search(r"\w", said) else ""
    if start and reason:
        text = text[: start.start()] + (text[end + len(close) :] if end >= 0 else "")
    found = marked(text)
    if found is None or not re.search(r"\w", found[0]):
        return _ReplyText(_plainly(text), reason or None)
    first = _FIRST_MARK.search(text)
    before = text[: first.start()] if first and not reason and not re.search(r"\w", found[1]) else ""
    reason = reason or _plainly(found[1]) or without_lead_out(_plainly(before))
    answer = _plainly(found[0])
    return _ReplyText(answer, reason or None, REASON.search(answer) is None)
