"""What the page shows of a run, ready for its templates: tables, disagreements, and the gallery that the exam asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from snellen import scorers
from snellen.core.arm import CONTROLS, Arm
from snellen.core.exam import Exam
from snellen.core.finding import Finding
from snellen.core.gallery import Gallery, GalleryFacts, Item, View
from snellen.core.records import PublishedRow, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score, declared
from snellen.core.types import Outcome
from snellen.engine.mark import scoring
from snellen.engine.mark.holding import misfit
from snellen.engine.runs.run import Run
from snellen.present.model import formatting, repeats
from snellen.present.model.findings import SAID_ELSEWHERE, findings, heaviest, loaded
from snellen.present.model.run_facts import facts_of
from snellen.present.model.sample_view import Seen
from snellen.present.page import flip_gallery, gallery

MOST_CELLS = 240
"""Cells of the table of groups from which on it has the main protocol alone."""

# ---------------------------------------------------------------- what the templates are handed


class Part(NamedTuple):
    """One part of the exam with all protocols side by side. `more` are the metrics that a first look can do without."""

    name: str
    n: int
    columns: list[formatting.Column]
    outcomes: list[tuple[formatting.Names, GroupSummary]]
    metrics: dict[str, str]
    more: dict[str, str]

    @property
    def size(self) -> str:
        """Return '200 on 3 images'."""
        return formatting.size(self.columns[0].protocol, [c.group for c in self.columns])


class Breakdown(NamedTuple):
    """The groups within the parts, each with its n; and for protocols that say the same the metric's name and a score a group.

    `left_out` are the protocols that a large table has no room for.
    """

    groups: list[tuple[str, int]]
    columns: list[tuple[formatting.Names, tuple[str, list[Score | None]]]]
    left_out: formatting.Names


class Shown(NamedTuple):
    """The gallery of a run: how the exam shows samples, the chosen ones, and what its templates get."""

    gallery: Gallery
    survey: gallery.Survey
    items: list[Item]
    view: View
    prompts: int


class RunView(NamedTuple):
    """All that the page shows of one run."""

    number: int
    title: str
    folder: str
    path: str
    stale: bool
    summary: Summary
    facts: list[tuple[str, str]]
    protocols: dict[str, ProtocolSummary]
    abouts: dict[str, str]
    outcomes: list[str]
    parts: list[Part]
    breakdown: Breakdown
    published: list[tuple[PublishedRow, str]]
    parting: flip_gallery.Parting
    gallery: Shown
    oracle: str
    findings: list[Finding]
    drawn: bool
    """Whether it found thresholds, which a section of their own shows."""

    def place_of(self, finding: Finding) -> str:
        """The section that has more of a finding; the run's beginning where there is no such section."""
        there = {"what": True, "scores": True, "outcomes": True}
        there |= {"controls": bool(self.summary.controls or self.summary.position)}
        there |= {"flips": bool(self.parting.rows), "gallery": bool(self.gallery.items)}
        return f"{finding.place if there.get(finding.place) else 'run'}-{self.number}"

    @property
    def overview(self) -> list[OverviewRow]:
        """The headline of every part under every protocol."""
        return [row for part in self.parts for row in _overview_rows(self, part)]

    def heaviest(self, most: int) -> list[Finding]:
        """What the first screen has room for."""
        return heaviest(self.findings, most)

    @property
    def first_only(self) -> str:
        """That samples and flips are about the first answers alone, where there are several."""
        return repeats.first_only(self.summary.plain)

    @property
    def own_findings(self) -> list[Finding]:
        """Those that its section does not say in other words."""
        return [one for one in self.findings if one.kind not in SAID_ELSEWHERE]


class OverviewRow(NamedTuple):
    """One line of the overview: a part of a run under protocols that say the same."""

    part: str
    n: int
    names: formatting.Names
    protocol: ProtocolSummary
    score: Score | None
    first: bool
    span: int
    silent: str
    clusters: int = 0

    @property
    def size(self) -> str:
        """Return '200 on 3 images'."""
        return formatting.on_clusters(self.n, self.clusters, self.protocol.cluster)


def _overview_rows(view: RunView, part: Part) -> list[OverviewRow]:
    """The headline of a part under every protocol, those together that say the same, the main protocol's first."""
    scores: list[tuple[str, tuple[str, int, int, Score | None]]] = []
    for column in part.columns:
        for name in column.names:
            p = view.protocols[name]
            score = column.group.metrics.get(p.headline)
            n, clusters = score.n if score else column.group.n, column.group.clusters
            scores.append((name, (formatting.metric_name(p, p.headline), n, clusters, score)))
    found = formatting.together(scores)
    return [
        OverviewRow(
            part.name,
            n,
            names,
            view.protocols[names[0]],
            score,
            place == 0,
            len(found),
            formatting.silent_share(view.summary, names[0], part.columns[0].group.by),
            clusters,
        )
        for place, (names, (_label, n, clusters, score)) in enumerate(found)
    ]


def run_view(number: int, run: Run, samples: int, sources: gallery.Sources) -> RunView:
    """All that the page shows of a run; `samples` of them in its gallery."""
    manifest, summary = run.manifest, run.summary
    protocols = summary.plain
    exam = loaded(manifest)
    shown, seen = _gallery(run, exam, samples, sources)
    parting = flip_gallery.parting(run, samples, sources)
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    by_name = {p.protocol: p for p in protocols}
    return RunView(
        number=number,
        title=formatting.title(manifest),
        folder=run.path.name,
        path=str(run.path),
        stale=bool(misfit(run, summary)),
        summary=summary,
        facts=facts_of(run, summary, seen),
        protocols=by_name,
        abouts=_abouts(exam, protocols, summary.asked) if exam is not None else {},
        outcomes=[o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG)],
        parts=[_part(protocols, part) for part in formatting.side_by_side(protocols, whole=True)],
        breakdown=_breakdown(protocols),
        published=[
            (row, formatting.metric_name(by_name.get(row.protocol), row.metric))
            for row in summary.published
            if "." not in row.metric  # a paper's figures of every single label are in its table of details: `export`
        ],
        parting=parting,
        gallery=shown,
        oracle=manifest.oracle,
        findings=findings(summary, exam, parting.counts),
        drawn=exam is not None and exam.prescribes,
    )


# ---------------------------------------------------------------- the gallery


def _gallery(run: Run, exam: Exam | None, samples: int, sources: gallery.Sources) -> tuple[Shown, Seen]:
    """The samples as the exam shows them, and what was seen of the answers on the way."""
    evidence = scoring.gather(run.folder, run.manifest.scorers)
    synthetic = run.manifest.data.synthetic
    facts = GalleryFacts(
        synthetic,
        evidence=lambda sample, prompt: evidence((sample, prompt)),
        doubt=lambda scorer: "" if synthetic else scorers.doubt(scorer),
        protocols=tuple(p.protocol for p in run.protocols),
    )
    hook = exam.gallery(facts) if exam is not None else Gallery()
    found = gallery.survey(run, samples, hook)
    seen = gallery.look(run, found.picks)
    items = hook.arranged(gallery.items(run, found.picks, seen.answers, hook, sources))
    return Shown(hook, found, items, hook.view(items), len({p.prompt for p in run.protocols})), seen


# ---------------------------------------------------------------- tables


def _part(protocols: Sequence[ProtocolSummary], part: dict[str, GroupSummary]) -> Part:
    columns = formatting.columns(protocols, part)
    metrics: dict[str, str] = {}
    more: dict[str, str] = {}
    for column in columns:
        for key in column.group.metrics:
            metric = declared(column.protocol.metrics, key)
            table = more if (metric.detail or metric.name != key) and key not in metrics else metrics
            table.setdefault(key, formatting.metric_name(column.protocol, key))
    same = formatting.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    outcomes = [(names, part[names[0]]) for names, _said in same]
    return Part(
        formatting.group_name(columns[0].group), formatting.most(part.values()), columns, outcomes, metrics, more
    )


def _breakdown(protocols: Sequence[ProtocolSummary]) -> Breakdown:
    groups, scores = formatting.breakdown(protocols)
    named = ((p, formatting.metric_name(p, formatting.breakdown_metric(p)), some) for p, some in scores)
    columns = formatting.together((p.protocol, (label, some)) for p, label, some in named)
    kept = columns if len(groups) * len(columns) <= MOST_CELLS else columns[:1]
    left_out = formatting.Names(name for names, _some in columns[len(kept) :] for name in names)
    return Breakdown(groups, kept, left_out)


def _abouts(exam: Exam, protocols: Iterable[ProtocolSummary], asked: Iterable[str]) -> dict[str, str]:
    """What protocols and prompts do, as the installed exam says it; only of the versions that the run has."""
    found = {}
    for p in protocols:
        name = p.protocol.partition("@")[0]
        rules = exam.protocols.get(name) or exam.protocols.get(exam.old_names.get(name, ""))
        if rules is not None and rules.version == p.version:
            found[p.protocol] = rules.about
    for arm in map(Arm.parse, asked):
        if arm.repeat == 1 and arm.prompt in exam.prompts and (not arm.control or arm.control in CONTROLS):
            about = f"control, {arm.about}" if arm.control else exam.prompts[arm.prompt].about
            found[f"prompt {arm.text}"] = about
    return found
