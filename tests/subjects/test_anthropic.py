"""`anthropic/NAME`: keys and addresses, thinking by family, replies, errors, against a local server of the documented form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.anthropic_server import AnthropicServer, error, message
from tests.support.native import cut, lose_the_first
from tests.support.remote import base_address, remote
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError, Stopped
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply
from snellen.core.types import Picture, Question, Text
from snellen.subjects.remote.settings import Settings

KEY = Secret("sk-ant-0123456789abcdef")


def subject(model: str = "claude-sonnet-5-5", **settings: Any) -> Any:
    return remote("anthropic", model, Settings(key=KEY, **settings))


def body(model: str = "claude-sonnet-5-5", **settings: Any) -> dict[str, Any]:
    parts = (Picture(data=png(1)), Text(text="x"))
    question = Question(id="q", exam="b", prompt="p", parts=parts)
    found: dict[str, Any] = json.loads(subject(model, **settings).prepare(question).body)
    del found["messages"]
    return found


def run(tmp_path: Path, server: AnthropicServer, n: int = 2, model: str = "claude-sonnet-5-5", **more: Any) -> Any:
    data = write_set(tmp_path / "set", n)
    return snellen.evaluate(
        "salbench", model=f"anthropic/{model}", data=data, base_url=server.url, api_key=server.key,
        out=tmp_path / "runs", **more,
    )  # fmt: skip


def answers(tmp_path: Path, server: AnthropicServer, **more: Any) -> list[Any]:
    return list(run(tmp_path, server, **more).folder.answers())


# ---------------------------------------------------------------- address and key


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, "https://api.anthropic.com/v1"),
        ("https://proxy.example/anthropic", "https://proxy.example/anthropic/v1"),
        ("http://127.0.0.1:9/v1/", "http://127.0.0.1:9/v1"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9/v1"),
    ],
)
def test_the_address_is_the_packages_with_its_version(
    monkeypatch: pytest.MonkeyPatch, given: str | None, expected: str
) -> None:
    assert base_address("anthropic", given) == expected
    if given is not None:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", given)
        assert base_address("anthropic", None) == expected


def test_a_key_and_a_token_go_into_headers_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "tok-0123456789abcdef")
    by_token = remote("anthropic", "m", Settings())
    assert by_token.connection.key_header == ("Authorization", "Bearer ")
    assert "ANTHROPIC_AUTH_TOKEN" in by_token.about()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789abcdef")
    by_key = remote("anthropic", "m", Settings())
    assert (by_key.connection.key_header, by_key.about()) == (("x-api-key", ""), "")
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN")
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("ANTHROPIC_AUTH_TOKEN=tok-0123456789abcdef\n")
    from_file = remote("anthropic", "m", Settings())
    assert from_file.connection.key_header == ("Authorization", "Bearer ")


def test_both_ways_reach_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AnthropicServer() as server:
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", server.key)
        data = write_set(tmp_path / "set", 1)
        snellen.evaluate(
            "salbench", model="anthropic/claude-haiku-5-5", data=data, base_url=server.url, out=tmp_path / "a"
        )
        assert server.headers[-1]["authorization"] == f"Bearer {server.key}"
        run(tmp_path / "b", server, 1)
        assert server.headers[-1]["x-api-key"] == server.key
        assert not any(server.key in path for path in server.paths)


def test_no_seed_no_logprobs_no_detail(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        for name, value in (("model_seed", 1), ("logprobs", 2), ("detail", "high")):
            with pytest.raises(SnellenError, match=name.replace("_", "[-_]")):
                run(tmp_path, server, **{name: value})
        assert server.requests == []


# ---------------------------------------------------------------- thinking and temperature


def adaptive(effort: str | None = None) -> dict[str, Any]:
    asked: dict[str, Any] = {"thinking": {"type": "adaptive", "display": "summarized"}}
    return asked | ({"output_config": {"effort": effort}} if effort else {})


@pytest.mark.parametrize(
    ("model", "reasoning", "expected", "most"),
    [
        ("claude-haiku-4-5", None, {"temperature": 0.0}, 256),
        ("claude-haiku-4-5", "none", {"temperature": 0.0}, 256),
        ("claude-haiku-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}, 256 + 2048),
        ("claude-haiku-4-5", 100, {"thinking": {"type": "enabled", "budget_tokens": 1024}}, 256 + 1024),
        ("claude-opus-4-6", None, {"temperature": 0.0}, 256),
        ("claude-opus-4-6", "high", adaptive("high"), 256 + 24576),
        ("claude-opus-4-8", None, {}, 256),
        ("claude-opus-4-8", 9000, adaptive("medium"), 256 + 9000),
        ("claude-opus-5", None, adaptive(), 256 + 8192),
        ("claude-opus-5", "none", {"thinking": {"type": "disabled"}}, 256),
        ("claude-sonnet-5-5", "none", {"thinking": {"type": "between_tools"}}, 256),
        ("claude-sonnet-5-5", "minimal", adaptive("low"), 256 + 1024),
        ("claude-fable-5-2", "none", adaptive("low"), 256 + 2048),
        ("some-proxy-model", "high", adaptive("high"), 256 + 24576),
    ],
)
def test_what_a_family_is_asked(model: str, reasoning: Any, expected: dict[str, Any], most: int) -> None:
    assert body(model, reasoning=reasoning) == {"model": model, "max_tokens": most, **expected}


def test_a_temperature_is_sent_where_it_is_taken_and_in_the_version_that_knows_it() -> None:
    older, newer = subject("claude-haiku-4-5"), subject("claude-sonnet-5-5")
    assert older.connection.headers["anthropic-version"] == "2023-06-01"
    assert newer.connection.headers["anthropic-version"] == "2026-10-21"
    assert "refuse a temperature" in newer.identity["not_applied"]["temperature"]
    thinking = subject("claude-haiku-4-5", reasoning="low")
    assert thinking.connection.headers["anthropic-version"] == "2026-10-21"
    assert thinking.identity["not_applied"]["temperature"] == "not together with thinking"
    assert body("claude-sonnet-5-5", temperature=0.7)["temperature"] == 0.7


def test_a_temperature_that_is_refused_is_left_out(tmp_path: Path) -> None:
    with AnthropicServer() as server, pytest.warns(UserWarning, match="refused temperature"):
        got = answers(tmp_path, server, model="claude-sonnet-5-5", temperature="0.7", concurrency=1)
    assert all(a.failure is None and a.calls[0].left_out == ("temperature",) for a in got)
    assert [("temperature" in r) for r in server.requests] == [True, False, False]


def test_thinking_is_asked_for_in_the_other_way_and_then_left_out(tmp_path: Path) -> None:
    refused = {
        "enabled": '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.',
        "adaptive": "adaptive thinking is not supported on this model",
    }
    takes: set[str] = {"adaptive"}

    def script(request: dict[str, Any], _nth: int) -> Any:
        kind = request.get("thinking", {}).get("type", "")
        return None if not kind or kind in takes else error(400, "invalid_request_error", refused[kind])

    with AnthropicServer(script=script) as server:
        with pytest.warns(UserWarning, match="the effort 'high' is asked for"):
            done = run(tmp_path / "a", server, model="claude-opus-4-5", reasoning="high", concurrency=1)
        assert [r.get("thinking", {}).get("type") for r in server.requests] == ["enabled", "adaptive", "adaptive"]
        identity = done.manifest.subject.identity
        assert identity["parameters"]["thinking"]["type"] == "enabled"
        assert identity["applied"]["output_config"] == {"effort": "high"}
        assert all(a.thinking and a.calls[0].left_out == () for a in done.folder.answers())
        takes.clear()
        server.requests.clear()
        with pytest.warns(UserWarning, match="refused reasoning, so it was left out"):
            done = run(tmp_path / "b", server, model="claude-opus-4-7", reasoning="max", concurrency=1)
        asked = [r.get("output_config", {}).get("effort") or r.get("thinking", {}).get("type") for r in server.requests]
        assert asked == ["max", "high", "enabled", None, None]
        assert all(a.calls[0].left_out == ("reasoning",) for a in done.folder.answers())


def test_a_model_that_cannot_but_think_gets_tokens_for_it(tmp_path: Path) -> None:
    def script(request: dict[str, Any], _nth: int) -> Any:
        kind = request["thinking"]["type"]
        said = f'"thinking.type.{kind}" is not supported for this model.'
        return None if kind == "adaptive" else error(400, "invalid_request_error", said)

    with AnthropicServer(script=script) as server, pytest.warns(UserWarning, match="the effort 'low' is asked for"):
        run(tmp_path, server, 1, model="claude-haiku-5-5", reasoning="none", max_tokens=50)
    assert [r["thinking"]["type"] for r in server.requests] == ["disabled", "between_tools", "adaptive"]
    assert [r["max_tokens"] for r in server.requests] == [50, 50, 50 + 2048]


def test_no_longer_reply_is_asked_for_than_the_model_has(tmp_path: Path) -> None:
    with AnthropicServer() as server, pytest.warns(UserWarning, match="64000 are asked for"):
        done = run(tmp_path, server, 1, model="claude-haiku-4-5", reasoning="max", max_tokens=100)
    assert server.requests[0]["max_tokens"] == 64_000
    assert server.requests[0]["thinking"]["budget_tokens"] == 63_900
    assert done.manifest.subject.identity["listed"]["id"] == "claude-haiku-4-5"


# ---------------------------------------------------------------- replies


def test_the_record_has_what_was_said_thought_and_counted(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        got = answers(tmp_path, server, price="3/15")
        billed = server.billed
    for answer in got:
        call = answer.calls[0]
        assert (answer.text, answer.thinking, answer.finish_reason) == ("Color", server.thinking, "stop")
        assert call.model_returned == "claude-sonnet-5-5"
        assert (call.request_id, call.provider) == (f"req_{call.response_id}", "standard")
        counted = billed[call.response_id]
        usage = call.usage
        assert (usage.input_tokens, usage.output_tokens) == (counted["input"], counted["output"])
        assert (usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens) == (200, 30, 30)
        assert call.cost == pytest.approx((3 * counted["input"] + 15 * counted["output"]) / 1e6)


def test_a_refusal_and_a_cut_thought_are_told_apart(tmp_path: Path) -> None:
    replies = iter([message(None, stop="refusal"), message(None, "Well,", stop="max_tokens")])

    def script(_request: Any, _nth: int) -> Any:
        return 200, {}, json.dumps(next(replies)).encode()

    with AnthropicServer(script=script) as server:
        first, second = sorted(answers(tmp_path, server, concurrency=1), key=lambda a: not a.refused)
    assert (first.refused, first.finish_reason, first.text) == (True, "content_filter", "")
    assert (second.refused, second.finish_reason, second.text, second.thinking) == (False, "length", "", "Well,")


def test_encrypted_thinking_is_marked_and_a_repeated_key_taken_out() -> None:
    reply = message(f"your key is {KEY.reveal()}") | {"id": "m"}
    reply["content"].insert(0, {"type": "redacted_thinking", "data": "eA=="})
    parsed = subject().parse(json.dumps(reply).encode())
    assert parsed.thinking == "[redacted thinking]"
    assert parsed.text == "your key is [key]"
    assert parsed.note


@pytest.mark.parametrize("spoilt", [{"stop_reason": None}, {"content": None}, {"content": "Color"}])
def test_a_reply_that_ended_early_is_broken_and_billed(spoilt: dict[str, Any]) -> None:
    with pytest.raises(BrokenReply) as caught:
        subject().parse(json.dumps(message() | spoilt).encode())
    assert caught.value.bill.usage.output_tokens == 41


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("response", "kind", "message_"),
    [
        (error(401, "authentication_error", "invalid x-api-key"), SnellenError, "refused the key .*ANTHROPIC_API_KEY"),
        (error(403, "permission_error", "may not use it"), SnellenError, "refused the key"),
        (error(404, "not_found_error", "model: claude-x"), SnellenError, "does not know the model"),
        (
            error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
            Stopped,
            "asks for payment or quota",
        ),
        (
            error(400, "invalid_request_error", "You have reached your specified API usage limits."),
            Stopped,
            "asks for payment",
        ),
        (error(402, "billing_error", "pay"), Stopped, "asks for payment"),
        (
            error(429, "rate_limit_error", "the month's limit", error_code="enforced_spend_limit_reached"),
            Stopped,
            "asks for payment",
        ),
        (
            error(403, "permission_error", "on hold", error_code="organization_on_hold"),
            SnellenError,
            "does not serve this account",
        ),
    ],
)
def test_what_stops_a_run(tmp_path: Path, response: Any, kind: type[Exception], message_: str) -> None:
    with AnthropicServer(script=lambda _request, _nth: response) as server:
        with pytest.raises(kind, match=message_):
            run(tmp_path, server, 30)
        assert len(server.requests) <= 30


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (error(413, "request_too_large", "Request exceeds the maximum size"), "bad-request"),
        (error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), "context"),
        (error(400, "invalid_request_error", "messages.0: image exceeds 5 MB maximum"), "bad-request"),
    ],
)
def test_what_is_an_error_of_its_sample_at_once(response: Any, kind: str) -> None:
    status, _headers, payload = response
    parsed = subject().explain(status, payload)
    assert (parsed.error.kind, parsed.status) == (kind, status)


def test_a_content_filter_is_a_refusal(tmp_path: Path) -> None:
    blocked = error(400, "invalid_request_error", "Output blocked by content filtering policy")
    with AnthropicServer(script=lambda _request, _nth: blocked) as server:
        assert all(a.refused and a.failure is None for a in answers(tmp_path, server))


@pytest.mark.parametrize("name", ["rate limit", "overloaded", "internal"])
def test_what_is_tried_again(tmp_path: Path, name: str) -> None:
    with AnthropicServer() as server:
        server.script = lambda _request, nth: server.errors()[name] if nth == 1 else None
        got = answers(tmp_path, server)
        expected = server.errors()[name][0]
    assert [(a.text, a.calls[0].tries, a.calls[0].failed[0].status) for a in got] == [("Color", 2, expected)] * 2
    assert all(a.calls[0].unsure == 0 for a in got)


def test_an_unknown_model_is_one_line_before_anything_is_asked(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        with pytest.raises(SnellenError, match=r"does not know the model 'gpt-5' \(status 404: model: gpt-5\)"):
            run(tmp_path, server, model="gpt-5")
        server.key = "sk-another-0123456789"
        with pytest.raises(SnellenError, match="refused the key"):
            snellen.evaluate(
                "salbench", model="anthropic/claude-opus-5", data=tmp_path / "set", base_url=server.url,
                api_key=KEY.reveal(), out=tmp_path / "runs",
            )  # fmt: skip
        assert server.requests == []


def test_a_gateway_without_a_model_list_is_asked_all_the_same(tmp_path: Path) -> None:
    with AnthropicServer() as server:
        server.model = lambda _path: (404, {}, b"no such page")  # type: ignore[method-assign]
        assert len(answers(tmp_path, server, model="gateway-name")) == 2


@pytest.mark.parametrize("lost", ["dropped", "cut", "garbled"])
def test_a_reply_that_was_cut_off_may_have_been_billed(tmp_path: Path, lost: str) -> None:
    payload = json.dumps(message()).encode()
    torn = {"dropped": None, "cut": cut(payload), "garbled": (200, {}, payload[:-9])}[lost]
    with AnthropicServer() as server:
        lose_the_first(server, torn)
        (answer,) = answers(tmp_path, server, n=1)
    assert (answer.text, answer.calls[0].tries, answer.calls[0].unsure) == ("Color", 2, 1)
