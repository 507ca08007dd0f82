"""The simulation behind docs/design/hundred_million.md, small: what must hold whatever the figures are."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCH))
    return __import__("simulated")


@pytest.fixture
def calls(simulated: ModuleType) -> ModuleType:
    return __import__("cluster_calls")


@pytest.fixture
def money(simulated: ModuleType) -> ModuleType:
    return __import__("cluster_money")


@pytest.fixture
def work(simulated: ModuleType) -> ModuleType:
    return __import__("cluster_work")


def test_time_is_a_number(simulated: ModuleType) -> None:
    async def day(loop: asyncio.AbstractEventLoop) -> float:
        await asyncio.gather(*(asyncio.sleep(hours * 3600) for hours in range(25)))
        return loop.time()

    assert simulated.simulate(day) == pytest.approx(24 * 3600)


def test_waiting_for_nothing_is_noticed(simulated: ModuleType) -> None:
    async def stuck(_loop: asyncio.AbstractEventLoop) -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="nothing is left"):
        simulated.simulate(stuck)


def test_nodes_share_a_rate_and_the_same_seed_gives_the_same(calls: ModuleType) -> None:
    own = calls.share(10, "own", rate=60.0, spread=1.0, seconds=60.0)
    assert own == calls.share(10, "own", rate=60.0, spread=1.0, seconds=60.0)
    assert 0.9 < own.used <= 1.02 and own.refused < 0.3 and own.gave_up == 0


def test_more_nodes_than_calls_fit_give_up_unless_one_limiter_serves_all(calls: ModuleType) -> None:
    own = calls.share(50, "own", rate=10.0, seconds=60.0)
    one = calls.share(50, "one", rate=10.0, seconds=60.0)
    assert own.gave_up > 0.2 and own.refused > 0.5
    assert one.gave_up == 0 and one.refused < 0.2


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("lose", [0, 3])
def test_leases_never_go_past_the_cap(money: ModuleType, seed: int, lose: int) -> None:
    got = money.spend("leases", nodes=10, slots=4, cap=5.0, lease=0.1, lose=lose, sure=True, seed=seed)
    assert got.over == 0 and got.calls > 1000
    assert got.stranded < (0.02 if lose == 0 else 0.02 + 3 * (0.1 + 5 * 0.02))


def test_nobody_is_lent_what_is_not_there(money: ModuleType) -> None:
    ledger = money.Ledger(1.0)
    assert [ledger.lend(0.75), ledger.lend(0.75), ledger.lend(0.75)] == [0.75, 0.25, 0.0]
    ledger.take_back(0.5)
    ledger.take_back(-0.1)
    assert ledger.lend(0.75) == 0.5


def test_work_is_done_once_unless_a_node_is_lost(work: ModuleType) -> None:
    calm = work.Cluster(nodes=10, answers=200_000, mtbf=None)
    rough = calm._replace(mtbf=1800.0)
    for way in (work.fixed_parts, work.queue, work.stealing):
        assert way(calm).twice == 0 and way(calm).over_ideal >= 1
        lost = way(rough)
        assert lost.lost_nodes > 0 and lost.over_ideal > way(calm).over_ideal
        assert 0 < lost.twice <= lost.lost_nodes * (rough.in_flight + rough.flush / 2) / rough.answers
        assert way(rough._replace(kept=False)).twice > lost.twice
    assert work.queue(calm).over_ideal < work.fixed_parts(calm).over_ideal


def test_the_work_of_nodes_that_never_come_back_is_done_by_others(work: ModuleType) -> None:
    fewer = work.Cluster(nodes=10, answers=200_000, mtbf=8000.0, back=None)
    for way in (work.fixed_parts, work.queue, work.stealing):
        assert 0 < way(fewer).lost_nodes < 10
