"""`--max-cost` holds for replies that say nothing, nonsense or nothing usable of their cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, completion
from tests.support.remote import remote
from tests.support.sets import write_set

from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.subject import Price, Reply, Request
from snellen.engine.call.budget import Budget, BudgetReached
from snellen.engine.call.caller import EndpointCaller
from snellen.engine.call.exchange import Fault, Response
from snellen.engine.call.limiter import Limiter
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.exams.grounding.exam import EXAM
from snellen.subjects.remote.settings import Settings

CAP = 0.05
WIDTH = 256
Bill = tuple[float, int, dict[str, Any]]
"""What the server charges, its status and what it sends."""


def good(cost: float | None, /, **usage: Any) -> dict[str, Any]:
    body = completion("Color", cost=cost)
    return body | {"usage": body["usage"] | usage}


class Server:
    """Charges what a script says, whatever it tells. Notes what was charged when each request came, and how many were in flight."""

    def __init__(self, script: Callable[[int], Bill]) -> None:
        self._script = script
        self.charged = 0.0
        self.told = 0
        self.asked = 0
        self.in_flight = 0
        self.at_start: list[tuple[float, int, int]] = []

    async def post(self, _body: bytes) -> Response:
        self.at_start.append((self.charged, self.in_flight, self.told))
        self.in_flight += 1
        number, self.asked = self.asked, self.asked + 1
        await asyncio.sleep(0)
        cost, status, body = self._script(number)
        self.charged += cost
        self.told += 1
        self.in_flight -= 1
        return Response(status, {}, json.dumps(body).encode())


class Ended(list[Reply]):
    """The replies, and what ended the asking."""

    errors: list[BaseException]
    budget: Budget


def ask(
    server: Server, *, price: Price | None = None, bound: float | None = None, budget: Budget | None = None
) -> Ended:
    """300 questions, 256 at once, under the cap."""

    async def scenario() -> Ended:
        endpoint = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1", price=price))
        kept = budget or Budget(CAP)
        caller = EndpointCaller(
            endpoint,
            server,
            limiter=Limiter(WIDTH),
            budget=kept,
            store=None,
            tries=3,
            jitter=lambda: 0.0,  # type: ignore[arg-type]
        )

        async def no_wait(_seconds: float, _stopped: asyncio.Event) -> None:
            await asyncio.sleep(0)

        calls = (caller(Request(key=f"{i:064x}", body=b"{}", cost_bound=bound)) for i in range(300))
        with patch("snellen.engine.call.caller.pause", no_wait):
            got = await asyncio.gather(*calls, return_exceptions=True)
        ended = Ended(g for g in got if isinstance(g, Reply))
        ended.errors = [g for g in got if isinstance(g, BaseException)]
        ended.budget = kept
        return ended

    return asyncio.run(scenario())


def nothing_is_sent_past_the_cap(server: Server) -> None:
    """No request leaves once the bills that came in reach the cap; never more than twice as many in flight as were answered."""
    assert all(charged <= CAP * (1 + 1e-6) for charged, _n, _told in server.at_start)
    assert all(flying < max(1, 2 * told) for _charged, flying, told in server.at_start)


def test_a_first_reply_with_a_cost_and_none_after_it() -> None:
    server = Server(lambda n: (0.01, 200, good(0.0001 if n == 0 else None)))
    ended = ask(server)
    assert server.asked <= 3
    assert any("give --price" in str(e) for e in ended.errors)
    assert all(isinstance(e, SnellenError) for e in ended.errors)


def test_negative_tokens_are_not_paid_back() -> None:
    price = Price(1000.0, 1000.0, "--price")
    server = Server(lambda _n: (0.01, 200, good(None, prompt_tokens=-20_000)))
    ended = ask(server, price=price, bound=0.01)
    assert server.asked == 5  # the bound of each counts
    assert (ended.budget.spent, ended.budget.promised) == (0.0, pytest.approx(0.05))
    assert any(isinstance(e, BudgetReached) for e in ended.errors)


@pytest.mark.parametrize("status", [200, 500, 400])
@pytest.mark.parametrize("body", [{}, {"choices": []}, {"error": {"code": 502, "message": "upstream"}}])
def test_a_reply_that_cannot_be_used_is_paid_for(status: int, body: dict[str, Any]) -> None:
    server = Server(lambda _n: (0.01, status, body | {"usage": {"cost": 0.01}}))
    ended = ask(server)
    nothing_is_sent_past_the_cap(server)
    assert server.charged <= CAP + 0.01
    assert ended.budget.spent == pytest.approx(server.charged)
    assert sum(reply.call.cost or 0 for reply in ended) == pytest.approx(
        server.charged
    )  # the ledger has it for a resume
    assert any(isinstance(e, BudgetReached) for e in ended.errors)


def test_a_free_first_call_teaches_nothing() -> None:
    server = Server(lambda n: (0.0, 200, good(0.0)) if n == 0 else (1.0, 200, good(1.0)))
    ask(server)
    nothing_is_sent_past_the_cap(server)
    assert server.asked <= 3
    free = Server(lambda _n: (0.0, 200, good(0.0)))
    assert len(ask(free)) == 300
    assert max(n for _c, n, _t in free.at_start) > 100  # and what stays free is not held back


def test_replies_that_are_lost_count_like_the_dearest() -> None:
    class Dropping(Server):
        async def post(self, body: bytes) -> Response:
            response = await super().post(body)
            if self.asked == 1:
                return response
            raise Fault("connection lost", sent=True)  # after the server did the work

    server = Dropping(lambda _n: (0.01, 200, good(0.01)))
    ended = ask(server)
    assert server.charged <= CAP + 0.01
    assert any("unknown cost" in str(e) for e in ended.errors)


def test_a_resume_knows_of_calls_that_did_not_say_what_they_cost() -> None:
    async def scenario() -> None:
        with pytest.raises(SnellenError, match="give --price"):
            await Budget(1.0, unknown=3, unpriced=True).admit(None)
        with pytest.raises(BudgetReached, match=r"up to 0\.9 USD for tries of unknown cost"):
            await Budget(1.0, spent=0.1, dearest=0.3, unknown=3).admit(None)
        await Budget(1.0, unknown=3).admit(0.1)

    asyncio.run(scenario())


HIDDEN: dict[str, Any] = {"nothing": None, "negative": -1.0, "huge": 10**400, "text": "0.01"}
TOLD = st.sampled_from([*HIDDEN, "cost", "zero", "broken", "error", "refused", "500"])


@given(st.lists(st.tuples(TOLD, st.floats(0.0001, 0.04)), min_size=1, max_size=12), st.booleans())
@settings(phases=(Phase.generate,))
def test_no_way_of_billing_breaks_the_cap(script: list[tuple[str, float]], priced: bool) -> None:
    """Whatever is told, nothing is sent once the bills reach the cap, or (without a price) once a usable reply hid its own."""
    told_by_first_hidden: list[int] = []

    def bill(number: int) -> Bill:
        told, cost = script[number % len(script)]
        if told in HIDDEN:
            told_by_first_hidden.append(server.told + 1)
            return 0.001, 200, good(None, **({} if HIDDEN[told] is None else {"cost": HIDDEN[told]}))
        body = {
            "cost": good(cost),
            "zero": good(0.0),
            "broken": {"usage": {"cost": cost}},
            "error": {"error": {"code": 503}, "usage": {"cost": cost}},
            "refused": {"error": {"message": "content_filter"}, "usage": {"cost": cost}},
            "500": {"usage": {"cost": cost}},
        }[told]
        return 0.0 if told == "zero" else cost, {"refused": 400, "500": 500}.get(told, 200), body

    server = Server(bill)
    price = Price(1.2, 1.2, "--price") if priced else None  # 834 tokens are 0.001 USD
    ask(server, price=price, bound=0.001 if priced else None)
    nothing_is_sent_past_the_cap(server)
    if told_by_first_hidden and not priced:
        before = told_by_first_hidden[0]
        assert server.asked <= before + max(1, 2 * before)


def test_the_whole_command_stops_with_one_line(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 200)
    seen: list[int] = []

    def script(_request: Any, _times: int) -> Any:
        seen.append(1)
        return 200, {}, json.dumps(completion("Color", cost=0.0001 if len(seen) == 1 else None)).encode()

    with Endpoint(script=script) as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url)
        more = ("--out", tmp_path / "runs", "--concurrency", 256, "--max-cost", CAP)
        done = snellen(*words, *more, cache=tmp_path / "cache")
        assert done.returncode == 2, done.stderr
        assert "give --price IN/OUT" in done.stderr
        assert len(seen) <= 3


def test_a_question_that_is_stopped_midway_keeps_its_bill(tmp_path: Path) -> None:
    """A method asks several times; the cap is reached between two of them."""

    maker_of(EXAM).make(tmp_path / "set", count=4, seed=1, workers=1, progress=None)
    with Endpoint(answer='{"x": 500, "y": 500}', cost=0.01) as endpoint:
        options = {"base_url": endpoint.url, "model": "api/m", "method_options": {"format": "gpt"}}
        request = RunRequest("grounding", "method/vlm+narrow", tmp_path / "set", options=options, out=tmp_path / "runs")
        plan = make_plan(request._replace(limits=Limits(max_cost=CAP, concurrency=4, use_store=False)))
        assert isinstance(run_plan(plan).stopped, BudgetReached)
        billed = 0.01 * len(endpoint.requests)
        assert billed <= CAP + 1e-9
        assert RunFolder(plan.folder).scan().totals.cost == pytest.approx(billed)
        assert isinstance(run_plan(plan).stopped, BudgetReached)
        assert 0.01 * len(endpoint.requests) == pytest.approx(billed)  # a resume has nothing left to spend
