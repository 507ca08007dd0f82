"""`snellen export`: the numbers of runs as a file for other programs and for papers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from snellen.cli.flags import flags, runs_argument
from snellen.cli.several import opened as opened_runs
from snellen.core.errors import SnellenError
from snellen.engine.runs.run import Run
from snellen.engine.runs.writing import replacing, writing_to
from snellen.present.files import export as files
from snellen.present.files.charts import write_chart
from snellen.present.files.eval_results import eval_results
from snellen.present.files.every_eval import Evaluator, records
from snellen.present.files.export import FOR_PAPERS, ONE_TABLE, OTHER_SUFFIXES, SUFFIXES, ExportRows
from snellen.present.model.checks import check, check_marks
from snellen.present.model.formatting import counted

FORMATS = ("csv", "parquet", "latex", "md", "xlsx", "json")
CHARTS = ("svg", "png", "pdf")
FOLDERS = ("eee", "hf")
SHOWN = 10
_NEXT = {
    "csv": "A cell that could be a formula begins with an apostrophe.",
    "parquet": "DuckDB, pandas and pyarrow read it.",
    "latex": r"In a paper: \usepackage{booktabs,graphicx}, and \input this file.",
    "md": "Paste it where Markdown has tables.",
    "xlsx": "No cell of it is a formula.",
    "json": "One document.",
    "eee": "The folder is laid out as Every Eval Ever's data store.",
    "hf": "Put .eval_results into the model's repository, by a pull request.",
}


class _ExportFormat(click.Choice[str]):
    """A format by its name, or by its file extension."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert({"tex": "latex", "markdown": "md"}.get(value, value), param, ctx)


@click.command("export")
@runs_argument
@click.option(
    "--format",
    "form",
    type=_ExportFormat([*FORMATS, *CHARTS, *FOLDERS]),
    help="Default: by the name of --out, else csv.",
)
@flags("export")
def command(
    runs: tuple[Path, ...],
    form: str | None,
    out: Path | None,
    samples: bool,
    protocol: str | None,
    table: str | None,
    published: bool,
    **details: str | None,
) -> int:
    """Write the scores of RUNS, or of all runs in a folder, as one table: tidy for programs (csv, parquet, xlsx, json), or as a paper
    has it (latex, md). Or as a chart (svg, png, pdf): a dot with its interval for each part and run, and the floors.

    Or as records for others: Every Eval Ever (eee), Hugging Face's .eval_results (hf).

    \b
    snellen export runs/* --out scores.csv
    snellen export runs/salbench_* --table paper --published --out table.tex
    snellen export runs/salbench_* --out salbench.pdf
    snellen export runs/salbench_* --format eee --evaluator Lab --out records
    """
    form = form or _by_name(out)
    if out is None and form in (*files.BINARY, *CHARTS):
        raise SnellenError(f"{form} is no text for the screen: name a file with --out")
    if samples and form in files.FOR_PAPERS:
        raise SnellenError(f"--samples has no table in {form}: choose from csv, parquet, xlsx, json")
    if samples and table:
        raise SnellenError("--samples and --table are different tables: choose one")
    if form in CHARTS and (samples or table or published):
        raise SnellenError(f"--samples, --table and --published have no form in {form}: a chart has the headlines")
    opened, passed = opened_runs(runs, "export", check if form in CHARTS else check_marks if samples else None)
    for line in passed:
        click.echo(f"Passed over: {line}", err=True)
    if form in FOLDERS:
        if table or published:
            raise SnellenError(f"--table and --published have no form in {form}: it has the scores of runs alone")
        return _records(opened, form, out, protocol, samples, details)
    if form in CHARTS and out is not None:
        write_chart(opened, out, form, protocol)
        click.echo(f"Wrote {out}: the headlines of {counted(len(opened), 'run')}")
        return 0
    rows = files.rows_of(opened, samples=samples, protocol=protocol, published=published)
    if published and not any(r.published for r in rows.scores):
        click.echo("note: there are no published figures for these runs (real data, the same protocol)", err=True)
    content = files.exported(rows, form, table or "")
    if out is None:
        click.echo(content, nl=False)
        return 0
    _write(out, content)
    of = f"{len(opened)} run" + ("s" if len(opened) > 1 else "")
    click.echo(
        f"Wrote {out}: {_counted(rows, 'md' if table else form)} of {of}" + (f" · {rows.status}" if rows.status else "")
    )
    click.echo(f"{_NEXT[form]} docs/reporting.md explains every column.")
    return 0


def _records(
    runs: Sequence[Run],
    form: str,
    out: Path | None,
    protocol: str | None,
    samples: bool,
    details: Mapping[str, str | None],
) -> int:
    """Write records for other programs, all or none."""
    if out is None:
        raise SnellenError(f"{form} is a folder of files: name it with --out")
    if form == "hf":
        if samples:
            raise SnellenError("--samples has no form in hf: choose eee")
        files = eval_results(runs, protocol=protocol, dataset=details["dataset"], url=details["source_url"])
    else:
        who = Evaluator(details["evaluator"] or "", details["relationship"] or "other")
        model = details["model_id"]
        files = records(runs, who, int(time.time()), protocol=protocol, model_id=model, samples=samples)
    for name, content in files:
        _write(out / name, content)
    for name, _content in files[:SHOWN]:
        click.echo(f"Wrote {out / name}")
    if len(files) > SHOWN:
        click.echo(f"and {len(files) - SHOWN} more files")
    click.echo(f"{_NEXT[form]} docs/reporting.md explains what is in them.")
    return 0


def _counted(rows: ExportRows, form: str) -> str:
    """Return a short description of a file's content."""
    if form in FOR_PAPERS:
        return "the headlines"
    scores, samples = counted(len(rows.scores), "score"), f"{counted(len(rows.samples or ()), 'row')} of samples"
    if rows.samples is None:
        return scores
    return samples if form in ONE_TABLE else f"{scores} and {samples}"


def _by_name(out: Path | None) -> str:
    if out is None:
        return "csv"
    known = {suffix: form for form, suffix in SUFFIXES.items()} | OTHER_SUFFIXES | {f".{form}": form for form in CHARTS}
    found = known.get(out.suffix.lower())
    if found is None:
        raise SnellenError(f"the name {out} does not say a format: add --format {'|'.join([*FORMATS, *CHARTS])}")
    return found


def _write(out: Path, content: bytes) -> None:
    with writing_to(out), replacing(out.parent, out.name) as file:
        file.write(content)
