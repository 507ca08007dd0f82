"""`snellen import`: another tool's log becomes a run."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from snellen.cli import options
from snellen.core.options import Selection


@click.command("import")
@click.argument("tool", metavar="inspect|lmms-eval|vlmevalkit|csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--exam", required=True, metavar="EXAM", help="The exam whose samples were asked.")
@click.option(
    "--data",
    metavar="DIR",
    help="Folder of the data set, which has the truths. Without it they are taken from the log, if it has them.",
)
@options.data_options
@options.several("--split", "--splits", "splits", help="Splits of the data set, comma separated (default: all).")
@options.several("--task", "--tasks", "tasks", help="Tasks of the data set, comma separated (default: all).")
@options.several(
    "--protocol",
    "--protocols",
    "protocols",
    metavar="P,...",
    help="Protocols to mark under (default: all of the exam).",
)
@click.option("--prompt", metavar="NAME", help="The prompt that was asked (default: the one whose words the log has).")
@click.option("--model", metavar="NAME", help="What to call the model (default: as the log does).")
@click.option(
    "--epoch", type=click.IntRange(min=1), metavar="N", help="One epoch of a log of Inspect (default: all, as repeats)."
)
@click.option("--skip-unmatched", is_flag=True, help="Leave out rows that fit no sample, and say how many.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    metavar="DIR",
    help="Folder that holds runs (default: runs).",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every figure of the log.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
