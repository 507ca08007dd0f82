"""A run from plan to summary: find or make the folder, ask what is open, mark what is there."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import __version__, exams, scorers
from snellen.core.adaptive import Adaptive
from snellen.core.arm import Arm
from snellen.core.errors import Interrupted, MostlySilent, SnellenError, Stopped
from snellen.core.extras import Exports, traits_of
from snellen.core.records import Manifest, SubjectEntry, Totals
from snellen.core.subject import LEARNT, Reply
from snellen.engine.answer.batches import Batching, batches_of
from snellen.engine.answer.loop import Asking, Progress
from snellen.engine.answer.reuse import given_on, nothing_asked, this_time
from snellen.engine.answer.swapped import swapped
from snellen.engine.call.looping import run_loop, unasked
from snellen.engine.call.serving import served
from snellen.engine.call.store import Store, cache_folder
from snellen.engine.mark import marking, scoring
from snellen.engine.mark.missing_answers import Unasked
from snellen.engine.plan.edits import edited, moved, other_data
from snellen.engine.plan.plan import Plan, Target, choose, manifest, of_run, scorer_entry, slug
from snellen.engine.plan.wording import renewed, wordings
from snellen.engine.probe.kept import identity_of, warnings_for
from snellen.engine.runs.batch_books import Books, has_open
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.engine.runs.run import Run

INTERRUPTED = "interrupted: everything answered so far is kept, the same command goes on"
NAMED = 6
"""How many parts without answers a message names."""
OnProgress = Callable[[Progress], None] | None
OnScoring = Callable[[int, int], None] | None


class Finished(NamedTuple):
    """A run that was carried out. `stopped` is why it ended early; `notes` are for the user's eyes."""

    run: Run
    stopped: Stopped | None
    notes: tuple[str, ...]
    asked: int


def carry_out(
    plan: Plan, on_progress: OnProgress = None, on_scoring: OnScoring = None, ends: Ends | None = None
) -> Finished:
    """Run a plan, or go on with it where it was left. `ends` stops it from outside; without one, Ctrl-C and SIGTERM do."""
    with unasked(plan.subject) as waits:
        return _carried_out(plan, on_progress, on_scoring, ends, waits)


def _carried_out(
    plan: Plan, on_progress: OnProgress, on_scoring: OnScoring, ends: Ends | None, waits: ExitStack
) -> Finished:
    if plan.limits.batch:
        batches_of(plan)  # an error where there are none, before anything is put aside
    if plan.limits.fresh and not fresh_and_unfinished(plan.folder):
        plan = plan._replace(notes=(*plan.notes, *_put_aside(plan.folder)[1]))
    plan = plan._replace(notes=(*plan.notes, *_without_another_model(plan)))
    try:
        finished = _carry_out(plan, on_progress, on_scoring, ends, waits)
    except SnellenError:
        _remove_if_empty(plan.folder)
        raise
    if plan.results is not None and finished.stopped is None:
        exports = plan.exam.extra(Exports)
        if exports is None or exports.collect is None:
            raise SnellenError(f"--results: {plan.exam.name} has no files that collect several runs")
        every = marking.run_facts(finished.run.folder, plan.exam)
        kept = [f"results: {line}" for facts in every for line in exports.collect(facts, plan.results)]
        finished = finished._replace(notes=(*finished.notes, *kept))
    return finished if finished.stopped is not None else finished._replace(stopped=mostly_silent(finished.run))


def _carry_out(
    plan: Plan, on_progress: OnProgress, on_scoring: OnScoring, ends: Ends | None, waits: ExitStack
) -> Finished:
    notes = [*plan.notes, *warnings_for(plan.subject)]
    with RunFolder(plan.folder) as folder:
        targets = _write_manifest(folder, plan, notes)
        # a run that was begun with --fresh stays fresh to its end, so that old answers never mix with new ones
        plan = plan._replace(limits=plan.limits._replace(fresh=folder.manifest().fresh))
        scan = folder.scan()
        notes += _opening_notes(folder, plan, scan)
        open_questions = _open_questions(plan, scan)
        there, made, given = scan.answered, scan.totals.calls, given_on(scan.totals)
        stopped: Stopped | None = None
        concurrency: dict[str, Any] | None = None
        if open_questions:
            _refuse_to_ask_twice(plan, folder)
            reused = Totals()
            stopped, concurrency = _ask(plan, folder, scan, on_progress, notes, ends, reused, waits)
            scan = folder.scan()
            if isinstance(plan.data, Adaptive):
                _put_in_order(folder, plan.data)
            if plan.subject.endpoints and not plan.limits.batch:
                notes += this_time(scan.totals.calls - made, there, given, reused)
            _note_identity(folder, plan)
            if stopped is None and scan.failed and not scan.answered:
                stopped = Stopped(
                    f"none of the {scan.failed} questions was answered; the same command asks them again. The reason: "
                    f"{next(iter(marking.failure_reasons(folder, scan)))}"
                )
        scored = 0
        for scorer in () if isinstance(stopped, Interrupted) else plan.scorers:
            scored += scoring.score(folder, plan.exam, plan.data, scorer, scan, on_scoring)
        if not open_questions and plan.subject.endpoints:
            notes += nothing_asked(there, given)
        if not open_questions:
            waits.close()  # what it holds, such as workers, is not needed for marking
        if not open_questions and not scored and marking.is_current(folder, targets):
            return Finished(Run(plan.folder), None, tuple(notes), 0)
        if not isinstance(stopped, Interrupted) and len(scan.last):
            marking.mark_run(folder, plan.exam, targets, scan=scan, concurrency=concurrency)
            notes += _unscored(folder)
    return Finished(Run(plan.folder), stopped, tuple(notes), open_questions)


def _put_in_order(folder: RunFolder, data: Adaptive) -> None:
    """Samples that were chosen on the way, in the data set's order, whatever came first: so equal answers give equal files."""
    chosen = {sample.id: sample for sample in folder.samples()}
    folder.write_samples((chosen[s.id] for s in data.light() if s.id in chosen), facts=True)


def mostly_silent(run: Run) -> Stopped | None:
    """A run that asked everything and heard nothing: a zero would pass for a measurement."""
    if not run.folder.has("summary.json") or not run.summary.lost:
        return None
    summary = run.summary
    parts = [" · ".join(row.by.values()) or "all" for row in summary.lost]
    names = ", ".join(parts[:NAMED]) + (f" and {len(parts) - NAMED} more parts" if len(parts) > NAMED else "")
    missing, n = sum(row.missing for row in summary.lost), sum(row.n for row in summary.lost)
    help_ = "".join(f" {advice[:1].upper()}{advice[1:]}." for advice in summary.advice)
    return MostlySilent(
        f"most questions got no answer ({missing} of {n} in {names}), so the score says nothing of the model.{help_} Everything is kept"
    )


def _refuse_to_ask_twice(plan: Plan, folder: RunFolder) -> None:
    """Questions that are in a batch at the provider are paid for: whoever asks them directly pays again."""
    under = Books(folder).open
    if under and not plan.limits.batch:
        raise SnellenError(
            f"{sum(e.count for e in under)} questions of this run are in a batch at the provider: "
            "add --batch-api to collect it, or --fresh to begin anew"
        )


def _opening_notes(folder: RunFolder, plan: Plan, scan: Scan) -> list[str]:
    """What a user should know before the first question."""
    torn, missing = folder.start_appending(), len(plan.data.missing)
    said = {
        f"the last line was incomplete ({torn} bytes) and was removed; that sample is asked again": torn,
        f"{scan.unreadable} unreadable lines in answers.jsonl are skipped; those samples are asked again": scan.unreadable,
        f"{missing} samples cannot be used and are left out; run.json lists them": missing,
    }
    return [note for note, n in said.items() if n] + _doubts(plan)


def _unscored(folder: RunFolder) -> list[str]:
    return [
        f"scorer {s.name} has not scored {s.unscored} of the answers; scores exclude them. --scorer {s.name} scores the rest"
        for s in folder.summary().scorers
        if s.unscored
    ]


def _doubts(plan: Plan) -> list[str]:
    """Scorers and recorded replies that do not go with the data."""
    notes = [f"{s.name}: {doubt}" for s in plan.scorers if not plan.data.synthetic and (doubt := scorers.doubt(s.name))]
    chosen = plan.selection
    if chosen.limit is None and not chosen.splits and not chosen.tasks:
        unknown = plan.subject.unknown(s.id for s in plan.data.whole.light())
        if unknown and not plan.data.missing:
            notes.append(
                f"{len(unknown)} recorded replies are for samples that are not in the data set, such as {min(unknown)}"
            )
    return notes


def _remove_if_empty(path: Path) -> None:
    """A run that failed before its first answer leaves nothing behind that later commands would trip over.

    One with a batch at the provider stays: its books are all that leads to what is paid there. So does one that was marked, and one whose
    answers are a link: there were some once.
    """
    folder = RunFolder(path)
    had_some = folder.answers_bytes or folder.has("summary.json") or folder.answers_path.is_symlink()
    if folder.has("run.json") and not had_some and not has_open(folder):
        with contextlib.suppress(SnellenError), folder:
            shutil.rmtree(path, ignore_errors=True)


def fresh_and_unfinished(path: Path) -> bool:
    """A run that was begun with --fresh and is not done: the same command goes on with it."""
    folder = RunFolder(path)
    if not folder.has("run.json") or not folder.manifest().fresh:
        return False
    return not (folder.has("summary.json") and folder.summary().complete)


def _note_identity(folder: RunFolder, plan: Plan) -> None:
    """What the endpoint said of the model goes into the manifest; what was learnt before stays, where this time nothing was."""
    known = folder.manifest()
    subject = _with_identity(known, plan)
    if known.subject != subject:
        folder.write_record(msgspec.structs.replace(known, subject=subject))


def _with_identity(known: Manifest, plan: Plan) -> SubjectEntry:
    """Who answers, with what is known of the endpoint by now and was before; none of that is part of the run's name."""
    learnt = {name: said for name, said in known.subject.identity.items() if name in LEARNT}
    return msgspec.structs.replace(known.subject, identity=learnt | identity_of(plan.subject))


def _put_aside(path: Path) -> tuple[str, list[str]]:
    """Make room for a fresh run; gives the name of the old one, and what a user should know of it."""
    if not path.exists():
        return "", []
    with RunFolder(path) as folder:
        number = next(n for n in range(1, 10_000) if not path.with_name(f"{path.name}.old{n}").exists())
        old = path.with_name(f"{path.name}.old{number}")
        under_way = has_open(folder)
        path.rename(old)
    return old.name, [
        f"the run that was put aside has a batch at the provider, which is paid there; {old} has its id"
    ] * under_way


def _without_another_model(plan: Plan) -> list[str]:
    """A run whose server has another model by now is put aside: two models' answers are no score of either."""
    found = swapped(plan)
    if found is None:
        return []
    said = f"{plan.subject.spec} is not the model that gave this run's answers: {found.what}"
    if not found.sure:
        return [f"{said} (or its server was started again): --fresh asks everything again"]
    old, notes = _put_aside(plan.folder)
    return [f"{said}; the old run is kept as {old}, everything is asked", *notes]


def _write_manifest(folder: RunFolder, plan: Plan, notes: list[str]) -> tuple[Target, ...]:
    """Write run.json and samples.jsonl of a new run; add new protocols to an old one. Gives all protocols of the run."""
    now = wordings(plan)
    if not folder.has("samples.jsonl") and not isinstance(plan.data, Adaptive):
        folder.write_samples(plan.data.light(), facts=traits_of(plan.exam).keeps_facts)
    if not folder.has("run.json"):
        notes += other_data(plan)
        begun = manifest(plan, __version__, plan.limits.fresh)
        begun = msgspec.structs.replace(begun, subject=_with_identity(begun, plan))
        folder.write_record(msgspec.structs.replace(begun, wordings=renewed(begun, now, folder.answers_end)))
        return plan.targets
    known = folder.manifest()
    before = of_run(plan.exam, known, folder.path)
    targets = _joined(before, plan.targets)
    scored_by = scoring.joined(known.scorers, map(scorer_entry, plan.scorers))
    where, said = moved(known.data, plan)
    notes += said
    new = msgspec.structs.replace(
        known, data=where, scorers=scored_by, wordings=renewed(known, now, folder.answers_end)
    )
    if targets != before or any(arm.repeat > 1 and arm.text not in known.questions for arm in plan.arms):
        asked = known.questions | {arm.text: n for arm, n in plan.questions.items()}
        new = msgspec.structs.replace(new, questions=asked)
    edits = edited(known, new, targets)
    if edits and folder.has("summary.json"):  # it is of the old wording or of the old marks
        (folder.path / "summary.json").unlink()
    notes += edits
    new = msgspec.structs.replace(new, protocols=tuple(t.entry for t in targets))
    if new != known:
        folder.write_record(new)
    return targets


def _joined(before: tuple[Target, ...], more: tuple[Target, ...]) -> tuple[Target, ...]:
    """A run's protocols in the order in which they came to it: the first stays the first."""
    return tuple(dict.fromkeys(before + more))


def _open_questions(plan: Plan, scan: Scan) -> int:
    return sum(plan.questions.values()) - scan.done({arm.text for arm in plan.arms})


Asked = tuple[Stopped | None, dict[str, Any]]
"""Why the asking ended early, if it did, and what the limiter did."""


def _ask(
    plan: Plan,
    folder: RunFolder,
    scan: Scan,
    on_progress: OnProgress,
    notes: list[str],
    ends: Ends | None,
    reused: Totals,
    waits: ExitStack,
) -> Asked:
    """Drive the asking loop; whoever has the means to end it, or else Ctrl-C and SIGTERM, stop it cleanly.

    What comes from the store is added to `reused`.
    """
    if plan.limits.pool is not None and plan.subject.endpoints:
        plan.limits.pool.open()
    store = Store(cache_folder()) if plan.subject.endpoints and plan.limits.use_store else None
    try:
        if store is not None:
            _backfill(folder, scan, store)
        stop = Ends() if ends is None else ends
        log = server_log(plan)
        with (
            first_signal(stop) if ends is None else contextlib.nullcontext(),
            served(plan.limits.serve, plan.subject, log, lambda: stop.called, notes),
        ):
            return run_loop(_ask_async(plan, folder, scan, store, on_progress, notes, stop, reused, waits))
    finally:
        if store is not None:
            store.close()
            if store.problem:
                notes.append(store.problem)


def server_log(plan: Plan) -> Path:
    """Where the output of a server is kept that is started for a run: not with the run, which may not come to be."""
    return cache_folder() / "servers" / f"{slug(plan.subject.spec)}.log"


def _backfill(folder: RunFolder, scan: Scan, store: Store) -> None:
    """Answers that a killed process wrote to the run folder but not yet to the store."""
    if not len(scan.last):
        return
    for answer in folder.answers():
        if answer.failure is None and len(answer.calls) == 1 and store.get(answer.calls[0].key) is None:
            call = msgspec.structs.replace(answer.calls[0], stored=False)
            store.put(
                call.key,
                Reply(
                    call=call, text=answer.text, thinking=answer.thinking, refused=answer.refused, tokens=answer.tokens
                ),
            )


class Ends:
    """Ends the asking from any thread, also if it was called before there was any."""

    def __init__(self) -> None:
        self._called = False
        self._stop: Callable[[], object] | None = None

    def __call__(self) -> None:
        self._called = True
        if self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._stop()

    @property
    def called(self) -> bool:
        """Whether the end was called for."""
        return self._called

    def by(self, stop: Callable[[], object]) -> None:
        """This is how."""
        self._stop = stop
        if self._called:
            stop()


async def _ask_async(
    plan: Plan,
    folder: RunFolder,
    scan: Scan,
    store: Store | None,
    on_progress: OnProgress,
    notes: list[str],
    ends: Ends,
    reused: Totals,
    waits: ExitStack,
) -> Asked:
    if plan.limits.batch:
        return await _by_batches(plan, folder, scan, store, on_progress, notes, ends, waits)
    asking = Asking(plan, folder, scan, plan.limits, store, on_progress, reused)
    loop = asyncio.get_running_loop()
    interrupted = Interrupted(INTERRUPTED)
    stopped: Stopped | None = None
    ends.by(lambda: loop.call_soon_threadsafe(asking.stop, interrupted))
    waits.pop_all()  # whoever asks also closes the subject
    try:
        await asking.run()
    except Stopped as error:
        stopped = error
    finally:
        notes += asking.notes
        notes += [caller.trust.note for caller in asking.callers if caller.trust.note]
    changes = [c._asdict() for c in asking.limiter.history]
    return stopped, {"last_limit": asking.limiter.limit, "changes": changes}


async def _by_batches(
    plan: Plan,
    folder: RunFolder,
    scan: Scan,
    store: Store | None,
    on_progress: OnProgress,
    notes: list[str],
    ends: Ends,
    waits: ExitStack,
) -> Asked:
    asking = Batching(plan, folder, scan, store, on_progress)
    loop = asyncio.get_running_loop()
    ends.by(lambda: loop.call_soon_threadsafe(asking.stop, Interrupted(INTERRUPTED)))
    stopped: Stopped | None = None
    waits.pop_all()
    try:
        await asking.run()
    except Stopped as error:
        stopped = error
    finally:
        notes += asking.notes
    return stopped, {}


@contextlib.contextmanager
def first_signal(stop: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl-C, SIGTERM or closed terminal stops the run; the second does what it does to any program, at once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)
    kinds = {signal.SIGINT, signal.SIGTERM, hangup}
    if signal.getsignal(hangup) is signal.SIG_IGN:  # nohup
        kinds.discard(hangup)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for other in kinds - {signal.SIGINT}:
            signal.signal(other, before[other] or signal.SIG_DFL)
        stop()

    for kind in kinds:
        signal.signal(kind, first)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler or signal.SIG_DFL)


def remark(path: str | Path, protocols: tuple[str, ...] = ()) -> marking.Remarked:
    """Mark a run's stored answers again, under its own protocols or others. Calls nobody."""
    run = Run(Path(path))  # an error where it is no run folder, before anything is made there
    with run.folder as folder:
        known = folder.manifest()
        exam = exams.load(known.exam)
        own = of_run(exam, known, folder.path)
        targets = choose(exam, protocols) if protocols else own
        notes = _kept_aside(folder)
        scan = folder.scan()
        asked = {Arm.parse(prompt).first.text for prompt in scan.last.counts}
        lacking = [t for t in targets if t.arm.text not in asked]
        if lacking:
            raise Unasked(folder, exam, lacking, sorted(asked), scan)
        every = _joined(tuple(t for t in own if t.arm.text in asked), targets)
        done = marking.mark_run(folder, exam, every, scan=scan, concurrency=_concurrency(folder))
        folder.write_record(msgspec.structs.replace(known, protocols=tuple(t.entry for t in every)))
        return done._replace(notes=notes)


def _kept_aside(folder: RunFolder) -> tuple[str, ...]:
    """A summary that is not as it was written is kept for whoever wants to know what was changed."""
    if not folder.has("summary.json"):
        return ()
    try:
        folder.summary()
    except SnellenError as error:
        folder.write("summary.json.old", (folder.path / "summary.json").read_bytes())
        return (f"{error}: the old file is kept as summary.json.old",)
    return ()


def _concurrency(folder: RunFolder) -> dict[str, Any] | None:
    """What the limiter did, from the summary that is about to be replaced; nothing where that is damaged."""
    with contextlib.suppress(SnellenError):
        return folder.summary().concurrency
    return None
