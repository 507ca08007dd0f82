"""Where the asking loop gets its questions: read, asked and prepared in chunks, in a thread of the loop's.

Reading, hashing and base64 release the interpreter's lock, so the thread runs beside the loop for most of its time.

A question that cannot be made or sent is one failure; the others are asked. An error that ends the feed itself, such as data that
cannot be read any further, is raised after everything before it was handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError, place_of, said_by
from snellen.core.pixels import BadPicture, check_image
from snellen.core.subject import Request
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, Question, Text
from snellen.data.line_offsets import Key
from snellen.engine.ask.questions import Open, to_ask
from snellen.engine.plan.plan import Plan

CHUNK = 16


class PreparedQuestion(NamedTuple):
    """A question with what was prepared for it; `failure` where it cannot be asked at all."""

    question: Question
    prepared: Any
    failure: Failure | None = None


class Feed:
    """Chunks of prepared questions that have no answer yet. The asking loop calls `pull` in a thread, one chunk ahead."""

    def __init__(self, plan: Plan, done: Callable[[Key], bool]) -> None:
        chosen = plan.exam, plan.data, plan.arms, lambda key: not done(key), plan.applies, plan.selection.seed
        self._items = (item_of(plan, one) for one in to_ask(*chosen))
        self._broken: Exception | None = None

    def pull(self) -> list[PreparedQuestion]:
        """Return the next items; none at the end. An error that ends the feed early is raised after the items before it."""
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
        """Do nothing: no answer changes what these questions are."""

    def close(self) -> None:
        """Do nothing: a read that does not end is left behind with its thread."""


def item_of(plan: Plan, one: Open) -> PreparedQuestion:
    """Make and prepare a question, or say why it cannot be asked."""
    bare = Question(id=one.id, exam=plan.exam.name, prompt=one.arm.text, parts=())
    question = bare
    try:
        question = one.make()
        for picture in question.pictures:
            check_image(picture)
        prepared = plan.subject.prepare(question)
        if not isinstance(prepared, Request):
            return PreparedQuestion(question, prepared)
        without_pictures = tuple(part for part in question.parts if isinstance(part, Text))
        question = msgspec.structs.replace(question, parts=without_pictures, history=())
        return PreparedQuestion(question, prepared.again(one.arm.repeat))
    except BadPicture as error:
        return PreparedQuestion(question, None, Failure(kind="bad-image", reason=str(error)))
    except SnellenError as error:
        if question is bare:
            raise  # what is wrong with a prompt or a control is wrong with all of its questions
        return PreparedQuestion(question, None, Failure(kind="bad-image", reason=str(error)))
    except Exception as error:
        reason = f"the question cannot be made: {one_line(said_by(error))}{place_of(error)}"
        return PreparedQuestion(question, None, Failure(kind="question-failed", reason=reason))
