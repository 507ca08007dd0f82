"""Estimates of methods: the model behind a method is what costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snellen import exams as benchmarks
from snellen.cli.estimate_command import command as estimate_command
from snellen.cli.options import given_values
from snellen.cli.run_command import request_of
from snellen.engine.plan.estimate import estimate
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
    found = estimate(plan, 2.0, 16, None, 512)
    assert found["calls"] == looks * len(plan.data)
    assert found["input_tokens"] > found["calls"] * 765  # the picture, and the method's own words
    assert found["money_usd"] == pytest.approx(found["input_tokens"] * 2.5e-6 + found["output_tokens"] * 1e-5)
    assert found["output_tokens"] == found["calls"] * BENCHMARK.reply_tokens


def test_estimate_never_calls_a_paid_planner_free(tmp_path: Path) -> None:
    two = _grounding_plan(tmp_path, ("--method", "vlm+screenseeker", "--planner", "openai/gpt-4o-mini"))
    found = estimate(two, 2.0, 16, None, 512)
    assert found["money_usd"] == "unknown"
    assert "gpt-4o-mini" in found["note"]
    free = _grounding_plan(tmp_path, ("--method", "center"), model=())
    assert estimate(free, 2.0, 16, None, 512)["money_usd"] == 0.0


def test_replies_are_as_long_as_the_exam_wants_them() -> None:
    lengths = {name: benchmarks.load(name).reply_tokens for name in benchmarks.names()}
    assert lengths["d3"] >= 100
    assert lengths["vqax"] >= 30
    assert lengths["salbench"] == 8


def _grounding_plan(folder: Path, words: tuple[str, ...], model: tuple[str, ...] = ("--model", "openai/gpt-4o")) -> Any:
    data = folder / "screens"
    if not data.exists():
        BENCHMARK.make(data, count=2, seed=1, workers=1, progress=None)
    context = estimate_command.make_context("estimate", ["grounding", "--data", str(data), *model, *words])
    request = request_of("grounding", given_values(context.obj, context), context.params)
    return make_plan(request, offline=True)
