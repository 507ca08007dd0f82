"""A run on disk, to read: what it is, its scores, its samples, answers and marks. Reading one never executes anything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.figures import part_name
from snellen.core.model_names import model_name
from snellen.core.records import ControlRow, Manifest, Summary
from snellen.core.results import ProtocolSummary, Score
from snellen.core.types import Answer, Mark, Sample
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.notebook import frame, html_note, html_table
from snellen.engine.runs.sample_index import SampleIndex
from snellen.engine.runs.tidy import SampleRow, ScoreRow, table_of
from snellen.engine.runs.tidy_rows import published_rows, sample_rows, score_rows


class Run:
    """A run folder, to look at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = RunFolder(path)
        self.manifest: Manifest = self.folder.manifest()

    @property
    def summary(self) -> Summary:
        """summary.json as it stands."""
        return self.folder.summary()

    @property
    def protocols(self) -> list[ProtocolSummary]:
        """The results of each protocol; control arms are in `controls`."""
        return list(self.summary.plain)

    @property
    def controls(self) -> list[ControlRow]:
        """What the control arms say, one row an arm and part."""
        return list(self.summary.controls)

    @cached_property
    def index(self) -> SampleIndex:
        """Where each sample, its answers and its marks are, as the files were when it was first asked for."""
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
        """Return every score as tidy rows, and with `published` papers' figures for the same parts and protocols (real data only)."""
        summary = self.summary
        papers = published_rows(self.manifest, summary) if published else []
        return score_rows(self.folder, self.manifest, summary) + papers

    def sample_rows(self) -> Iterator[SampleRow]:
        """Return every sample under every protocol as tidy rows."""
        return sample_rows(self.folder, self.manifest, self.summary)

    def to_pandas(self, samples: bool = False, *, published: bool = False) -> Any:
        """Return the scores as a pandas DataFrame, or with `samples` one row for each sample and protocol (extra 'pandas')."""
        if samples:
            return frame(table_of("samples", SampleRow, list(self.sample_rows())))
        return frame(table_of("scores", ScoreRow, self.score_rows(published=published)))

    def samples(self) -> Iterator[Sample]:
        """Return the samples, without pictures."""
        return self.folder.samples()

    def answers(self) -> Iterator[Answer]:
        """Return the answers that count, with the calls behind them."""
        return self.folder.answers()

    def marks(self, protocol: str, repeat: int = 1) -> Iterator[Mark]:
        """Return the marks of one protocol: of the first time that questions were asked, or of a later one (`snellen run --repeats`)."""
        return self.folder.marks(protocol, repeat)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the headlines, or why there are none."""
        title = f"{self.manifest.exam} · {model_name(self.manifest)}"
        try:
            return html_table(title, self.score_rows())
        except SnellenError as error:
            return html_note(title, str(error))

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


def open_run(path: str | Path) -> Run:
    """Return a run folder, to read."""
    return Run(Path(path))
