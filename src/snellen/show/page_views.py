"""What the page shows of a run, ready for its templates: facts, tables, disagreements, and the gallery that the exam asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen import exams, scorers
from snellen.core.arm import CONTROLS, Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.gallery import Gallery, GalleryFacts, Item, View
from snellen.core.records import Manifest, PublishedRow, ScorerEntry, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score, declared
from snellen.core.text import for_terminal
from snellen.core.types import Outcome
from snellen.engine.mark import scoring
from snellen.engine.runs.run import Run
from snellen.show import flip_gallery, gallery, words


def plain(value: Any) -> str:
    """A reading, truth or option as text.

    >>> plain(["color", "size"]), plain(None), plain({"x": 1})
    ('color, size', '–', '{"x":1}')
    """
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(v, str | int) for v in value):
        return ", ".join(map(str, value)) or '""'
    return msgspec.json.encode(value).decode()


# ---------------------------------------------------------------- what the templates are handed


class Column(NamedTuple):
    """Protocols that say the same of a part: their names, and the first of them with its group."""

    names: words.Names
    protocol: ProtocolSummary
    group: GroupSummary


class Part(NamedTuple):
    """One part of the exam with all protocols side by side. `more` are the metrics that a first look can do without."""

    name: str
    n: int
    columns: list[Column]
    outcomes: list[tuple[words.Names, GroupSummary]]
    metrics: dict[str, str]
    more: dict[str, str]


class Cell(NamedTuple):
    """A protocol's score of one metric, for the breakdown."""

    protocol: ProtocolSummary
    key: str
    score: Score | None


class Breakdown(NamedTuple):
    """The groups within the parts: a header for each column, and each group's cells."""

    heads: list[tuple[words.Names, str]]
    rows: list[tuple[str, int, list[Cell]]]


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


class OverviewRow(NamedTuple):
    """One line of the overview: a part of a run under protocols that say the same."""

    part: str
    n: int
    names: words.Names
    protocol: ProtocolSummary
    score: Score | None
    first: bool
    span: int


class Overview(NamedTuple):
    """The overview's lines of one run."""

    run: RunView
    rows: list[OverviewRow]


def overview(views: list[RunView]) -> list[Overview]:
    """The headline of every part under every protocol."""
    return [Overview(view, [row for part in view.parts for row in _overview_rows(view, part)]) for view in views]


def _overview_rows(view: RunView, part: Part) -> list[OverviewRow]:
    scores: list[tuple[str, tuple[str, int, Score | None]]] = []
    for column in part.columns:
        for name in column.names:
            p = view.protocols[name]
            score = column.group.metrics.get(p.headline)
            scores.append((name, (words.metric_name(p, p.headline), score.n if score else column.group.n, score)))
    found = words.together(scores)
    return [
        OverviewRow(part.name, n, names, view.protocols[names[0]], score, place == 0, len(found))
        for place, (names, (_label, n, score)) in enumerate(found)
    ]


def run_view(number: int, run: Run, samples: int) -> RunView:
    """All that the page shows of a run; `samples` of them in its gallery."""
    manifest, summary = run.manifest, run.summary
    protocols = summary.plain
    exam = _exam(manifest)
    shown, seen = _gallery(run, exam, samples)
    size = run.folder.answers_path.stat().st_size if run.folder.answers_path.exists() else 0
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    by_name = {p.protocol: p for p in protocols}
    return RunView(
        number=number,
        title=words.title(manifest),
        folder=run.path.name,
        path=str(run.path),
        stale=summary.answers_bytes != size,
        summary=summary,
        facts=_facts(run, manifest, summary, seen),
        protocols=by_name,
        abouts=_abouts(exam, protocols, summary.asked) if exam is not None else {},
        outcomes=[o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG)],
        parts=[_part(protocols, part) for part in words.side_by_side(protocols, whole=True)],
        breakdown=_breakdown(protocols),
        published=[(row, words.metric_name(by_name.get(row.protocol), row.metric)) for row in summary.published],
        parting=flip_gallery.parting(run, samples),
        gallery=shown,
        oracle=manifest.oracle,
    )


def _exam(manifest: Manifest) -> Exam | None:
    """The exam of a run; None for a plugin that is not loaded."""
    try:
        return exams.load(manifest.benchmark)
    except SnellenError:
        return None


# ---------------------------------------------------------------- the gallery


def _gallery(run: Run, exam: Exam | None, samples: int) -> tuple[Shown, gallery.Seen]:
    """The samples as the exam shows them, and what was seen of the answers on the way."""
    evidence = scoring.gather(run.folder, run.manifest.scorers)
    synthetic = run.manifest.data.synthetic
    facts = GalleryFacts(
        synthetic,
        evidence=lambda sample, prompt: evidence((sample, prompt)),
        doubt=lambda scorer: "" if synthetic else scorers.doubt(scorer),
    )
    hook = exam.gallery(facts) if exam is not None else Gallery()
    found = gallery.survey(run, samples, hook)
    seen = gallery.look(run, found.picks)
    items = hook.arranged(gallery.items(run, found.picks, seen.answers, hook))
    return Shown(hook, found, items, hook.view(items), len({p.prompt for p in run.protocols})), seen


# ---------------------------------------------------------------- tables


def _part(protocols: Sequence[ProtocolSummary], part: dict[str, GroupSummary]) -> Part:
    by_name = {p.protocol: p for p in protocols}
    found = words.together((p.protocol, (p.headline, part[p.protocol])) for p in protocols if p.protocol in part)
    columns = [Column(names, by_name[names[0]], group) for names, (_headline, group) in found]
    metrics: dict[str, str] = {}
    more: dict[str, str] = {}
    for column in columns:
        for key in column.group.metrics:
            metric = declared(column.protocol.metrics, key)
            table = more if (metric.detail or metric.name != key) and key not in metrics else metrics
            table.setdefault(key, words.metric_name(column.protocol, key))
    same = words.together((name, (group.outcomes, group.bounds)) for name, group in part.items())
    outcomes = [(names, part[names[0]]) for names, _said in same]
    return Part(words.group_name(columns[0].group), words.most(part.values()), columns, outcomes, metrics, more)


def _breakdown(protocols: Sequence[ProtocolSummary]) -> Breakdown:
    groups = words.side_by_side(protocols, whole=False)
    columns = words.together((p.protocol, _breakdown_column(p, groups)) for p in protocols) if groups else []
    by_name = {p.protocol: p for p in protocols}
    first = [by_name[names[0]] for names, _column in columns]
    titles = words.told_apart([next(iter(g.values())) for g in groups])
    rows = []
    for at, group in enumerate(groups):
        cells = [
            Cell(p, words.breakdown_metric(p), scores[at])
            for p, (_names, (_label, scores)) in zip(first, columns, strict=True)
        ]
        rows.append((titles[at], words.most(group.values()), cells))
    return Breakdown([(names, label) for names, (label, _scores) in columns], rows)


def _breakdown_column(p: ProtocolSummary, groups: list[dict[str, GroupSummary]]) -> tuple[str, list[Score | None]]:
    """A protocol's column of the breakdown, with the metric's name."""
    key = words.breakdown_metric(p)
    return words.metric_name(p, key), [g[p.protocol].metrics.get(key) if p.protocol in g else None for g in groups]


def _abouts(exam: Exam, protocols: Iterable[ProtocolSummary], asked: Iterable[str]) -> dict[str, str]:
    """What protocols and prompts do, as the installed exam says it; only of the versions that the run has."""
    found = {}
    for p in protocols:
        name = p.protocol.partition("@")[0]
        rules = exam.protocols.get(name) or exam.protocols.get(exam.old_names.get(name, ""))
        if rules is not None and rules.version == p.version:
            found[p.protocol] = rules.about
    for arm in map(Arm.parse, asked):
        if arm.prompt in exam.prompts and (not arm.control or arm.control in CONTROLS):
            about = f"control, {arm.about}" if arm.control else exam.prompts[arm.prompt].about
            found[f"prompt {arm.text}"] = about
    return found


# ---------------------------------------------------------------- facts


def _facts(run: Run, manifest: Manifest, summary: Summary, seen: gallery.Seen) -> list[tuple[str, str]]:
    """Identity and cost of a run, as name and value."""
    identity = dict(manifest.subject.identity)
    parameters, endpoint = identity.pop("parameters", None), identity.pop("endpoint", None)
    data, totals = manifest.data, summary.totals
    facts = [("subject", manifest.subject.spec)]
    facts += [("endpoint", endpoint)] if endpoint else []
    facts += [("parameters", _pairs(parameters))] if parameters else []
    facts += [("identity", _pairs(identity))]
    facts += [("model as returned by the endpoint", _counted(seen.models))] if seen.models else []
    facts += [("provider as returned by the endpoint", _counted(seen.providers))] if seen.providers else []
    facts += [
        ("data", data.source),
        ("real or synthetic", "SYNTHETIC, made by Snellen" if data.synthetic else "real (not marked as synthetic)"),
        ("data fingerprint", data.fingerprint),
        ("samples", f"{data.samples} selected; answers: {_asked(summary)}"),
        *_left_out(data.missing),
        ("options", _pairs(msgspec.to_builtins(manifest.options)) or "the defaults"),
        *_scorers(manifest.scorers),
        *((f"not measured: {name}", why) for name, why in summary.not_available.items()),
        ("created", f"{manifest.created} by snellen {manifest.snellen}"),
        ("run folder", str(run.path)),
    ]
    if not (totals.calls or totals.stored):
        return [*facts, ("calls", words.calls(totals))]
    facts += [
        ("calls", f"{totals.calls} calls in {totals.tries} tries; {totals.stored} answers from the store"),
        ("tokens", f"{totals.input_tokens:,} in, {totals.output_tokens:,} out"),
        ("cost", words.money(totals)),
    ]
    if seen.latencies:
        half, most = (_quantile(seen.latencies, share) for share in (0.5, 0.95))
        facts.append(("latency of a call", f"median {half:.2f} s, 95 % within {most:.2f} s"))
    return facts


def _left_out(missing: Sequence[Any]) -> list[tuple[str, str]]:
    """Samples that were not asked, as their images are not there."""
    if not missing:
        return []
    some = ", ".join(for_terminal(plain(one), 60) for one in missing[:3])
    more = " ..." if len(missing) > 3 else ""
    return [("images missing", f"{len(missing)} left out, as run.json lists them: {some}{more}")]


def _scorers(found: Sequence[ScorerEntry]) -> list[tuple[str, str]]:
    """The models that scored captions; the first one decides the headline."""
    return [
        (f"scorer {i}" if i > 1 else "scorer" + " (main)" * (len(found) > 1), f"{s.name}: {_pairs(s.identity)}")
        for i, s in enumerate(found, 1)
    ]


def _asked(summary: Summary) -> str:
    return ", ".join(f"{n} to prompt '{prompt}'" for prompt, n in summary.asked.items()) or "none"


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {plain(value)}" for key, value in values.items())


def _counted(names: dict[str, int], most: int = 5) -> str:
    """The commonest names with their counts; a hostile endpoint may return a new one each time."""
    ordered = sorted(names.items(), key=lambda x: (-x[1], x[0]))
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(f"{for_terminal(name, 120)} ({n})" for name, n in ordered[:most]) + more


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
