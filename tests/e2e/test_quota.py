"""No quota, no credit: one try says so, and the run stops with everything kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

OPENAI = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
OPENROUTER = {"error": {"code": 402, "message": "This request requires more credits, or fewer max_tokens."}}
ANTHROPIC = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    },
}


@pytest.mark.parametrize(
    ("status", "said"),
    [(429, OPENAI), (200, OPENAI), (402, OPENROUTER), (200, OPENROUTER), (400, ANTHROPIC)],
    ids=["openai", "openai in a 200", "openrouter", "openrouter in a 200", "anthropic"],
)
def test_the_first_no_ends_the_run(tmp_path: Path, status: int, said: dict[str, Any]) -> None:
    data = write_set(tmp_path / "set", 6)
    with Endpoint(script=lambda _request, _times: (status, {}, json.dumps(said).encode())) as endpoint:
        done = snellen(
            "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", tmp_path / "runs",
            "--concurrency", 1, cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 3, done.stderr
        assert len(endpoint.requests) == 1
    assert "asks for payment or quota" in done.stderr
    assert said["error"]["message"][:30] in done.stderr
    assert "run the same command" in done.stderr


def test_of_calls_in_flight_none_is_tried_again_and_credit_lets_the_run_go_on(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 12)
    with Endpoint() as endpoint:

        def run() -> Any:
            return snellen(
                "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", tmp_path / "runs",
                cache=tmp_path / "cache",
            )  # fmt: skip

        endpoint.script = lambda _request, _times: (
            (429, {}, json.dumps(OPENAI).encode()) if len(endpoint.answered) >= 4 else None
        )
        first = run()
        assert first.returncode == 3, first.stderr
        assert max(endpoint.asked.values()) == 1
        assert sum(endpoint.answered.values()) == 4
        endpoint.script = None
        last = run()
        assert last.returncode == 0, last.stderr
        assert sum(endpoint.answered.values()) == 12


def test_a_rate_limit_is_no_missing_credit(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 3)
    slow = json.dumps({"error": {"message": "Rate limit reached for requests", "code": "rate_limit_exceeded"}}).encode()
    with Endpoint(script=lambda _request, times: (429, {"retry-after": "0"}, slow) if times < 3 else None) as endpoint:
        done = snellen(
            "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", tmp_path / "runs",
            cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert set(endpoint.asked.values()) == {3}
