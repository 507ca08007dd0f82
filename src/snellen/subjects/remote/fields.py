"""Fields of a request body by their path, such as `generationConfig.seed`. Pure: no body is changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def has(body: Mapping[str, Any], path: str) -> bool:
    """Whether a field is there.

    >>> has({"a": {"b": 1}}, "a.b"), has({"a": 1}, "a.b")
    (True, False)
    """
    first, _, rest = path.partition(".")
    if first not in body:
        return False
    return not rest or (isinstance(body[first], Mapping) and has(body[first], rest))


def get(body: Mapping[str, Any], path: str) -> Any:
    """The value of a field; None where it is not there."""
    value: Any = body
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def without(body: Mapping[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    """The same without some fields, and without objects that have no field left.

    >>> without({"a": {"b": 1}, "c": {"d": 2, "e": 3}}, ["a.b", "c.d", "x.y"])
    {'c': {'e': 3}}
    """
    left = dict(body)
    for path in paths:
        first, _, rest = path.partition(".")
        if not rest:
            left.pop(first, None)
        elif has(left, path):
            left[first] = without(left[first], [rest])
            if not left[first]:
                del left[first]
    return left


def merged(body: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Both; where both have an object under a name, its fields are merged likewise, else the second one's value counts.

    >>> merged({"a": {"b": 1}, "c": 2}, {"a": {"d": 3}, "c": 4})
    {'a': {'b': 1, 'd': 3}, 'c': 4}
    """
    both = dict(body)
    for name, value in more.items():
        old = both.get(name)
        both[name] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return both
