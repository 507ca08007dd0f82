"""Runs as one file: the tidy tables as CSV, Parquet, Excel or JSON, or the table of a paper in LaTeX or Markdown."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import __version__, exams
from snellen.core.cells import Cell, WorkbookSheet, csv_bytes, workbook
from snellen.core.errors import SnellenError
from snellen.core.extras import PaperTables
from snellen.core.layout import By, Layout
from snellen.data import parquet
from snellen.data.synthetic_marker import MARK
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import SCHEMA, SampleRow, ScoreRow, TidyTable, statuses, table_of
from snellen.present.files.latex import latex
from snellen.present.files.markdown import markdown
from snellen.present.model import formatting
from snellen.present.model.paper_table import NOTHING, PaperTable, check_protocol, paper_tables

SUFFIXES = {"csv": ".csv", "parquet": ".parquet", "latex": ".tex", "md": ".md", "xlsx": ".xlsx", "json": ".json"}
OTHER_SUFFIXES = {".latex": "latex", ".markdown": "md"}
BINARY = ("parquet", "xlsx")
FOR_PAPERS = ("latex", "md")
WITH_TABLES = ("latex", "md", "csv", "xlsx")
ONE_TABLE = ("csv", "parquet")
_PARQUET = {"text": "string", "integer": "int64", "number": "double", "yes or no": "bool"}


class ExportRows(NamedTuple):
    """The rows to export: scores, and samples if requested."""

    scores: list[ScoreRow]
    samples: list[SampleRow] | None = None

    @property
    def status(self) -> str:
        """Return the combined status of all rows: SYNTHETIC, INCOMPLETE and the like."""
        return statuses(r.status for r in (*self.scores, *(self.samples or ())))

    @property
    def tables(self) -> list[TidyTable]:
        """Return the flat tables."""
        scores = table_of("scores", ScoreRow, self.scores)
        return [scores] if self.samples is None else [scores, table_of("samples", SampleRow, self.samples)]


def rows_of(
    runs: Sequence[Run], *, samples: bool = False, protocol: str | None = None, published: bool = False
) -> ExportRows:
    """Return the rows of some runs, of one protocol if it is named. A paper's figure appears once, even if several runs match it."""
    scores: list[ScoreRow] = []
    papers: dict[tuple[Any, ...], ScoreRow] = {}
    for run in runs:
        for row in run.score_rows(published=published):
            if row.published:
                shots = row.options.get("shots")
                key = (row.exam, row.protocol, row.version, row.subject, shots, *row.by.items(), row.metric)
                papers.setdefault(key, row)
            else:
                scores.append(row)
    if protocol is not None:
        check_protocol(scores, protocol)
    wanted = [r for r in (*scores, *papers.values()) if protocol in (None, r.protocol)]
    if not samples:
        return ExportRows(wanted)
    return ExportRows(wanted, [r for run in runs for r in run.sample_rows() if protocol in (None, r.protocol)])


def exported(rows: ExportRows, form: str, table: str = "") -> bytes:
    """Return the content of a file. CSV and Parquet hold one table: the samples if there are any, else the scores.

    Paper tables have no samples. `table` names a table of the exams' papers (`paper`, `details`), for formats in `WITH_TABLES`.
    """
    if table and form not in WITH_TABLES:
        raise SnellenError(f"--table has no form in {form}: choose from {', '.join(WITH_TABLES)}")
    if form in FOR_PAPERS or table:
        papers = paper_tables(rows.scores, table, _layouts)
        if form == "latex":
            return latex(papers).encode()
        if form == "md":
            return "\n".join(map(markdown, papers)).encode()
        return workbook(_wide_sheets(papers)) if form == "xlsx" else _wide_csv(papers)
    if form == "xlsx":
        return workbook([WorkbookSheet(t.name, _cells(t)) for t in rows.tables])
    if form == "csv":
        return csv_bytes(_cells(rows.tables[-1]), line_end="\r\n")
    return _parquet(rows) if form == "parquet" else _json(rows)


def _layouts(exam: str, protocol: str, parts: Sequence[By]) -> Iterable[Layout]:
    """Return the tables of an exam's paper, or none if the exam is a plugin that is not installed."""
    tables = exams.load(exam).extra(PaperTables) if exam in exams.names() else None
    return tables.layouts(protocol, parts) if tables is not None else ()


def _wide_csv(tables: Sequence[PaperTable]) -> bytes:
    if len(tables) > 1:
        fewer = ", or choose runs of one exam" if len({t.exam for t in tables}) > 1 else ""
        raise SnellenError(
            f"these are {len(tables)} tables, and a CSV file holds one: write xlsx, md or latex (--format){fewer}"
        )
    return csv_bytes(wide_rows(tables[0]))


def _wide_sheets(tables: Sequence[PaperTable]) -> list[WorkbookSheet]:
    return [WorkbookSheet(f"table {i}", [*wide_rows(t), [], [" ".join(t.caption)]]) for i, t in enumerate(tables, 1)]


def wide_rows(table: PaperTable) -> list[Sequence[Cell]]:
    """Return a paper table as plain cells: model, shots and figures. The status is part of the name."""
    made = [formatting.SYNTHETIC.partition(".")[0]] if formatting.SYNTHETIC in table.caption else []
    rows: list[Sequence[Cell]] = [["Model", "Shot", *(head.whole.replace(" ", "_") for head in table.heads)]]
    for line in (*table.lines, *table.published):
        said = ", ".join(filter(None, [line.status, *made]))
        name = line.subject + (f" ({said})" if said else "")
        rows.append([name, line.shots, *(None if f.value == NOTHING else float(f.value) for f in line.figures)])
    return rows


def _cells(table: TidyTable) -> list[Sequence[Any]]:
    """Return a table with its header. Booleans are written as words, since some programs do not know them."""
    plain = [[str(v).lower() if isinstance(v, bool) else v for v in row] for row in table.rows]
    return [table.names, *plain]


def _parquet(rows: ExportRows) -> bytes:
    """Return one typed table. For synthetic data the metadata carries our label, as in the data sets themselves."""
    table = rows.tables[-1]
    notes = {"snellen.table": f"{table.name} {SCHEMA}", "snellen.version": __version__}
    notes |= {"snellen.status": rows.status} if rows.status else {}
    origin = next((r.data_origin for r in rows.scores if r.data_origin), None)
    notes |= {MARK: json.dumps(origin)} if origin else {}
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.columns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        parquet.write(path, {c.name: _PARQUET[c.kind] for c in table.columns}, columns, notes, packed=True)
        return path.read_bytes()


def _json(rows: ExportRows) -> bytes:
    document: dict[str, Any] = {"schema": SCHEMA, "snellen": __version__, "status": rows.status, "scores": rows.scores}
    document |= {} if rows.samples is None else {"samples": rows.samples}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
