"""The read and match stages of each protocol. Pure functions of the reply, the subset and the true names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from snellen.exams.illusionbench.names import ALIASES, SCENES, SHAPES

# ---------------------------------------------------------------- the original, zero-shot


def bucket_original(reply: str, shape: str, scene: str) -> str:
    """`shape`, `texture` or `rest`, by substring of the lower-cased reply; the shape is looked for first.

    The original also tries the scene with spaces, but not lower-cased, so that never matches; kept.
    """
    prediction = reply.lower()
    if shape.lower() in prediction:
        return "shape"
    if scene.lower() in prediction or scene.replace("_", " ") in prediction:
        return "texture"
    return "rest"


# ---------------------------------------------------------------- the original, in context


def clean_icl(reply: str) -> str:
    """The first line (else the first sentence), without punctuation, underscores as spaces, lower-cased."""
    end = reply.find("\n")
    if end == -1:
        end = reply.find(".")
    text = reply[:end] if end > 0 else reply
    return re.sub(r"[^\w\s]", "", text).replace("_", " ").lower()


def match_icl(answer: str, truth: str) -> bool:
    """The truth, cleaned in the same way, is a substring."""
    return re.sub(r"[^\w\s]", "", truth).replace("_", " ").lower() in answer


# ---------------------------------------------------------------- lmms-eval

_ANSWER = re.compile(r"answer\s*:\s*([^\n,\.]+)", re.IGNORECASE)


def normalise(text: str) -> str:
    """lmms-eval's normalisation: lower case, `_`, `-` and punctuation to spaces, spaces collapsed."""
    text = text.strip().lower().replace("_", " ").replace("-", " ")
    return re.sub(r"\s+", " ", re.sub(r"[^a-z0-9\s]+", " ", text)).strip()


def extract_strict(reply: str) -> str:
    """What follows the first `Answer:`, up to a comma, a period or the end of the line; nothing where it is missing."""
    found = _ANSWER.search(reply)
    return found.group(1).strip() if found else ""


def match_strict(answer: str, truth: str) -> bool:
    """Equal after normalisation."""
    return bool(normalise(truth)) and normalise(answer) == normalise(truth)


def extract_first(reply: str, task: str) -> str:
    """The value of a line `Shape:` or `Scene:`, else the whole reply."""
    found = re.search(rf"^[^\S\n]*{task}\s*:\s*(.+)$", reply, re.IGNORECASE | re.MULTILINE)
    return found.group(1).strip() if found else reply


def match_first(answer: str, truth: str) -> bool:
    """The normalised truth is a substring of the normalised answer."""
    return bool(normalise(truth)) and normalise(truth) in normalise(answer)


def match_head(reply: str, truth: str) -> bool:
    """The truth as it is, or with spaces for `_` or `-`, is a substring of the lower-cased reply."""
    prediction, label = reply.lower().strip(), truth.lower()
    return any(form in prediction for form in (label, label.replace("_", " "), label.replace("-", " ")))


# ---------------------------------------------------------------- robust

_NOT = r"\b(?:not(?! only\b)|cannot|never|neither|nor|unlike|without|rather than|instead of|nothing like|[a-z]+n't)"
_NO = r"\bno(?: (?:visible|clear|obvious|hidden|such|discernible))?(?: (?:sign|trace|hint|evidence) of)?(?: an?| the)?"
_TURNS = r"but|except|only|so|however|though|although|instead|rather|because|therefore"  # here a new statement begins
_IS_NOT = r" (?:(?:is|was|are|were|do|does|can|could|would) not\b|cannot\b|[a-z]+n't\b)"
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r".*</think(?:ing)?>", re.DOTALL)
LONGEST = 20_000  # characters from the end that are read


class _Names(NamedTuple):
    """Patterns of all names of a subset, longest first, and which name each spelling stands for."""

    named: re.Pattern[str]
    negated: re.Pattern[str]
    spellings: dict[str, str]


@lru_cache(maxsize=8)
def _names(subset: str) -> _Names:
    spellings: dict[str, str] = {}
    for name in (*SHAPES[subset], *SCENES):
        for spelling in (name.lower().replace("_", " "), *ALIASES.get(name, ())):
            spellings.setdefault(spelling, name)
    words = "|".join(re.escape(s) for s in sorted(spellings, key=len, reverse=True))
    name = rf"(?:{words})\b"
    # a few words may stand between "not" and the name ("not really look like a"), and "or" brings more names
    between = rf"(?: (?!(?:{_TURNS})\b)(?!{name})[\w']++){{0,5}}"
    before = rf"(?:{_NOT}{between}|{_NO}) ['(]?{name}(?:,? n?or(?: an?| the)? {name})*"
    after = rf"\b{name}'?{_IS_NOT}"
    return _Names(re.compile(rf"\b{name}"), re.compile(f"{after}|{before}"), spellings)


@lru_cache(maxsize=8192)
def _asserted_and_negated(reply: str, subset: str) -> tuple[tuple[str, ...], frozenset[str]]:
    text = unicodedata.normalize("NFKC", reply[-LONGEST:]).lower().replace("\u2019", "'")
    text = _THOUGHT.sub(" ", _THINKING.sub(" ", text), count=1)
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"[_*`\"#\[\]<>|-]", " ", text))
    names = _names(subset)
    last = max((m.start() for m in names.named.finditer(text)), default=0)
    text = text[max((m.end() for m in re.finditer(r"\banswer ?(?:is|:)", text) if m.end() <= last), default=0) :]
    denied: list[str] = []

    def deny(found: re.Match[str]) -> str:
        denied.extend(names.spellings[m.group()] for m in names.named.finditer(found.group()))
        return ". "

    text = names.negated.sub(deny, text)
    return tuple(dict.fromkeys(names.spellings[m.group()] for m in names.named.finditer(text))), frozenset(denied)


def read_robust(reply: str, subset: str) -> list[str]:
    """The options that a reply names, each once, in order: whole words, longest match first, aliases, spaces for underscores,
    negated ones left out; only what follows the last "answer:" where it names something. Thinking is not read. A reply that
    says of a name both that it is and that it is not says nothing.
    """
    asserted, denied = _asserted_and_negated(reply, subset)
    return [] if denied.intersection(asserted) else list(asserted)


def answer_robust(reply: str, subset: str, task: str) -> str | None:
    """The one option that the reply gives: the only one of the asked kind, else the only one at all (the list is mixed, and
    saying the scene for the shape is an answer). None where it names none, or several.
    """
    named = read_robust(reply, subset)
    of_kind = of_the_kind(named, subset, task)
    found = of_kind or named
    return found[0] if len(found) == 1 else None


def of_the_kind(named: list[str], subset: str, kind: str) -> list[str]:
    """The shapes, or the scenes, among some names."""
    return [name for name in named if name in (SHAPES[subset] if kind == "shape" else SCENES)]
