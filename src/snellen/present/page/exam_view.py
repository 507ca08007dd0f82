"""The runs of a page exam by exam: their headline scores, and where two or more can be compared, who leads, by how much, and on what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.comparison.comparing import compare_runs
from snellen.comparison.results import Comparison, Flip, RunSide
from snellen.comparison.thresholds import examined, thresholds_of
from snellen.comparison.verdict import leading
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.gallery import Gallery, GalleryPicture, Pick
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.comparison_view import ComparedTable, compared_tables
from snellen.present.model.run_view import OverviewRow
from snellen.present.page import gallery
from snellen.present.page.prescription_view import PrescriptionView, prescription_view
from snellen.present.page.report_run import ReportRun

EACH = 6  # samples of a side that are shown
SCORES = "Headline scores under each run's main protocol, part by part"
ORACLE = "ORACLE runs, which look at the answer: for comparison only"


class RankRow(NamedTuple):
    """A run in a ranking: its score in each part by each metric, with the letters of the runs that it cannot be told apart from."""

    side: RunSide
    places: list[tuple[str, str]]


class FlipCard(NamedTuple):
    """A sample that only one run got right: under which protocols, and what both said. `sides` has both runs' letters."""

    flips: list[Flip]
    tags: dict[str, str]
    truth: Any
    question: str
    query: GalleryPicture

    @property
    def first(self) -> Flip:
        return self.flips[0]

    @property
    def protocols(self) -> list[str]:
        return [flip.protocol for flip in self.flips]


class OneSided(NamedTuple):
    """Samples that only one run got right, each once; `cards` are some of `total`."""

    letter: str
    subject: str
    total: int
    cards: list[FlipCard]


class RunsCompared(NamedTuple):
    """Some runs of one exam on the same data, compared; or why they cannot be (`refused`)."""

    found: Comparison | None
    refused: str
    numbers: list[int]
    tables: list[ComparedTable]
    ranks: list[RankRow]
    heads: list[str]
    between: str
    flips: list[OneSided]

    @property
    def costs(self) -> bool:
        return any(row.side.cost is not None for row in self.ranks)

    @property
    def times(self) -> bool:
        return any(row.side.seconds is not None for row in self.ranks)


Parts = list[tuple[str, list[tuple[ReportRun, OverviewRow]]]]


class ExamView(NamedTuple):
    """All that the page says of the runs of one exam, beside each other."""

    name: str
    anchor: str
    views: list[ReportRun]
    charts: list[tuple[str, bool, Parts]]
    versus: list[RunsCompared]
    alone: list[str]
    rx: PrescriptionView | None = None
    """Of an exam that finds thresholds, these, in the place of comparisons and of scores in percent."""

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Of each comparison who leads, and who the letters are."""
        if self.rx is not None:
            who_is_who = ", ".join(f"{m.one.letter} is {m.one.name}" for m in self.rx.models)
            return [(who_is_who, line) for line in self.rx.verdicts]
        return [
            (who(v.found.sides), leading(v.found.rows, v.found.ranking))
            for v in self.versus
            if v.found is not None and v.found.verdict
        ]


def who(sides: Sequence[RunSide]) -> str:
    """'A is baseline/pixels, B is baseline/chance'."""
    return ", ".join(f"{side.letter} is {side.subject}" for side in sides)


def exam_views(
    runs: Sequence[Run], views: Sequence[ReportRun], samples: int, sources: gallery.Sources
) -> list[ExamView]:
    """The runs by exam, in the order in which exams come."""
    by_exam: dict[str, list[tuple[Run, ReportRun]]] = {}
    for run, view in zip(runs, views, strict=True):
        by_exam.setdefault(run.manifest.exam, []).append((run, view))
    return [_exam(name, f"exam-{at}", some, samples, sources) for at, (name, some) in enumerate(by_exam.items(), 1)]


def _exam(
    name: str, anchor: str, some: Sequence[tuple[Run, ReportRun]], samples: int, sources: gallery.Sources
) -> ExamView:
    views = [view for _run, view in some]
    if thresholds_of(some[0][0].manifest) is not None:
        return ExamView(
            name,
            anchor,
            views,
            [],
            [],
            [],
            prescription_view(examined([run for run, _view in some]), sources.pool, anchor),
        )
    kinds = ((SCORES, False), (ORACLE, True))
    charts = [(title, peeks, made) for title, peeks in kinds if (made := _chart(views, peeks))]
    groups: dict[str, list[tuple[Run, ReportRun]]] = {}
    for run, view in some:
        if not view.view.manifest.oracle:
            data = run.manifest.data
            groups.setdefault(repr((data.synthetic, sorted(data.origin.items()))), []).append((run, view))
    versus = [_versus(own, samples, sources) for own in groups.values() if len(own) > 1]
    alone = [view.view.title for own in groups.values() if len(own) == 1 < len(views) for _run, view in own]
    return ExamView(name, anchor, views, charts, versus, alone)


def _chart(views: Sequence[ReportRun], peeks: bool) -> Parts:
    """Every part with the runs that have it, each under its main protocol."""
    parts: dict[str, list[tuple[ReportRun, OverviewRow]]] = {}
    for view in views:
        for row in view.view.overview if bool(view.view.manifest.oracle) is peeks else ():
            if row.first:
                parts.setdefault(row.part, []).append((view, row))
    return list(parts.items())


def _versus(some: Sequence[tuple[Run, ReportRun]], samples: int, sources: gallery.Sources) -> RunsCompared:
    runs, numbers = [run for run, _view in some], [view.number for _run, view in some]
    try:
        found = compare_runs(runs, flips=samples > 0)
        pair = found if found.ranking is None else _best_two(found, runs, samples)
    except SnellenError as error:
        return RunsCompared(None, str(error), numbers, [], [], [], "", [])
    tables = compared_tables(found) if found.ranking is None else []
    ranks, heads = _ranks(found)
    letters = {side.run: side.letter for side in found.sides}
    flips = _one_sided(pair, letters, {str(run.path): run for run in runs}, sources) if samples else []
    between = " and ".join(letters[side.run] for side in pair.sides)
    return RunsCompared(found, "", numbers, tables, ranks, heads, between, flips)


def _best_two(found: Comparison, runs: Sequence[Run], samples: int) -> Comparison:
    """The two that lead, of several, compared with each other."""
    first = _order(found)[:2]
    chosen = [run for run, side in zip(runs, found.sides, strict=True) if side.letter in first]
    return compare_runs(chosen, protocols=found.protocols[:1], flips=samples > 0)


# ---------------------------------------------------------------- differences and places


def _ranks(found: Comparison) -> tuple[list[RankRow], list[str]]:
    """A column for each part and metric: the headline first, where that is not what is compared."""
    if found.ranking is None:
        return [], []
    rows = found.ranking.rows
    places = {(row.run, row.part): row for row in rows}
    order = _order(found)
    sides = sorted(found.sides, key=lambda side: order.index(side.letter) if side.letter in order else len(order))
    heads: list[str] = []
    cells: dict[str, list[tuple[str, str]]] = {side.letter: [] for side in sides}
    for part in dict.fromkeys(row.part for row in rows):
        one = next(row for row in rows if row.part == part)
        own = {side.letter: places.get((side.letter, part)) for side in sides}
        size = f"n = {formatting.on_clusters(one.n, one.clusters, one.cluster)}"
        if one.headline is not None:
            heads.append(f"{part or 'all'}, {one.headline_label}, {size}")
            for letter, place in own.items():
                cells[letter].append((formatting.percent(place.headline) if place else "–", ""))
        heads.append(f"{part or 'all'}, {one.label}, {size}")
        for letter, place in own.items():
            cells[letter].append((formatting.number(place.score, place.unit), place.groups) if place else ("–", ""))
    return [RankRow(side, cells[side.letter]) for side in sides], heads


def _order(found: Comparison) -> list[str]:
    """The runs of a ranking, the best over all samples first, or in the first part where nothing is said of all."""
    rows = found.ranking.rows if found.ranking is not None else ()
    return list(dict.fromkeys(row.run for row in sorted(rows, key=lambda row: bool(row.part))))


# ---------------------------------------------------------------- flips


def _one_sided(
    found: Comparison, letters: dict[str, str], runs: dict[str, Run], sources: gallery.Sources
) -> list[OneSided]:
    """For each of two runs the samples that it alone got right under some protocol, each sample once."""
    prompts = {row.protocol: row.prompt for row in found.rows}
    sides = {side.letter: side for side in found.sides}
    one_sided = []
    for letter, side in sides.items():
        by_sample: dict[str, list[Flip]] = {}
        for flip in found.flips:
            if flip.only == letter:
                by_sample.setdefault(flip.id, []).append(_renamed(flip, sides, letters))
        if by_sample:
            cards = _cards(_some(by_sample.values()), prompts, runs[found.sides[0].run], sources)
            one_sided.append(OneSided(letters[side.run], side.subject, len(by_sample), cards))
    return one_sided


def _renamed(flip: Flip, sides: dict[str, RunSide], letters: dict[str, str]) -> Flip:
    """With the letters that the page's comparison has, where only two of its runs were compared here."""
    first, second, only = (letters[sides[one].run] for one in (flip.first_run, flip.second_run, flip.only))
    return msgspec.structs.replace(flip, first_run=first, second_run=second, only=only)


def _some(flips: Iterable[list[Flip]]) -> list[list[Flip]]:
    """A seeded few, those first that flip under most protocols."""
    return sorted(flips, key=lambda some: (-len(some), rank(0, some[0].id)))[:EACH]


def _cards(flips: list[list[Flip]], prompts: dict[str, str], run: Run, sources: gallery.Sources) -> list[FlipCard]:
    picks = [Pick("", "", some[0].id, prompts[some[0].protocol], {}) for some in flips]
    items = gallery.items(run, picks, gallery.look(run, picks).answers, Gallery(), sources)
    return [
        FlipCard(some, item.tags, item.truth, "\n".join(p for p in item.prompt if isinstance(p, str)), item.query)
        for some, item in zip(flips, items, strict=True)
    ]
