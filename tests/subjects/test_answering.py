"""A subject whose workers answer: what is lost is asked again, but not for ever; what stops a worker's subject stops the run."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Collection
from typing import Any

import msgspec
import pytest
from tests.support.crews import FakeWorker, lost

from snellen.core.errors import SnellenError
from snellen.core.subject import Reply, Request, Subject
from snellen.core.types import Answer, Picture, Question, Text
from snellen.subjects.answering import Answering, CrewSubject, Facts, Job, Said, job_of
from snellen.subjects.crew import Crew
from snellen.subjects.workers import receive

PACK = msgspec.msgpack.encode
QUESTION = Question(id="q", exam="b", prompt="p", parts=(Picture(data=b"\x89PNG"), Text(text="What color?")))


def facts(**more: Any) -> bytes:
    identity = {"kind": "hf", "dtype": "float32", "listed": {"torch": "2"}} | more
    return PACK(Said(facts=Facts(spec="hf/m", identity=identity, about="m on cpu"), parallel=8))


async def answers(message: bytes) -> bytes:
    question = msgspec.msgpack.decode(message, type=Question)
    assert question == QUESTION
    return PACK(Said(answer=Answer(id=question.id, prompt=question.prompt, text="red"), parallel=16))


async def nobody(request: Request) -> Reply:
    raise AssertionError


def subject(*workers: FakeWorker, first: dict[str, bytes] | None = None) -> CrewSubject:
    def hire(taken: Collection[str], _closed: threading.Event) -> list[FakeWorker]:
        return [FakeWorker(w.place, w._does) for w in workers if w.place not in taken]

    said = {worker: (first or {}).get(worker.place, facts()) for worker in workers}
    return CrewSubject(Subject(), Crew(workers, hire), said)


def asked(one: CrewSubject) -> Answer:
    return asyncio.run(one.answer(QUESTION, one.prepare(QUESTION), nobody))


def test_a_question_goes_to_a_worker_as_it_is() -> None:
    one = subject(FakeWorker("a", answers), FakeWorker("b", answers))
    assert (one.spec, one.about(), one.parallel) == ("hf/m", "m on cpu; 2 workers", 16)
    assert asked(one).text == "red"
    assert one.parallel == 16 + 8


def test_a_lost_question_is_asked_elsewhere() -> None:
    assert asked(subject(FakeWorker("a", lost), FakeWorker("b", answers))).text == "red"


def test_a_question_that_ends_every_worker_is_one_error() -> None:
    failure = asked(subject(FakeWorker("a", lost), FakeWorker("b", lost))).failure
    assert failure is not None
    assert failure.kind == "worker-lost"
    assert failure.reason == "3 workers were lost while they answered this question, the last: it ended"


def test_what_stops_a_worker_stops_the_run() -> None:
    async def no_weights(_message: bytes) -> bytes:
        return PACK(Said(error="hf/m: no such folder"))

    with pytest.raises(SnellenError, match="hf/m: no such folder"):
        asked(subject(FakeWorker("a", no_weights)))
    with pytest.raises(SnellenError, match="no torch there"):
        subject(FakeWorker("a", answers), first={"a": PACK(Said(error="no torch there"))})


def test_workers_that_are_not_alike_are_refused() -> None:
    workers = FakeWorker("a", answers), FakeWorker("b", answers)
    subject(*workers, first={"b": facts(listed={"torch": "3"})})
    with pytest.raises(SnellenError, match="not alike: dtype is float32 at a and bfloat16 at b; --device, --dtype"):
        subject(*workers, first={"b": facts(dtype="bfloat16")})


@pytest.mark.parametrize(("dtype", "alike"), [("float32", True), ("bfloat16", False)])
def test_a_worker_that_is_hired_on_the_way_has_to_be_alike(dtype: str, alike: bool) -> None:
    async def hired(message: bytes) -> bytes:
        return await answers(message) if message else facts(dtype=dtype)

    first = FakeWorker("a", lost)
    crew = Crew([first], lambda taken, _closed: [] if "a" in taken else [FakeWorker("a", hired)])
    found = asked(CrewSubject(Subject(), crew, {first: facts()}))
    assert found.text == "red" if alike else found.failure is not None
    assert alike or (
        found.failure is not None and "the worker at a is another one: its dtype differs" in found.failure.reason
    )


def test_a_message_that_breaks_off_is_none() -> None:
    assert receive(io.BytesIO((100).to_bytes(4, "big") + b"half of it")) == b""
    assert receive(io.BytesIO((4).to_bytes(4, "big") + b"whole")) == b"whol"


def test_a_worker_that_cannot_be_the_subject_says_so_every_time() -> None:
    with pytest.raises(SnellenError, match="cannot answer in other processes"):
        job_of(Subject())
    worker = Answering(PACK(Job(kind="replay", spec={})))
    said = msgspec.msgpack.decode(asyncio.run(worker.ask(b"")), type=Said)
    assert said.error == "a subject replay/ cannot answer in another process"
