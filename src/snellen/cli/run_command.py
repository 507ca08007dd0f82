"""`snellen run`: run an exam on a subject, or resume an interrupted run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from snellen.cli import options, suite
from snellen.cli.exam_flags import ExamCommand, collects, exam_of
from snellen.cli.flags import exam_names, flags
from snellen.cli.progress import show_progress
from snellen.core.dataset import Shard
from snellen.core.errors import SnellenError, Stopped
from snellen.core.extras import DefaultModel
from snellen.core.options import Selection
from snellen.engine.ask.questions import questions
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import Limits, RunRequest, cluster, served_by
from snellen.engine.probe_records.kept import warnings_for
from snellen.engine.run import run_plan
from snellen.present.terminal.run import print_run
from snellen.subjects import find


@click.command("run", cls=ExamCommand)
@click.argument("exam", required=False, shell_complete=exam_names)
@flags("run")
def command(exam: str | None, models: tuple[str, ...], own: dict[str, Any], **given: Any) -> int:
    """Run EXAM on a subject and show its scores; the same command goes on with a run that was interrupted.

    In place of EXAM may stand a file or folder of data: questions of your own, or a set that an exam knows.
    Several exams (A,B) or models (--model given again) are run in one go, as is a suite in a file (docs/suites.md).

    \b
    snellen run salbench --data DIR --model baseline/pixels
    snellen run salbench --model openai/gpt-4o --limit 100 --max-cost 1
    snellen run grounding --data DIR --method ocr
    snellen run vqax --data DIR --model hf/llava-hf/llava-1.5-7b-hf --prompt 3shot
    snellen run my_questions.csv --model ollama/llava:7b
    snellen run suite.toml --max-cost 5 --dry-run
    """
    with limits_of(given) as limits:
        return _run(exam, models, own, given, limits)


def _run(exam: str | None, models: tuple[str, ...], own: dict[str, Any], given: dict[str, Any], limits: Limits) -> int:
    refuse_assumptions(given)
    if suite.is_meant(exam, models, given):
        return suite.run(exam, models, own, given, limits)
    given["model"] = models[0] if models else None
    request = request_of(exam, own, given)
    plan = make_plan(request._replace(limits=limits, out=Path(given["out"])))
    if not request.model and plan.exam.extra(DefaultModel) is not None:
        click.echo(f"no --model was named: {plan.subject.spec} is asked", err=True)
    if own.get("check_batching"):
        return _check_batching(plan, own["check_batching"])
    if plan.subject.about():
        click.echo(plan.subject.about(), err=True)
    warned = warnings_for(plan.subject)  # before the first call
    for line in warned:
        click.echo(f"warning: {line}", err=True)
    with show_progress(f"{plan.exam.name} · {plan.subject.spec}") as shown:
        finished = run_plan(plan, shown.asking, shown.scoring)
    for note in (n for n in finished.notes if n not in warned):
        click.echo(note if note.startswith("results: ") else f"note: {note}", err=True)
    _show(finished, given)
    if finished.stopped is not None:
        raise finished.stopped
    if limits.shard is not None:
        options.merge_shards(finished.run.path.parent)
    return 0


def refuse_assumptions(given: dict[str, Any]) -> None:
    """Refuse flags that only an estimate uses if the run would be paid."""
    ctx = click.get_current_context()
    for name in () if given["dry_run"] else ("seconds_per_call", "output_tokens", "thinking_tokens"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            flag = "--" + name.replace("_", "-")
            raise SnellenError(f"{flag} has no effect without --dry-run (--max-tokens limits replies)")


@contextlib.contextmanager
def limits_of(given: dict[str, Any]) -> Iterator[Limits]:
    """Yield the limits of a run from its flags. A cluster is released at the end."""
    limits = Limits(
        **{name: given[name] for name in ("max_cost", "timeout", "tries", "max_errors", "fresh")},
        concurrency=_concurrency(given["concurrency"]),
        use_store=not given["no_store"],
        batch=given.get("batch_api", False),
        cancel_batches=given.get("cancel_batches", False),
        shard=Shard.parse(given["shard"]) if given["shard"] else None,
        pool=cluster(given["on"]) if given["on"] and not given["dry_run"] else None,
        serve=served_by(given["serve"]) if given["serve"] else (),
    )
    try:
        yield limits
    finally:
        if limits.pool is not None:
            limits.pool.close()


def request_of(exam: str | None, own: dict[str, Any], given: dict[str, Any]) -> Any:
    """Return the request that the flags of `run` describe."""
    word, spec = exam_of(exam, given), options.full_spec(given)
    if spec and "/" in spec:
        find(spec)  # a wrong model is reported before missing data
    if collects(word) and (exam is None or given["data"] == "."):  # like multimodal-vqa-eval, in one folder
        own = {"results": "results", **own}
    name, data = options.resolve(word, given["data"])
    return RunRequest(
        exam=name,
        model=spec,
        data=data,
        protocols=given["protocols"],
        prompt=given["prompt"],
        controls=given.get("controls", ()),
        selection=Selection(**{name: given[name] for name in ("splits", "tasks", "limit", "seed")}),
        options=own,
        repeats=given.get("repeats", 1),
    )


def _check_batching(plan: Any, k: int) -> int:
    from snellen.subjects.local.check import check_batching  # imported with everything that runs models here

    asked = questions(plan.exam, plan.data, plan.firsts[:1], lambda _key: True, plan.applies, plan.selection.seed)
    click.echo(str(check_batching(plan.subject, islice(asked, k), k)))
    return 0


def _show(finished: Any, given: dict[str, Any]) -> None:
    run, stopped = finished.run, finished.stopped
    marked = run.folder.has("summary.json") and (stopped is None or stopped.exit_code == Stopped.exit_code)
    if given["as_json"]:
        summary = msgspec.to_builtins(run.summary) if marked else {}
        options.print_json({"run": str(run.path), "stopped": str(stopped) if stopped else None} | summary)
    elif marked:
        print_run(run, verbose=given["verbose"])
        lacking = run.summary.not_available
        if lacking:
            click.echo(f"note: not available: {', '.join(lacking)} (summary.json says what they need)", err=True)


def _concurrency(text: str | None) -> int | None:
    if text in (None, "auto"):
        return None
    if text is not None and text.isdigit() and int(text) > 0:
        return int(text)
    raise SnellenError(f"--concurrency {text}: a number from 1, or 'auto'")
