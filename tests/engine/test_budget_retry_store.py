from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.core.subject import Reply
from snellen.core.types import Call, Token
from snellen.engine.call.budget import Budget, BudgetReached
from snellen.engine.call.retry import LONGEST_WAIT, retry_after, wait_before, worth_retrying
from snellen.engine.call.store import Store


def spend(cap: float, costs: list[float], bound: float | None, width: int) -> tuple[float, int]:
    """Run calls `width` at a time until the budget says stop; gives what was spent and how many calls ran."""

    async def scenario() -> tuple[float, int]:
        budget = Budget(cap)
        left = iter(costs)
        ran = 0

        async def worker() -> None:
            nonlocal ran
            for cost in left:
                await budget.admit(bound)
                await asyncio.sleep(0)
                ran += 1
                budget.settle(cost, bound)

        await asyncio.gather(*(worker() for _ in range(width)), return_exceptions=True)
        return budget.spent, ran

    return asyncio.run(scenario())


@given(st.floats(0.01, 5), st.floats(0.001, 0.1), st.integers(1, 40), st.booleans())
def test_stops_within_one_calls_price_and_never_past_the_cap(cap: float, price: float, width: int, known: bool) -> None:
    spent, ran = spend(cap, [price] * 6000, price if known else None, width)
    assert spent <= cap * (1 + 1e-6) or ran == 1  # a first call of unknown price may be dearer than the cap
    assert spent > cap - price * (1 + 1e-6)


def test_a_high_bound_does_not_stop_early() -> None:
    spent, _ran = spend(1.0, [0.01] * 1000, bound=0.5, width=8)
    assert spent == pytest.approx(1.0)


def test_a_low_estimate_does_not_break_the_cap() -> None:
    spent, ran = spend(0.03, [0.01] * 100, bound=1e-6, width=30)
    assert spent == pytest.approx(0.03)
    assert ran == 3


def test_free_calls_are_not_held_back() -> None:
    spent, ran = spend(0.0, [0.0] * 50, bound=None, width=10)
    assert (spent, ran) == (0.0, 50)


def test_without_a_reported_cost_the_bound_counts() -> None:
    async def scenario() -> None:
        budget = Budget(1.0)
        await budget.admit(0.4)
        budget.settle(None, 0.4)
        assert (budget.spent, budget.promised, budget.dearest) == (0.0, 0.4, 0.4)

    asyncio.run(scenario())


def test_failed_calls_free_their_reservation() -> None:
    async def scenario() -> None:
        budget = Budget(1.0)
        for _ in range(100):
            await budget.admit(0.9)
            budget.release()
        assert budget.spent == 0

    asyncio.run(scenario())


def test_earlier_spending_counts() -> None:
    async def scenario() -> None:
        with pytest.raises(BudgetReached, match=r"--max-cost 1 USD reached: 0.99"):
            await Budget(1.0, spent=0.99).admit(0.02)

    asyncio.run(scenario())


def test_a_cap_without_any_price_is_refused_after_the_first_call() -> None:
    async def scenario() -> None:
        budget = Budget(1.0)
        await budget.admit(None)
        budget.settle(None)
        with pytest.raises(SnellenError, match="give --price"):
            await budget.admit(None)

    asyncio.run(scenario())


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529, None])
def test_retried(status: int | None) -> None:
    assert worth_retrying(status)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_not_retried(status: int) -> None:
    assert not worth_retrying(status)


def test_retry_after_as_seconds_date_or_rubbish() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after({"Retry-After": "3.5"}) == 3.5
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 00:00:20 GMT"}, now) == 20
    assert retry_after({"Retry-After": "Wed, 31 Dec 2025 00:00:00 GMT"}, now) == 0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({}) is None


@given(st.integers(1, 30), st.floats(0, 0.999))
def test_waits_are_bounded_and_the_servers_figure_is_obeyed(attempt: int, jitter: float) -> None:
    assert 0.25 <= wait_before(attempt, None, jitter) <= LONGEST_WAIT
    assert wait_before(attempt, 7.0, jitter) >= 7.0


KEY = "ab" * 32


def reply(text: str) -> Reply:
    call = Call(key=KEY, kind="api", endpoint="e", model="m", cost=0.5)
    return Reply(call=call, text=text, tokens=(Token(text="x", logprob=-0.5, top=(("y", -1.0),)),))


def test_the_store_gives_back_what_it_got_at_once_and_later(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, reply("one"))
    assert store.get(KEY) == reply("one")
    store.close()
    again = Store(tmp_path)
    assert again.get(KEY) == reply("one")
    again.put(KEY, reply("two"))
    again.close()
    third = Store(tmp_path)
    assert third.get(KEY) == reply("two")
    third.close()


def test_two_stores_on_one_file(tmp_path: Path) -> None:
    one, two = Store(tmp_path), Store(tmp_path)
    for i in range(300):
        (one, two)[i % 2].put(f"{i:064x}", reply(str(i)))
    one.close()
    two.close()
    store = Store(tmp_path)
    assert [store.get(f"{i:064x}").text for i in range(300)] == [str(i) for i in range(300)]  # type: ignore[union-attr]
    store.close()


def test_a_store_that_cannot_be_opened_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    store.put(KEY, reply("x"))
    assert store.get(KEY) is None
    store.close()
    assert "cannot be used" in (store.problem or "")


def test_a_damaged_entry_is_no_answer(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / "answers.sqlite") as db:
        db.execute("INSERT INTO replies VALUES (?, ?)", (bytes.fromhex(KEY), b"{broken"))
    store = Store(tmp_path)
    assert store.get(KEY) is None
    store.close()


def test_a_look_up_from_before_a_put_does_not_hide_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.look_up([KEY])
    store.put(KEY, reply("paid"))
    for _ in range(100):
        if not store._waiting:
            break
        store._thread.join(0.05)
    assert store.get(KEY) == reply("paid")
    store.close()


def test_a_malformed_store_is_done_without(tmp_path: Path) -> None:
    Store(tmp_path).close()
    (tmp_path / "answers.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 4096)
    store = Store(tmp_path)
    assert store.get(KEY) is None
    store.put(KEY, reply("x"))
    store.close()
    assert store.problem


def test_a_store_may_be_closed_while_somebody_looks_something_up(tmp_path: Path) -> None:
    """A run that is stopped does not wait for the thread that reads ahead; a closed connection in use would end the program."""
    script = """
import sys, threading
from pathlib import Path
from snellen.engine.call.store import Store
keys = [f"{i:064x}" for i in range(400)]
for _ in range(40):
    store = Store(Path(sys.argv[1]))
    begun = threading.Event()
    def read():
        for _ in range(200):
            begun.set()
            store.look_up(keys)
    thread = threading.Thread(target=read)
    thread.start()
    begun.wait()
    store.close()
    thread.join()
    assert store.problem is None, store.problem
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
