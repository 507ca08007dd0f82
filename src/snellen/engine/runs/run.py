"""A run on disk, to read: its manifest, scores, samples, answers and marks. Reading one never executes anything."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.figures import between, number, part_name
from snellen.core.model_names import model_name
from snellen.core.records import ControlRow, Manifest, Summary
from snellen.core.results import ProtocolSummary, Score
from snellen.core.text import for_terminal
from snellen.core.types import Answer, Mark, Sample
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.sample_index import SampleIndex
from snellen.engine.runs.tidy import (
    SampleRow,
    ScoreRow,
    TidyTable,
    published_rows,
    sample_rows,
    score_rows,
    statuses,
    table_of,
)

_PANDAS = {"text": "string", "integer": "Int64", "number": "float64", "yes or no": "boolean"}
_HEAD = ("protocol", "part", "score", "95 % interval", "n", "floor", "no answer")


class Run:
    """A run folder, for reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = RunFolder(path)
        self.manifest: Manifest = self.folder.manifest()

    @property
    def summary(self) -> Summary:
        """summary.json as it is."""
        return self.folder.summary()

    @property
    def protocols(self) -> list[ProtocolSummary]:
        """The results of each protocol. Control arms are in `controls`."""
        return list(self.summary.plain)

    @property
    def controls(self) -> list[ControlRow]:
        """The results of the control arms, one row for each arm and part."""
        return list(self.summary.controls)

    @cached_property
    def index(self) -> SampleIndex:
        """The place of each sample, its answers and its marks, for the files at the time of the first use."""
        return SampleIndex(self.folder).refreshed()

    def scores(self) -> dict[tuple[str, str], Score]:
        """Return the headline of every part under every protocol: `{("robust", "P3"): Score(...)}`."""
        return {
            (p.protocol, part_name(g.by)): g.metrics[p.headline]
            for p in self.protocols
            for g in p.groups
            if g.whole and p.headline in g.metrics
        }

    def score_rows(self, *, published: bool = False) -> list[ScoreRow]:
        """Return every score as tidy rows. With `published`, add papers' figures for the same parts and protocols (real data only)."""
        summary = self.summary
        papers = published_rows(self.manifest, summary) if published else []
        return score_rows(self.folder, self.manifest, summary) + papers

    def sample_rows(self) -> Iterator[SampleRow]:
        """Return every sample under every protocol as tidy rows."""
        return sample_rows(self.folder, self.manifest, self.summary)

    def to_pandas(self, samples: bool = False, *, published: bool = False) -> Any:
        """Return the scores as a pandas DataFrame, or with `samples` one row for each sample and protocol (extra 'pandas')."""
        if samples:
            return _frame(table_of("samples", SampleRow, list(self.sample_rows())))
        return _frame(table_of("scores", ScoreRow, self.score_rows(published=published)))

    def samples(self) -> Iterator[Sample]:
        """Return the samples, without images."""
        return self.folder.samples()

    def answers(self) -> Iterator[Answer]:
        """Return the answers that count, with the calls behind them."""
        return self.folder.answers()

    def marks(self, protocol: str, repeat: int = 1) -> Iterator[Mark]:
        """Return the marks of one protocol: of the first repeat, or of a later one (`snellen run --repeats`)."""
        return self.folder.marks(protocol, repeat)

    def _repr_html_(self) -> str:
        """Return the HTML for a notebook: the headlines, or why there are none."""
        title = f"{self.manifest.exam} · {model_name(self.manifest)}"
        try:
            shown = [r for r in self.score_rows() if r.headline and r.whole and not r.control]
        except SnellenError as error:
            return f"<div><p>{_safe(title)}</p><p><strong>{_safe(str(error))}</strong></p></div>"
        warnings = statuses(r.status for r in shown)
        loud = f" <strong>{_safe(warnings)}</strong>" if warnings else ""
        lines = "".join(_line("td", _cells(row)) for row in shown)
        table = f"<table><thead>{_line('th', _HEAD)}</thead><tbody>{lines}</tbody></table>"
        return f"<div><p>{_safe(title)}{loud}</p>{table}</div>"

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


def open_run(path: str | Path) -> Run:
    """Return a run folder, for reading."""
    return Run(Path(path))


# ---------------------------------------------------------------- in a notebook


def _frame(table: TidyTable) -> Any:
    """Return a table as a pandas DataFrame with nullable types, which do not depend on the rows' content."""
    try:
        pandas: Any = import_module("pandas")
    except ImportError:
        raise MissingExtra("a data frame", "pandas") from None
    columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.columns)
    return pandas.DataFrame(
        {
            c.name: pandas.Series(list(values), dtype=_PANDAS[c.kind])
            for c, values in zip(table.columns, columns, strict=True)
        }
    )


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_safe(cell)}</{tag}>' for cell in cells)}</tr>"


def _cells(row: ScoreRow) -> tuple[str, ...]:
    return (
        row.protocol,
        row.part,
        f"{row.label} {number(row.value, row.unit)}",
        between(row.low, row.high, row.unit),
        str(row.n),
        "" if row.floor is None else number(row.floor, row.unit),
        f"{row.non_answers} of {row.answers}" if row.non_answers else "",
    )


def _safe(text: str) -> str:
    return html.escape(for_terminal(text, 300))
