"""The estimate of a run: counts the real questions, without asking any."""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

from snellen.core.subject import CallEstimate, Price, Subject
from snellen.engine.ask.questions import asker
from snellen.engine.plan.plan import Plan

_PROBE = 200
_THOUGHT = 0.25
"""The share of its budget that a model is assumed to think, if nothing else is known. Most questions are easier than the hardest."""
UNKNOWN = "unknown"
_NO_PRICE = (
    "unknown: give --price IN/OUT (USD per million tokens), or a file; 'snellen list prices' has those that are known"
)
_NO_BATCH_PRICE = "unknown for a batch: give --price FILE with 'batch', the share of the plain price"
WORDS = (
    "counted as words and marks, within 10 % of OpenAI's own count for our prompts; Claude counts up to a third more"
)


class Assumptions(NamedTuple):
    """The assumptions of an estimate. `reply` and `thinking` are tokens of a reply. None means the exam's or the budget's value."""

    seconds_per_call: float = 2.0
    concurrency: int = 16
    reply: int | None = None
    thinking: int | None = None
    in_batch: bool = False


USUAL = Assumptions()


def estimate(plan: Plan, max_tokens: int, assumed: Assumptions = USUAL) -> dict[str, Any]:
    """Estimate calls, tokens, money and time. Tokens are measured on a sample of questions spread over the data and scaled up."""
    questions = sum(plan.questions.values())
    found: dict[str, Any] = {
        "samples": len(plan.data),
        "prompts": ", ".join(arm.text for arm in plan.firsts),
        **({"repeats": plan.repeats} if plan.repeats > 1 else {}),
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
        return found | {"calls": f"at most {questions * asked[0].calls}", "money_usd": UNKNOWN, "note": note}
    one = remote[0]
    calls = questions * one.calls
    tokens, looked_at, longest = _probe(plan, one)
    input_tokens = round(tokens / max(1, looked_at) * calls)
    reply = _Reply.of(plan, one.subject, max_tokens, assumed)
    found |= {
        "calls": calls,
        "input_tokens": input_tokens,
        "output_tokens": calls * (reply.visible + reply.thinking),
        **({"thinking_tokens": calls * reply.thinking} if reply.may_think else {}),
        "tokens_measured_on": f"{looked_at} questions",
        "tokens_assume": reply.assumed,
        "pictures": one.subject.counting() or "estimated",
        "words": WORDS,
        **_money(one.subject.price, calls, (input_tokens, longest), reply, assumed.in_batch),
        "seconds": round(calls * assumed.seconds_per_call / assumed.concurrency, 1),
        "seconds_assume": f"{assumed.seconds_per_call:g} s per call, {assumed.concurrency} in flight",
    }
    if assumed.in_batch:
        found |= {
            "seconds": UNKNOWN,
            "seconds_assume": "a batch is done when the provider has time for it, within a day",
        }
    if one.calls > 1:
        found["note"] = (
            f"{one.subject.spec} is asked up to {one.calls} times per question; each time is counted as a whole picture"
        )
    return found


class _Reply(NamedTuple):
    """A reply in tokens: the expected number and the maximum."""

    visible: int
    thinking: int
    may_think: int
    most: int

    @classmethod
    def of(cls, plan: Plan, subject: Subject, max_tokens: int, assumed: Assumptions) -> _Reply:
        budget = subject.thinking_tokens
        visible = plan.exam.reply_tokens if assumed.reply is None else assumed.reply
        thought = ceil(_THOUGHT * budget) if assumed.thinking is None else min(assumed.thinking, budget)
        return cls(min(visible, max_tokens), thought, budget, max_tokens + budget)

    @property
    def assumed(self) -> str:
        said = f"{self.visible} tokens per reply"
        if self.may_think:
            said += f", and {self.thinking} of thinking, of {self.may_think} that are allowed"
        return said


def _money(
    price: Price | None, calls: int, tokens: tuple[int, int], reply: _Reply, in_batch: bool
) -> dict[str, str | float]:
    """Return the expected cost and the maximum. `tokens` are those of all inputs, and of the longest one."""
    if price is None:
        return {"price": _NO_PRICE, "money_usd": UNKNOWN, "money_usd_at_most": UNKNOWN}
    share = price.batch if in_batch else 1.0
    if share is None:
        return {"price": _NO_BATCH_PRICE, "money_usd": UNKNOWN, "money_usd_at_most": UNKNOWN}
    in_all, longest = tokens
    said = f"{price.input:g} / {price.output:g} USD per million tokens ({price.source})"
    if in_batch:
        said += f", a batch at {share:g} of that"
    if price.up_to is not None and longest > price.up_to:
        said += f"; not known for inputs of more than {price.up_to:,} tokens, and one has {longest:,}"
        return {"price": said, "money_usd": UNKNOWN, "money_usd_at_most": UNKNOWN}
    thought = reply.thinking * (price.output if price.reasoning is None else price.reasoning) / 1e6
    most = price._replace(up_to=None).at_most(in_all, calls * reply.most)
    return {
        "price": said,
        "money_usd": (price.of(in_all, calls * reply.visible) + calls * thought) * share,
        "money_usd_at_most": UNKNOWN if most is None else most * share,
    }


def _probe(plan: Plan, one: CallEstimate) -> tuple[int, int, int]:
    """Return the input tokens of some questions, the number of these questions, and the longest input."""
    ids = [s.id for s in plan.data.light()]
    chosen = frozenset(ids[:: max(1, ceil(len(ids) / _PROBE))])
    total, count, longest = 0, 0, 0
    for arm in plan.firsts:
        ask = asker(plan.exam, plan.data, arm.prompt)
        shown = 0 if arm.control == "none" else one.pictures
        for sample in plan.data.full(chosen.__contains__):
            if plan.applies(arm, sample):
                tokens = one.subject.input_tokens(ask(sample), one.text, shown)
                total, count, longest = total + tokens, count + 1, max(longest, tokens)
    return total, count, longest
