"""Map model names to the rules for image tokens, read from image_rules.toml."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import msgspec

from snellen.data.declared import declared
from snellen.subjects import image_rules

NO_SIZE = 1500
"""The token count of an image whose size cannot be read."""
_SNAPSHOT = re.compile(r"-20\d\d-\d\d-\d\d$")


class Rule(NamedTuple):
    """A family's rule for counting. `published` means that the source names the model; else the rule is that of its relatives."""

    family: str
    tokens: image_rules.Count
    source: str
    published: bool = True

    @property
    def about(self) -> str:
        """A one-line description of the rule."""
        if self.source:
            return (
                f"{self.family}, by {self.source}" if self.published else f"{self.family}: estimated, as {self.source}"
            )
        return self.family


UNKNOWN = Rule("unknown family: estimated as a token for 750 pixels", image_rules.by_area, "", False)


class _Entry(msgspec.Struct, frozen=True):
    """An entry of the file; the file explains its fields."""

    family: str
    rule: str
    source: str
    published: bool = True
    names: tuple[str, ...] = ()
    pattern: str = "(?!)"
    given: dict[str, Any] = {}


class _Entries(msgspec.Struct, frozen=True):
    sources: dict[str, str]
    entry: tuple[_Entry, ...]


@cache
def _entries() -> _Entries:
    return declared("snellen.subjects", "image_rules.toml", _Entries)


@cache
def image_rule(model: str) -> Rule:
    """Return the rule of a model, by its name without the vendor's; that of its relatives, or a plain guess, if none is published.

    >>> image_rule("openai/gpt-4o-2024-08-06").family, image_rule("claude-opus-4-5").family
    ('OpenAI tiles', 'Claude, up to 1568 tokens')
    >>> image_rule("gpt-6.1-terra").published, image_rule("acme/eyes-1").about
    (False, 'unknown family: estimated as a token for 750 pixels')
    """
    name = model.rpartition("/")[2].lower().partition(":")[0]
    known = _entries()
    for entry in known.entry:
        if _SNAPSHOT.sub("", name) in entry.names or re.search(entry.pattern, name):
            rule = getattr(image_rules, entry.rule)
            count = rule(**entry.given) if entry.given else rule
            return Rule(entry.family, count, known.sources.get(entry.source, entry.source), entry.published)
    return UNKNOWN


def image_tokens(model: str, width: int, height: int, detail: str | None = None) -> int:
    """Return how many tokens an image of that size takes for a model.

    >>> image_tokens("openai/gpt-4o", 1024, 1024), image_tokens("openai/gpt-4o", 1024, 1024, "low")
    (765, 85)
    """
    if width <= 0 or height <= 0:
        return NO_SIZE
    return image_rule(model).tokens(width, height, detail)
