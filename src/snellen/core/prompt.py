"""The contract of asking a sample: a Prompt. The step from a Sample to a Question is always called `ask`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from snellen.core.types import Question, Sample

Ask = Callable[[Sample, Sequence[Sample]], Question | str]


class Prompt(NamedTuple):
    """A declared way to ask. `ask` gets a sample and its few-shot examples, and gives a Question, or a text that follows the images.

    `applies` selects the samples to ask about; None is all of them. `shots` are the numbers of examples that it can show.
    """

    name: str
    about: str
    ask: Ask
    applies: Callable[[Sample], bool] | None = None
    shots: tuple[int, ...] = (0,)

    def asked_about(self, sample: Sample) -> bool:
        """Tell whether the prompt is asked about a sample."""
        return self.applies is None or self.applies(sample)


def shots_of(prompts: Iterable[Prompt]) -> list[int]:
    """Return the numbers of few-shot examples that any of the prompts can show."""
    return sorted({n for prompt in prompts for n in prompt.shots} | {0})


def by_name(*prompts: Prompt) -> dict[str, Prompt]:
    """Return prompts in the form in which an exam holds them."""
    return {p.name: p for p in prompts}
