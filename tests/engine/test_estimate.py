"""Estimates of methods: the model behind a method is what costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snellen import exams
from snellen.cli.options import given_values
from snellen.cli.run_command import command as run_command
from snellen.cli.run_command import request_of
from snellen.core.extras import maker_of
from snellen.engine.plan.estimate import Assumptions, estimate
from snellen.engine.plan.plan import make_plan
from snellen.exams.grounding.exam import EXAM as BENCHMARK


@pytest.mark.parametrize(
    ("words", "looks"),
    [
        ((), 1),
        (("--method", "vlm+narrow", "--method-option", "format=gpt"), 3),
        (("--method", "uitars-fixed", "--method-option", "sizes=200,300"), 3),
        (("--method", "vlm+screenseeker"), 40),
        (("--method", "oracle/vlm-fixed"), 4),
    ],
)
def test_estimate_of_a_method_counts_the_model_behind_it(tmp_path: Path, words: tuple[str, ...], looks: int) -> None:
    plan = _grounding_plan(tmp_path, words)
    found = estimate(plan, 512)
    assert found["calls"] == looks * len(plan.data)
    assert found["input_tokens"] > found["calls"] * 765  # the picture, and the method's own words
    assert found["money_usd"] == pytest.approx(found["input_tokens"] * 2.5e-6 + found["output_tokens"] * 1e-5)
    assert found["output_tokens"] == found["calls"] * BENCHMARK.reply_tokens


def test_estimate_never_calls_a_paid_planner_free(tmp_path: Path) -> None:
    two = _grounding_plan(tmp_path, ("--method", "vlm+screenseeker", "--planner", "openai/gpt-4o-mini"))
    found = estimate(two, 512)
    assert found["money_usd"] == "unknown"
    assert "gpt-4o-mini" in found["note"]
    free = _grounding_plan(tmp_path, ("--method", "center"), model=())
    assert estimate(free, 512)["money_usd"] == 0.0


def test_replies_are_as_long_as_the_exam_wants_them() -> None:
    lengths = {name: exams.load(name).reply_tokens for name in exams.names()}
    assert lengths["d3"] >= 100
    assert lengths["vqax"] >= 30
    assert lengths["salbench"] == 8


def test_price_rule_and_assumptions_are_told(tmp_path: Path) -> None:
    found = estimate(_grounding_plan(tmp_path, ()), 512)
    assert "built-in table, as of 2026-08-08: https://developers.openai.com/" in found["price"]
    assert found["pictures"].startswith("OpenAI tiles, by https://developers.openai.com/")
    assert "thinking_tokens" not in found
    assert found["money_usd"] <= found["money_usd_at_most"]


def test_what_has_no_price_says_how_to_give_one(tmp_path: Path) -> None:
    found = estimate(_grounding_plan(tmp_path, (), model=("--model", "openai/gpt-99")), 512)
    assert (found["money_usd"], found["money_usd_at_most"]) == ("unknown", "unknown")
    assert "give --price IN/OUT" in found["price"]
    assert "estimated" in found["pictures"]


def test_thinking_is_expected_at_a_quarter_of_its_budget_and_bounded_by_all_of_it(tmp_path: Path) -> None:
    model = ("--model", "openai/gpt-5", "--reasoning", "medium")
    plan = _grounding_plan(tmp_path, (), model=model)
    found = estimate(plan, 100)
    calls = found["calls"]
    assert found["thinking_tokens"] == calls * 2048
    assert "2048 of thinking, of 8192" in found["tokens_assume"]
    paid = found["input_tokens"] * 1.25e-6 + calls * (BENCHMARK.reply_tokens + 2048) * 1e-5
    assert found["money_usd"] == pytest.approx(paid)
    assert found["money_usd_at_most"] == pytest.approx(found["input_tokens"] * 1.25e-6 + calls * (100 + 8192) * 1e-5)
    assert estimate(plan, 100, Assumptions(thinking=10**6))["thinking_tokens"] == calls * 8192
    none = _grounding_plan(tmp_path, (), model=("--model", "openai/gpt-5", "--reasoning", "none"))
    assert "thinking_tokens" not in estimate(none, 100)


def test_a_batch_costs_its_share_or_is_unknown(tmp_path: Path) -> None:
    plan = _grounding_plan(tmp_path, ())
    plain, batch = estimate(plan, 512), estimate(plan, 512, Assumptions(in_batch=True))
    assert batch["money_usd"] == pytest.approx(plain["money_usd"] / 2)
    assert batch["money_usd_at_most"] == pytest.approx(plain["money_usd_at_most"] / 2)
    assert "a batch at 0.5 of that" in batch["price"]
    given = _grounding_plan(tmp_path, (), model=("--model", "openai/gpt-4o", "--price", "1/2"))
    assert estimate(given, 512, Assumptions(in_batch=True))["money_usd"] == "unknown"


def test_inputs_longer_than_the_price_holds_for_have_none(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[openai."gpt-4o"]\ninput = 1\noutput = 2\nup_to = 100\n')
    found = estimate(_grounding_plan(tmp_path, (), model=("--model", "openai/gpt-4o", "--price", str(prices))), 512)
    assert found["money_usd"] == "unknown"
    assert "more than 100 tokens" in found["price"]


def _grounding_plan(folder: Path, words: tuple[str, ...], model: tuple[str, ...] = ("--model", "openai/gpt-4o")) -> Any:
    data = folder / "screens"
    if not data.exists():
        maker_of(BENCHMARK).make(data, count=2, seed=1, workers=1, progress=None)
    context = run_command.make_context("run", ["grounding", "--data", str(data), *model, *words])
    given = context.params | {"model": next(iter(context.params["models"]), None)}
    request = request_of("grounding", given_values(context.obj, context), given)
    return make_plan(request, offline=True)
