"""The read and match stages of each protocol. Pure functions of the reply, the subset and the true names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from snellen.core.reply import Options, certain, is_plain, taken_back, undoubted
from snellen.exams.illusionbench.names import SCENES, SHAPES, spellings_of

# ---------------------------------------------------------------- the original, zero-shot


def bucket_original(reply: str, shape: str, scene: str) -> str:
    """Return `shape`, `texture` or `rest`, by substring of the lower-cased reply; the shape is tried first.

    The original also tries the scene with spaces, but not lower-cased, so that never matches. This is kept.
    """
    prediction = reply.lower()
    if shape.lower() in prediction:
        return "shape"
    if scene.lower() in prediction or scene.replace("_", " ") in prediction:
        return "texture"
    return "rest"


# ---------------------------------------------------------------- the original, in context


def clean_icl(reply: str) -> str:
    """Return the first line (else the first sentence), without punctuation, underscores as spaces, lower-cased."""
    end = reply.find("\n")
    if end == -1:
        end = reply.find(".")
    text = reply[:end] if end > 0 else reply
    return re.sub(r"[^\w\s]", "", text).replace("_", " ").lower()


def match_icl(answer: str, truth: str) -> bool:
    """Return whether the truth, cleaned in the same way, is a substring."""
    return re.sub(r"[^\w\s]", "", truth).replace("_", " ").lower() in answer


# ---------------------------------------------------------------- lmms-eval

_ANSWER = re.compile(r"answer\s*:\s*([^\n,\.]+)", re.IGNORECASE)


def _normalise(text: str) -> str:
    """Normalise as lmms-eval does: lower case, `_`, `-` and punctuation to spaces, spaces collapsed."""
    text = text.strip().lower().replace("_", " ").replace("-", " ")
    return re.sub(r"\s+", " ", re.sub(r"[^a-z0-9\s]+", " ", text)).strip()


def extract_strict(reply: str) -> str:
    """Return the text after the first `Answer:`, up to a comma, a period or the end of the line; empty if it is missing."""
    found = _ANSWER.search(reply)
    return found.group(1).strip() if found else ""


def match_strict(answer: str, truth: str) -> bool:
    """Return whether both are equal after normalisation."""
    return bool(_normalise(truth)) and _normalise(answer) == _normalise(truth)


def extract_first(reply: str, task: str) -> str:
    """Return the value of the last line `Shape:` or `Scene:`, else the whole reply.

    The whole reply also counts if that last line has only white space after the colon. (A line that ends at the colon is not such a line.)
    """
    label = re.compile(rf"\s*{task}\s*:", re.IGNORECASE)
    value = ""
    for line in reply.splitlines():
        found = label.match(line)
        if found and found.end() < len(line):
            value = line[found.end() :].strip()
    return value or reply


def match_first(answer: str, truth: str) -> bool:
    """Return whether the normalised truth is a substring of the normalised answer."""
    return bool(_normalise(truth)) and _normalise(truth) in _normalise(answer)


def match_head(reply: str, truth: str) -> bool:
    """Return whether the truth as it is, or with spaces for `_` or `-`, is a substring of the lower-cased reply."""
    prediction, label = reply.lower().strip(), truth.lower()
    return any(form in prediction for form in (label, label.replace("_", " "), label.replace("-", " ")))


# ---------------------------------------------------------------- robust

_NOT = (
    r"\b(?:not(?! only\b)|cannot|never|neither|nor|unlike|without|rather than|instead of|nothing like|[a-z]+n't"
    r"|(?:any|every)thing(?: else)? (?:but|except)|far from|fails? to|(?<!no )(?<!a )doubts?|hardly|barely|lacks?"
    r"|ruled? out|excludes?|excluded|other than|unlikely|if (?:it|this) (?:was|were|is)|none|wrong to (?:say|call)|as opposed to|unable)"
)
_NO = r"\bno(?: (?:visible|clear|obvious|hidden|such|discernible))?(?: (?:sign|trace|hint|evidence) of)?(?: an?| the)?"
_TURNS = r"but|except|only|so|however|though|although|instead|rather|because|therefore"  # begin a new statement
_IS_NOT = (
    r",? (?:(?:is|was|are|were|do|does|can|could|would) not\b|cannot\b|[a-z]+n't\b"
    r"|(?:is|was) (?:wrong|incorrect|unlikely|impossible|ruled out|excluded)\b)"
)
_DOUBTS = re.compile(
    r"\b(?:no|not|or|but|however|instead|could|might|may|maybe|perhaps|possibly|also|though|although)\b|n't\b"
)


class _Names(NamedTuple):
    """All names of a subset with their spellings, and the pattern of negated ones."""

    options: Options
    negated: re.Pattern[str]


@lru_cache(maxsize=8)
def _names(subset: str) -> _Names:
    spellings: dict[str, str] = {}
    for name in (*SHAPES[subset], *SCENES):
        for spelling in spellings_of(name):
            spellings.setdefault(spelling, name)
    options = Options(spellings, ("class", "class_name", "name"))
    name = rf"{options.word}\b"
    # a few words may stand between "not" and the name ("not really look like a"), and "or" brings more names
    between = rf"(?: (?!(?:{_TURNS})\b)(?!{name})[\w']++){{0,6}}"
    before = rf"(?:{_NOT}{between}|{_NO}) ['(]?{name}(?:(?:,? (?:n?or|and)|,)(?: an?| the)? {name})*"
    after = rf"\b{name}'?{_IS_NOT}"
    return _Names(options, re.compile(f"{after}|{before}"))


@lru_cache(maxsize=8192)
def _asserted_and_negated(reply: str, subset: str) -> tuple[tuple[str, ...], frozenset[str]]:
    names = _names(subset)
    said = names.options.said(reply)
    denied: list[str] = []

    def deny(found: re.Match[str]) -> str:
        denied.extend(names.options.names(found.group()))
        return ". "

    if (said.sure is None or said.leads) and taken_back(said.text):
        return (), frozenset()
    left = said.text
    if not is_plain(left):
        left = undoubted(names.negated.sub(deny, certain(left)))
    rest = tuple(dict.fromkeys(names.options.names(left)))
    if said.sure is None:
        return rest, frozenset(denied)
    # a bare answer, with words that explain it: other names of its kind are not answers, unless the words cast doubt on it
    others = [name for name in rest if name not in said.sure]
    alike = [n for n in others if any((n in SCENES) == (s in SCENES) for s in said.sure)]
    if said.leads and alike and _DOUBTS.search(said.text):
        return (*said.sure, *others), frozenset(denied)
    return (*said.sure, *(name for name in others if name not in alike)), frozenset(denied)


def read_robust(reply: str, subset: str) -> list[str]:
    """Return the options that a reply names, each once, in order, whatever text surrounds them (core/reply/).

    Whole words match, the longest first, with other spellings and plurals. Negated names are left out. A name that is both affirmed and
    denied gives nothing.
    """
    asserted, denied = _asserted_and_negated(reply, subset)
    return [] if denied.intersection(asserted) else list(asserted)


def answer_robust(reply: str, subset: str, task: str) -> str | None:
    """Return the one option that the reply gives: the only one of the requested kind, else the only one at all. None if it names none, or
    several.

    The list is mixed, and naming the scene when asked for the shape is an answer.
    """
    named = read_robust(reply, subset)
    of_kind = of_the_kind(named, subset, task)
    found = of_kind or named
    return found[0] if len(found) == 1 else None


def of_the_kind(named: list[str], subset: str, kind: str) -> list[str]:
    """Return the shapes, or the scenes, among some names."""
    return [name for name in named if name in (SHAPES[subset] if kind == "shape" else SCENES)]
