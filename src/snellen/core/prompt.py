"""The contract of how a sample is asked: a Prompt. The only name of the step from a Sample to a Question is `ask`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from snellen.core.types import Question, Sample

Ask = Callable[[Sample, Sequence[Sample]], Question | str]


class Prompt(NamedTuple):
    """A declared way to ask. `ask` gets a sample and its few-shot examples, and gives a Question, or a text that follows the pictures.

    `applies` says which samples it is asked about; None is all of them. `shots` are the numbers of examples that it can show.
    """

    name: str
    about: str
    ask: Ask
    applies: Callable[[Sample], bool] | None = None
    shots: tuple[int, ...] = (0,)

    def asked_about(self, sample: Sample) -> bool:
        """Whether the prompt is asked about a sample."""
        return self.applies is None or self.applies(sample)


def shots_of(prompts: Iterable[Prompt]) -> list[int]:
    """Return the numbers of few-shot examples that any of the prompts can show."""
    return sorted({n for prompt in prompts for n in prompt.shots} | {0})


def by_name(*prompts: Prompt) -> dict[str, Prompt]:
    """Prompts as an exam holds them."""
    return {p.name: p for p in prompts}
