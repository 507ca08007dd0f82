"""The number of calls that may be in flight: slow start, additive increase, multiplicative decrease.

The limit doubles every round trip until the endpoint throttles or its latency grows. Then it rises by one per round trip while all is well.
It is cut on 429/503/529 and when latency has doubled. `fixed` switches all of that off.

Latency counts as grown if the geometric mean of a round trip's calls has grown by more than chance. Replies differ in length, so single
calls differ by factors. With the arithmetic mean of calls the limit fell to 8 although nothing was in the way.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from typing import NamedTuple

START = 16
CEILING = 512
FLOOR_BY_LATENCY = 8
THROTTLE_CUT = 0.7
LATENCY_CUT = 0.8
SLOW_START_TOLERANCE = 1.8
STEP_TOLERANCE = 1.6
"""Slow start ends when twice as many calls take longer by more than this factor: they are served hardly faster."""
TOLERANCE = 2.0
HEADROOM = 1.25
HISTORY = 200
ERRORS = 2.0
"""The number of standard errors that counts as chance."""
SHORTEST = 1e-4


class _LimitChange(NamedTuple):
    """A change of the limit, kept for the run's record."""

    at: float
    limit: int
    why: str


class Limiter:
    """Hands out slots for calls. Use `async with limiter:` around each attempt."""

    def __init__(
        self, fixed: int | None = None, *, ceiling: int = CEILING, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limit = fixed if fixed is not None else START
        self.in_flight = 0
        self.history: deque[_LimitChange] = deque(maxlen=HISTORY)
        self._fixed, self.ceiling = fixed is not None, ceiling
        self._clock = clock
        self._begin = clock()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._slow_start = True
        self._baseline: float | None = None
        self._before = float("inf")
        self._latencies: list[float] = []
        self._saturated = False
        self._last_cut = float("-inf")
        self._told_since = float("-inf")
        self._typical = 0.0

    async def __aenter__(self) -> None:
        while self.in_flight >= self.limit:
            self._saturated = True
            slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(slot)
            try:
                await slot
            except asyncio.CancelledError:
                if slot.done() and not slot.cancelled():
                    self._wake()
                raise
        self.in_flight += 1
        if self.in_flight >= self.limit:
            self._saturated = True

    async def __aexit__(self, *_exc: object) -> None:
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        free = self.limit - self.in_flight
        while free > 0 and self._waiting:
            slot = self._waiting.popleft()
            if not slot.done():
                slot.set_result(None)
                free -= 1

    def succeeded(self, latency: float) -> None:
        """Record a good call. At the end of a round trip (as many calls as the limit), adjust the limit."""
        if self._fixed or self._clock() - latency < self._told_since - SHORTEST:
            return  # it was sent before the last cut, and the calls left from then are the slow ones
        self._latencies.append(latency)
        if len(self._latencies) < self.limit:
            return
        self._typical = sum(self._latencies) / len(self._latencies)
        # only the later half: with more calls than the endpoint serves, its queue fills in the first half
        middle, doubt = _middle(self._latencies[len(self._latencies) // 2 :])
        self._latencies.clear()
        # the baseline decays slowly, so that a service that became slower for good is not held to its past
        self._baseline = middle if self._baseline is None else min(middle, self._baseline * 1.02)
        grown = middle / doubt / self._baseline
        saturated, self._saturated = self._saturated, False
        if self._slow_start:
            self._grow_fast(grown, middle / doubt / self._before, saturated)
        elif grown > TOLERANCE and self.limit > FLOOR_BY_LATENCY:
            self._set(max(FLOOR_BY_LATENCY, int(self.limit * LATENCY_CUT)), "latency grew")
        elif saturated:
            self._set(self.limit + 1, "increase")
        self._before = middle * doubt

    def _grow_fast(self, grown: float, in_this_step: float, saturated: bool) -> None:
        if (grown > SLOW_START_TOLERANCE or in_this_step > STEP_TOLERANCE) and self.limit > FLOOR_BY_LATENCY:
            self._slow_start = False
            fitting = int(self.limit / max(grown, in_this_step) * HEADROOM)
            self._set(max(FLOOR_BY_LATENCY, fitting), "latency grew, slow start ends")
        elif saturated:
            self._set(self.limit * 2, "slow start")

    def throttled(self, why: str) -> None:
        """Cut the limit, at most once a round trip, after a 429, 503 or 529."""
        now = self._clock()
        if self._fixed or now - self._last_cut < max(self._typical, 0.05):
            return
        self._last_cut = now
        self._slow_start = False
        self._latencies.clear()
        self._set(max(1, int(self.limit * THROTTLE_CUT)), why)

    def _set(self, limit: int, why: str) -> None:
        limit = min(limit, self.ceiling)
        if limit < self.limit:
            self._told_since = self._clock()
        if limit != self.limit:
            self.limit = limit
            self.history.append(_LimitChange(round(self._clock() - self._begin, 3), limit, why))
            self._wake()


def _middle(latencies: Sequence[float]) -> tuple[float, float]:
    """Return the geometric mean, which a few slow calls hardly move, and the factor by which chance alone may move it.

    >>> _middle([0.2, 0.2, 0.2])[1], [round(x, 2) for x in _middle([1, 1, 1, 16])]
    (1.0, [2.0, 4.0])
    """
    logs = [log(max(latency, SHORTEST)) for latency in latencies]
    n, middle = len(logs), sum(logs) / len(logs)
    spread = sqrt(sum((one - middle) ** 2 for one in logs) / max(1, n - 1))
    return exp(middle), exp(ERRORS * spread / sqrt(n))
