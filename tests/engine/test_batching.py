"""Batches when something goes wrong: nothing is paid twice, nothing is lost, and nothing passes for what it is not."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.batch_runs import EACH, chat, evaluate, folder, message
from tests.support.batch_server import AnthropicBatchServer, OpenAIBatchServer
from tests.support.endpoint import completion
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError, Stopped
from snellen.engine import manifests
from snellen.engine.answer import batch_wire, batches
from snellen.engine.ask.questions import Feed
from snellen.engine.runs.run import Run
from snellen.subjects.anthropic_batches import AnthropicBatches
from snellen.subjects.openai_batches import OpenAIBatches

LATER = '{"error": {"message": "no"}}'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(batches, "FIRST_LOOK", 0.01)
    monkeypatch.setattr(batch_wire, "LOOK_AGAIN", (0.0,) * 6)
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))


# ---------------------------------------------------------------- paid once


def test_a_refused_key_does_not_lose_a_batch_that_is_under_way(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(chat) as server:
        server.fail_once["look"] = 401
        with pytest.raises(SnellenError, match="refused the key"):
            evaluate(server, tmp_path)
        run = evaluate(server, tmp_path)
        assert len(server.paid()) == 4
    assert run.summary.totals.cost == pytest.approx(4 * EACH)


def test_a_command_without_the_option_does_not_lose_it_either(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(chat) as server:
        server.fail_once["look"] = 401
        with pytest.raises(SnellenError):
            evaluate(server, tmp_path)
        with pytest.raises(SnellenError, match="add --batch-api"):
            evaluate(server, tmp_path, batch_api=False)
        evaluate(server, tmp_path)
        assert (len(server.paid()), server.direct) == (4, 0)


def test_a_batch_whose_id_was_lost_is_found_behind_newer_ones(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(chat, page=2) as server:
        server.spoil_once["create"] = (500, b"{}")
        with pytest.raises(Stopped, match="looks for the batch"):
            evaluate(server, tmp_path)
        for number in range(5):
            server.batches[f"other_{number}"] = server.batches["batch_0"] | {
                "id": f"other_{number}",
                "metadata": None,
            }
        evaluate(server, tmp_path)
        assert len(server.paid()) == 4
        assert server.seen["list"] == 3


def test_an_anthropic_batch_whose_id_was_lost_goes_on_once_the_user_names_it(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with AnthropicBatchServer(message, looks=3) as server:
        server.spoil_once["create"] = (500, b"{}")
        for said in ("looks for the batch", "may exist"):
            with pytest.raises(Stopped, match=said):
                evaluate(server, tmp_path)
        books = folder(tmp_path) / "batches.json"
        (entry,) = json.loads(books.read_bytes())
        books.write_text(json.dumps([entry | {"id": next(iter(server.batches))}]))
        run = evaluate(server, tmp_path)
        assert server.seen["create"] == 1
    assert run.summary.totals.cost == pytest.approx(4 * EACH)


def test_equal_requests_are_handed_in_and_paid_once(tmp_path: Path) -> None:
    """Without its picture every question of a part is the same; providers refuse batches that hold a key twice."""
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(chat) as server:
        run = evaluate(server, tmp_path, controls=["none"], use_store=False)
        assert len(server.paid()) == 5
    answers = list(run.answers())
    assert len(answers) == 8
    assert all(a.text == "Color" for a in answers)
    assert run.summary.totals.cost == pytest.approx(5 * EACH)
    assert run.summary.totals.stored == 3


def test_answers_to_an_earlier_wording_do_not_stand_for_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(chat) as server:
        server.fail_once["look"] = 401
        with pytest.raises(SnellenError):
            evaluate(server, tmp_path, use_store=False)
        monkeypatch.setattr(manifests, "wordings", lambda _plan: {"question": "edited"})
        run = evaluate(server, tmp_path, use_store=False)
    assert {a.calls[0].batch for a in run.answers()} == {"batch_1"}
    assert run.summary.totals.cost == pytest.approx(8 * EACH)  # what the old ones cost counts all the same


# ---------------------------------------------------------------- providers that fail


@pytest.mark.parametrize("status", [429, 500])
@pytest.mark.parametrize("name", ["upload", "look", "results"])
def test_what_can_be_sent_again_is(name: str, status: int, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        server.fail_once[name] = status
        run = evaluate(server, tmp_path)
        assert (server.seen["create"], len(server.paid())) == (1, 3)
    assert run.summary.complete


@pytest.mark.parametrize("said", [b"", b"[]", b"{}", b"not json"])
@pytest.mark.parametrize("name", ["upload", "create", "look", "list"])
def test_what_cannot_be_read_stops_the_run_and_loses_nothing(name: str, said: bytes, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        if name == "list":
            server.spoil_once["create"] = (500, b"")
            with pytest.raises(Stopped):
                evaluate(server, tmp_path)
        server.spoil_once[name] = (200, said)
        with pytest.raises(Stopped, match="cannot be read"):
            evaluate(server, tmp_path)
        evaluate(server, tmp_path)
        assert len(server.paid()) == 3


def test_any_good_status_is_good(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        original = server._create
        server._create = lambda wish: (201, original(wish)[1])  # type: ignore[method-assign]
        assert evaluate(server, tmp_path).summary.complete


def test_a_batch_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        server.spoil_once["look"] = (404, LATER.encode())
        with pytest.raises(SnellenError, match=r"no such batch or file.*--fresh"):
            evaluate(server, tmp_path)
        assert folder(tmp_path).exists()


def test_a_batch_that_was_refused_is_not_looked_for(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        server.fail_once["create"] = 400
        with pytest.raises(SnellenError, match="busy"):
            evaluate(server, tmp_path)
        evaluate(server, tmp_path)
        assert (server.seen["create"], len(server.paid())) == (2, 3)


def test_a_batch_that_answered_something_has_not_failed() -> None:
    """Where no file is named, its results are cut short: it stays in the books, and is not paid again."""
    api = OpenAIBatches("/responses")
    ended = {"id": "b", "status": "completed", "request_counts": {"total": 3, "completed": 3, "failed": 0}}
    assert (api.state(json.dumps(ended).encode()).ended, api.state(json.dumps(ended).encode()).failure) == (True, "")
    assert api.state(json.dumps(ended | {"output_file_id": "f"}).encode()).ended
    failed = ended | {"status": "failed", "request_counts": {"total": 0, "completed": 0, "failed": 0}}
    assert api.state(json.dumps(failed).encode()).failure == "failed"


def test_lines_that_are_doubled_foreign_broken_or_missing(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 6)
    with OpenAIBatchServer(chat) as server:

        def results(lines: list[bytes]) -> bytes:
            whole = json.loads(lines[0])
            foreign = json.dumps(whole | {"custom_id": "f" * 64}).encode()
            return b"\n".join([lines[0], lines[0], foreign, b"{broken", b"", b"[1]", *lines[2:]])

        original = server._look

        def look(number: str) -> tuple[int, bytes]:
            said = original(number)
            name = f"{number}-output_file_id"
            if name in server.files and number == "batch_0" and b"{broken" not in server.files[name]:
                server.files[name] = results(server.files[name].splitlines())
            return said

        server._look = look  # type: ignore[method-assign]
        run = evaluate(server, tmp_path)
        assert run.summary.failed == 1
        assert run.summary.totals.cost == pytest.approx(5 * EACH)
        assert run.summary.totals.cost_unknown == 1  # the line that cannot be read was paid for, too
        again = evaluate(server, tmp_path)
        assert len(server.paid()) == 7
    assert again.summary.complete


class CutServer(OpenAIBatchServer):
    """Sends half of the results while `cut`, and counts nothing where `counts` is not there."""

    cut, counts = True, True

    def _route(self, method: str, path: str, body: bytes, kind: str) -> tuple[str, Callable[[], tuple[int, bytes]]]:
        name, act = super()._route(method, path, body, kind)

        def changed() -> tuple[int, bytes]:
            status, said = act()
            if name == "results" and self.cut:
                lines = said.splitlines(keepends=True)
                said = b"".join(lines[: len(lines) // 2])
            if name == "look" and not self.counts:
                said = json.dumps({**json.loads(said), "request_counts": None}).encode()
            return status, said

        return name, changed


@pytest.mark.parametrize("counts", [True, False])
def test_results_that_are_cut_short_are_collected_later_and_not_paid_again(counts: bool, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 12)
    with CutServer(chat) as server:
        server.counts = counts
        with pytest.raises(Stopped, match="cut short: 6 of 12 came"):
            evaluate(server, tmp_path)
        server.cut = False
        run = evaluate(server, tmp_path)
        assert len(server.paid()) == 12
    assert run.summary.complete and run.summary.totals.cost == pytest.approx(12 * EACH)


def test_a_batch_with_a_line_for_every_request_is_whole_however_it_is_counted(tmp_path: Path) -> None:
    """Some gateways count expired requests as failed."""

    class Gateway(OpenAIBatchServer):
        def _route(self, method: str, path: str, body: bytes, kind: str) -> tuple[str, Callable[[], tuple[int, bytes]]]:
            name, act = super()._route(method, path, body, kind)

            def changed() -> tuple[int, bytes]:
                status, said = act()
                if name == "results" and len(self.paid()) <= 12:
                    lines = [json.loads(line) for line in said.splitlines()]
                    gone = {"response": None, "error": {"code": "batch_expired", "message": "too late"}}
                    lines = [*lines[:6], *(line | gone for line in lines[6:])]
                    said = "".join(json.dumps(line) + "\n" for line in lines).encode()
                return status, said

            return name, changed

    write_set(tmp_path / "d", 12)
    with Gateway(chat) as server:
        assert evaluate(server, tmp_path).summary.failed == 6
        run = evaluate(server, tmp_path)
        assert len(server.paid()) == 18  # the six that expired are handed in again
    assert run.summary.complete and run.summary.totals.cost == pytest.approx(12 * EACH)


def test_failed_results_of_a_batch_that_is_cut_short_are_counted_once(tmp_path: Path) -> None:
    asked: list[int] = []

    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, said = chat(request)
        asked.append(0)
        return status, said if len(asked) > 4 else {**said, "choices": []}

    write_set(tmp_path / "d", 12)
    with CutServer(respond) as server:
        for _ in range(2):
            with pytest.raises(Stopped, match="cut short"):
                evaluate(server, tmp_path)
        server.cut = False
        run = evaluate(server, tmp_path)
        assert len(server.paid()) == 16  # what failed is handed in again once it is collected
    assert run.summary.totals.cost == pytest.approx(16 * EACH)


def test_results_go_nowhere_where_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(tmp_path / "d", 3)

    def full() -> None:
        raise OSError(28, "No space left on device")

    with OpenAIBatchServer(chat) as server:
        with monkeypatch.context() as patched:
            patched.setattr(tempfile, "TemporaryFile", full)
            with pytest.raises(Stopped, match="No space left"):
                evaluate(server, tmp_path)
        evaluate(server, tmp_path)
        assert len(server.paid()) == 3


# ---------------------------------------------------------------- what a result is


def test_a_reply_that_cannot_be_read_costs_what_a_batch_costs(tmp_path: Path) -> None:
    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, {"usage": {"prompt_tokens": 833, "completion_tokens": 1}}

    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(respond) as server, pytest.raises(Stopped, match="none of the 3 questions"):
        evaluate(server, tmp_path)
    assert Run(folder(tmp_path)).summary.totals.cost == pytest.approx(3 * EACH)


def test_a_reply_that_does_not_say_what_it_cost_counts_for_the_cap(tmp_path: Path) -> None:
    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, completion("Color") | {"usage": {}}

    write_set(tmp_path / "d", 20)
    told = r"reached: 0 USD spent, up to [\d.]+ USD for tries of unknown cost, and the next question"
    with OpenAIBatchServer(respond) as server, pytest.raises(Stopped, match=told):
        evaluate(server, tmp_path, max_cost=0.005)
    first = len(server.results["batch_0"])
    assert 0 < first < 20
    assert len(server.paid()) == first


def test_what_a_filter_refused_is_not_kept_in_the_store(tmp_path: Path) -> None:
    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 400, {"error": {"code": "content_filter", "message": "the content management policy"}}

    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(respond) as server:
        run = evaluate(server, tmp_path)
        assert all(a.refused for a in run.answers())
        server.respond = chat
        again = evaluate(server, tmp_path, out=tmp_path / "other")
    assert all(a.text == "Color" for a in again.answers())


def test_a_picture_that_cannot_be_sent_is_one_error(tmp_path: Path) -> None:
    from tests.support.sets import write_config

    images = [{"bytes": png(n) if n else b"no picture", "path": None} for n in range(3)]
    write_config(tmp_path / "d", "P3", 3, image=images)
    with OpenAIBatchServer(chat) as server:
        run = evaluate(server, tmp_path)
    lines = (run.path / "answers.jsonl").read_bytes().splitlines()
    assert len(lines) == 3
    assert run.summary.failed == 1


def test_anthropics_errors_keep_their_status() -> None:
    def status(kind: str) -> int:
        error = {"type": "error", "error": {"type": kind, "message": "m"}}
        line = {"custom_id": "k", "result": {"type": "errored", "error": error}}
        return AnthropicBatches().result(json.dumps(line).encode()).status

    kinds = ("invalid_request_error", "rate_limit_error", "billing_error", "overloaded_error", "api_error")
    assert [status(kind) for kind in kinds] == [400, 429, 402, 529, 500]


# ---------------------------------------------------------------- around a run


def test_an_option_that_means_nothing_puts_no_run_aside(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        plain = {"model": "api/m", "batch_api": False}
        run = evaluate(server, tmp_path, **plain)
        with pytest.raises(SnellenError, match="has no batches"):
            evaluate(server, tmp_path, model="api/m", fresh=True)
    assert run.path.exists()
    assert list(run.answers())


def test_a_run_that_has_all_answers_is_shown_whatever_its_books_say(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        run = evaluate(server, tmp_path)
        books = run.path / "batches.json"
        books.write_bytes(books.read_bytes().replace(b'"done"', b'"sent"'))  # killed before the last line was written
        assert evaluate(server, tmp_path, batch_api=False).summary.complete
        assert (len(server.paid()), server.direct) == (3, 0)


def test_several_batches_where_one_cannot_hold_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenAIBatches, "most", 2)
    write_set(tmp_path / "d", 5)
    with OpenAIBatchServer(chat) as server:
        run = evaluate(server, tmp_path)
        assert [len(lines) for lines in server.results.values()] == [2, 2, 1]
    assert run.summary.complete


def test_a_request_larger_than_a_batch_goes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenAIBatches, "largest", 600)
    write_set(tmp_path / "d", 2)
    with OpenAIBatchServer(chat) as server:
        evaluate(server, tmp_path)
        assert [len(lines) for lines in server.results.values()] == [1, 1]


def test_the_requests_say_the_address_that_the_provider_knows(tmp_path: Path) -> None:
    """Behind a gateway the base address has more before it; the provider's own path stays what it is."""
    api = OpenAIBatches("/responses", "/gateway/openai/v1")
    assert json.loads(api.entry("k", b"{}"))["url"] == "/v1/responses"
    assert api.look("b").path == "/gateway/openai/v1/batches/b"


def test_what_was_left_out_is_told_by_whoever_collects(tmp_path: Path) -> None:
    def picky(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if "temperature" in request:
            return 400, {"error": {"message": "no", "param": "temperature", "code": "unsupported_value"}}
        return chat(request)

    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(picky) as server:
        original = server._create

        def create(wish: dict[str, Any]) -> tuple[int, bytes]:
            if server.seen["create"] == 2:
                server.fail_once["look"] = 401
            return original(wish)

        server._create = create  # type: ignore[method-assign]
        with pytest.raises(SnellenError, match="refused the key"):
            evaluate(server, tmp_path)
        run = evaluate(server, tmp_path)
        assert server.seen["create"] == 2
    assert {a.calls[0].left_out for a in run.answers()} == {("temperature",)}


def test_a_key_that_comes_back_as_an_id_is_not_written_down(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    key = "sk-test-0123456789abcdef"
    with OpenAIBatchServer(chat) as server:
        server.spoil_once["create"] = (200, json.dumps({"id": key}).encode())
        with pytest.raises(Stopped, match="no proper id"):
            evaluate(server, tmp_path)
    kept = [path for path in (tmp_path / "runs").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if key.encode() in path.read_bytes()]


def test_a_fresh_run_says_that_a_batch_of_the_old_one_goes_on(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(chat) as server:
        server.fail_once["look"] = 401
        with pytest.raises(SnellenError):
            evaluate(server, tmp_path)
        plan = {"model": "openai-chat/gpt-4o", "base_url": f"{server.origin}/v1", "data": tmp_path / "d"}
        more = {"out": tmp_path / "runs", "api_key": "sk-test-0123456789abcdef", "price": "2/8"}
        with pytest.warns(UserWarning, match="put aside has a batch at the provider"):
            snellen.evaluate("salbench", **plan, **more, batch_api=True, fresh=True, use_store=False)
    assert list((tmp_path / "runs").glob("*.old1/batches.json"))


def test_data_that_ends_early_loses_nothing_that_was_read_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull = Feed.pull

    def ending(feed: Feed) -> list[Any]:
        found = [item for item in pull(feed) if int(item.question.id[-5:]) < 32]
        if not found:
            raise SnellenError("row 33 cannot be read")
        return found

    write_set(tmp_path / "d", 40)
    with OpenAIBatchServer(chat) as server, monkeypatch.context() as patched:
        patched.setattr(Feed, "pull", ending)
        with pytest.raises(SnellenError, match="row 33"):
            evaluate(server, tmp_path)
        assert len(server.paid()) == 32
    answers = (folder(tmp_path) / "answers.jsonl").read_bytes().splitlines()
    assert len(answers) == 32


def test_anthropics_results_are_taken_from_where_the_batch_is() -> None:
    """Behind a gateway the provider names its own host, where the key does not go."""
    api = AnthropicBatches("/gateway/v1/messages/batches")
    said = {
        "id": "b",
        "processing_status": "ended",
        "results_url": "https://api.anthropic.com/v1/messages/batches/b/results",
    }
    assert api.state(json.dumps(said).encode()).results == ("/gateway/v1/messages/batches/b/results",)
