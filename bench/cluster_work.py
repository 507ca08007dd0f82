"""How work is shared out over nodes that differ, stall and die: parts fixed beforehand, a queue of units with leases, or stealing.

A unit is some questions whose answers are kept together (one file in the store). What a node has answered of a unit and not yet put away is
lost with the node, and paid for again. Own arithmetic, at the scale of units: 100 nodes and 100 million answers are 100,000 units of 1,000.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HOUR = 3600.0


class Cluster(NamedTuple):
    """What is asked, and of whom. Times in seconds."""

    nodes: int = 100
    answers: int = 100_000_000
    unit: int = 1000
    in_flight: int = 32
    """Calls in flight on one node."""
    mean: float = 3.0
    spread: float = 1.0
    """Of a call's time: its mean, and the standard deviation of its logarithm."""
    unequal: float = 0.1
    """Standard deviation of the logarithm of nodes' speeds."""
    mtbf: float | None = 24 * HOUR
    """How long a node lives on average; None: for ever."""
    back: float | None = 600.0
    """After how long a lost node is back; None: never."""
    kept: bool = True
    """Whether what a node put away outlives it (a shared disk, object storage)."""
    flush: int = 100
    """How many answers are put away at a time: so many may be lost with a node, beside those in flight."""
    lease: float = 900.0
    """After how long without a sign of life a unit is given to another."""


class Done(NamedTuple):
    """How it went."""

    seconds: float
    over_ideal: float
    twice: float
    """Answers that were paid for twice, of all."""
    lost_nodes: int


def work_of(cluster: Cluster, seed: int) -> tuple[Floats, Floats]:
    """Seconds that each unit takes a node of speed 1 (the sum of its calls' times, as many at once as a node has), and nodes' speeds."""
    dice = np.random.default_rng([seed, 1])
    scale = cluster.mean * np.exp(-(cluster.spread**2) / 2) / cluster.in_flight
    return scale * _sums(cluster.answers, cluster.unit, cluster.spread, seed), np.exp(
        cluster.unequal * dice.standard_normal(cluster.nodes)
    )


@lru_cache(maxsize=1)
def _sums(answers: int, unit: int, spread: float, seed: int) -> Floats:
    """For each unit the sum of its calls' times, the typical one being 1. Every call is drawn."""
    dice = np.random.default_rng(seed)
    sums = np.empty(-(-answers // unit))
    step = max(1, 2_000_000 // unit)
    for begin in range(0, len(sums), step):
        some = min(step, len(sums) - begin)
        drawn = np.exp(np.float32(spread) * dice.standard_normal((some, unit), dtype=np.float32))
        sums[begin : begin + some] = drawn.sum(axis=1, dtype=np.float64)
    return sums


class _Lives:
    """When each node dies next, and when it is back."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self._dice = np.random.default_rng([seed, 2])
        self._cluster = cluster
        self.deaths = [self._after(0.0) for _ in range(cluster.nodes)]
        self.lost = 0

    def _after(self, now: float) -> float:
        mtbf = self._cluster.mtbf
        return float("inf") if mtbf is None else now + float(self._dice.exponential(mtbf))

    def die(self, node: int) -> float | None:
        """A node dies: when it is back, if ever."""
        self.lost += 1
        at, back = self.deaths[node], self._cluster.back
        if back is None:
            self.deaths[node] = float("inf")
            return None
        self.deaths[node] = self._after(at + back)
        return at + back


class _Hands(NamedTuple):
    """Who holds what: `pick` gives a node its next unit, `keeps` says that a node which comes back goes on with what it had."""

    units: Floats
    pick: Callable[[int], int | None]
    keeps: bool = False


def fixed_parts(cluster: Cluster, seed: int = 1) -> Done:
    """`--shard i/n`: every nth unit, on one node. The part of a node that never comes back goes to one that has finished its own."""
    work, _ = work_of(cluster, seed)
    begun: set[int] = set()

    def pick(node: int) -> int | None:
        if node in begun:
            return None
        begun.add(node)
        return node

    parts = np.array([work[node :: cluster.nodes].sum() for node in range(cluster.nodes)])
    return _carried_out(cluster, seed, _Hands(parts, pick, keeps=True))


def queue(cluster: Cluster, seed: int = 1) -> Done:
    """A queue of units: who is free takes the next."""
    work, _ = work_of(cluster, seed)
    following = iter(range(len(work)))
    return _carried_out(cluster, seed, _Hands(work, lambda _node: next(following, None)))


def stealing(cluster: Cluster, seed: int = 1) -> Done:
    """Parts fixed beforehand; who has finished takes half of the units that the node with most has not begun."""
    work, _ = work_of(cluster, seed)
    queues = [deque(range(node, len(work), cluster.nodes)) for node in range(cluster.nodes)]

    def pick(node: int) -> int | None:
        if not queues[node]:
            most = max(queues, key=len)
            for _ in range(-(-len(most) // 2)):
                queues[node].append(most.pop())
        return queues[node].popleft() if queues[node] else None

    return _carried_out(cluster, seed, _Hands(work, pick))


def _carried_out(cluster: Cluster, seed: int, hands: _Hands) -> Done:
    """All units, event by event. What a lost node held is free again when its lease has run out, unless it keeps it and comes back."""
    work, speeds = work_of(cluster, seed)
    lives = _Lives(cluster, seed)
    left = hands.units.tolist()
    twice, seconds, each = 0.0, 0.0, _each(cluster)
    free = [(0.0, node) for node in range(cluster.nodes)]
    waiting: list[tuple[float, int]] = []
    held: dict[int, int] = {}
    idle: list[int] = []
    while free:
        now, node = heapq.heappop(free)
        death = lives.deaths[node]
        if death <= now:  # with nothing in its hands
            _rise(free, lives.die(node), node, now)
            continue
        unit: int | None = held.pop(node, None)
        if unit is None and waiting and waiting[0][0] <= now:
            unit = heapq.heappop(waiting)[1]
        unit = hands.pick(node) if unit is None else unit
        if unit is None:
            if waiting:
                heapq.heappush(free, (waiting[0][0], node))
            else:
                idle.append(node)
            continue
        end = now + left[unit] / speeds[node]
        if end <= death:
            seconds = max(seconds, end)
            left[unit] = 0.0
            heapq.heappush(free, (end, node))
            continue
        answered = (death - now) * speeds[node]
        again = answered / each + cluster.in_flight
        if cluster.kept:
            again = min(again, _again(cluster))
        twice += again
        left[unit] = min(float(hands.units[unit]), left[unit] - answered + again * each)
        back = lives.die(node)
        _rise(free, back, node, now)
        if hands.keeps and back is not None:
            held[node] = unit
            continue
        heapq.heappush(waiting, (death + cluster.lease, unit))
        for other in idle:
            heapq.heappush(free, (death + cluster.lease, other))
        idle.clear()
    if any(left):
        raise RuntimeError("not all units were done: no node is left")
    ideal = float(work.sum() / speeds.sum())
    return Done(seconds, seconds / ideal, twice / cluster.answers, lives.lost)


def _rise(free: list[tuple[float, int]], back: float | None, node: int, now: float) -> None:
    if back is not None:
        heapq.heappush(free, (max(now, back), node))


def _each(cluster: Cluster) -> float:
    """Seconds of a node's time that an answer takes on average."""
    return cluster.mean / cluster.in_flight


def _again(cluster: Cluster) -> float:
    """Answers that are lost with a node, on average: those in flight, and half of what it puts away at a time."""
    return cluster.in_flight + cluster.flush / 2


def drained(unit: int, in_flight: int, spread: float, times: int = 200, seed: int = 1) -> float:
    """How much longer one unit takes than its calls' times give, where a node waits for its last call before it takes the next unit."""
    dice = np.random.default_rng(seed)
    slots = np.zeros((times, in_flight))
    rows, busy = np.arange(times), np.zeros(times)
    for _ in range(unit):
        took = np.exp(spread * dice.standard_normal(times))
        slots[rows, slots.argmin(axis=1)] += took
        busy += took
    return float((slots.max(axis=1) / (busy / in_flight)).mean())
