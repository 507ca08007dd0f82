"""The strict readers of closed lists: which label (e-SNLI-VE) or which of four choices (VCR, by letter, place or text) a reply affirms.

The text of a choice is never split, even if it contains "because". Wherever it appears in a reply, it is first replaced by a sign, so that
letters and texts are affirmed, denied and corrected alike. The explanation then gets the text back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from snellen.exams.vqa_nle.formats.tags import plain
from snellen.exams.vqa_nle.names import LABELS, LETTERS
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading.affirmed import OptionMention, affirmed, decided, options_in
from snellen.exams.vqa_nle.reading.corrections import corrected
from snellen.exams.vqa_nle.reading.preambles import before_verdict, leads_off, named_in, verdict_in
from snellen.exams.vqa_nle.reading.reasons import REASON, explanation_of, sentence_ends
from snellen.exams.vqa_nle.reading.reply_text import ANSWERS, said_in

_Find = Callable[[str], list[OptionMention]]

# ---------------------------------------------------------------- which option, and why

_MARKS = " \t\n.,:;()[]\"'-!"


def _read(text: str, find: _Find) -> tuple[str | None, str | None]:
    """Return the option that a text affirms, and the rest of the text as the reason."""
    whole = text
    reason = REASON.search(text)
    zone = len(text) if reason is None else reason.start()
    named = named_in(text, zone)
    if named:
        text, zone = text[named.end() :], zone - named.end()
    found = decided(find(text[:zone]))
    after = text[reason.end() - reason.start() + zone :] if reason else None
    if found is None or (found.hedged and after and named_in(after)):  # "It may look like X, as ... The answer is Y."
        return _later(text, find, after)
    end = found.end
    while (own := next((o for o in find(text[end : end + 12]) if o.name == found.name), None)) and not re.search(
        r"\w", text[end : end + own.start]
    ):
        end += own.end
    rest = text[end:]
    because = REASON.search(rest)
    if because is not None and (not re.search(r"\w", rest[: because.start()]) or find(rest[: because.start()])):
        rest = rest[because.end() :]
    elif re.match(r" \w", rest):  # the sentence goes on, but not with a reason yet
        rest = rest[because.end() if because else next((end for _at, end in sentence_ends(rest)), len(rest)) :]
    rest = rest.lstrip(_MARKS)
    if not re.search(r"\w", rest) and named:
        rest = before_verdict(whole, named.start())
    return found.name, rest


def _later(text: str, find: _Find, after: str | None) -> tuple[str | None, str | None]:
    """Return an option that is named after a reason, and that reason."""
    for found in (verdict_in(text), named_in(text)):
        if found:
            rest = text[found.end() :]
            option = decided(find(rest[: next((at for at, _behind in sentence_ends(rest)), len(rest))]))
            if option is not None:
                return option.name, before_verdict(text, found.start())
    return None, after


# ---------------------------------------------------------------- labels

_STEMS = {
    "entailment": r"entail(?:e?ment|ments|s|ed|ing)?",
    "contradiction": r"contradict(?:ion|ions|s|ed|ory|ing)?",
    "neutral": r"neutral(?:ity)?",
}
_LABEL = re.compile("|".join(rf"\b(?P<{label}>{stem})\b" for label, stem in _STEMS.items()), re.IGNORECASE)


def _labels(text: str) -> list[OptionMention]:
    return options_in(text, _LABEL.finditer(text), lambda found: str(found.lastgroup), len(LABELS))


def read_label(reply: str) -> VqaReading:
    """Read one of the three labels; None if the reply affirms none or several."""
    said = said_in(reply)
    text = corrected(said.text)
    label, told = _read(text, _labels)
    if label is None and REASON.match(text):  # "Because he sits, this is a contradiction."
        stated = {option.name for option in affirmed(_labels(text)) if not option.hedged}
        label = stated.pop() if len(stated) == 1 else None
    apart = explanation_of(said.reason) if said.ended else None
    return VqaReading(label, apart or explanation_of(told) or explanation_of(said.reason))


# ---------------------------------------------------------------- choices

SHORTEST_PART = 4
"""Number of words of a choice that are enough to name it, if no other choice has them."""

_FIELDS = ("letter", "option", "choice", *ANSWERS)
_GOES_ON = (
    r"because|since|as|due|given|considering|is|isn't|was|would|seems|fits|matches|makes|and|or|but|not|no|rather|instead|can"
    r"|could|best"
    r"|nor|wait|over|describes|explains"
)
_OPTION = re.compile(
    r"(?<![\w<.-])(?<!\w')(?<!\bn/)(?P<letter>[A-D])(?![\w>-])(?!'\w)(?!\.\w)|\ue010(?P<choice>\d)\d*\ue011"
    r"|\bthe\s(?P<place>first|second|third|fourth|last)\s(?:option|choice|answer|one)\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(rf"[^\S\n][\"']?(?!(?:{_GOES_ON})\b)[^\W\d_]", re.IGNORECASE)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": 3}
_WORD = re.compile(r"[^\W_]+")
# a choice's own full stop in the middle of a sentence
_INNER_STOP = r"(?:\.(?=\.|,|\s(?:and|or|but|rather|instead|is|be|if|from|fits|might|would|because)\b))?"
_SIGN = re.compile("\ue010\\d(\\d*)\ue011")


def _letters(text: str) -> list[OptionMention]:
    """Return letters, texts and places of options, without the article of "A man"."""
    found = (m for m in _OPTION.finditer(text) if m["letter"] not in ("A", "a") or not _ARTICLE.match(text, m.end()))
    return options_in(text, found, _name, len(LETTERS))


def _name(found: re.Match[str]) -> str:
    if found["letter"]:
        return str("ABCD".index(found["letter"].upper()))
    return found["choice"] or str(_PLACES[found["place"].lower()])


@lru_cache(maxsize=1024)
def _words_of(choices: tuple[str, ...], objects: tuple[str, ...]) -> list[list[str]]:
    """Return the words of each choice, with numbers for its objects."""
    return [_WORD.findall(plain(choice, objects).lower()) for choice in choices]


@lru_cache(maxsize=1024)
def _pattern(choices: tuple[str, ...], objects: tuple[str, ...]) -> re.Pattern[str]:
    """Match a choice that is quoted in full, the longest first, with its own letter before it. A choice of one word matches only as the
    whole text.

    A number may appear as a tag or after a class name.
    """
    classes = dict.fromkeys(r"[\W_]".join(map(re.escape, name.split())) for name in objects if name)
    names = "|".join(["det", *classes])
    each = []
    for at, words in sorted(enumerate(_words_of(choices, objects)), key=lambda item: -len(item[1])):
        body = r"[\W_]+".join(
            rf"(?:(?:{names})[\W_]{{0,3}})?{word}" if word.isdigit() else re.escape(word) for word in words
        )
        letter = rf"(?:(?<![\w'/])[(\[]?(?-i:{LETTERS[at]})(?:[)\]][.:]?|[.:]|\s-)[\"' ]{{1,3}})?"
        if len(words) > 1:
            each.append(rf"(?P<c{at}>{letter}[<|\[]{{0,2}}(?<![^\W_]){body}(?![^\W_])[>\]|]{{0,2}}{_INNER_STOP})")
        elif words:
            each.append(rf"(?P<c{at}>\A[\W_]*{body}[\W_]*\Z)")
    return re.compile("|".join(each) or "(?!)", re.IGNORECASE)


def read_choice(reply: str, choices: Sequence[str], objects: Sequence[str] = ()) -> VqaReading:
    """Read a letter, else the text of one choice."""
    known, names = tuple(choices[: len(LETTERS)]), tuple(objects)
    taken: list[str] = []

    def sign(found: re.Match[str]) -> str:
        taken.append(found.group())
        return f"\ue010{str(found.lastgroup)[1:]}{len(taken) - 1}\ue011"

    def shown(text: str | None) -> str | None:
        return None if text is None else _SIGN.sub(lambda found: taken[int(found.group(1))], text)

    said = said_in(reply, _FIELDS, lambda text: _pattern(known, names).sub(sign, text))
    text = corrected(said.text)
    name, after = _read(text, _letters) if text else (None, None)
    chosen = None if name is None else int(name)
    if chosen is None and text and not _letters(text):
        chosen = _begun(text, _words_of(known, names))
    apart = explanation_of(shown(said.reason))
    told = (apart if said.ended else None) or explanation_of(shown(after)) or apart
    if chosen is None or (choices and chosen >= len(choices)):
        return VqaReading(None, told)
    return VqaReading(choices[chosen] if choices else LETTERS[chosen], told, chosen)


def _begun(text: str, each: Sequence[Sequence[str]]) -> int | None:
    """Return the one choice that a text begins to quote, with enough words."""
    reason = REASON.search(text)
    zone = text[: reason.start()] if reason else text
    for words in (_WORD.findall(zone.lower()), _WORD.findall(leads_off(zone).lower())):
        found = [i for i, own in enumerate(each) if list(own[: len(words)]) == words]
        if len(words) >= SHORTEST_PART and len(found) == 1:
            return found[0]
    return None
