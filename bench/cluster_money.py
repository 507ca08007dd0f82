"""One cap on money over a cluster: the project's own budget, as one purse for all nodes, in fixed shares, or in leases, in simulated time.

A coordinator lends each node a little at a time and never more than the cap in all. A node's cap is what it was lent; it asks for more when
less than half a lease is free, and gives back what it has left when it ends. `Budget` itself decides about every call.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import numpy as np

from simulated import Draws, SimulatedLoop, lognormal, simulate, uniform
from snellen.engine.call.budget import Budget, BudgetReached, Purse

HOP = 0.001
MEAN, SPREAD, BOUND = 0.002, 0.7, 0.02
"""What a call costs in USD: its mean, the standard deviation of its logarithm, and what the price table allows at most."""
LATENCY = 2.0
AGAIN = 2.0
"""After how many seconds a node asks again when there was nothing: others may have given something back."""


class Ledger:
    """The coordinator: what is lent out is never more than the cap."""

    def __init__(self, cap: float) -> None:
        self.cap, self.out, self.asked = cap, 0.0, 0

    def lend(self, wanted: float) -> float:
        """As much as there is."""
        self.asked += 1
        given = min(wanted, self.cap - self.out)
        self.out += given
        if self.out > self.cap * (1 + 1e-9):
            raise AssertionError("more was lent than there is")
        return given

    def take_back(self, left: float) -> None:
        """What a node did not need. (One that went past its lease has nothing to give.)"""
        self.out -= max(0.0, left)


class Node:
    """A process with so many calls in flight; its budget is a part of a purse, a share, or what it was lent."""

    def __init__(self, budget: Budget, speed: float, ledger: Ledger | None, lease: float) -> None:
        self.budget, self.speed, self.ledger, self.lease = budget, speed, ledger, lease
        self.asking = False
        self.dead = False
        self.slots: list[asyncio.Task[None]] = []

    def die(self) -> None:
        """With all that is in flight, which may have been paid for."""
        self.dead = True
        for slot in self.slots:
            slot.cancel()

    async def work(self, loop: SimulatedLoop, cost: Draws, latency: Draws, ends: list[float]) -> None:
        """One of its slots: calls until the money ends, or the node."""
        while True:
            if self.ledger is not None:
                await self._refill()
            try:
                await self.budget.admit(BOUND)
            except BudgetReached:
                break
            await asyncio.sleep(latency() / self.speed)
            self.budget.settle(min(cost(), BOUND), BOUND)
        ends.append(loop.time())

    async def _refill(self) -> None:
        """Ask for more in time; wait for it where nothing would fit."""
        ledger, budget = self.ledger, self.budget
        if ledger is None or budget.cap is None or self.asking or budget.cap - budget.promised > self.lease / 2:
            return
        self.asking = True
        await asyncio.sleep(2 * HOP)
        given = ledger.lend(self.lease)
        budget.cap += given
        budget.wake()
        if not given:
            await asyncio.sleep(AGAIN)
        self.asking = False


class Spent(NamedTuple):
    """What became of a cap."""

    spent: float
    over: float
    """USD past the cap."""
    stranded: float
    """USD that nobody could use."""
    tail: float
    """Seconds from the first slot that ended to the last."""
    requests: float
    """To the coordinator, a call."""
    calls: int


def spend(
    how: str,
    *,
    nodes: int = 100,
    slots: int = 16,
    cap: float = 400.0,
    lease: float = 0.4,
    lose: int = 0,
    sure: bool = False,
    seed: int = 1,
) -> Spent:
    """A cap spent by some nodes: one `purse`, fixed `shares`, or `leases`. `lose` nodes die on the way with what they hold.

    `sure` has every call in flight counted at the most that it can cost, not at the dearest so far.
    """

    async def main(loop: SimulatedLoop) -> Spent:
        dice = np.random.default_rng(seed)
        cost, latency = lognormal(dice, MEAN, SPREAD), lognormal(dice, LATENCY, 0.5)
        speeds = np.exp(0.1 * dice.standard_normal(nodes))
        purse, ledger = Purse(cap), Ledger(cap) if how == "leases" else None
        dearest = BOUND if sure else None
        team = []
        for number in range(nodes):
            if how == "purse":
                budget = Budget(dearest=dearest, purse=purse, name=str(number))
            else:
                budget = Budget(cap / nodes if ledger is None else ledger.lend(lease), dearest=dearest)
            team.append(Node(budget, float(speeds[number]), ledger, lease))
        ends: list[float] = []
        for node in team:
            node.slots = [loop.create_task(node.work(loop, cost, latency, ends)) for _ in range(slots)]
        when = uniform(np.random.default_rng([seed, 2]))
        full = cap / MEAN / (nodes * slots / LATENCY)
        for node in team[:lose]:
            loop.call_later(when() * full, node.die)
        await asyncio.gather(*(_returned(node) for node in team))
        spent = sum(node.budget.spent for node in team)
        calls = sum(node.budget._learned for node in team)
        requests = ledger.asked / calls if ledger is not None else 2.0 if how == "purse" else 0.0
        over = max(0.0, spent - cap)
        tail = max(ends) - min(ends)
        return Spent(spent, over, max(0.0, cap - spent), tail, requests, calls)

    return simulate(main)


async def _returned(node: Node) -> None:
    """A node's end: what it has left goes back, unless it died."""
    await asyncio.wait(node.slots)
    if node.ledger is not None and not node.dead and node.budget.cap is not None:
        node.ledger.take_back(node.budget.cap - node.budget.spent)
