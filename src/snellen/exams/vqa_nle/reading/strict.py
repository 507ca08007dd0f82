"""The strict reader: the bugs of multimodal-vqa-eval fixed.

Yes/no and number answers keep no second "because"; `A)`, `(A)`, `A,`, `**A**` and "the answer is A" are letters, the article
in "A man ..." is not; a negated label is not that label, and two labels are none; a choice that holds "because" is not split;
"nan" is no number and "1,000" one; accents, decimals and the words answer, question and explanation stay.
"""

from __future__ import annotations

import json
import re
import unicodedata

from snellen.exams.vqa_nle.formats.tags import TAG
from snellen.exams.vqa_nle.names import LABELS, MISSING, NO_DETAILS
from snellen.exams.vqa_nle.reading import Read

LONGEST = 20_000  # characters that are read
SHORT = 4  # words: no reply up to this length is more than an answer


# every repeat below is bounded or over one character class, so that no reply can make the reader slow
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_ECHO = re.compile(r"^\s*<(?:answer|activity|label|letter)>", re.IGNORECASE)
_SPEAKER = re.compile(
    r"^(?:(?:assistant|response|(?:final |correct )?answer|label|activity|option|letter|relation)\s?:\s?)+",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\bbecause\b", re.IGNORECASE)
# what may stand before an explanation without being a part of it
_AGAIN = re.compile(r"^(?:[\s,:;.-]*\b(?:because\b|(?:explanation|reason|rationale)\s?:))+", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:i (?:think|believe)(?: that)?\s)?(?:(?:the|my)\s)?(?:(?:correct|best|right|final)\s)?"
    r"(?:(?:answer|label|activity|option|choice|letter|relation|relationship)(?:\s(?:is|would be|should be)\b)\s?:?\s?"
    r"|(?:it is|it's|this is|that is|that's)\s)",
    re.IGNORECASE,
)
_DOER = re.compile(
    r"^(?:(?:the|an?)\s)?(?:person|people|man|men|woman|women|child|children|boys?|girls?|he|she|they)\s(?:is|are)\s",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:answer|label|activity|option|choice|letter|relation)\s(?:is|would be)\b\s?:?\s?|\b(?:answer|label|activity)\s?:\s?",
    re.IGNORECASE,
)
_SO = re.compile(r"[\s,.;:]{0,3}(?:\b(?:so|therefore|thus|hence)\b)?[\s,]{0,2}(?:\bthe\b)?\s?$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[^\s\d])[.;!?](?=\s)|(?<=\d)[.;!?](?=\s\D)")
_LINE = re.compile(r"(?<![:\s]) ?\n")  # a line that ends in a colon goes on in the next
_NUMBER = re.compile(r"^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$")
_EDGES = " \t\n\r.,;:!?\"'()[]{}"
# what follows a yes or no that is the whole answer, where no mark does ("no one" and "no parking" are answers of their own)
_GOES_ON_WORDS = (
    "it he she they there this that these those i we you the his her their not since as for is isn't are aren't"
)
_GOES_ON = frozenset(_GOES_ON_WORDS.split())
_PLACEHOLDERS = frozenset({MISSING, NO_DETAILS, "explanation", "none", "n/a", ""})


def clean(reply: str) -> str:
    """A reply as plain text: no thinking aloud, no markdown, no angle brackets but those of object tags, no speaker."""
    text = unicodedata.normalize("NFKC", reply[:LONGEST]).replace("\u2019", "'")
    text = _THOUGHT.split(text)[-1]
    kept = TAG.sub(lambda m: f"\ue000{m.group(1)}\ue001", text)  # private characters stand for tags meanwhile
    kept = re.sub(r"[*`#<>|]+", " ", kept)
    kept = re.sub(r"\ue000(\d{1,4})\ue001", r"<det\1>", kept)
    kept = re.sub(r"[^\S\n]+", " ", kept).strip()
    return _SPEAKER.sub("", kept).strip()


def from_json(text: str) -> tuple[str, str | None] | None:
    """A reply that is a JSON object with an answer in it."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    answer = next((found[k] for k in ("answer", "label", "activity", "letter") if isinstance(found.get(k), str)), None)
    explanation = found.get("explanation")
    return None if answer is None else (answer, explanation if isinstance(explanation, str) else None)


def explanation_of(text: str | None) -> str | None:
    """What follows "because", without another one or an "Explanation:"; None where nothing is said."""
    bare = _AGAIN.sub("", text or "").strip(" \t\n\r,:;-").strip()
    return bare if re.search(r"\w", bare) else None


def is_valid(explanation: str | None) -> bool:
    """Whether something is said that is no placeholder and no echo of the format."""
    return explanation is not None and explanation.strip(_EDGES + "<>").lower() not in _PLACEHOLDERS


def split_because(text: str) -> tuple[str, str | None]:
    """Before and after the first "because"; without one, the whole and None."""
    found = _BECAUSE.search(text)
    return (text[: found.start()].strip(), text[found.end() :]) if found else (text, None)


def _answer_text(text: str) -> str:
    """An answer without "the answer is" and the like before it, and without marks around it."""
    bare = text.strip(_EDGES)
    for _ in range(2):
        bare = _LEAD.sub("", bare).strip(_EDGES)
    return bare


def verdict_cut(text: str, start: int) -> str:
    """The reason before a verdict that comes after it: "it rains, so the answer is yes" without what follows the rain."""
    return _SO.sub("", text[:start])


# ---------------------------------------------------------------- VQA-X, ACT-X


def read_open(reply: str, *, short: bool) -> Read:
    """An answer in words. `short` (VQA-X): a yes or no at the head is the whole answer, and so is a number where nothing
    ends the answer; else (ACT-X) who acts is left out.
    """
    given = from_json(reply[:LONGEST].strip())
    text = clean(reply)
    before, after = split_because(text) if given is None else given
    line = _LINE.search(before)
    short_line = line is not None and len(before[: line.start()].split()) <= SHORT
    ended = given is not None or after is not None or short_line
    if given is None and after is None:
        before, after = _first_sentence(text)
    elif given is None and line:
        before, after = text[: line.start()], text[line.end() :]
    elif after is not None and not before.strip(_EDGES):
        return Read(*_named_later(after))
    answer = _answer_text(before)
    if short:
        word, rest = _whole_word(answer, numbers=not ended)
        if rest:
            return Read(word, explanation_of(after) or explanation_of(rest))
    else:
        answer = _DOER.sub("", answer)
    said = None if _ECHO.match(reply) else answer.lower() or None
    return Read(said, explanation_of(after))


def _whole_word(answer: str, numbers: bool) -> tuple[str, str]:
    """A yes, no or number that begins an answer and is all of it, and what is said beyond; nothing beyond otherwise.

    `numbers` is false where the answer's end is known: "5 pm because ..." is no 5.
    """
    first, _, rest = answer.partition(" ")
    word = first.rstrip(",.;:!?").lower()
    alone = word in ("yes", "no") and (word != first.lower() or rest.partition(" ")[0].lower() in _GOES_ON)
    return (word, rest) if alone or (numbers and _NUMBER.match(word)) else (answer, "")


def _first_sentence(text: str) -> tuple[str, str | None]:
    """The first line, and of that the first sentence, where it is longer than any answer need be."""
    line = _LINE.search(text)
    first = text[: line.start()] if line else text
    end = (_SENTENCE.search(first) if len(first.split()) > SHORT else None) or line
    return (text[: end.start()], text[end.end() :]) if end and end.start() else (text, None)


def _named_later(text: str) -> tuple[str | None, str | None]:
    """A reply that begins with its reason: "Because it rains, the answer is yes."."""
    found = list(_NAMED.finditer(text))
    if not found:
        return None, explanation_of(text)
    answer, _more = _first_sentence(text[found[-1].end() :])
    return _answer_text(answer).lower() or None, explanation_of(verdict_cut(text, found[-1].start()))


# ---------------------------------------------------------------- e-SNLI-VE

_STEMS = {
    "entailment": r"entail(?:ment|ments|s|ed|ing)?",
    "contradiction": r"contradict(?:ion|ions|s|ed|ory|ing)?",
    "neutral": r"neutral(?:ity)?",
}
_ANY_LABEL = re.compile("|".join(rf"\b(?P<{label}>{stem})\b" for label, stem in _STEMS.items()), re.IGNORECASE)
_CLAUSE = re.compile(  # what ends the reach of a negation
    r"[.,;:!?()\n–—]|\s-\s|\b(?:but|so|and|then|thus|therefore|hence|because|since|which|however|although|though)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|non|cannot|never|neither|nor|none|nothing|without|hardly|unlikely|fails?|failed|failing|lacks?|than|instead of)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\s(?:or|nor)\s(?:[\w'-]+\s){0,2}", re.IGNORECASE)
_LABEL_ENDS = re.compile(r"[,:;.!]\s|\s-\s")
REACH = 5  # words before a label among which a negation denies it


def labels_in(text: str) -> list[str]:
    """The labels that a text affirms, each once, in the order of its words.

    A label is denied by a negation a few words before it in the same clause, and with the label before it where "or" joins them.

    >>> labels_in("It is neutral, no contradiction"), labels_in("not a clear entailment"), labels_in("entailment or neutral")
    (['neutral'], [], ['entailment', 'neutral'])
    """
    affirmed: dict[str, None] = {}
    end, denied = 0, False
    for found in _ANY_LABEL.finditer(text):
        between = text[end : found.start()]
        near = _CLAUSE.split(between)[-1].replace("-", " ").split()[-REACH:]
        denied = bool(_DENIES.search(" ".join(near)) or (denied and _OR.fullmatch(between)))
        if not denied:
            affirmed[str(found.lastgroup)] = None
        end = found.end()
    return list(affirmed)


def read_label(reply: str) -> Read:
    """One of the three labels; None where none or several are affirmed."""
    given = from_json(reply[:LONGEST].strip())
    text = clean(reply)
    before, after = split_because(text) if given is None else given
    if given is None and (after is None or _LINE.search(before)):
        before, after = _label_first(text, before, after)
    found = labels_in(before)
    if not found and given is None:
        named = list(_NAMED.finditer(text))
        found = labels_in(text[named[-1].end() :].partition(".")[0]) if named else labels_in(text) if not before else []
    label = found[0] if len(found) == 1 else None
    return Read(label if label in LABELS else None, explanation_of(after))


def _label_first(text: str, before: str, after: str | None) -> tuple[str, str | None]:
    """A label on a line of its own, or without "because" before a comma, a colon or the end of a sentence; then the reason."""
    mark = _LINE.search(before) or (None if after is not None else _LABEL_ENDS.search(text))
    if mark is not None:
        first = labels_in(text[: mark.start()])
        if first and set(labels_in(text[mark.end() :])) <= (set(first) if "\n" in mark.group() else set()):
            return text[: mark.start()], text[mark.end() :]
    return before, after
