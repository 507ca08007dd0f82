"""The strict reader: the bugs of multimodal-vqa-eval fixed, and the text that models put around an answer removed.

Yes/no and number answers keep no second "because"; `A)`, `(A)`, `A,`, `**A**` and "the answer is A" are letters, the article in "A man ..."
is not; a negated label is not that label, and two labels count as none; a choice that contains "because" is not split; "nan" is not a
number and "1,000" one; accents, decimals and the words answer, question and explanation stay.

An answer ends at "because" or a similar word, at a dash, or with its line or sentence. An answer that is denied, retracted or left open
does not count: such a reply is unparsable.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.core.reply import left_open, trimmed
from snellen.exams.vqa_nle.names import MISSING, NO_DETAILS
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading.corrections import corrected
from snellen.exams.vqa_nle.reading.preambles import before_verdict, is_clause, leads_off, named_in, verdict_in
from snellen.exams.vqa_nle.reading.reasons import REASON, explanation_of, sentence_ends
from snellen.exams.vqa_nle.reading.reply_text import said_in

SHORT = 4
"""Words: a first part up to this length is an answer and not a preface."""

LONGEST_ANSWER = {True: 8, False: 24}
"""Words: a longer text is neither an answer (VQA-X) nor an activity (ACT-X)."""

_EDGES = " \t\n\r.,;:!?\"'()[]{}-\u2026"
_PLACEHOLDERS = frozenset({MISSING, NO_DETAILS, "explanation", "none", "n/a", ""})


def is_valid(explanation: str | None) -> bool:
    """Return whether a text is more than a placeholder or an echo of the format."""
    return explanation is not None and explanation.strip(_EDGES + "<>").lower() not in _PLACEHOLDERS


def read_open(reply: str, *, short: bool) -> VqaReading:
    """Return an answer in words.

    With `short` (VQA-X), a leading yes or no is the whole answer, and so is a leading number if nothing ends the answer. Otherwise (ACT-X)
    the person who acts is left out.
    """
    said = said_in(reply)
    parts = _parted(corrected(_TURN.sub("", said.text, count=1)), short) if said.text else _NONE
    after = parts.after if said.reason is None or (not said.ended and parts.after) else said.reason
    answer, rest = _settled(parts.head, short, numbers=not (parts.ended or said.ended))
    if answer is not None and not parts.why and _denied_later(answer, parts.after):
        answer = None
    if answer in ("yes", "no") and _REFUSES.match(f"{rest} {after or ''}"):
        answer = None
    return VqaReading(answer, explanation_of(after) or explanation_of(said.reason) or explanation_of(rest))


# ---------------------------------------------------------------- where the answer ends


class _Parts(NamedTuple):
    """The text of an answer, the text after it, whether that is given as its reason, and whether the answer's end is certain."""

    head: str
    after: str | None = None
    ended: bool = False
    why: bool = False


_NONE = _Parts("")
_BREAK = re.compile(
    r"(?<=[^\s:]) ?\n\s*|;\s|(?<=[^\s:]) ?:\s(?!\d)|(?<=[^\W\d]):\s|(?<!\d)\s-{1,3}\s|\s-{1,3}\s(?!\d)", re.IGNORECASE
)
_CLAUSE = re.compile(
    r",\s(?:(?:it|he|she|they|there|this|you|we|i|which|judging|according|seen|shown|indicated|evidenced|evident|who)\b"
    r"|(?:the|his|her|its|their|a|an)\s(?:[\w'-]+\s){1,3}?(?:is|are|has|have|was|were|looks?|appears?|seems?|can|shows?|does|do)\b)",
    re.IGNORECASE,
)
_NOT_A = re.compile(
    r"(?:it|this|that)?\s?(?:(?:is |'s )?\w{3,12}ly not|is not|isn't|'s not|is neither|'s neither|was not|not|neither|never)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\W*(?:it|this|that)\s(?:could|might|may|can)\s", re.IGNORECASE)
_NO_STOP = re.compile(r"^(?:no|nope)[.!]\s(?=\w)", re.IGNORECASE)
_ASKS_SELF = re.compile(r"(?:is|was|could|might|can|would) (?:it|this|that)\b", re.IGNORECASE)
_TURN = re.compile(r"^a\s?:\s{1,4}(?=\w)", re.IGNORECASE)  # a speaker label; VCR's letters are read elsewhere
_NO_COMMA = re.compile(r"^(?:no|nope),\s(?=\w)", re.IGNORECASE)
_LIST_SIGN = re.compile(r"\(?1[.)]\s{1,4}(?=\w)(?!because\b|since\b|as\b|explanation\b)", re.IGNORECASE)


def _parted(text: str, short: bool) -> _Parts:
    """Return the text of the answer, the text after it, and whether the answer's end is certain."""
    if _OPEN.match(text) and _OR.search(_first_part(text, short).head):
        return _NONE
    text = leads_off(text)
    reason = REASON.search(text)
    zone = len(text) if reason is None else reason.start()
    if not text[:zone].strip(_EDGES):
        return _named_later(text, reason.end() if reason else 0, short)
    named = named_in(text, zone)
    if named is not None:
        parts = _first_part(leads_off(text[named.end() :]), short)
        return parts if parts.after else parts._replace(after=before_verdict(text, named.start()))
    parts = _first_part(text, short)
    for _ in range(4):  # past questions and denied answers
        asks = parts.head.endswith("?")
        if not parts.after or parts.why or not (asks or _NOT_A.match(parts.head)):
            break
        rest = trimmed(parts.after + "x", _EDGES)[:-1]
        if asks:
            rest = _NO_COMMA.sub("", rest, count=1)
            if no := _NO_STOP.match(rest):
                asked = leads_off(parts.head)
                if _ASKS_SELF.match(asked):
                    return _Parts("", rest)  # "Is it blue? No. It is red.": no, or red?
                rest = rest[no.end() :] if len(asked.split()) < SHORT else rest
        parts = _first_part(leads_off(rest), short)
    verdict = verdict_in(text)
    if verdict is not None and verdict.start():
        return _weighed(parts, text, verdict, short)
    before, _, last = text.rstrip().rpartition("\n")
    if is_clause(parts.head) and before and len(last.split()) <= SHORT and not is_clause(last):
        return _Parts(last, before, True)  # "There are three dogs.", and the answer on a line of its own
    return parts


def _weighed(parts: _Parts, text: str, verdict: re.Match[str], short: bool) -> _Parts:
    """Return the verdict if the first part was only a part of the reason; nothing if the two are different answers."""
    named = _first_part(text[verdict.end() :], short)
    first, last = trimmed(parts.head, _EDGES).lower(), trimmed(named.head, _EDGES).lower()
    if len(first.split()) > SHORT or is_clause(first) or verdict.group()[:5].lower() == "final":
        return named if named.after else named._replace(after=before_verdict(text, verdict.start()))
    same = first == last or f" {first} " in f" {last} "
    return parts if same else _Parts("", parts.after)


def _first_part(text: str, short: bool) -> _Parts:
    if (listed := _LIST_SIGN.match(text)) and not is_clause(text[listed.end() :]):
        text = text[listed.end() :]
    reason = REASON.search(text)
    zone = len(text) if reason is None or not text[: reason.start()].strip(_EDGES) else reason.start()
    start, end, sure = zone, zone if reason is None else reason.end(), reason is not None and zone < len(text)
    why = zone
    found = _break_in(text, zone, reason is not None)
    if found is not None and reason is not None and found.group().strip() == ":" and _few(text[found.end() : zone]):
        return _first_part(text[found.end() :], short)  # "Color: red because ..."
    if found is not None:
        start, end = found.span()
        sure = sure or (len(text[:start].split()) <= SHORT and "\n" in found.group())
    clause = _CLAUSE.search(text, 0, start)
    if clause is not None and clause.start():
        start, end = clause.start(), clause.start() + 1
    stop = next(sentence_ends(text, start), None)
    if stop is not None:
        start, end = stop[0] + text[stop[0]].count("?"), stop[1]
    if (bracket := _bracket_in(text, start, short)) > 0:
        aside = text.find(")", bracket, start)
        start, end = bracket, end if reason and aside > 0 and not text[aside:zone].strip(_EDGES) else bracket + 2
    if end >= len(text) and start >= len(text):
        return _Parts(text, None, sure)
    return _Parts(text[:start], text[end:], sure, start == why)


def _bracket_in(text: str, end: int, short: bool) -> int:
    """Return where an aside in brackets begins. Names of activities have brackets of their own."""
    for sign in (" (", " ["):
        at = text.find(sign, 0, end)
        if at > 0 and ((short and sign == " (") or _ASIDE.match(text, at + 2) or is_clause(text[at + 2 :])):
            return at
    return -1


def _break_in(text: str, zone: int, reasoned: bool) -> re.Match[str] | None:
    """Return the first dash, colon, semicolon or line end.

    Before a reason, a few words in between belong to the answer or are the answer.
    """
    for found in _BREAK.finditer(text, 0, zone):
        between = text[found.end() : zone].strip(_EDGES)
        few = reasoned and "\n" not in found.group() and _few(between)
        if few and found.group().strip().startswith("-") and found.start():
            continue
        if found.start():
            return found
    return None


def _few(words: str) -> bool:
    """Return whether some words can be an answer or a part of one, rather than a clause."""
    return 0 < len(words.strip(_EDGES).split()) < SHORT and not is_clause(words.strip(_EDGES))


def _named_later(text: str, start: int, short: bool) -> _Parts:
    """Return the parts of a reply that begins with its reason: "Because it rains, the answer is yes."."""
    found = named_in(text) or verdict_in(text)
    if found is None:
        return _Parts("", text[start:])
    return _first_part(text[found.end() :], short)._replace(after=before_verdict(text[start:], found.start() - start))


# ---------------------------------------------------------------- what the answer is

_NUMBER = re.compile(r"^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$")
# text after a yes or no that is the whole answer, without a punctuation mark ("no one" and "no parking" are answers of their own)
_GOES_ON_WORDS = (
    "it he she they there this that these those i we you the his her their not since as for is isn't are aren't"
)
_GOES_ON = frozenset(_GOES_ON_WORDS.split())
_YES_NO = {"yes": "yes", "no": "no", "yeah": "yes", "yep": "yes", "yup": "yes", "nope": "no", "nah": "no"}
_DOER = re.compile(
    r"^(?:(?:the|an?|this|that|some|several|two|three|\d)\s)?(?:[a-z-]+\s){0,2}?(?:person|people|man|men|woman|women|child|children"
    r"|kids?|boys?|girls?|guy|lady|player|players|individuals?|someone|somebody|group|he|she|they)"
    r"(?:\s(?:in|on|at|of|with)\s(?:[a-z'-]+\s){1,4}?(?=is\b|are\b|'s\b|'re\b))?(?:\s?(?:is|are|'s|'re|seems? to be"
    r"|appears? to be)(?: (?:currently|probably|likely|clearly))?\s|\s(?=[a-z]{2,}ing\b))",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:the|this|that|these|those|his|her|its|their|my|an?)\s(?:[\w'-]+\s){1,6}?(?:is|are|(?:appears?|seems?"
    r"|looks?) to be)\s(?P<said>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_THERE = re.compile(
    r"^there(?:\s(?:is|are)|'s|'re)\s(?:(?:only|exactly|about|just|clearly)\s)?(?P<said>\d[\d,.]*|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(
    r"^(?:(?:it|this|that)(?: is|'s)\s)?(?:not|neither|isn't)\s(?:[^.\n]|\.(?=\d)){1,120}?,?\s(?:but|rather"
    r"|instead)(?:\srather)?,?\s(?:(?:it is|it's)\s)?(?P<said>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_TAIL = re.compile(
    r"(?:,\s(?:and\s|but\s)?not|\s(?:and|but)\snot|\s\(not|\srather\sthan|\sinstead\sof|,?\sas\sopposed\sto)\s\S.*$",
    re.IGNORECASE | re.DOTALL,
)
_NO_ANSWER = re.compile(
    r"(?:i|we|you|one)(?:\s(?:am|do|can|could|cannot|would|must|was|were|have|had)|'m|'ve)?\s?(?:not|n't|unable|sorry|cannot)\b"
    r"|(?:i|we) (?:can't|don't|couldn't|cannot)|i'm (?:sorry|unable|not)"
    r"|not possible to|impossible to|(?:unable|hard|difficult) to|cannot be|can't be|(?:it )?(?:cannot|can't) (?:tell|say"
    r"|determine)|as an ai|let (?:me|us)\b|let's\b|sorry\b|either\s|whether\s|neither\s|do you mean|options are"
    r"|the (?:options|choices|labels)\b"
    r"|no (?:image|picture|photo|one can|(?:clear |definite )?(?:answer|information))\b|none of the above"
    r"|yes\s?(?:/|and|or)\s?no\b|no\s?(?:/|and|or)\s?yes\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:not|confiden\w+|(?:very |quite )?(?:high|low|medium|moderate|likely|sure)|probability|score|final answer|my best guess"
    r"|see (?:the )?(?:image|picture)|i|i'm|\d[\d.%]*)\b",
    re.IGNORECASE,
)
_SURELY = re.compile(
    r",?\s(?:obviously|probably|most likely|likely|clearly|definitely|apparently|maybe|perhaps|of course|for sure|without (?:a "
    r"|any )?doubt|no doubt(?: about it)?|hands down|it is|i (?:think|guess|believe"
    r"|suppose|would say))$",
    re.IGNORECASE,
)
_IS_IT = re.compile(
    r"\s(?:is|would be|seems|must be)\s(?:the\s)?(?:(?:correct|right|best|most|more)\s)?(?:answer|activity|correct|right|likely"
    r"|plausible)(?:\sanswer)?$",
    re.IGNORECASE,
)
_MEANT_TEXT = "sure possible visible at applicable yet much many really very long far clear enough"
_MEANT = frozenset(_MEANT_TEXT.split())
_OR = re.compile(r"\s(?:or|/)\s", re.IGNORECASE)
_NO_PHRASE = re.compile(
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\[\]{}|\\<>\u2717\u2718\u274c\U0001f44e\U0001f6ab]|\s/{1,2}\s|\b(?:please|although|though|maybe|perhaps|possibly)\b"
    r"|.\b(?:does|doesn't|did|didn't|isn't|aren't|wasn't|can't|cannot|couldn't|wouldn't|won't)\b|^(?:i'm|there's|nope|is|are)\s"
    r"|\b(?:but|and|yet)\b.*\bnot\b"
    r"|^(?:(?:the|my|final|correct)\s){0,2}(?:answer|label|explanation|reason)$",
    re.IGNORECASE,
)
_CROSSES = frozenset("\u2717\u2718\u274c\U0001f44e\U0001f6ab")

_BOTH = re.compile(
    r"\b(?:but|yet|maybe|perhaps|possibly|though|although|not|n't)\b.*\b(?:yes|no)\W*$", re.IGNORECASE | re.DOTALL
)


def _settled(head: str, short: bool, numbers: bool) -> tuple[str | None, str]:
    """Return the answer in a text and the rest of the text; None if the text denies, asks or leaves open."""
    text = trimmed(leads_off(head), _EDGES)
    text = _SURELY.sub("", _IS_IT.sub("", text))
    if not text or head.rstrip(" \"'").endswith("?") or _NO_ANSWER.match(text):
        return None, ""
    text = _undenied(text)
    if short:
        word, rest = _whole_word(text, numbers)
        if _OR.search(text) and (word not in ("yes", "no") or _OR.match(f" {rest}")):
            return None, ""
        if rest or word in ("yes", "no"):
            return None if _taken_back_in(word, rest) else word, rest
        counted = _THERE.match(text)
        text = counted["said"] if counted else text
    else:
        text = _DOER.sub("", f"{text})" if text.count("(") > text.count(")") else text)
    if is_clause(text):
        subject = (
            _DOER.sub("", text) if _DOER.match(text) else (found["said"] if (found := _SUBJECT.match(text)) else "")
        )
        text = subject if len(subject.split()) <= (SHORT if short else 2 * SHORT) else ""
    text = _undenied(text)
    words = len(text.split())
    none = words > LONGEST_ANSWER[short] or _NO_PHRASE.search(text) or (" " in text and left_open(text))
    return None if none else text.lower() or None, ""


def _taken_back_in(word: str, rest: str) -> bool:
    """Return whether the words after a yes, no or number deny it or also give another answer: "yes, but maybe no", "2 and it is not 2"."""
    if rest[:1] in _CROSSES:
        return True
    both = _BOTH.search(rest) if word in ("yes", "no") else re.search(rf"(?:\bnot|n't)\s{re.escape(word)}\b", rest)
    return left_open(f"{word} {rest}") is not None or both is not None


def _undenied(text: str) -> str:
    """Return the affirmed part of "not X but Y" and "Y, not X"; nothing for "not X"."""
    if found := _NOT_BUT.match(text):
        text = leads_off(found["said"])
    if found := _NOT_TAIL.search(text):
        kept, tail = trimmed(text[: found.start()], _EDGES), found.group().strip(_EDGES).lower()
        text = "" if kept.lower().startswith("both ") or f" {tail}".endswith(f" {kept.lower()}") else kept
    first, _, others = text.lower().partition(" ")
    if first.endswith("ly") and others.startswith("not "):
        return ""
    return "" if first in ("not", "isn't", "never") and others.partition(" ")[0] not in _MEANT else text


def _whole_word(answer: str, numbers: bool) -> tuple[str, str]:
    """Return a yes, no or number that begins an answer and is all of it, with the rest of the text; no rest otherwise.

    `numbers` is false if the answer's end is known: "5 pm because ..." is not 5.
    """
    first, _, rest = answer.partition(" ")
    word = first.rstrip(",.;:!?").lower()
    if word in _YES_NO and (not rest or word != first.lower() or rest.partition(" ")[0].lower() in _GOES_ON):
        return _YES_NO[word], rest
    return (word, rest) if numbers and _NUMBER.match(word) else (answer, "")


_REFUSES = re.compile(  # "No, I cannot help with that." is not an answer, while "No, I cannot see a dog" is one
    r"\W*(?:(?:but|sorry|i'm sorry|i am sorry)\W+){0,2}(?:i|we)(?:'m|\sam|'re|\sare)?\s(?:cannot|can't|can not|won't"
    r"|will not|unable to|not able to)"
    r"\s(?:\w{1,12}\s){0,2}?(?:help|assist|answer|comply|provide|identify|recogni[sz]e|do (?:that|this)"
    r"|(?:see|view|access|open|load) (?:the|this|that|any|an|your)? ?(?:image|picture|photo|attachment)s?)\b"
    r"|\W*(?:the |an? |any )?(?:image|picture|photo) (?:was|is|did|could|has|failed|cannot|can't)(?: not|n't)?\b",
    re.IGNORECASE,
)
_NO_TO_IT = re.compile(r"\s*(?:no|false|wrong|incorrect)\W*$", re.IGNORECASE)
_IT_IS_NOT = re.compile(
    r"[\s.]*(?:no,? |but |yet )?(?:it|this|that)(?:\sis not|'s not|\sisn't)\s(?:an?\s|the\s)?", re.IGNORECASE
)


def _denied_later(answer: str, after: str | None) -> bool:
    """Return whether the next sentence retracts an answer: "It is red. It is not red."."""
    if not after or len(answer) > 60:
        return False
    if _NO_TO_IT.match(after):
        return True
    found = _IT_IS_NOT.match(after)
    rest = after[found.end() :].lower() if found else ""
    return rest.startswith(answer) and not rest[len(answer) : len(answer) + 1].isalnum()
