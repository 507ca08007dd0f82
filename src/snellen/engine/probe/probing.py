"""A probe from a model's name to the stored record: a run of the probe's exam by the engine, whose answers are judged together.

The answers are in a run folder beside the records until the probe is done. So a probe that was interrupted or reached its cap resumes where
it stopped, and its earlier cost counts.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from snellen import __version__, subjects
from snellen.core.errors import SnellenError, unknown
from snellen.core.options import Selection, refuse_unknown
from snellen.core.types import Answer
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.manifests import remove_if_empty, write_manifest
from snellen.engine.plan.estimate import estimate as estimate_of
from snellen.engine.plan.plan import Plan, ProtocolRun
from snellen.engine.plan.request import Limits
from snellen.engine.probe.judging import judge
from snellen.engine.probe.questions import ARM, ProbeData, ProbeExam, RepeatedQuestion, questions
from snellen.engine.probe.subject import ProbeSubject
from snellen.engine.probe_records import kept
from snellen.engine.probe_records.results import NEEDS, PARTS, Probe, differences
from snellen.engine.run import ask
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.subjects.families import Family, family_of

EXAM = ProbeExam()
OPTION = {"seed": "model_seed"}
"""Option names of settings that have another name as an option."""
OnProgress = Callable[[int, int], None] | None


class _ProbePlan(NamedTuple):
    """The plan of a probe. `untried` are the parts that are left out, with the reasons."""

    plan: Plan
    asks: tuple[RepeatedQuestion, ...]
    parts: tuple[str, ...]
    untried: Mapping[str, str]
    family: Family | None


class ProbeOutcome(NamedTuple):
    """A completed probe: its record, the place of the record, the probe before it, and the differences between the two."""

    probe: Probe
    path: str
    before: Probe | None
    changes: tuple[str, ...]


def plan_probe(
    spec: str,
    options: Mapping[str, Any] | None = None,
    parts: tuple[str, ...] = (),
    seed: int = 0,
    offline: bool = False,
) -> _ProbePlan:
    """Check what the user named and make the questions. A plan made `offline` is not asked."""
    given = dict(options or {})
    for part in parts:
        if part not in PARTS:
            raise unknown("part of a probe", part, PARTS)
    kind, name = subjects.find(spec)
    if kind.exams:
        raise SnellenError(f"{spec} answers {', '.join(kind.exams)} only: probe the model behind it")
    options_taken = kind.takes(name, given, subjects.options_of)
    refuse_unknown(given, options_taken, spec, dict)
    build = partial(subjects.build, spec, EXAM, seed=seed, offline=offline)
    plain = build(options=given)
    if len(plain.endpoints) != 1:
        raise SnellenError(f"{spec} calls no endpoint: a probe measures what an endpoint does with requests")
    family, taken = family_of(plain.endpoints[0].model), {option.name for option in options_taken}
    wanted = tuple(part for part in PARTS if not parts or part in parts)
    untried = _untried(wanted, taken, family, seed)
    asks = questions(seed, tuple(part for part in wanted if part not in untried))
    variants = [(ask, build(options=given | _settings(ask, taken)) if ask.settings else plain) for ask in asks]
    data = ProbeData(asks, seed)
    plan = Plan(
        EXAM,
        data,
        ProbeSubject(plain, variants),
        (ProtocolRun(EXAM.protocols[ARM.prompt], ARM),),
        Selection(seed=seed),
        questions={ARM: len(data)},
        out=kept.place_of(plain.endpoints[0]),
    )
    return _ProbePlan(plan, asks, wanted, untried, family)


def _untried(parts: tuple[str, ...], taken: set[str], family: Family | None, seed: int) -> dict[str, str]:
    """Return the parts that cannot be tried here, with the reasons."""
    found: dict[str, str] = {}
    asks = {ask.id: ask for ask in questions(seed, parts)}
    for part in parts:
        settings = {s for name in NEEDS[part] for s in asks[name].settings}
        lacking = sorted(s for s in settings if OPTION.get(s, s) not in taken)
        if lacking and part != "repeat":
            found[part] = f"this subject has no way to set {' or '.join(lacking)}"
    if "detail" in parts and family is not None and not family.detail:
        found["detail"] = f"{family.name} documents no detail"
    return found


def _settings(ask: RepeatedQuestion, taken: set[str]) -> dict[str, Any]:
    """Return the settings of a question as options, as far as the subject has them."""
    named = {OPTION.get(name, name): value for name, value in ask.settings.items()}
    return {name: value for name, value in named.items() if name in taken}


def estimate(planned: _ProbePlan) -> dict[str, Any]:
    """Estimate calls, tokens and money before anything is asked."""
    sent = planned.plan.subject.identity.get("parameters", {})
    caps = (int(sent[name]) for name in ("max_tokens", "max_completion_tokens") if name in sent)
    return estimate_of(planned.plan, next(caps, EXAM.max_tokens))


def run_probe(planned: _ProbePlan, limits: Limits, on_progress: OnProgress = None) -> ProbeOutcome:
    """Ask, judge and store. If it ends early, the answers stay in the run folder, and the same command resumes it."""
    if not planned.asks:
        raise SnellenError("; ".join(f"{part}: {why}" for part, why in planned.untried.items()))
    plan = planned.plan._replace(
        limits=limits._replace(use_store=False)
    )  # the probe is about the endpoint's behaviour now
    if limits.fresh:
        shutil.rmtree(plan.folder, ignore_errors=True)
    try:
        with RunFolder(plan.folder) as folder:
            write_manifest(folder, plan)
            folder.start_appending()
            before = folder.scan()
            _ask_first(folder, plan, planned.asks[0])
            _ask(folder, plan, on_progress)
            probe = _record(planned, folder, before)
    except SnellenError:
        remove_if_empty(plan.folder)
        raise
    shutil.rmtree(plan.folder)
    known = kept.taken_together(kept.kept(plan.out))
    path = kept.keep(plan.out, probe)
    return ProbeOutcome(probe, str(path), known, () if known is None else tuple(differences(known, probe)))


def _ask_first(folder: RunFolder, plan: Plan, first: RepeatedQuestion) -> None:
    """Ask the first question alone: an error that stops it would stop all."""
    alone = ProbeData([first._replace(times=1)], plan.selection.seed)
    _ask(folder, plan._replace(data=alone, questions={ARM: 1}))
    for answer in folder.answers(keys=[(first.names[0], ARM.text)]):
        if answer.failure is not None and not (answer.failure.kind == "bad-request" and first.settings):
            raise SnellenError(f"the first question of the probe was not answered: {answer.failure.reason}")


def _ask(folder: RunFolder, plan: Plan, on_progress: OnProgress = None) -> None:
    def told(progress: Progress) -> None:
        if on_progress is not None:
            on_progress(progress.done, progress.total)

    stopped = ask(plan, folder, folder.scan(), told).stopped
    if stopped is not None:
        raise stopped


def _record(planned: _ProbePlan, folder: RunFolder, before: Scan) -> Probe:
    """Judge the answers. Calls and cost of an earlier process are not counted in this one's record."""
    scan, plan, family = folder.scan(), planned.plan, planned.family
    answers: dict[str, Answer] = {answer.id: answer for answer in folder.answers(scan)}
    replies = {ask.id: [answers[name] for name in ask.names] for ask in planned.asks}
    results, proposal = judge(replies, plan.selection.seed, planned.parts, family, planned.untried)
    endpoint = plan.subject.endpoints[0]
    models = [call.model_returned for answer in answers.values() for call in answer.calls if call.model_returned]
    unknown_cost = scan.totals.cost_unknown > before.totals.cost_unknown
    return Probe(
        snellen=__version__,
        at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        spec=plan.subject.spec,
        kind=endpoint.kind,
        endpoint=endpoint.connection.url,
        model=endpoint.model,
        model_returned=models[-1] if models else "",
        family=family.name if family is not None else "",
        family_looked_up=family.looked_up if family is not None else "",
        seed=plan.selection.seed,
        calls=scan.totals.calls - before.totals.calls,
        stored=before.answered,
        cost=None if unknown_cost else scan.totals.cost - before.totals.cost,
        results=results,
        proposal=proposal,
    )
