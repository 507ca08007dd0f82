"""`snellen import`: another tool's log becomes a run."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.options import Selection


@click.command("import")
@click.argument("tool", metavar="inspect|lmms-eval|vlmevalkit|csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@flags("import")
def command(
    tool: str,
    files: tuple[Path, ...],
    exam: str,
    data: str | None,
    images: str | None,
    columns: tuple[str, ...],
    splits: tuple[str, ...],
    tasks: tuple[str, ...],
    protocols: tuple[str, ...],
    prompt: str | None,
    model: str | None,
    epoch: int | None,
    skip_unmatched: bool,
    out: Path,
    verbose: bool,
    as_json: bool,
) -> int:
    """Make a run of another tool's log: its replies are marked by our protocols, and its own scores are kept beside them. Nothing in the
    log is executed, nobody is called.

    \b
    inspect      Inspect AI: LOG.eval or LOG.json
    lmms-eval    DATE_samples_TASK.jsonl, or DATE_results.json beside these
    vlmevalkit   MODEL_DATASET.xlsx, .tsv or .json, or the scored ..._result.xlsx
    csv          a table (.csv, .tsv, .xlsx, .json, .jsonl): id and response

    Exit code 1: the log's own totals are not what its samples give. Exit code 3: most of its samples have no answer.

    \b
    snellen import inspect LOG.eval --exam salbench --data data/salbench
    """
    from snellen import exams
    from snellen.engine.run import mostly_unanswered
    from snellen.importers.importing import ImportRequest, import_log
    from snellen.present.terminal.imported import print_imported

    request = ImportRequest(
        tool=tool,
        files=files,
        exam=exam,
        data=None if data is None else options.data_folder(exam, data),
        protocols=protocols,
        prompt=prompt,
        selection=Selection(splits=splits, tasks=tasks, own=options.data_options_of(exams.load(exam), images, columns)),
        model=model,
        epoch=epoch,
        skip_unmatched=skip_unmatched,
        out=out,
    )
    done = import_log(request)
    if as_json:
        facts = {"run": str(done.run.path), "again": done.again}
        options.print_json(
            facts | {"imported": msgspec.to_builtins(done.record), "against": msgspec.to_builtins(done.against)}
        )
    else:
        print_imported(done, verbose=verbose)
    stopped = mostly_unanswered(done.run)
    if stopped is not None:
        raise stopped
    return 1 if any(figure.agrees is False for figure in done.record.figures) else 0
