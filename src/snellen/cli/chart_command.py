"""`snellen chart`: the scores of runs as a picture for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli.flags import flags, runs_argument
from snellen.cli.several import opened
from snellen.present.files.charts import write_chart
from snellen.present.model.checks import check


@click.command("chart")
@runs_argument
@flags("chart")
def command(runs: tuple[Path, ...], out: Path, protocol: str | None) -> int:
    """Draw the scores of RUNS, or of all runs in a folder: a dot with its interval for each part and run, and the floors.

    \b
    snellen chart runs/salbench_* --out salbench.pdf
    """
    found, passed = opened(runs, "chart", check)
    write_chart(found, out, protocol)
    for line in passed:
        click.echo(f"Passed over: {line}")
    click.echo(f"Chart: {out}")
    click.echo("Next: the same numbers as a table: 'snellen export RUN... --format latex'")
    return 0
