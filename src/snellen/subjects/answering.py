"""A subject that answers in workers: what it is here, and what a worker does with a question.

Here it is a `CrewSubject`, which sends questions and gets answers. In each worker is the real one, made again from the `worker_spec` of
its kind, with a model of its own in memory. All of them must be alike in what decides answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from snellen import subjects
from snellen.core.errors import SnellenError, said_by
from snellen.core.subject import LEARNT, Caller, Reply, Request, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, Question, Struct
from snellen.subjects.crew import Crew, Worker, WorkerLost

TIMES = 3
"""Workers that may be lost over one question before it counts as an error: it may be the question that ends them."""
PATIENCE = 5.0
"""Seconds that a worker gets at the end to say what it has learnt."""


class Job(Struct, frozen=True):
    """Which subject a worker is to be. `spec` is its `worker_spec`."""

    kind: str
    spec: dict[str, Any]


class Facts(Struct, frozen=True):
    """What a worker is."""

    spec: str
    identity: dict[str, Any]
    about: str


class Said(Struct, frozen=True):
    """What a worker says to a question, or to an empty message of itself.

    `error` stops the run; `parallel` is how many questions it takes at once.
    """

    answer: Answer | None = None
    facts: Facts | None = None
    error: str = ""
    parallel: int = 1


_PACK = msgspec.msgpack.Encoder()
_QUESTIONS = msgspec.msgpack.Decoder(Question)
_SAID = msgspec.msgpack.Decoder(Said)


# ---------------------------------------------------------------- in a worker


class Answering:
    """The real subject, in a worker."""

    def __init__(self, job: bytes) -> None:
        """Takes its time. Where the subject cannot be, every reply says why."""
        told = msgspec.msgpack.decode(job, type=Job)
        self._subject: Subject | None = None
        self._problem = ""
        try:
            self._subject = subjects.find(f"{told.kind}/")[0].worker(told.spec)
        except Exception as error:
            self._problem = _told(error)

    async def ask(self, message: bytes) -> bytes:
        """The answer to a question; to an empty message, what the subject is. Never raises."""
        subject = self._subject
        if subject is None:
            return _PACK.encode(Said(error=self._problem))
        try:
            said = await _said(subject, message)
        except Exception as error:
            said = Said(error=_told(error))
        return _PACK.encode(msgspec.structs.replace(said, parallel=subject.parallel))


async def _said(subject: Subject, message: bytes) -> Said:
    if not message:
        return Said(facts=Facts(spec=subject.spec, identity=dict(subject.identity), about=subject.about()))
    question = _QUESTIONS.decode(message)
    try:
        prepared = subject.prepare(question)
    except SnellenError as error:
        failure = Failure(kind="bad-image", reason=str(error))
        return Said(answer=Answer(id=question.id, prompt=question.prompt, failure=failure, shots=question.shots))
    return Said(answer=await subject.answer(question, prepared, _nobody))


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, SnellenError) else f"a worker failed: {one_line(said_by(error))}"


async def _nobody(request: Request) -> Reply:
    raise RuntimeError("a subject in a worker calls nobody")


# ---------------------------------------------------------------- here


def job_of(subject: Subject) -> bytes:
    """What a worker has to be told to be that subject."""
    if subject.worker_spec is None:
        raise SnellenError(f"{subject.spec} cannot answer in other processes")
    return _PACK.encode(Job(kind=subject.spec.partition("/")[0], spec=dict(subject.worker_spec)))


class CrewSubject(Subject):
    """A subject whose workers answer. `plain` is the same one, made offline."""

    def __init__(self, plain: Subject, crew: Crew, first: Mapping[Worker, bytes]) -> None:
        """`first` is what each worker said of itself."""
        self._plain, self._crew = plain, crew
        self._parallel: dict[str, int] = {}
        found = [facts_in(reply) for reply in first.values()]
        _refuse_unlike(list(first), found)
        self.spec, self._about = found[0].spec, found[0].about
        self.identity: dict[str, Any] = dict(found[0].identity)
        self._alike: set[Worker] = set(first)
        for worker, reply in first.items():
            self._parallel[worker.place] = _SAID.decode(reply).parallel

    @property
    def parallel(self) -> int:  # type: ignore[override]
        """What all workers take at once."""
        usual = max(self._parallel.values())
        return max(1, sum(self._parallel.get(worker.place, usual) for worker in self._crew.workers))

    def about(self) -> str:
        count = len(self._crew.workers)
        return f"{self._about}; {count} worker{'s' * (count != 1)}"

    def why_same(self, repeats: int) -> str:
        return self._plain.why_same(repeats)

    def prepare(self, question: Question) -> bytes:
        return _PACK.encode(question)

    async def answer(self, question: Question, prepared: bytes, call: Caller) -> Answer:
        """The answer of some worker. Where it is lost, another is asked: a model on a machine of one's own costs nothing."""
        why = ""
        for _ in range(TIMES):
            try:
                async with self._crew.one() as worker:
                    await self._refuse_stranger(worker)
                    said = _SAID.decode(await worker.ask(prepared))
            except WorkerLost as lost:
                why = str(lost)
                continue
            self._parallel[worker.place] = said.parallel
            if said.error or said.answer is None:
                raise SnellenError(said.error or "a worker gave no answer")
            return said.answer
        reason = f"{TIMES} workers were lost while they answered this question, the last: {why}"
        failure = Failure(kind="worker-lost", reason=reason)
        return Answer(id=question.id, prompt=question.prompt, failure=failure, shots=question.shots)

    async def _refuse_stranger(self, worker: Worker) -> None:
        """One that was hired on the way has to be what the first ones are; another is let go."""
        if worker in self._alike:
            return
        try:
            unlike = _unlike(self.identity, facts_in(await worker.ask(b"")).identity)
        except SnellenError as error:
            raise WorkerLost(f"the worker at {worker.place} cannot answer: {error}") from None
        if unlike:
            raise WorkerLost(f"the worker at {worker.place} is another one: its {unlike} differs")
        self._alike.add(worker)

    async def close(self) -> None:
        """Take down what the workers have learnt, and end them."""
        workers = self._crew.workers
        if workers:
            try:
                async with asyncio.timeout(PATIENCE):
                    said = await asyncio.gather(*(w.ask(b"") for w in workers), return_exceptions=True)
                self._note([facts_in(s) for s in said if isinstance(s, bytes)])
            except (TimeoutError, SnellenError):
                pass  # it is only for the record
        await asyncio.to_thread(self._crew.close)

    def _note(self, found: Sequence[Facts]) -> None:
        listed = [facts.identity["listed"] for facts in found if "listed" in facts.identity]
        if listed:
            self.identity["listed"] = {**listed[0], "workers": len(found)}


def facts_in(reply: bytes) -> Facts:
    """What a worker says that it is; raises SnellenError where it cannot be it."""
    said = _SAID.decode(reply)
    if said.facts is None:
        raise SnellenError(said.error or "a worker says nothing of itself")
    return said.facts


def _refuse_unlike(workers: Sequence[Worker], found: Sequence[Facts]) -> None:
    """Workers that would answer differently make no run: other weights, another kind of device, another precision."""
    own = found[0].identity
    for worker, facts in zip(workers, found, strict=True):
        if name := _unlike(own, facts.identity):
            raise SnellenError(
                f"the workers are not alike: {name} is {one_line(str(own.get(name)))} at {workers[0].place} and "
                f"{one_line(str(facts.identity.get(name)))} at {worker.place}; --device, --dtype or the same files everywhere make them so"
            )


def _unlike(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """The first thing in which two workers differ; nothing where they are alike."""
    return min((k for k in own.keys() | other.keys() if k not in LEARNT and own.get(k) != other.get(k)), default="")
