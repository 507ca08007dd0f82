"""`snellen import`: another tool's log becomes a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.options import Selection
from snellen.engine.run import mostly_unanswered
from snellen.importers.importing import ImportRequest, import_log
from snellen.present.terminal.imported import print_imported


@click.command("import")
@click.argument("tool", metavar="inspect|lmms-eval|vlmevalkit|csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@flags("import")
def command(tool: str, exam: str, verbose: bool, as_json: bool, **given: Any) -> int:
    """Make a run of another tool's log: its replies are marked by our protocols, and its own scores are kept beside them. Nothing in the
    log is executed, and no model is called.

    \b
    inspect      Inspect AI: LOG.eval or LOG.json
    lmms-eval    DATE_samples_TASK.jsonl, or DATE_results.json beside these
    vlmevalkit   MODEL_DATASET.xlsx, .tsv or .json, or the scored ..._result.xlsx
    csv          a table (.csv, .tsv, .xlsx, .json, .jsonl): id and response

    Exit code 1: the log's own totals are not what its samples give. Exit code 3: most of its samples have no answer.

    \b
    snellen import inspect LOG.eval --exam salbench --data data/salbench
    """
    images, columns, splits, tasks = (given.pop(name) for name in ("images", "columns", "splits", "tasks"))
    selection = Selection(splits, tasks, own=options.data_options_of(exams.load(exam), images, columns))
    given["data"] = None if given["data"] is None else options.data_folder(exam, given["data"])
    done = import_log(ImportRequest(tool=tool, exam=exam, selection=selection, **given))
    if as_json:
        facts = {"run": str(done.run.path), "again": done.again}
        options.print_json(facts | {"imported": done.record, "against": done.against})
    else:
        print_imported(done, verbose=verbose)
    stopped = mostly_unanswered(done.run)
    if stopped is not None:
        raise stopped
    return 1 if any(figure.agrees is False for figure in done.record.figures) else 0
