"""Subjects that are no models: chance, a constant answer, and a benchmark's own classical solver."""

from __future__ import annotations

import asyncio
import importlib
import multiprocessing
import os
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from snellen.core.exam import Caller
from snellen.core.types import Answer, Failure, Question


class _Free:
    """What baselines share: no endpoint, nothing to prepare, nothing to free."""

    endpoint = None
    parallel = 64
    spec: str
    identity: dict[str, Any]

    def prepare(self, question: Question) -> None:
        return None

    async def close(self) -> None:
        """Nothing to free."""


class Chance(_Free):
    """Draws from the question's options: one of them, or a non-empty set of them, all equally likely."""

    def __init__(self, seed: int) -> None:
        self.spec = "baseline/chance"
        self.identity = {"kind": "baseline", "name": "chance", "seed": seed}
        self._seed = seed

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        draw = random.Random(f"{self._seed}/{question.id}")  # noqa: S311 (a coin, not a secret)
        options = question.options
        if not options:
            failure = Failure(kind="no-options", reason="the question offers no options to choose from")
            return Answer(id=question.id, prompt=question.prompt, failure=failure)
        if question.answer_kind == "any-of":
            mask = draw.randrange(1, 2 ** len(options))
            text = ", ".join(o for i, o in enumerate(options) if mask >> i & 1)
        else:
            text = draw.choice(options)
        return Answer(id=question.id, prompt=question.prompt, text=text, finish_reason="stop", shots=question.shots)


class Constant(_Free):
    """Says the same whatever it is shown."""

    def __init__(self, text: str) -> None:
        self.spec = f"baseline/constant:{text}"
        self.identity = {"kind": "baseline", "name": "constant", "text": text}
        self._text = text

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        return Answer(
            id=question.id, prompt=question.prompt, text=self._text, finish_reason="stop", shots=question.shots
        )


class Solver(_Free):
    """A function of the Question that the benchmark names as `module:function`, run on all cores."""

    def __init__(self, name: str, path: str) -> None:
        self.spec = f"baseline/{name}"
        self.identity = {"kind": "baseline", "name": name}
        self._path = path
        self._pool: ProcessPoolExecutor | None = None
        self.parallel = 2 * (os.cpu_count() or 1)

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(os.cpu_count(), mp_context=context)
        try:
            text = await asyncio.get_running_loop().run_in_executor(self._pool, run_solver, self._path, question)
        except Exception as error:
            failure = Failure(kind="solver", reason=f"{self.spec} failed ({type(error).__name__}: {error})")
            return Answer(id=question.id, prompt=question.prompt, failure=failure)
        return Answer(id=question.id, prompt=question.prompt, text=text, finish_reason="stop", shots=question.shots)

    async def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def run_solver(path: str, question: Question) -> str:
    """Call `module:function` on a question (in a worker process)."""
    module, _, name = path.partition(":")
    function: Callable[[Question], str] = getattr(importlib.import_module(module), name)
    return function(question)
