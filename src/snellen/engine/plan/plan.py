"""The plan of a run: its exam, data, subject, protocols and options, and the folder name that follows from them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import __version__, exams, subjects
from snellen.core.adaptive import Adaptive
from snellen.core.arm import Arm
from snellen.core.dataset import Dataset, Shard, only, part_of
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import CaptionScoring, DefaultModel, ExamRequest, OptionMeaning
from snellen.core.options import MAX_MISSING, OF_DATA, SHOTS, Selection, refuse_unknown, stored_values
from snellen.core.prompt import shots_of
from snellen.core.protocol import PluginCode, Protocol
from snellen.core.records import DataEntry, Manifest, ProtocolEntry, ScorerEntry, SubjectEntry
from snellen.core.scorer import SCORER_MODE, SCORERS, Scorer
from snellen.core.subject import DISCOVERED_KEYS, Subject
from snellen.core.types import Sample
from snellen.data.line_offsets import Key
from snellen.engine.ask.controls import known_control, partners, why_not_moved
from snellen.engine.ask.questions import Feed, asker, to_ask
from snellen.engine.call.looping import close_subject
from snellen.engine.call.serving import check_server
from snellen.engine.call.store import cache_folder
from snellen.engine.plan.request import Limits, RunRequest

_NAMING = 2
_MOST_REPEATS = 100


class ProtocolRun(NamedTuple):
    """A protocol together with the arm whose answers it marks."""

    protocol: Protocol
    arm: Arm

    @property
    def name(self) -> str:
        """`NAME`, or `NAME@ARM` if that is not the protocol's own prompt."""
        own = self.arm == Arm(self.protocol.prompt)
        return self.protocol.name if own else f"{self.protocol.name}@{self.arm}"

    @property
    def entry(self) -> ProtocolEntry:
        """The manifest entry."""
        return ProtocolEntry(name=self.name, version=self.protocol.version, prompt=self.arm.text, code=self.code)

    @property
    def code(self) -> str:
        """The digest of the source of the plugin that the protocol comes from. Empty for built-in ones."""
        of_plugin = self.protocol.extra(PluginCode)
        return of_plugin.digest if of_plugin is not None else ""


class Plan(NamedTuple):
    """Everything that decides what is asked and how it is marked. `questions` counts them by arm.

    The number of repeats is not part of the run's name: the same command with more repeats asks only the missing ones.
    """

    exam: Exam
    data: Dataset
    subject: Subject
    targets: tuple[ProtocolRun, ...]
    selection: Selection
    questions: Mapping[Arm, int] = {}
    scorers: tuple[Scorer, ...] = ()
    notes: tuple[str, ...] = ()
    limits: Limits = Limits()
    out: Path = Path("runs")
    results: Path | None = None
    repeats: int = 1

    @property
    def shard(self) -> Shard | None:
        """The part of the samples that is asked here. None means all of them."""
        return self.limits.shard

    @property
    def firsts(self) -> tuple[Arm, ...]:
        """The arms that the protocols mark, each once."""
        return tuple(dict.fromkeys(t.arm for t in self.targets))

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms to ask: those that the protocols mark, as often as each question is asked.

        The repeats of an arm stand together, so that a sample's repeats are asked one after the other. A provider's cache then has its
        image.
        """
        return tuple(again for arm in self.firsts for again in arm.times(self.repeats))

    def applies(self, arm: Arm, sample: Sample) -> bool:
        """Tell whether an arm is asked about a sample."""
        return applies(self.exam, arm, sample, self.subject.chooses_only)

    def feed(self, done: Callable[[Key], bool]) -> Feed:
        """Return the questions that have no answer yet, prepared for the subject."""
        open_ = to_ask(self.exam, self.data, self.arms, lambda key: not done(key), self.applies, self.selection.seed)
        return Feed(open_, self.subject)

    @property
    def folder_name(self) -> str:
        """The exam, the subject and a digest of what changes the answers. Protocols, prompts, money and speed do not count."""
        subject = {k: v for k, v in self.subject.identity.items() if k not in DISCOVERED_KEYS}
        mark = digest(
            {
                "naming": _NAMING,
                "benchmark": self.exam.name,  # the word in all folder names so far
                "data": self.data.fingerprint,
                "subject": subject,
                "options": msgspec.to_builtins(self.selection),
            }
        )
        part = f".{self.shard.number}of{self.shard.of}" if self.shard is not None else ""
        return f"{self.exam.name}_{slug(self.subject.spec)}_{mark[:8]}{part}"

    @property
    def folder(self) -> Path:
        """The path of the run."""
        return self.out / self.folder_name


def slug(spec: str) -> str:
    """Return a name as part of a folder name."""
    kind, _, rest = spec.partition("/")
    if kind in ("replay", "human"):
        spec = f"{kind}-{Path(rest).stem}"
    return re.sub(r"[^A-Za-z0-9.]+", "-", spec).strip("-.")[:60]


# ---------------------------------------------------------------- from a request to a plan


def make_plan(request: RunRequest, *, offline: bool = False) -> Plan:
    """Check everything that the user named, and open the data. With `offline` the plan is neither asked nor scored."""
    exam = exams.load(request.exam)
    usual, meaning = exam.extra(DefaultModel), exam.extra(OptionMeaning)
    model = request.model or (usual.spec if usual is not None else None)
    wanted = ExamRequest(model, request.prompt, request.selection, dict(request.options))
    if meaning is not None:
        wanted = meaning.applied(wanted)
    selection = _checked(exam, wanted)
    targets = choose(exam, request.protocols, wanted.prompt, request.controls)
    for target in targets:
        if selection.shots and exam.prompts[target.arm.prompt].shots == (0,):
            raise SnellenError(f"the prompt '{target.arm.prompt}' takes no examples: leave out --shots")
    data = exam.open(request.data, selection)
    if isinstance(data, Adaptive):
        _check_adaptive(exam, targets, request.limits)
    data = part_of(data, request.limits.shard)
    subject = _subject(wanted, exam, data, selection, request.limits, offline)
    with ExitStack() as on_error:
        on_error.callback(close_subject, subject)
        request.limits.check(subject.spec, bool(subject.endpoints))
        if request.limits.serve:
            check_server(request.limits.serve[0], subject)
        results = Path(wanted.options["results"]) if wanted.options.get("results") else None
        plan = Plan(exam, data, subject, targets, selection, limits=request.limits, out=request.out, results=results)
        plan = plan._replace(repeats=_checked_repeats(request.repeats, subject))
        plan = _that_apply(_recorded(plan), named=bool(request.protocols))
        plan = plan if offline else plan._replace(scorers=_scorers(plan, wanted.options))
        on_error.pop_all()  # from here on the plan's owner closes it
    return plan


def _subject(
    wanted: ExamRequest, exam: Exam, data: Dataset, selection: Selection, limits: Limits, offline: bool
) -> Subject:
    """Build the subject: here, or a local model on the nodes of a cluster."""
    pool = limits.pool
    afar = pool is not None and subjects.find(wanted.model)[0].in_workers
    if afar and wanted.options.get("devices"):
        raise SnellenError("--devices has no effect with --on: every worker of the cluster has its GPU")
    if afar and wanted.options.get("check_batching"):
        raise SnellenError("--check-batching is for one device: leave out --on")
    build = partial(subjects.build, wanted.model, exam, options=wanted.options, data=data, seed=selection.seed)
    subject = build(offline=offline or afar)
    if pool is None or subject.endpoints:
        return subject
    if not afar:
        raise SnellenError(f"--on has no effect for {subject.spec}: it is for models behind an API and for hf/ models")
    return subject if offline else pool.subject(subject)


def _check_adaptive(exam: Exam, targets: tuple[ProtocolRun, ...], limits: Limits) -> None:
    """Refuse options that need all questions at once, because each question depends on the answers before it."""
    if limits.shard is not None:
        raise SnellenError(f"--shard has no effect for {exam.name}: each question depends on the answers before")
    if limits.batch:
        raise SnellenError(f"--batch-api has no effect for {exam.name}: it chooses each question by the answers before")
    controls = [t.arm.control for t in targets if t.arm.control]
    if controls:
        raise SnellenError(
            f"--controls {controls[0]}: {exam.name} chooses its questions on the way and has controls of its own"
        )


def _checked(exam: Exam, wanted: ExamRequest) -> Selection:
    """Return the selection, with its options. An option that has no effect here is refused."""
    kind, name = subjects.find(wanted.model)
    allowed = (*exam.options, *kind.takes(name, wanted.options, subjects.options_of))
    refuse_unknown(wanted.options, allowed, f"{exam.name} with {wanted.model}", _owners)
    given = {o.name: wanted.options[o.name] for o in (SHOTS, MAX_MISSING) if o.name in wanted.options}
    of_data = {o.name: value for o in OF_DATA if (value := wanted.options.get(o.name))}
    if of_data:
        given["own"] = wanted.selection.own | stored_values(of_data)
    selection = msgspec.structs.replace(wanted.selection, **given)
    if selection.limit is not None and selection.limit < 1:
        raise SnellenError(f"--limit {selection.limit}: must be at least 1")
    shots = shots_of(exam.prompts.values())
    if selection.shots not in shots:
        raise SnellenError(f"--shots {selection.shots}: {exam.name} has {', '.join(map(str, shots))}")
    return selection


def _checked_repeats(repeats: int, subject: Subject) -> int:
    """Return how often each question is asked. It is an error if every repeat would be the first one again."""
    if not 1 <= repeats <= _MOST_REPEATS:
        raise SnellenError(f"--repeats {repeats}: a number from 1 to {_MOST_REPEATS}")
    why = subject.why_same(repeats) if repeats > 1 else ""
    if why:
        raise SnellenError(f"--repeats {repeats} would measure nothing: {why}")
    return repeats


def _owners() -> dict[str, str]:
    """Return the owner of each option name, for people."""
    found: dict[str, list[str]] = {}
    for name in exams.names():
        for option in exams.load(name).options:
            found.setdefault(option.name, []).append(name)
    for prefix, kind in subjects.kinds().items():
        for option in kind.options:
            found.setdefault(option.name, []).append(f"{prefix}/")
    return {name: ", ".join(who) + " models" * who[-1].endswith("/") for name, who in found.items()}


def _scorers(plan: Plan, options: Mapping[str, Any]) -> tuple[Scorer, ...]:
    """Return the scorers that the exam needs: those named, one for synthetic data, else the exam's own."""
    from snellen.scorers import FOR_SYNTHETIC, build

    own = plan.exam.extra(CaptionScoring)
    if own is None:
        return ()
    wanted = options.get(SCORERS.name) or (FOR_SYNTHETIC if plan.data.synthetic else own.scorers)
    mode = str(options.get(SCORER_MODE.name, SCORER_MODE.default))
    names = (wanted,) if isinstance(wanted, str) else wanted
    return tuple(build(str(name), mode=mode, cache=cache_folder()) for name in names)


# ---------------------------------------------------------------- which questions there are


def applies(exam: Exam, arm: Arm, sample: Sample, chooses_only: bool = False) -> bool:
    """Tell whether an arm is asked about a sample, depending on whether the subject only chooses among options."""
    if not exam.prompts[arm.prompt].asked_about(sample):
        return False
    if chooses_only and not exam.ask(arm.prompt, bare(sample)).options:
        return False
    return arm.control != "options" or not why_not_moved(exam, arm.prompt, bare(sample))


def counted(plan: Plan, chooses_only: bool) -> dict[Arm, int]:
    """Return how many questions each arm asks at a time."""
    some = [
        arm
        for arm in plan.firsts
        if chooses_only or arm.control == "options" or plan.exam.prompts[arm.prompt].applies is not None
    ]
    counts = {arm: 0 if arm in some else len(plan.data) for arm in plan.firsts}
    for sample in plan.data.light() if some else ():
        for arm in some:
            counts[arm] += applies(plan.exam, arm, sample, chooses_only)
    return counts


def bare(sample: Sample) -> Sample:
    """Return a sample without its images."""
    return msgspec.structs.replace(sample, pictures=()) if sample.pictures else sample


def _recorded(plan: Plan) -> Plan:
    """Leave out the samples that are missing in an exam's own file of replies, with a note."""
    if not plan.subject.only_recorded:
        return plan
    some, every = only(plan.data, plan.subject.recorded_ids), len(plan.data)
    if not len(some):
        raise SnellenError(f"{plan.subject.spec} has no reply to any of the {every} samples")
    if len(some) == every:
        return plan
    note = f"{plan.subject.spec} has replies to {len(some)} of {every} samples: only these are marked"
    return plan._replace(data=some, notes=(*plan.notes, note))


def _that_apply(plan: Plan, *, named: bool) -> Plan:
    """Count the questions and drop protocols whose prompt fits no sample. That is an error if the user named them."""
    only = plan.subject.chooses_only
    if plan.subject.needs_picture and any(arm.control == "none" for arm in plan.firsts):
        raise SnellenError(
            f"control 'none' shows no picture, and {plan.subject.spec} needs one: 'blank' shows an empty one"
        )
    if any(arm.control == "shuffled" for arm in plan.firsts):
        sum(1 for _ in partners(plan.data.whole, 0))  # raises if an image has no other to be exchanged with
    counts = counted(plan, only)
    shuffles = [arm for arm in counts if arm.control == "options"]
    if shuffles and not any(counts[arm] for arm in shuffles):
        raise SnellenError(f"control 'options': {_why_none(plan, shuffles[0])}")
    idle = [t for t in plan.targets if not counts[t.arm] and t.arm not in shuffles]
    for_anyone = counted(plan, False) if only else counts
    if idle and (named or len(idle) == len(plan.targets)):
        if for_anyone[idle[0].arm]:
            raise SnellenError(f"{plan.subject.spec}: the prompt '{idle[0].arm}' offers no options to choose from")
        raise SnellenError(f"protocol {idle[0].name}: its prompt '{idle[0].arm}' fits no sample of this selection")
    kept = plan._replace(targets=tuple(t for t in plan.targets if counts[t.arm]))
    for arm in kept.firsts:
        asker(plan.exam, plan.data, arm.prompt)  # reports errors in shots and prompts before anything is asked
    left = {arm.plain: counts[arm.plain] - counts[arm] for arm in shuffles if arm.plain in counts}
    notes = plan.notes + tuple(
        f"control 'options': {n} of {counts[arm]} questions of the prompt '{arm}' have no options that can be shuffled and are left out"
        for arm, n in left.items()
        if n
    )
    lost = sum(for_anyone.values()) - sum(counts.values())
    notes += (f"{plan.subject.spec}: {lost} questions offer no options and are left out",) if lost else ()
    return kept._replace(questions={arm: counts[arm.first] for arm in kept.arms}, notes=notes)


def _why_none(plan: Plan, arm: Arm) -> str:
    for sample in plan.data.light():
        if plan.applies(arm.plain, sample):
            return f"the prompt '{arm.prompt}' {why_not_moved(plan.exam, arm.prompt, bare(sample))}"
    return f"the prompt '{arm.prompt}' fits no sample of this selection"


# ---------------------------------------------------------------- which protocols


def choose(
    exam: Exam, protocols: tuple[str, ...], prompt: str | None = None, controls: tuple[str, ...] = ()
) -> tuple[ProtocolRun, ...]:
    """Return protocols by name, `NAME@ARM`, or all of them. `prompt` replaces the protocols' own prompt. Controls add arms."""
    specs = protocols or tuple(exam.protocols)
    if prompt is not None:
        specs = tuple(s if "@" in s else f"{s}@{prompt}" for s in specs)
    picked = [ProtocolRun(*exam.protocol(spec)) for spec in specs]
    for target in picked:
        if target.arm.control:
            known_control(target.arm.control)
    plain = [t for t in picked if not t.arm.control]
    arms = [ProtocolRun(t.protocol, t.arm.under(known_control(control))) for control in controls for t in plain]
    return tuple(dict.fromkeys(picked + arms))


def targets_from_manifest(exam: Exam, known: Manifest, where: Path) -> tuple[ProtocolRun, ...]:
    """Return the protocols that a run's manifest lists."""
    for entry in known.protocols:
        if entry.base not in exam.protocols or entry.arm.prompt not in exam.prompts:
            raise SnellenError(
                f"{where} was marked with the protocol '{entry.base}' (prompt '{entry.prompt}') of a plugin, which is not loaded: "
                "add --plugin FILE.py"
            )
    return choose(exam, tuple(f"{entry.base}@{entry.prompt}" for entry in known.protocols))


# ---------------------------------------------------------------- run.json


def manifest(plan: Plan) -> Manifest:
    """Return run.json of a new run."""
    return Manifest(
        snellen=__version__,
        created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        exam=plan.exam.name,
        subject=SubjectEntry(spec=plan.subject.spec, identity=dict(plan.subject.identity)),
        options=plan.selection,
        data=DataEntry(
            source=plan.data.source,
            fingerprint=plan.data.fingerprint,
            synthetic=plan.data.synthetic,
            origin=dict(plan.data.origin),
            samples=len(plan.data),
            missing=tuple(plan.data.missing),
        ),
        questions={arm.text: n for arm, n in plan.questions.items()},
        protocols=tuple(t.entry for t in plan.targets),
        scorers=tuple(map(scorer_entry, plan.scorers)),
        fresh=plan.limits.fresh,
        shard=None if plan.shard is None else (plan.shard.number, plan.shard.of),
    )


def scorer_entry(scorer: Scorer) -> ScorerEntry:
    """Return a scorer's manifest entry."""
    return ScorerEntry(name=scorer.name, identity=dict(scorer.identity))
