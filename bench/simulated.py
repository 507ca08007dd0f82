"""An event loop in which time is a number: it jumps to the next event. An hour takes no time, and the same seed gives the same run.

The project's own limiter, budget and waits run on it unchanged.
"""

from __future__ import annotations

import asyncio
import contextvars
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, TypeVarTuple

import numpy as np

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
BLOCK = 8192


class _Jumps(selectors.SelectSelector):
    """Where a loop would sleep until its next timer, the clock goes there at once. No file is ever waited for."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left that could happen, and somebody still waits")
        self.now += max(0.0, timeout)
        return []


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An asyncio loop with a clock of its own."""

    def __init__(self) -> None:
        self._jumps = _Jumps()
        super().__init__(self._jumps)

    def time(self) -> float:
        """Simulated seconds since the start."""
        return self._jumps.now

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """There is one thread only."""
        return self.call_soon(callback, *args, context=context)


def simulate(main: Callable[[SimulatedLoop], Coroutine[Any, Any, T]]) -> T:
    """What a coroutine gives when it runs in simulated time; what it leaves under way is dropped."""
    loop = SimulatedLoop()
    try:
        return loop.run_until_complete(main(loop))
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left))
        loop.close()


class Draws:
    """Numbers one at a time out of a generator's blocks."""

    def __init__(self, block: Callable[[int], np.ndarray[Any, np.dtype[np.float64]]]) -> None:
        self._block = block
        self._left: list[float] = []

    def __call__(self) -> float:
        if not self._left:
            self._left = self._block(BLOCK).tolist()
        return self._left.pop()


def lognormal(dice: np.random.Generator, mean: float, spread: float) -> Draws:
    """Times or costs with this mean; `spread` is the standard deviation of their logarithm."""
    return Draws(lambda n: mean * np.exp(spread * dice.standard_normal(n) - spread**2 / 2))


def uniform(dice: np.random.Generator) -> Draws:
    """Between 0 and 1."""
    return Draws(dice.random)
