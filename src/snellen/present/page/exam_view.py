"""The runs of a page by exam: their headline scores and, for two or more comparable runs, which leads, by how much, and on which data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison, Flip
from snellen.comparison.thresholds import examined, thresholds_of
from snellen.comparison.verdict import leading
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.gallery import GalleryItem
from snellen.engine.runs.run import Run
from snellen.present.model.comparison_view import ComparedTable, compared_tables, order_of, ranking_table
from snellen.present.model.run_view import OverviewRow
from snellen.present.model.table_view import TableView
from snellen.present.page import gallery
from snellen.present.page.prescription_view import PrescriptionView, prescription_view
from snellen.present.page.report_run import ReportRun

EACH = 6  # samples shown for each side
SCORES = "Headline scores under each run's main protocol, part by part"
ORACLE = "ORACLE runs, which look at the answer: for comparison only"


class _OneSided(NamedTuple):
    """Samples that only one run got right, each once. `cards` shows some of `total`, each under all protocols where possible."""

    letter: str
    subject: str
    total: int
    cards: list[tuple[list[Flip], GalleryItem]]


class _RunsCompared(NamedTuple):
    """Some runs of one exam on the same data, compared, or why they cannot be (`refused`)."""

    found: Comparison | None
    refused: str
    numbers: list[int]
    tables: Sequence[ComparedTable] = ()
    ranking: TableView | None = None
    between: Sequence[str] = ()
    """The letters of the two runs that are compared sample by sample."""
    flips: Sequence[_OneSided] = ()


Parts = list[tuple[str, list[tuple[ReportRun, OverviewRow]]]]


class _ExamView(NamedTuple):
    """Everything that the page shows of the runs of one exam, side by side."""

    name: str
    anchor: str
    views: list[ReportRun]
    charts: Sequence[tuple[str, bool, Parts]] = ()
    versus: Sequence[_RunsCompared] = ()
    alone: Sequence[str] = ()
    rx: PrescriptionView | None = None
    """The prescription of an exam with thresholds. It replaces comparisons and scores in percent."""

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Return the leader of each comparison, and the models that the letters stand for."""
        if self.rx is not None:
            who_is_who = ", ".join(f"{m.one.letter} is {m.one.name}" for m in self.rx.models)
            return [(who_is_who, line) for line in self.rx.verdicts]
        return [
            (
                ", ".join(f"{side.letter} is {side.subject}" for side in v.found.sides),
                leading(v.found.rows, v.found.ranking),
            )
            for v in self.versus
            if v.found is not None and v.found.verdict
        ]


def exam_views(views: Sequence[ReportRun], samples: int, sources: gallery.Sources) -> list[_ExamView]:
    """Return the runs by exam, in the order of the exams."""
    by_exam: dict[str, list[ReportRun]] = {}
    for view in views:
        by_exam.setdefault(view.run.manifest.exam, []).append(view)
    return [_exam(name, f"exam-{at}", some, samples, sources) for at, (name, some) in enumerate(by_exam.items(), 1)]


def _exam(name: str, anchor: str, views: list[ReportRun], samples: int, sources: gallery.Sources) -> _ExamView:
    if thresholds_of(views[0].run.manifest) is not None:
        rx = prescription_view(examined([view.run for view in views]), sources.pool, anchor)
        return _ExamView(name, anchor, views, rx=rx)
    kinds = ((SCORES, False), (ORACLE, True))
    charts = [(title, peeks, made) for title, peeks in kinds if (made := _chart(views, peeks))]
    groups: dict[str, list[ReportRun]] = {}
    for view in views:
        if not view.run.manifest.oracle:
            data = view.run.manifest.data
            groups.setdefault(repr((data.synthetic, sorted(data.origin.items()))), []).append(view)
    versus = [_versus(own, samples, sources) for own in groups.values() if len(own) > 1]
    alone = [own[0].view.title for own in groups.values() if len(own) == 1 < len(views)]
    return _ExamView(name, anchor, views, charts, versus, alone)


def _chart(views: Sequence[ReportRun], peeks: bool) -> Parts:
    """Return every part with the runs that have it, each under its main protocol."""
    parts: dict[str, list[tuple[ReportRun, OverviewRow]]] = {}
    for view in views:
        for row in view.view.overview if bool(view.view.manifest.oracle) is peeks else ():
            if row.first:
                parts.setdefault(row.part, []).append((view, row))
    return list(parts.items())


def _versus(views: Sequence[ReportRun], samples: int, sources: gallery.Sources) -> _RunsCompared:
    """Compare runs. Of several, the two leading ones are compared sample by sample."""
    runs, numbers = [view.run for view in views], [view.number for view in views]
    try:
        found = pair = compare_runs(runs, flips=samples > 0)
        if found.ranking is not None:
            first = order_of(found)[:2]
            best = [run for run, side in zip(runs, found.sides, strict=True) if side.letter in first]
            pair = compare_runs(best, protocols=found.protocols[:1], flips=samples > 0)
    except SnellenError as error:
        return _RunsCompared(None, str(error), numbers)
    letters = {side.run: side.letter for side in found.sides}
    flips = _one_sided(pair, letters, {str(run.path): run for run in runs}, sources) if samples else []
    between = [letters[side.run] for side in pair.sides]
    tables = compared_tables(found) if found.ranking is None else []
    return _RunsCompared(found, "", numbers, tables, ranking_table(found), between, flips)


# ---------------------------------------------------------------- flips


def _one_sided(
    found: Comparison, letters: dict[str, str], runs: dict[str, Run], sources: gallery.Sources
) -> list[_OneSided]:
    """Return, for each of two runs, the samples that only it got right, each once: a seeded few, those under most protocols first.

    `letters` are those of the page, of whose runs only two are compared here.
    """
    prompts = {row.protocol: row.prompt for row in found.rows}
    one_sided = []
    for side in found.sides:
        by_sample: dict[str, list[Flip]] = {}
        for flip in found.flips:
            if flip.only == side.letter:
                by_sample.setdefault(flip.id, []).append(flip)
        if by_sample:
            few = sorted(by_sample.values(), key=lambda some: (-len(some), rank(0, some[0].id)))[:EACH]
            asked = [(some[0].id, prompts[some[0].protocol]) for some in few]
            items = gallery.plain_items(runs[found.sides[0].run], asked, sources)
            cards = list(zip(few, items, strict=True))
            one_sided.append(_OneSided(letters[side.run], side.subject, len(by_sample), cards))
    return one_sided
