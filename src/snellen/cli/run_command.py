"""`snellen run`: run a benchmark on a subject, or go on with an interrupted run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.core.errors import SnellenError, Stopped


@click.command("run")
@click.argument("benchmark", required=False)
@options.selection
@options.model
@options.local
@options.protocols
@options.asked_as
@options.scoring
@options.grounding
@click.option(
    "--controls",
    multiple=True,
    callback=options.words,
    metavar="C,...",
    help="Arms that show whether the score depends on seeing: none (no image), blank, shuffled (another image), options (in "
    "another order), swapped (pictures in the other order: position bias of D3).",
)
@click.option(
    "--out", "--output", "out", default="runs", show_default=True, metavar="DIR", help="Folder that holds runs."
)
@click.option("--concurrency", default="auto", show_default=True, metavar="N|auto", help="Calls in flight.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0),
    metavar="USD",
    help="Hard cap over the whole run, calls in flight counted.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds for one try of a call.",
)
@click.option(
    "--tries", type=click.IntRange(min=1), default=6, show_default=True, help="Tries of a call before it is an error."
)
@click.option(
    "--max-errors",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="Stop after N errors in a row.",
)
@click.option(
    "--results",
    metavar="DIR",
    help="Also put the seed's files (CSV, accuracy grid) into this folder, which collects the best of many runs.",
)
@click.option(
    "--check-batching",
    type=click.IntRange(min=1),
    metavar="K",
    help="Answer K samples alone and in batches, report how many answers differ, and stop (hf/ models).",
)
@click.option("--fresh", is_flag=True, help="Put the old run aside and ask everything again.")
@click.option("--no-store", is_flag=True, help="Neither use nor fill the answer store.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON document.")
@click.option("--brief", is_flag=True, help="Print the overview table only.")
@click.option("-v", "--verbose", is_flag=True, help="Also print per-difficulty and per-category tables.")
def command(benchmark: str | None, **given: Any) -> int:
    """Run BENCHMARK on a subject and show its scores; the same command goes on with a run that was interrupted.

    \b
    snellen run salbench --data DIR --model baseline/pixels
    snellen run salbench --model openrouter/qwen/qwen2.5-vl-72b-instruct --limit 100 --max-cost 1
    snellen run salbench --model ollama/llava:7b --splits synthetic --tasks D,R,VR
    snellen run grounding --data DIR --method ocr
    snellen run vqax --data DIR --model hf/llava-hf/llava-1.5-7b-hf --prompt 3shot
    snellen run --task vqax --model llava --split val --n_samples 50 --generate_explanations true --prompt_mode zero
    """
    from snellen.cli.progress import show_progress
    from snellen.cli.spellings import translate
    from snellen.engine.answer.loop import Limits
    from snellen.engine.mark.results_folder import collect
    from snellen.engine.run import carry_out

    plan = options.build_plan(translate(benchmark, given), given)
    if given["check_batching"]:
        return _check_batching(plan, given["check_batching"])
    limits = Limits(
        concurrency=_concurrency(given["concurrency"]),
        max_cost=given["max_cost"],
        timeout=given["timeout"],
        tries=given["tries"],
        fresh=given["fresh"],
        use_store=not given["no_store"],
        max_errors=given["max_errors"],
    )
    about = getattr(plan.subject, "about", None)
    if about is not None:
        click.echo(about(), err=True)
    title = f"{plan.benchmark.name} · {plan.subject.spec}"
    with show_progress(title) as shown:
        finished = carry_out(plan, Path(given["out"]), limits, shown.asking, shown.scoring)
    for note in finished.notes:
        click.echo(f"note: {note}", err=True)
    _show(finished, given)
    if given["results"] and finished.stopped is None:
        for line in collect(finished.run, Path(given["results"])):
            click.echo(f"results: {line}", err=True)
    if finished.stopped is not None:
        raise finished.stopped
    return 0


def _check_batching(plan: Any, k: int) -> int:
    from itertools import islice

    from snellen.engine.ask.controls import questions
    from snellen.subjects.local.check import check_batching
    from snellen.subjects.local.subject import LocalSubject

    if not isinstance(plan.subject, LocalSubject):
        raise SnellenError(f"--check-batching is for models that run here (hf/...), not for {plan.subject.spec}")
    asked = questions(plan.data, plan.prompts[:1], lambda _key: True, plan.applies, plan.options.seed)
    click.echo(str(check_batching(plan.subject, islice(asked, k), k)))
    return 0


def _show(finished: Any, given: dict[str, Any]) -> None:
    run, stopped = finished.run, finished.stopped
    marked = run.folder.has("summary.json") and (stopped is None or stopped.exit_code == Stopped.exit_code)
    if given["as_json"]:
        options.print_json(
            {"run": str(run.path), "stopped": str(stopped) if stopped else None} | (run.summary if marked else {})
        )
    elif marked:
        from snellen.show.terminal import print_run

        print_run(run, brief=given["brief"], verbose=given["verbose"])
        lacking = run.summary.get("not_available") or {}
        if lacking:
            click.echo(f"note: not available: {', '.join(lacking)} (summary.json says what they need)", err=True)


def _concurrency(text: str) -> int | None:
    if text == "auto":
        return None
    if text.isdigit() and int(text) > 0:
        return int(text)
    raise SnellenError(f"--concurrency {text}: a number from 1, or 'auto'")
