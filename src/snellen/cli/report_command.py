"""`snellen report`: tables in the terminal and one self-contained page."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from snellen.cli import options


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page to write (default: report.html; with --json, none unless you name it).",
)
@click.option(
    "--samples",
    type=click.IntRange(min=0),
    default=48,
    show_default=True,
    metavar="N",
    help="How many samples of each run the page shows; 0 for none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(runs: tuple[Path, ...], out: Path | None, samples: int, as_json: bool) -> int:
    """Show RUNS in the terminal and write one self-contained HTML page about them. Calls nothing.

    \b
    snellen report runs/salbench_* --out report.html
    """
    from snellen.engine.runs.run import open_run
    from snellen.show.page import write_report
    from snellen.show.terminal import print_run

    opened = [open_run(options.run_folder(path, "report")) for path in dict.fromkeys(runs)]
    page = out or (None if as_json else Path("report.html"))
    if page is not None:
        write_report(opened, page, samples)
    if as_json:
        options.print_json(
            {
                "page": page and str(page),
                "runs": [{"run": str(run.path)} | msgspec.to_builtins(run.summary) for run in opened],
            }
        )
        return 0
    for run in opened:
        print_run(run)
    click.echo(f"Page: {page}")
    return 0
