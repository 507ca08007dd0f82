"""Group things, by what they have in common or in batches of a fixed size."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, keys and values in their original order.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def batched(items: Iterable[V], size: int) -> Iterator[list[V]]:
    """Yield batches of `size` items."""
    left = iter(items)
    while some := list(islice(left, size)):
        yield some
