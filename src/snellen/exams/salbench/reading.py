"""The read stage: how each protocol gets labels out of a reply. Pure functions of text and label list."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# ---------------------------------------------------------------- lmms-eval (also the paper's own rules)


def read_lmms(reply: str) -> frozenset[str]:
    """Lower case, brackets off the ends, split on commas. Nothing else is cleaned; an empty reply is one empty piece."""
    return frozenset(piece.strip() for piece in reply.lower().strip("[").strip("]").split(","))


def truth_lmms(answer: str) -> frozenset[str]:
    """The data set's answer, split on commas."""
    return frozenset(piece.strip() for piece in answer.lower().split(","))


# ---------------------------------------------------------------- the "SalBench Evaluation Plan v2" implementation

_PLAN_SEPARATORS = (";", " and ", "\n", "|")
_PLAN_TRUTH_SEPARATORS = (";", " and ", "\n")


def _plan_parts(text: str, separators: tuple[str, ...], labels: tuple[str, ...]) -> frozenset[str]:
    lowered = text.lower().strip()
    for separator in separators:
        lowered = lowered.replace(separator, ",")
    found = (next((label for label in labels if label in part), None) for part in lowered.split(","))
    return frozenset(label for label in found if label)


def read_plan_v2(reply: str, labels: tuple[str, ...]) -> frozenset[str]:
    """At most one label a part, by substring. The original looks through a set, whose order changes from run to run;
    here the order is that of the paper's feature list. (Its trimming of articles and nouns has no effect on the result.)
    """
    return _plan_parts(reply, _PLAN_SEPARATORS, labels)


def truth_plan_v2(answer: str, labels: tuple[str, ...]) -> frozenset[str]:
    """The answer read by the same rule."""
    return _plan_parts(answer, _PLAN_TRUTH_SEPARATORS, labels)


# ---------------------------------------------------------------- robust

ALIASES = {
    "orientation": r"orientations?|oriented|rotat(?:ion|ions|ed)|tilt(?:ed)?|angles?|angled|direction|slant(?:ed)?",
    "color": r"colou?rs?|colou?red|colou?ration|colou?ring|hues?",
    "focus": r"focus(?:ed)?|blur(?:red|ry|riness)?|sharpness|defocus(?:ed)?",
    "shape": r"shapes?|shaped",
    "size": r"sizes?|sized|larger|smaller|bigger|scale",
    "location": r"locations?|positions?|positioned|placement|positioning",
    "pattern": r"patterns?|patterned",
}
LONGEST = 20_000  # characters from the end that are read: an answer comes last
_ANSWER = re.compile(r"\b(?:final answer|answer)\b ?(?:is|:|-){1,3} ?")
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_SENTENCE = re.compile(r"[.;\n!?]+|\b(?:but|however|while|whereas|although|though|yet)\b")
_SAME = r"(?:same|similar|identical|equal|unchanged|uniform|consistent|alike|constant|normal)"
_NOT_SAME = re.compile(
    r"\b(?:not|isn't|aren't|no longer|doesn't|don't|does not|do not) "
    rf"(?:(?:all|quite|exactly|have|share|match|show|of|in|the|a) ){{0,3}}{_SAME}\b"
    r"|\b(?:doesn't|don't|does not|do not) (?:match|share)\b"
)


class _Patterns:
    """Compiled patterns of one label list."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        one = "|".join(f"(?:{ALIASES[label]})" for label in labels)
        word = rf"\b(?:{one})\b"
        # every repeat is bounded, so that no reply can make the reader slow
        noun = rf"(?:(?:the|its|their|all|any|in|of)\s){{0,3}}{word}"
        joined = rf"{noun}(?:\s?(?:,\s?(?:and|or|nor)|,|and|or|nor|&|/)\s?{noun}){{0,8}}"
        closed = rf"{noun}(?:\s?,\s?{noun}){{0,8}}\s?,?\s?(?:and|or|nor)\s{noun}"
        self.labels = [(label, re.compile(rf"\b(?:{ALIASES[label]})\b")) for label in labels]
        self.word = re.compile(word)
        # "not color", "no difference in size or shape", "the same shape, size and color", "rather than size"; between the
        # two only words that do not change what is said ("one of the identical circles differs in color" is no denial)
        filler = r"(?:(?:an?|the|its|their|any|all|in|of|by|to|differ|differs|difference|differences|change|changes|due)\s){0,4}"
        self.before = re.compile(
            r"\b(?:not(?!\sonly|\sjust)|no|isn't|aren't|doesn't|don't|does not|do not|without|neither|nor|never"
            rf"|rather than|instead of|{_SAME})\s{filler}(?P<list>{closed}|{noun})"
        )
        # "color, shape and size are the same"; a label after "differs in" does not belong to the list
        self.after = re.compile(
            rf"(?P<lead>\b(?:in|by|different|is|of)\s)?(?P<list>{joined})\s(?:[a-z']{{1,20}}\s){{0,2}}?"
            rf"(?:is|are|was|were|remains?|stays?|looks?|appears?|seems?|being)\s(?:[a-z']{{1,20}}\s){{0,2}}?(?:{_SAME}|not different)\b"
        )
        # the option list copied out in its own order
        self.echo = re.compile(r"\W+(?:and\W+|or\W+)?".join(re.escape(label) for label in labels))


@lru_cache(maxsize=8)
def _patterns(labels: tuple[str, ...]) -> _Patterns:
    return _Patterns(labels)


def read_robust(reply: str, labels: tuple[str, ...]) -> frozenset[str]:
    """All labels that the reply affirms: whole words and their aliases, markdown and JSON ignored, negations taken out,
    a copied option list ignored when the reply goes on to name labels, and only what follows "answer:" where that is said.
    """
    patterns = _patterns(labels)
    text = unicodedata.normalize("NFKC", reply[-LONGEST:]).lower().replace("\u2019", "'")
    text = _THINKING.sub(" ", text)
    text = re.sub(
        r"[*_`#\"\[\]{}()<>|•]+|^[^\S\n]*[-+][^\S\n]+|^[^\S\n]*\d+[.)][^\S\n]+", " ", text, flags=re.MULTILINE
    )
    text = _NOT_SAME.sub("different", re.sub(r"[^\S\n]+", " ", text))
    for marker in reversed(list(_ANSWER.finditer(text))):
        if patterns.word.search(text, marker.end()):
            text = text[marker.end() :]
            break
    without_echo = patterns.echo.sub(" ", text)
    if without_echo != text and patterns.word.search(without_echo):
        text = without_echo
    affirmed: set[str] = set()
    for sentence in _SENTENCE.split(text):
        kept = patterns.before.sub(" ", patterns.after.sub(_keep_lead, sentence))
        affirmed.update(label for label, pattern in patterns.labels if pattern.search(kept))
    return frozenset(affirmed)


def _keep_lead(match: re.Match[str]) -> str:
    """Drop a list said to be the same, but keep its first item where "differs in" led to it ("differs in color, size is equal")."""
    if match["lead"] is None or "," not in match["list"]:
        return " " if match["lead"] is None else match.group()
    return match["lead"] + match["list"].partition(",")[0]
