"""`snellen demo`: every exam, end to end, on synthetic data with embedded subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command("demo")
@click.option(
    "--out",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for data, runs and the page.",
)
@click.option(
    "--count", type=click.IntRange(min=9), default=45, show_default=True, metavar="N", help="Images of each split."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the synthetic data.")
def command(out: Path, count: int, seed: int) -> int:
    """Run every exam on a small SYNTHETIC set with embedded subjects; show tables and write an HTML report.

    Needs no key and no network: the model that looks is shipped (extra 'onnx'). What is there already is used again. What needs an extra
    that is not installed is left out and said.
    """
    from snellen import exams
    from snellen.show.page import write_report

    runs: list[Any] = []
    left_out: list[str] = []
    for name in exams.names():
        runs += _exam(exams.load(name), out, count, seed, left_out)
    page = out / "report.html"
    write_report(runs, page, samples=12)
    for line in left_out:
        click.echo(f"left out: {line}", err=True)
    click.echo(f"Report: {page}   Runs: {out / 'runs'}")
    return 0


def _exam(exam: Any, out: Path, count: int, seed: int, left_out: list[str]) -> list[Any]:
    """One exam with those of its demo subjects that can be had here."""
    from snellen.cli.progress import show_count, show_progress
    from snellen.core.errors import MissingExtra
    from snellen.core.options import Selection
    from snellen.engine.plan.plan import make_plan
    from snellen.engine.plan.request import RunRequest
    from snellen.engine.run import carry_out
    from snellen.show.terminal import print_run
    from snellen.synthetic.writing import LATEST

    if not exam.demo:
        return []
    count = min(count, exam.demo_count or count)
    data = out / "data" / f"{exam.name}-synthetic-{count}-{seed}-version{LATEST}"  # an older demo's sets stay
    with show_count(f"making synthetic {exam.name}") as counting:
        exam.make(data, count=count, seed=seed, workers=None, progress=counting)
    runs = []
    for spec in exam.demo:
        model = spec.format(data=data) if "{data}" in spec else spec
        try:
            part = exam.demo_parts.get(spec, Selection())
            plan = make_plan(RunRequest(exam.name, model, data, selection=part, out=out / "runs"))
        except MissingExtra as lacking:
            left_out.append(f"{exam.name} · {model}: {lacking}")
            continue
        with show_progress(f"{exam.name} · {plan.subject.spec}") as shown:
            finished = carry_out(plan, shown.asking, shown.scoring)
        if finished.stopped is not None:
            raise finished.stopped
        runs.append(finished.run)
        print_run(runs[-1])
    return runs
