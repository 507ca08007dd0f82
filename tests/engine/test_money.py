"""What a run pays: every try that may have been billed counts, and what cannot be counted is noticed before it is paid."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, Faults, completion
from tests.support.remote import remote
from tests.support.sets import write_set

import snellen
from snellen.core.errors import SnellenError, Stopped
from snellen.core.secret import Secret
from snellen.core.subject import Parsed, Price
from snellen.core.types import Failure, Question, Text, Usage
from snellen.engine.call import retry
from snellen.engine.call.caller import failure_cost
from snellen.engine.call.retry import worth_retrying
from snellen.engine.probe_records.kept import warnings_for
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.run import Run
from snellen.subjects.remote import reading
from snellen.subjects.remote.settings import Settings

PRICE = 0.003


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(retry, "FIRST_WAIT", 0.0)
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))


def _evaluate(endpoint: Endpoint, tmp_path: Path, **more: Any) -> Run:
    given: dict[str, Any] = {
        "model": "api/fake",
        "base_url": endpoint.url,
        "data": tmp_path / "d",
        "out": tmp_path / "runs",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return snellen.evaluate("salbench", **(given | more))


def _run(tmp_path: Path) -> Run:
    return Run(next((tmp_path / "runs").glob("salbench_*")))


def test_a_kept_connection_that_drops_after_billing_counts_for_the_cap(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 80)
    with Endpoint(cost=PRICE, faults=Faults(drop=0.5)) as endpoint:
        with pytest.raises(Stopped, match="--max-cost"):
            _evaluate(endpoint, tmp_path, max_cost=0.1)
        billed = sum(endpoint.asked.values())
    totals = _run(tmp_path).summary.totals
    assert billed * PRICE <= 0.1
    assert round(totals.cost / PRICE) + totals.unsure == billed


def test_a_reply_that_counts_no_tokens_is_not_free(tmp_path: Path) -> None:
    def uncounted(_request: Any, _times: int) -> Any:
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        return 200, {}, json.dumps(completion("Color") | {"usage": usage}).encode()

    write_set(tmp_path / "d", 40)
    with Endpoint(script=uncounted) as endpoint:
        with pytest.raises(Stopped, match="--max-cost"):
            _evaluate(endpoint, tmp_path, price="1000/1000", max_cost=10)
        assert 0 < len(endpoint.requests) < 40
    totals = _run(tmp_path).summary.totals
    assert totals.cost_unknown == totals.calls == len(endpoint.requests)


TIMED_OUT = {"message": "the provider timed out", "code": 504}
PARTLY = {"message": {"role": "assistant", "content": "Col"}, "finish_reason": "error", "error": TIMED_OUT}
THOUGHT = {"message": {"role": "assistant", "content": None, "reasoning": "Hm"}, "finish_reason": "error"}
UNCOUNTED = {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0}


@pytest.mark.parametrize(
    "failed",
    [
        (504, {}, b"<html>gateway time-out</html>"),
        (200, {}, json.dumps({"error": TIMED_OUT}).encode()),
        (200, {}, json.dumps({"choices": [PARTLY]}).encode()),
        (200, {}, json.dumps({"error": TIMED_OUT | {"code": "504"}}).encode()),
        (200, {}, json.dumps({"error": TIMED_OUT, "usage": UNCOUNTED}).encode()),
        (200, {}, json.dumps({"error": "Gateway Time-out"}).encode()),
        (200, {}, json.dumps({"choices": [THOUGHT]}).encode()),
        (500, {}, json.dumps({"error": TIMED_OUT}).encode()),
        (503, {}, json.dumps({"error": {"message": "late", "type": "timeout_error"}}).encode()),
    ],
    ids=[
        "status 504",
        "504 within 200",
        "504 after some text",
        "504 as text",
        "504 with a bill of zeros",
        "in words",
        "after a thought",
        "504 within 500",
        "timeout_error within 503",
    ],
)
def test_a_gateway_that_waits_no_longer_may_have_billed(failed: Any, tmp_path: Path) -> None:
    """Behind a 504 the answer was made and paid: it counts for the cap like a dropped connection."""
    billed = 0

    def late(_request: Any, times: int) -> Any:
        nonlocal billed
        billed += 1
        usage = {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101, "cost": PRICE}
        good = 200, {}, json.dumps(completion("Color") | {"usage": usage}).encode()
        return good if not times % 2 else failed

    write_set(tmp_path / "d", 80)
    with Endpoint(script=late) as endpoint, pytest.raises(Stopped, match="--max-cost"):
        _evaluate(endpoint, tmp_path, max_cost=0.1, concurrency=1)
    assert billed * PRICE <= 0.1 + PRICE
    assert _run(tmp_path).summary.totals.unsure > 0


@pytest.mark.parametrize("kind", ["api", "openrouter", "openai", "anthropic", "gemini", "ollama"])
def test_an_error_inside_a_good_response_may_have_cost_something(kind: str) -> None:
    endpoint = remote(
        kind,
        "m",
        Settings(base_url="http://127.0.0.1:9/v1", key=Secret("sk-abc123456"), price=Price(3.0, 15.0, "--price")),
    )
    for code in (504, "504", "timeout", "DEADLINE_EXCEEDED"):
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "input_tokens": 0, "output_tokens": 0}
        parsed = endpoint.parse(json.dumps({"error": {"message": "late", "code": code}, "usage": usage}).encode())
        assert parsed.status is not None and worth_retrying(parsed.status)
        assert failure_cost(200, parsed) is None
    assert failure_cost(200, Parsed(error=Failure(kind="endpoint", reason="slow down"), status=429)) == 0.0


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        ({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0}, None, None),
        ({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0}, Price(3.0, 15.0, "--price"), None),
        ({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.5}, None, 0.5),
        ({"prompt_tokens": 1000, "completion_tokens": 0, "cost": 0}, None, None),  # yet the reply has text
        ({"prompt_tokens": 1000, "completion_tokens": 10, "cost": 0}, None, 0.0),
        (  # a part is not more than the whole
            {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 900}},
            Price(3.0, 15.0, "--price", cached=0.3),
            None,
        ),
        ({"prompt_tokens": 1000, "completion_tokens": 10, "cost": 0}, Price(3.0, 15.0, "--price"), 0.00315),
        ({"prompt_tokens": 1000, "completion_tokens": 0, "cost": 0.5}, Price(3.0, 15.0, "--price"), 0.5),
    ],
)
def test_a_cost_of_zero_counts_with_tokens_and_without_a_given_price(
    usage: dict[str, Any], price: Price | None, cost: float | None
) -> None:
    endpoint = remote(
        "openrouter", "m", Settings(base_url="http://127.0.0.1:9/v1", key=Secret("sk-abc123456"), price=price)
    )
    parsed = endpoint.parse(json.dumps(completion("Color") | {"usage": usage}).encode())
    assert parsed.cost == (None if cost is None else pytest.approx(cost))


def test_any_good_status_has_a_reply(tmp_path: Path) -> None:
    write_set(tmp_path / "d", 3)
    with Endpoint(script=lambda _request, _times: (201, {}, json.dumps(completion("Color")).encode())) as endpoint:
        assert _evaluate(endpoint, tmp_path).summary.totals.calls == 3


@pytest.mark.parametrize(
    ("said", "cost"),
    [
        ({"cost": 0.5}, 0.5),
        ({"cost": 0.5, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.02}}, 0.5),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.02}}, 0.02),
        ({"cost": 0, "is_byok": True}, None),
    ],
)
def test_with_ones_own_key_at_openrouter_the_providers_share_counts(said: dict[str, Any], cost: float | None) -> None:
    assert reading.cost_of(said) == cost


def test_a_refusal_in_words_is_not_free() -> None:
    subject = remote(
        "api",
        "m",
        Settings(base_url="http://127.0.0.1:9/v1", key=Secret("sk-abc123456"), price=Price(1000.0, 1000.0, "test")),
    )
    body = completion("") | {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I will not."}
    parsed = subject.parse(json.dumps(body).encode())
    assert parsed.refused
    assert parsed.cost is None


def test_a_usage_without_output_tokens_is_no_bill() -> None:
    price = Price(0.0, 10.0, "test")
    assert price.bill(Usage(input_tokens=1000)) is None
    assert price.bill(Usage(input_tokens=1000, output_tokens=2)) == pytest.approx(2e-5)


@pytest.mark.parametrize("model", ["openai/new", "openai-chat/new", "anthropic/new", "gemini/new", "azure/new"])
def test_a_missing_price_is_noticed_before_the_first_call(model: str, tmp_path: Path) -> None:
    write_set(tmp_path / "d", 2)
    with Endpoint() as endpoint:
        with pytest.raises(SnellenError, match=rf"price of {model} is not known. Give --price") as refused:
            _evaluate(endpoint, tmp_path, max_cost=1, model=model, api_key="sk-test-0123456789abcdef")
        assert (refused.value.exit_code, endpoint.requests) == (2, [])
        kind, _, name = model.partition("/")
        subject = remote(kind, name, Settings(base_url=endpoint.url, key=Secret("sk-test-0123456789abcdef")))
        assert "is not known" in warnings_for(subject)[0]


NO_MMPROJ = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
UNKNOWN = "/chat/completions: Invalid model name passed in model=fake. Call `/v1/models` to view available models for your key."


@pytest.mark.parametrize(
    ("status", "message", "kind", "said"),
    [
        (500, NO_MMPROJ, "server_error", "takes no images with the model 'fake'"),  # llama.cpp
        (400, "meta/x is not a multimodal model", "BadRequestError", "takes no images"),  # vLLM
        (404, "No endpoints found that support image input", "", "takes no images"),  # OpenRouter
        (400, UNKNOWN, "invalid_request_error", "does not know the model 'fake'"),  # LiteLLM
        (400, "No connected db.", "no_db_connection", "refused the key"),  # LiteLLM without a database, wrong key
        (400, "Invalid model: fake", "invalid_model", "does not know the model"),  # Mistral
        (400, "The requested model 'fake' does not exist.", "", "does not know the model"),
        (400, "API key not valid. Please pass a valid API key.", "", "refused the key"),  # Gemini's chat format
        (400, "Incorrect API key provided: sk***ef.", "", "refused the key"),  # xAI
    ],
)
def test_what_no_call_can_mend_is_asked_once(status: int, message: str, kind: str, said: str, tmp_path: Path) -> None:
    body = {"error": {"message": message, "type": kind, "param": None, "code": str(status)}}
    write_set(tmp_path / "d", 18)
    with Endpoint(script=lambda _request, _times: (status, {}, json.dumps(body).encode())) as endpoint:
        with pytest.raises(SnellenError, match=said) as stopped:
            _evaluate(endpoint, tmp_path, concurrency=1)
        assert (stopped.value.exit_code, len(endpoint.requests)) == (2, 1)
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize(
    "message",
    ["This model does not support images larger than 5 MB", "Unsupported image format: image/tiff is not supported"],
)
def test_a_picture_that_is_refused_is_not_a_model_without_eyes(message: str) -> None:
    subject = remote("api", "m", Settings(base_url="http://127.0.0.1:9/v1"))
    error = subject.explain(400, json.dumps({"error": {"message": message}}).encode()).error
    assert error.kind == "bad-request"


@pytest.mark.parametrize("extra", [{"max_completion_tokens": 50_000}, {"n": 50}, {"max_tokens": 5000, "n": 10}])
def test_what_extra_asks_for_is_budgeted(extra: dict[str, Any]) -> None:
    question = Question(id="x", exam="own", prompt="question", parts=(Text(text="Which?"),))
    settings = Settings(
        base_url="http://127.0.0.1:9/v1", key=Secret("sk-abc123456"), price=Price(0.0, 1.0, "--price"), max_tokens=1000
    )
    assert remote("openai-chat", "m", settings).prepare(question).cost_bound == pytest.approx(0.001)
    longer = remote("openai-chat", "m", settings._replace(extra=extra))
    assert longer.prepare(question).cost_bound == pytest.approx(0.05)


@pytest.mark.parametrize("extra", [{"max_completion_tokens": None}, {"max_tokens": 50_000.0}])
def test_a_reply_without_a_whole_number_as_its_end_has_no_bound(extra: dict[str, Any]) -> None:
    question = Question(id="x", exam="own", prompt="question", parts=(Text(text="Which?"),))
    settings = Settings(base_url="http://127.0.0.1:9/v1", key=Secret("sk-abc123456"), price=Price(0.0, 1.0, "--price"))
    assert remote("openai-chat", "m", settings._replace(extra=extra)).prepare(question).cost_bound is None


@pytest.mark.parametrize(
    ("model", "extra", "known"),
    [
        ("openai/gpt-4o-mini", {}, True),
        ("openai/gpt-4o-mini", {"service_tier": "default"}, True),
        ("openai/gpt-4o-mini", {"service_tier": "priority"}, False),
        ("gemini/gemini-2.5-flash", {"serviceTier": "priority"}, False),
        ("anthropic/claude-opus-4-6", {"service_tier": "standard_only", "inference_geo": "global"}, True),
        ("anthropic/claude-opus-4-6", {"speed": "fast"}, False),
        ("anthropic/claude-opus-4-6", {"inference_geo": "us"}, False),
    ],
)
def test_the_price_table_is_of_the_listed_tier(model: str, extra: dict[str, Any], known: bool) -> None:
    kind, _, name = model.partition("/")
    settings = Settings(key=Secret("sk-abc123456"), extra=extra)
    assert (remote(kind, name, settings).price is not None) is known
    assert remote(kind, name, settings._replace(price=Price(1.0, 1.0, "--price"))).price is not None


def _response(**more: Any) -> dict[str, Any]:
    output = [{"type": "message", "content": [{"type": "output_text", "text": "A"}]}]
    return {"status": "completed", "output": output, "usage": {"input_tokens": 100, "output_tokens": 1}, **more}


def _message(**usage: Any) -> dict[str, Any]:
    said = {"content": [{"type": "text", "text": "A"}], "stop_reason": "end_turn"}
    return said | {"usage": {"input_tokens": 100, "output_tokens": 1, **usage}}


def _content(**usage: Any) -> dict[str, Any]:
    said = {"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}
    return {"candidates": [said], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 1, **usage}}


OPENAI, CHAT, CLAUDE, GEMINI = (
    "openai/gpt-4o-mini", "openai-chat/gpt-4o", "anthropic/claude-opus-4-6", "gemini/gemini-2.5-flash"
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "body", "known"),
    [
        (OPENAI, _response(service_tier="default"), True),
        (OPENAI, _response(service_tier="priority"), False),
        (CHAT, completion("A") | {"service_tier": "default"}, True),
        (CHAT, completion("A") | {"service_tier": "priority"}, False),
        (CLAUDE, _message(service_tier="standard", inference_geo="global"), True),
        (CLAUDE, _message(service_tier="standard", inference_geo="not_available"), True),
        (CLAUDE, _message(service_tier="priority"), False),
        (CLAUDE, _message(service_tier="standard", speed="fast"), False),
        (CLAUDE, _message(speed="fast"), False),
        (CLAUDE, _message(service_tier="standard", inference_geo="us"), False),
        (GEMINI, _content(serviceTier="standard"), True),
        (GEMINI, _content(serviceTier="SERVICE_TIER_PRIORITY"), False),
    ],
)
def test_a_reply_from_another_tier_has_unknown_cost(model: str, body: dict[str, Any], known: bool) -> None:
    kind, _, name = model.partition("/")
    settings = Settings(key=Secret("sk-abc123456"))
    reply = json.dumps(body).encode()
    assert (remote(kind, name, settings).parse(reply).cost is not None) is known
    assert remote(kind, name, settings._replace(price=Price(1.0, 1.0, "--price"))).parse(reply).cost is not None


def test_under_a_cap_a_reply_from_another_tier_ends_the_run(tmp_path: Path) -> None:
    """No price bounds it; only a price that the user gives lets the run go on."""

    def dear(_request: Any, _times: int) -> Any:
        return 200, {}, json.dumps(completion("Color") | {"service_tier": "priority"}).encode()

    write_set(tmp_path / "d", 40)
    given: dict[str, Any] = {"model": "openai-chat/gpt-4o", "api_key": "sk-test-0123456789abcdef", "max_cost": 1}
    with Endpoint(script=dear) as endpoint:
        for _again in range(3):
            with pytest.raises(SnellenError, match=r"service tier that answered.*give --price"):
                _evaluate(endpoint, tmp_path, **given)
            assert len(endpoint.requests) == 1
        totals = RunFolder(next((tmp_path / "runs").glob("salbench_*"))).scan().totals
        assert (totals.unpriced, totals.unbounded, totals.unknown_at_most) == (1, 1, 0)
        assert _evaluate(endpoint, tmp_path, price="5/20", **given).summary.totals.cost_unknown == 1
        assert len(endpoint.requests) == 40


def test_a_bound_is_not_told_as_spent(tmp_path: Path) -> None:
    def untold(_request: Any, _times: int) -> Any:
        return 200, {}, json.dumps(completion("Color") | {"usage": None}).encode()

    write_set(tmp_path / "d", 40)
    with (
        Endpoint(script=untold) as endpoint,
        pytest.raises(Stopped, match=r"reached: 0 USD spent, up to [\d.]+ USD for tries of unknown cost, and the next"),
    ):
        _evaluate(endpoint, tmp_path, price="1000/1000", max_cost=10)
