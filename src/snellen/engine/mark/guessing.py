"""The score of drawing one of a question's options at random, computed and not tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations
from statistics import fmean
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import probes_of, traits_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Protocol
from snellen.core.types import Question, Sample

_MOST_SETS = 128
Guess = Callable[[Sample], Mapping[str, float]]
"""Gives the average score of drawing one of a sample's options, by metric. It is empty if the sample has no options."""


def guessing(exam: Exam, protocol: Protocol, prompt: str) -> Guess:
    """Return a function that computes the score of a random option. Each kind of question is tried once."""
    probes = {(p.tags.get("split"), p.tags.get("task")): p for p in probes_of(exam)}
    known: dict[tuple[object, ...], dict[str, float]] = {}

    def guess(sample: Sample) -> Mapping[str, float]:
        like = sample.tags.get("split"), sample.tags.get("task")
        asked = sample if traits_of(exam).keeps_facts else probes.get(like)
        try:
            question = question_of(exam, prompt, asked) if asked is not None else None
        except SnellenError:  # a prompt that cannot be asked without its examples or pictures
            question = None
        if question is None or not question.options:
            return {}
        tags = *like, sample.tags.get("config")
        kind = (*tags, question.options, question.answer_form, repr(sample.truth), repr(sample.facts))
        if kind not in known:
            every = [mark_reply(protocol, sample, reply).metrics for reply in random_replies(question)]
            known[kind] = {name: fmean(found) for name in every[0] if (found := _numbers(every, name))}
        return known[kind]

    return guess


def _numbers(every: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """Return the values of a metric, or an empty list if one of the marks has no number."""
    values = [metrics.get(name) for metrics in every]
    numbers = [value for value in values if isinstance(value, float)]
    return numbers if len(numbers) == len(values) else []


def chance(guess: Guess, samples: Sequence[Sample], metric: str) -> float | None:
    """Return the mean score of a subject that draws among the options. Return None if one of these samples has no options."""
    values = [guess(sample).get(metric) for sample in samples]
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers and len(numbers) == len(values) else None


def random_replies(question: Question) -> list[str]:
    """Return every possible reply of `baseline/chance`, all equally likely."""
    options = question.options
    if question.answer_kind == "any-of" and 2 ** len(options) <= _MOST_SETS:
        sets = chain.from_iterable(combinations(options, k) for k in range(1, len(options) + 1))
        return [question.answer_form.format(", ".join(s)) for s in sets]
    return [question.answer_form.format(o) for o in options]


def question_of(exam: Exam, prompt: str, sample: Sample) -> Question | None:
    """Return the question without its images, or None if a plugin's prompt cannot do without them."""
    try:
        return exam.ask(prompt, sample)
    except Exception:
        if not exam.origin:
            raise
        return None
