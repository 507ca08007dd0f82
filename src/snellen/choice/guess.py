"""Guess options from the texts alone, for the text-only floor of `snellen protocols --blind`."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.choice.letters import LETTERS
from snellen.core.types import Sample
from snellen.stats.text_floor import Choices, choices


def _choices_of(sample: Sample) -> Choices:
    """Return the texts of a question, and the index of the right option where it is known."""
    options = tuple(sample.facts["options"])
    return Choices(sample.facts["question"], options, options.index(sample.truth) if sample.truth in options else None)


def guessed_letters(known: Sequence[Sample], asked: Sequence[Sample]) -> list[str]:
    """Return a letter for each question that is asked, learnt from those whose truth is known."""
    return [LETTERS[i] for i in choices([_choices_of(s) for s in known], [_choices_of(s) for s in asked])]
