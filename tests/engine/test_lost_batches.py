"""Batches whose id, list or results are lost: nothing is paid twice, and in doubt the run stops."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.batch_runs import EACH, chat, claude, evaluate, evaluate_aloud, folder, message, openai
from tests.support.batch_server import AnthropicBatchServer, BatchServer, OpenAIBatchServer
from tests.support.sets import write_set

from snellen.core.errors import SnellenError, Stopped
from snellen.engine.answer import batch_wire, batches
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.runs.run import Run

Make = Callable[[], BatchServer]
both = pytest.mark.parametrize("make", [openai, claude])


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(batches, "FIRST_LOOK", 0.01)
    monkeypatch.setattr(batch_wire, "LOOK_AGAIN", (0.0,) * 6)
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))


def test_a_connection_that_drops_makes_no_second_batch(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with openai() as server:
        server.drop_once = {"create"}
        with pytest.raises(Stopped, match="looks for the batch"):
            evaluate(server, tmp_path)
        run = evaluate(server, tmp_path)
        assert len(server.paid()) == 4
    assert run.summary.totals.cost == pytest.approx(4 * EACH)


@pytest.mark.parametrize(("skew", "lag"), [(3600, 0), (0, 3)], ids=["clock", "late list"])
def test_a_lost_batch_is_found_by_any_clock_and_in_a_list_that_lags(skew: int, lag: int, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with openai() as server:
        server.spoil_once["create"] = (500, b"{}")
        server.skew = skew
        with pytest.raises(Stopped, match="looks for the batch"):
            evaluate(server, tmp_path)
        server.lag = lag
        assert evaluate(server, tmp_path).summary.complete
        assert len(server.paid()) == 4


@both
def test_a_batch_that_may_exist_is_not_paid_again_until_the_user_says_so(make: Make, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with make() as server:
        server.fail_once["create"] = 500
        for said in ("looks for the batch", "may exist", "may exist"):
            with pytest.raises(Stopped, match=said) as stopped:
                evaluate(server, tmp_path)
        assert server.seen["create"] == 1
        file = next((folder(tmp_path) / "batches").iterdir())
        assert str(file) in str(stopped.value)
        file.unlink()
        assert evaluate(server, tmp_path).summary.complete
        assert len(server.paid()) == 4


@both
def test_results_that_are_cut_are_downloaded_anew_not_paid_again(make: Make, tmp_path: Path) -> None:
    cut = True
    write_set(tmp_path / "d", 6)
    with make() as server:
        route = server._route

        def half(*given: Any) -> Any:
            name, act = route(*given)
            if name != "results" or not cut:
                return name, act
            return name, lambda: (200, act()[1][: len(act()[1]) // 2 - 5])

        server._route = half  # type: ignore[method-assign]
        with pytest.raises(Stopped, match=r"batch \w+ .*2 of 6"):
            evaluate(server, tmp_path)
        assert len(list(Run(folder(tmp_path)).answers())) == 2
        cut = False
        run = evaluate(server, tmp_path)
        assert (server.seen["create"], len(server.paid())) == (1, 6)
    assert run.summary.complete
    assert run.summary.totals.cost == pytest.approx(6 * EACH)


@both
def test_a_batch_whose_list_of_questions_is_gone_is_not_paid_again(make: Make, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with make() as server:
        server.fail_once["look"] = 401
        with pytest.raises(SnellenError):
            evaluate(server, tmp_path)
        (file,) = (folder(tmp_path) / "batches").iterdir()
        kept = file.read_bytes()
        file.unlink()
        with pytest.raises(Stopped, match="put it back, or begin another run"):
            evaluate(server, tmp_path)
        file.write_bytes(kept)
        assert evaluate(server, tmp_path).summary.complete
        assert len(server.paid()) == 4


@pytest.mark.parametrize("status", [408, 409, 425, 499])
def test_a_batch_is_not_made_twice_after_any_status(status: int, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with openai() as server:
        server.spoil_once["create"] = (status, b"{}")
        with pytest.raises(Stopped, match="looks for the batch"):
            evaluate(server, tmp_path)
        assert evaluate(server, tmp_path).summary.complete
        assert len(server.paid()) == 4


def test_a_completed_batch_that_names_no_file_stops_and_is_not_paid_again(tmp_path: Path) -> None:
    class Nameless(OpenAIBatchServer):
        nameless = True

        def _look(self, number: str) -> tuple[int, bytes]:
            status, said = super()._look(number)
            return status, said.replace(b"file_id", b"file_of") if self.nameless else said

    write_set(tmp_path / "d", 4)
    with Nameless(chat) as server:
        for _again in range(2):
            with pytest.raises(Stopped, match="0 of 4 came"):
                evaluate(server, tmp_path)
        server.nameless = False
        assert evaluate(server, tmp_path).summary.complete
        assert len(server.paid()) == 4


def test_an_anthropic_batch_whose_results_are_too_old_is_not_paid_again(tmp_path: Path) -> None:
    class Archived(AnthropicBatchServer):
        def _shown(self, number: str) -> dict[str, Any]:
            return super()._shown(number) | {"results_url": None}

    write_set(tmp_path / "d", 4)
    with Archived(message) as server:
        for _again in range(2):
            server.fail_once["results"] = 404
            with pytest.raises(SnellenError, match=r"removed or is too old.*--fresh") as refused:
                evaluate(server, tmp_path)
            assert refused.value.exit_code == 2
        assert len(server.paid()) == 4


def test_the_last_line_of_progress_has_what_was_paid(tmp_path: Path) -> None:
    """Also where a batch of an earlier command was called off, and its open questions are handed in again."""
    write_set(tmp_path / "d", 12)
    with OpenAIBatchServer(chat) as server:
        server.spoil_once["look"] = (404, b"{}")
        with pytest.raises(SnellenError):
            evaluate(server, tmp_path)
        server.results["batch_0"] = server.results["batch_0"][:5]
        server.files["five"] = b"".join(json.dumps(line).encode() + b"\n" for line in server.results["batch_0"])
        counts = {"total": 12, "completed": 5, "failed": 0}
        server.batches["batch_0"] |= {"status": "cancelled", "output_file_id": "five", "request_counts": counts}
        told: list[Progress] = []
        run = evaluate(server, tmp_path, on_progress=told.append)
        assert len(server.paid()) == 12
    whole = next(p for p in told if p.done == p.total)  # the last line that is shown
    assert (whole.cost, whole.errors, whole.in_flight) == (pytest.approx(run.summary.totals.cost), 0, 0)


def test_a_batch_that_costs_more_than_the_cap_says_so(tmp_path: Path) -> None:
    def dear(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = chat(request)
        return status, reply | {"usage": {"prompt_tokens": 400_000, "completion_tokens": 1, "total_tokens": 400_001}}

    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(dear) as server, pytest.warns(UserWarning, match=r"more than --max-cost 0\.05"):
        run = evaluate_aloud(server, tmp_path, max_cost=0.05)
    assert run.summary.totals.cost > 1
