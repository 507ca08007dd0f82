"""The strict reader of VCR: which of four choices a reply names, by letter or by text.

The text of a choice is never taken apart, even where it says "because": wherever it stands in a reply it is first replaced by a sign,
so that letters and texts are affirmed, denied and corrected alike; an explanation gets the text back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from snellen.exams.vqa_nle.formats.tags import plain
from snellen.exams.vqa_nle.names import LETTERS
from snellen.exams.vqa_nle.reading import VqaReading
from snellen.exams.vqa_nle.reading.affirmed import OptionMention, decided, options_in
from snellen.exams.vqa_nle.reading.corrections import corrected
from snellen.exams.vqa_nle.reading.preambles import before_verdict, leads_off, named_in, verdict_in
from snellen.exams.vqa_nle.reading.reasons import REASON, explanation_of, sentence_ends
from snellen.exams.vqa_nle.reading.reply_text import ANSWERS, said_in

SHORTEST_PART = 4
"""Words of a choice that stand for the whole, where no other choice has them."""

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
_IS_RIGHT = re.compile(
    r"[)\]\"'.:,*]{0,3}\s(?:is|would be|seems|must be)\s(?:the\s)?(?:correct|right|best|most (?:likely|plausible"
    r"|appropriate))\b(?:\s(?:answer|one|option|choice))?",
    re.IGNORECASE,
)
_OWN_LETTER = re.compile(r"(?<![\w'/])[(\[]?(?P<letter>[A-D])(?:[)\]][.:]?|[.:]|\s-)[\"' ]{1,3}$")
_LONGEST_LETTER = 8
_ITS_TEXT = re.compile(r"\s?[).:,\]\"'-]{0,3}\s{0,3}(?=\ue010)")
_MARKS = " \t\n.,:;)]\"'-!"


def read_choice(reply: str, choices: Sequence[str], objects: Sequence[str] = ()) -> VqaReading:
    """A letter, else the text of one choice."""
    texts = _Texts(choices, objects)
    said = said_in(reply, _FIELDS, texts.hidden)
    text = corrected(said.text)
    chosen, after = _choose(text) if text else (None, None)
    if chosen is None and text and not any(_options(text)):
        chosen = texts.begun(text)
    apart = explanation_of(texts.shown(said.reason))
    told = (apart if said.ended else None) or explanation_of(texts.shown(after)) or apart
    if chosen is None or (choices and chosen >= len(choices)):
        return VqaReading(None, told)
    return VqaReading(choices[chosen] if choices else LETTERS[chosen], told, chosen)


def _options(text: str) -> Iterator[re.Match[str]]:
    """Letters, texts and places of options; not the article of "A man"."""
    for found in _OPTION.finditer(text):
        if found["letter"] not in ("A", "a") or not _ARTICLE.match(text, found.end()):
            yield found


def _name(found: re.Match[str]) -> str:
    if found["letter"]:
        return str("ABCD".index(found["letter"].upper()))
    return found["choice"] or str(_PLACES[found["place"].lower()])


def _decided(text: str) -> OptionMention | None:
    return decided(options_in(text, _options(text), _name, len(LETTERS)))


def _choose(text: str) -> tuple[int | None, str | None]:
    """The number of the choice that a reply names, and the reason that is left of the reply."""
    whole = text
    reason = REASON.search(text)
    zone = len(text) if reason is None else reason.start()
    named = named_in(text, zone)
    if named:
        text, zone = text[named.end() :], zone - named.end()
    found = _decided(text[:zone])
    if found is None:
        after = text[reason.end() - reason.start() + zone :] if reason else None
        return _later(text, after)
    end = found.end
    while (more := _ITS_TEXT.match(text, end)) and (sign := _OPTION.match(text, more.end())):
        end = sign.end()
    right = _IS_RIGHT.match(text, end)
    rest = text[right.end() if right else end :].lstrip(_MARKS)
    because = REASON.search(rest)
    if because is not None and (
        not re.search(r"\w", rest[: because.start()]) or any(_options(rest[: because.start()]))
    ):
        rest = rest[because.end() :]
    if not re.search(r"\w", rest) and named:
        rest = before_verdict(whole, named.start())
    return int(found.name), rest


def _later(text: str, after: str | None) -> tuple[int | None, str | None]:
    """A choice that is named after a reason, and that reason."""
    for found in (verdict_in(text), named_in(text)):
        if found:
            rest = text[found.end() :]
            option = _decided(rest[: next((at for at, _behind in sentence_ends(rest)), len(rest))])
            if option is not None:
                return int(option.name), before_verdict(text, found.start())
    return None, after


# ---------------------------------------------------------------- choices by their text

_WORD = re.compile(r"[^\W_]+")
# a choice's own full stop in the middle of a sentence
_INNER_STOP = re.compile(r"\.(?:\.|,|\s(?:and|or|but|rather|instead|is|be|if|from|fits|might|would|because)\b)")
_NUMBERED = re.compile(r"(?P<name>[^\W\d_]{1,20})(?P<number>\d{1,4})")
_SIGN = re.compile("\ue010\\d(\\d*)\ue011")


@lru_cache(maxsize=1024)
def _keys(choices: tuple[str, ...], objects: tuple[str, ...]) -> list[list[str]]:
    """The words of each choice, with numbers for its objects."""
    return [_WORD.findall(plain(choice, objects).lower()) for choice in choices]


class _Texts:
    """The texts of the choices in a reply: `hidden` puts signs for them, `shown` takes the signs out again."""

    def __init__(self, choices: Sequence[str], objects: Sequence[str]) -> None:
        self.keys = _keys(tuple(choices[: len(LETTERS)]), tuple(objects))
        self.names = {tuple(name.lower().split()) for name in objects}
        self.order = sorted(range(len(self.keys)), key=lambda i: -len(self.keys[i]))
        self.taken: list[str] = []

    def hidden(self, text: str) -> str:
        """The text with a sign wherever a choice is said in full; one of a single word only where it is all that is said."""
        if not self.keys:
            return text
        words = list(_WORD.finditer(text))
        said = [word.group().lower() for word in words]
        made, at, i = [], 0, 0
        while i < len(words):
            found = None
            for choice in self.order:
                found = self._at(said, i, choice)
                if found:
                    break
            if found is None:
                i += 1
                continue
            choice, end = found
            start, stop = words[i].start(), words[end - 1].end()
            start -= len(text[at:start]) - len(text[at:start].rstrip("<|["))
            while stop < len(text) and text[stop] in ">]|":
                stop += 1
            letter = _OWN_LETTER.search(text, max(at, start - _LONGEST_LETTER), start)
            if letter and letter["letter"] == LETTERS[choice]:
                start = letter.start()
            if _INNER_STOP.match(text, stop):
                stop += 1
            made += [text[at:start], f"\ue010{choice}{len(self.taken)}\ue011"]
            self.taken.append(text[start:stop])
            at, i = stop, end
        return "".join((*made, text[at:]))

    def _at(self, said: list[str], i: int, choice: int) -> tuple[int, int] | None:
        """Where a choice ends that begins at a word. A number may be said as a tag or after a class name."""
        key = self.keys[choice]
        if not key or (len(key) == 1 and (i or len(said) > 1)):
            return None
        for word in key:
            if i >= len(said):
                return None
            if said[i] != word:
                skip = self._numbered(said, i, word) if word.isdigit() else None
                if skip is None:
                    return None
                i += skip
            i += 1
        return choice, i

    def _numbered(self, said: list[str], i: int, number: str) -> int | None:
        """How many words stand before one that ends in a number: `det1`, `person1`, `dining table1`."""
        for skip in range(min(3, len(said) - i)):
            found = _NUMBERED.fullmatch(said[i + skip])
            if found and found["number"] == number:
                return skip if (skip == 0 or (*said[i : i + skip], found["name"]) in self.names) else None
        return None

    def shown(self, text: str | None) -> str | None:
        """The text with its signs taken out again."""
        return None if text is None else _SIGN.sub(lambda m: self.taken[int(m.group(1))], text)

    def begun(self, text: str) -> int | None:
        """The one choice that a text begins to say, with enough words."""
        reason = REASON.search(text)
        zone = text[: reason.start()] if reason else text
        for words in (_WORD.findall(zone.lower()), _WORD.findall(leads_off(zone).lower())):
            found = [i for i, key in enumerate(self.keys) if key[: len(words)] == words]
            if len(words) >= SHORTEST_PART and len(found) == 1:
                return found[0]
        return None
