"""What a run would take: counts the real questions, without asking any."""

from __future__ import annotations

from math import ceil
from typing import Any

from snellen.core.images import sniff
from snellen.engine.plan import Plan
from snellen.subjects.openai_api import ChatSubject
from snellen.subjects.tokens import image_tokens, text_tokens

PROBE = 200


def estimate(
    plan: Plan, seconds_per_call: float, concurrency: int, output_tokens: int, max_tokens: int
) -> dict[str, Any]:
    """Calls, tokens, money and time. Tokens are measured on a probe of questions spread over the data and scaled up."""
    calls = sum(plan.questions.values())
    found: dict[str, Any] = {
        "samples": len(plan.data),
        "prompts": ", ".join(plan.prompts),
        "calls": calls,
        "synthetic_data": plan.data.synthetic,
    }
    if not isinstance(plan.subject, ChatSubject):
        return found | {"money_usd": 0.0, "note": "this subject runs here and costs nothing"}
    tokens, looked_at = _probe(plan, plan.subject.model)
    input_tokens = round(tokens / max(1, looked_at) * calls)
    price = plan.subject.price
    found |= {
        "input_tokens": input_tokens,
        "output_tokens": calls * output_tokens,
        "tokens_measured_on": f"{looked_at} questions",
        "price": "unknown"
        if price is None
        else f"{price.input:g} / {price.output:g} USD a million tokens ({price.source})",
        "money_usd": "unknown" if price is None else price.of(input_tokens, calls * output_tokens),
        "money_usd_at_most": "unknown" if price is None else price.of(input_tokens, calls * max_tokens),
        "seconds": round(calls * seconds_per_call / concurrency, 1),
        "seconds_assume": f"{seconds_per_call:g} s a call, {concurrency} in flight",
    }
    return found


def _probe(plan: Plan, model: str) -> tuple[int, int]:
    ids = [s.id for s in plan.data.light()]
    chosen = frozenset(ids[:: max(1, ceil(len(ids) / PROBE))])
    total, count = 0, 0
    for prompt in plan.prompts:
        ask = plan.data.asker(prompt)
        for sample in plan.data.full(chosen.__contains__):
            if not plan.applies(prompt, sample):
                continue
            question = ask(sample)
            heads = (sniff(p.data) for p in question.pictures)
            total += text_tokens(question.text) + sum(image_tokens(model, h.width, h.height) for h in heads)
            count += 1
    return total, count
