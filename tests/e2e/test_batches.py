"""`--batch-api` with the installed command: killed at every moment, one batch is paid, at half the price."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from tests.support.batch_server import AnthropicBatchServer, BatchServer, OpenAIBatchServer
from tests.support.command import snellen, start
from tests.support.endpoint import completion
from tests.support.sets import write_set

from snellen.engine.runs.run import Run

MOMENTS = [
    "before upload",
    "after create",
    "answered look",
    "before results",
    "after results",
    "answered results",
]


ANTHROPIC_MOMENTS = [m for m in MOMENTS if "upload" not in m]


def _chat(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 200, completion("Color", request["model"])


def _words(server: BatchServer, tmp_path: Path, *more: object) -> tuple[object, ...]:
    return (
        *(
            "run",
            "salbench",
            "--data",
            tmp_path / "d",
            "--model",
            "openai-chat/gpt-4o",
            "--base-url",
            f"{server.origin}/v1",
        ),
        *("--api-key", "sk-test-0123456789abcdef", "--out", tmp_path / "runs", "--price", "2/8", *more),
    )


def _run(tmp_path: Path) -> Run:
    return Run(next((tmp_path / "runs").glob("salbench_*")))


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_one_batch_is_paid(moment: str, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 12)
    with OpenAIBatchServer(_chat) as server:
        server.kill_at = moment
        first = start(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        server.victim = first.pid
        assert first.wait(60) == -signal.SIGKILL
        again = snellen(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        assert again.returncode == 0, again.stderr
        assert len(server.paid()) == len(set(server.paid())) == 12
        assert server.direct == 0
    run = _run(tmp_path)
    answers = list(run.answers())
    assert len(answers) == 12
    assert all(a.text == "Color" and a.calls[0].batch for a in answers)
    assert run.summary.totals.cost == pytest.approx(12 * (833 * 2 + 1 * 8) / 1e6 / 2)


def _message(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 200, {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "Color"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 833, "output_tokens": 1},
    }


@pytest.mark.parametrize("moment", ANTHROPIC_MOMENTS)
def test_killed_at_any_moment_at_anthropic(moment: str, tmp_path: Path) -> None:
    """Anthropic keeps no name of ours with a batch: of one whose id was lost the user has to say it. Nothing is paid twice."""
    write_set(tmp_path / "d", 6)
    with AnthropicBatchServer(_message) as server:
        words = (
            *(
                "run",
                "salbench",
                "--data",
                tmp_path / "d",
                "--model",
                "anthropic/claude-haiku-4-5",
                "--base-url",
                server.origin,
            ),
            *("--api-key", "sk-ant-0123456789abcdef", "--out", tmp_path / "runs", "--price", "2/8", "--batch-api"),
        )
        server.kill_at = moment
        first = start(*words, cache=tmp_path / "c")
        server.victim = first.pid
        assert first.wait(60) == -signal.SIGKILL
        again = snellen(*words, cache=tmp_path / "c")
        if moment == "after create":
            assert again.returncode == 3 and "may exist at the provider" in again.stderr
            books = next((tmp_path / "runs").iterdir()) / "batches.json"
            (entry,) = json.loads(books.read_bytes())
            books.write_text(json.dumps([entry | {"id": next(iter(server.batches))}]))
            again = snellen(*words, cache=tmp_path / "c")
        assert again.returncode == 0, again.stderr
        assert len(server.paid()) == len(set(server.paid())) == 6
        client = anthropic.Anthropic(base_url=server.origin, api_key="x", max_retries=0)
        results = list(client.messages.batches.results(next(iter(server.batches))))
        client.close()
    answers = list(_run(tmp_path).answers())
    assert {r.custom_id for r in results} == {a.calls[0].key for a in answers}
    assert all((a.text, a.thinking) == ("Color", "Hm.") and a.calls[0].batch for a in answers)
    assert _run(tmp_path).summary.totals.cost == pytest.approx(6 * (833 * 2 + 1 * 8) / 1e6 / 2)


def test_a_batch_of_responses(tmp_path: Path) -> None:
    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        said = {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Color", "annotations": []}],
        }
        usage = {"input_tokens": 833, "output_tokens": 1, "total_tokens": 834}
        return 200, {
            "id": "resp",
            "object": "response",
            "model": request["model"],
            "status": "completed",
            "output": [said],
            "usage": usage,
        }

    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(respond) as server:
        words = [w if w != "openai-chat/gpt-4o" else "openai/gpt-4o" for w in _words(server, tmp_path, "--batch-api")]
        done = snellen(*words, cache=tmp_path / "c")
        assert done.returncode == 0, done.stderr
        assert next(iter(server.batches.values()))["endpoint"] == "/v1/responses"
    assert [a.text for a in _run(tmp_path).answers()] == ["Color"] * 4


def test_a_batch_costs_half_of_the_direct_run_and_says_the_same(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 10)
    with OpenAIBatchServer(_chat) as server:
        batched = snellen(*_words(server, tmp_path, "--batch-api", "--json"), cache=tmp_path / "c1")
        one = json.loads(batched.stdout)
        direct = snellen(*_words(server, tmp_path, "--fresh", "--json"), cache=tmp_path / "c2")
        two = json.loads(direct.stdout)
    assert one["totals"]["cost"] == pytest.approx(two["totals"]["cost"] / 2)
    assert one["protocols"] == two["protocols"]
    assert server.direct == 10


def test_what_is_in_a_batch_is_not_asked_directly(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(_chat, looks=10**6) as server:
        first = start(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        _wait_for(lambda: server.seen["look"] > 0)
        first.send_signal(signal.SIGINT)
        _out, err = first.communicate(timeout=30)
        assert first.returncode == 130
        assert "goes on at the provider" in err
        assert not server.cancelled
        refused = snellen(*_words(server, tmp_path), cache=tmp_path / "c")
        assert refused.returncode == 2
        assert "are in a batch at the provider: add --batch-api" in refused.stderr
        assert server.direct == 0


def test_ctrl_c_cancels_only_if_asked(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(_chat, looks=10**6) as server:
        first = start(*_words(server, tmp_path, "--batch-api", "--cancel-batches"), cache=tmp_path / "c")
        _wait_for(lambda: server.seen["look"] > 0)
        first.send_signal(signal.SIGINT)
        _out, err = first.communicate(timeout=30)
        assert first.returncode == 130
        assert server.cancelled == ["batch_0"]
        assert "called off" in err


@pytest.mark.parametrize("name", ["upload", "create", "look"])
def test_ctrl_c_waits_for_no_provider_and_nothing_is_paid_twice(name: str, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 4)
    with OpenAIBatchServer(_chat) as server:
        server.hold[name] = threading.Event()
        first = start(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        _wait_for(lambda: server.seen[name] > 0)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)
        assert first.returncode == 130
        server.hold.pop(name).set()
        _wait_for(lambda: name == "upload" or server.batches)
        again = snellen(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        assert again.returncode == 0, again.stderr
        assert len(server.paid()) == 4


def test_a_method_that_asks_a_model_has_no_batches(tmp_path: Path) -> None:
    words = ("grounding", "--method", "vlm", "--model", "openai-chat/gpt-4o", "--api-key", "sk-0123456789abcdef")
    data = tmp_path / "d"
    assert snellen("data", "make", "grounding", "--count", 2, "--out", data, cache=tmp_path / "c").returncode == 0
    done = snellen("run", *words, "--data", data, "--out", tmp_path / "r", "--batch-api", cache=tmp_path / "c")
    assert done.returncode == 2
    assert "--batch-api has no effect for vlm/openai-chat/gpt-4o" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list((tmp_path / "r").glob("*"))


def test_the_cap_is_held_before_anything_is_handed_in(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 20)
    with OpenAIBatchServer(_chat) as server:
        none = snellen(*_words(server, tmp_path, "--batch-api", "--max-cost", "0.00001"), cache=tmp_path / "c")
        assert none.returncode == 3, none.stderr
        assert "--max-cost" in none.stderr
        assert not server.paid()
        some = snellen(*_words(server, tmp_path, "--batch-api", "--max-cost", "0.012"), cache=tmp_path / "c")
        assert 0 < len(server.paid()) <= 20
        spent = len(server.paid()) * (833 * 2 + 8) / 1e6 / 2
        assert spent <= 0.012
        assert some.returncode in (0, 3)
        rest = snellen(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        assert rest.returncode == 0, rest.stderr
        assert len(server.paid()) == len(set(server.paid())) == 20


def test_a_parameter_that_a_batch_refuses_is_left_out(tmp_path: Path) -> None:
    def picky(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if "temperature" in request:
            said = {
                "message": "Unsupported value: 'temperature' does not support 0.0",
                "param": "temperature",
                "code": "unsupported_value",
            }
            return 400, {"error": said}
        return _chat(request)

    write_set(tmp_path / "d", 5)
    with OpenAIBatchServer(picky) as server:
        done = snellen(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c")
        assert done.returncode == 0, done.stderr
        assert "refused temperature" in done.stderr
        assert len(server.paid()) == 5
    assert all(a.failure is None for a in _run(tmp_path).answers())


def test_the_official_client_reads_our_server_alike(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with OpenAIBatchServer(_chat) as server:
        assert snellen(*_words(server, tmp_path, "--batch-api"), cache=tmp_path / "c").returncode == 0
        client = openai.OpenAI(base_url=f"{server.origin}/v1", api_key="sk-test", max_retries=0)
        batch = client.batches.retrieve("batch_0")
        assert (batch.status, batch.request_counts and batch.request_counts.completed) == ("completed", 3)
        lines = client.files.content(str(batch.output_file_id)).text.splitlines()
        keys = {json.loads(line)["custom_id"] for line in lines}
        client.close()
    assert keys == {a.calls[0].key for a in _run(tmp_path).answers()}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "baseline/chance", "--batch-api"), "--batch-api has no effect for baseline/chance"),
        (("--model", "api/m", "--base-url", "http://127.0.0.1:9/v1", "--batch-api"), "api/m has no batches"),
        (("--model", "baseline/chance", "--cancel-batches"), "--cancel-batches has no effect without --batch-api"),
    ],
)
def test_batches_that_cannot_be_are_refused(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 2)
    done = snellen("run", "salbench", "--data", tmp_path / "d", "--out", tmp_path / "r", *words, cache=tmp_path / "c")
    assert done.returncode == 2
    assert said in done.stderr


def _wait_for(condition: Any) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
