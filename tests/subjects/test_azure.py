"""Azure OpenAI: addresses, keys and versions as the official client has them, and what its content filter says."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.support.official_openai import CHAT, check
from tests.support.remote import remote
from tests.support.responses_server import AZURE_FILTER, THOUGHT, Provider, chat_reply, error
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.types import Picture, Question, Text, Turn
from snellen.subjects.azure import place
from snellen.subjects.remote.settings import Settings

DATED = "2024-10-21"
HOME = "https://r.openai.azure.com"
KEY = Secret("azure-key-1")


def question(images: int = 1, shots: int = 0) -> Question:
    history = tuple(
        turn
        for i in range(shots)
        for turn in (
            Turn(role="user", parts=(Picture(data=png(i)), Text(text="example?"))),
            Turn(role="assistant", parts=(Text(text="yes"),)),
        )
    )
    shown = tuple(Picture(data=png(50 + i)) for i in range(images))
    return Question(id="q", exam="b", prompt="p", parts=(*shown, Text(text="?")), history=history, system="short")


def azure(**settings: Any) -> Any:
    return remote("azure", "my-gpt", Settings(**({"key": KEY} | settings)))


# ---------------------------------------------------------------- where it is


@pytest.mark.parametrize(
    ("given", "version", "url"),
    [
        (HOME, "", f"{HOME}/openai/v1/chat/completions"),
        (f"{HOME}/", "preview", f"{HOME}/openai/v1/chat/completions?api-version=preview"),
        (f"{HOME}/openai/v1/", "", f"{HOME}/openai/v1/chat/completions"),
        (f"{HOME}/openai/v1", DATED, f"{HOME}/openai/v1/chat/completions"),
        (f"{HOME}/openai", DATED, f"{HOME}/openai/deployments/my-gpt/chat/completions?api-version={DATED}"),
        (HOME, f"{DATED}-preview", f"{HOME}/openai/deployments/my-gpt/chat/completions?api-version={DATED}-preview"),
        (
            f"{HOME}/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01-preview",
            DATED,
            f"{HOME}/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01-preview",
        ),
        (
            "https://gate.example/eu",
            DATED,
            f"https://gate.example/eu/openai/deployments/my-gpt/chat/completions?api-version={DATED}",
        ),
    ],
)
@pytest.mark.parametrize("by_variable", [True, False])
def test_addresses(monkeypatch: pytest.MonkeyPatch, given: str, version: str, url: str, by_variable: bool) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", version)
    if by_variable:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", given)
    ours = azure(base_url=None if by_variable else given)
    assert ours.connection.url == url
    query = url.partition("?")[2]
    assert ours.identity.get("api_version", "") == query.removeprefix("api-version=")
    assert ours.connection.models_url.endswith(f"/models?{query}" if query else "/models")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            None,
            "needs --base-url or AZURE_OPENAI_ENDPOINT, the address of its server such as https://NAME.openai.azure.com",
        ),
        (f"{HOME}/openai/deployments/other/chat/completions?api-version={DATED}", "the deployment 'other'"),
        (f"{HOME}/openai/deployments/my-gpt", "set OPENAI_API_VERSION"),
        (f"{HOME}?api-key=hunter2", "must hold no user name"),
        (f"{HOME}?api-version=2024-10-21&key=hunter2", "must hold no user name"),
        (f"{HOME}?api-version=a%20b", "not a version"),
        ("https://me:hunter2@r.openai.azure.com", "must hold no user name"),
    ],
)
def test_addresses_that_are_none(given: str | None, message: str) -> None:
    with pytest.raises(SnellenError, match=message) as caught:
        place(given, "my-gpt")
    assert "hunter2" not in str(caught.value)


def test_the_key_or_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", HOME)
    with pytest.raises(SnellenError, match="azure needs a key: set AZURE_OPENAI_API_KEY"):
        azure(key=Secret(""))
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k-1")
    by_key = azure(key=Secret("")).connection
    assert (by_key.key_header, by_key.key.reveal()) == (("api-key", ""), "k-1")
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "t-1")
    by_token = azure(key=Secret("")).connection  # before the key, as in the official client
    assert (by_token.key_header, by_token.key.reveal()) == (("Authorization", "Bearer "), "t-1")
    given = azure().connection
    assert (given.key_header, given.key.reveal()) == (("api-key", ""), KEY.reveal())


def test_a_key_in_the_environment_goes_before_a_token_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(
        f"AZURE_OPENAI_AD_TOKEN=t-1\nAZURE_OPENAI_ENDPOINT={HOME}\nOPENAI_API_VERSION={DATED}\n"
    )
    filed = azure(key=Secret(""))
    assert (filed.connection.key_header[0], filed.connection.key.reveal()) == ("Authorization", "t-1")
    assert filed.about() == "the key for azure is the one in AZURE_OPENAI_AD_TOKEN in .env"
    assert f"api-version={DATED}" in filed.connection.url
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k-1")
    assert azure(key=Secret("")).connection.key.reveal() == "k-1"


def test_an_older_version_is_another_run_and_another_request(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for version in ("", DATED, "2025-01-01-preview"):
        monkeypatch.setenv("OPENAI_API_VERSION", version)
        keys.add(azure(base_url=HOME).prepare(question()).key)
    assert len(keys) == 3


# ---------------------------------------------------------------- the official client and we


@pytest.mark.parametrize("version", ["", DATED])
@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("shots", [0, 3])
def test_the_official_client_sends_the_same_to_the_same_place(
    monkeypatch: pytest.MonkeyPatch, version: str, images: int, shots: int
) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", version)
    reply = chat_reply("Size", thought=THOUGHT, bill={"input": 5, "cached": 1, "output": 4, "reasoning": 2})
    with Provider(replies=lambda _request: reply) as server:
        ours = azure(base_url=server.root, reasoning="low", top_logprobs=2, seed=3, detail="high")
        sent = ours.prepare(question(images, shots)).body
        check(CHAT, sent)
        client: openai.OpenAI
        if version:
            client = openai.AzureOpenAI(
                azure_endpoint=server.root, api_version=version, api_key=KEY.reveal(), max_retries=0
            )
        else:
            client = openai.OpenAI(base_url=f"{server.root}/openai/v1/", api_key=KEY.reveal(), max_retries=0)
        theirs = client.chat.completions.create(**json.loads(sent))
        assert server.requests == [json.loads(sent)]
        assert ours.connection.url == server.root + server.targets[0]
        if version:
            assert server.headers[0]["api-key"] == KEY.reveal()
    parsed = ours.parse(json.dumps(reply).encode())
    assert theirs.usage is not None
    assert (parsed.text, parsed.finish_reason) == (theirs.choices[0].message.content, theirs.choices[0].finish_reason)
    assert (parsed.usage.input_tokens, parsed.usage.output_tokens) == (
        theirs.usage.prompt_tokens,
        theirs.usage.completion_tokens,
    )
    assert (parsed.usage.reasoning_tokens, parsed.usage.cached_tokens, parsed.thinking) == (2, 1, THOUGHT)


def test_the_official_client_meets_the_same_filter() -> None:
    with Provider(script=lambda _r, _n: AZURE_FILTER) as server:
        client = openai.AzureOpenAI(azure_endpoint=server.root, api_version=DATED, api_key="k", max_retries=0)
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="my-gpt", messages=[{"role": "user", "content": "x"}])
    assert caught.value.code == "content_filter"
    parsed = azure(base_url=HOME).explain(400, AZURE_FILTER[2])
    assert (parsed.refused, parsed.error) == (True, None)
    assert "content management policy" in parsed.text
    assert parsed.text.endswith("(filtered for violence medium)")


# ---------------------------------------------------------------- runs


def run(tmp_path: Path, server: Provider, **more: Any) -> list[snellen.Answer]:
    data = write_set(tmp_path / "set", 3)
    with suppress(snellen.Stopped):  # a run that is refused throughout may end with a word about it
        snellen.evaluate(
            "salbench",
            model="azure/my-gpt",
            data=data,
            base_url=server.root,
            out=tmp_path / "runs",
            api_key="k-1",
            **more,
        )
    return list(snellen.open_run(next(p for p in (tmp_path / "runs").iterdir() if p.is_dir())).answers())


def test_a_prompt_that_is_filtered_is_a_refusal(tmp_path: Path) -> None:
    with Provider(script=lambda _r, _n: AZURE_FILTER) as server:
        answers = run(tmp_path, server)
        assert len(server.requests) == 3
    assert all(a.refused and a.failure is None for a in answers)


@pytest.mark.parametrize("with_message", [True, False])
def test_a_reply_that_is_filtered_is_a_refusal(tmp_path: Path, with_message: bool) -> None:
    reply = chat_reply("", bill={"input": 9, "cached": 0, "output": 3, "reasoning": 0})
    choice = reply["choices"][0] | {"finish_reason": "content_filter"}
    choice["content_filter_results"] = {
        "hate": {"filtered": True, "severity": "high"},
        "jailbreak": {"filtered": False},
    }
    choice["message"] = {"role": "assistant"}
    if not with_message:
        del choice["message"]
    passed = {"hate": {"filtered": False, "severity": "safe"}}
    reply |= {"choices": [choice], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": passed}]}
    with Provider(replies=lambda _request: reply) as server:
        answers = run(tmp_path, server, price="1/1")
    assert {(a.refused, a.finish_reason, a.text) for a in answers} == {
        (True, "content_filter", "filtered for hate high")
    }
    assert [a.calls[0].cost for a in answers] == [pytest.approx(12e-6)] * 3


def test_filters_that_passed_change_nothing(tmp_path: Path) -> None:
    reply = chat_reply("Size") | {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    reply["choices"][0]["content_filter_results"] = {"hate": {"filtered": False, "severity": "safe"}}
    with Provider(replies=lambda _request: reply) as server:
        assert {(a.text, a.refused) for a in run(tmp_path, server)} == {("Size", False)}


@pytest.mark.parametrize("code", ["DeploymentNotFound", "404"])
def test_a_deployment_that_is_not_there(tmp_path: Path, code: str) -> None:
    gone = 404, {}, json.dumps({"error": {"code": code, "message": "The API deployment does not exist."}}).encode()
    with (
        Provider(script=lambda _r, _n: gone) as server,
        pytest.raises(SnellenError, match="azure/NAME takes the name of a deployment, not of a model"),
    ):
        run(tmp_path, server)


def test_an_api_of_before_gets_the_cap_under_its_old_name(tmp_path: Path) -> None:
    old = 400, {}, error("Unrecognized request argument supplied: max_completion_tokens", None)
    script = lambda request, _n: old if "max_completion_tokens" in request else None  # noqa: E731
    with (
        Provider(script=script) as server,
        pytest.warns(UserWarning, match="refused max_completion_tokens, so it was sent as max_tokens"),
    ):
        answers = run(tmp_path, server, max_tokens=77)
    assert server.requests[-1]["max_tokens"] == 77
    assert all(a.failure is None and a.calls[0].left_out == () for a in answers)
