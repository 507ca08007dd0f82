"""What a run is: its benchmark, data, subject, protocols and options, and the folder that all of these name."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import exams as benchmarks
from snellen import subjects
from snellen.core.dataset import Dataset
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam, HasMethods, Scored, pick_protocol
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.scorer import Scorer
from snellen.core.subject import ChoosesOnly, Subject
from snellen.core.types import Sample
from snellen.engine.ask.controls import check, split, why_not_shuffled
from snellen.engine.call.store import cache_folder
from snellen.exams.grounding.methods import building as methods
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.openai_api import Settings

NAMING = 2


class Chosen(NamedTuple):
    """A protocol together with the prompt whose answers it marks."""

    protocol: Protocol
    prompt: str

    @property
    def name(self) -> str:
        """`NAME`, or `NAME@PROMPT` where the prompt is not the protocol's own."""
        return self.protocol.name if self.prompt == self.protocol.prompt else f"{self.protocol.name}@{self.prompt}"


class Plan(NamedTuple):
    """Everything that decides what is asked and how it is marked. `questions` counts them by prompt."""

    benchmark: Exam
    data: Dataset
    subject: Subject
    chosen: tuple[Chosen, ...]
    options: Selection
    questions: Mapping[str, int] = {}
    scorers: tuple[Scorer, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that have to be asked, each once."""
        return tuple(dict.fromkeys(c.prompt for c in self.chosen))

    def applies(self, prompt: str, sample: Sample) -> bool:
        """Whether a prompt, or an arm of it, is asked about a sample."""
        base, arm = split(prompt)
        if base in self.benchmark.partial and not self.benchmark.applies(base, sample):
            return False
        if isinstance(self.subject, ChoosesOnly) and not self.benchmark.render(base, _bare(sample)).options:
            return False
        return arm != "options" or not why_not_shuffled(self.benchmark.render(base, _bare(sample)))

    def counted(self) -> dict[str, int]:
        """How many questions each prompt asks."""
        counts = dict.fromkeys(self.prompts, 0)
        some = [
            p
            for p in counts
            if split(p)[0] in self.benchmark.partial
            or split(p)[1] == "options"
            or isinstance(self.subject, ChoosesOnly)
        ]
        for sample in self.data.light() if some else ():
            for prompt in some:
                counts[prompt] += self.applies(prompt, sample)
        return {p: n if p in some else len(self.data) for p, n in counts.items()}

    @property
    def folder_name(self) -> str:
        """Benchmark, subject and a digest of what changes the answers; protocols, prompts, money and speed do not count."""
        subject = {k: v for k, v in self.subject.identity.items() if k != "listed"}
        mark = digest(
            {
                "naming": NAMING,
                "benchmark": self.benchmark.name,
                "data": self.data.fingerprint,
                "subject": subject,
                "options": msgspec.to_builtins(self.options),
            }
        )
        return f"{self.benchmark.name}_{_slug(self.subject.spec)}_{mark[:8]}"


def _bare(sample: Sample) -> Sample:
    return msgspec.structs.replace(sample, pictures=())


def _slug(spec: str) -> str:
    if spec.startswith("replay/"):
        spec = "replay-" + Path(spec).stem
    return re.sub(r"[^A-Za-z0-9.]+", "-", spec).strip("-.")[:60]


def make_plan(
    benchmark_name: str,
    *,
    model: str | None,
    data: Path,
    protocols: tuple[str, ...] = (),
    prompt: str | None = None,
    controls: tuple[str, ...] = (),
    options: Selection | None = None,
    settings: Settings | None = None,
    local: LocalSettings | None = None,
    scorers: tuple[str, ...] = (),
    scorer_mode: str = "trained",
    method: methods.Chosen | None = None,
    offline: bool = False,
) -> Plan:
    """Check everything that the user named, and open the data."""
    benchmark = benchmarks.load(benchmark_name)
    options = options or Selection()
    if options.limit is not None and options.limit < 1:
        raise SnellenError(f"--limit {options.limit}: must be at least 1")
    if options.shots not in benchmark.shots:
        raise SnellenError(f"--shots {options.shots}: {benchmark.name} has {', '.join(map(str, benchmark.shots))}")
    chosen = choose(benchmark, protocols, prompt, controls)
    opened = benchmark.open(data, options)
    settings = settings or Settings(max_tokens=benchmark.max_tokens)
    if model is not None and model.startswith("method/"):
        method, model = methods.Chosen(model.removeprefix("method/")), None
    used = methods.wants_method(benchmark, method, model)
    if used is not None and isinstance(benchmark, HasMethods):
        subject = methods.build(
            benchmark, used, model, opened, settings, local=local, seed=options.seed, offline=offline
        )
    elif model is None:
        raise SnellenError(methods.nobody(benchmark))
    else:
        subject = subjects.build(
            model,
            settings,
            solvers=benchmark.solvers,
            seed=options.seed,
            offline=offline,
            local=local,
            recorded=getattr(benchmark, "recorded", None),
        )
    plan = Plan(benchmark, opened, subject, chosen, options)
    plan = _that_apply(plan, named=bool(protocols))
    return plan if offline else plan._replace(scorers=_scorers(plan, scorers, scorer_mode))


def _scorers(plan: Plan, names: tuple[str, ...], mode: str) -> tuple[Scorer, ...]:
    """The scorers that the benchmark needs: those named, the tiny one for synthetic data, else the benchmark's own."""
    from snellen.scorers import TINY, build

    if not isinstance(plan.benchmark, Scored):
        if names:
            raise SnellenError(f"--scorer {names[0]}: {plan.benchmark.name} needs no scorer")
        return ()
    wanted = names or ((TINY,) if plan.data.synthetic else plan.benchmark.scorers)
    return tuple(build(name, mode=mode, cache=cache_folder()) for name in wanted)


def _that_apply(plan: Plan, *, named: bool) -> Plan:
    """Count the questions, and let go of protocols whose prompt fits no sample; that is an error where they were named."""
    counts = plan.counted()
    shuffles = [p for p in counts if split(p)[1] == "options"]
    if shuffles and not any(counts[p] for p in shuffles):
        raise SnellenError(f"control 'options': {_why_none(plan, shuffles[0])}")
    idle = [c for c in plan.chosen if not counts[c.prompt] and c.prompt not in shuffles]
    whoever = plan._replace(subject=_ANYONE).counted() if isinstance(plan.subject, ChoosesOnly) else counts
    if idle and (named or len(idle) == len(plan.chosen)):
        if whoever[idle[0].prompt]:
            raise SnellenError(f"{plan.subject.spec}: the prompt '{idle[0].prompt}' offers no options to choose from")
        raise SnellenError(f"protocol {idle[0].name}: its prompt '{idle[0].prompt}' fits no sample of this selection")
    kept = plan._replace(chosen=tuple(c for c in plan.chosen if counts[c.prompt]))
    for prompt in kept.prompts:
        plan.data.asker(split(prompt)[0])  # says what is wrong with shots and prompts before anything is asked
    left = {base: counts[base] - counts[p] for p in shuffles if (base := split(p)[0]) in counts}
    notes = tuple(
        f"control 'options': {n} of {counts[base]} questions of the prompt '{base}' have no options that can be shuffled and are left out"
        for base, n in left.items()
        if n
    )
    lost = sum(whoever.values()) - sum(counts.values())
    notes += (f"{plan.subject.spec}: {lost} questions offer no options and are left out",) if lost else ()
    return kept._replace(questions={p: counts[p] for p in kept.prompts}, notes=notes)


_ANYONE: Any = object()
"""In place of a subject that can answer anything."""


def _why_none(plan: Plan, prompt: str) -> str:
    base = split(prompt)[0]
    for sample in plan.data.light():
        if plan.applies(base, sample):
            return f"the prompt '{base}' {why_not_shuffled(plan.benchmark.render(base, _bare(sample)))}"
    return f"the prompt '{base}' fits no sample of this selection"


def choose(
    benchmark: Exam, protocols: tuple[str, ...], prompt: str | None, controls: tuple[str, ...] = ()
) -> tuple[Chosen, ...]:
    """Protocols by name, `NAME@PROMPT`, or all of them; `prompt` replaces the protocols' own prompt; controls add arms."""
    specs = protocols or tuple(benchmark.protocols)
    if prompt is not None:
        specs = tuple(s if "@" in s else f"{s}@{prompt}" for s in specs)
    picked = [Chosen(*pick_protocol(benchmark, spec)) for spec in specs]
    for one in picked:
        arm = split(one.prompt)[1]
        if arm is not None:
            check(arm)
    arms = [Chosen(c.protocol, f"{c.prompt}+{check(arm)}") for arm in controls for c in picked if "+" not in c.prompt]
    return tuple(dict.fromkeys(picked + arms))


def of_run(benchmark: Exam, known: Mapping[str, Any], where: Path) -> tuple[Chosen, ...]:
    """The protocols that a run's manifest lists."""
    entries = [(p["name"].partition("@")[0], p["prompt"]) for p in known["protocols"]]
    for name, prompt in entries:
        if name not in benchmark.protocols or split(prompt)[0] not in benchmark.prompts:
            raise SnellenError(
                f"{where} was marked with the protocol '{name}' (prompt '{prompt}') of a plugin, which is not loaded: "
                "add --plugin FILE.py"
            )
    return choose(benchmark, tuple(f"{name}@{prompt}" for name, prompt in entries), None)


def manifest(plan: Plan, version: str) -> dict[str, Any]:
    """run.json of a new run."""
    return {
        "snellen": version,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "benchmark": plan.benchmark.name,
        "subject": {"spec": plan.subject.spec, "identity": dict(plan.subject.identity)},
        "options": msgspec.to_builtins(plan.options),
        "data": {
            "source": plan.data.source,
            "fingerprint": plan.data.fingerprint,
            "synthetic": plan.data.synthetic,
            "samples": len(plan.data),
            **({"missing": list(missing)} if (missing := getattr(plan.data, "missing", ())) else {}),
        },
        "questions": dict(plan.questions),
        "protocols": [protocol_entry(c) for c in plan.chosen],
        **({"scorers": [scorer_entry(s) for s in plan.scorers]} if plan.scorers else {}),
    }


def scorer_entry(scorer: Scorer) -> dict[str, Any]:
    """A scorer in the manifest."""
    return {"name": scorer.name, "identity": dict(scorer.identity)}


def protocol_entry(chosen: Chosen) -> dict[str, str]:
    """A protocol in the manifest."""
    return {"name": chosen.name, "version": chosen.protocol.version, "prompt": chosen.prompt}
