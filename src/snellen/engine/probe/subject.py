"""The model under probe as one subject: each question is asked with its own settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from snellen.core.digest import digest
from snellen.core.subject import Caller, Request, Subject
from snellen.core.types import Answer, Failure, Question
from snellen.engine.probe.questions import RepeatedQuestion


class _Variant(NamedTuple):
    """The model with some settings."""

    subject: Subject
    settings: Mapping[str, object]
    number: int


class ProbeSubject(Subject):
    """Asks each question through the variant that has its settings."""

    def __init__(self, plain: Subject, built: Sequence[tuple[RepeatedQuestion, Subject]]) -> None:
        """`plain` has the user's own options alone. `built` has a subject for each question, and questions may share one."""
        subjects = list({id(subject): subject for subject in (plain, *(one for _ask, one in built))}.values())
        self.spec, self.identity, self.price = plain.spec, plain.identity, plain.price
        self.endpoints = tuple(subject.endpoints[0] for subject in subjects)
        self._subjects = subjects
        self._variants = {
            name: _Variant(subject, ask.settings, subjects.index(subject))
            for ask, subject in built
            for name in ask.names
        }

    def prepare(self, question: Question) -> Request:
        """Prepare a request with a key of its own, so that equal questions are really asked again."""
        variant = self._variants[question.id]
        request: Request = variant.subject.prepare(question)
        key = digest({"probe": question.id, "request": request.key})
        return msgspec.structs.replace(request, key=key, via=variant.number)

    async def answer(self, question: Question, prepared: Request, call: Caller) -> Answer:
        """Answer one question. If the endpoint refused the setting that the question is about, the reply is not evidence about it."""
        subject, settings, _number = self._variants[question.id]
        answer = await subject.answer(question, prepared, call)
        lost = [name for one in answer.calls[-1:] for name in one.left_out if name in settings]
        if not lost or answer.failure is not None:
            return answer
        why = subject.identity.get("not_applied", {}).get(lost[0], "refused")
        return msgspec.structs.replace(answer, failure=Failure(kind="bad-request", reason=f"{lost[0]}: {why}"))

    def input_tokens(self, question: Question, text: str = "", pictures: int = 1) -> int:
        return self._variants[question.id].subject.input_tokens(question, text, pictures)

    @property
    def thinking_tokens(self) -> int:
        return self._subjects[0].thinking_tokens

    def counting(self) -> str:
        return self._subjects[0].counting()

    async def close(self) -> None:
        for subject in self._subjects:
            await subject.close()
