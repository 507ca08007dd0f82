"""The options that a text affirms: not those that it denies, and separate from those that it only calls possible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_CLAUSE = re.compile(  # the end of a negation's scope
    r"[.,;:!?()\n]|\s-\s|\b(?:but|so|and|then|thus|therefore|hence|because|since|which|however|although|though|rather than"
    r"|instead of)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|non|cannot|never|neither|nor|none|nothing|without|hardly|unlikely|fails?|failed|failing|lacks?|than|instead of"
    r"|excludes?|eliminate[sd]?|rul(?:e|es|ed|ing) out)\b"
    r"|n't\b|[\u2717\u2718\u274c]",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"[)\]\"'*]{0,3}[^\S\n](?:(?:is|are|was|seems?|looks?|can be|could be|would be|must be)\s(?:(?:clearly|definitely|also|both"
    r"|all)\s)?"
    r"(?:not|incorrect|wrong|false|unlikely|implausible|out\b|ruled out|eliminated|excluded|impossible|less)|(?:isn't|aren't"
    r"|doesn't|don't|does not|do not|can't|cannot)\b|would (?:have(?! to be)|need|require|look(?! like)|show|not)\b)"
    r"|[)\]\"'*]{0,3}(?:\s?[:-]\s(?:no|false|wrong|incorrect)\W{0,3}$"
    r"|\s?[\u2717\u2718\u274c])",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:could|might|may|either|first|initially|originally|thought|assumed|looks?|looked|seems?|seemed|appears?"
    r"|appeared|draft|between|options?|choices|labels|classes|among|unless|require|requires)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"[)\]\"'*]{0,2}\s(?:or|nor)\s(?:[\w'-]+\s){0,2}", re.IGNORECASE)
_DRESS = re.compile(r"\s(?:(?:option|choice)\s)?\(?$", re.IGNORECASE)
_THAN = re.compile(r"\b(?:rather than|instead of|opposed to)\s(?:(?:option|choice|the)\s)?[(\"']?$", re.IGNORECASE)
_JOINS = re.compile(
    r"\W{0,3}(?:,\s|/|&|\s)(?:(?:or|and|nor|both|option|choice|maybe)\W?\s?){0,2}\W{0,2}", re.IGNORECASE
)
REACH = 5
"""Number of words before an option in which a negation denies it."""


_SENTENCE = re.compile(r"[.!?\n](?=\s|$)")
_LONG_SENTENCE = 300


class OptionMention(NamedTuple):
    """A mention of an option: where it begins and ends, whether it is only called possible, and whether it is denied."""

    name: str
    start: int
    end: int
    hedged: bool
    denied: bool = False


def options_in(
    text: str, matches: Iterator[re.Match[str]], name: Callable[[re.Match[str]], str], all_of: int
) -> list[OptionMention]:
    """Return every option that a text names, in order.

    Options joined by "or" or a comma belong together. A list of `all_of` them only says what the options are, and is not a choice.

    An option is denied in three ways: by a negation a few words before it in the same clause, together with the option before it if "or"
    joins them, or by the text after it ("A is wrong").
    """
    groups: list[list[tuple[OptionMention, bool]]] = []
    end, denied = 0, False
    for match in matches:
        between = text[end : match.start()]
        if match.end() - match.start() == 1:
            between = _DRESS.sub(" ", between)  # "not (A)" and "not option A" deny A
        near = " ".join(_CLAUSE.split(between)[-1].replace("-", " ").split()[-REACH:]) if end or between else ""
        denied = bool(
            _DENIES.search(near)
            or _is_asked(text, match.end())
            or (denied and _OR.fullmatch(between))
            or _THAN.search(text, max(0, match.start() - 24), match.start())
        )
        after = _DENIED_AFTER.match(text, match.end())
        several = (
            after is not None and re.search(r"\b(?:are|aren't|can|both|all|do|don't)\b", after.group()) is not None
        )
        option = OptionMention(name(match), match.start(), match.end(), _HEDGES.search(near) is not None)
        if groups and not denied and _JOINS.fullmatch(between):
            groups[-1].append((option, after is not None))
            if several:  # "A and B are wrong"
                groups[-1] = [(one, True) for one, _no in groups[-1]]
        else:
            groups.append([(option, denied or after is not None)])
        end = match.end()
    found: list[OptionMention] = []
    for group in groups:
        listed = len({option.name for option, _no in group}) >= all_of
        hedged = listed or group[0][0].hedged
        found += [option._replace(hedged=hedged, denied=no) for option, no in group]
    return found


def _is_asked(text: str, end: int) -> bool:
    """Return whether an option appears in a question."""
    found = _SENTENCE.search(text, end, end + _LONG_SENTENCE)
    return found is not None and found.group() == "?"


def affirmed(options: list[OptionMention]) -> list[OptionMention]:
    """Return the options that are not denied."""
    return [option for option in options if not option.denied]


def decided(options: list[OptionMention]) -> OptionMention | None:
    """Return the one affirmed option. If other options are only called possible, return the one that is not. Return None if the same option
    is denied afterwards.
    """
    left = affirmed(options)
    for only in (left, [option for option in left if not option.hedged]):
        if len({option.name for option in only}) == 1:
            last = only[-1]
            taken_back = any(o.denied and o.name == last.name and o.start > last.start for o in options)
            return None if taken_back else last
    return None
