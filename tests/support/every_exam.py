"""Questions of all exams on synthetic sets, with several prompts each, to compare two ways to run a model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from snellen import exams
from snellen.core.adaptive import Adaptive
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import maker_of, traits_of
from snellen.core.options import Selection
from snellen.core.types import Question, Sample
from snellen.engine.ask.questions import Ask, asker

EXAMS = ("actx", "d3", "esnlive", "eye", "grounding", "illusionbench", "salbench", "vcr", "vqax")


def questions(home: Path, each: int, seed: int = 11) -> list[Question]:
    """Return this many questions of every exam, dealt over its prompts in turn."""
    return [q for name in EXAMS for q in islice(_of(name, home / name, each, seed), each)]


def _of(name: str, folder: Path, count: int, seed: int) -> Iterator[Question]:
    exam = exams.load(name)
    if not traits_of(exam).drawn:
        maker_of(exam).make(folder, count=count, seed=seed, workers=1)
    data = exam.open(folder, Selection(seed=seed))
    asked = {prompt: ask for prompt in exam.prompts if (ask := _asker(exam, data, prompt)) is not None}
    if isinstance(data, Adaptive):  # the first sheets of each faculty, the very first of which are the easiest
        samples = [data.draw(name) for name in data.ready(count)]
    else:
        samples = _spread(list(data.full(lambda _id: True)), count)
    for number, sample in enumerate(samples):
        fitting = [prompt for prompt in asked if exam.prompts[prompt].asked_about(sample)]
        yield asked[fitting[number % len(fitting)]](sample)


def _asker(exam: Exam, data: Dataset, prompt: str) -> Ask | None:
    """Return the function that asks; None for a prompt that needs a number of examples."""
    try:
        return asker(exam, data, prompt)
    except SnellenError:
        return None


def _spread(items: list[Sample], count: int) -> list[Sample]:
    """Return this many of them, spread over the list."""
    return [items[i * len(items) // count] for i in range(min(count, len(items)))]
