"""A run as users see it: every number with its metric, interval, floor and n, outcomes, tables and sentences.

Made once from the summary. Terminal, page and viewer lay it out and compute nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from snellen.comparison.thresholds import thresholds_of
from snellen.core.arm import CONTROLS, Arm
from snellen.core.exam import Exam
from snellen.core.finding import Finding
from snellen.core.records import ControlRow, Manifest, PositionRow, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score, declared
from snellen.core.types import Outcome
from snellen.engine.mark.integrity import mismatch
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.findings import SAID_ELSEWHERE, findings, heaviest
from snellen.present.model.formatting import ProtocolNames
from snellen.present.model.run_facts import facts_of
from snellen.present.model.table_view import Cell, Heading, ScoreCell, TableView, headings, score_cell

LONG_HEADER = 20
MOST_CELLS = 240
"""With this many cells in the table of groups, a page shows the main protocol only."""
SCORES = "percent [95 % interval] and floor"
UNDESCRIBED = "Description unavailable in this version."
CONTROL_HEADINGS = (
    *headings("", "part", "protocol", "metric", "control"),
    *headings("number", "n", "score", "with control"),
    Heading("difference", "difference"),
    *headings("number", "chance", "best constant"),
)
POSITION_HEADINGS = (
    Heading("protocol"),
    *headings("number", "pairs in both orders", "right in the first place", "right in the last place"),
    Heading("first minus last", "difference"),
    *headings("number", "all right as given", "all right swapped"),
    Heading("swapped minus given", "difference"),
    Heading("right in one order only", "number"),
)


class _OutcomeShare(NamedTuple):
    """The number of answers with an outcome, and the start and width of their share, from 0 to 1."""

    outcome: str
    n: int
    start: float
    share: float


class _OutcomeRow(NamedTuple):
    """The outcomes of a part under protocols with the same result, as shares and in words, and the possible range of the score."""

    names: ProtocolNames
    shares: tuple[_OutcomeShare, ...]
    text: str
    bounds: str


class PartView(NamedTuple):
    """A part of the exam with all protocols side by side.

    A first screen can omit the details.
    """

    name: str
    by: dict[str, str]
    scores: TableView
    details: TableView
    outcomes: tuple[_OutcomeRow, ...]


class OverviewRow(NamedTuple):
    """The headline of a part under protocols with the same result. `first` marks the first of `span` rows of the part."""

    part: str
    size: str
    names: ProtocolNames
    metric: str
    cell: ScoreCell | None
    silent: str
    first: bool
    span: int


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that users see of one run."""

    manifest: Manifest
    summary: Summary
    path: Path
    title: str
    stale: str
    thresholds: bool
    """True if the run has thresholds, which have their own tables."""
    protocols: dict[str, ProtocolSummary]
    """Its protocols without those of control arms, the main one first. Templates use them to show a sample's metrics."""
    findings: tuple[Finding, ...]
    facts: tuple[tuple[str, str], ...]
    headlines: TableView
    """The first table: each part under the main protocol, and the spread of the others."""
    headline_notes: tuple[str, ...]
    overview: tuple[OverviewRow, ...]
    parts: tuple[PartView, ...]
    outcomes: tuple[str, ...]
    ranges: str
    breakdown: TableView
    controls: TableView
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
    silence: tuple[str, ...]
    no_answers: str

    @property
    def own_findings(self) -> list[Finding]:
        """Return the findings that the run's section does not state otherwise."""
        return [one for one in self.findings if one.kind not in SAID_ELSEWHERE]

    @property
    def left_out(self) -> list[str]:
        """Return the protocols that a page has no room for in the table of groups: none, or all but the main one."""
        heads = self.breakdown.headings
        many = len(self.breakdown.rows) * (len(heads) - 2) > MOST_CELLS
        return [heading.text for heading in heads[3:]] if many else []

    @property
    def every_protocol(self) -> TableView:
        """Return the headline of each part under every protocol."""
        heads = (*headings("", "part", "protocol", "headline"), Heading("n", "number"), Heading("score", "score"))
        rows = ((row.part, str(row.names), row.metric, row.size, row.cell) for row in self.overview)
        return TableView(f"The headline of each part under each protocol: {SCORES}", heads, tuple(rows))

    @property
    def every_metric(self) -> TableView:
        """Return every metric of each part under the main protocol."""
        main = next(iter(self.protocols.values()), None)
        groups = [g for g in main.groups if g.whole] if main is not None else []
        if main is None or not groups:
            return TableView()
        rows = (
            (formatting.metric_name(main, key), *(score_cell(main, key, g.metrics.get(key), g.n) for g in groups))
            for key in dict.fromkeys(key for g in groups for key in g.metrics)
        )
        heads = (Heading("metric"), *headings("score", *(formatting.part_name(g.by) for g in groups)))
        return TableView(f"Every metric under '{main.protocol}'", heads, tuple(rows))

    @property
    def every_outcome(self) -> TableView:
        """Return the outcomes of each part under every protocol, and the possible range of the score."""
        rows = ((part.name, str(row.names), row.text, row.bounds) for part in self.parts for row in part.outcomes)
        return TableView("Outcomes", headings("", "part", "protocol", "outcomes", self.ranges), tuple(rows)).used

    def heaviest(self, most: int) -> list[Finding]:
        """Return the findings for a first screen."""
        return heaviest(self.findings, most)


def run_view(
    run: Run, exam: Exam | None = None, *, stages: Mapping[str, int] | None = None, latencies: Sequence[float] = ()
) -> RunView:
    """Make the view of a run. `exam` adds the facts that only the exam knows.

    `stages` counts the samples on which protocols disagree. `latencies` are those of the run's calls, in order.
    """
    manifest, summary = run.manifest, run.summary
    protocols = summary.plain
    parts = formatting.side_by_side(protocols, whole=True)
    silence = formatting.silence(summary)
    main = next(iter(protocols), None)
    outcomes = _outcomes(protocols)
    headlines, notes = _headlines(summary)
    return RunView(
        manifest=manifest,
        summary=summary,
        path=run.path,
        title=formatting.title(manifest),
        stale=mismatch(run, summary),
        thresholds=thresholds_of(manifest) is not None,
        protocols={p.protocol: p for p in protocols},
        findings=tuple(findings(summary, exam, stages)),
        facts=tuple(facts_of(run, summary, latencies)),
        headlines=headlines,
        headline_notes=tuple(notes),
        overview=tuple(row for part in parts for row in _overview(summary, part)),
        parts=tuple(_part(protocols, part, outcomes) for part in parts),
        outcomes=outcomes,
        ranges=formatting.bounded(protocols),
        breakdown=_breakdown(protocols),
        controls=_main_controls(summary),
        all_controls=_controls(summary, summary.controls),
        position=_position(summary.position),
        position_line=_position_line(summary.position),
        published=_published(summary),
        published_source=next((row.source for row in summary.published), ""),
        described=_described(protocols, exam),
        prompts=tuple((text, _about(Arm.parse(text), exam)) for text in summary.asked),
        forbidden=tuple(
            formatting.together((p.protocol, said) for p in protocols if (said := formatting.forbidden(p)))
        ),
        legend=formatting.legend(protocols),
        repeats=formatting.times_asked(protocols),
        first_only=formatting.first_only(protocols),
        alike=tuple(formatting.alike(main)) if main is not None else (),
        answered=tuple(
            f"{n} of {summary.expected.get(text, n)} to prompt '{text}'" for text, n in summary.asked.items()
        ),
        silence=tuple(silence),
        no_answers="" if silence or main is None else formatting.no_answers(g for g in main.groups if g.whole),
    )


# ---------------------------------------------------------------- parts


def _outcomes(protocols: Iterable[ProtocolSummary]) -> tuple[str, ...]:
    """Return the outcomes that occur in some part, and always correct and wrong."""
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    return tuple(o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG))


def _part(protocols: Sequence[ProtocolSummary], part: dict[str, GroupSummary], outcomes: Sequence[str]) -> PartView:
    columns, n = formatting.columns(protocols, part), formatting.most(part.values())
    name, size = formatting.part_name(columns[0].group.by), formatting.size(columns[0].protocol, part.values())
    scores: dict[str, tuple[Cell, ...]] = {}
    details: dict[str, tuple[Cell, ...]] = {}
    for key in dict.fromkeys(key for column in columns for key in column.group.metrics):
        own = [c.protocol for c in columns if key in c.group.metrics]
        metrics = [declared(protocol.metrics, key) for protocol in own]
        rows = details if all(metric.detail or metric.name != key for metric in metrics) else scores
        cells = (score_cell(c.protocol, key, c.group.metrics.get(key), c.group.n) for c in columns)
        rows[key] = (formatting.metric_name(own[0], key), *cells)
    heads = (
        Heading("metric"),
        *(Heading(str(c.names), "names", f"n = {c.group.n}" if c.group.n != n else "") for c in columns),
    )
    same = formatting.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    return PartView(
        name=name,
        by=columns[0].group.by,
        scores=TableView(f"{name}, n = {size}", heads, tuple(scores.values())),
        details=TableView(f"{name}, more metrics, n = {size}", heads, tuple(details.values())),
        outcomes=tuple(_outcome_row(names, part[names[0]], outcomes) for names, _said in same),
    )


def _outcome_row(names: ProtocolNames, group: GroupSummary, outcomes: Sequence[str]) -> _OutcomeRow:
    """Return the outcomes of a group as shares of its answers."""
    shares: list[_OutcomeShare] = []
    before = 0
    for name in outcomes:
        n = group.outcomes.get(name, 0)
        shares.append(_OutcomeShare(name, n, before / max(1, group.answers), n / max(1, group.answers)))
        before += n
    return _OutcomeRow(names, tuple(shares), formatting.outcomes(group), formatting.bounds(group))


def _overview(summary: Summary, part: dict[str, GroupSummary]) -> Iterable[OverviewRow]:
    """Return the headline of a part under every protocol, grouping protocols with the same result."""
    by_name = {p.protocol: p for p in summary.plain if p.protocol in part}
    columns = formatting.columns(summary.plain, part)
    scores = ((name, _headline(by_name[name], part[name])) for column in columns for name in column.names)
    found = formatting.together(scores)
    group = columns[0].group
    for place, (names, (metric, size, cell)) in enumerate(found):
        silent = formatting.silent_share(summary, names[0], group.by)
        yield OverviewRow(formatting.part_name(group.by), size, names, metric, cell, silent, place == 0, len(found))


def _headline(p: ProtocolSummary, group: GroupSummary) -> tuple[str, str, ScoreCell | None]:
    """Return the metric of a protocol's headline, its numbers of samples and images, and the score."""
    score = group.metrics.get(p.headline)
    size = formatting.on_clusters(score.n if score else group.n, group.clusters, p.cluster)
    return formatting.metric_name(p, p.headline), size, score_cell(p, p.headline, score)


def _breakdown(protocols: Sequence[ProtocolSummary]) -> TableView:
    """Return the groups within the parts, each with its n, and a column for each set of protocols with the same result."""
    groups = formatting.side_by_side(protocols, whole=False)
    sizes = [formatting.most(g.values()) for g in groups]
    columns: list[tuple[str, tuple[str, list[ScoreCell | None]]]] = []
    for p in protocols if groups else ():
        key = p.breakdown or p.headline
        scores = (g[p.protocol].metrics.get(key) if p.protocol in g else None for g in groups)
        found = (score_cell(p, key, score, n) for score, n in zip(scores, sizes, strict=True))
        cells = [cell and cell._replace(headline=False) for cell in found]
        columns.append((p.protocol, (formatting.metric_name(p, key), cells)))
    same = formatting.together(columns, lambda column: (column[0], [x and x.printed for x in column[1]]))
    names = formatting.told_apart([next(iter(g.values())).by for g in groups])
    columns_found = (Heading(str(names), "names", metric) for names, (metric, _cells) in same)
    heads = (Heading("group"), Heading("n", "number"), *columns_found)
    rows = zip(names, map(str, sizes), *(cells for _names, (_metric, cells) in same), strict=True)
    return TableView(f"Groups within the parts: {SCORES}", heads, tuple(rows))


# ---------------------------------------------------------------- the first table


def _headlines(summary: Summary) -> tuple[TableView, list[str]]:
    """Return the run's first table, a row for each part, and the notes on it.

    Columns for floors, for parts with many non-answers and for the other protocols appear only if they are not empty.
    """
    if not summary.plain:
        return TableView(), []
    main, *others = summary.plain
    rows: list[tuple[Cell, ...]] = []
    for part in formatting.side_by_side(summary.plain, whole=True):
        own = part.get(main.protocol)
        score = own.metrics.get(main.headline) if own is not None else None
        groups = list(part.values()) if own is None else [own]
        found = score_cell(main, main.headline, score, formatting.most(groups))
        rows.append(
            (
                *(formatting.part_name(groups[0].by), formatting.size(main, groups)),
                found and found._replace(value=found.value.rjust(5), floor=""),
                f"{found.floor:>5} {found.floor_word}".rstrip() if found else "",
                formatting.silent_share(summary, main.protocol, groups[0].by),
                _spread(others, part, score),
            )
        )
    scores = [score for _part, score in formatting.headlines(main)]
    forbidden = formatting.forbidden(main)
    notes = [
        "Percent [95 % interval].",
        formatting.SPREAD_LEGEND if any(score.spread is not None for score in scores) else "",
        formatting.floor_legend([main]) if any(score.floor is not None for score in scores) else "",
        forbidden,
        _others_note(summary.plain, [str(row[-1]) for row in rows]),
    ]
    metric, by = formatting.metric_name(main, main.headline), f"({main.protocol})"
    head = f"{metric} {by}"  # the protocol's name has its own line if the metric's name is long
    headline = Heading(head, "score") if len(head) <= LONG_HEADER else Heading(metric, "score", by)
    other = others[0].protocol if len(others) == 1 else f"{len(others)} others"
    heads = (
        *(Heading("part"), Heading("n", "number"), headline),
        *(Heading("floor", "score"), Heading("silent"), Heading(other, "score")),
    )
    return TableView("", heads, tuple(rows)).used, notes


def _spread(others: Sequence[ProtocolSummary], part: Mapping[str, GroupSummary], main: Score | None) -> str:
    """Return the lowest and the highest headline of a part under other protocols, in the unit of the main one: '93.3–97.8'.

    If some protocols have no such score, the number that have one follows.
    """
    scores = [part[p.protocol].metrics.get(p.headline) for p in others if p.protocol in part]
    unit = main.unit if main is not None else ""
    found = [(s.value, formatting.value(s)) for s in scores if s is not None and s.value is not None and s.unit == unit]
    if not found:
        return "–" if others else ""
    return formatting.span(found, "–") + (f" ({len(found)})" if len(found) < len(others) else "")


def _others_note(protocols: Sequence[ProtocolSummary], column: Sequence[str]) -> str:
    """Return an explanation of the column of the other protocols."""
    others = protocols[1:]
    if len(others) < 2:
        return ""
    said = f"Others: lowest to highest score by {', '.join(p.protocol for p in others)}"
    said += "." if len({p.headline for p in protocols}) == 1 else ", each by its own headline."
    few = next((text.rpartition("(")[2].rstrip(")") for text in column if "(" in text), "")
    return f"{said} ({few}): only {few} of them {'has' if few == '1' else 'have'} such a score here." if few else said


# ---------------------------------------------------------------- does the score depend on seeing?


def _main_controls(summary: Summary) -> TableView:
    """Return the effect of controls on the main protocol's score."""
    rows = [row for row in summary.controls if summary.plain and row.protocol == summary.plain[0].protocol]
    if not rows:
        return TableView()
    metric = formatting.metric_name(summary.plain[0], rows[0].metric)
    title = f"With altered input ({metric}, {rows[0].protocol}; differences in points):"
    found = _controls(summary, rows).without("protocol", "metric", "n", "chance", "best constant")
    return found._replace(title=title)


def _controls(summary: Summary, some: Iterable[ControlRow]) -> TableView:
    """Return a row for each part, control and metric, grouping protocols with the same result."""
    by_name = {p.protocol: p for p in summary.plain}
    rows = (
        (
            row.protocol,
            (
                *(formatting.part_name(row.by), formatting.metric_name(by_name.get(row.protocol), row.metric)),
                *(row.control, str(row.n), formatting.percent(row.score), formatting.percent(row.control_score)),
                *(formatting.difference(row), formatting.percent(row.chance), formatting.percent(row.constant)),
            ),
        )
        for row in some
    )
    found = tuple((part, str(names), *rest) for names, (part, *rest) in formatting.together(rows))
    return TableView(formatting.CONTROLS, CONTROL_HEADINGS, found)


def _position(rows: Sequence[PositionRow]) -> TableView:
    """Return the effect of image order: by place (every image was in both places), and by order."""
    cells = (
        (
            row.protocol,
            (
                *(str(row.n), formatting.percent(row.slot.second), formatting.percent(row.slot.first)),
                *(formatting.difference(row.slot), formatting.percent(row.order.first)),
                *(formatting.percent(row.order.second), formatting.difference(row.order), str(row.flipped)),
            ),
        )
        for row in rows
    )
    found = tuple((str(names), *rest) for names, rest in formatting.together(cells))
    return TableView(formatting.POSITION, POSITION_HEADINGS, found)


def _position_line(rows: Sequence[PositionRow]) -> str:
    """Return a sentence on the effect of image order."""
    if not rows:
        return ""
    row = rows[0]
    return (
        f"Order of the pictures ({row.protocol}): first place minus last {formatting.difference(row.slot)} points, "
        f"swapped minus given {formatting.difference(row.order)}; {row.flipped} of {row.n} right in one order only."
    )


# ---------------------------------------------------------------- what was compared and run


def _published(summary: Summary) -> TableView:
    """Return papers' figures. Those of single labels are in the paper's table of details, which `export` writes."""
    by_name = {p.protocol: p for p in summary.plain}
    rows = tuple(
        (
            *(formatting.part_name(row.by), formatting.metric_name(by_name.get(row.protocol), row.metric)),
            *(row.model, formatting.percent(row.value)),
        )
        for row in summary.published
        if "." not in row.metric
    )
    heads = (*headings("", "part", "metric", "model"), Heading("percent", "number"))
    return TableView("Not measured here; samples, decoding and model versions may differ", heads, rows)


def _described(protocols: Iterable[ProtocolSummary], exam: Exam | None) -> TableView:
    """Return the protocols' descriptions from the installed exam, only for the versions in the run."""
    rows = []
    for p in protocols:
        rules = exam.protocols.get(p.protocol.partition("@")[0]) if exam is not None else None
        about = rules.about if rules is not None and rules.version == p.version else UNDESCRIBED
        rows.append((p.protocol, p.version, p.prompt, formatting.metric_name(p, p.headline), about))
    heads = headings("", "protocol", "version", "prompt", "headline", "what it does")
    return TableView("Protocols of this run", heads, tuple(rows))


def _about(arm: Arm, exam: Exam | None) -> str:
    """Return the description of a prompt from the installed exam."""
    known = exam is not None and arm.repeat == 1 and arm.prompt in exam.prompts
    if exam is None or not known or (arm.control and arm.control not in CONTROLS):
        return UNDESCRIBED
    return f"control, {arm.about}" if arm.control else exam.prompts[arm.prompt].about
