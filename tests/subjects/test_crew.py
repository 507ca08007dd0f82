"""A crew: work is spread, whoever is lost is replaced, and a place where workers are lost again and again is given up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection

import pytest
from tests.support.crews import FakeWorker, echo, lost

from snellen.core.errors import Stopped
from snellen.subjects import crew as crews
from snellen.subjects.crew import Crew, WorkerLost


async def sent(crew: Crew, message: bytes) -> bytes:
    async with crew.one() as worker:
        return await worker.ask(message)


def nobody(_taken: Collection[str], _closed: threading.Event) -> list[FakeWorker]:
    return []


def test_messages_go_to_whoever_has_the_least_to_do() -> None:
    workers = [FakeWorker("a", echo), FakeWorker("b", echo), FakeWorker("c", echo)]

    async def all_of_them() -> list[bytes]:
        crew = Crew(workers, nobody)
        return await asyncio.gather(*(sent(crew, bytes([n])) for n in range(30)))

    assert asyncio.run(all_of_them()) == [bytes([n]) for n in range(30)]
    assert [w.most for w in workers] == [10, 10, 10]


def test_who_is_lost_is_replaced_and_the_others_go_on() -> None:
    good, bad = FakeWorker("good", echo), FakeWorker("bad", lost)
    hired: list[FakeWorker] = []

    def hire(taken: Collection[str], _closed: threading.Event) -> list[FakeWorker]:
        assert "good" in taken
        new = [] if "bad" in taken else [FakeWorker("bad", echo)]
        hired.extend(new)
        return new

    async def run() -> tuple[int, Crew]:
        crew = Crew([bad, good], hire)
        failed = 0
        for number in range(60):
            try:
                assert await sent(crew, bytes([number])) == bytes([number])
            except WorkerLost:
                failed += 1
        return failed, crew

    failed, crew = asyncio.run(run())
    assert failed == 1
    assert bad.closed
    assert len(hired) == 1
    assert {w.place for w in crew.workers} == {"good", "bad"}
    crew.close()
    assert good.closed
    assert hired[0].closed


def test_a_place_that_loses_everybody_is_given_up_and_the_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "WAIT", 0.5)
    hired = 0

    def hire(taken: Collection[str], _closed: threading.Event) -> list[FakeWorker]:
        nonlocal hired
        if "a" in taken:
            return []
        hired += 1
        return [FakeWorker("a", lost)]

    async def run() -> None:
        crew = Crew([FakeWorker("a", lost)], hire)
        for _ in range(20):
            try:
                await sent(crew, b"x")
            except WorkerLost:
                continue

    with pytest.raises(Stopped, match=r"no worker is left \(it ended\); everything is kept"):
        asyncio.run(run())
    assert hired == crews.GIVE_UP - 1
