"""Access fields of a request body by name, also nested ones: `generationConfig.seed` is `seed` in `generationConfig`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def holds(sent: Mapping[str, Any], name: str) -> bool:
    """Tell whether there is such a field.

    >>> holds({"reasoning": {"effort": "low"}}, "reasoning.effort"), holds({"reasoning": {}}, "reasoning.effort")
    (True, False)
    """
    first, _, rest = name.partition(".")
    inner = sent.get(first)
    return first in sent if not rest else isinstance(inner, Mapping) and holds(inner, rest)


def value(sent: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field; None if the field is missing."""
    first, _, rest = name.partition(".")
    inner = sent.get(first)
    if not rest:
        return inner
    return value(inner, rest) if isinstance(inner, Mapping) else None


def without(sent: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the body without a field; an object that is empty then is removed, too.

    >>> without({"a": 1, "reasoning": {"effort": "low"}}, "reasoning.effort")
    {'a': 1}
    """
    first, _, rest = name.partition(".")
    if not holds(sent, name):
        return dict(sent)
    left = without(sent[first], rest) if rest else {}
    return {k: (left if k == first else v) for k, v in sent.items() if k != first or left}


def grown(sent: Mapping[str, Any], name: str, by: int) -> dict[str, Any]:
    """Return the body with the whole number in a field increased; the same body if it has no such field.

    >>> grown({"generationConfig": {"seed": 7}}, "generationConfig.seed", 2), grown({"a": 1}, "seed", 2)
    ({'generationConfig': {'seed': 9}}, {'a': 1})
    """
    first, _, rest = name.partition(".")
    inner = sent.get(first)
    if rest:
        return {**sent, first: grown(inner, rest, by)} if isinstance(inner, Mapping) else dict(sent)
    return {**sent, first: inner + by} if isinstance(inner, int) else dict(sent)


def merged(sent: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two bodies. If both have an object under a name, its fields are merged likewise; else the second one's value counts.

    >>> merged({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}, "c": 4})
    {'a': {'b': 1, 'd': 3}, 'c': 4}
    """
    both = dict(sent)
    for name, new in more.items():
        old = both.get(name)
        both[name] = merged(old, new) if isinstance(old, Mapping) and isinstance(new, Mapping) else new
    return both


def renamed(sent: Mapping[str, Any], name: str, other: str) -> dict[str, Any]:
    """Return the body with a field under another name, in its old place.

    >>> renamed({"max_tokens": 9, "seed": 1}, "max_tokens", "max_completion_tokens")
    {'max_completion_tokens': 9, 'seed': 1}
    """
    return {(other if k == name else k): v for k, v in sent.items()}
