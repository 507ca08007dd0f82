"""Chance without luck: every case comes equally often, in an order that cannot be guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from snellen.synthetic.scenes.model import generator

_Case = TypeVar("_Case")


def dealt(cases: Sequence[_Case], index: int, *key: int | str) -> _Case:
    """The case of sample `index`: every consecutive len(cases) samples have each case once, shuffled.

    >>> sorted(dealt("abc", index, "key") for index in range(3, 6))
    ['a', 'b', 'c']
    """
    block, slot = divmod(index, len(cases))
    order = list(range(len(cases)))
    generator("dealt", *key, block).shuffle(order)
    return cases[order[slot]]
