"""Choose the samples of a data set for a run, the same way in every benchmark."""

from __future__ import annotations

import heapq
from collections.abc import Collection

from snellen.core.digest import rank

FEW = 8
"""If the limit is under one in this many, only the selected ids are picked, and the others are not put in order."""


def choose(ids: Collection[str], limit: int | None, seed: int) -> frozenset[str] | None:
    """Return a seeded subset of `limit` ids (None: all of them).

    The part of an id after its first slash decides, so that the parts of a benchmark which show the same image choose the
    same images; a smaller limit selects a subset of a larger one.
    """
    if limit is None or limit >= len(ids):
        return None

    def place(name: str) -> bytes:
        return rank(seed, name.partition("/")[2])

    few = limit < len(ids) // FEW
    return frozenset(heapq.nsmallest(limit, ids, key=place) if few else sorted(ids, key=place)[:limit])
