"""The places of lines in a large file, in 17 bytes each: sorted hashes of the samples' ids, and beside them the places of their lines.

A dict of a million (sample, prompt) takes some 280 MB. Two ids of a million have the same 64-bit hash once in 40 million runs. Since
Python's hashes of texts differ from process to process, running the command again does not repeat the collision.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Key = tuple[str, str]
NOWHERE = -1
RECENT = 1 << 16
"""The smallest number of new entries held unsorted before they are merged with the others."""


class _SortedLines(NamedTuple):
    """The answers to one prompt by the hashes of their samples' ids: where each line begins, and whether it is a failure."""

    hashes: NDArray[np.int64]
    places: NDArray[np.int64]
    failed: NDArray[np.bool_]


_NONE = _SortedLines(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))


class _Arm:
    """The answers to one prompt."""

    def __init__(self) -> None:
        self._recent: dict[int, int] = {}
        self._sorted = _NONE
        self._looked = _NONE.hashes.data

    def put(self, hashed: int, place: int, failed: bool) -> None:
        self._recent[hashed] = place << 1 | failed
        if len(self._recent) >= max(RECENT, len(self._looked) >> 3):
            self.settled()

    def settled(self) -> _SortedLines:
        """Return all of them in order."""
        if self._recent:
            n = len(self._recent)
            packed = np.fromiter(self._recent.values(), np.int64, n)
            hashes = np.concatenate([self._sorted.hashes, np.fromiter(self._recent.keys(), np.int64, n)])
            places = np.concatenate([self._sorted.places, packed >> 1])
            failed = np.concatenate([self._sorted.failed, (packed & 1).astype(bool)])
            self._recent = {}
            order = np.argsort(hashes, kind="stable")
            hashes = hashes[order]
            last = np.append(hashes[1:] != hashes[:-1], True)  # of equal hashes the last
            self._sorted = _SortedLines(hashes[last], places[order[last]], failed[order[last]])
            self._looked = self._sorted.hashes.data
        return self._sorted

    def get(self, hashed: int) -> int | None:
        """Return the place, doubled, plus one for a failure; None if there is none."""
        packed = self._recent.get(hashed)
        if packed is not None:
            return packed
        at = bisect_left(self._looked, hashed)
        if at == len(self._looked) or self._looked[at] != hashed:
            return None
        return int(self._sorted.places[at]) << 1 | bool(self._sorted.failed[at])


class Places:
    """The place of the line of each (sample, prompt)'s answer, and whether that answer is a failure."""

    def __init__(self) -> None:
        self._arms: dict[str, _Arm] = {}

    def put(self, key: Key, place: int, *, failed: bool) -> None:
        """Record the line that counts now."""
        arm = self._arms.get(key[1])
        if arm is None:
            arm = self._arms[key[1]] = _Arm()
        arm.put(hash(key[0]), place, failed)

    def _packed(self, key: Key) -> int | None:
        arm = self._arms.get(key[1])
        return None if arm is None else arm.get(hash(key[0]))

    def get(self, key: Key) -> int | None:
        """Return where the line begins; None if there is none."""
        packed = self._packed(key)
        return None if packed is None else packed >> 1

    def __contains__(self, key: Any) -> bool:
        return self._packed(key) is not None

    def answered(self, key: Key) -> bool:
        """Tell whether there is an answer that is not a failure."""
        packed = self._packed(key)
        return packed is not None and not packed & 1

    def settle(self) -> None:
        """Sort all entries. From then on the object is only read, from any thread."""
        for arm in self._arms.values():
            arm.settled()

    def __len__(self) -> int:
        return sum(self.counts.values())

    @property
    def counts(self) -> dict[str, int]:
        """The number of answers by prompt, including failures."""
        return {prompt: len(arm.settled().hashes) for prompt, arm in self._arms.items()}

    @property
    def failures(self) -> dict[str, int]:
        """The number of failures by prompt."""
        return {prompt: int(arm.settled().failed.sum()) for prompt, arm in self._arms.items()}

    def in_order(self) -> Iterator[int]:
        """Yield all places, in the order of the file."""
        every = [arm.settled().places for arm in self._arms.values()]
        return iter(np.sort(np.concatenate(every)).data) if every else iter(())

    def of(self, prompt: str) -> _SortedLines:
        """Return the answers to a prompt."""
        return self._arms[prompt].settled() if prompt in self._arms else _NONE
