"""A probe from a model's name to the record that is kept: what will be asked, asking it, judging it, comparing it with the one before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from snellen import __version__, subjects
from snellen.core.digest import digest
from snellen.core.errors import Interrupted, SnellenError, unknown
from snellen.core.options import refuse_unknown
from snellen.core.subject import Subject
from snellen.engine.call.store import Store, cache_folder
from snellen.engine.plan.request import Limits
from snellen.engine.probe import kept
from snellen.engine.probe.asking import OnProgress, ProbeQuestion, ProbeReplies, ask_all
from snellen.engine.probe.judging import judge
from snellen.engine.probe.questions import NEEDS, ProbeExam, RepeatedQuestion, questions
from snellen.engine.probe.results import PARTS, Probe, differences
from snellen.subjects.families import Family, family_of

EXAM = ProbeExam()
OPTION = {"seed": "model_seed"}
"""The options that settings go by, where these have other names."""


class ProbePlan(NamedTuple):
    """What a probe is to ask. `untried` are parts that are left out, and why."""

    spec: str
    subject: Subject
    posed: tuple[ProbeQuestion, ...]
    parts: tuple[str, ...]
    untried: Mapping[str, str]
    family: Family | None
    seed: int

    @property
    def calls(self) -> int:
        """How many calls it makes."""
        return sum(p.ask.times for p in self.posed)


class ProbeOutcome(NamedTuple):
    """A probe that was carried out: its record, where that is, the one before it, and in what they differ."""

    probe: Probe
    path: str
    before: Probe | None
    changes: tuple[str, ...]
    resumed: bool


def plan_probe(
    spec: str,
    options: Mapping[str, Any] | None = None,
    parts: tuple[str, ...] = (),
    seed: int = 0,
    offline: bool = False,
) -> ProbePlan:
    """Check what the user named and make the questions. `offline` makes a plan that calls nobody."""
    given = dict(options or {})
    for part in parts:
        if part not in PARTS:
            raise unknown("part of a probe", part, PARTS)
    kind, name = subjects.find(spec)
    if kind.exams:
        raise SnellenError(f"{spec} answers {', '.join(kind.exams)} only: probe the model behind it")
    taken = {o.name for o in kind.takes(name, given, subjects.options_of)}
    refuse_unknown(given, kind.takes(name, given, subjects.options_of), spec, dict)
    subject = subjects.build(spec, EXAM, options=given, seed=seed, offline=offline)
    if len(subject.endpoints) != 1:
        raise SnellenError(f"{spec} calls no endpoint: a probe measures what an endpoint does with requests")
    family = family_of(subject.endpoints[0].model)
    wanted = tuple(p for p in PARTS if not parts or p in parts)
    untried = _untried(wanted, taken, family, subject, seed)
    asks = questions(seed, tuple(p for p in wanted if p not in untried))
    built: dict[str, Subject] = {digest({}): subject}

    def of(ask: RepeatedQuestion) -> Subject:
        key = digest(dict(ask.settings))
        if key not in built:
            built[key] = subjects.build(
                spec, EXAM, options=_with(given, ask.settings, taken), seed=seed, offline=offline
            )
        return built[key]

    return ProbePlan(spec, subject, tuple(ProbeQuestion(ask, of(ask)) for ask in asks), wanted, untried, family, seed)


def _untried(
    parts: tuple[str, ...], taken: set[str], family: Family | None, subject: Subject, seed: int
) -> dict[str, str]:
    """The parts that cannot be tried here, and why."""
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


def _with(given: Mapping[str, Any], settings: Mapping[str, Any], taken: set[str]) -> dict[str, Any]:
    """The user's options with some settings."""
    return {
        **given,
        **{OPTION.get(name, name): value for name, value in settings.items() if OPTION.get(name, name) in taken},
    }


def estimate(planned: ProbePlan) -> dict[str, Any]:
    """Calls, tokens and money, before anything is asked."""
    tokens = sum(p.subject.input_tokens(p.ask.question) * p.ask.times for p in planned.posed)
    price, calls = planned.subject.price, planned.calls
    most = planned.posed[0].subject.identity.get("parameters", {}) if planned.posed else {}
    longest = next((int(v) for k, v in most.items() if k in ("max_tokens", "max_completion_tokens")), EXAM.max_tokens)
    return {
        "calls": calls,
        "input_tokens": tokens,
        "money_usd": "unknown" if price is None else price.of(tokens, calls * EXAM.reply_tokens),
        "money_usd_at_most": "unknown" if price is None else price.of(tokens, calls * longest),
    }


def run_probe(planned: ProbePlan, limits: Limits, on_progress: OnProgress = None) -> ProbeOutcome:
    """Ask, judge, keep. What was answered stays in the store if it ends early, and the same command goes on."""
    if not planned.posed:
        raise SnellenError("; ".join(f"{part}: {why}" for part, why in planned.untried.items()))
    endpoint = planned.subject.endpoints[0]
    folder = kept.place_of(endpoint)
    asked = digest({"seed": planned.seed, "asked": [p.ask.id for p in planned.posed]})
    session, resumed = kept.session(folder, asked, limits.fresh)
    store = Store(cache_folder()) if limits.use_store else None
    try:
        said = asyncio.run(ask_all(planned.posed, limits, store, session, on_progress))
    except KeyboardInterrupt:
        raise Interrupted("interrupted: the replies so far are kept, the same command goes on") from None
    finally:
        if store is not None:
            store.close()
    before = kept.taken_together(kept.kept(folder))
    probe = _record(planned, said)
    path = kept.keep(folder, probe)
    changes = () if before is None else tuple(differences(before, probe))
    return ProbeOutcome(probe, str(path), before, changes, resumed)


def _record(planned: ProbePlan, said: ProbeReplies) -> Probe:
    results, proposal = judge(said.replies, planned.seed, planned.parts, planned.family, planned.untried)
    endpoint = planned.subject.endpoints[0]
    totals, family = said.totals, planned.family
    return Probe(
        snellen=__version__,
        at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        spec=planned.spec,
        kind=endpoint.kind,
        endpoint=endpoint.connection.url,
        model=endpoint.model,
        model_returned=said.model_returned,
        family=family.name if family is not None else "",
        family_looked_up=family.looked_up if family is not None else "",
        seed=planned.seed,
        calls=totals.calls,
        stored=totals.stored,
        cost=totals.cost if not totals.cost_unknown else None,
        results=results,
        proposal=proposal,
    )
