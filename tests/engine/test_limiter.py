"""The limiter against a simulated endpoint with its own clock: no sleeping, no wall time."""

from __future__ import annotations

import asyncio
import heapq
import random

import pytest

from snellen.engine.call.limiter import FLOOR_BY_LATENCY, START, Limiter


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def drive(limiter: Limiter, clock: Clock, rounds: int, slots: int, service: float = 0.2) -> None:
    """Rounds of full load on an endpoint with some slots: latency grows with the queue."""
    for _ in range(rounds):
        size = limiter.limit
        limiter._saturated = True
        clock.now += service * max(1, -(-size // slots))
        for i in range(size):
            limiter.succeeded(service * (1 + i // slots))


def test_slow_start_doubles_until_latency_grows() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    drive(limiter, clock, 2, slots=64)
    assert limiter.limit == START * 4 == 64
    drive(limiter, clock, 30, slots=64)
    assert 64 <= limiter.limit <= 200  # enough to keep all slots busy, no more than a few queues deep
    assert any("slow start ends" in c.why for c in limiter.history)


def test_a_throttle_cuts_once_a_round_trip_and_growth_is_additive_afterwards() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    drive(limiter, clock, 2, slots=1000)
    before = limiter.limit
    for _ in range(20):
        limiter.throttled("status 429")
    assert limiter.limit == int(before * 0.7)
    cut = limiter.limit
    drive(limiter, clock, 3, slots=1000)
    assert limiter.limit == cut + 3
    clock.now += 10
    limiter.throttled("status 429")
    assert limiter.limit == int((cut + 3) * 0.7)


def served(limiter: Limiter, clock: Clock, seconds: float, slots: int, seed: int) -> float:
    """Full load on an endpoint whose calls take 1 s on average, half of them over 0.6 and one in twenty over 3; which part of its slots is used."""
    draw = random.Random(seed)
    busy: list[tuple[float, float]] = []
    free = [0.0] * slots
    done = 0
    while clock.now < seconds:
        while len(busy) < limiter.limit:
            limiter._saturated = True
            begin = max(clock.now, heapq.heappop(free))
            end = begin + draw.lognormvariate(-0.5, 1.0)
            heapq.heappush(free, end)
            heapq.heappush(busy, (end, clock.now))
        end, sent = heapq.heappop(busy)
        clock.now = end
        done += end > seconds / 2
        limiter.succeeded(end - sent)
    return done / (seconds / 2) / slots


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_replies_of_different_lengths_are_no_sign_of_a_queue(seed: int) -> None:
    """By the mean of calls, as before, the limit fell to 9, 12 and 44 with three of these seeds."""
    clock = Clock()
    limiter = Limiter(clock=clock)
    served(limiter, clock, 60, slots=2000, seed=seed)
    assert limiter.limit >= 256


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_a_queue_is_seen_through_replies_of_different_lengths(seed: int) -> None:
    """By the mean of calls four of these used 0.24 to 0.36 of the slots."""
    clock = Clock()
    limiter = Limiter(clock=clock)
    used = served(limiter, clock, 60, slots=64, seed=seed)
    assert used > 0.9 and limiter.limit <= 200


def test_throttles_alone_can_go_down_to_one_but_latency_cannot() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    for _ in range(50):
        clock.now += 1
        limiter.throttled("status 429")
    assert limiter.limit == 1
    other = Limiter(clock=clock)
    for step in range(1, 60):
        other._saturated = True
        for _ in range(other.limit):
            other.succeeded(0.1 * 1.3**step)
    assert other.limit >= FLOOR_BY_LATENCY


def test_no_growth_without_demand() -> None:
    limiter = Limiter(clock=Clock())
    for _ in range(500):
        limiter.succeeded(0.1)
    assert limiter.limit == START


def test_fixed_stays() -> None:
    limiter = Limiter(5, clock=Clock())
    limiter.throttled("status 429")
    drive(limiter, Clock(), 3, slots=1)
    assert limiter.limit == 5


def test_slots_are_never_exceeded_and_cancelled_waiters_lose_none() -> None:
    async def scenario() -> tuple[int, int]:
        limiter = Limiter(3)
        most, done = 0, 0

        async def work() -> None:
            nonlocal most, done
            async with limiter:
                most = max(most, limiter.in_flight)
                await asyncio.sleep(0)
                done += 1

        tasks = [asyncio.create_task(work()) for _ in range(50)]
        await asyncio.sleep(0)
        for task in tasks[10:20]:
            task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert limiter.in_flight == 0
        return most, done

    most, done = asyncio.run(scenario())
    assert most == 3
    assert done >= 40


@pytest.mark.parametrize("limit", [1, 7])
def test_a_raised_limit_wakes_waiters(limit: int) -> None:
    async def scenario() -> int:
        limiter = Limiter(clock=Clock())
        limiter.limit = limit
        entered = 0
        hold = asyncio.Event()

        async def work() -> None:
            nonlocal entered
            async with limiter:
                entered += 1
                await hold.wait()

        tasks = [asyncio.create_task(work()) for _ in range(20)]
        await asyncio.sleep(0.01)
        assert entered == limit
        limiter._set(20, "test")
        await asyncio.sleep(0.01)
        hold.set()
        await asyncio.gather(*tasks)
        return entered

    assert asyncio.run(scenario()) == 20
