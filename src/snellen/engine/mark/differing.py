"""Differences between two documents, place by place: the content of a file and what it should be. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

_NEAR = 1e-9
"""Numbers that are this close count as equal. The last digit depends on the processor."""
NOTHING = "nothing"


class _FileDifference(NamedTuple):
    """One difference: the file, the place in it, the recorded value, and the value found instead."""

    file: str
    place: str
    recorded: str
    found: str


class VerifyResult:
    """The result of a verification: what was compared, what could not be, and the differences.

    `total` counts all differences, of which the first are kept.
    """

    MOST = 10_000

    def __init__(self) -> None:
        self.checked: list[str] = []
        self.unchecked: list[str] = []
        self.differences: list[_FileDifference] = []
        self.total = 0

    def add(self, file: str, place: str, recorded: Any, found: Any) -> None:
        """Add one difference."""
        self.total += 1
        if len(self.differences) < self.MOST:
            self.differences.append(_FileDifference(file, place, said(recorded), said(found)))

    def compare(self, file: str, place: str, recorded: Any, found: Any) -> None:
        """Add every place in which two documents differ."""
        try:
            for where, one, other in differing(recorded, found, place):
                self.add(file, where, one, other)
        except RecursionError:
            self.add(file, place, Plain("a document that is too deep to be compared"), Plain("another"))


class _Absent:
    """Stands for a value that one of two documents does not have."""


ABSENT = _Absent()


def said(value: Any) -> str:
    """Return a short text for a value.

    >>> said(ABSENT), said("Color"), said(0.5), said(None)
    ('nothing', "'Color'", '0.5', 'null')
    """
    if isinstance(value, _Absent):
        return NOTHING
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if not isinstance(value, Plain) else str(value)


class Plain(str):
    """Text for people, which is not quoted."""

    __slots__ = ()


def differing(recorded: Any, found: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the places in which two JSON values differ, with both values.

    >>> list(differing({"a": [1, 2], "b": 1.0}, {"a": [1, 3], "b": 1.0 + 1e-15}))
    [('a.2', 2, 3)]
    """
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys((*recorded, *found)):
            yield from differing(recorded.get(key, ABSENT), found.get(key, ABSENT), _below(place, str(key)))
    elif isinstance(recorded, list) and isinstance(found, list):
        names = [_name(one, i) for i, one in enumerate(found if len(found) >= len(recorded) else recorded, 1)]
        for name, one, other in zip_longest(names, recorded, found, fillvalue=ABSENT):
            yield from differing(one, other, _below(place, str(name)))
    elif not _same(recorded, found):
        yield place, recorded, found


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR * _NEAR)
    return bool(one == other)


def _name(value: Any, number: int) -> str:
    """Return the name of a list item: the name of a protocol or part, else its number."""
    if isinstance(value, Mapping):
        if isinstance(value.get("protocol"), str) and "groups" in value:
            return str(value["protocol"])
        if isinstance(value.get("by"), Mapping) and "metrics" in value:
            return " · ".join(map(str, value["by"].values())) or "all"
        if isinstance(value.get("name"), str):
            return str(value["name"])
    return str(number)


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
