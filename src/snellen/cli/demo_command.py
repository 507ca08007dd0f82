"""`snellen demo`: every benchmark, end to end, on synthetic data with embedded subjects."""

from __future__ import annotations

from pathlib import Path

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
    """Run every benchmark on a small SYNTHETIC set with embedded subjects; show tables and write an HTML report.

    Needs no model, no key and no network. What is there already is used again.
    """
    from snellen import benchmarks
    from snellen.cli.progress import show_count, show_progress
    from snellen.core.exam import Options
    from snellen.engine.plan import make_plan
    from snellen.engine.run import carry_out
    from snellen.reports.html import write_report
    from snellen.reports.terminal import print_run

    runs = []
    for name in benchmarks.names():
        exam = benchmarks.load(name)
        if not exam.demo:
            continue
        data = out / "data" / f"{name}-synthetic-{count}-{seed}"
        with show_count(f"making synthetic {name}") as counting:
            exam.make(data, count=count, seed=seed, workers=None, progress=counting)
        of_exam = []
        for model in exam.demo:
            plan = make_plan(name, model=model, data=data, options=Options())
            with show_progress(f"{name} · {model}") as shown:
                of_exam.append(carry_out(plan, out / "runs", None, shown.asking, shown.scoring).run)
        for i, run in enumerate(of_exam):
            print_run(run, brief=i > 0)
        runs += of_exam
    page = out / "report.html"
    write_report(runs, page, samples=24)
    click.echo(f"Report: {page}   Runs: {out / 'runs'}")
    return 0
