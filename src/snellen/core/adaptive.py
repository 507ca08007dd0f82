"""The contract of a data set whose samples are drawn one after the other, by what was answered so far: an eye exam.

All its samples are known by name from the start; what each of them shows is chosen when its turn comes. The choice is a function of the
seed and of the answers alone, never of the order in which they arrive: so an exam that was killed goes on where it was, and anybody
can draw the same sheets again from the record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from snellen.core.dataset import Dataset
from snellen.core.types import Outcome, Sample


class Adaptive(Dataset, ABC):
    """Samples that are chosen on the way. `light` gives all of them; those that are not chosen yet have neither truth nor facts.

    `full` draws a sample as it was chosen, and one that was not chosen yet as it might be: estimates look at these.
    """

    @abstractmethod
    def restore(self, chosen: Iterable[Sample]) -> None:
        """What was chosen before, as samples.jsonl has it."""

    @abstractmethod
    def told(self, name: str, outcome: Outcome) -> None:
        """What became of a sample. One that failed (an error of the network, say) tells nothing."""

    @abstractmethod
    def ready(self, most: int) -> list[str]:
        """The names of samples that can be chosen now, at most so many, and are chosen by this; none until more is told."""

    @abstractmethod
    def draw(self, name: str) -> Sample:
        """A sample as it was chosen, with pictures."""

    @abstractmethod
    def same(self, drawn: Sample, kept: Sample) -> bool:
        """Whether a sample that was drawn again shows what the record says. Another library may write the same pixels as other bytes."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether every sample is chosen."""
