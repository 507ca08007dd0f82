"""Fields of a request body by their names, also those inside others: `reasoning.summary` is `summary` in `reasoning`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def holds(sent: Mapping[str, Any], name: str) -> bool:
    """Whether there is such a field.

    >>> holds({"reasoning": {"effort": "low"}}, "reasoning.effort"), holds({"reasoning": {}}, "reasoning.effort")
    (True, False)
    """
    first, _, rest = name.partition(".")
    inner = sent.get(first)
    return first in sent if not rest else isinstance(inner, Mapping) and holds(inner, rest)


def without(sent: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The same without a field; what holds nothing else then is gone, too.

    >>> without({"a": 1, "reasoning": {"effort": "low"}}, "reasoning.effort")
    {'a': 1}
    """
    first, _, rest = name.partition(".")
    if not holds(sent, name):
        return dict(sent)
    left = without(sent[first], rest) if rest else {}
    return {k: (left if k == first else v) for k, v in sent.items() if k != first or left}


def renamed(sent: Mapping[str, Any], name: str, other: str) -> dict[str, Any]:
    """The same with a field under another name, in its old place.

    >>> renamed({"max_tokens": 9, "seed": 1}, "max_tokens", "max_completion_tokens")
    {'max_completion_tokens': 9, 'seed': 1}
    """
    return {(other if k == name else k): v for k, v in sent.items()}
