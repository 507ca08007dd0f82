"""The cap on money, and the canary: a key that must not appear anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, Faults
from tests.support.sets import write_set

PRICE = 0.003


@pytest.mark.parametrize("concurrency", ["auto", "1", "32"])
@pytest.mark.parametrize("model", ["api/fake", "openrouter/openai/gpt-4o"])
def test_the_cap_stops_within_one_calls_price_and_a_higher_cap_finishes(
    tmp_path: Path, concurrency: str, model: str
) -> None:
    data = write_set(tmp_path / "set", 80)
    out, cap = tmp_path / "runs", 0.1
    with Endpoint(cost=PRICE, delay=0.01) as endpoint:

        def run(max_cost: float) -> Any:
            return snellen(
                "run", "salbench", "--data", data, "--model", model, "--base-url", endpoint.url, "--out", out,
                "--concurrency", concurrency, "--max-cost", max_cost, cache=tmp_path / "cache", OPENROUTER_API_KEY="sk-abc123",
            )  # fmt: skip

        first = run(cap)
        assert first.returncode == 3, first.stderr
        assert "--max-cost 0.1 USD reached" in first.stderr
        spent = PRICE * sum(endpoint.answered.values())
        assert cap - PRICE < spent <= cap
        totals = json.loads(next(out.glob("*/summary.json")).read_text())["totals"]
        assert totals["cost"] == pytest.approx(spent)
        assert "INCOMPLETE" in first.stdout
        again = run(cap)
        assert again.returncode == 3
        assert PRICE * sum(endpoint.answered.values()) == pytest.approx(spent)
        last = run(1.0)
        assert last.returncode == 0, last.stderr
        assert sum(endpoint.answered.values()) == 80


def test_a_cap_without_a_price_is_refused(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 5)
    with Endpoint() as endpoint:
        done = snellen(
            "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", tmp_path / "runs",
            "--max-cost", 1, cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 2
        assert "give --price IN/OUT" in done.stderr
        assert len(endpoint.requests) == 1


CANARY = "sk-canary-0123456789abcdef"


@pytest.mark.parametrize("given", ["environment", "option"])
def test_a_canary_key_is_nowhere(tmp_path: Path, given: str) -> None:
    data = write_set(tmp_path / "set", 40)
    out = tmp_path / "runs"

    def echo(_request: Any, times: int) -> Any:
        """A server that repeats the key in its errors, as some do."""
        if times == 1:
            return 500, {}, f"upstream said: Authorization: Bearer {CANARY}".encode()
        if times == 2:
            return 200, {}, json.dumps({"error": {"code": 503, "message": f"bad {CANARY}"}}).encode()
        return None

    said = ""
    more: dict[str, str] = {"SNELLEN_API_KEY": CANARY} if given == "environment" else {}
    extra = ["--api-key", CANARY] if given == "option" else []
    with Endpoint(script=echo, faults=Faults(drop=0.1, garble=0.1)) as endpoint:
        for tries in (1, 2, 6):
            done = snellen(
                "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", out,
                "--tries", tries, "-v", *extra, cache=tmp_path / "cache", **more,
            )  # fmt: skip
            said += done.stdout + done.stderr
        assert endpoint.headers[0]["authorization"] == f"Bearer {CANARY}"
        endpoint.script = lambda _r, _t: (401, {}, f"wrong key {CANARY}".encode())
        fresh = snellen(
            "run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", out, "--fresh",
            *extra, cache=tmp_path / "cache", **more,
        )  # fmt: skip
        assert fresh.returncode == 2
        said += fresh.stdout + fresh.stderr
    runs = [p for p in out.iterdir() if (p / "summary.json").exists()]
    page = snellen("report", *runs, "--out", tmp_path / "page.html", cache=tmp_path / "cache", **more)
    doctor = snellen("doctor", cache=tmp_path / "cache", **more)
    said += page.stdout + page.stderr + doctor.stdout + doctor.stderr
    assert (tmp_path / "page.html").exists(), page.stderr
    assert "[key]" in said
    assert CANARY not in said
    for file in tmp_path.rglob("*"):
        if file.is_file() and "set" not in file.relative_to(tmp_path).parts:
            assert CANARY.encode() not in file.read_bytes(), file
