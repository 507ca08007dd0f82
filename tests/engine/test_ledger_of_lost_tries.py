"""Tries that were lost or cut off stand in the ledger, count against the cap, and do not keep a run from being resumed."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen.core.errors import Interrupted, SnellenError, Stopped
from snellen.core.extras import maker_of
from snellen.core.records import Totals
from snellen.core.types import Call
from snellen.engine.call.store import Store
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.exams.grounding.exam import EXAM

LOST = (200, {}, b'{"choices": [{"mess')
PRICE = 0.01


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snellen.engine.call.caller.wait_before", lambda *_a: 0.0)


def planned(folder: Path, endpoint: Endpoint, samples: int = 40, **limits: Any) -> Plan:
    data = folder / "set" if (folder / "set").exists() else write_set(folder / "set", samples)
    options = {"base_url": endpoint.url}
    request = RunRequest("salbench", "api/m", data, options=options, out=folder / "runs")
    return make_plan(request._replace(limits=Limits(**{"max_cost": 0.1, "use_store": False} | limits)))


def billed(endpoint: Endpoint) -> float:
    return PRICE * len(endpoint.requests)


def test_replies_that_are_lost_before_any_names_a_cost_do_not_break_the_cap(tmp_path: Path) -> None:
    with Endpoint(cost=PRICE, script=lambda _r, _n: LOST if len(endpoint.requests) <= 20 else None) as endpoint:
        first = run_plan(planned(tmp_path, endpoint)).stopped
        assert billed(endpoint) <= 0.1 + 1e-9
        assert len(endpoint.requests) == 6
        assert "lost before any said what a call costs" in str(first)
        assert "--price" in str(first)


def test_what_was_lost_before_the_first_cost_counts_once_there_is_one(tmp_path: Path) -> None:
    with Endpoint(cost=PRICE, script=lambda _r, _n: LOST if len(endpoint.requests) <= 6 else None) as endpoint:
        for _again in range(4):
            assert run_plan(planned(tmp_path, endpoint)).stopped is not None
        assert billed(endpoint) == pytest.approx(0.1)


def test_a_run_whose_replies_were_all_lost_goes_on_once_the_server_is_well(tmp_path: Path) -> None:
    ill = True
    with Endpoint(cost=PRICE, script=lambda _r, _n: LOST if ill else None) as endpoint:
        for asked in (6, 7, 8):  # one more each time
            assert isinstance(run_plan(planned(tmp_path, endpoint, 6, max_cost=1)).stopped, Stopped)
            assert len(endpoint.requests) == asked
        ill = False
        done = run_plan(planned(tmp_path, endpoint, max_cost=1))
        assert done.stopped is None
        assert RunFolder(done.run.path).scan().answered == 6


def test_an_endpoint_that_names_no_cost_is_still_told_from_lost_replies(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        for _again in range(2):
            with pytest.raises(SnellenError, match="does not say what a call costs"):
                run_plan(planned(tmp_path, endpoint))
        assert len(endpoint.requests) == 1


def test_the_ledger_counts_every_lost_try_also_of_a_call_that_was_answered(tmp_path: Path) -> None:
    with Endpoint(cost=PRICE, script=lambda _r, times: LOST if times <= 2 else None) as endpoint:
        done = run_plan(planned(tmp_path, endpoint, 3, max_cost=None))
        assert done.stopped is None
        totals = RunFolder(done.run.path).scan().totals
        assert (totals.calls, totals.tries, totals.unsure, totals.cost_unknown) == (3, 9, 6, 0)
        assert totals.cost == pytest.approx(0.03)


def call(**facts: Any) -> Call:
    return Call(key="k", kind="api", endpoint="e", model="m", **facts)


def test_what_tells_a_cost() -> None:
    totals = Totals()
    totals.add(call(cost=0.0, tries=6))  # six times status 500: nothing was asked of a model
    totals.add(call(cost=0.0, cost_source="refused", latency=0.1, tries=1))  # a filter before it
    totals.add(call(cost=None, tries=2))  # lost, written by 0.1
    totals.add(call(cost=None, tries=6, unsure=4))
    assert (totals.dearest_call, totals.unsure, totals.unpriced, totals.cost_unknown) == (None, 5, 0, 2)
    totals.add(call(cost=None, latency=0.1, tries=1))
    assert (totals.unsure, totals.unpriced, totals.cost_unknown) == (5, 1, 3)
    totals.add(call(cost=0.0, latency=0.1, tries=1))
    assert totals.dearest_call == 0.0


def wait_for_late_ones(endpoint: Endpoint) -> None:
    """Until the server is through with the calls that were cut off: it still meets them after their process ended."""
    seen = -1
    while seen != len(endpoint.requests):
        seen = len(endpoint.requests)
        time.sleep(1.5)


def test_calls_that_an_interrupt_cuts_off_count_in_every_resume(tmp_path: Path) -> None:
    words = ("run", "salbench", "--data", write_set(tmp_path / "set", 60), "--model", "api/m", "--max-cost", "0.1")
    quick = 2

    def script(_request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        if len(endpoint.requests) > quick:
            time.sleep(0.5)  # holds this server up: those that come now are cut off
        return 200, {}, json.dumps(completion("Color", cost=PRICE)).encode()

    with Endpoint(cost=PRICE, script=script) as endpoint:
        more = ("--base-url", endpoint.url, "--out", tmp_path / "runs", "--concurrency", 8)
        for _interrupt in range(2):
            wait_for_late_ones(endpoint)
            quick = len(endpoint.requests) + 2
            process = start(*words, *more, cache=tmp_path / "cache")
            while len(endpoint.requests) <= quick:
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _out, said = process.communicate(timeout=60)
            assert process.returncode == 130, said
            assert "Traceback" not in said
        wait_for_late_ones(endpoint)
        quick = 10_000
        done = snellen(*words, *more, cache=tmp_path / "cache")
        assert done.returncode == 3, done.stderr
        assert "USD for tries of unknown cost" in done.stderr
        assert billed(endpoint) <= 0.1 + 1e-9


def test_nothing_is_sent_after_a_stop(tmp_path: Path) -> None:
    refused = (401, {}, b'{"error": {"message": "bad key"}}')
    with Endpoint(script=lambda _r, _n: refused) as endpoint:
        with pytest.raises(SnellenError, match="bad key"):
            run_plan(planned(tmp_path, endpoint, max_cost=None, concurrency=2))
        assert len(endpoint.requests) <= 2


def test_a_lost_try_before_the_key_is_refused_is_kept(tmp_path: Path) -> None:
    refused = (401, {}, b'{"error": {"message": "bad key"}}')
    with Endpoint(script=lambda _r, times: LOST if times == 1 else refused) as endpoint:
        plan = planned(tmp_path, endpoint, 1, max_cost=None)
        with pytest.raises(SnellenError, match="bad key"):
            run_plan(plan)
        assert RunFolder(plan.folder).scan().totals.unsure == 1


def test_a_question_of_several_calls_that_is_interrupted_keeps_its_bill(tmp_path: Path) -> None:
    maker_of(EXAM).make(tmp_path / "set", count=4, seed=1, workers=1, progress=None)

    def script(_request: dict[str, Any], _times: int) -> None:
        if len(endpoint.requests) == 2:  # while the first question has one look behind it
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    with Endpoint(answer='{"x": 500, "y": 500}', cost=PRICE, script=script) as endpoint:
        options = {"base_url": endpoint.url, "model": "api/m", "method_options": {"format": "gpt"}}
        request = RunRequest("grounding", "method/vlm+narrow", tmp_path / "set", options=options, out=tmp_path / "runs")
        plan = make_plan(request._replace(limits=Limits(max_cost=1, concurrency=1, use_store=False)))
        assert isinstance(run_plan(plan).stopped, Interrupted)
        totals = RunFolder(plan.folder).scan().totals
        assert len(endpoint.requests) == 2
        assert (totals.cost, totals.unsure) == (pytest.approx(PRICE), 1)


def test_the_store_is_not_closed_under_a_look_up(tmp_path: Path) -> None:
    store = Store(tmp_path)
    closing = threading.Thread(target=store.close)
    with store._reading:  # as a look-up in the thread that reads the data
        closing.start()
        closing.join(0.5)
        assert store._reader is not None
    closing.join()
    store.look_up(["ab" * 32])
    assert store.problem is None
