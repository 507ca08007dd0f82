"""One cap over several runs, each in a thread of its own: together they never go past it, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest

from snellen.core.records import Totals
from snellen.core.types import Call
from snellen.engine.call.budget import Budget, BudgetReached, SharedBudget, budget_of

CAP = 1.0


def ask(shared: SharedBudget, name: str, cost: float, billed: list[float], stopped: list[str]) -> None:
    async def one(budget: Budget) -> None:
        await budget.admit(None)
        await asyncio.sleep(random.random() / 500)
        billed.append(cost)
        budget.settle(cost)

    async def every() -> None:
        budget = Budget(shared=shared, name=name)
        done = await asyncio.gather(*(one(budget) for _ in range(80)), return_exceptions=True)
        stopped.extend(name for error in done if isinstance(error, BudgetReached))

    asyncio.run(every())


@pytest.mark.parametrize("costs", [(0.01, 0.01, 0.01), (0.001, 0.02, 0.05)])
def test_threads_that_share_a_budget_stay_under_its_cap(costs: tuple[float, ...]) -> None:
    shared, billed, stopped = SharedBudget(CAP), list[float](), list[str]()
    threads = [
        threading.Thread(target=ask, args=(shared, f"run {i}", cost, billed, stopped)) for i, cost in enumerate(costs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "who waits for a call of another run hears when it ends"
    assert sum(billed) <= CAP + max(costs) + 1e-9, "but for the first call of a run, whose cost nobody knew"
    assert sum(billed) >= CAP - 2 * max(costs) * len(costs), "the cap is used"
    assert stopped
    assert shared.spent == pytest.approx(sum(billed))


def test_what_a_run_spent_before_its_turn_counts() -> None:
    shared = SharedBudget(CAP)
    Budget(spent=0.9, dearest=0.2, shared=shared, name="earlier")

    async def scenario() -> None:
        with pytest.raises(BudgetReached, match=r"--max-cost 1 USD reached: 0\.9 USD spent"):
            await Budget(shared=shared, name="now").admit(0.2)

    asyncio.run(scenario())


def test_calls_of_unknown_cost_of_a_run_before_its_turn_count_at_their_own_bound() -> None:
    shared, known = SharedBudget(CAP), Totals()
    for _ in range(9):
        known.add(Call(key="k", kind="api", endpoint="e", model="m", latency=1.0, at_most=0.11))
    budget_of(known, None, shared, "earlier")

    async def scenario() -> None:
        with pytest.raises(BudgetReached):
            await Budget(shared=shared, name="now").admit(0.02)
        await Budget(shared=SharedBudget(CAP), name="alone").admit(0.11)

    asyncio.run(scenario())


def test_a_call_of_unknown_cost_counts_at_its_own_bound_not_at_that_of_others() -> None:
    """One question with a large picture among small ones, and the other way round."""
    large, small = Totals(), Totals()
    for at_most in (0.3, *(0.001 for _ in range(39))):
        large.add(Call(key="k", kind="api", endpoint="e", model="m", latency=1.0, at_most=at_most))
    for _ in range(3):
        small.add(Call(key="k", kind="api", endpoint="e", model="m", unsure=1, at_most=0.3))

    async def scenario() -> None:
        await budget_of(large, CAP).admit(0.6)
        with pytest.raises(BudgetReached, match=r"up to 0\.9 USD for tries of unknown cost"):
            await budget_of(small, CAP).admit(0.11)

    asyncio.run(scenario())


def test_once_reached_it_is_reached_for_all() -> None:
    shared = SharedBudget(CAP)

    async def scenario() -> None:
        with pytest.raises(BudgetReached):
            await Budget(shared=shared, name="dear").admit(2.0)
        with pytest.raises(BudgetReached):
            await Budget(shared=shared, name="cheap").admit(0.01)

    asyncio.run(scenario())


def test_a_run_that_goes_on_takes_the_place_of_what_it_had_spent() -> None:
    shared = SharedBudget(CAP)
    Budget(spent=0.9, dearest=0.01, shared=shared, name="one")

    async def scenario() -> None:
        await Budget(spent=0.9, dearest=0.01, shared=shared, name="one").admit(None)

    asyncio.run(scenario())
    assert shared.spent == 0.9, "counted once"
