"""A subject whose workers answer: a lost question is asked again, but not for ever; an error of a worker's subject stops the run."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from tests.support.fake_workers import FakeWorker, hiring, lost, only

from snellen.core.errors import SnellenError, Stopped
from snellen.core.subject import Reply, Request, Subject
from snellen.core.types import Answer, Picture, Question, Text
from snellen.subjects.in_workers import Facts, SubjectInWorkers, WorkerAnswer, job_for
from snellen.workers import pool
from snellen.workers.calls import WorkerFunction, job_of

QUESTION = Question(id="q", exam="b", prompt="p", parts=(Picture(data=b"\x89PNG"), Text(text="What color?")))


async def no_endpoint(request: Request) -> Reply:
    raise AssertionError


class Double:
    """What a worker has in the place of `Answering`."""

    def __init__(self, identity: dict[str, Any], error: str) -> None:
        self._facts = Facts(spec="hf/m", identity={"kind": "hf", "dtype": "float32"} | identity, about="m on cpu")
        self._error = error

    async def __call__(self, question: Question | None) -> WorkerAnswer:
        if question is None:
            return WorkerAnswer(facts=self._facts, parallel=8)
        if self._error:
            raise SnellenError(self._error)
        assert question == QUESTION
        return WorkerAnswer(answer=Answer(id=question.id, prompt=question.prompt, text="red"), parallel=16)


def worker(place: str, *, answers: bool = True, error: str = "", **identity: object) -> FakeWorker:
    """A worker that says what it is, and then answers or is lost."""
    reply = WorkerFunction(job_of(partial(Double, identity, error))).reply
    asked = [0]

    async def does(message: bytes) -> bytes:
        asked[0] += 1
        return await (reply(message) if answers or asked[0] == 1 else lost(message))

    return FakeWorker(place, does)


def subject(*workers: FakeWorker) -> SubjectInWorkers:
    return SubjectInWorkers(Subject(), only(*workers))


def asked(one: SubjectInWorkers) -> Answer:
    return asyncio.run(one.answer(QUESTION, one.prepare(QUESTION), no_endpoint))


def test_a_question_goes_to_a_worker_as_it_is() -> None:
    one = subject(worker("a"), worker("b"))
    assert (one.spec, one.about(), one.parallel) == ("hf/m", "m on cpu; 2 workers", 16)
    assert asked(one).text == "red"
    assert one.parallel == 16 + 16


def test_a_lost_question_is_asked_elsewhere() -> None:
    assert asked(subject(worker("a", answers=False), worker("b"))).text == "red"


def test_a_question_that_ends_every_worker_is_one_error() -> None:
    first = [worker("a", answers=False), worker("b", answers=False)]
    failure = asked(SubjectInWorkers(Subject(), hiring(first, lambda place: worker(place, answers=False)))).failure
    assert failure is not None
    assert failure.kind == "worker-lost"
    assert failure.reason == "3 workers were lost while they answered this question, the last: it ended"


def test_an_error_of_the_subject_stops_the_run() -> None:
    with pytest.raises(SnellenError, match="hf/m: no such folder"):
        asked(subject(worker("a", error="hf/m: no such folder")))


def test_workers_that_are_not_alike_are_refused() -> None:
    subject(worker("a"), worker("b", listed={"torch": "3"}))
    with pytest.raises(SnellenError, match="not alike: dtype is float32 at a and bfloat16 at b; --device, --dtype"):
        subject(worker("a"), worker("b", dtype="bfloat16"))


@pytest.mark.parametrize("alike", [True, False])
def test_a_worker_that_is_hired_on_the_way_has_to_be_alike(alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAIT", 1.0)
    dtype = "float32" if alike else "bfloat16"
    hire = hiring([worker("a", answers=False)], lambda place: worker(place, dtype=dtype))
    one = SubjectInWorkers(Subject(), hire)
    if alike:
        assert asked(one).text == "red"
        return
    with pytest.raises(Stopped, match=r"no worker is left \(the workers are not alike: dtype is float32 at a"):
        asked(one)


def test_a_worker_that_cannot_be_the_subject_says_so() -> None:
    with pytest.raises(SnellenError, match="cannot answer in other processes"):
        job_for(Subject())
    subject = Subject()
    subject.spec, subject.worker_spec = "replay/x", {}
    called = WorkerFunction(job_for(subject))
    with pytest.raises(SnellenError, match="a subject replay/ cannot answer in another process"):
        SubjectInWorkers(Subject(), only(FakeWorker("a", called.reply)))
