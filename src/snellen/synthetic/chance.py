"""Reproducible random numbers by key, and cases dealt so that each comes equally often.

Sets whose pixels come from numpy draw from numpy's generator, scenes from Python's own. The two deal differently, and neither
may change: a seed names a set permanently.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import numpy as np

_Case = TypeVar("_Case")


def generator(*key: int | str) -> Random:
    """Return the random numbers that belong to a key, the same on every machine."""
    return Random("/".join(str(part) for part in key))  # noqa: S311 (drawings, not secrets)


def dealt(cases: Sequence[_Case], index: int, *key: int | str) -> _Case:
    """Return the case of sample `index`: each block of len(cases) samples has each case once, in a random order.

    >>> sorted(dealt("abc", index, "key") for index in range(3, 6))
    ['a', 'b', 'c']
    """
    block, slot = divmod(index, len(cases))
    order = list(range(len(cases)))
    generator("dealt", *key, block).shuffle(order)
    return cases[order[slot]]


def dealt_number(size: int, index: int, *key: int) -> int:
    """Deal the numbers below `size` like `dealt`, with numpy's generator.

    >>> sorted(dealt_number(3, index, 7) for index in range(3, 6))
    [0, 1, 2]
    """
    block, slot = divmod(index, size)
    return int(np.random.default_rng([*key, block]).permutation(size)[slot])
