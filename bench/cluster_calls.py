"""One endpoint with a rate limit, and nodes that share it: the project's own limiter and waits, in simulated time.

A node does what `engine/answer/loop.py` and `engine/call/caller.py` do with a question: at most four more in work than the limit, a slot
for each try, the limiter told of every reply, the wait of `engine/call/retry.py` between tries, six tries.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulated import SimulatedLoop, lognormal, simulate, uniform
from snellen.engine.call.limiter import Limiter
from snellen.engine.call.retry import wait_before
from snellen.engine.plan.request import TRIES

REFUSAL = 0.05
"""Seconds until a 429 is there."""
HOP = 0.001
"""Seconds from a node to the coordinator."""
AHEAD = 4
BIN = 10.0


class Endpoint:
    """Takes so many calls a second (a bucket of one second), refuses the rest, and answers after a time that varies."""

    def __init__(self, loop: SimulatedLoop, rate: float, mean: float, spread: float, seed: int, nodes: int) -> None:
        dice = np.random.default_rng(seed)
        self.loop, self.rate = loop, rate
        self.latency, self.jitter = lognormal(dice, mean, spread), uniform(dice)
        self._tokens, self._at = rate, 0.0
        self.good: list[tuple[float, int]] = []
        self.refused: list[float] = []
        self.gave_up = [0] * nodes

    def takes(self) -> bool:
        """Whether one more call is within the rate."""
        now = self.loop.time()
        self._tokens = min(self.rate, self._tokens + (now - self._at) * self.rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Node:
    """One process that asks."""

    def __init__(self, number: int, endpoint: Endpoint, limiter: Limiter, asked: float | None, sharing: int) -> None:
        self.number, self.endpoint, self.limiter, self.asked = number, endpoint, limiter, asked
        self.sharing = sharing
        self.in_work = 0
        self.room = asyncio.Event()

    async def ask(self) -> None:
        """Ask for ever."""
        loop = self.endpoint.loop
        while True:
            while self.in_work >= -(-self.limiter.limit // self.sharing) + AHEAD:
                self.room.clear()
                await self.room.wait()
            self.in_work += 1
            loop.create_task(self._one())

    async def _one(self) -> None:
        endpoint, loop = self.endpoint, self.endpoint.loop
        for number in range(1, TRIES + 1):
            async with self.limiter:
                if self.sharing > 1:
                    await asyncio.sleep(HOP)
                begin = loop.time()
                good = endpoint.takes()
                await asyncio.sleep(endpoint.latency() if good else REFUSAL)
            if good:
                self.limiter.succeeded(loop.time() - begin)
                endpoint.good.append((loop.time(), self.number))
                break
            endpoint.refused.append(loop.time())
            self.limiter.throttled("status 429")
            if number == TRIES:
                endpoint.gave_up[self.number] += 1
            else:
                await asyncio.sleep(wait_before(number, self.asked, endpoint.jitter()))
        self.in_work -= 1
        self.room.set()


class Shared(NamedTuple):
    """How an endpoint was shared; all but `converged` in the second half of the time."""

    used: float
    """Of what the endpoint would have answered."""
    refused: float
    """Of all tries."""
    fairness: float
    """Jain's index of the nodes' answers: 1 where all had the same."""
    gave_up: float
    """Of all questions."""
    converged: float | None
    """Seconds until ten seconds had nine tenths of the rate."""


def share(
    nodes: int,
    how: str,
    *,
    rate: float,
    mean: float = 2.0,
    spread: float = 0.5,
    seconds: float = 600.0,
    asked: float | None = None,
    seed: int = 1,
) -> Shared:
    """Some nodes at one endpoint, each with a limiter of its `own`, all with `one`, or with a `fixed` share of the right number."""

    async def main(loop: SimulatedLoop) -> Shared:
        endpoint = Endpoint(loop, rate, mean, spread, seed, nodes)
        right = max(1, round(rate * mean / nodes))
        fixed = right if how == "fixed" else None
        limiters = [Limiter(fixed, clock=loop.time) for _ in range(1 if how == "one" else nodes)] * nodes
        for number, limiter in enumerate(limiters[:nodes]):
            loop.create_task(Node(number, endpoint, limiter, asked, nodes if how == "one" else 1).ask())
        await asyncio.sleep(seconds)
        return _measured(endpoint, nodes, seconds)

    return simulate(main)


def grown(spread: float, seed: int, seconds: float = 120.0) -> int:
    """The limit that one node reaches at an endpoint that refuses nothing and never queues."""

    async def main(loop: SimulatedLoop) -> int:
        limiter = Limiter(clock=loop.time)
        node = Node(0, Endpoint(loop, 1e6, 2.0, spread, seed, 1), limiter, None, 1)
        asking = loop.create_task(node.ask())
        await asyncio.wait([asking], timeout=seconds)
        return limiter.limit

    return simulate(main)


def _measured(endpoint: Endpoint, nodes: int, seconds: float) -> Shared:
    half = seconds / 2
    times = np.array([at for at, _ in endpoint.good])
    whose = np.array([node for _, node in endpoint.good])
    late = times >= half
    refused = sum(at >= half for at in endpoint.refused)
    by_node = np.bincount(whose[late], minlength=nodes)
    bins = np.bincount((times // BIN).astype(int), minlength=int(seconds / BIN)) / BIN
    enough = np.flatnonzero(bins >= 0.9 * endpoint.rate)
    gave_up = sum(endpoint.gave_up)
    return Shared(
        used=float(late.sum() / (endpoint.rate * half)),
        refused=refused / max(1, refused + int(late.sum())),
        fairness=fairness(by_node),
        gave_up=gave_up / max(1, gave_up + len(times)),
        converged=float((enough[0] + 1) * BIN) if len(enough) else None,
    )


def fairness(counts: NDArray[np.int64]) -> float:
    """Jain's index: 1 where all have the same, 1/n where one has all.

    >>> fairness(np.array([3, 3, 3])), fairness(np.array([6, 0, 0]))
    (1.0, 0.3333333333333333)
    """
    total = float(counts.sum())
    return total**2 / (len(counts) * float((counts.astype(float) ** 2).sum())) if total else 0.0
