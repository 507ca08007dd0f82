"""Replace the letter or text that names an option by a sign, so that one grammar reads options, names and numbers alike.

A letter is a sign for sure where it cannot be a word: in brackets, after "option" or "answer is", at the start of a sentence before a
point. Any other capital letter names an option, too, but leaves its sentence in doubt. A small word such as "yes" or "no" counts only
where it is a statement of its own. The text of an option counts as whole words, the longest that fits, and never as a part of a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from snellen.choice.letters import LETTERS, fold
from snellen.core.reply import is_part_of_number, minus_signs, numbers_in
from snellen.core.reply.vocabulary import one_of
from snellen.data.declared import declared

OPEN, CLOSE, UNSURE = "\ue010", "\ue011", "\ue012"
SIGN = f"{OPEN}\\d+{CLOSE}"
REFERENCE = r"\b(?:image|figure|fig\.|frame|picture|photo|panel|page|step|row|column|question)s?\s?(?:number\s|#)?\d+\b"
WORDS = declared("snellen.choice", "words.toml", dict[str, tuple[str, ...]])
_NOT = r"~!\u00ac\u2260"
_SENTENCE_START = r"(?:^|(?<=[.!?;]\s))[\"'(\[]*"
_ANSWERED = r"\b(?:answers?|option|choice|conclusion|verdict|say|it is|it's)\b[\"']?(?: is\b)?\s?(?:[:=]|->)?"
_CLAIMED_BY = (
    rf"{_ANSWERED}|\b(?:(?:it|this|that|answers?|option|choice|letter) (?:is|are)|it's|be|choose|pick|select|with)\b:?"
    r"|\b(?:so|thus|hence|therefore|result|final|assistant|label|tl;dr)\b\W?"
)
_END = r"[\"')\]]*\s*(?:$|[.,;:!]|-\s|\(|\b(?:because|since|as)\b)"


def any_word(name: str) -> str:
    """Return the pattern of a list of words.toml."""
    return rf"\b(?:{'|'.join(WORDS[name])})\b"


def sign(place: int) -> str:
    """Return the sign of an option."""
    return f"{OPEN}{place}{CLOSE}"


def places_in(text: str) -> frozenset[int]:
    """Return the options that a signed text names."""
    return frozenset(int(place) for place in re.findall(f"{OPEN}(\\d+){CLOSE}", text))


def signed(text: str, options: Sequence[str], *, lettered: bool = True) -> str:
    """Return a text in lower case, with a sign for each place that names an option; `lettered`: options have labels A, B, C."""
    plain = re.sub(f"[{OPEN}{CLOSE}{UNSURE}]", " ", text)
    return "\n".join(_signed_line(" ".join(line.split()), tuple(options), lettered) for line in plain.splitlines())


def _signed_line(text: str, options: tuple[str, ...], lettered: bool) -> str:
    texts, labels, small = _patterns(options, lettered)
    places = {_form(option): i for i, option in enumerate(options)}
    numbers = numbers_in(text)

    def named(found: re.Match[str]) -> str:
        place = places.get(fold(found[1] or ""))
        return found[0] if place is None or is_part_of_number(numbers, *found.span()) else sign(place)

    text = texts.sub(named, text)
    if lettered:
        text = labels.sub(_labelled, text)
    text = small.sub(lambda found: found[0].removesuffix(found[1]) + sign(places[fold(found[1])]), text)
    text = re.sub(rf"({SIGN}){UNSURE}?(?:[\s.:)(\"',-]{{0,4}}\1)+", r"\1", text)  # a label and its own text are one
    return text.casefold()


def _labelled(found: re.Match[str]) -> str:
    group = found.lastindex or 0
    start, end = (place - found.start() for place in found.span(group))
    doubt = UNSURE if found.lastgroup == "loose" else ""
    signs = re.sub(r"\b[A-Za-z]\b", lambda letter: sign(LETTERS.index(letter[0].upper())) + doubt, found[group])
    return found[0][:start] + signs + found[0][end:]


def _form(option: str) -> str:
    return fold(minus_signs(option)).strip(" .!?,;:\"'")


@lru_cache(maxsize=4096)
def _patterns(options: tuple[str, ...], lettered: bool) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    forms = {form for option in options if (form := _form(option))}
    letters = {form for form in forms if len(form) == 1 and form.isalpha()}
    small = forms & set(WORDS["small"]) - letters
    texts = [rf"(?i:{one_of(forms - letters - small)})"] if forms - letters - small else []
    if not lettered and letters:  # there is an s in "it's"
        texts += [rf"[{''.join(sorted(letters)).upper()}](?!')", rf"(?<=\A)[{''.join(sorted(letters))}](?=\W*\Z)"]
    last = LETTERS[max(len(options), 1) - 1]
    letter = rf"[A-{last}](?!'?\w|[+#&-])"
    one = rf"(?![AI]\s(?!(?:is|are|and|or|because|since)\b)[a-z]){letter}"  # "A man" and "I see" have no labels
    between = r"[\"']?(?:\s?[,;/&|]\s?(?:(?i:and|or)\s)?|\s(?i:and|or)\s)[\"']?"
    some = rf"(?>{one}(?:{between}{one})*)"
    labels = (
        rf"^[^\w{_NOT}-]*(?i:(?:the |my )?(?:final |correct )?(?:answers?|options?|letters?)(?: is| are)?\W+)?((?i:{some}))\W*$",
        rf"(?<!\w)[(\[]\s?((?i:{some}))\s?[)\]]",
        rf"\b(?i:options?|choices?)\s[\"']?((?i:{letter}(?:{between}{one})*))",
        rf"(?i:{_CLAIMED_BY})\s?[\"'(]?((?i:{some}))(?=[\"')\]]*\s*(?:$|[.,;!]))",
        rf"(?i:{_CLAIMED_BY})\s?[\"']?({some})(?={_END})",
        rf"{_SENTENCE_START}({some})(?={_END}|[.):,]|\s(?:is|are)\s(?:the\s)?(?:correct|right|best|true)\b)",
        rf"(?<![\w{_NOT}'.&+-])(?P<loose>{some})",
    )
    stated = rf"(?:{_SENTENCE_START}|(?:{_ANSWERED}|{CLOSE}[.):,]?|,)\s?(?:(?:but|or|and)\s)?[\"'(]*)"
    ended = r"(?=[\"')\]]*\s*(?:$|[.,;!]|-\s|\(|(?:because|since|as)\b))"
    return (
        re.compile(rf"(?<![\w{_NOT}-])({'|'.join(texts) or '(?!)'})(?!-?\w)|(?i:{REFERENCE})"),
        re.compile("|".join(labels)),
        re.compile(rf"{stated}({one_of(small) if small else '(?!)'}){ended}", re.IGNORECASE),
    )
