"""`snellen runs`: what there is."""

from __future__ import annotations

from pathlib import Path

import click

from snellen.cli import options
from snellen.cli.flags import flags, folder_argument
from snellen.core.errors import SnellenError
from snellen.engine.runs.listing import listing
from snellen.present.model.run_list import document
from snellen.present.terminal.run_list import print_listing


@click.command("runs")
@folder_argument
@flags("runs")
def command(folder: Path, limit: int, every: bool, as_json: bool) -> int:
    """List the runs in DIR (default: runs), the latest first: exam, subject, when, samples, score, cost, and whether it is complete.

    What is no run, unfinished or damaged is named and passed over. Answers and marks are not opened.

    \b
    snellen runs
    """
    if (folder / "run.json").is_file():
        raise SnellenError(f"{folder} is a run itself: 'snellen show {folder}' shows it")
    found = listing(folder, None if every else limit)
    if as_json:
        options.print_json(document(folder, found))
    else:
        print_listing(folder, found)
    return 0
