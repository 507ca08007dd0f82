"""Services that speak the chat format: what each is asked, what it ignores, and the names that it wants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openai
import pytest
from pydantic import ValidationError
from tests.support.endpoint import Endpoint, completion
from tests.support.official_openai import CHAT, check
from tests.support.remote import remote
from tests.support.responses_server import THOUGHT, Provider, chat_reply, error
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.types import Picture, Question, Text, Turn
from snellen.subjects.remote.settings import Settings

SERVICES = ("openai-chat", "openrouter", "ollama", "vllm", "sglang", "lmstudio", "llamacpp", "api")
KEY = Secret("sk-test-1")
OF_THEIR_OWN = {
    "openrouter": {"usage", "reasoning"},
    "vllm": {"chat_template_kwargs", "thinking_token_budget"},
    "sglang": {"chat_template_kwargs"},
    "llamacpp": {"chat_template_kwargs", "reasoning_budget_tokens", "thinking_budget_tokens"},
}
"""Fields that the services take beside OpenAI's."""


def question(images: int = 1, shots: int = 0, system: str | None = "short") -> Question:
    history = tuple(
        turn
        for i in range(shots)
        for turn in (
            Turn(role="user", parts=(Picture(data=png(i)), Text(text="example?"))),
            Turn(role="assistant", parts=(Text(text="yes"),)),
        )
    )
    shown = tuple(Picture(data=png(50 + i)) for i in range(images))
    return Question(id="q", exam="b", prompt="p", parts=(*shown, Text(text="?")), history=history, system=system)


def subject(kind: str, model: str = "m", **settings: Any) -> Any:
    return remote(kind, model, Settings(**({"key": KEY, "base_url": "http://127.0.0.1:9/v1"} | settings)))


def body(kind: str, asked: Question | None = None, model: str = "m", **settings: Any) -> dict[str, Any]:
    """What is sent, of the official form but for the fields that are a service's own."""
    sent: dict[str, Any] = json.loads(subject(kind, model, **settings).prepare(asked or question()).body)
    check(CHAT, json.dumps({k: v for k, v in sent.items() if k not in OF_THEIR_OWN.get(kind, ())}).encode())
    return sent


@pytest.mark.parametrize("kind", SERVICES)
@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("shots", [0, 3])
def test_bodies_are_of_the_official_form(kind: str, images: int, shots: int) -> None:
    more = {"top_logprobs": 3, "seed": 5, "detail": "low", "reasoning": "low", "stop": ("\n",)}
    sent = body(kind, question(images, shots), **more)
    assert len(sent["messages"]) == 2 + 2 * shots
    assert [p["type"] for p in sent["messages"][-1]["content"]] == ["image_url"] * images + ["text"]
    assert (sent["seed"], sent["stop"], sent["top_logprobs"]) == (5, ["\n"], 3)


def test_a_misspelt_field_is_not_of_the_official_form() -> None:
    raw = subject("api", detail="low").prepare(question()).body
    for right, wrong in ((b'"max_tokens"', b'"max_token"'), (b'"detail"', b'"detial"'), (b'"image_url":', b'"image":')):
        assert right in raw
        with pytest.raises(ValidationError):
            check(CHAT, raw.replace(right, wrong))


@pytest.mark.parametrize(
    ("kind", "wish", "fields"),
    [
        ("openai-chat", "high", {"reasoning_effort": "high"}),
        ("openai-chat", 9000, {"reasoning_effort": "medium"}),
        ("openrouter", "none", {"reasoning": {"effort": "none"}}),
        ("openrouter", 3000, {"reasoning": {"max_tokens": 3000}}),
        ("ollama", "high", {"reasoning_effort": "high"}),
        ("vllm", "none", {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}),
        (
            "vllm",
            3000,
            {
                "reasoning_effort": "low",
                "chat_template_kwargs": {"enable_thinking": True},
                "thinking_token_budget": 3000,
            },
        ),
        ("sglang", "low", {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": True}}),
        ("lmstudio", "max", {"reasoning_effort": "high"}),
        ("lmstudio", "none", {"reasoning_effort": "none"}),
        ("llamacpp", "none", {"reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}}),
        (
            "llamacpp",
            3000,
            {
                "reasoning_effort": "low",
                "chat_template_kwargs": {"enable_thinking": True},
                "reasoning_budget_tokens": 3000,
                "thinking_budget_tokens": 3000,
            },
        ),
        ("api", "low", {"reasoning_effort": "low"}),
    ],
)
def test_how_each_is_asked_to_think(kind: str, wish: str | int, fields: dict[str, Any]) -> None:
    assert {
        k: v for k, v in body(kind, reasoning=wish).items() if "reason" in k or "think" in k or "kwargs" in k
    } == fields


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("sglang", "http://localhost:30000/v1"),
        ("lmstudio", "http://localhost:1234/v1"),
        ("llamacpp", "http://localhost:8080/v1"),
        ("vllm", "http://localhost:8000/v1"),
        ("openai-chat", "https://api.openai.com/v1"),
    ],
)
def test_where_each_is(kind: str, url: str) -> None:
    assert subject(kind, base_url=None).connection.url == f"{url}/chat/completions"


@pytest.mark.parametrize(
    ("kind", "settings", "ignored"),
    [
        ("ollama", {"detail": "low"}, ["detail"]),
        ("vllm", {"detail": "low"}, ["detail"]),
        ("llamacpp", {"detail": "low"}, ["detail"]),
        ("lmstudio", {"top_logprobs": 2, "detail": "low"}, ["logprobs"]),
        ("vllm", {"top_logprobs": 2, "seed": 1}, []),
        ("lmstudio", {}, []),
        ("openai-chat", {"detail": "low", "top_logprobs": 2, "seed": 1}, []),
    ],
)
def test_what_is_known_to_be_ignored_is_recorded(kind: str, settings: dict[str, Any], ignored: list[str]) -> None:
    asked = subject(kind, **settings)
    assert sorted(asked.identity.get("not_applied", {})) == ignored
    assert [f"{name} has no effect at {kind}/m" in note for name, note in zip(ignored, asked.notes(), strict=True)] == [
        True for _ in ignored
    ]


def test_the_cap_goes_by_the_name_that_each_takes() -> None:
    names = {kind: next(k for k in body(kind) if k.startswith("max_")) for kind in SERVICES}
    assert {k for k, name in names.items() if name == "max_completion_tokens"} == {"openai-chat"}


# ---------------------------------------------------------------- names and parameters that are refused


def run(tmp_path: Path, server: Endpoint, model: str, **more: Any) -> Any:
    data = write_set(tmp_path / "set", 4)
    return snellen.evaluate(
        "salbench", model=model, data=data, base_url=server.url, out=tmp_path / "runs", api_key="sk-1", **more
    )


@pytest.mark.parametrize(
    ("kind", "name", "other", "said"),
    [
        ("api", "max_tokens", "max_completion_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        ("openai-chat", "max_completion_tokens", "max_tokens", "Unrecognized request argument supplied: max_completion_tokens"),
        ("openai-chat", "max_completion_tokens", "max_tokens", "body.max_completion_tokens: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_cap_that_is_refused_by_name_is_sent_under_the_other(
    tmp_path: Path, kind: str, name: str, other: str, said: str
) -> None:
    refusal = 400, {}, error(said, None)
    script = lambda request, _n: refusal if name in request else None  # noqa: E731
    with (
        Provider(script=script) as server,
        pytest.warns(UserWarning, match=f"refused {name}, so it was sent as {other}"),
    ):
        done = run(tmp_path, server, f"{kind}/m", max_tokens=33)
    assert (server.requests[-1][other], name in server.requests[-1]) == (33, False)
    assert all(a.failure is None and a.calls[0].tries == 1 for a in done.folder.answers())
    identity = done.manifest.subject.identity
    assert (identity["parameters"][name], identity["applied"][other]) == (33, 33)


def test_a_cap_that_is_refused_by_both_names_is_an_error_not_a_circle(tmp_path: Path) -> None:
    def script(request: dict[str, Any], _nth: int) -> Any:
        name = next(k for k in request if k.startswith("max_"))
        return 400, {}, error(f"Unknown parameter: '{name}'.", "unknown_parameter", param=name)

    with Provider(script=script) as server, pytest.raises(snellen.Stopped), pytest.warns(UserWarning):
        run(tmp_path, server, "api/m")
    assert len(server.requests) <= 8


def test_a_cap_that_is_too_large_keeps_its_name(tmp_path: Path) -> None:
    said = "max_tokens is too large: 256. This model supports at most 16 completion tokens."
    with Provider(script=lambda _r, _n: (400, {}, error(said, "invalid_value", param="max_tokens"))) as server:
        with pytest.raises(snellen.Stopped):
            run(tmp_path, server, "api/m")
        assert all("max_tokens" in request for request in server.requests)


def test_an_older_server_that_knows_no_effort_is_still_told_by_its_template(tmp_path: Path) -> None:
    said = "[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \"Input should be 'low', 'medium' or 'high'\"}]"
    script = lambda request, _n: (400, {}, error(said, None)) if "reasoning_effort" in request else None  # noqa: E731
    with Provider(script=script) as server, pytest.warns(UserWarning, match="refused reasoning, so"):
        run(tmp_path, server, "sglang/m", reasoning="none")
    assert server.requests[-1]["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_budget_that_a_server_is_not_started_for_is_left_out(tmp_path: Path) -> None:
    said = "thinking_token_budget is set but reasoning_config is not configured. Please set --reasoning-parser."
    script = lambda request, _n: (400, {}, error(said, None)) if "thinking_token_budget" in request else None  # noqa: E731
    with Provider(script=script) as server, pytest.warns(UserWarning, match="refused thinking budget, so"):
        run(tmp_path, server, "vllm/m", reasoning=3000)
    assert server.requests[-1]["reasoning_effort"] == "low"


# ---------------------------------------------------------------- model lists


def test_what_openrouters_list_does_not_name_has_no_effect() -> None:
    ours = subject("openrouter", "a/b", seed=1, top_logprobs=2, reasoning="low")
    listed = {"id": "a/b", "supported_parameters": ["max_tokens", "temperature", "reasoning", "include_reasoning"]}
    ours.learn(json.dumps({"data": [listed]}).encode())
    assert sorted(ours.identity["not_applied"]) == ["logprobs", "seed"]
    assert all("model list" in why for why in ours.identity["not_applied"].values())
    assert {note.split(" ")[0] for note in ours.notes()} == {"seed", "logprobs"}
    silent = subject("openrouter", "a/b", seed=1)
    silent.learn(json.dumps({"data": [{"id": "a/b"}]}).encode())
    assert "not_applied" not in silent.identity


def test_who_really_answered_is_in_the_ledger(tmp_path: Path) -> None:
    reply = chat_reply("Size") | {"provider": "DeepInfra"}
    with Provider(replies=lambda _r: reply) as server:
        done = run(tmp_path, server, "openrouter/a/b", price="1/1")
    assert {a.calls[0].provider for a in done.folder.answers()} == {"DeepInfra"}


def test_ollamas_own_list_names_the_weights() -> None:
    ours = subject("ollama", "llava:7b", base_url=None)
    assert ours.connection.models_url == "http://localhost:11434/api/tags"
    listed = {"name": "llava:7b", "model": "llava:7b", "digest": "8dd30f6b0cb1", "details": {"family": "llama"}}
    ours.learn(json.dumps({"models": [listed]}).encode())
    assert ours.identity["listed"] == {"digest": "8dd30f6b0cb1"}
    assert subject("ollama", base_url="http://x/api/v3").connection.models_url == "http://x/api/v3/models"


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "thinking"])
def test_thoughts_by_every_name(field: str) -> None:
    reply = completion("Size")
    reply["choices"][0]["message"][field] = THOUGHT
    parsed = subject("vllm").parse(json.dumps(reply).encode())
    assert (parsed.text, parsed.thinking) == ("Size", THOUGHT)


def test_sglangs_count_of_thinking() -> None:
    reply = completion("Size")
    reply["usage"] |= {"reasoning_tokens": 12, "prompt_tokens_details": {"cached_tokens": 3}}
    usage = subject("sglang").parse(json.dumps(reply).encode()).usage
    assert (usage.reasoning_tokens, usage.cached_tokens) == (12, 3)


REPLIES = {
    "plain": chat_reply("Size", bill={"input": 9, "cached": 2, "output": 4, "reasoning": 1}),
    "cut off": chat_reply("Si", bill={"input": 9, "cached": 0, "output": 4, "reasoning": 0}),
    "refusal": chat_reply("", bill={"input": 9, "cached": 0, "output": 4, "reasoning": 0}),
    "filtered": chat_reply("", bill={"input": 9, "cached": 0, "output": 4, "reasoning": 0}),
}
REPLIES["cut off"]["choices"][0]["finish_reason"] = "length"
REPLIES["refusal"]["choices"][0]["message"] |= {"content": None, "refusal": "I can't."}
REPLIES["filtered"]["choices"][0]["finish_reason"] = "content_filter"


@pytest.mark.parametrize("name", REPLIES)
def test_the_official_client_understands_replies_alike(name: str) -> None:
    reply = REPLIES[name]
    ours = subject("openai-chat", reasoning="low", top_logprobs=1)
    sent = json.loads(ours.prepare(question(3, 3)).body)
    with Provider(replies=lambda _request: reply) as server:
        theirs = openai.OpenAI(base_url=server.url, api_key="k", max_retries=0).chat.completions.create(**sent)
        assert server.requests == [sent]
    parsed, choice = ours.parse(json.dumps(reply).encode()), theirs.choices[0]
    assert theirs.usage is not None
    assert parsed.text == (choice.message.content or choice.message.refusal or "")
    assert parsed.finish_reason == choice.finish_reason
    assert parsed.refused == (bool(choice.message.refusal) or choice.finish_reason == "content_filter")
    assert (parsed.usage.input_tokens, parsed.usage.output_tokens) == (
        theirs.usage.prompt_tokens,
        theirs.usage.completion_tokens,
    )
    assert parsed.usage.reasoning_tokens == theirs.usage.completion_tokens_details.reasoning_tokens  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("place", "settings"),
    [
        ("--base-url", {"base_url": "http://127.0.0.1:9/q8Zr2LxTn0Wb4/v1"}),
        ("--base-url", {"base_url": "http://127.0.0.1:9/%718Zr2LxTn0Wb4/v1"}),
        ("--base-url", {"base_url": "http://127.0.0.1:9/%25718Zr2LxTn0Wb4/v1"}),
        ("--model", {"model": "q8Zr2LxTn0Wb4"}),
        ("--model", {"model": "%718Zr2LxTn0Wb4"}),
        ("--extra", {"extra": {"auth": {"token": ["Bearer q8Zr2LxTn0Wb4"]}}}),
    ],
)
def test_a_key_that_the_run_would_write_down_is_refused(place: str, settings: dict[str, Any], tmp_path: Path) -> None:
    given = {"base_url": "http://127.0.0.1:9/v1", "model": "m"} | settings
    model = f"api/{given.pop('model')}"
    with pytest.raises(SnellenError, match=f"is also in {place}") as error:
        snellen.evaluate(
            "salbench",
            model=model,
            data=write_set(tmp_path / "d", 2),
            out=tmp_path / "runs",
            api_key="q8Zr2LxTn0Wb4",
            **given,
        )
    assert "q8Zr2LxTn0Wb4" not in str(error.value) and not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("place", "model", "settings"),
    [
        ("--model", "sk-canary-0123456789abcdef", Settings()),
        ("--base-url", "m", Settings(base_url="sk-canary-0123456789abcdef")),
        ("--extra", "m", Settings(extra={"user": "sk-canary-0123456789abcdef"})),
        ("--extra", "m", Settings(extra={"upstream": {"api_key": "q8Zr2LxTn0Wb4"}})),
    ],
)
def test_what_looks_like_a_key_is_refused_where_the_run_would_write_it_down(
    place: str, model: str, settings: Settings
) -> None:
    if settings.base_url is None:
        settings = settings._replace(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(SnellenError, match=f"^{place} holds an API key") as error:
        remote("api", model, settings)
    assert "0123456789abcdef" not in str(error.value) and "q8Zr2LxTn0Wb4" not in str(error.value)
    remote("api", "xai-grok-4-fast-reasoning", Settings(base_url="http://127.0.0.1:9/v1", extra={"user": "me"}))


def test_a_word_for_a_key_may_be_in_an_address() -> None:
    assert subject("api", "qwen", key=Secret("qwen"), base_url="http://127.0.0.1:9/qwen/v1").model == "qwen"
