"""A run as people see it: every number with its metric, interval, floor and n, outcomes, tables and sentences.

Made once from the summary. Terminal, page and viewer lay it out and compute nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snellen.comparison.thresholds import thresholds_of
from snellen.core.arm import CONTROLS, Arm
from snellen.core.exam import Exam
from snellen.core.finding import Finding
from snellen.core.model_names import model_name
from snellen.core.records import Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score, declared
from snellen.core.types import Outcome
from snellen.engine.mark.integrity import mismatch
from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.controls_view import ControlsView, all_controls, controls, position, position_line
from snellen.present.model.findings import SAID_ELSEWHERE, findings, heaviest
from snellen.present.model.formatting import ProtocolNames
from snellen.present.model.run_facts import facts_of
from snellen.present.model.sample_view import SeenAnswers
from snellen.present.model.table_view import Heading, ScoreCell, TableView, score_cell

MOST_CELLS = 240
"""Cells of the table of groups from which on it has the main protocol alone."""


class OutcomeShare(NamedTuple):
    """How many answers had an outcome; where its share begins and how wide it is, from 0 to 1."""

    outcome: str
    n: int
    start: float
    share: float


class OutcomeRow(NamedTuple):
    """The outcomes of a part under protocols that say the same; in words; and how far the score could be."""

    names: ProtocolNames
    shares: tuple[OutcomeShare, ...]
    text: str
    bounds: str


class MetricRow(NamedTuple):
    """A metric of a part, with a cell for each column. A first look can do without a `detail`."""

    label: str
    detail: bool
    cells: tuple[ScoreCell | None, ...]


class PartView(NamedTuple):
    """A part of the exam with all protocols side by side; `lines` are further rows of texts: outcomes, repeats, range."""

    name: str
    by: dict[str, str]
    n: int
    size: str
    headings: tuple[Heading, ...]
    metrics: tuple[MetricRow, ...]
    lines: tuple[tuple[str, tuple[str, ...]], ...]
    outcomes: tuple[OutcomeRow, ...]


class BreakdownColumn(NamedTuple):
    """The scores of groups under protocols that say the same, by one metric."""

    names: ProtocolNames
    metric: str
    cells: tuple[ScoreCell | None, ...]


class Breakdown(NamedTuple):
    """The groups within the parts, each with its n."""

    groups: tuple[tuple[str, int], ...]
    columns: tuple[BreakdownColumn, ...]

    @property
    def short(self) -> tuple[BreakdownColumn, ...]:
        """Return the columns that a page has room for: all, or the main protocol's."""
        return self.columns if len(self.groups) * len(self.columns) <= MOST_CELLS else self.columns[:1]

    @property
    def left_out(self) -> str:
        """Return the protocols that a page has no room for."""
        return ", ".join(name for column in self.columns[len(self.short) :] for name in column.names)


class OverviewRow(NamedTuple):
    """The headline of a part under protocols that say the same. `first` of `span` rows of the part."""

    part: str
    size: str
    names: ProtocolNames
    metric: str
    cell: ScoreCell | None
    silent: str
    first: bool
    span: int


class HeadlineRow(NamedTuple):
    """A part under the main protocol, its share of non-answers, and the spread of the other protocols' headlines."""

    part: str
    size: str
    cell: ScoreCell | None
    silent: str
    others: str


class Headlines(NamedTuple):
    """The run's first table: a row a part. `others` are the other protocols, `others_missing` explains '(4)' behind a spread."""

    metric: str
    protocol: str
    rows: tuple[HeadlineRow, ...]
    others: tuple[str, ...]
    others_note: str
    repeated: bool
    floors: str


@dataclass(frozen=True, slots=True)
class RunView:
    """All that people are shown of one run."""

    exam: str
    model: str
    title: str
    path: str
    folder: str
    samples: int
    synthetic: bool
    complete: bool
    oracle: str
    stale: str
    thresholds: bool
    """Whether it found thresholds, which have tables of their own."""
    protocols: dict[str, ProtocolSummary]
    """Its protocols without those of control arms, the main one first: for templates that show a sample's metrics."""
    findings: tuple[Finding, ...]
    facts: tuple[tuple[str, str], ...]
    headlines: Headlines | None
    overview: tuple[OverviewRow, ...]
    parts: tuple[PartView, ...]
    outcomes: tuple[str, ...]
    ranges: str
    breakdown: Breakdown
    controls: ControlsView | None
    all_controls: TableView
    position: TableView
    position_line: str
    published: TableView
    published_source: str
    described: TableView
    prompts: tuple[tuple[str, str], ...]
    forbidden: tuple[tuple[ProtocolNames, str], ...]
    legend: str
    repeats: int
    first_only: str
    alike: tuple[str, ...]
    answered: tuple[str, ...]
    failed: int
    incomplete: str
    silence: tuple[str, ...]
    no_answers: str
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    failures: tuple[tuple[str, int], ...]
    scored_by: tuple[str, ...]
    calls: str

    @property
    def own_findings(self) -> list[Finding]:
        """Return those that its section does not say in other words."""
        return [one for one in self.findings if one.kind not in SAID_ELSEWHERE]

    def heaviest(self, most: int) -> list[Finding]:
        """Return what a first screen has room for."""
        return heaviest(self.findings, most)


def run_view(
    run: Run, exam: Exam | None = None, *, stages: Mapping[str, int] | None = None, seen: SeenAnswers | None = None
) -> RunView:
    """Make the view of a run. `exam` adds what only it can tell, `stages` counts the samples on which protocols part, `seen` is what a
    pass over all answers gave.
    """
    manifest, summary = run.manifest, run.summary
    protocols = summary.plain
    parts = formatting.side_by_side(protocols, whole=True)
    silence = formatting.silence(summary)
    main = next(iter(protocols), None)
    outcomes = _outcomes(protocols)
    return RunView(
        exam=manifest.exam,
        model=model_name(manifest),
        title=formatting.title(manifest),
        path=str(run.path),
        folder=run.path.name,
        samples=manifest.data.samples,
        synthetic=summary.synthetic,
        complete=summary.complete,
        oracle=manifest.oracle,
        stale=mismatch(run, summary),
        thresholds=thresholds_of(manifest) is not None,
        protocols={p.protocol: p for p in protocols},
        findings=tuple(findings(summary, exam, stages)),
        facts=tuple(facts_of(run, summary, seen)) if seen is not None else (),
        headlines=_headlines(summary) if main is not None else None,
        overview=tuple(row for part in parts for row in _overview(summary, part)),
        parts=tuple(_part(protocols, part, outcomes) for part in parts),
        outcomes=outcomes,
        ranges=formatting.bounded(protocols),
        breakdown=_breakdown(protocols),
        controls=controls(summary),
        all_controls=all_controls(summary),
        position=position(summary.position),
        position_line=position_line(summary.position[0]) if summary.position else "",
        published=_published(summary),
        published_source=next((row.source for row in summary.published), ""),
        described=_described(protocols, exam),
        prompts=tuple((text, _about(Arm.parse(text), exam)) for text in summary.asked),
        forbidden=tuple(formatting.forbidden_by(protocols)),
        legend=formatting.legend(protocols),
        repeats=max((p.repeats for p in protocols), default=1),
        first_only=repeats.first_only(protocols),
        alike=tuple(repeats.alike(main)) if main is not None else (),
        answered=tuple(
            f"{n} of {summary.expected.get(text, n)} to prompt '{text}'" for text, n in summary.asked.items()
        ),
        failed=summary.failed,
        incomplete="" if summary.complete else formatting.incomplete(summary),
        silence=tuple(silence),
        no_answers="" if silence or main is None else formatting.no_answers(g for g in main.groups if g.whole),
        advice=tuple(summary.advice),
        notes=tuple(summary.notes),
        failures=tuple(summary.failures.items()),
        scored_by=tuple(formatting.scored_by(summary)),
        calls=formatting.calls(summary.totals, summary.subject),
    )


# ---------------------------------------------------------------- parts


def _outcomes(protocols: Iterable[ProtocolSummary]) -> tuple[str, ...]:
    """Return the outcomes that some part has, and always correct and wrong."""
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    return tuple(o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG))


def _part(protocols: Sequence[ProtocolSummary], part: dict[str, GroupSummary], outcomes: Sequence[str]) -> PartView:
    columns, n = formatting.columns(protocols, part), formatting.most(part.values())
    found: dict[str, tuple[str, bool]] = {}
    for column in columns:
        for key in column.group.metrics:
            metric = declared(column.protocol.metrics, key)
            detail = metric.detail or metric.name != key
            label, already = found.get(key, (formatting.metric_name(column.protocol, key), True))
            found[key] = label, already and detail
    rows = (
        MetricRow(
            label, detail, tuple(score_cell(c.protocol, key, c.group.metrics.get(key), c.group.n) for c in columns)
        )
        for key, (label, detail) in found.items()
    )
    same = formatting.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    return PartView(
        name=formatting.group_name(columns[0].group),
        by=columns[0].group.by,
        n=n,
        size=formatting.size(columns[0].protocol, part.values()),
        headings=tuple(Heading(str(c.names), "names", f"n = {c.group.n}" if c.group.n != n else "") for c in columns),
        metrics=tuple(rows),
        lines=tuple(_lines(columns)),
        outcomes=tuple(_outcome_row(names, part[names[0]], outcomes) for names, _said in same),
    )


def _lines(columns: Sequence[formatting.ProtocolColumn]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Return the further rows of a part: outcomes, how alike repeats are, how far the score could be."""
    yield "outcomes", tuple(formatting.outcomes(c.group) for c in columns)
    if any(c.group.consistency for c in columns):
        yield "repeats", tuple(repeats.consistency(c.group) for c in columns)
    if any(c.group.bounds for c in columns):
        yield formatting.bounded(c.protocol for c in columns), tuple(formatting.bounds(c.group) for c in columns)


def _outcome_row(names: ProtocolNames, group: GroupSummary, outcomes: Sequence[str]) -> OutcomeRow:
    """Return the outcomes of a group as shares of its answers."""
    shares: list[OutcomeShare] = []
    before = 0
    for name in outcomes:
        n = group.outcomes.get(name, 0)
        shares.append(OutcomeShare(name, n, before / max(1, group.answers), n / max(1, group.answers)))
        before += n
    return OutcomeRow(names, tuple(shares), formatting.outcomes(group), formatting.bounds(group))


def _overview(summary: Summary, part: dict[str, GroupSummary]) -> Iterable[OverviewRow]:
    """Return the headline of a part under every protocol, those together that say the same."""
    by_name = {p.protocol: p for p in summary.plain if p.protocol in part}
    columns = formatting.columns(summary.plain, part)
    scores = ((name, _headline(by_name[name], part[name])) for column in columns for name in column.names)
    found = formatting.together(scores)
    group = columns[0].group
    for place, (names, (metric, size, cell)) in enumerate(found):
        silent = formatting.silent_share(summary, names[0], group.by)
        yield OverviewRow(formatting.group_name(group), size, names, metric, cell, silent, place == 0, len(found))


def _headline(p: ProtocolSummary, group: GroupSummary) -> tuple[str, str, ScoreCell | None]:
    """Return the metric of a protocol's headline, on how many samples and images it is, and the score."""
    score = group.metrics.get(p.headline)
    size = formatting.on_clusters(score.n if score else group.n, group.clusters, p.cluster)
    return formatting.metric_name(p, p.headline), size, score_cell(p, p.headline, score)


def _breakdown(protocols: Sequence[ProtocolSummary]) -> Breakdown:
    groups = formatting.side_by_side(protocols, whole=False)
    names = formatting.told_apart([next(iter(g.values())) for g in groups])
    sizes = [formatting.most(g.values()) for g in groups]
    columns: dict[str, BreakdownColumn] = {}
    for p in protocols if groups else ():
        key = formatting.breakdown_metric(p)
        scores = (g[p.protocol].metrics.get(key) if p.protocol in g else None for g in groups)
        cells = tuple(score_cell(p, key, score, n) for score, n in zip(scores, sizes, strict=True))
        columns[p.protocol] = BreakdownColumn(ProtocolNames(), formatting.metric_name(p, key), cells)
    same = formatting.together((name, (c.metric, [x and x.printed for x in c.cells])) for name, c in columns.items())
    found = tuple(columns[names[0]]._replace(names=names) for names, _printed in same)
    return Breakdown(tuple(zip(names, sizes, strict=True)), found)


# ---------------------------------------------------------------- the first table


def _headlines(summary: Summary) -> Headlines:
    main, others = summary.plain[0], summary.plain[1:]
    rows, scores = [], []
    for part in formatting.side_by_side(summary.plain, whole=True):
        own = part.get(main.protocol)
        score = own.metrics.get(main.headline) if own is not None else None
        group, n = own or next(iter(part.values())), own.n if own is not None else formatting.most(part.values())
        there = _headlines_of(others, part, score)
        rows.append(
            HeadlineRow(
                formatting.group_name(group),
                formatting.size(main, [own] if own is not None else part.values()),
                score_cell(main, main.headline, score, n),
                formatting.silent_share(summary, main.protocol, group.by),
                _spread(there, len(others)) if others else "",
            )
        )
        scores.append((score, len(there)))
    headlines = [g.metrics[main.headline] for g in main.groups if g.whole and main.headline in g.metrics]
    return Headlines(
        metric=formatting.metric_name(main, main.headline),
        protocol=main.protocol,
        rows=tuple(rows),
        others=tuple(p.protocol for p in others),
        others_note=_others_note(summary.plain, [n for _score, n in scores]),
        repeated=any(score.spread is not None for score in headlines),
        floors=formatting.floor_legend([main]) if any(score.floor is not None for score in headlines) else "",
    )


def _headlines_of(
    others: Sequence[ProtocolSummary], part: Mapping[str, GroupSummary], main: Score | None
) -> list[tuple[float, str]]:
    """Return the headlines of a part under other protocols, in the unit of the main one, lowest first."""
    scores = [part[p.protocol].metrics.get(p.headline) for p in others if p.protocol in part]
    unit = main.unit if main is not None else ""
    return sorted(
        (s.value, formatting.value(s)) for s in scores if s is not None and s.value is not None and s.unit == unit
    )


def _spread(there: Sequence[tuple[float, str]], of: int) -> str:
    """Return '93.3–97.8', the lowest and the highest; of how many, where some protocols have no such score."""
    if not there:
        return "–"
    low, high = there[0][1], there[-1][1]
    return (low if low == high else f"{low}–{high}") + (f" ({len(there)})" if len(there) < of else "")


def _others_note(protocols: Sequence[ProtocolSummary], counts: Sequence[int]) -> str:
    """Say what the column of the other protocols has."""
    others = protocols[1:]
    if len(others) < 2:
        return ""
    said = f"Others: lowest to highest score by {', '.join(p.protocol for p in others)}"
    said += "." if len({p.headline for p in protocols}) == 1 else ", each by its own headline."
    few = next((n for n in counts if 0 < n < len(others)), None)
    return (
        said
        if few is None
        else f"{said} ({few}): only {few} of them {'has' if few == 1 else 'have'} such a score here."
    )


# ---------------------------------------------------------------- what was compared and run


def _published(summary: Summary) -> TableView:
    """Return papers' figures; those of every single label are in the paper's table of details, which `export` writes."""
    by_name = {p.protocol: p for p in summary.plain}
    rows = tuple(
        (
            *(formatting.part_name(row.by), formatting.metric_name(by_name.get(row.protocol), row.metric)),
            *(row.model, formatting.percent(row.value)),
        )
        for row in summary.published
        if "." not in row.metric
    )
    headings = (Heading("part", "name"), Heading("metric"), Heading("model"), Heading("percent", "number"))
    return TableView("Not measured here; samples, decoding and model versions may differ", headings, rows)


UNDESCRIBED = "Description unavailable in this version."


def _described(protocols: Iterable[ProtocolSummary], exam: Exam | None) -> TableView:
    """Return what protocols do, as the installed exam says it; only of the versions that the run has."""
    rows = []
    for p in protocols:
        name = p.protocol.partition("@")[0]
        rules = None
        if exam is not None:
            rules = exam.protocols.get(name)
        about = rules.about if rules is not None and rules.version == p.version else UNDESCRIBED
        rows.append((p.protocol, p.version, p.prompt, formatting.metric_name(p, p.headline), about))
    headings = (Heading("protocol", "name"), *map(Heading, ("version", "prompt", "headline", "what it does")))
    return TableView("Protocols of this run", headings, tuple(rows))


def _about(arm: Arm, exam: Exam | None) -> str:
    """Return what a prompt does, as the installed exam says it."""
    if (
        exam is None
        or arm.repeat != 1
        or arm.prompt not in exam.prompts
        or (arm.control and arm.control not in CONTROLS)
    ):
        return UNDESCRIBED
    return f"control, {arm.about}" if arm.control else exam.prompts[arm.prompt].about
