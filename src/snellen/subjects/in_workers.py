"""A subject that answers in workers: `--devices`, and local models on a cluster.

`SubjectInWorkers` sends questions and gets answers. Each worker holds the real subject, made again from the `worker_spec` of its kind, with
its own model in memory. All workers must be alike in everything that decides answers.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from snellen import subjects
from snellen.core.cores import cores
from snellen.core.errors import SnellenError
from snellen.core.subject import DISCOVERED_KEYS, Caller, Reply, Request, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Question, Struct, failed
from snellen.workers.calls import WorkFailed, job_of
from snellen.workers.pool import Hire, WorkerLost, Workers
from snellen.workers.processes import spawning

TIMES = 3
"""Workers that may be lost over one question before it counts as an error: the question may be what ends them."""
PATIENCE = 5.0
"""Seconds that a worker gets at the end to send its notes."""


class Facts(Struct, frozen=True):
    """Facts about a worker: the subject, what decides its answers, and a line for people."""

    spec: str
    identity: dict[str, Any]
    about: str


class WorkerAnswer(Struct, frozen=True):
    """A worker's answer to a question, or its facts if it got no question. `parallel` is how many questions it takes at once by now."""

    answer: Answer | None = None
    facts: Facts | None = None
    parallel: int = 1


class _WorkerSubject:
    """The real subject, in a worker."""

    def __init__(self, kind: str, spec: dict[str, Any]) -> None:
        """Make the subject of a kind from its `worker_spec`, which takes a while."""
        self._subject = subjects.find(f"{kind}/")[0].worker(spec)

    async def __call__(self, question: Question | None) -> WorkerAnswer:
        """Answer a question, or return the facts of the subject."""
        subject = self._subject
        if question is None:
            facts = Facts(spec=subject.spec, identity=dict(subject.identity), about=subject.about())
            return WorkerAnswer(facts=facts, parallel=subject.parallel)
        try:
            prepared = subject.prepare(question)
        except SnellenError as error:
            return WorkerAnswer(answer=failed(question, "bad-image", str(error)), parallel=subject.parallel)
        answer = await subject.answer(question, prepared, _no_endpoint)
        return WorkerAnswer(answer=answer, parallel=subject.parallel)


async def _no_endpoint(request: Request) -> Reply:
    raise RuntimeError("a subject in a worker has no endpoint to call")


# ---------------------------------------------------------------- this process


def job_for(subject: Subject) -> bytes:
    """Return the job of a worker that will run this subject."""
    if subject.worker_spec is None:
        raise SnellenError(f"{subject.spec} cannot answer in other processes")
    return job_of(partial(_WorkerSubject, subject.spec.partition("/")[0], dict(subject.worker_spec)))


def on_devices(made: Callable[[str], Subject], devices: Sequence[str]) -> SubjectInWorkers:
    """Return a subject with a process for each device; `made` gives the offline subject for a device."""
    often: Counter[str] = Counter()
    jobs: dict[str, bytes] = {}
    for device in devices:
        often[device] += 1
        jobs[device if often[device] == 1 else f"{device} ({often[device]})"] = job_for(made(device))
    threads = {}
    if often["cpu"] > 1 and "OMP_NUM_THREADS" not in os.environ:  # processes that share the processor share its cores
        threads = {"OMP_NUM_THREADS": str(max(1, cores() // often["cpu"]))}
    try:
        return SubjectInWorkers(made(devices[0]), spawning(jobs, threads))
    except WorkerLost as error:
        raise SnellenError(f"--devices {','.join(devices)}: {error} before it could say anything") from None


class SubjectInWorkers(Subject):
    """A subject whose workers answer. `plain` is the same subject, made offline."""

    def __init__(self, plain: Subject, hire: Hire) -> None:
        self._plain = plain
        self._first: tuple[str, Facts] | None = None
        self._each = 1
        self._workers: Workers[WorkerAnswer] = Workers(_WorkerSubject, hire, self._admit)

    def _admit(self, place: str, call: Callable[..., Future[list[WorkerAnswer]]]) -> None:
        """Refuse a worker that would answer differently: other weights, another kind of device, another precision."""
        told = _result(call(None).result)[0]
        if told.facts is None:
            raise SnellenError("a worker says nothing of itself")
        self._each = told.parallel
        if self._first is None:
            self._first = place, told.facts
            self.spec, self._about = told.facts.spec, told.facts.about
            self.identity: dict[str, Any] = dict(told.facts.identity)
            return
        first, own = self._first[0], self._first[1].identity
        if name := _unlike(own, told.facts.identity):
            raise SnellenError(
                f"the workers are not alike: {name} is {one_line(str(own.get(name)))} at {first} and "
                f"{one_line(str(told.facts.identity.get(name)))} at {place}; --device, --dtype or the same files everywhere make them so"
            )

    @property
    def parallel(self) -> int:  # type: ignore[override]
        """The number of questions that all workers take at once. They are alike, so each is assumed to take what one of them reported
        last."""
        return max(1, self._each * len(self._workers))

    def about(self) -> str:
        count = len(self._workers)
        return f"{self._about}; {count} worker{'s' * (count != 1)}"

    def why_same(self, repeats: int) -> str:
        return self._plain.why_same(repeats)

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        """Ask a worker. If it is lost, ask another: a model on the user's own machine costs nothing."""
        why = ""
        for _ in range(TIMES):
            try:
                told = await self._workers.ask(question)
            except WorkerLost as lost:
                why = str(lost)
                continue
            except WorkFailed as error:
                raise SnellenError(f"a worker failed: {error}") from error
            self._each = told.parallel
            if told.answer is None:
                raise SnellenError("a worker gave no answer")
            return told.answer
        return failed(
            question, "worker-lost", f"{TIMES} workers were lost while they answered this question, the last: {why}"
        )

    async def close(self) -> None:
        """Note the workers' findings, and end them."""
        try:
            async with asyncio.timeout(PATIENCE):
                asked = map(asyncio.wrap_future, self._workers.everywhere(None))
                told = await asyncio.gather(*asked, return_exceptions=True)
            answers = [made[0] for made in told if not isinstance(made, BaseException)]
            self._note([one.facts for one in answers if one.facts is not None])
        except TimeoutError:
            pass  # it is only for the record
        await asyncio.to_thread(self._workers.close)

    def _note(self, found: Sequence[Facts]) -> None:
        listed = [facts.identity["listed"] for facts in found if "listed" in facts.identity]
        if listed:
            self.identity["listed"] = {**listed[0], "workers": len(found)}


def _result(result: Callable[[], list[WorkerAnswer]]) -> list[WorkerAnswer]:
    try:
        return result()
    except WorkFailed as error:
        raise SnellenError(f"a worker failed: {error}") from error


def _unlike(own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the first thing in which two workers differ; an empty text if they are alike."""
    return min(
        (k for k in own.keys() | other.keys() if k not in DISCOVERED_KEYS and own.get(k) != other.get(k)), default=""
    )
