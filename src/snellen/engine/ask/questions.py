"""The ask stage: samples of a data set become questions, under every arm of a run, and are prepared for a subject in chunks.

A question that cannot be made or sent is one failure, and the others are asked. An error that ends the feed itself, such as unreadable
data, is raised after everything before it was handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError, place_of, said_by
from snellen.core.exam import Exam
from snellen.core.pixels import BadPicture, check_image
from snellen.core.subject import Request, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, Question, Sample, Text
from snellen.engine.ask.controls import altered, as_asked, partners

Ask = Callable[[Sample], Question]
Wanted = Callable[[tuple[str, str]], bool]
Applies = Callable[[Arm, Sample], bool]
CHUNK = 16


def asker(exam: Exam, data: Dataset, prompt: str) -> Ask:
    """Return a function that asks a prompt about samples of a data set, with their examples. Raise SnellenError if there are no
    examples.
    """
    shots = data.shots(prompt)
    return lambda sample: exam.ask(prompt, sample, shots(sample))


class Open(NamedTuple):
    """A question to ask. `make` makes it, and raises any error that a sample causes in a prompt."""

    exam: str
    id: str
    arm: Arm
    make: Callable[[], Question]


def questions(
    exam: Exam, data: Dataset, arms: Sequence[Arm], wanted: Wanted, applies: Applies, seed: int
) -> Iterator[Question]:
    """Return every wanted (sample, arm) as a Question, in data set order. Arms with exchanged images come last."""
    return (one.make() for one in to_ask(exam, data, arms, wanted, applies, seed))


def to_ask(
    exam: Exam, data: Dataset, arms: Sequence[Arm], wanted: Wanted, applies: Applies, seed: int
) -> Iterator[Open]:
    """Yield the same items as `questions`, not yet made, so that one that cannot be made does not end the others."""
    here = {arm: ask_under(exam, data, arm, seed) for arm in arms if arm.control != "shuffled"}
    if here:
        for sample in data.full(lambda i: any(wanted((i, arm.text)) for arm in here)):
            for arm, ask in here.items():
                if wanted((sample.id, arm.text)) and applies(arm, sample):
                    yield Open(exam.name, sample.id, arm, partial(ask, sample))
    for arm in arms:
        if arm.control == "shuffled":
            yield from _shuffled(exam, data, arm, wanted, applies, seed)


def ask_under(exam: Exam, data: Dataset, arm: Arm, seed: int) -> Ask:
    """Return the function by which an arm asks about a sample."""
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
    """Yield each sample with another image of its split and task."""
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
            yield Open(exam.name, sample.id, arm, partial(ask, shown))


# ---------------------------------------------------------------- prepared for a subject


class PreparedQuestion(NamedTuple):
    """A question prepared for a subject. `failure` is set if it cannot be asked at all."""

    question: Question
    prepared: Any
    failure: Failure | None = None


class Feed:
    """Chunks of prepared questions. The asking loop calls `pull` in a thread, one chunk ahead.

    Reading, hashing and base64 release the GIL, so the thread runs beside the loop most of the time.
    """

    def __init__(self, every: Iterator[Open], subject: Subject) -> None:
        self._items = (prepared(subject, one) for one in every)
        self._broken: Exception | None = None

    def pull(self) -> list[PreparedQuestion]:
        """Return the next items, or an empty list at the end. An error that ends the feed early is raised after the items before it."""
        if self._broken is not None:
            raise self._broken
        chunk: list[PreparedQuestion] = []
        try:
            chunk += islice(self._items, CHUNK)
        except Exception as error:
            if not chunk:
                raise
            self._broken = error
        return chunk

    def told(self, _answer: Answer) -> None:
        """Do nothing: answers do not change these questions."""

    def close(self) -> None:
        """Do nothing: a read that does not end is left behind with its thread."""


def prepared(subject: Subject, one: Open) -> PreparedQuestion:
    """Make a question and prepare it for a subject, or return the reason why it cannot be asked."""
    bare = Question(id=one.id, exam=one.exam, prompt=one.arm.text, parts=())
    question = bare
    try:
        question = one.make()
        for picture in question.pictures:
            check_image(picture)
        request = subject.prepare(question)
        if not isinstance(request, Request):
            return PreparedQuestion(question, request)
        without_pictures = tuple(part for part in question.parts if isinstance(part, Text))
        question = msgspec.structs.replace(question, parts=without_pictures, history=())
        return PreparedQuestion(question, request.again(one.arm.repeat))
    except BadPicture as error:
        return PreparedQuestion(question, None, Failure(kind="bad-image", reason=str(error)))
    except SnellenError as error:
        if question is bare:
            raise  # an error in a prompt or a control affects all of its questions
        return PreparedQuestion(question, None, Failure(kind="bad-image", reason=str(error)))
    except Exception as error:
        reason = f"the question cannot be made: {one_line(said_by(error))}{place_of(error)}"
        return PreparedQuestion(question, None, Failure(kind="question-failed", reason=reason))
