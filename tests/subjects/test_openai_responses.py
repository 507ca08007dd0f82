"""OpenAI's Responses API: our bodies against the official package's types, and its replies as its client and we understand them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses import Response
from pydantic import TypeAdapter, ValidationError
from tests.support.official_openai import RESPONSES, check
from tests.support.remote import base_address, remote
from tests.support.responses_server import (
    QUOTA,
    THOUGHT,
    Provider,
    error,
    message,
    output_text,
    reasoning,
    responses_reply,
    unsupported,
)
from tests.support.sets import png, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Parsed
from snellen.core.types import Picture, Question, Text, Turn, Usage
from snellen.subjects.openai_responses import RESPONSES as FORM
from snellen.subjects.remote.settings import Settings

KEY = Secret("sk-test-1")
BILL = {"input": 211, "cached": 64, "output": 44, "reasoning": 30}


def subject(model: str = "gpt-5", **settings: Any) -> Any:
    return remote("openai", model, Settings(key=KEY, **settings))


def turns(shots: int) -> tuple[Turn, ...]:
    pairs = [
        (
            Turn(role="user", parts=(Picture(data=png(i)), Text(text=f"example {i}?"))),
            Turn(role="assistant", parts=(Text(text=f'"{i}"\n'),)),
        )
        for i in range(shots)
    ]
    return tuple(turn for pair in pairs for turn in pair)


def question(images: int = 1, shots: int = 0, system: str | None = None) -> Question:
    shown = tuple(Picture(data=png(100 + i)) for i in range(images))
    return Question(
        id="q", exam="b", prompt="p", parts=(*shown, Text(text="which?")), history=turns(shots), system=system
    )


def body(asked: Question, model: str = "gpt-5", **settings: Any) -> dict[str, Any]:
    raw = subject(model, **settings).prepare(asked).body
    check(RESPONSES, raw)
    found: dict[str, Any] = json.loads(raw)
    return found


# ---------------------------------------------------------------- requests


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "o3"])
@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("shots", [0, 3])
@pytest.mark.parametrize("system", [None, 'be "brief"\n'])
def test_bodies_are_of_the_official_form(model: str, images: int, shots: int, system: str | None) -> None:
    sent = body(question(images, shots, system), model)
    assert sent.get("instructions") == system
    assert len(sent["input"]) == 2 * shots + 1
    assert [p["type"] for p in sent["input"][-1]["content"]] == ["input_image"] * images + ["input_text"]
    assert all(turn["content"] == f'"{i}"\n' for i, turn in enumerate(sent["input"][1::2]))
    assert sent["store"] is False


@pytest.mark.parametrize("wish", ["none", "minimal", "low", "medium", "high", "xhigh", "max", 3000])
@pytest.mark.parametrize("logprobs", [0, 5])
@pytest.mark.parametrize("detail", [None, "low", "high", "original"])
def test_wishes_are_of_the_official_form(wish: str | int, logprobs: int, detail: str | None) -> None:
    sent = body(question(3, 1, "x"), "gpt-4o", reasoning=wish, top_logprobs=logprobs, detail=detail, temperature=0.5)
    assert (sent["temperature"], sent.get("top_logprobs", 0)) == (0.5, logprobs)
    assert sent["input"][-1]["content"][0]["detail"] == (detail or "auto")
    assert ("summary" in sent["reasoning"]) == (wish != "none")


def test_a_misspelt_field_is_not_of_the_official_form() -> None:
    raw = subject().prepare(question()).body
    for right, wrong in (
        (b'"max_output_tokens"', b'"max_tokens"'),
        (b'"detail"', b'"detial"'),
        (b'"summary"', b'"sumary"'),
    ):
        assert right in raw
        with pytest.raises(ValidationError):
            check(RESPONSES, raw.replace(right, wrong))


def test_the_cap_is_on_the_visible_reply_and_thinking_has_its_own() -> None:
    assert body(question(), "gpt-4o", max_tokens=64)["max_output_tokens"] == 64
    assert body(question(), "gpt-5", max_tokens=64)["max_output_tokens"] == 64 + 8192
    assert body(question(), "gpt-5", max_tokens=64, reasoning="low")["max_output_tokens"] == 64 + 2048
    assert body(question(), "gpt-5", max_tokens=64, reasoning=500)["max_output_tokens"] == 564


def test_what_a_family_refuses_is_not_sent_and_told() -> None:
    assert body(question(), "gpt-4o")["temperature"] == 0.0
    thinking = subject("gpt-5")
    assert "temperature" not in json.loads(thinking.prepare(question()).body)
    assert "temperature" in thinking.identity["not_applied"]


@pytest.mark.parametrize(("name", "value"), [("model_seed", 1), ("stop", ["x"])])
def test_what_the_api_does_not_have_is_refused_by_name(tmp_path: Path, name: str, value: Any) -> None:
    data = write_set(tmp_path / "d", 2)
    more = {name: value, "api_key": "sk-1"}
    with pytest.raises(SnellenError, match=name.replace("_", ".")):
        snellen.evaluate("salbench", model="openai/gpt-4o", data=data, out=tmp_path / "r", **more)


# ---------------------------------------------------------------- the official client and we

TOP = [
    {
        "token": "Size",
        "logprob": -0.1,
        "bytes": [83],
        "top_logprobs": [{"token": "Color", "logprob": -2.5, "bytes": [67]}],
    }
]
FORMS: dict[str, dict[str, Any]] = {
    "plain": responses_reply("Size", bill=BILL),
    "thought": responses_reply("Size", thought=THOUGHT, bill=BILL),
    "logprobs": responses_reply("Size", bill=BILL) | {"output": [message(output_text("Size", TOP))]},
    "two parts": responses_reply("", bill=BILL) | {"output": [message(output_text("Si"), output_text("ze"))]},
    "refusal": responses_reply("", bill=BILL) | {"output": [message({"type": "refusal", "refusal": "I can't."})]},
    "cut off": responses_reply("", bill=BILL)
    | {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [reasoning("so far"), message(output_text("Si"), status="incomplete")],
    },
    "thought away": responses_reply("", bill=BILL)
    | {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [reasoning("so far")]},
    "filtered": responses_reply("", bill=BILL)
    | {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
    "in full": responses_reply("", bill=BILL)
    | {"output": [reasoning("short", full="in full"), message(output_text("Size"))]},
}
FINISH = {"cut off": "length", "thought away": "length", "filtered": "content_filter"}
THINKING = {"thought": THOUGHT, "cut off": "so far", "thought away": "so far", "in full": "in full"}


@pytest.mark.parametrize("name", FORMS)
def test_the_official_client_sends_the_same_and_understands_it_alike(name: str) -> None:
    reply = FORMS[name]
    TypeAdapter(Response).validate_python(reply)  # the server's own form
    ours = FORM.parse(json.dumps(reply).encode(), KEY)
    sent = subject(reasoning="low", top_logprobs=2).prepare(question(3, 3, "system")).body
    with Provider(replies=lambda _request: reply) as server:
        client = openai.OpenAI(base_url=server.url, api_key=KEY.reveal(), max_retries=0)
        theirs = client.responses.create(**json.loads(sent))
        assert server.requests == [json.loads(sent)]
    refusals = [
        p.refusal for item in theirs.output if item.type == "message" for p in item.content if p.type == "refusal"
    ]
    assert ours.text == (theirs.output_text or "".join(refusals))
    assert ours.refused == (bool(refusals) or name == "filtered")
    assert ours.finish_reason == FINISH.get(name, "stop")
    assert (theirs.status == "completed") == (ours.finish_reason == "stop")
    assert ours.thinking == THINKING.get(name, "")
    assert theirs.usage is not None
    assert ours.usage == Usage(
        input_tokens=theirs.usage.input_tokens,
        output_tokens=theirs.usage.output_tokens,
        reasoning_tokens=theirs.usage.output_tokens_details.reasoning_tokens,
        cached_tokens=theirs.usage.input_tokens_details.cached_tokens,
        cache_write_tokens=theirs.usage.input_tokens_details.cache_write_tokens,
    )
    assert (ours.model, ours.response_id) == (theirs.model, theirs.id)
    assert ours.provider == f"service tier {theirs.service_tier}"
    if name == "logprobs":
        assert [(t.text, t.logprob, t.top) for t in ours.tokens] == [("Size", -0.1, (("Color", -2.5),))]


@pytest.mark.parametrize(
    "out",
    [
        QUOTA,
        unsupported("temperature"),
        (429, {}, error("Rate limit reached.", "rate_limit_exceeded", "requests")),
        (404, {}, error("The model does not exist.", "model_not_found")),
        (500, {}, error("It failed.", None, "server_error")),
    ],
)
def test_the_official_client_reads_errors_alike(out: tuple[int, dict[str, str], bytes]) -> None:
    with Provider(script=lambda _r, _n: out) as server:
        client = openai.OpenAI(base_url=server.url, api_key="k", max_retries=0)
        with pytest.raises(openai.APIStatusError) as caught:
            client.responses.create(model="m", input="x")
    said, theirs = FORM.error(out[0], out[2], KEY), caught.value
    assert theirs.status_code == out[0]
    assert (said.code, said.parameter) == (theirs.code or theirs.type, theirs.param or "")
    assert said.message in str(theirs)


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        ("server_error", "It failed.", ("endpoint", 502)),
        ("rate_limit_exceeded", "Slow down.", ("endpoint", 429)),
        ("invalid_image_format", "Not a picture.", ("bad-request", 400)),
        ("invalid_prompt", "The prompt is not valid.", ("bad-request", 400)),
        ("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy.", None),
        ("image_content_policy_violation", "No.", None),
        ("bio_policy", "No.", None),
    ],
)
def test_a_response_that_failed(code: str, said: str, expected: tuple[str, int] | None) -> None:
    reply = responses_reply("", bill=BILL) | {
        "status": "failed",
        "output": [],
        "error": {"code": code, "message": said},
    }
    TypeAdapter(Response).validate_python(reply)
    parsed = FORM.parse(json.dumps(reply).encode(), KEY)
    assert parsed.usage.input_tokens == 211  # it was paid for all the same
    if expected is None:
        assert parsed.refused
        assert (parsed.error, parsed.finish_reason, parsed.text) == (None, "content_filter", said)
    else:
        assert parsed.error is not None
        assert (parsed.error.kind, parsed.status, parsed.error.reason) == (*expected, said)


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_response_that_is_not_there_yet_is_no_answer(status: str) -> None:
    with pytest.raises(BrokenReply, match=status) as broken:
        FORM.parse(json.dumps(responses_reply("Si", bill=BILL) | {"status": status}).encode(), KEY)
    assert broken.value.bill.usage.output_tokens == 44


@pytest.mark.parametrize(
    "data",
    [
        {"output": None},
        {"output": [None, 3, {"type": "message"}, {"type": "message", "content": [None, {"type": "output_text"}]}]},
        {"output": [{"type": "reasoning", "summary": [None, {"type": "summary_text", "text": 4}]}], "usage": [1]},
        {"output": [], "usage": {"input_tokens": -4, "output_tokens": 10**30, "output_tokens_details": 3}},
        {"error": "broken"},
        {"status": "cancelled"},
    ],
)
def test_nothing_that_a_server_sends_ends_a_run(data: dict[str, Any]) -> None:
    try:
        parsed = FORM.parse(json.dumps(data).encode(), KEY)
    except BrokenReply:
        return
    assert isinstance(parsed, Parsed)
    assert parsed.usage == Usage()
    assert parsed.text == ""


def test_a_key_that_is_repeated_is_taken_out() -> None:
    key = Secret("sk-canary-ABCDEFGHIJKLMNOP")
    reply = responses_reply(f"it is {key.reveal()}", thought=f"key {key.reveal()}")
    parsed = FORM.parse(json.dumps(reply | {"model": key.reveal()}).encode(), key)
    assert (parsed.text, parsed.thinking, parsed.model) == ("it is [key]", "key [key]", "[key]")
    assert parsed.note is not None


# ---------------------------------------------------------------- runs


def run(tmp_path: Path, server: Provider, model: str = "gpt-5", n: int = 3, **more: Any) -> Any:
    data = write_set(tmp_path / "set", n)
    return snellen.evaluate(
        "salbench",
        model=f"openai/{model}",
        data=data,
        base_url=server.url,
        out=tmp_path / "runs",
        api_key="sk-1",
        **more,
    )


def test_the_ledger_and_the_thoughts(tmp_path: Path) -> None:
    with Provider(answer="Size") as server:
        answers = list(run(tmp_path, server, price="1/10").folder.answers())
    for answer in answers:
        call = answer.calls[0]
        bill = server.bills[call.response_id or ""]
        assert (answer.text, answer.thinking, answer.finish_reason) == ("Size", THOUGHT, "stop")
        assert call.model_returned == "gpt-5-2025-08-07"
        assert call.provider == "service tier default"
        assert call.endpoint.endswith("/v1/responses")
        assert (call.request_id or "").startswith("req_")
        assert call.cost == pytest.approx((bill["input"] + 10 * bill["output"]) / 1e6)
        assert (call.usage.reasoning_tokens, call.usage.cached_tokens) == (30, 64)


def test_a_summary_that_is_refused_is_given_up_before_the_effort(tmp_path: Path) -> None:
    said = "Your organization must be verified to generate reasoning summaries."

    def unverified(request: dict[str, Any], _nth: int) -> Any:
        if "summary" in request.get("reasoning", {}):
            return 400, {}, error(said, "unsupported_value", param="reasoning.summary")
        return None

    with Provider(script=unverified) as server, pytest.warns(UserWarning, match="refused reasoning summary"):
        done = run(tmp_path, server, reasoning="low")
    assert server.requests[-1]["reasoning"] == {"effort": "low"}
    assert {a.calls[0].left_out for a in done.folder.answers()} == {("reasoning summary",)}
    assert done.manifest.subject.identity["applied"]["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize("named", [True, False])
def test_reasoning_that_is_refused_altogether(tmp_path: Path, named: bool) -> None:
    """Also where the error does not name the field but in its sentence."""

    def plain(request: dict[str, Any], _nth: int) -> Any:
        if "reasoning" not in request:
            return None
        return (
            400,
            {},
            error("Unknown parameter: 'reasoning'.", "unknown_parameter", param="reasoning" if named else None),
        )

    with Provider(script=plain) as server, pytest.warns(UserWarning, match="refused reasoning,"):
        done = run(tmp_path, server, model="gpt-4o", reasoning="high")
    assert "reasoning" not in server.requests[-1]
    assert {a.calls[0].left_out for a in done.folder.answers()} == {("reasoning summary", "reasoning")}


def test_logprobs_that_are_refused(tmp_path: Path) -> None:
    with Provider(refuses=("include", "top_logprobs")) as server, pytest.warns(UserWarning, match="refused logprobs"):
        run(tmp_path, server, logprobs=3)
    assert not {"include", "top_logprobs"} & server.requests[-1].keys()


def test_a_server_without_it_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = r"no /responses is asked with --model api/gpt-5 or openai-chat/gpt-5"
    for script in (
        lambda _r, _n: (404, {}, b'{"detail": "Not Found"}'),
        lambda _r, _n: (405, {}, b'{"detail": "Method Not Allowed"}'),
    ):
        with Provider(script=script) as server, pytest.raises(SnellenError, match=told):
            run(tmp_path / str(id(script)), server)
    with Provider(script=lambda _r, _n: (404, {}, b"404 page not found")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        data = write_set(tmp_path / "d", 2)
        with pytest.raises(SnellenError, match=told):
            snellen.evaluate("salbench", model="openai/gpt-5", data=data, out=tmp_path / "r", api_key="sk-1")
        server.script = lambda _r, _n: (404, {}, error("The model `gpt-5` does not exist", "model_not_found"))
        with pytest.raises(SnellenError, match="does not know the model 'gpt-5'") as caught:
            snellen.evaluate("salbench", model="openai/gpt-5", data=data, out=tmp_path / "r", api_key="sk-1")
        assert "/responses is asked" not in str(caught.value)


def test_a_flagged_prompt_is_a_refusal(tmp_path: Path) -> None:
    said = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
    with Provider(script=lambda _r, _n: (400, {}, error(said, "invalid_prompt"))) as server:
        with suppress(SnellenError):  # a run that is refused throughout may end with a word about it
            run(tmp_path, server)
        answers = list(snellen.open_run(next(p for p in (tmp_path / "runs").iterdir() if p.is_dir())).answers())
    assert len(answers) == 3
    assert all(a.refused and a.failure is None and a.text == said for a in answers)


def test_no_quota_stops_the_run_at_once(tmp_path: Path) -> None:
    with Provider(script=lambda _r, _n: QUOTA) as server:
        with pytest.raises(snellen.Stopped, match="asks for payment or quota"):
            run(tmp_path, server, n=6)
        assert len(server.requests) <= 6


# ---------------------------------------------------------------- where it is, and with which key


def test_the_variables_are_those_of_the_official_client(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "OPENAI_API_KEY": "sk-own",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_ORG_ID": "org-1",
        "OPENAI_PROJECT_ID": "proj-1",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    theirs = openai.OpenAI()
    for kind in ("openai", "openai-chat"):
        ours = remote(kind, "gpt-4o", Settings())
        assert ours.connection.url.startswith(str(theirs.base_url).rstrip("/"))
        assert ours.connection.key.reveal() == theirs.api_key
        assert ours.connection.headers["OpenAI-Organization"] == theirs.organization
        assert ours.connection.headers["OpenAI-Project"] == theirs.project


def test_the_variables_may_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        "OPENAI_API_KEY=sk-file-1",
        "export OPENAI_ORG_ID='org-2'",
        "OPENAI_BASE_URL=http://127.0.0.1:9/v1",
        'OTHER="unclosed',
    ]
    (tmp_path / ".env").write_text("\n".join(lines))
    ours = remote("openai", "gpt-4o", Settings())
    assert ours.connection.key.reveal() == "sk-file-1"
    assert ours.connection.headers["OpenAI-Organization"] == "org-2"
    assert ours.connection.url == "http://127.0.0.1:9/v1/responses"
    assert ours.about() == "the key for openai is the one in OPENAI_API_KEY in .env"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert remote("openai", "gpt-4o", Settings()).connection.key.reveal() == "sk-environment"


def test_a_key_from_a_file_is_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "sk-canary-in-a-file-0123456789"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here" / ".env").write_text(f"OPENAI_API_KEY={canary}\n")
    data = write_set(tmp_path / "set", 3)
    with Provider(script=lambda _r, nth: (500, {}, f"key {canary}".encode()) if nth == 1 else None) as server:
        snellen.evaluate("salbench", model="openai/gpt-4o", data=data, base_url=server.url, out=tmp_path / "runs")
        assert server.headers[0]["authorization"] == f"Bearer {canary}"
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name != ".env":
            assert canary.encode() not in file.read_bytes(), file


def test_the_address() -> None:
    assert base_address("openai", None) == "https://api.openai.com/v1"
    assert subject().connection.url == "https://api.openai.com/v1/responses"
