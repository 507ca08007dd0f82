"""Doubt: what is left of a statement once a grammar has taken out the denials that it understands.

A clause that still says "not", "wrong", "unless" or the like denies or doubts in some other way. Nothing that it names is an answer:
when in doubt a reply is unparsable, never wrong, and never correct.
"""

from __future__ import annotations

import re

_CERTAIN = re.compile(
    r"\b(?:no|without (?:any |a )?|beyond (?:any |a )?|little) ?(?:doubt|question)\b|\bnothing (?:but|other than)\b|\bif anything\b"
    r"|\bnone other than\b"
)
_CLAUSE = re.compile(
    r"[,.;:\n!?]|\b(?:but|however|though|although|because|since|while|whereas|so|therefore|instead|given that)\b"
)
_DOUBT = re.compile(
    r"\b(?:no|not|non|never|none|nothing|neither|nor|nope|cannot|wrong|incorrect|false|untrue|unlikely|impossible|mistaken|mistake"
    r"|exclud(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|out of the question|minus|without|lack(?:s|ing)?|absent|missing|fail(?:s|ed)?"
    r"|opposite|hardly|barely|scarcely|unclear|unsure|uncertain|unknown|doubt(?:s|ful)?|whether|if|unless|suppos(?:e|ing)|assum(?:e|ing)"
    r"|(?:had|were) it|or (?:something|anything|not|another|some other)|less|least"
    r"|all but|except|wonder|(?:both|equally|all) (?:possible|plausible|likely|wrong|incorrect)"
    r"|(?:one|people|some|you|many|others) (?:might|may|could|would) (?:think|say|guess|assume|believe)|first (?:guess|thought|impression)"
    r"|ask(?:s|ed|ing)? (?:about|whether|if)|one of the (?:options|choices|candidates)|(?:options|choices) include|depends)\b|n't\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:which|that|this|it) (?:is|was|would be|turned out to be) (?:wrong|incorrect|a mistake|not right|false)\b"
    r"|\b(?:both|all|all of them)(?: are)? (?:wrong|incorrect|possible|plausible|equally likely)\b"
    r"|(?:^|[.;,\n])\s{0,3}(?:no|nope|wrong|incorrect|not really|false)\W{0,3}$"
)
_WORDS = frozenset(
    (
        *("no", "not", "non", "never", "none", "nothing", "neither", "nor", "nope", "cannot", "wrong"),
        *("incorrect", "false", "untrue", "unlikely", "impossible", "mistaken", "mistake", "exclude"),
        *("excludes", "excluded", "excluding", "rule", "rules", "ruled", "ruling", "question", "minus"),
        *("without", "lack", "lacks", "lacking", "absent", "missing", "fail", "fails", "failed", "opposite"),
        *("hardly", "barely", "scarcely", "unclear", "unsure", "uncertain", "unknown", "doubt", "doubts"),
        *("doubtful", "whether", "if", "unless", "suppose", "supposing", "assume", "assuming", "had", "were"),
        *("or", "less", "least", "but", "except", "wonder", "possible", "plausible", "likely", "might", "may"),
        *("could", "would", "guess", "thought", "impression", "ask", "asks", "asked", "asking", "options"),
        *("choices", "depends", "unlike", "rather", "instead", "anything", "everything", "far", "other"),
        *("opposed", "unable", "really"),
    )
)  # every denial and doubt has one of these, or "n't"
_SPACED = str.maketrans(",.;:\n!?/", "        ")
_PERHAPS = re.compile(r"\b(?:could|may|might) (?:also )?be\b")


def certain(text: str) -> str:
    """A statement without ways to be certain that sound like doubt.

    >>> certain("without a doubt a cat")
    ' a cat'
    """
    return _CERTAIN.sub("", text)


def undoubted(text: str) -> str:
    """The clauses of a statement that hold no doubt.

    >>> undoubted("it is a cat, there is no evidence for a dog")
    'it is a cat'
    """
    return ",".join(clause for clause in _CLAUSE.split(text) if is_plain(clause) or not _DOUBT.search(clause))


def taken_back(text: str) -> bool:
    """Whether a statement takes back what it said, or only says what could be, several times.

    >>> [taken_back(t) for t in ("I said cat, which was wrong", "cat. no.", "could be a cat, could be a dog", "no, a cat")]
    [True, True, True, False]
    """
    if is_plain(text):
        return False
    return _TAKEN_BACK.search(text) is not None or len(_PERHAPS.findall(text)) > 1


def is_plain(text: str, more: frozenset[str] = frozenset()) -> bool:
    """Whether a text has no word that denies or doubts, nor one of some more: most need not be searched for either.

    >>> is_plain("it is a cat"), is_plain("a cat, not a dog")
    (True, False)
    """
    if "n't" in text:
        return False
    words = text.translate(_SPACED).split()
    return _WORDS.isdisjoint(words) and more.isdisjoint(words)
