"""Subjects that are not models: chance, a constant answer, and an exam's own classical solver."""

from __future__ import annotations

import random
from types import MappingProxyType
from typing import Any

from snellen.core.arm import Arm
from snellen.core.cores import cores
from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import Solvers
from snellen.core.subject import BuildContext, Caller, Subject, SubjectKind
from snellen.core.types import Answer, Question, failed
from snellen.workers.calls import WorkFailed
from snellen.workers.pool import WorkerLost, Workers
from snellen.workers.processes import on_all_cores


def said(question: Question, text: str) -> Answer:
    """Return a complete reply."""
    return Answer(id=question.id, prompt=question.prompt, text=text, finish_reason="stop", shots=question.shots)


class _Chance(Subject):
    """A subject that draws from the question's options: one of them, or a non-empty set of them, all equally likely."""

    chooses_only = True

    def __init__(self, seed: int) -> None:
        self.spec = "baseline/chance"
        self.identity = {"kind": "baseline", "name": "chance", "seed": seed}
        self._seed = seed

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        repeat = Arm.parse(question.prompt).repeat
        again = f"#{repeat}" if repeat > 1 else ""
        draw = random.Random(f"{self._seed}/{question.id}{again}")  # noqa: S311 (a coin, not a secret)
        options = question.options
        if not options:
            return failed(question, "no-options", "the question offers no options to choose from")
        if question.answer_kind == "any-of":
            mask = draw.randrange(1, 2 ** len(options))
            text = ", ".join(o for i, o in enumerate(options) if mask >> i & 1)
        else:
            text = draw.choice(options)
        return said(question, question.answer_form.format(text))


class _Constant(Subject):
    """A subject that gives the same reply to every question."""

    def __init__(self, text: str) -> None:
        self.spec = f"baseline/constant:{text}"
        self.identity = {"kind": "baseline", "name": "constant", "text": text}
        self._text = text

    def why_same(self, repeats: int) -> str:
        return f"{self.spec} says the same whatever it is asked"

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        return said(question, self._text)


class _Solver(Subject):
    """A function of the Question that the exam names as `module:function`, run on all cores."""

    def __init__(self, name: str, path: str) -> None:
        self.spec = f"baseline/{name}"
        self.identity = {"kind": "baseline", "name": name}
        self._path = path
        self._workers: Workers[str] | None = None
        self.parallel = 2 * cores()

    def why_same(self, repeats: int) -> str:
        return f"{self.spec} computes its answer, the same one each time"

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        if self._workers is None:
            self._workers = on_all_cores(self._path)
        try:
            return said(question, await self._workers.ask(question))
        except (WorkFailed, WorkerLost, SnellenError) as error:
            return failed(question, "solver", f"{self.spec} failed ({error})")

    async def close(self) -> None:
        if self._workers is not None:
            self._workers.close()


class _BaselineKind(SubjectKind):
    """The kind `baseline/NAME`."""

    prefix = "baseline"
    forms = MappingProxyType(
        {
            "baseline/chance": "a random option, or a random set of options",
            "baseline/constant:TEXT": "always TEXT",
            "baseline/pixels": "a classical image-processing solver, where the exam has one",
        }
    )

    def build(self, name: str, given: BuildContext) -> Subject:
        word, _, text = name.partition(":")
        if word == "chance":
            return _Chance(given.seed)
        if word == "constant":
            if not text:
                raise SnellenError("baseline/constant needs a text: baseline/constant:color")
            return _Constant(text)
        own = given.exam.extra(Solvers)
        solvers = own.functions if own is not None else {}
        if name in solvers:
            return _Solver(name, solvers[name])
        raise unknown("baseline", name, ["chance", "constant:TEXT", *solvers], of=given.exam.name)


KIND = _BaselineKind()
