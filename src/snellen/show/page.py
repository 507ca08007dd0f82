"""One self-contained HTML page of runs: no script, nothing fetched, and every text from outside inert.

All that the template prints goes through `_inert` and then through Jinja's escaping; no data is ever marked as safe.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

from snellen import __version__
from snellen import exams as benchmarks
from snellen.core.errors import SnellenError
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.text import for_terminal
from snellen.core.types import Outcome
from snellen.engine.ask import controls
from snellen.engine.mark import marking
from snellen.engine.run import Run
from snellen.exams.d3 import gallery as pairs
from snellen.exams.grounding import gallery as screens
from snellen.exams.vqa_nle.gallery import shades
from snellen.show import flip_gallery, gallery, words
from snellen.show.gallery import Whole

SAMPLES = 48
SHORT = 300
LONG = 4000
BLIND = "Headline scores of all runs"
ORACLE = "ORACLE runs, which look at the answer: for comparison only"


def write_report(runs: Sequence[Run], page: Path, samples: int = SAMPLES) -> None:
    """Write the page as a whole or not at all; `samples` of each run get into its gallery."""
    for run in runs:
        _check(run)
    views = [_run_view(number, run, samples) for number, run in enumerate(runs, 1)]
    template = _environment().get_template("report.html")
    made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    blind, oracles = ([v for v in views if bool(v.oracle) is peeks] for peeks in (False, True))
    overviews = [(title, _overview(some)) for title, some in ((BLIND, blind), (ORACLE, oracles)) if some]
    pieces = template.generate(version=__version__, made=made, runs=views, overviews=overviews)
    part = page.with_name(page.name + ".part")
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        if page.is_dir():
            raise IsADirectoryError(21, "it is a folder; name a file such as report.html")
        with part.open("wb", buffering=1 << 20) as out:
            out.writelines(piece.encode("utf-8", "backslashreplace") for piece in pieces)
        part.replace(page)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise SnellenError(f"cannot write {page}: {error.strerror or error}") from None


def _check(run: Run) -> None:
    """A run that was never marked, or by another version of snellen, has to be marked first."""
    if not run.folder.has("summary.json"):
        raise SnellenError(
            f"{run.path} has no summary.json: mark its answers with 'snellen remark {run.path}', "
            "or finish it with the 'snellen run' that began it"
        )
    if run.summary.get("layout") != marking.LAYOUT or not run.summary.get("protocols"):
        raise SnellenError(f"{run.path}: summary.json is of another kind; 'snellen remark {run.path}' makes it again")


# ---------------------------------------------------------------- Jinja


def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("snellen.show"),
        autoescape=True,
        finalize=_inert,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(words=words, KINDS=gallery.KINDS, LONG=LONG)
    found.filters.update(shades=shades, plain=plain, cut=lambda text: Whole(text[:LONG]), share=_share, px=_px)
    return found


def _inert(value: Any) -> Any:
    """What a template expression prints: control characters shown as escapes, short facts kept short."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value  # Markup: the template's own macros, whose data came through here already
    return for_terminal(value, None if isinstance(value, Whole) else SHORT)


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


def _share(value: float | None) -> str:
    """A place on a scale from 0 to 1, in percent for SVG."""
    return f"{100 * min(1.0, max(0.0, value or 0.0)):.2f}%"


def _px(value: float) -> str:
    """A place in a picture, to tenths, for SVG.

    >>> _px(10.0), _px(10.26)
    ('10', '10.3')
    """
    return f"{value:.1f}".removesuffix(".0")


# ---------------------------------------------------------------- what the template shows


class OverviewRow(NamedTuple):
    """One line of the overview: a part of a run under a protocol."""

    part: str
    n: int
    protocol: str
    headline: str
    metric: Score | None
    first: bool
    span: int


class Overview(NamedTuple):
    """The overview's lines of one run."""

    number: int
    title: str
    folder: str
    rows: list[OverviewRow]


class Part(NamedTuple):
    """One part of the exam with all protocols side by side."""

    name: str
    n: int
    protocols: list[ProtocolSummary]
    groups: list[GroupSummary]
    metrics: list[str]
    label_metrics: list[str]


class Breakdown(NamedTuple):
    """One group within a part under each protocol."""

    name: str
    n: int
    cells: list[Score | None]


class Gallery(NamedTuple):
    """The chosen samples. `screens` or `pairs` where the exam has such; `sorts` are the orders that a reader may choose.

    `first` says in what order they come; `orders` has each item's place under each of `sorts`.
    """

    items: list[gallery.Item]
    survey: gallery.Survey
    first: str
    sorts: dict[str, str]
    orders: list[dict[str, int]]
    screens: screens.Screens | None
    pairs: pairs.Pairs | None


class RunView(NamedTuple):
    """All that the template shows of one run."""

    number: int
    title: str
    manifest: dict[str, Any]
    summary: dict[str, Any]
    path: str
    stale: bool
    facts: list[tuple[str, str]]
    protocols: list[ProtocolSummary]
    abouts: dict[str, str]
    outcomes: list[str]
    parts: list[Part]
    breakdown_metrics: list[str]
    breakdown: list[Breakdown]
    controls: list[dict[str, Any]]
    parting: flip_gallery.Parting
    gallery: Gallery
    oracle: str
    position: list[dict[str, Any]]


def _overview(views: list[RunView]) -> list[Overview]:
    found = []
    for view in views:
        rows = [
            OverviewRow(part.name, m.n if m else g.n, p.protocol, p.headline, m, i == 0, len(part.groups))
            for part in view.parts
            for i, (p, g) in enumerate(zip(part.protocols, part.groups, strict=True))
            for m in [g.metrics.get(p.headline)]
        ]
        found.append(Overview(view.number, view.title, Path(view.path).name, rows))
    return found


def _run_view(number: int, run: Run, samples: int) -> RunView:
    manifest, summary, protocols = run.manifest, run.summary, run.protocols
    chosen, seen = _gallery(run, samples)
    size = run.folder.answers_path.stat().st_size if run.folder.answers_path.exists() else 0
    used = {o for p in protocols for g in p.groups for o in g.outcomes}
    return RunView(
        number=number,
        title=words.title(manifest),
        manifest=manifest,
        summary=summary,
        path=str(run.path),
        stale=summary.get("answers_bytes") != size,
        facts=_facts(run, manifest, summary, seen),
        protocols=protocols,
        abouts=_abouts(manifest["benchmark"], protocols, summary["asked"]),
        outcomes=[o.value for o in Outcome if o in used or o in (Outcome.CORRECT, Outcome.WRONG)],
        parts=_parts(protocols),
        breakdown_metrics=[words.breakdown_metric(p) for p in protocols],
        breakdown=_breakdown(protocols),
        controls=run.controls,
        parting=flip_gallery.parting(run, samples),
        gallery=chosen,
        oracle=str(manifest["subject"]["identity"].get("oracle") or ""),
        position=list(summary.get("position", ())),
    )


def _gallery(run: Run, samples: int) -> tuple[Gallery, gallery.Seen]:
    """The gallery that suits the exam, and what was seen of the answers on the way."""
    if run.manifest["benchmark"] == screens.BENCHMARK:
        found = gallery.survey(run, samples, gallery.FAILURES_FIRST)
        seen = gallery.look(run, found.picks)
        items = gallery.items(run, found.picks, seen.answers, screens.regions)
        shown = screens.screens(items)
        return Gallery(items, found, "failures first", screens.SORTS, shown.orders, shown, None), seen
    if run.manifest.get("scorers"):
        scores = pairs.Scores(run)
        found = gallery.survey(run, samples, gallery.FAILURES_FIRST, scores.hardness)
        seen = gallery.look(run, found.picks)
        items = pairs.hardest_first(gallery.items(run, found.picks, seen.answers), scores.hardness)
        held = pairs.pairs(items, scores)
        sorts = pairs.SORTS if any(item.tags.get("kind") for item in items) else {}
        return Gallery(items, found, "hardest first, by their lowest margin", sorts, held.orders, None, held), seen
    found = gallery.survey(run, samples)
    seen = gallery.look(run, found.picks)
    items = gallery.items(run, found.picks, seen.answers)
    return Gallery(items, found, "", {}, [{} for _ in items], None, None), seen


def _parts(protocols: list[ProtocolSummary]) -> list[Part]:
    found = []
    for part in words.side_by_side(protocols, whole=True):
        groups = list(part.values())
        keys = dict.fromkeys(key for g in groups for key in g.metrics)
        metrics, label_metrics = [k for k in keys if "." not in k], [k for k in keys if "." in k]
        name = words.group_name(groups[0]) or "all"
        shown = [p for p in protocols if p.protocol in part]
        found.append(Part(name, words.most(groups), shown, groups, metrics, label_metrics))
    return found


def _breakdown(protocols: list[ProtocolSummary]) -> list[Breakdown]:
    found = []
    for part in words.side_by_side(protocols, whole=False):
        cells = [
            part[p.protocol].metrics.get(words.breakdown_metric(p)) if p.protocol in part else None for p in protocols
        ]
        groups = list(part.values())
        found.append(Breakdown(words.group_name(groups[0]), words.most(groups), cells))
    return found


def _abouts(benchmark: str, protocols: list[ProtocolSummary], asked: Iterable[str]) -> dict[str, str]:
    """What protocols and prompts do, as the installed benchmark says it; only of the versions that the run has."""
    try:
        exam = benchmarks.load(benchmark)
    except SnellenError:
        return {}
    found = {}
    for p in protocols:
        rules = exam.protocols.get(p.protocol.partition("@")[0])
        if rules is not None and rules.version == p.version:
            found[p.protocol] = rules.about
    found |= {f"prompt {name}": about for name, about in exam.prompts.items()}
    for prompt in asked:
        base, control = controls.split(prompt)
        if base in exam.prompts and control in controls.ABOUT:
            found[f"prompt {prompt}"] = f"control, '{base}' with {controls.ABOUT[control]}"
    return found


def _facts(run: Run, manifest: dict[str, Any], summary: dict[str, Any], seen: gallery.Seen) -> list[tuple[str, str]]:
    """Identity and cost of a run, as name and value."""
    identity = dict(manifest["subject"]["identity"])
    parameters = identity.pop("parameters", None)
    endpoint = identity.pop("endpoint", None)
    data, totals = manifest["data"], summary["totals"]
    facts = [("subject", manifest["subject"]["spec"])]
    facts += [("endpoint", endpoint)] if endpoint else []
    facts += [("parameters", _pairs(parameters))] if parameters else []
    facts += [("identity", _pairs(identity))]
    facts += [("model as returned by the endpoint", _counted(seen.models))] if seen.models else []
    facts += [("provider as returned by the endpoint", _counted(seen.providers))] if seen.providers else []
    facts += [
        ("data", data["source"]),
        ("real or synthetic", "SYNTHETIC, made by snellen" if data["synthetic"] else "real (not marked as synthetic)"),
        ("data fingerprint", data["fingerprint"]),
        ("samples", f"{data['samples']} in the selection; answered " + _asked(summary)),
        *_left_out(data.get("missing", ())),
        ("options", _pairs(manifest["options"]) or "the defaults"),
        *_scorers(manifest.get("scorers", ())),
        ("created", f"{manifest['created']} by snellen {manifest['snellen']}"),
        ("run folder", str(run.path)),
    ]
    if not (totals["calls"] or totals["stored"]):
        return [*facts, ("calls", "none: this subject calls nobody")]
    facts += [
        ("calls", f"{totals['calls']} calls in {totals['tries']} tries; {totals['stored']} answers from the store"),
        ("tokens", f"{totals['input_tokens']:,} in, {totals['output_tokens']:,} out"),
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
    return [
        (
            "images missing",
            f"{len(missing)} left out, as run.json lists them: {some}{' ...' if len(missing) > 3 else ''}",
        )
    ]


def _scorers(scorers: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Who held captions against pictures; the first one's word counts."""
    return [
        (f"scorer {i}" if i > 1 else "scorer" + " (main)" * (len(scorers) > 1), f"{s['name']}: {_pairs(s['identity'])}")
        for i, s in enumerate(scorers, 1)
    ]


def _asked(summary: dict[str, Any]) -> str:
    return ", ".join(f"{n} to prompt '{prompt}'" for prompt, n in summary["asked"].items())


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {plain(value)}" for key, value in values.items())


def _counted(names: dict[str, int], most: int = 5) -> str:
    """The commonest names with their counts; a hostile endpoint may return a new one each time."""
    ordered = sorted(names.items(), key=lambda x: (-x[1], x[0]))
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(f"{for_terminal(name, 120)} ({n})" for name, n in ordered[:most]) + more


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
