"""What a run would take: counts the real questions, without asking any."""

from __future__ import annotations

from math import ceil
from typing import Any

from snellen.core.subject import Asked
from snellen.engine.ask.questions import asker
from snellen.engine.plan.plan import Plan

PROBE = 200


def estimate(
    plan: Plan, seconds_per_call: float, concurrency: int, output_tokens: int | None, max_tokens: int
) -> dict[str, Any]:
    """Calls, tokens, money and time. Tokens are measured on a probe of questions spread over the data and scaled up.

    Without `output_tokens` a reply is as long as the exam says.
    """
    questions = sum(plan.questions.values())
    found: dict[str, Any] = {
        "samples": len(plan.data),
        "prompts": ", ".join(arm.text for arm in plan.arms),
        "calls": questions,
        "synthetic_data": plan.data.synthetic,
    }
    asked = plan.subject.asked()
    remote = [one for one in asked if one.subject.endpoints]
    if not remote:
        return found | {"money_usd": 0.0, "note": "local subject: costs nothing"}
    if len(asked) > 1:
        names = " and ".join(one.subject.spec for one in asked)
        note = f"{names} are asked in turns, at most {asked[0].calls} calls per question in all; the cost depends on their replies"
        return found | {"calls": f"at most {questions * asked[0].calls}", "money_usd": "unknown", "note": note}
    one = remote[0]
    output_tokens = plan.exam.reply_tokens if output_tokens is None else output_tokens
    calls = questions * one.calls
    tokens, looked_at = _probe(plan, one)
    input_tokens = round(tokens / max(1, looked_at) * calls)
    price = one.subject.price
    found |= {
        "calls": calls,
        "input_tokens": input_tokens,
        "output_tokens": calls * output_tokens,
        "tokens_measured_on": f"{looked_at} questions",
        "tokens_assume": f"{output_tokens} tokens per reply",
        "price": "unknown"
        if price is None
        else f"{price.input:g} / {price.output:g} USD per million tokens ({price.source})",
        "money_usd": "unknown" if price is None else price.of(input_tokens, calls * output_tokens),
        "money_usd_at_most": "unknown" if price is None else price.of(input_tokens, calls * max_tokens),
        "seconds": round(calls * seconds_per_call / concurrency, 1),
        "seconds_assume": f"{seconds_per_call:g} s per call, {concurrency} in flight",
    }
    if one.calls > 1:
        found["note"] = (
            f"{one.subject.spec} is asked up to {one.calls} times per question; each time is counted as a whole picture"
        )
    return found


def _probe(plan: Plan, one: Asked) -> tuple[int, int]:
    ids = [s.id for s in plan.data.light()]
    chosen = frozenset(ids[:: max(1, ceil(len(ids) / PROBE))])
    total, count = 0, 0
    for arm in plan.arms:
        ask = asker(plan.exam, plan.data, arm.prompt)
        shown = 0 if arm.control == "none" else one.pictures
        for sample in plan.data.full(chosen.__contains__):
            if plan.applies(arm, sample):
                total += one.subject.input_tokens(ask(sample), one.text, shown)
                count += 1
    return total, count
