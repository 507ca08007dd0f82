"""What a reply says, before anybody asks for an answer of some kind: the shared front end's work, and what these four exams add to it.

An answer may stand apart from its reason, as a field of JSON, in a table, in a tag or a box, or as the one option that got a
"yes"; else there is plain text, in which an answer and its reason follow each other. Everything is linear in the length of the reply.
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
"""Characters that are read, from the start of what was said."""

_ANSWERS_TEXT = """
final_answer answer label activity letter choice option prediction relation relationship classification verdict category
action response result output final
"""
ANSWERS = tuple(_ANSWERS_TEXT.split())
_REASONS_TEXT = "explanation explanations reason rationale justification because why reasoning evidence"
REASONS = tuple(_REASONS_TEXT.split())


class ReplyText(NamedTuple):
    """`text` is what is left to be read, empty where nothing was said; `reason` an explanation that stands apart from it;
    `ended` is true where the text is known to be no longer than the answer.
    """

    text: str
    reason: str | None = None
    ended: bool = False


NOTHING = ReplyText("")


def said_in(reply: str, names: tuple[str, ...] = ANSWERS, hidden: Callable[[str], str] = str) -> ReplyText:
    """Thinking, JSON, tables, tags, boxes and layout taken off a reply. `names` are the fields that hold an answer, best first;
    `hidden` puts signs for what is not to be taken apart.
    """
    front = opened(reply, longest=10 * LONGEST)
    text = _FOREIGN.sub("Answer: ", front.text[:LONGEST])
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
    if "|" in text or "\n" in text or ":" in text or ";" in text:
        given = _from_rows(text, names)
        if given is not None:
            return given
    return _from_marks(text)


# "answer:" in other languages, where a line begins
_FOREIGN = re.compile(
    r"^[^\S\n]{0,4}[*_#]{0,6}[^\S\n]{0,2}(?:(?:die|la|el|het|il)\s)?(?:respuesta|r\u00e9ponse|antwort|risposta|resposta|antwoord|svar|odpowied\u017a|cevap|jawaban"
    r"|\u043e\u0442\u0432\u0435\u0442|(?:\u6700[\u7ec8\u7d42])?(?:\u7684)?(?:\u7b54\u6848|\u56de\u7b54"
    r"|\u7b54\u3048)[\u662f\u4e3a\u70ba\u306f]?|\uc815\ub2f5|\ub2f5|\ub2f5\ubcc0)(?: final(?:e)?)?"
    r"(?:[*_]{0,3}[^\S\n]?:[*_]{0,3}|\s(?:ist|est|es|\u00e8|\u00e9)\s?:?(?=\s))[^\S\n]{0,4}(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)


def plainly(text: str) -> str:
    """A text on its own: no layout, no angle brackets but those of object tags, no runs of spaces."""
    kept = TAG.sub(lambda m: f"\ue000{m.group(1)}\ue001", text) if "<" in text else text
    if "\u2192" in kept or "->" in kept or "=>" in kept or " | " in kept:
        kept = _ARROW.sub(" - ", kept)
    if "~~" in kept:
        kept = _STRUCK.sub(" ", kept)
    if "---" in kept:
        kept = _RULE.sub("", kept)
    if "</" in kept or "<br" in kept:
        kept = _HTML.sub(" ", _HTML_LINES.sub("\n", kept))
    if _LAYOUT.search(kept):
        kept = layout_off(_PRICE.sub("\ue002", kept)).replace("\ue002", "$")
    if not kept.isascii():
        kept = _PICTURES.sub(" ", kept)
    if _SIGNS.search(kept):
        kept = _SIGNS.sub(" ", kept)
    kept = _SPACES.sub(" ", kept).lstrip(_HEAD_SIGNS).rstrip()
    return _KEPT_TAG.sub(r"<det\1>", kept) if "\ue000" in kept else kept


_ARROW = re.compile(r"\s?(?:\u2192|[=-]>)\s?|\s\|\s")
_RULE = re.compile(r"^[^\S\n]{0,4}-{3,80}[^\S\n]{0,4}$", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
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
# pictures say nothing, but for a cross, a thumb down and the like, with which a text is no answer
_PICTURES = re.compile(
    "[\u2600-\u2716\u2719-\u274b\u274d\u2757-\u27bf\u2b50\ufe0f\u200d\U0001f000-\U0001f44d\U0001f44f-\U0001f6aa\U0001f6ac-\U0001faff]+"
)
_KEPT_TAG = re.compile("\ue000(\\d{1,4})\ue001")

# ---------------------------------------------------------------- fields


def _given(value: Any, names: tuple[str, ...]) -> ReplyText | None:
    """An answer that JSON gives in a field, or by a yes beside one of several options; None where it gives none."""
    answer = field(value, names)
    if answer is None:
        if isinstance(value, list):
            return ReplyText(plainly(value[0]), None, True) if len(value) == 1 and isinstance(value[0], str) else None
        return _elected(value) or _only_reason(value)
    reason = _as_text(field(value, REASONS))
    if isinstance(answer, dict):
        found = _elected(answer)
        return NOTHING._replace(reason=reason) if found is None else found._replace(reason=reason)
    return ReplyText(plainly(_as_text(answer) or ""), reason and plainly(reason), True)


def _only_reason(value: dict[str, Any]) -> ReplyText | None:
    reason = _as_text(field(value, REASONS))
    return None if reason is None else NOTHING._replace(reason=plainly(reason))


def _as_text(value: Any) -> str | None:
    """A JSON value in words: true is yes, a list its members."""
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


def _elected(value: dict[str, Any]) -> ReplyText | None:
    """The option that a map says yes to; nothing said where it is none or several; None where this is no such map."""
    votes = {str(key): _vote(said) for key, said in value.items()}
    if len(votes) < 2 or None in votes.values():
        return _likeliest(value)
    chosen = [key for key, yes in votes.items() if yes]
    return ReplyText(plainly(chosen[0]), None, True) if len(chosen) == 1 else NOTHING


def _likeliest(value: dict[str, Any]) -> ReplyText | None:
    """The option with more than half of all probability."""
    if len(value) < 2 or not all(isinstance(p, float | int) and 0 <= p <= 100 for p in value.values()):
        return None
    best = max(value, key=lambda key: value[key])
    return ReplyText(plainly(best), None, True) if value[best] > sum(value.values()) / 2 else NOTHING


_CUT_FIELD = re.compile(
    r"""["'](?P<key>[A-Za-z_ ]{1,30})["']\s{0,9}:\s{0,9}(?P<quote>["'])(?P<said>(?:(?!(?P=quote))[^\\\n]|\\.){0,4000})(?P<end>["'])?"""
)


def _from_cut_json(text: str, names: tuple[str, ...]) -> ReplyText | None:
    """JSON that stopped before its end: an answer that was said to its end, and as much of the reason as there is."""
    answer = reason = None
    for found in _CUT_FIELD.finditer(text):
        key = found["key"].strip().lower().replace(" ", "_")
        if key in names and found["end"] and answer is None:
            answer = found["said"]
        elif key in REASONS and reason is None:
            reason = found["said"]
    if answer is None:
        return NOTHING if '"' in text[:40] and "{" in text[:40] else None
    return ReplyText(plainly(answer), reason and plainly(reason), True)


# ---------------------------------------------------------------- tables and lists of options

_CHECKBOX = re.compile(r"\s{0,9}[-*+]?\s{0,4}\[(?P<vote>[ xX\u2713\u2714]?)\]\s{0,4}(?P<key>\S[^\n]{0,200})(?:\n|$)")
_VOTED = re.compile(
    r"[^\w\ue010]{0,6}(?P<key>[\w\ue010][^\n:;|()]{0,160}?)[*_`\"']{0,4}(?:\s?[:=]\s{0,3}|\s?\(|\s-\s)[*_`]{0,3}"
    r"(?P<vote>yes|no|true|false|correct|incorrect|right|wrong|present|absent"
    r"|[01\u2713\u2714\u2705\u2717\u2718\u274c])[*_`.)]{0,4}(?:\s{0,3}(?:[,;\n]|$)|(?<=\.)\s)",
    re.IGNORECASE,
)
_MOST_ROWS = 40


def _from_rows(text: str, names: tuple[str, ...]) -> ReplyText | None:
    """A table with an answer in it, or a yes or no beside each option, in a table, in lines or in one line."""
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


def _from_table(rows: list[list[str]], names: tuple[str, ...]) -> ReplyText | None:
    """A yes beside one of several options, a column with the answer, or a row with it."""
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


def _from_marks(text: str) -> ReplyText:
    """The answer in the last answer tag or box and the reason in its own tag or beside it; else the whole text."""
    reason = None
    if "<" in text:
        text, reason = _reason_apart(text)
    found = marked(text) if "<" in text or "\\" in text or "[" in text else None
    if found is None or not re.search(r"\w", found[0]):
        return ReplyText(plainly(text), reason)
    start = _FIRST_MARK.search(text)
    before = text[: start.start()] if start and not reason and not re.search(r"\w", found[1]) else ""
    beside = plainly(found[1]) or without_lead_out(plainly(before))
    answer = plainly(found[0])
    return ReplyText(answer, reason or beside or None, REASON.search(answer) is None)


def _reason_apart(text: str) -> tuple[str, str | None]:
    """A text without its <explanation>...</explanation>, and that."""
    start = _REASON_TAG.search(text)
    if start is None:
        return text, None
    close = text.lower().find(f"</{start.group(1).lower()}>", start.end())
    end = close if close >= 0 else len(text)
    said = plainly(text[start.end() : end])
    if not re.search(r"\w", said):
        return text, None
    return text[: start.start()] + (text[end:].partition(">")[2] if close >= 0 else ""), said
