"""`snellen remark`: mark stored answers again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.cli import options
from snellen.cli.flags import flags, runs_argument
from snellen.core.errors import SnellenError
from snellen.engine.remark import MissingAnswers, remark
from snellen.engine.runs.run import open_run
from snellen.present.terminal.run import print_remarked, print_run


@click.command("remark")
@runs_argument
@flags("remark")
def command(runs: tuple[Path, ...], protocols: tuple[str, ...], as_json: bool) -> int:
    """Mark the stored answers of RUNS again and print what changed. Calls nothing and needs no data set.

    \b
    snellen remark runs/salbench_* --protocol paper,robust
    """
    documents: list[dict[str, Any]] = []
    refused: SnellenError | None = None
    for path in runs:
        try:
            done = remark(path, protocols)
        except SnellenError as error:
            if not as_json:
                raise
            # what became of the other runs is not lost: every run has its document
            refused = refused or error
            lacking = error.lacking if isinstance(error, MissingAnswers) else ()
            facts = [{k: v for k, v in one._asdict().items() if k != "said"} for one in lacking]
            documents.append({"run": str(path), "error": str(error)} | ({"unasked": facts} if facts else {}))
            continue
        run = open_run(path)
        for note in done.notes:
            click.echo(f"note: {note}", err=True)
        if as_json:
            marks = {name: counts[0] for name, counts in done.counts.items()}
            changes = [change._asdict() for change in done.changes]
            documents.append(options.summary_of(run) | {"marks": marks, "changes": changes})
        else:
            print_run(run)
            print_remarked(done)
    if as_json:
        options.print_json(documents)
    if refused is not None:
        raise refused
    return 0
