"""The contract of an adaptive data set: samples are drawn one after the other, depending on the answers so far, as in an eye exam.

All sample names are known from the start; the content of each is chosen when its turn comes. The choice is a function of the
seed and of the answers alone, never of the order in which they arrive. So an exam that was killed resumes where it was, and the same
sheets can be drawn again from the record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from snellen.core.dataset import Dataset
from snellen.core.types import Outcome, Sample


class Adaptive(Dataset, ABC):
    """Samples that are chosen during the run. `light` gives all of them; samples that are not chosen yet have neither truth nor facts.

    `full` draws a sample as it was chosen; one that is not chosen yet, as it might be, for estimates.
    """

    @abstractmethod
    def restore(self, chosen: Iterable[Sample]) -> None:
        """Restore earlier choices, as samples.jsonl has them."""

    @abstractmethod
    def told(self, name: str, outcome: Outcome) -> None:
        """Take the outcome of a sample. A failed sample (a network error, say) carries no information."""

    @abstractmethod
    def ready(self, most: int) -> list[str]:
        """Choose up to `most` samples that can be chosen now, and return their names; none until more outcomes are known."""

    @abstractmethod
    def draw(self, name: str) -> Sample:
        """Return a sample as it was chosen, with images."""

    @abstractmethod
    def same(self, drawn: Sample, kept: Sample) -> bool:
        """Tell whether a redrawn sample matches the record. Another library may write the same pixels as other bytes."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """True if every sample is chosen."""
