"""`gemini/NAME`: keys and addresses, thinking by family, replies, errors, against a local server of the documented form."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.gemini_server import GeminiServer, again, content, field, quota, reason, status
from tests.support.native import cut, lose_the_first
from tests.support.remote import base_address, remote
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError, Stopped
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply
from snellen.core.types import Picture, Question, Text
from snellen.subjects.remote.settings import Settings

KEY = Secret("AIzaSyD-0123456789abcdef")


def subject(model: str = "gemini-3.8-flash", **settings: Any) -> Any:
    return remote("gemini", model, Settings(key=KEY, **settings))


def body(model: str = "gemini-3.8-flash", **settings: Any) -> dict[str, Any]:
    parts = (Picture(data=png(1)), Text(text="x"))
    question = Question(id="q", exam="b", prompt="p", parts=parts)
    found: dict[str, Any] = json.loads(subject(model, **settings).prepare(question).body)
    return found


def run(tmp_path: Path, server: GeminiServer, n: int = 2, model: str = "gemini-3.8-flash", **more: Any) -> Any:
    data = write_set(tmp_path / "set", n)
    return snellen.evaluate(
        "salbench", model=f"gemini/{model}", data=data, base_url=server.url, api_key=server.key,
        out=tmp_path / "runs", **more,
    )  # fmt: skip


def answers(tmp_path: Path, server: GeminiServer, **more: Any) -> list[Any]:
    return list(run(tmp_path, server, **more).folder.answers())


# ---------------------------------------------------------------- address and key


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, "https://generativelanguage.googleapis.com/v1beta"),
        ("https://proxy.example/gemini/", "https://proxy.example/gemini/v1beta"),
        ("https://generativelanguage.googleapis.com/v1", "https://generativelanguage.googleapis.com/v1"),
        ("https://generativelanguage.googleapis.com/v1alpha", "https://generativelanguage.googleapis.com/v1alpha"),
    ],
)
def test_the_address_is_the_packages_with_its_version(
    monkeypatch: pytest.MonkeyPatch, given: str | None, expected: str
) -> None:
    assert base_address("gemini", given) == expected
    if given is not None:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", given)
        assert base_address("gemini", None) == expected


def test_keys_as_the_package_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SnellenError, match="set GOOGLE_API_KEY or GEMINI_API_KEY or give --api-key"):
        remote("gemini", "m", Settings())
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaSyD-second-0123456789")
    second = remote("gemini", "m", Settings())
    assert (second.connection.key.reveal(), second.about()) == ("AIzaSyD-second-0123456789", "")
    monkeypatch.setenv("GOOGLE_API_KEY", "AIzaSyD-first-0123456789")
    assert remote("gemini", "m", Settings()).connection.key.reveal() == "AIzaSyD-first-0123456789"


def test_the_key_is_in_a_header_and_in_no_address(tmp_path: Path) -> None:
    with GeminiServer() as server:
        run(tmp_path, server, 1)
        assert server.paths == ["/v1beta/models/gemini-3.8-flash", "/v1beta/models/gemini-3.8-flash:generateContent"]
        assert {h["x-goog-api-key"] for h in server.headers} == {server.key}
    assert subject("models/gemini-x").connection.url.endswith("/v1beta/models/gemini-x:generateContent")
    assert subject("tunedModels/mine-1").connection.url.endswith("/v1beta/tunedModels/mine-1:generateContent")
    assert subject("odd name?").connection.url.endswith("/models/odd%20name%3F:generateContent")


# ---------------------------------------------------------------- what is asked


def test_parameters_are_inside_the_generation_config() -> None:
    ours = body(
        "gemini-2.5-flash-lite", seed=5, top_logprobs=4, stop=("END",), detail="low", extra={"cachedContent": "c"}
    )
    assert ours["generationConfig"] == {
        "maxOutputTokens": 256,
        "temperature": 0.0,
        "responseLogprobs": True,
        "logprobs": 4,
        "seed": 5,
        "stopSequences": ["END"],
        "mediaResolution": "MEDIA_RESOLUTION_LOW",
    }
    assert ours["cachedContent"] == "c"
    more = body("gemini-2.5-flash-lite", extra={"generationConfig": {"topK": 1}})["generationConfig"]
    assert more == {"maxOutputTokens": 256, "temperature": 0.0, "topK": 1}


def test_the_finest_resolution_is_asked_for_each_picture() -> None:
    ours = body(detail="ultra_high")
    assert ours["contents"][0]["parts"][0]["mediaResolution"] == {"level": "MEDIA_RESOLUTION_ULTRA_HIGH"}
    assert "mediaResolution" not in ours["generationConfig"]
    with pytest.raises(SnellenError, match="--detail fine: for Gemini one of low, medium, high, ultra_high"):
        subject(detail="fine")


def test_a_gif_is_sent_as_png() -> None:
    out = io.BytesIO()
    Image.new("P", (6, 5)).save(out, "GIF")
    question = Question(id="q", exam="b", prompt="p", parts=(Picture(data=out.getvalue()),))
    request = subject().prepare(question)
    assert request.images[0].transforms == ("gif to png",)
    assert json.loads(request.body)["contents"][0]["parts"][0]["inlineData"]["mimeType"] == "image/png"


@pytest.mark.parametrize(
    ("model", "settings", "expected", "thinking"),
    [
        ("gemini-2.0-flash", {}, None, 0),
        ("gemini-2.0-flash", {"reasoning": "none"}, None, 0),
        ("gemini-2.5-flash", {}, {"includeThoughts": True}, 8192),
        ("gemini-2.5-flash", {"max_thinking": 500}, {"includeThoughts": True, "thinkingBudget": 500}, 500),
        ("gemini-2.5-flash", {"reasoning": "none"}, {"thinkingBudget": 0}, 0),
        ("gemini-2.5-flash", {"reasoning": "max"}, {"includeThoughts": True, "thinkingBudget": 24576}, 65536),
        ("gemini-2.5-pro", {"reasoning": "none"}, {"includeThoughts": True, "thinkingBudget": 128}, 2048),
        ("gemini-2.5-flash-lite", {}, None, 0),
        ("gemini-2.5-flash-lite", {"reasoning": 100}, {"includeThoughts": True, "thinkingBudget": 512}, 100),
        ("gemini-3.8-flash", {}, {"includeThoughts": True}, 8192),
        ("gemini-3.8-flash", {"reasoning": "low"}, {"includeThoughts": True, "thinkingLevel": "LOW"}, 2048),
        ("gemini-3.8-flash", {"reasoning": "xhigh"}, {"includeThoughts": True, "thinkingLevel": "HIGH"}, 49152),
        ("gemini-3.8-flash", {"reasoning": 9000}, {"includeThoughts": True, "thinkingLevel": "MEDIUM"}, 9000),
        ("gemini-3.5-flash", {"reasoning": "none"}, {"includeThoughts": True, "thinkingLevel": "MINIMAL"}, 2048),
    ],
)
def test_what_a_family_is_asked(model: str, settings: dict[str, Any], expected: Any, thinking: int) -> None:
    config = body(model, **settings)["generationConfig"]
    assert config.get("thinkingConfig") == expected
    assert config["maxOutputTokens"] == 256 + thinking


def test_a_temperature_that_is_known_to_be_ignored_is_not_sent() -> None:
    assert "temperature" not in body("gemini-3.8-flash")["generationConfig"]
    assert "ignore it" in subject("gemini-3.8-flash").identity["not_applied"]["temperature"]
    assert body("gemini-3.1-pro-preview")["generationConfig"]["temperature"] == 0.0


@pytest.mark.parametrize(
    ("refusal", "name", "gone"),
    [
        (status(400, "INVALID_ARGUMENT", "Seed is not supported for this model."), "seed", "seed"),
        (
            status(
                400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'"
            ),
            "seed",
            "seed",
        ),
        (status(400, "INVALID_ARGUMENT", "no", field("generation_config.seed")), "seed", "seed"),
        (status(400, "INVALID_ARGUMENT", "Logprobs is not supported for the current model."), "logprobs", "logprobs"),
        (
            status(400, "INVALID_ARGUMENT", "Media resolution is not enabled for this model"),
            "detail",
            "mediaResolution",
        ),
    ],
)
def test_a_refused_parameter_is_taken_out_of_the_config(tmp_path: Path, refusal: Any, name: str, gone: str) -> None:
    with GeminiServer() as server, pytest.warns(UserWarning, match=f"refused {name}"):
        server.script = lambda request, _nth: refusal if gone in request["generationConfig"] else None
        done = run(tmp_path, server, model_seed=3, logprobs=2, detail="high", concurrency=1)
    assert all(a.failure is None and a.calls[0].left_out == (name,) for a in done.folder.answers())
    sent, then = server.requests[0]["generationConfig"], server.requests[-1]["generationConfig"]
    lost = {"logprobs", "responseLogprobs"} if name == "logprobs" else {gone}
    assert sent.keys() - then.keys() == lost
    identity = done.manifest.subject.identity
    assert gone in identity["parameters"]["generationConfig"]
    assert gone not in identity["applied"]["generationConfig"]


def test_an_error_about_the_whole_config_gives_up_nothing(tmp_path: Path) -> None:
    said = "Invalid JSON payload received. Unknown name \"topQ\" at 'generation_config': Cannot find field."
    for refusal in (
        status(400, "INVALID_ARGUMENT", said),
        status(400, "INVALID_ARGUMENT", "no", field("generation_config")),
    ):
        one = subject("gemini-2.5-flash", seed=3)
        assert not one.drop_refused_parameter(400, refusal[2])
        assert one.left_out == ()


def test_thinking_is_asked_for_in_other_ways_and_then_left_out(tmp_path: Path) -> None:
    def script(request: dict[str, Any], _nth: int) -> Any:
        asked = request["generationConfig"].get("thinkingConfig", {})
        if asked.get("thinkingLevel") in ("MINIMAL", "MEDIUM"):
            return status(400, "INVALID_ARGUMENT", f"Thinking level {asked['thinkingLevel']} is not supported.")
        if "thinkingBudget" in asked:
            return status(400, "INVALID_ARGUMENT", "Budget 0 is invalid. This model only works in thinking mode.")
        return None

    with GeminiServer(script=script) as server:
        with pytest.warns(UserWarning, match="thinking of LOW is asked for"):
            run(tmp_path / "a", server, 1, reasoning="none", max_tokens=50)
        assert [r["generationConfig"]["thinkingConfig"]["thinkingLevel"] for r in server.requests] == ["MINIMAL", "LOW"]
        server.requests.clear()
        with pytest.warns(UserWarning, match="thinking of LOW is asked for"):
            run(tmp_path / "b", server, 1, model="gemini-2.5-flash", reasoning="none", max_tokens=50)
        assert [r["generationConfig"]["maxOutputTokens"] for r in server.requests] == [50, 50 + 2048, 50 + 2048]
        never = status(400, "INVALID_ARGUMENT", "Thinking is not enabled for this model")
        server.script = lambda request, _nth: never if "thinkingConfig" in request["generationConfig"] else None
        server.requests.clear()
        with pytest.warns(UserWarning, match="refused reasoning"):
            run(tmp_path / "c", server, 1, model="gemini-2.0-flash", reasoning="high")
        assert "thinkingConfig" not in server.requests[-1]["generationConfig"]


def test_no_longer_reply_is_asked_for_than_the_model_has(tmp_path: Path) -> None:
    with GeminiServer() as server, pytest.warns(UserWarning, match="65536 are asked for"):
        done = run(tmp_path, server, 1, reasoning="max")
    assert server.requests[0]["generationConfig"]["maxOutputTokens"] == 65_536
    assert done.manifest.subject.identity["listed"] == {"id": "models/gemini-3.8-flash", "version": "001"}


# ---------------------------------------------------------------- replies


def test_the_record_has_what_was_said_thought_and_counted(tmp_path: Path) -> None:
    with GeminiServer() as server:
        got = answers(tmp_path, server, price="2/10")
        billed = server.billed
    for answer in got:
        call = answer.calls[0]
        assert (answer.text, answer.thinking, answer.finish_reason) == ("Color", server.thinking, "stop")
        assert call.model_returned == "gemini-3.8-flash-001"
        counted = billed[call.response_id]
        assert (call.usage.input_tokens, call.usage.output_tokens) == (counted["input"], counted["output"])
        assert (call.usage.cached_tokens, call.usage.reasoning_tokens) == (200, 30)
        assert call.cost == pytest.approx((2 * counted["input"] + 10 * counted["output"]) / 1e6)


def test_tokens_that_tools_brought_are_input() -> None:
    usage = {"promptTokenCount": 10, "toolUsePromptTokenCount": 5, "candidatesTokenCount": 2}
    parsed = subject().parse(json.dumps(content(usageMetadata=usage)).encode())
    assert (parsed.usage.input_tokens, parsed.usage.output_tokens, parsed.usage.reasoning_tokens) == (15, 2, None)


def test_log_probabilities_become_tokens() -> None:
    reply = content()
    reply["candidates"][0]["logprobsResult"] = {
        "chosenCandidates": [
            {"token": "Col", "logProbability": -0.1, "tokenId": 5},
            {"token": "or", "logProbability": -0.2},
        ],
        "topCandidates": [
            {"candidates": [{"token": "Col", "logProbability": -0.1}, {"token": "Siz", "logProbability": -3.0}]},
            {"candidates": [{"token": "or", "logProbability": -0.2}]},
        ],
    }
    tokens = subject().parse(json.dumps(reply).encode()).tokens
    assert [(t.text, t.logprob) for t in tokens] == [("Col", -0.1), ("or", -0.2)]
    assert tokens[0].top == (("Col", -0.1), ("Siz", -3.0))


def test_safety_stops_are_refusals_and_a_cut_thought_is_cut(tmp_path: Path) -> None:
    replies = iter(
        [
            content(None, finish="SAFETY"),
            {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}},
            content(None, finish="MAX_TOKENS"),
        ]
    )
    with GeminiServer(script=lambda _request, _nth: (200, {}, json.dumps(next(replies)).encode())) as server:
        got = answers(tmp_path, server, n=3, concurrency=1)
    assert sorted((a.refused, a.finish_reason) for a in got) == [
        (False, "length"),
        (True, "content_filter"),
        (True, "content_filter"),
    ]
    assert all(a.failure is None for a in got)


@pytest.mark.parametrize("reply", [content(finish=None), content() | {"candidates": []}, {"usageMetadata": {}}])
def test_a_reply_that_ended_early_is_broken(reply: dict[str, Any]) -> None:
    with pytest.raises(BrokenReply):
        subject().parse(json.dumps(reply).encode())


# ---------------------------------------------------------------- errors

SHORT = "You exceeded your current quota, please check your plan and billing details."
A_MINUTE = quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")
A_DAY = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")


@pytest.mark.parametrize(
    ("response", "kind", "message"),
    [
        (
            status(400, "INVALID_ARGUMENT", "API key not valid.", reason("API_KEY_INVALID")),
            SnellenError,
            "refused the key .*GEMINI_API_KEY",
        ),
        (status(403, "PERMISSION_DENIED", "may not"), SnellenError, "refused the key"),
        (status(404, "NOT_FOUND", "models/x is not found"), SnellenError, "does not know the model"),
        (
            status(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
            SnellenError,
            "does not serve this account or place",
        ),
        (status(429, "RESOURCE_EXHAUSTED", SHORT, A_DAY, again("36s")), Stopped, "asks for payment or quota"),
        (status(429, "RESOURCE_EXHAUSTED", SHORT, quota("AnyPerMinute", "0")), Stopped, "asks for payment or quota"),
        (status(429, "RESOURCE_EXHAUSTED", f"{SHORT} limit: 0, model: x"), Stopped, "asks for payment or quota"),
        (status(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), Stopped, "asks for payment"),
    ],
)
def test_what_stops_a_run(tmp_path: Path, response: Any, kind: type[Exception], message: str) -> None:
    with GeminiServer(script=lambda _request, _nth: response) as server:
        with pytest.raises(kind, match=message):
            run(tmp_path, server, 30)
        assert len(server.requests) <= 30


def test_a_limit_of_the_minute_is_waited_for_as_the_body_says(tmp_path: Path) -> None:
    busy = status(429, "RESOURCE_EXHAUSTED", SHORT, A_MINUTE, again("0.3s"))
    in_words = status(429, "RESOURCE_EXHAUSTED", f"{SHORT} Please retry in 0.2s.", A_MINUTE)
    with GeminiServer(script=lambda _request, nth: {1: busy, 2: in_words}.get(nth)) as server:
        (answer,) = answers(tmp_path, server, n=1)
    first, second = answer.calls[0].failed
    assert (first.status, second.status, answer.text) == (429, 429, "Color")
    assert 0.3 <= first.waited <= 0.8
    assert 0.2 <= second.waited <= 0.7
    assert subject().explain(429, busy[2]).wait == 0.3


@pytest.mark.parametrize("name", ["overloaded", "internal"])
def test_what_is_tried_again(tmp_path: Path, name: str) -> None:
    with GeminiServer() as server:
        server.script = lambda _request, nth: server.errors()[name] if nth == 1 else None
        got = answers(tmp_path, server)
        expected = server.errors()[name][0]
    assert [(a.text, a.calls[0].tries, a.calls[0].failed[0].status) for a in got] == [("Color", 2, expected)] * 2
    assert all(a.calls[0].unsure == 0 for a in got)


def test_too_long_a_prompt_is_an_error_of_its_sample() -> None:
    said = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    parsed = subject().explain(400, status(400, "INVALID_ARGUMENT", said)[2])
    assert parsed.error.kind == "context"


def test_an_unknown_model_or_key_is_one_line_before_anything_is_asked(tmp_path: Path) -> None:
    with GeminiServer() as server:
        with pytest.raises(SnellenError, match=r"does not know the model 'flash' \(status 404: models/flash is not"):
            run(tmp_path, server, model="flash")
        with pytest.raises(SnellenError, match="refused the key"):
            snellen.evaluate(
                "salbench", model="gemini/gemini-3.8-flash", data=tmp_path / "set", base_url=server.url,
                api_key=KEY.reveal(), out=tmp_path / "runs",
            )  # fmt: skip
        assert server.requests == []


def test_a_gateway_without_a_model_list_is_asked_all_the_same(tmp_path: Path) -> None:
    with GeminiServer() as server:
        server.model = lambda _path: (404, {}, b"no such page")  # type: ignore[method-assign]
        assert len(answers(tmp_path, server, model="gateway-name")) == 2


@pytest.mark.parametrize("lost", ["dropped", "cut", "garbled"])
def test_a_reply_that_was_cut_off_may_have_been_billed(tmp_path: Path, lost: str) -> None:
    payload = json.dumps(content()).encode()
    torn = {"dropped": None, "cut": cut(payload), "garbled": (200, {}, payload[:-9])}[lost]
    with GeminiServer() as server:
        lose_the_first(server, torn)
        (answer,) = answers(tmp_path, server, n=1)
    assert (answer.text, answer.calls[0].tries, answer.calls[0].unsure) == ("Color", 2, 1)
