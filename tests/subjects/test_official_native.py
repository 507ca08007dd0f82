"""Anthropic's and Google's APIs as their own packages know them: our bodies are theirs, and they read replies as we do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from google import genai
from pydantic import ValidationError
from tests.support import anthropic_server, gemini_server
from tests.support.anthropic_server import AnthropicServer
from tests.support.gemini_server import GeminiServer
from tests.support.official_native import gemini_call, valid_anthropic, valid_gemini
from tests.support.remote import remote
from tests.support.sets import png

from snellen.core.secret import Secret
from snellen.core.subject import Parsed
from snellen.core.types import Picture, Question, Text, Turn
from snellen.subjects.anthropic_messages import FINISH
from snellen.subjects.remote.settings import Settings

KEY = Secret("sk-native-0123456789")
VALID = {"anthropic": valid_anthropic, "gemini": valid_gemini}
MODELS = [
    *(("anthropic", m) for m in ("claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5", "claude-opus-4-8")),
    ("anthropic", "claude-haiku-4-5"),
    *(("gemini", m) for m in ("gemini-3.8-flash", "gemini-3-pro-preview", "gemini-2.5-flash", "gemini-2.5-pro")),
    ("gemini", "gemini-2.0-flash"),
]


def asked(pictures: int, system: str | None = "Be brief.") -> Question:
    history: list[Turn] = []
    for i in range(3):
        history.append(Turn(role="user", parts=(Picture(data=png(i)), Text(text="Which?"))))
        history.append(Turn(role="assistant", parts=(Text(text='"Size" ü'),)))
    shown = tuple(Picture(data=png(10 + i)) for i in range(pictures))
    parts = (*shown, Text(text="And here?\n"))
    return Question(
        id="q", exam="b", prompt="p", parts=parts, system=system, history=tuple(history), shots=("a", "b", "c")
    )


def body(kind: str, model: str, pictures: int = 1, **settings: Any) -> dict[str, Any]:
    subject = remote(kind, model, Settings(key=KEY, **settings))
    found: dict[str, Any] = json.loads(subject.prepare(asked(pictures)).body)
    return found


@pytest.mark.parametrize("reasoning", [None, "none", "minimal", "high", "max", 3000])
@pytest.mark.parametrize("pictures", [1, 3])
@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_bodies_are_of_the_official_types(kind: str, model: str, pictures: int, reasoning: Any) -> None:
    more: dict[str, Any] = {} if kind == "anthropic" else {"seed": 7, "top_logprobs": 3, "detail": "high"}
    ours = body(kind, model, pictures, reasoning=reasoning, stop=("END", "\n\n"), temperature=None, **more)
    turns = ours["messages" if kind == "anthropic" else "contents"]
    assert len(turns) == 7
    assert len(turns[-1]["content" if kind == "anthropic" else "parts"]) == pictures + 1
    VALID[kind](ours)


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-opus-4-8", "claude-fable-5-2", "claude-mythos-preview"])
def test_with_the_defaults_too(model: str) -> None:
    valid_anthropic(body("anthropic", model))
    valid_gemini(body("gemini", model.replace("claude", "gemini")))


def test_older_models_still_get_a_temperature_which_the_package_has_forgotten() -> None:
    ours = body("anthropic", "claude-haiku-4-5")
    assert ours.pop("temperature") == 0.0
    valid_anthropic(ours)


@pytest.mark.parametrize("detail", ["low", "medium", "high", "ultra_high"])
def test_media_resolution_is_of_the_official_types(detail: str, recwarn: pytest.WarningsRecorder) -> None:
    ours = body("gemini", "gemini-3.8-flash", 3, detail=detail)
    valid_gemini(ours)
    assert f"MEDIA_RESOLUTION_{detail.upper()}" in json.dumps(ours)
    assert not [w for w in recwarn if "not a valid" in str(w.message)]


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
def test_a_wrong_body_is_noticed(kind: str) -> None:
    model = "claude-sonnet-5-5" if kind == "anthropic" else "gemini-3.8-flash"
    for spoil in (_top, _in_a_picture, _in_thinking):
        ours = body(kind, model, reasoning="high")
        spoil(ours)
        with pytest.raises((ValidationError, ValueError)):
            VALID[kind](ours)


def _top(ours: dict[str, Any]) -> None:
    ours["seeed"] = 1


def _in_a_picture(ours: dict[str, Any]) -> None:
    turn = ours.get("messages", ours.get("contents"))[0]
    first = turn.get("content", turn.get("parts"))[0]
    first.get("source", first.get("inlineData"))["mime"] = "image/png"


def _in_thinking(ours: dict[str, Any]) -> None:
    (ours.get("thinking") or ours["generationConfig"]["thinkingConfig"])["level"] = "HIGH"


# ---------------------------------------------------------------- the official clients at the same server


@pytest.fixture
def claude() -> Iterator[tuple[AnthropicServer, anthropic.Anthropic]]:
    with (
        AnthropicServer() as server,
        anthropic.Anthropic(api_key=server.key, base_url=server.url, max_retries=0, timeout=60.0) as client,
    ):
        yield server, client


@pytest.fixture
def gemini() -> Iterator[tuple[GeminiServer, genai.Client]]:
    with GeminiServer() as server:
        options = genai.types.HttpOptions(base_url=server.url, api_version="v1beta")
        client = genai.Client(api_key=server.key, http_options=options)
        yield server, client
        client.close()


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-haiku-4-5"])
def test_anthropics_client_sends_what_we_send(claude: tuple[AnthropicServer, anthropic.Anthropic], model: str) -> None:
    server, client = claude
    ours = body("anthropic", model, 3, reasoning="high", stop=("END",))
    client.messages.create(**ours)
    assert server.requests == [ours]
    assert server.paths == ["/v1/messages"]


@pytest.mark.parametrize("model", ["gemini-3.8-flash", "gemini-2.5-flash"])
def test_googles_client_sends_what_we_send(gemini: tuple[GeminiServer, genai.Client], model: str) -> None:
    server, client = gemini
    ours = body("gemini", model, 3, reasoning="high", stop=("END",), seed=7, top_logprobs=2, detail="high")
    client.models.generate_content(model=model, **gemini_call(ours))
    sent = camel(server.requests[0])
    assert {**sent, "systemInstruction": None} == {**ours, "systemInstruction": None}
    assert sent["systemInstruction"]["parts"] == ours["systemInstruction"]["parts"]
    subject = remote("gemini", model, Settings(key=KEY, base_url=server.url))
    assert server.paths == [subject.connection.url.removeprefix(server.url)]


def camel(value: Any) -> Any:
    """Google's client writes some names with underscores, which its service takes as well."""
    if isinstance(value, list):
        return [camel(v) for v in value]
    if isinstance(value, dict):
        return {re.sub(r"_(\w)", lambda m: m[1].upper(), k): camel(v) for k, v in value.items()}
    return value


REPLIES = {
    "plain": anthropic_server.message(),
    "thought": anthropic_server.message("Size", "Is it size? Yes."),
    "cut while thinking": anthropic_server.message(None, "Well, let me", stop="max_tokens"),
    "two blocks": anthropic_server.message(None)
    | {
        "content": [
            {"type": "redacted_thinking", "data": "eGVuYw=="},
            {"type": "text", "text": "Co"},
            {"type": "text", "text": "lor"},
        ]
    },
    "refusal": anthropic_server.message(
        None,
        stop="refusal",
        stop_details={"type": "refusal", "category": "bio", "explanation": "This may do harm."},
    ),
    "stop sequence": anthropic_server.message("Col", stop="stop_sequence", stop_sequence="or"),
    "context": anthropic_server.message("Col", stop="model_context_window_exceeded"),
    "pause": anthropic_server.message("Col", stop="pause_turn"),
    "no details": anthropic_server.message(usage={"input_tokens": 7, "output_tokens": 3}),
}


@pytest.mark.parametrize("name", REPLIES)
def test_anthropics_client_reads_what_we_read(claude: tuple[AnthropicServer, anthropic.Anthropic], name: str) -> None:
    server, client = claude
    payload = json.dumps(REPLIES[name]).encode()
    server.script = lambda _request, _nth: (200, {"request-id": "req_7"}, payload)
    theirs = client.messages.create(**body("anthropic", "claude-sonnet-5-5"))
    ours: Parsed = remote("anthropic", "claude-sonnet-5-5", Settings(key=KEY)).parse(payload)
    spoken = "".join(b.text for b in theirs.content if b.type == "text")
    assert ours.text == (spoken or getattr(theirs.stop_details, "explanation", None) or "")
    assert ours.thinking.replace("[redacted thinking]", "") == "".join(
        b.thinking for b in theirs.content if b.type == "thinking"
    )
    assert theirs.stop_reason is not None
    assert ours.finish_reason == FINISH[theirs.stop_reason]
    assert ours.refused == (theirs.stop_reason == "refusal")
    assert (ours.model, ours.response_id, ours.provider) == (theirs.model, theirs.id, theirs.usage.service_tier)
    used = theirs.usage
    cached, written = used.cache_read_input_tokens, used.cache_creation_input_tokens
    assert ours.usage.input_tokens == used.input_tokens + (cached or 0) + (written or 0)
    assert (ours.usage.cached_tokens, ours.usage.cache_write_tokens) == (cached, written)
    assert ours.usage.output_tokens == used.output_tokens
    assert ours.usage.reasoning_tokens == getattr(used.output_tokens_details, "thinking_tokens", None)


CONTENTS = {
    "plain": gemini_server.content(),
    "thought": gemini_server.content("Size", "Is it size? Yes."),
    "cut while thinking": gemini_server.content(None, finish="MAX_TOKENS"),
    **{
        word.lower(): gemini_server.content(None, finish=word)
        for word in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY")
    },
    "malformed": gemini_server.content(None, finish="MALFORMED_RESPONSE"),
    "other": gemini_server.content("Col", finish="OTHER"),
    "prompt blocked": {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9},
        "modelVersion": "gemini-3.8-flash",
    },
}


@pytest.mark.parametrize("name", CONTENTS)
def test_googles_client_reads_what_we_read(gemini: tuple[GeminiServer, genai.Client], name: str) -> None:
    server, client = gemini
    payload = json.dumps(CONTENTS[name]).encode()
    server.script = lambda _request, _nth: (200, {}, payload)
    call = gemini_call(body("gemini", "gemini-3.8-flash"))
    theirs = client.models.generate_content(model="gemini-3.8-flash", **call)
    ours: Parsed = remote("gemini", "gemini-3.8-flash", Settings(key=KEY)).parse(payload)
    used = theirs.usage_metadata
    assert used is not None
    assert ours.usage.input_tokens == used.prompt_token_count
    thoughts = used.thoughts_token_count
    assert (ours.usage.output_tokens or 0) == (used.candidates_token_count or 0) + (thoughts or 0)
    assert (ours.usage.reasoning_tokens, ours.usage.cached_tokens) == (thoughts, used.cached_content_token_count)
    assert (ours.model, ours.response_id) == (theirs.model_version, theirs.response_id)
    if not theirs.candidates:
        assert theirs.prompt_feedback is not None
        assert (ours.refused, ours.finish_reason) == (True, "content_filter")
        return
    candidate = theirs.candidates[0]
    assert ours.text == (theirs.text or "")
    parts = (candidate.content.parts if candidate.content else None) or []
    assert ours.thinking == "".join(p.text or "" for p in parts if p.thought)
    finish = candidate.finish_reason
    assert finish is not None
    expected = {"STOP": "stop", "MAX_TOKENS": "length", "OTHER": "other", "MALFORMED_RESPONSE": "malformed_response"}
    assert ours.finish_reason == expected.get(finish.value, "content_filter")
    assert ours.refused == (finish.value not in expected)


@pytest.mark.parametrize("name", ["rate limit", "overloaded", "internal"])
def test_errors_are_of_the_documented_form(
    claude: tuple[AnthropicServer, anthropic.Anthropic], gemini: tuple[GeminiServer, genai.Client], name: str
) -> None:
    server, client = claude
    server.script = lambda _request, _nth: server.errors()[name]
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(**body("anthropic", "claude-sonnet-5-5"))
    status, _headers, payload = server.errors()[name]
    ours = remote("anthropic", "claude-sonnet-5-5", Settings(key=KEY)).explain(status, payload)
    assert caught.value.type == json.loads(payload)["error"]["type"]
    assert ours.error.reason == f"status {caught.value.status_code}: {caught.value.api_message}"
    google, googles = gemini
    google.script = lambda _request, _nth: google.errors()[name]
    with pytest.raises(genai.errors.APIError) as raised:
        googles.models.generate_content(model="gemini-3.8-flash", **gemini_call(body("gemini", "gemini-3.8-flash")))
    status, _headers, payload = google.errors()[name]
    ours = remote("gemini", "gemini-3.8-flash", Settings(key=KEY)).explain(status, payload)
    assert raised.value.status == json.loads(payload)["error"]["status"]
    assert ours.error.reason == f"status {raised.value.code}: {raised.value.message}"
