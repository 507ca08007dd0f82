"""`snellen report`: the findings of runs in the terminal, and one self-contained page."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options
from snellen.cli.flags import flags, runs_argument
from snellen.cli.several import opened as opened_runs
from snellen.present.model.checks import check
from snellen.present.model.findings import findings_of, loaded
from snellen.present.model.run_view import run_view
from snellen.present.page.report import write_report
from snellen.present.terminal.run import print_findings, print_run


@click.command("report")
@runs_argument
@flags("report")
def command(
    runs: tuple[Path, ...], out: Path | None, samples: int | None, data: tuple[Path, ...], as_json: bool
) -> int:
    """Say what to know of RUNS, or of all runs in a folder, and write one small self-contained HTML page. Calls nothing.

    \b
    snellen report runs/salbench_* --out report.html
    snellen report runs
    """
    opened, passed = opened_runs(runs, "report", check)
    page = out or (None if as_json else Path("report.html"))
    if page is not None:
        write_report(opened, page, samples, data=data, passed_over=passed, checked=True)
    if as_json:
        options.print_json(
            {
                "page": page and str(page),
                "passed_over": passed,
                "runs": [
                    options.summary_of(run) | {"findings": [one._asdict() for one in findings_of(run)]}
                    for run in opened
                ],
            }
        )
        return 0
    if len(opened) == 1:
        print_run(opened[0])
    else:
        print_findings([run_view(run, loaded(run.manifest)) for run in opened])
    for line in passed:
        click.echo(f"Passed over: {line}")
    click.echo(f"Page: {page} (one file: open it in a browser, or send it)")
    return 0
