"""What a reply says, before anybody asks for an answer of some kind: the shared front end's work, and what these four exams add to it.

An answer may stand apart from its reason, as a field of JSON, in a table, in a tag or a box, or as the one option that got a
"yes"; else there is plain text, in which an answer and its reason follow each other. Everything is linear in the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from snellen.core.reply import field, layout_off, marked, opened
from snellen.exams.vqa_nle.formats.tags import TAG

LONGEST = 20_000
"""Characters that are read, from the start of what was said."""

ANSWERS = (
    *("final_answer", "answer", "label", "activity", "letter", "choice", "option", "prediction", "relation", "relationship"),
    *("classification", "verdict", "category", "action", "response", "result", "output", "final"),
)  # fmt: skip
REASONS = ("explanation", "explanations", "reason", "rationale", "justification", "because", "why", "reasoning", "evidence")


class Said(NamedTuple):
    """`text` is what is left to be read, empty where nothing was said; `reason` an explanation that stands apart from it;
    `ended` is true where the text is known to be no longer than the answer.
    """

    text: str
    reason: str | None = None
    ended: bool = False


NOTHING = Said("")

_AS_ASKED = re.compile(
    r"(?P<head>[A-Za-z0-9][A-Za-z0-9'-]*(?: [A-Za-z0-9'-]+){0,2}?)(?:,? because (?P<why>(?:[A-Za-z0-9 ,'-]|<det\d{1,4}>)*[A-Za-z0-9>]))?\.?"
)
_MORE_TO_IT = frozenset(
    """because not no or nor and but is are was be it its it's this that the a an i i'd i'm we you he she they there my our your isn't aren't either
    both neither whether if person people man men woman women child children kid kids boy boys girl girls guy lady player players individual
    individuals someone somebody group since as due given considering seeing owing on based judging for in from looking after among upon
    examining to at with answer answers label labels activity action option options choice choices letter relation relationship prediction verdict
    classification response conclusion category here here's let let's step part draft question q so thus hence therefore then finally overall
    probably likely possibly perhaps maybe very most quite apparently clearly definitely obviously evidently presumably simply just sure
    certainly absolutely okay ok alright great good well hm hmm hi hello sorry instead rather initially originally never hard difficult unable
    impossible possible cannot can't do available one some these those his her their all two three several yeah yep yup nope nah cause cuz
    assistant ai model bot chatbot gpt claude gemini llava qwen tl tldr wait actually oops correction apologies""".split()
)
_TURNS = frozenset(
    """wait actually rather oops correct correction corrected mistake bad hold sorry apologies mean meant second rephrase revise revised reconsider fix
    closer further careful updated scratch strike forget ignore disregard so therefore thus hence consequently accordingly conclusion
    overall short summary why means final because answer label activity letter option choice""".split()
)
_TAKES_BACK = ("it is not ", "it's not ", "it isn't ", "this is not ", "that is not ")


def as_asked(reply: str) -> tuple[str, str | None] | None:
    """Answer and reason of a reply in the very form that was asked for, a few plain words; None where there may be more to it.

    It only saves time: the long way reads such a reply alike.
    """
    found = _AS_ASKED.fullmatch(reply) if len(reply) < 400 else None
    if found is None:
        return None
    head, why = found["head"], found["why"]
    lowered = head.lower()
    if "'" in head or lowered not in ("yes", "no", "a") and not _MORE_TO_IT.isdisjoint(lowered.split()):
        return None
    if why and ("  " in why or "- " in why or not _TURNS.isdisjoint(why.lower().replace(",", " ").split()) or why.lower().startswith(_TAKES_BACK)):
        return None
    return head, reply[found.start("why") :] if why else None


def said_in(reply: str, names: tuple[str, ...] = ANSWERS, hidden: Callable[[str], str] = str) -> Said:
    """Thinking, JSON, tables, tags, boxes and layout taken off a reply. `names` are the fields that hold an answer, best first;
    `hidden` puts signs for what is not to be taken apart.
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
    if "|" in text or "\n" in text or ":" in text or ";" in text:
        given = _from_rows(text, names)
        if given is not None:
            return given
    return _from_marks(text)


def plainly(text: str) -> str:
    """A text on its own: no layout, no angle brackets but those of object tags, no runs of spaces."""
    kept = TAG.sub(lambda m: f"\ue000{m.group(1)}\ue001", text) if "<" in text else text
    if "\u2192" in kept or "->" in kept or "=>" in kept:
        kept = _ARROW.sub(" - ", kept)
    if "~~" in kept:
        kept = _STRUCK.sub(" ", kept)
    if "</" in kept or "<br" in kept:
        kept = _HTML.sub(" ", kept)
    if _LAYOUT.search(kept):
        kept = layout_off(_PRICE.sub("\ue002", kept)).replace("\ue002", "$")
    if _SIGNS.search(kept):
        kept = _SIGNS.sub(" ", kept)
    kept = _SPACES.sub(" ", kept).lstrip(_HEAD_SIGNS).rstrip()
    return _KEPT_TAG.sub(r"<det\1>", kept) if "\ue000" in kept else kept


_ARROW = re.compile(r"\s?(?:\u2192|[=-]>)\s?")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_HTML = re.compile(
    r"</?(?:p|b|i|u|em|strong|span|div|br|ul|ol|li|code|pre|h[1-6]|html|body|mark|small|center|font|response|output|result"
    r"|answer|activity|label|letter|explanation|reason|rationale|justification)(?:\s[^<>]{0,100})?\s?/?>",
    re.IGNORECASE,
)
_LAYOUT = re.compile(r"[*`_~$\\]|^[^\S\n]{0,12}[-+>#\u2022\u25cf\u25aa]", re.MULTILINE)
_PRICE = re.compile(r"\$(?=\d)")
_SIGNS = re.compile(r"[<>|#`*]+")
_SPACES = re.compile(r"[^\S\n]+")
_HEAD_SIGNS = " \t\n\r\u2705\u2714\u2713\u27a1\u25ba\u25b6\u2192\u2022\u00b7=~,;"
_KEPT_TAG = re.compile("\ue000(\\d{1,4})\ue001")

# ---------------------------------------------------------------- fields


def _given(value: Any, names: tuple[str, ...]) -> Said | None:
    """An answer that JSON gives in a field, or by a yes beside one of several options; None where it gives none."""
    answer = field(value, names)
    if answer is None:
        if isinstance(value, list):
            return Said(plainly(value[0]), None, True) if len(value) == 1 and isinstance(value[0], str) else None
        return _elected(value) or _only_reason(value)
    reason = _as_text(field(value, REASONS))
    if isinstance(answer, dict):
        found = _elected(answer)
        return NOTHING._replace(reason=reason) if found is None else found._replace(reason=reason)
    return Said(plainly(_as_text(answer) or ""), reason and plainly(reason), True)


def _only_reason(value: dict[str, Any]) -> Said | None:
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


def _elected(value: dict[str, Any]) -> Said | None:
    """The option that a map says yes to; nothing said where it is none or several; None where this is no such map."""
    votes = {str(key): _vote(said) for key, said in value.items()}
    if len(votes) < 2 or None in votes.values():
        return _likeliest(value)
    chosen = [key for key, yes in votes.items() if yes]
    return Said(plainly(chosen[0]), None, True) if len(chosen) == 1 else NOTHING


def _likeliest(value: dict[str, Any]) -> Said | None:
    """The option with more than half of all probability."""
    if len(value) < 2 or not all(isinstance(p, float | int) and 0 <= p <= 100 for p in value.values()):
        return None
    best = max(value, key=lambda key: value[key])
    return Said(plainly(best), None, True) if value[best] > sum(value.values()) / 2 else NOTHING


_CUT_FIELD = re.compile(
    r"""["'](?P<key>[A-Za-z_ ]{1,30})["']\s{0,9}:\s{0,9}(?P<quote>["'])(?P<said>(?:(?!(?P=quote))[^\\\n]|\\.){0,4000})(?P<end>["'])?"""
)


def _from_cut_json(text: str, names: tuple[str, ...]) -> Said | None:
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
    return Said(plainly(answer), reason and plainly(reason), True)


# ---------------------------------------------------------------- tables and lists of options

_CHECKBOX = re.compile(r"\s{0,9}[-*+]?\s{0,4}\[(?P<vote>[ xX\u2713\u2714]?)\]\s{0,4}(?P<key>\S[^\n]{0,200})(?:\n|$)")
_VOTED = re.compile(
    r"[^\w\ue010]{0,6}(?P<key>[\w\ue010][^\n:;|()]{0,160}?)[*_`\"']{0,4}(?:\s?[:=]\s{0,3}|\s?\(|\s-\s)[*_`]{0,3}"
    r"(?P<vote>yes|no|true|false|correct|incorrect|right|wrong|present|absent|[01\u2713\u2714\u2705\u2717\u2718\u274c])[*_`.)]{0,4}(?:\s{0,3}(?:[,;\n]|$)|(?<=\.)\s)",
    re.IGNORECASE,
)
_MOST_ROWS = 40


def _from_rows(text: str, names: tuple[str, ...]) -> Said | None:
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


def _from_table(rows: list[list[str]], names: tuple[str, ...]) -> Said | None:
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


def _from_marks(text: str) -> Said:
    """The answer in the last answer tag or box and the reason in its own tag or beside it; else the whole text."""
    reason = None
    if "<" in text:
        text, reason = _reason_apart(text)
    found = marked(text) if "<" in text or "\\" in text or "[" in text else None
    if found is None or not re.search(r"\w", found[0]):
        return Said(plainly(text), reason)
    start = _FIRST_MARK.search(text)
    before = text[: start.start()] if start and not reason and not re.search(r"\w", found[1]) else ""
    beside = plainly(found[1]) or plainly(before)
    return Said(plainly(found[0]), reason or beside or None, False)


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


# ---------------------------------------------------------------- answer and reason in a text

_CLAUSE_WORDS = "it|he|she|they|there|this|these|those|we|you|i|his|her|its|their|the|no|all|both|someone|everyone|people|one|none|only|most|many|some|nothing|nobody|each"
REASON = re.compile(
    r"\(?\b(?:because|bec(?:ua|a)se|beacuse|(?<!ever )since(?!\s(?:\d|then\b|when\b))|due to(?: the fact that)?|given that|owing to|considering(?: that)?|seeing (?:that|as|how)"
    r"|on account of|on the grounds that|based on (?:the fact|how)|(?:as )?(?:evidenced|indicated|shown|suggested) by|judging (?:by|from)|(?:and )?the reason (?:is|being)(?: that)?|for the reason that|(?:explanation|rationale|justification|reason)(?=\s?[:=])"
    rf"|(?<=, )(?:as|given|based on)|(?<=, )for(?=\s(?:{_CLAUSE_WORDS})\b)"
    rf"|(?<!such )(?<!same )(?<!well )(?<!known )(?<!dressed )(?<!far )(?<!used )(?<!long )(?<!soon )(?<!just )(?<!serves )as(?=\s(?:{_CLAUSE_WORDS})\b))\b"
    r"|(?<!\w)(?:'cause|cuz|b/c)\b",
    re.IGNORECASE,
)
# what may stand before an explanation without being a part of it
_AGAIN = re.compile(
    r"^(?:[\s,:;.()-]*(?:(?:(?:this|that|it) is|it's|that's|the reason is|the reason being)(?: that)?\s(?=because\b))?"
    r"\b(?:because\b|since\b|as (?=\w)|(?:explanation|reason|rationale|reasoning|justification|evidence|why)\s?(?:[:=]|\n)|the reason is(?: that)?\b))+",
    re.IGNORECASE,
)
_TRAILERS = " \t\n\r,:;-"


def explanation_of(text: str | None) -> str | None:
    """What follows "because", without another one or an "Explanation:"; None where nothing is said."""
    bare = _AGAIN.sub("", text or "").strip(_TRAILERS).strip()
    if bare[-1:] == ")" and bare.count("(") < bare.count(")"):
        bare = bare[:-1].rstrip()
    return bare if re.search(r"\w", bare) else None


_TITLES = frozenset("st mr mrs ms dr mt ft prof gen lt sgt capt sen rep gov vs no approx e.g i.e etc".split())
_STOP = re.compile(r"[.!?\u2026]+[\"')\]]{0,3}(?=\s)")


def sentence_ends(text: str, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Where sentences end: the place of the marks, and the place behind them. "St. Bernard" and "U.S. flag" go on."""
    for found in _STOP.finditer(text, 0, len(text) if end is None else end):
        word = text[max(0, found.start() - 12) : found.start()].rpartition(" ")[2].lower().lstrip("\"'([")
        following = text[found.end() : found.end() + 4].strip()[:1]
        if found.group()[0] == "." and word:
            if word == "no" and not following.isdigit():
                yield found.span()
                continue
            if word in _TITLES or (len(word) == 1 and word.isalpha() and following.islower()) or re.fullmatch(r"(?:[a-z]\.)+[a-z]", word):
                continue
            if word[-1].isdigit() and following.isdigit():
                continue
        yield found.span()
