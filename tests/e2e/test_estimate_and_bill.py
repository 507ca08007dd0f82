"""A dry run's estimate and the bill of the run that follows, at a local endpoint that charges by the providers' rules: within 5 %.

All but the last test call Python: starting two commands for each case takes long.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support import billing
from tests.support.billing import Biller
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.made_sets import made

from snellen import exams
from snellen.core.options import Selection
from snellen.core.records import Totals
from snellen.engine.plan.estimate import Assumptions, estimate
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan

KEYS = {"OPENAI_API_KEY": "sk-abc123456", "OPENROUTER_API_KEY": "sk-abc123456"}
GPT_4O = (2.5, 10.0, 1.25)
SHORT = Assumptions(reply=4)
PROVIDERS: dict[str, tuple[billing.Count, tuple[float, float, float]]] = {
    "openai-chat/gpt-4o": (billing.openai_tiles(85, 170), GPT_4O),
    "openai-chat/gpt-4o-mini": (billing.openai_tiles(2833, 5667), (0.15, 0.6, 0.075)),
    "openai-chat/gpt-4.1-mini": (billing.openai_patches(1.62, 1536), (0.4, 1.6, 0.1)),
    "openai-chat/gpt-4.1-nano": (billing.openai_patches(2.46, 1536), (0.1, 0.4, 0.025)),
    "openrouter/anthropic/claude-opus-4.5": (billing.claude(1568, 1568), (5.0, 25.0, 0.5)),
    "openrouter/anthropic/claude-opus-4.7": (billing.claude(2576, 4784), (5.0, 25.0, 0.5)),
    "openrouter/google/gemini-2.5-flash": (billing.gemini_2, (0.3, 2.5, 0.03)),
    "openrouter/google/gemini-3-flash-preview": (billing.gemini_3, (0.5, 3.0, 0.05)),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))


def said_and_billed(
    tmp_path: Path, model: str, exam: str, biller: Biller, assumed: Assumptions = SHORT, **more: Any
) -> tuple[dict[str, Any], Totals]:
    """What is estimated, and the totals of the run after it."""
    data = made(exam, tmp_path / exam, count=12 if exam == "salbench" else 6, seed=1)
    shots, prompt = more.pop("shots", 0), more.pop("prompt", None)
    with Endpoint(script=biller) as endpoint:
        options = {"base_url": endpoint.url, **more}
        request = RunRequest(exam, model, data, prompt=prompt, selection=Selection(shots=shots), options=options)
        said = estimate(make_plan(request, offline=True), exams.load(exam).max_tokens, assumed)
        assert not endpoint.requests
        run = run_plan(make_plan(request._replace(out=tmp_path / "runs"))).run
    return said, run.summary.totals


@pytest.mark.parametrize(("model", "exam"), list(zip(PROVIDERS, 4 * ("grounding", "salbench"), strict=True)))
def test_they_agree_within_five_percent(tmp_path: Path, model: str, exam: str) -> None:
    biller = Biller(*PROVIDERS[model])
    more = {"reasoning": "none"} if "gemini" in model else {}  # they think unasked, and this endpoint does not
    said, totals = said_and_billed(tmp_path, model, exam, biller, **more)
    assert said["calls"] == len(biller.bills)
    assert totals.cost == pytest.approx(biller.bill, abs=1e-9)
    assert said["money_usd"] == pytest.approx(biller.bill, rel=0.05)
    assert biller.bill <= said["money_usd_at_most"]
    assert "as of 2026-08-08" in said["price"]


@pytest.mark.parametrize(
    ("exam", "more"),
    [
        ("salbench", {"shots": 3}),
        ("vqax", {"prompt": "3shot-images"}),
        ("d3", {}),
        ("illusionbench", {}),
    ],
)
def test_with_examples_and_several_pictures_too(tmp_path: Path, exam: str, more: dict[str, Any]) -> None:
    biller = Biller(*PROVIDERS["openai-chat/gpt-4o"], answer="cat")
    said, totals = said_and_billed(tmp_path, "openai-chat/gpt-4o", exam, biller, **more)
    assert totals.cost == pytest.approx(biller.bill, abs=1e-9)
    assert said["money_usd"] == pytest.approx(biller.bill, rel=0.05)


def test_low_detail_is_estimated_as_such(tmp_path: Path) -> None:
    biller = Biller(lambda _width, _height: 85, GPT_4O)
    said, totals = said_and_billed(tmp_path, "openai-chat/gpt-4o", "grounding", biller, detail="low")
    assert said["money_usd"] == pytest.approx(biller.bill, rel=0.05)
    assert totals.input_tokens == sum(inside for inside, _output in biller.tokens)


def test_thinking_is_part_of_both(tmp_path: Path) -> None:
    biller = Biller(billing.openai_patches(1.2, 1536), (0.25, 2.0, 0.025), thinking=300)
    assumed = Assumptions(reply=4, thinking=300)
    said, totals = said_and_billed(tmp_path, "openai-chat/gpt-5-mini", "salbench", biller, assumed, reasoning="low")
    assert said["money_usd"] == pytest.approx(biller.bill, rel=0.05)
    assert said["thinking_tokens"] == 300 * said["calls"]
    assert "300 of thinking, of 2048" in said["tokens_assume"]
    assert totals.cost == pytest.approx(biller.bill, abs=1e-9)
    assert totals.reasoning_tokens == pytest.approx(300 * len(biller.bills), rel=0.01)
    assert biller.bill < said["money_usd_at_most"]


def test_a_cache_makes_the_bill_lower_than_the_estimate_never_higher(tmp_path: Path) -> None:
    biller = Biller(*PROVIDERS["openai-chat/gpt-4o"], cached=2)
    said, totals = said_and_billed(tmp_path, "openai-chat/gpt-4o", "salbench", biller, shots=3)
    assert totals.cached_tokens > 0
    assert totals.cost == pytest.approx(biller.bill, abs=1e-9)
    assert biller.bill < said["money_usd"] <= 1.2 * biller.bill


def test_a_price_file_is_what_both_count_with(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[api."own-eyes"]\ninput = 1.0\noutput = 3\ncached = 0.5\nvalid = 2026-11-01\n')
    biller = Biller(lambda width, height: -(-width * height // 750), (1.0, 3.0, 0.5), cached=3)
    said, totals = said_and_billed(tmp_path, "api/own-eyes", "salbench", biller, price=str(prices))
    assert said["price"] == "1 / 3 USD per million tokens (--price prices.toml, as of 2026-11-01)"
    assert "estimated as a token for 750 pixels" in said["pictures"]
    assert totals.cost == pytest.approx(biller.bill, abs=1e-9)
    assert biller.bill < said["money_usd"] < 1.1 * biller.bill


def test_the_two_commands_agree(tmp_path: Path) -> None:
    model, exam = "openai-chat/gpt-4.1-mini", "salbench"
    biller = Biller(*PROVIDERS[model])
    made(exam, tmp_path / "set", count=12, seed=1)
    with Endpoint(script=biller) as endpoint:
        common = (exam, "--data", tmp_path / "set", "--model", model, "--base-url", endpoint.url)
        said = snellen("run", *common, "--dry-run", "--output-tokens", 4, "--json", cache=tmp_path / "cache", **KEYS)
        assert said.returncode == 0, said.stderr
        assert not endpoint.requests
        done = snellen("run", *common, "--out", tmp_path / "runs", "--json", cache=tmp_path / "cache", **KEYS)
        assert done.returncode == 0, done.stderr
    cost = json.loads(done.stdout)["totals"]["cost"]
    assert cost == pytest.approx(biller.bill, abs=1e-9)
    assert json.loads(said.stdout)["runs"][0]["money_usd"] == pytest.approx(cost, rel=0.05)
