"""Every reply that was paid for is counted, also one that could not be read, that refused, only thought, or was an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.remote import remote
from tests.support.sets import write_set

import snellen
from snellen.core.records import REFUSED
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Price
from snellen.core.types import Usage
from snellen.subjects.remote.settings import Settings

USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 90},
}
COST = (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6  # gpt-4o's price, with cached input


def gpt_4o() -> Any:
    return remote("openai-chat", "gpt-4o", Settings(key=Secret("sk-abc123456")))


def body(**fields: Any) -> bytes:
    return json.dumps({"id": "r", "model": "gpt-4o", "usage": USAGE, **fields}).encode()


def choice(**message: Any) -> list[dict[str, Any]]:
    return [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]


@pytest.mark.parametrize("fields", [{}, {"choices": []}, {"choices": [{"text": "Color"}]}, {"choices": "none"}])
def test_a_reply_that_cannot_be_read_is_billed(fields: dict[str, Any]) -> None:
    with pytest.raises(BrokenReply) as broken:
        gpt_4o().parse(body(**fields))
    assert broken.value.bill.cost == pytest.approx(COST)


@pytest.mark.parametrize(
    ("message", "refused"),
    [
        ({"content": None, "refusal": "I cannot help with that."}, True),
        ({"content": None, "reasoning_content": "Let me see, the colours"}, False),
        ({"content": "Color"}, False),
    ],
)
def test_a_refusal_and_a_mere_thought_are_billed(message: dict[str, Any], refused: bool) -> None:
    parsed = gpt_4o().parse(body(choices=choice(**message)))
    assert parsed.refused is refused
    assert parsed.cost == pytest.approx(COST)
    assert (parsed.usage.cached_tokens, parsed.usage.reasoning_tokens) == (400, 90)


def test_an_error_inside_a_good_response_is_billed() -> None:
    parsed = gpt_4o().parse(body(error={"message": "upstream failed", "code": 502}))
    assert parsed.error is not None
    assert parsed.cost == pytest.approx(COST)


@pytest.mark.parametrize(
    "said",
    [
        {"usage": {"prompt_tokens": 1000, "completion_tokens": 100}},
        {"usage": {"input_tokens": 1000, "output_tokens": 100}},
        {"error": {"message": "failed", "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}},
        {"response": {"usage": {"input_tokens": 1000, "output_tokens": 100}}},
        {"usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 20, "thoughtsTokenCount": 80}},
    ],
)
@pytest.mark.parametrize("status", [500, 400])
def test_an_error_with_usage_is_billed_whoever_counts(said: dict[str, Any], status: int) -> None:
    parsed = gpt_4o().explain(status, json.dumps(said).encode())
    assert parsed.error is not None
    assert parsed.cost == pytest.approx((1000 * 2.5 + 100 * 10) / 1e6)


def test_anthropics_cached_input_counts_beside_its_input() -> None:
    said = {"usage": {"input_tokens": 100, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 100, "output_tokens": 0}}  # fmt: skip
    parsed = gpt_4o().explain(500, json.dumps(said).encode())
    assert parsed.usage == Usage(input_tokens=1000, output_tokens=0, cached_tokens=800, cache_write_tokens=100)
    assert parsed.cost == pytest.approx((200 * 2.5 + 800 * 1.25) / 1e6)


def test_a_filter_costs_nothing_unless_it_says_so() -> None:
    error = {"error": {"code": "content_filter", "message": "filtered"}}
    free = gpt_4o().explain(400, json.dumps(error).encode())
    assert (free.refused, free.cost, free.cost_source) == (True, 0.0, REFUSED)
    billed = gpt_4o().explain(400, json.dumps({**error, "usage": USAGE}).encode())
    assert billed.refused
    assert billed.cost == pytest.approx(COST), "as of a reply with this usage"


def test_above_the_longest_input_of_a_price_the_cost_is_unknown() -> None:
    price = Price(1.0, 2.0, "x", cache_write=1.25, up_to=1000)
    assert price.bill(Usage(input_tokens=1000, output_tokens=0)) == pytest.approx(0.001)
    assert price.bill(Usage(input_tokens=1001, output_tokens=0)) is None
    assert price.at_most(1001, 0) is None
    assert price.at_most(1000, 100) == pytest.approx((1250 + 200) / 1e6)


def test_a_batch_costs_its_share_and_nothing_is_guessed() -> None:
    usage = Usage(input_tokens=1000, output_tokens=100)
    assert Price(1.0, 2.0, "x", batch=0.5).bill(usage, in_batch=True) == pytest.approx(0.0006)
    assert Price(1.0, 2.0, "x").bill(usage, in_batch=True) is None


def test_a_run_adds_up_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question is first answered by something unusable that was paid for, then by an error with usage, then well."""
    paid = {"usage": {"prompt_tokens": 500, "completion_tokens": 10}}

    def script(_request: dict[str, Any], times: int) -> tuple[int, dict[str, str], bytes]:
        if times == 1:
            return 200, {}, json.dumps({"choices": [], **paid}).encode()
        if times == 2:
            return 500, {"retry-after": "0"}, json.dumps({"error": {"message": "busy"}, **paid}).encode()
        return 200, {}, json.dumps({**completion("Color"), **paid}).encode()

    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("snellen.engine.call.caller.wait_before", lambda *_a: 0.0)
    data = write_set(tmp_path / "set", 4)
    with Endpoint(script=script) as endpoint:
        run = snellen.evaluate(
            "salbench", model="api/fake", data=data, base_url=endpoint.url, out=tmp_path / "runs", price="2/4"
        )  # fmt: skip
        asked = len(endpoint.requests)
    assert asked == 12
    assert run.summary.totals.cost == pytest.approx(asked * (500 * 2 + 10 * 4) / 1e6)
