"""Workers: calls are spread, a lost worker is replaced, and a place where workers are lost again and again is given up."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.support.fake_workers import FakeWorker, calling, hiring, lost, only
from tests.workers.functions import doubled, slow

from snellen.core.errors import SnellenError, Stopped
from snellen.workers import pool
from snellen.workers.pool import WorkerLost, Workers


def test_calls_go_to_the_worker_with_the_least_to_do() -> None:
    made = [FakeWorker(name, calling(slow)) for name in "abc"]

    async def all_of_them(workers: Workers[int]) -> list[int]:
        return await asyncio.gather(*(workers.ask(n) for n in range(30)))

    with Workers(slow, only(*made)) as workers:
        assert asyncio.run(all_of_them(workers)) == [2 * n for n in range(30)]
    assert [len(worker.asked) for worker in made] == [10, 10, 10]
    assert all(worker.closed for worker in made)


def test_a_lost_worker_is_replaced_and_the_others_go_on() -> None:
    good, bad = FakeWorker("good", calling(doubled)), FakeWorker("bad", lost)
    hired: list[FakeWorker] = []

    def another(place: str) -> FakeWorker:
        hired.append(FakeWorker(place, calling(doubled)))
        return hired[-1]

    with Workers[int](doubled, hiring([bad, good], another)) as workers:
        failed = 0
        for number in range(60):
            try:
                assert workers.submit([(number,)]).result()[0] == 2 * number
            except WorkerLost:
                failed += 1
            time.sleep(0.001)
        assert (failed, len(workers)) == (1, 2)
    assert [one.place for one in hired] == ["bad"]
    assert bad.closed and good.closed and hired[0].closed


def test_a_place_that_loses_every_worker_is_given_up_and_the_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAIT", 0.5)
    hired: list[FakeWorker] = []

    def another(place: str) -> FakeWorker:
        hired.append(FakeWorker(place, lost))
        return hired[-1]

    workers = Workers[int](doubled, hiring([FakeWorker("a", lost)], another))
    with pytest.raises(Stopped, match=r"no worker is left \(it ended\); everything is kept"):
        for _ in range(20):
            with pytest.raises(WorkerLost):
                workers.submit([(1,)]).result()[0]
    assert len(hired) == pool.GIVE_UP - 1


def test_a_worker_that_does_not_answer_counts_as_lost() -> None:
    async def never(_message: bytes) -> bytes:
        await asyncio.sleep(60)
        return b""

    silent = FakeWorker("a", never)
    with (
        Workers[int](doubled, hiring([silent], lambda place: FakeWorker(place, calling(doubled)))) as workers,
        pytest.raises(WorkerLost, match="the worker for a does not answer"),
    ):
        asyncio.run(workers.ask(1, timeout=0.1))
    assert silent.closed


def test_a_new_worker_is_admitted_before_it_gets_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "WAIT", 1.0)
    admitted: list[str] = []

    def admit(place: str, call: pool.Call) -> None:
        assert call(1).result() == [2]
        admitted.append(place)
        if len(admitted) > 1:
            raise SnellenError("the worker is another one")

    workers = Workers[int](
        doubled, hiring([FakeWorker("a", calling(doubled))], lambda p: FakeWorker(p, calling(doubled))), admit
    )
    assert workers.submit([(4,)]).result()[0] == 8
    workers._let_go(next(iter(workers._busy)), "it was killed")
    with pytest.raises(Stopped, match="the worker is another one"):
        workers.submit([(4,)]).result()[0]
    assert admitted == ["a"] * pool.GIVE_UP
    with pytest.raises(WorkerLost):
        Workers[int](doubled, only(FakeWorker("a", lost)), admit)
