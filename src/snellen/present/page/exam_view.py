"""The runs of a page exam by exam: their headline scores, and where two or more can be compared, who leads, by how much, and on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison, Flip, RunSide
from snellen.comparison.thresholds import examined, thresholds_of
from snellen.comparison.verdict import leading
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.gallery import GalleryItem
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.comparison_view import ComparedTable, compared_tables
from snellen.present.model.run_view import OverviewRow
from snellen.present.model.table_view import Heading, TableView
from snellen.present.page import gallery
from snellen.present.page.prescription_view import PrescriptionView, prescription_view
from snellen.present.page.report_run import ReportRun

EACH = 6  # samples of a side that are shown
SCORES = "Headline scores under each run's main protocol, part by part"
ORACLE = "ORACLE runs, which look at the answer: for comparison only"


class _FlipCard(NamedTuple):
    """A sample that only one run got right: under which protocols, and what both said, each by its letter on the page."""

    flips: list[Flip]
    letters: tuple[str, str]
    item: GalleryItem

    @property
    def protocols(self) -> list[str]:
        return [flip.protocol for flip in self.flips]


class _OneSided(NamedTuple):
    """Samples that only one run got right, each once; `cards` are some of `total`."""

    letter: str
    subject: str
    total: int
    cards: list[_FlipCard]


class _RunsCompared(NamedTuple):
    """Some runs of one exam on the same data, compared; or why they cannot be (`refused`)."""

    found: Comparison | None
    refused: str
    numbers: list[int]
    tables: Sequence[ComparedTable] = ()
    ranking: TableView | None = None
    between: str = ""
    flips: Sequence[_OneSided] = ()


Parts = list[tuple[str, list[tuple[ReportRun, OverviewRow]]]]
RunAndView = tuple[Run, ReportRun]


class _ExamView(NamedTuple):
    """All that the page says of the runs of one exam, beside each other."""

    name: str
    anchor: str
    views: list[ReportRun]
    charts: Sequence[tuple[str, bool, Parts]] = ()
    versus: Sequence[_RunsCompared] = ()
    alone: Sequence[str] = ()
    rx: PrescriptionView | None = None
    """Of an exam that finds thresholds, these, in the place of comparisons and of scores in percent."""

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Return of each comparison who leads, and who the letters are."""
        if self.rx is not None:
            who_is_who = ", ".join(f"{m.one.letter} is {m.one.name}" for m in self.rx.models)
            return [(who_is_who, line) for line in self.rx.verdicts]
        return [
            (who(v.found.sides), leading(v.found.rows, v.found.ranking))
            for v in self.versus
            if v.found is not None and v.found.verdict
        ]


def who(sides: Sequence[RunSide]) -> str:
    """Return 'A is baseline/pixels, B is baseline/chance'."""
    return ", ".join(f"{side.letter} is {side.subject}" for side in sides)


def exam_views(
    runs: Sequence[Run], views: Sequence[ReportRun], samples: int, sources: gallery.Sources
) -> list[_ExamView]:
    """Return the runs by exam, in the order in which exams come."""
    by_exam: dict[str, list[RunAndView]] = {}
    for run, view in zip(runs, views, strict=True):
        by_exam.setdefault(run.manifest.exam, []).append((run, view))
    return [_exam(name, f"exam-{at}", some, samples, sources) for at, (name, some) in enumerate(by_exam.items(), 1)]


def _exam(name: str, anchor: str, some: Sequence[RunAndView], samples: int, sources: gallery.Sources) -> _ExamView:
    views = [view for _run, view in some]
    if thresholds_of(some[0][0].manifest) is not None:
        rx = prescription_view(examined([run for run, _view in some]), sources.pool, anchor)
        return _ExamView(name, anchor, views, rx=rx)
    kinds = ((SCORES, False), (ORACLE, True))
    charts = [(title, peeks, made) for title, peeks in kinds if (made := _chart(views, peeks))]
    groups: dict[str, list[RunAndView]] = {}
    for run, view in some:
        if not run.manifest.oracle:
            data = run.manifest.data
            groups.setdefault(repr((data.synthetic, sorted(data.origin.items()))), []).append((run, view))
    versus = [_versus(own, samples, sources) for own in groups.values() if len(own) > 1]
    alone = [view.view.title for own in groups.values() if len(own) == 1 < len(views) for _run, view in own]
    return _ExamView(name, anchor, views, charts, versus, alone)


def _chart(views: Sequence[ReportRun], peeks: bool) -> Parts:
    """Return every part with the runs that have it, each under its main protocol."""
    parts: dict[str, list[tuple[ReportRun, OverviewRow]]] = {}
    for view in views:
        for row in view.view.overview if bool(view.view.manifest.oracle) is peeks else ():
            if row.first:
                parts.setdefault(row.part, []).append((view, row))
    return list(parts.items())


def _versus(some: Sequence[RunAndView], samples: int, sources: gallery.Sources) -> _RunsCompared:
    """Compare runs; of several, the two that lead are compared sample by sample."""
    runs, numbers = [run for run, _view in some], [view.number for _run, view in some]
    try:
        found = pair = compare_runs(runs, flips=samples > 0)
        if found.ranking is not None:
            first = _order(found)[:2]
            best = [run for run, side in zip(runs, found.sides, strict=True) if side.letter in first]
            pair = compare_runs(best, protocols=found.protocols[:1], flips=samples > 0)
    except SnellenError as error:
        return _RunsCompared(None, str(error), numbers)
    letters = {side.run: side.letter for side in found.sides}
    flips = _one_sided(pair, letters, {str(run.path): run for run in runs}, sources) if samples else []
    between = " and ".join(letters[side.run] for side in pair.sides)
    tables = compared_tables(found) if found.ranking is None else []
    return _RunsCompared(found, "", numbers, tables, _ranking(found), between, flips)


# ---------------------------------------------------------------- places


def _ranking(found: Comparison) -> TableView | None:
    """Return a row for each run, and a column for each part and metric: the headline first, where that is not what is compared."""
    if found.ranking is None:
        return None
    rows = found.ranking.rows
    order = _order(found)
    sides = sorted(found.sides, key=lambda side: order.index(side.letter) if side.letter in order else len(order))
    headings = [Heading("run")]
    cells: dict[str, list[str]] = {side.letter: [f"{side.letter} {side.subject}"] for side in sides}
    for part in dict.fromkeys(row.part for row in rows):
        own = {row.run: row for row in rows if row.part == part}
        one = next(iter(own.values()))
        size = f"n = {formatting.on_clusters(one.n, one.clusters, one.cluster)}"
        if one.headline is not None:
            headings.append(Heading(f"{part or 'all'}, {one.headline_label}, {size}", "number"))
            for letter, line in cells.items():
                line.append(formatting.percent(own[letter].headline) if letter in own else "–")
        headings.append(Heading(f"{part or 'all'}, {one.label}, {size}", "number"))
        for letter, line in cells.items():
            place = own.get(letter)
            line.append("–" if place is None else f"{formatting.number(place.score, place.unit)} {place.groups}")
    for name, values in (
        ("USD for 1,000", [None if side.cost is None else f"{side.cost:.2f}" for side in sides]),
        ("median time", [None if side.seconds is None else f"{side.seconds:.2f} s" for side in sides]),
    ):
        if any(values):
            headings.append(Heading(name, "number"))
            for side, value in zip(sides, values, strict=True):
                cells[side.letter].append(value or "unknown")
    title = f"Under '{found.ranking.protocol}', the best first; runs that share a small letter in a column cannot be told apart"
    return TableView(title, tuple(headings), tuple(map(tuple, cells.values())))


def _order(found: Comparison) -> list[str]:
    """Return the runs of a ranking, the best over all samples first, or in the first part where nothing is said of all."""
    rows = found.ranking.rows if found.ranking is not None else ()
    return list(dict.fromkeys(row.run for row in sorted(rows, key=lambda row: bool(row.part))))


# ---------------------------------------------------------------- flips


def _one_sided(
    found: Comparison, letters: dict[str, str], runs: dict[str, Run], sources: gallery.Sources
) -> list[_OneSided]:
    """Return for each of two runs the samples that it alone got right, each once: a seeded few, first those under most protocols.

    `letters` are those of the page, where only two of its runs were compared here.
    """
    prompts = {row.protocol: row.prompt for row in found.rows}
    own_letters = {side.letter: letters[side.run] for side in found.sides}
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
            cards = [
                _FlipCard(some, (own_letters[some[0].first_run], own_letters[some[0].second_run]), item)
                for some, item in zip(few, items, strict=True)
            ]
            one_sided.append(_OneSided(letters[side.run], side.subject, len(by_sample), cards))
    return one_sided
