"""Choose the questions that share a batch, and the batch size. Pure: no model, no thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WINDOW = 4  # batches' worth of questions to choose from
GAIN = 1.05  # a larger batch has to be this much faster to be worth its memory


class PromptSize(NamedTuple):
    """The sizes that decide which questions fit together: tokens (or else pixels) of each image, and tokens in all."""

    images: tuple[tuple[int, ...], ...]
    length: int


def pick(shapes: Sequence[PromptSize], size: int) -> list[int]:
    """Return the batch for the first waiting question: the questions with images of the same size that need the least padding.

    The first is always in it, so no question waits forever. Questions with different numbers of images never share a batch.

    >>> pick([PromptSize((), 90), PromptSize((), 10), PromptSize((), 80), PromptSize(((4,),), 90), PromptSize((), 85)], 3)
    [2, 4, 0]
    """
    alike = [i for i, s in enumerate(shapes) if len(s.images) == len(shapes[0].images)]
    order = sorted(alike, key=lambda i: (shapes[i], i))
    if len(order) <= size:
        return order
    at = order.index(0)
    starts = range(max(0, at - size + 1), min(at, len(order) - size) + 1)
    return min((order[s : s + size] for s in starts), key=lambda batch: _waste([shapes[i] for i in batch]))


def _waste(batch: Sequence[PromptSize]) -> tuple[int, int]:
    lengths = [s.length for s in batch]
    return len({s.images for s in batch}), max(lengths) - min(lengths)


class BatchSize:
    """A batch size that doubles while batches succeed and get faster; it halves when memory runs out, and then stays."""

    def __init__(self, *, start: int, cap: int) -> None:
        """Start with a size. A fixed size is a start that equals its cap."""
        self.now = start
        self.settled = start >= cap
        self.shrunk_at: list[int] = []
        self._cap = cap
        self._best = (0.0, start)
        self._doubted = False

    def finished(self, samples: int, tokens: int, seconds: float) -> None:
        """Note a finished batch. Only a full one of the present size counts. A slow one gets a second chance,
        since another process may have kept the machine busy."""
        if self.settled or samples != self.now:
            return
        rate = tokens / max(seconds, 1e-9)
        if rate >= self._best[0] * GAIN:
            self._best, self._doubted = (rate, self.now), False
            self.settled = self.now * 2 > self._cap
            self.now = self.now if self.settled else self.now * 2
        elif self._doubted:
            self.now, self.settled = self._best[1], True
        else:
            self._doubted = True

    def ran_out(self, samples: int) -> None:
        """Note that a batch of that many samples did not fit into memory."""
        self.shrunk_at.append(samples)
        self.now = max(1, min(self.now, samples // 2))
        self.settled = True
