"""The time that a method takes for one sample, without what it waits for: other samples, a queue, a parse that somebody else pays for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from snellen.core.types import Answer, Question
from snellen.exams.grounding.methods.base import Parse, Tools

T = TypeVar("T")


class TimedTools:
    """Tools with a clock: waiting is taken out, and what parser, model and threads needed for this sample is put in."""

    def __init__(self, tools: Tools) -> None:
        self._tools, self._started = tools, time.perf_counter()
        self._waited = self._served = 0.0

    @property
    def seconds(self) -> float:
        """The sample's own time so far."""
        return round(max(0.0, time.perf_counter() - self._started - self._waited) + self._served, 4)

    async def parse(self, image: bytes, note: str) -> Parse:
        began = time.perf_counter()
        try:
            found = await self._tools.parse(image, note)
        finally:
            self._waited += (waited := time.perf_counter() - began)
        self._served += waited if found.seconds is None else found.seconds
        return found

    async def ask(self, question: Question) -> Answer:
        began = time.perf_counter()
        try:
            answer = await self._tools.ask(question)
        finally:
            self._waited += (waited := time.perf_counter() - began)
        known = [call.latency for call in answer.calls if call.latency is not None]
        self._served += sum(known) if known else waited
        return answer

    async def aside(self, function: Callable[..., T], *args: object) -> T:
        began = time.perf_counter()
        result, needed = await asyncio.to_thread(_measured, function, args)
        self._waited += time.perf_counter() - began
        self._served += needed
        return result


async def aside(tools: Tools, function: Callable[..., T], *args: object) -> T:
    """Run a function in a thread, on the clock of the tools where they have one."""
    return await (tools.aside(function, *args) if isinstance(tools, TimedTools) else asyncio.to_thread(function, *args))


def _measured(function: Callable[..., T], args: tuple[object, ...]) -> tuple[T, float]:
    began = time.thread_time()
    return function(*args), time.thread_time() - began
