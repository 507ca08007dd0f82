"""The ask stage: samples of a data set become questions, under every arm of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.exam import Exam
from snellen.core.types import Question, Sample
from snellen.engine.ask.controls import altered, as_asked, partners

Ask = Callable[[Sample], Question]
Wanted = Callable[[tuple[str, str]], bool]
Applies = Callable[[Arm, Sample], bool]


def asker(exam: Exam, data: Dataset, prompt: str) -> Ask:
    """How a prompt asks about the samples of a data set, with their examples; raises SnellenError where there are none to be had."""
    shots = data.shots(prompt)
    return lambda sample: exam.ask(prompt, sample, shots(sample))


class Open(NamedTuple):
    """A question that is to be asked. `make` makes it, and raises whatever a sample does to a prompt."""

    id: str
    arm: Arm
    make: Callable[[], Question]


def questions(
    exam: Exam, data: Dataset, arms: Sequence[Arm], wanted: Wanted, applies: Applies, seed: int
) -> Iterator[Question]:
    """Every wanted (sample, arm) as a Question, in data set order; arms with exchanged images come last."""
    return (one.make() for one in to_ask(exam, data, arms, wanted, applies, seed))


def to_ask(
    exam: Exam, data: Dataset, arms: Sequence[Arm], wanted: Wanted, applies: Applies, seed: int
) -> Iterator[Open]:
    """As `questions`, before they are made: one that cannot be made does not end the others."""
    here = {arm: ask_under(exam, data, arm, seed) for arm in arms if arm.control != "shuffled"}
    if here:
        for sample in data.full(lambda i: any(wanted((i, arm.text)) for arm in here)):
            for arm, ask in here.items():
                if wanted((sample.id, arm.text)) and applies(arm, sample):
                    yield Open(sample.id, arm, partial(ask, sample))
    for arm in arms:
        if arm.control == "shuffled":
            yield from _shuffled(exam, data, arm, wanted, applies, seed)


def ask_under(exam: Exam, data: Dataset, arm: Arm, seed: int) -> Ask:
    """Return how an arm asks about a sample."""
    ask = asker(exam, data, arm.prompt)
    if arm == arm.plain:
        return ask
    if not arm.control:
        return lambda sample: msgspec.structs.replace(ask(sample), prompt=arm.text)

    def under_control(sample: Sample) -> Question:
        moved = as_asked(exam, arm, sample, seed)
        question = ask(moved)
        changed = question if moved is not sample else altered(question, arm.control, seed)
        return msgspec.structs.replace(changed, prompt=arm.text)

    return under_control


def _shuffled(exam: Exam, data: Dataset, arm: Arm, wanted: Wanted, applies: Applies, seed: int) -> Iterator[Open]:
    """Each sample with another image of its split and task."""
    ask = ask_under(exam, data, arm, seed)
    for_donor: dict[str, list[Sample]] = {}
    for sample, donor_id in partners(data.whole, seed):
        if data.has(sample.id) and wanted((sample.id, arm.text)) and applies(arm, sample):
            for_donor.setdefault(donor_id, []).append(sample)
    for donor in data.whole.full(for_donor.__contains__):
        given = tuple(
            msgspec.structs.replace(p, transforms=(*p.transforms, f"image of {donor.id}")) for p in donor.pictures
        )
        for sample in for_donor[donor.id]:
            shown = msgspec.structs.replace(sample, pictures=given)
            yield Open(sample.id, arm, partial(ask, shown))
