"""`snellen demo`: every exam, end to end, on synthetic data with embedded subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen import exams
from snellen.cli.flags import flags
from snellen.cli.progress import show_count, show_progress
from snellen.comparison.thresholds import examined
from snellen.core.errors import MissingExtra, MostlyUnanswered
from snellen.core.extras import Demo, Maker
from snellen.core.options import Selection
from snellen.engine.plan.plan import make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.present.page.report import write_prescription, write_report
from snellen.present.terminal.demo_summary import print_story
from snellen.present.terminal.prescription import sentences
from snellen.present.terminal.run import print_run

TINY = "onnx/snellen-tiny"
_EXAMINED = ("baseline/pixels", TINY)
"""The subjects of the eye exam: one that measures pixels, and the small model, which was trained on four of the faculties."""
EYE = "eye"
_PRESCRIPTION = "prescription.html"


@click.command("demo")
@flags("demo")
def command(out: Path, count: int, seed: int, verbose: bool) -> int:
    """Run every exam on a small SYNTHETIC set with embedded subjects, and an eye exam; write an HTML report.

    Needs no model, no key and no network. What is there already is used again. What needs an extra that is not installed is left out and
    said.
    """
    left_out: list[str] = []
    runs: list[Any] = []
    for name in exams.names():
        runs += _exam(exams.load(name), out, count, seed, left_out, verbose)
    sees, prescribed = _eye(out, seed, left_out)
    page = out / "report.html"
    write_report([*runs, *prescribed], page, samples=12)
    after = [
        f"open {page}   what to know, the comparison, samples",
        f"open {out / _PRESCRIPTION}   the eye exam of a solver and a small model",
        f"snellen view {out / 'runs'}   every sample in a browser (extra 'view')",
        "snellen exam --model openai/gpt-4o --max-cost 1   the eye exam of a model of yours",
    ]
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
    print_story(runs, TINY, sees, after)
    return 0


def _exam(exam: Any, out: Path, count: int, seed: int, left_out: list[str], verbose: bool) -> list[Any]:
    """Run one exam with those of its demo subjects that this machine has."""
    demo, maker = exam.extra(Demo), exam.extra(Maker)
    if demo is None or maker is None:
        return []
    count = min(count, demo.most or count)
    data = out / "data" / f"{exam.name}-synthetic-{count}-{seed}"
    with show_count(f"making synthetic {exam.name}") as counting:
        maker.make(data, count=count, seed=seed, workers=None, progress=counting)
    found = []
    for spec in demo.subjects:
        model, part = spec.format(data=data) if "{data}" in spec else spec, demo.parts.get(spec, Selection())
        request = RunRequest(exam.name, model, data, selection=part, out=out / "runs")
        found.append(_run(request, left_out, verbose))
    return [run for run in found if run is not None]


def _eye(out: Path, seed: int, left_out: list[str]) -> tuple[list[str], list[Any]]:
    """Run the eye exam. Return a sentence on what each model sees, and the runs. The page has all of them side by side."""
    asked = [RunRequest(EYE, model, Path(), selection=Selection(seed=seed), out=out / "runs") for model in _EXAMINED]
    runs = [run for request in asked if (run := _run(request, left_out, verbose=False)) is not None]
    write_prescription(examined(runs), out / _PRESCRIPTION)
    return [f"Eye exam: {line}" for run in runs for line in sentences(examined([run]))], runs


def _run(request: Any, left_out: list[str], verbose: bool) -> Any:
    """Carry out one run. Return None if this machine does not have its subject."""
    try:
        plan = make_plan(request)
    except MissingExtra as lacking:
        left_out.append(f"{request.exam} · {request.model}: {lacking}")
        return None
    with show_progress(f"{plan.exam.name} · {plan.subject.spec}") as shown:
        finished = run_plan(plan, shown.asking, shown.scoring)
    if finished.stopped is not None and not isinstance(finished.stopped, MostlyUnanswered):
        raise finished.stopped
    if verbose:
        print_run(finished.run)
    return finished.run
