"""Read which option a reply chooses, by letter or by text: in doubt none. Pure.

A reply is read in five steps, and a step counts only where those before it found nothing:

1. every line is nothing but options ("B", "**B. blue**", "Answer: A, C"), or says yes or no to each ("A: yes");
2. it states its answer ("the answer is B", "I would say B", "B is correct", JSON, an answer tag, \\boxed{}), in a sentence without a doubt;
3. its first line begins with the answer ("B. The car is blue", "No, there is none"), or its last line is nothing but the answer;
4. it names an option, and no word anywhere denies, compares, refuses or doubts;
5. otherwise it is unparsable.

Where two claims differ, or what follows takes the claim back, the reply is unparsable, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from snellen.choice.letters import LETTERS, fold
from snellen.choice.signs import SIGN, UNSURE, WORDS, any_word, places_in, signed
from snellen.core.reply import every_json, field, layout_off, marked, minus_signs, opened
from snellen.core.reply.wrappers import FENCE

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\s+(?=(?:because|since)\b)")
_QUESTIONS = re.compile(r"\A(?:[^.!?\n]*\?\s*)+")
_HEADER = re.compile(r"^((?:the |my )?(?:final |correct )?answers?)\W*\n\s*", re.IGNORECASE | re.MULTILINE)
_BOX = re.compile(r"\[([ x])\]\s*([^\[\n,;]+)[,;]?", re.IGNORECASE)
_SIGNS = {
    **dict.fromkeys(map(ord, "\u2713\u2714\u2705\u2611"), " yes "),
    **dict.fromkeys(map(ord, "\u2717\u2718\u274c\u2610"), " no "),
}
_YES_NO = {"yes": "yes", "true": "yes", "no": "no", "false": "no", "1": "yes", "0": "no"}
_VERDICT = re.compile(rf"\W*({SIGN})\W*(?::|=|-|\()\s*(yes|true|1|no|false|0)\W*")
_WORD = (
    "(?:final |correct |right |best |short )?(?:answers?|option|choice|letter|conclusion|verdict|prediction|result|number"
    "|count|cell|shape)"
)
_LINK = r"[\"'*)]*\s?(?:(?:is|are|must be|should be)\b|:|=|-+>)+"
_FILL = r"[^\w\ue010]*(?:(?:therefore|clearly|thus|indeed|most likely|definitely|option|letter|the|an?|that|it is)[^\w\ue010]+)*"
_IT_IS = r"(?:(?:i (?:think|believe|see) )?(?:it|this|that)(?: is|'s) (?:the |an? )?)"
_SOME = rf"{SIGN}(?:(?:[\s,;/&|\"']|\band\b)*{SIGN})*"
_STATED = re.compile(
    rf"\b{_WORD}\b{_LINK}{_FILL}(?={SIGN})"
    rf"|\bi(?:'d|'ll| would| will| must)? (?:say|choose|pick|select|go with|go for|opt for|answer)\b(?: it is| it's)?{_FILL}(?={SIGN})"
    rf"|\b(?:therefore|thus|hence|in conclusion|tl;dr)[,:]*\s(?:it is )?{_FILL}(?={SIGN}\W*(?:$|[.,;]))"
    rf"|(?={SIGN}\W*(?:is|are) (?:(?:clearly|indeed|definitely|therefore) )?(?:the )?(?:correct|right|best|true)\b)"
)
_BARE = re.compile(
    rf"(?!.*[~\u00ac\u2260{UNSURE}]|.*!=)\W*(?:(?:(?:the |my )?{_WORD}{_LINK}|{_IT_IS}){_FILL})?{_SOME}\W*"
)
_HEAD = re.compile(
    rf"\W*{_IT_IS}?({_SOME})[\"')\]]*(?:(?P<mark>\s*[:(,;]|\s-\s)|[.!]+(?=\s|$)|\s*$|\s(?=(?:because|since|as|due|given)\b))"
)
_DOUBT = re.compile(rf"{any_word('doubt')}|[?~\u00ac\u2260{UNSURE}]|!=")
_ASIDE = re.compile(rf"{any_word('aside')}|%|{SIGN}\s?(?:-|to|through)\s?{SIGN}|{SIGN}\s?[:=(]\s?\d")
_TAKEN_BACK = re.compile(
    rf"^\W*(?:(?:is|does|do|can|was) )?{any_word('back')}|{any_word('refusal')}"
    rf"|^[^\w,]*(?:it|this|that|which)\b(?:'s| is| does| do| can| was)? ?{any_word('back')}"
)
_HEDGE = re.compile(rf"{any_word('hedge')}|[?{UNSURE}]")
_NEGATED = re.compile(any_word("negation"))
_NOT_ANOTHER = re.compile(rf"({SIGN}[\"')]*)(?:\s?[,(]\s?(?:and )?|\sand\s)not (?:an? |the )?{SIGN}{UNSURE}?\)?")
_DENIED = re.compile(
    rf"\b(?:not|never|neither)\b[^.;,\ue010]{{0,20}}({SIGN})|n't\b[^.;,\ue010]{{0,20}}({SIGN})"
    rf"|({SIGN})\W*(?:(?:is|was|are|were|does|do|can|would|be)\b ?){{0,2}}(?:\w+ly |also )?(?:not|n't|wrong|incorrect|false|ruled out)"
    rf"|({SIGN})\W+\w+n't\b"
)
_CONTRARY = re.compile(rf"\W*{SIGN}[,;!]\s[^\ue010]*|\W*{_IT_IS}{SIGN}\W*")
CLOSING = " \t\n.!?,;:\"'`*"


_Claim = tuple[frozenset[int], str]
"""The options that are claimed, and what the reply says after them."""


def read_choice(reply: str, options: Sequence[str], *, lettered: bool = True) -> str | None:
    """Return the one option that a reply chooses; None where it chooses none, or several, or leaves a doubt.

    Where options are not `lettered`, they are letters, numbers or words themselves.

    >>> few = ("a cat", "a dog")
    >>> [read_choice(r, few) for r in ("B", "(b)", "B. a dog", "It is a dog.", "Not A. a cat, but B", "A or B", "A man")]
    ['a dog', 'a dog', 'a dog', 'a dog', None, None, None]
    >>> [read_choice(r, ("C", "K", "S"), lettered=False) for r in ("K", "k.", "It's the letter **K**.", "C or K", "<think>K?</think>S", "")]
    ['K', 'K', 'K', None, 'S', None]
    """
    found = claimed(signed(said(reply), options, lettered=lettered))
    return options[min(found)] if len(found) == 1 else None


def read_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """Return all options that a reply chooses, in their order; None where it chooses none, or leaves a doubt.

    >>> three = ("red", "blue", "green")
    >>> read_labels("A, C", three), read_labels('["red"]', three), read_labels("red: yes, blue: no", three), read_labels("All but A", three)
    (['red', 'green'], ['red'], ['red'], None)
    """
    return [options[i] for i in sorted(claimed(signed(said(reply), options)))] or None


def said(reply: str) -> str:
    """Return the content of a reply, in lines without markup: thinking is removed, and an answer in JSON, a tag or a box is "Answer: ...".

    >>> said('<think>A?</think>```json\\n{"answer": "B"}\\n```'), said("So $\\\\boxed{B}$."), said("[x] red\\n[ ] blue")
    ('Answer: B', 'Answer: B', 'red: yes\\n\\nblue: no')
    """
    text = opened(reply).text
    answers, after = set[str](), 0
    for value, start, end in every_json(text):
        whole = not FENCE.sub("", text[:start] + text[end:]).strip()
        if isinstance(value, dict) or (whole and isinstance(value, list)):
            answers.add(_value_said(value))
            after = end
    if answers:
        text = min(answers) + text[after:] if len(answers) == 1 else ""
    elif (held := marked(text)) is not None and held[0].strip():
        text = f"Answer: {held[0]}\n{held[1]}"
    text = _HEADER.sub(r"\1: ", layout_off(_BOX.sub(_box_said, text.translate(_SIGNS)), numbered=True))
    return _QUESTIONS.sub("", text).strip()


def _value_said(value: Any) -> str:
    """Return the answer in a JSON value, as text; empty where it has no answer."""
    found = field(value, WORDS["keys"])
    value = value if found is None else found
    if isinstance(value, dict):
        said_of = {str(key): _YES_NO.get(str(told).casefold()) for key, told in value.items()}
        return "\n".join(f"{key}: {told}" for key, told in said_of.items()) if all(said_of.values()) else ""
    if isinstance(value, list):
        return "Answer: " + ", ".join(str(item) for item in value if isinstance(item, str | int | float))
    return f"Answer: {value}"


def _box_said(found: re.Match[str]) -> str:
    return f"{found[2].strip()}: {'no' if found[1] == ' ' else 'yes'}\n"


def claimed(text: str) -> frozenset[int]:
    """Return the places of the options that a signed text chooses; none in doubt."""
    lines = [_NOT_ANOTHER.sub(r"\1", line.strip()) for line in text.splitlines() if line.strip()]
    text = "\n".join(lines)
    verdicts = [_VERDICT.fullmatch(part) for line in lines for part in re.split(r"[,;]", line) if part.strip()]
    if verdicts and all(verdicts):
        return places_in(" ".join(found[1] for found in verdicts if found and _YES_NO[found[2]] == "yes"))
    if lines and all(map(_BARE.fullmatch, lines)) and not any(map(_STATED.search, lines[1:])):
        return places_in(text)
    stated, begun = list(_stated(lines)), _begun(lines)
    alone = begun and _BARE.fullmatch(lines[0]) and not re.match(_IT_IS, lines[0])
    claims = [*begun, *stated] if alone or not stated else stated
    if claims:
        places, after = claims[-1]
        agreed = all(claim[0] == places for claim in claims)
        return places if agreed and not _is_taken_back(places, after) else frozenset()
    doubted = _DOUBT.search(text) or _ASIDE.search(text) or takes_back(text)
    return frozenset() if doubted else places_in(text)


def _stated(lines: list[str]) -> Iterator[_Claim]:
    """Yield the claims that are stated as such, in a sentence without a doubt."""
    for i, line in enumerate(lines):
        sentences = _SENTENCE.split(line)
        for j, sentence in enumerate(sentences):
            found = _STATED.search(sentence)
            if found is not None and not _DOUBT.search(sentence):
                rest = " ".join((sentence[found.end() :], *sentences[j + 1 :]))
                yield places_in(sentence[found.end() :]), "\n".join((rest, *lines[i + 1 :]))


def _begun(lines: list[str]) -> list[_Claim]:
    """Return the claim at the start of the reply, or in its last line; none where lines begin with different options."""
    begun = {places_in(found[1]) for line in lines if (found := _HEAD.match(line))}
    if len(begun) != 1:
        return []
    places = begun.pop()
    found = _HEAD.match(lines[0])
    if found is None:
        return [(places, "")] if _BARE.fullmatch(lines[-1]) and lines[-2][-1] in ".!?" else []
    rest = lines[0][found.end(1) :]
    first, mark = _SENTENCE.split(rest)[0], (found["mark"] or "").strip()
    listed = mark in (":", "(", ",", ";") and places_in(first) - places and not _NEGATED.search(first)
    doubted = mark in (":", "(", "-") and _DOUBT.search(first)
    return [] if listed or doubted else [(places, "\n".join((rest, *lines[1:])))]


def takes_back(text: str) -> bool:
    """Tell whether a text has a sentence that corrects what was said before it, or refuses to answer.

    >>> takes_back("wait, let me recount"), takes_back("the car waits")
    (True, False)
    """
    return any(_TAKEN_BACK.search(sentence) for line in text.splitlines() for sentence in _SENTENCE.split(line))


def _is_taken_back(places: frozenset[int], after: str) -> bool:
    """Tell whether what follows a claim denies it, corrects it, refuses to answer, or claims another option."""
    lines = [_SENTENCE.split(line) for line in after.splitlines()]
    for sentence in (sentence for line in lines for sentence in line):
        denied = {place for found in _DENIED.finditer(sentence) for place in places_in(found[0])}
        offered = _HEDGE.search(sentence) and not _NEGATED.search(sentence)
        other = places_in(sentence) - places and (offered or _CONTRARY.fullmatch(sentence))
        if other or denied & places:
            return True
    ends = (" ".join(line[-1:] if i == 0 else line) for i, line in enumerate(lines))
    return takes_back(after) or any(_BARE.fullmatch(end) and places_in(end) != places for end in ends)


def exact_choice(reply: str, options: Sequence[str]) -> str | None:
    """Read the letter, maybe with a point or brackets, or the option's text, and nothing around it."""
    text = reply.strip()
    letter = text.strip("().").upper()
    if letter in LETTERS[: len(options)]:
        return options[LETTERS.index(letter)]
    return next((o for o in options if fold(minus_signs(o)) == fold(minus_signs(text)).rstrip(".")), None)


def exact_labels(reply: str, options: Sequence[str]) -> list[str] | None:
    """Read letters or texts with commas between them; an item that is neither makes the reply unreadable."""
    found = [exact_choice(part, options) for part in reply.split(",")]
    if not found or None in found:
        return None
    return [option for option in options if option in found]
