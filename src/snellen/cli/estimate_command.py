"""`snellen estimate`: what a run would take. Calls nothing."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli import options
from snellen.cli.exam_flags import ExamCommand
from snellen.cli.flags import exam_argument, flags
from snellen.cli.run_command import request_of
from snellen.engine.plan.estimate import Assumptions, estimate
from snellen.engine.plan.plan import make_plan
from snellen.present.terminal.tables import print_table


@click.command("estimate", cls=ExamCommand)
@exam_argument
@flags("estimate")
def command(
    exam: str,
    own: dict[str, Any],
    seconds_per_call: float,
    concurrency: int,
    output_tokens: int | None,
    thinking_tokens: int | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Estimate calls, tokens, money and time of a run; calls nothing.

    Input tokens come from the real questions and image sizes by the model family's published rule, thinking from
    --reasoning and --max-thinking; money from --price or the dated built-in table, and is 'unknown' where neither
    has the model. A grounding method that looks several times is counted with the most looks that it may take.

    \b
    snellen estimate salbench --data DIR --model openai/gpt-4o
    snellen estimate grounding --data DIR --model openai/o3 --method vlm+narrow
    """
    plan = make_plan(request_of(exam, own, given), offline=True)
    assumed = Assumptions(seconds_per_call, concurrency, output_tokens, thinking_tokens)
    found = estimate(plan, own.get("max_tokens") or plan.exam.max_tokens, assumed)
    if as_json:
        options.print_json(found)
        return 0
    title = f"{plan.exam.name} · {plan.subject.spec}: estimate, nothing was called"
    rows = [(k.replace("_", " "), f"{v:,.4f}" if isinstance(v, float) else str(v)) for k, v in found.items()]
    print_table(title, ("what", "how much"), rows)
    return 0
