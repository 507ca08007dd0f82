"""`snellen probe`: how an endpoint really treats images and parameters."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from snellen.cli import options
from snellen.cli.exam_flags import ExamCommand
from snellen.cli.flags import flags
from snellen.cli.progress import show_count
from snellen.engine.plan.request import Limits
from snellen.engine.probe.probing import estimate, plan_probe, run_probe
from snellen.present.terminal.probe import print_probe


@click.command("probe", cls=ExamCommand, of=None)
@click.argument("model", metavar="MODEL")
@flags("probe")
def command(model: str, own: dict[str, Any], **given: Any) -> int:
    """Measure what the endpoint of MODEL does with pictures and parameters, instead of believing it.

    Drawn charts (letters of falling size and contrast, discs at known places, numbered pictures) tell at which size pictures are
    seen, whether they are re-encoded, what returned coordinates count, and the order of several pictures; a few short questions
    tell whether temperature, seed, stop, length, logprobs and detail are obeyed and whether equal requests get equal replies.
    The result is kept, is named in run.json of later runs, and a later probe that differs says so.

    \b
    snellen probe openai/gpt-4o --max-cost 0.5
    snellen probe vllm/Qwen/Qwen2.5-VL-7B-Instruct --parts size
    snellen probe api/my-model --base-url http://localhost:8000/v1
    """
    planned = plan_probe(model, own, given["parts"], given["seed"], offline=given["dry_run"])
    taken = estimate(planned)
    if given["dry_run"]:
        return _would_take(model, taken, planned.untried, given["as_json"])
    click.echo(f"{model}: {_in_a_line(taken)}", err=True)
    limits = Limits(**{name: given[name] for name in ("concurrency", "max_cost", "timeout", "tries", "fresh")})
    with show_count(f"probe · {model}") as progress:
        done = run_probe(planned, limits, progress)
    if given["as_json"]:
        found = msgspec.to_builtins(done.probe) | {"digest": done.probe.digest, "file": done.path}
        options.print_json(found | {"changes": list(done.changes)})
        return 0
    print_probe(done.probe, done.changes, done.before)
    return 0


def _in_a_line(taken: dict[str, Any]) -> str:
    """Return an estimate on one line."""
    about = f"{taken['calls']} calls, about {taken['input_tokens']:,} input tokens"
    money = taken["money_usd"]
    if isinstance(money, str):
        return f"{about}; what they cost is not known"
    return f"{about}, about {money:.3f} USD (at most {taken['money_usd_at_most']:.3f})"


def _would_take(model: str, taken: dict[str, Any], untried: Any, as_json: bool) -> int:
    if as_json:
        options.print_json(taken | {"not_tried": dict(untried)})
        return 0
    click.echo(f"{model}: {_in_a_line(taken)}; nothing was called")
    for part, why in untried.items():
        click.echo(f"not tried: {part} ({why})")
    return 0
