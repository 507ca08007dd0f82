"""A run from plan to summary, in three steps: prepare the folder, ask what is open, mark what was answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen import scorers
from snellen.core.adaptive import Adaptive
from snellen.core.errors import Interrupted, MostlyUnanswered, SnellenError, Stopped
from snellen.core.extras import Exports
from snellen.core.records import Totals
from snellen.core.subject import Reply
from snellen.engine.answer.asking_pass import AskingPass, OnProgress
from snellen.engine.answer.batches import Batching, batches_of
from snellen.engine.answer.loop import Asking
from snellen.engine.call.looping import close_subject, run_loop
from snellen.engine.call.serving import served
from snellen.engine.call.store import Store, cache_folder
from snellen.engine.manifests import make_room, note_identity, remove_if_empty, write_manifest
from snellen.engine.mark import marking, scoring
from snellen.engine.plan.plan import Plan, ProtocolRun, slug
from snellen.engine.probe_records.kept import warnings_for
from snellen.engine.runs.batch_books import BatchRecords
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.engine.runs.run import Run
from snellen.engine.stopping import INTERRUPTED, StopSwitch, first_signal

MOST_NAMES = 6
"""The most parts without answers that a message names."""
OnScoring = Callable[[int, int], None] | None


class FinishedRun(NamedTuple):
    """A run that was carried out. `stopped` is the reason why it ended early. `notes` are for the user."""

    run: Run
    stopped: Stopped | None
    notes: tuple[str, ...]
    asked: int


class _PreparedRun(NamedTuple):
    """A run whose folder is ready: its plan, its protocols, the earlier answers, and the number of open questions."""

    plan: Plan
    folder: RunFolder
    targets: tuple[ProtocolRun, ...]
    scan: Scan
    open_questions: int
    notes: tuple[str, ...]


def run_plan(
    plan: Plan, on_progress: OnProgress = None, on_scoring: OnScoring = None, switch: StopSwitch | None = None
) -> FinishedRun:
    """Run a plan, or resume it. `switch` stops the asking from outside. Without one, Ctrl-C and SIGTERM do."""
    try:
        with ExitStack() as held:
            with ExitStack() as asking:
                asking.callback(close_subject, plan.subject)
                if plan.limits.batch:
                    batches_of(plan)  # raises if there are none, before anything is moved aside
                plan = plan._replace(notes=(*plan.notes, *make_room(plan)))
                prepared = prepare(plan, held.enter_context(RunFolder(plan.folder)))
                asked = None
                if prepared.open_questions:
                    asked = ask(prepared.plan, prepared.folder, prepared.scan, on_progress, switch)
            finished = mark(prepared, asked, on_scoring)
    except SnellenError:
        remove_if_empty(plan.folder)
        raise
    if finished.stopped is not None:
        return finished
    collected = _collect(plan, finished.run)
    return finished._replace(notes=(*finished.notes, *collected), stopped=mostly_unanswered(finished.run))


# ---------------------------------------------------------------- prepare


def prepare(plan: Plan, folder: RunFolder) -> _PreparedRun:
    """Write the manifest and find the open questions."""
    targets, notes = write_manifest(folder, plan)
    # a run that was begun with --fresh stays fresh to its end, so that old answers never mix with new ones
    plan = plan._replace(limits=plan.limits._replace(fresh=folder.manifest().fresh))
    scan = folder.scan()
    notes = [*plan.notes, *warnings_for(plan.subject), *notes, *_opening_notes(folder, plan, scan)]
    open_questions = sum(plan.questions.values()) - scan.done({arm.text for arm in plan.arms})
    if open_questions:
        _refuse_to_ask_twice(plan, folder)
    return _PreparedRun(plan, folder, targets, scan, open_questions, tuple(notes))


def _opening_notes(folder: RunFolder, plan: Plan, scan: Scan) -> list[str]:
    """Return the notes for the user before the first question."""
    torn, missing = folder.start_appending(), len(plan.data.missing)
    said = {
        f"the last line was incomplete ({torn} bytes) and was removed; that sample is asked again": torn,
        f"{scan.unreadable} unreadable lines in answers.jsonl are skipped; those samples are asked again": scan.unreadable,
        f"{missing} samples cannot be used and are left out; run.json lists them": missing,
    }
    return [note for note, n in said.items() if n] + _doubts(plan)


def _doubts(plan: Plan) -> list[str]:
    """Return notes on scorers and recorded replies that do not fit the data."""
    notes = [f"{s.name}: {doubt}" for s in plan.scorers if not plan.data.synthetic and (doubt := scorers.doubt(s.name))]
    chosen = plan.selection
    recorded = plan.subject.recorded_ids
    if recorded and chosen.limit is None and not chosen.splits and not chosen.tasks:
        unknown = recorded.difference(s.id for s in plan.data.whole.light())
        if unknown and not plan.data.missing:
            notes.append(
                f"{len(unknown)} recorded replies are for samples that are not in the data set, such as {min(unknown)}"
            )
    return notes


def _refuse_to_ask_twice(plan: Plan, folder: RunFolder) -> None:
    """Stop if questions are in a batch at the provider, because asking them directly would pay for them again."""
    under = BatchRecords(folder).open
    if under and not plan.limits.batch:
        raise SnellenError(
            f"{sum(e.count for e in under)} questions of this run are in a batch at the provider: "
            "add --batch-api to collect it, or --fresh to begin anew"
        )


# ---------------------------------------------------------------- ask


def ask(
    plan: Plan, folder: RunFolder, scan: Scan, on_progress: OnProgress = None, switch: StopSwitch | None = None
) -> AskingPass:
    """Ask the open questions. `switch` stops it from outside. Without one, Ctrl-C and SIGTERM do."""
    if plan.limits.pool is not None and plan.subject.endpoints:
        plan.limits.pool.open()
    stop = switch or StopSwitch()
    notes: list[str] = []
    with ExitStack() as stack:
        store = None
        if plan.subject.endpoints and plan.limits.use_store:
            store = stack.enter_context(closing(Store(cache_folder())))
            _backfill(folder, scan, store)
        if switch is None:
            stack.enter_context(first_signal(stop))
        stack.enter_context(served(plan.limits.serve, plan.subject, _server_log(plan), lambda: stop.pressed, notes))
        asking = (Batching if plan.limits.batch else Asking)(plan, folder, scan, store, on_progress)
        run_loop(_until_stopped(asking, stop))
    asking.notes += notes
    if store is not None and store.problem:
        asking.notes.append(store.problem)
    return asking


async def _until_stopped(asking: AskingPass, switch: StopSwitch) -> None:
    loop = asyncio.get_running_loop()
    switch.connect(lambda: loop.call_soon_threadsafe(asking.stop, Interrupted(INTERRUPTED)))
    try:
        await asking.run()
    except Stopped as error:
        asking.stopped = error


def _server_log(plan: Plan) -> Path:
    """Return the path of the output of a server that is started for a run. It is not in the run folder, which may never be made."""
    return cache_folder() / "servers" / f"{slug(plan.subject.spec)}.log"


def _backfill(folder: RunFolder, scan: Scan, store: Store) -> None:
    """Store answers that a killed process wrote to the run folder but not yet to the store."""
    for answer in folder.answers(scan):
        if answer.failure is not None or len(answer.calls) != 1 or store.get(answer.calls[0].key) is not None:
            continue
        call = msgspec.structs.replace(answer.calls[0], stored=False)
        reply = Reply(
            call=call, text=answer.text, thinking=answer.thinking, refused=answer.refused, tokens=answer.tokens
        )
        store.put(call.key, reply)


# ---------------------------------------------------------------- mark


def mark(prepared: _PreparedRun, asked: AskingPass | None, on_scoring: OnScoring) -> FinishedRun:
    """Score captions if the exam needs it, write marks and summary, and collect the notes for the user."""
    plan, folder, before, targets = prepared.plan, prepared.folder, prepared.scan, prepared.targets
    there, calls, given = before.answered, before.totals.calls, _given_on(before.totals)
    notes, stopped, scan = list(prepared.notes), None, before
    if asked is not None:
        scan = folder.scan()
        stopped = asked.stopped or _nothing_answered(folder, scan)
        notes += asked.notes
        if isinstance(plan.data, Adaptive):
            _put_in_order(folder, plan.data)
        if plan.subject.endpoints and not plan.limits.batch:
            notes += this_time(scan.totals.calls - calls, there, given, asked.reused)
        note_identity(folder, plan)
    elif plan.subject.endpoints:
        notes += nothing_asked(there, given)
    interrupted = isinstance(stopped, Interrupted)
    scored = 0
    for scorer in () if interrupted else plan.scorers:
        scored += scoring.score(folder, plan.exam, plan.data, scorer, scan, on_scoring)
    if asked is None and not scored and marking.is_current(folder, targets):
        return FinishedRun(Run(plan.folder), None, tuple(notes), 0)
    if not interrupted and len(scan.last):
        marking.mark_run(folder, plan.exam, targets, scan=scan, concurrency=asked.concurrency if asked else None)
        notes += [
            f"scorer {s.name} has not scored {s.unscored} of the answers; scores exclude them. --scorer {s.name} scores the rest"
            for s in folder.summary().scorers
            if s.unscored
        ]
    return FinishedRun(Run(plan.folder), stopped, tuple(notes), prepared.open_questions)


def _nothing_answered(folder: RunFolder, scan: Scan) -> Stopped | None:
    if not scan.failed or scan.answered:
        return None
    return Stopped(
        f"none of the {scan.failed} questions was answered; the same command asks them again. The reason: "
        f"{next(iter(marking.failure_reasons(folder, scan)))}"
    )


def _put_in_order(folder: RunFolder, data: Adaptive) -> None:
    """Write samples that were chosen during the run in the data set's order, so that equal answers give equal files."""
    chosen = {sample.id: sample for sample in folder.samples()}
    folder.write_samples((chosen[s.id] for s in data.light() if s.id in chosen), facts=True)


def _collect(plan: Plan, run: Run) -> list[str]:
    """Merge the run into the folder that --results names, if it names one."""
    if plan.results is None:
        return []
    exports = plan.exam.extra(Exports)
    if exports is None or exports.collect is None:
        raise SnellenError(f"--results: {plan.exam.name} has no files that collect several runs")
    every = marking.run_facts(run.folder, plan.exam)
    return [f"results: {line}" for facts in every for line in exports.collect(facts, plan.results)]


def mostly_unanswered(run: Run) -> Stopped | None:
    """Return why a run with few answers to all its questions has no score: a zero would look like a measurement."""
    if not run.folder.has("summary.json") or not run.summary.lost:
        return None
    summary = run.summary
    parts = [" · ".join(row.by.values()) or "all" for row in summary.lost]
    names = ", ".join(parts[:MOST_NAMES])
    if len(parts) > MOST_NAMES:
        names += f" and {len(parts) - MOST_NAMES} more parts"
    missing, n = sum(row.missing for row in summary.lost), sum(row.n for row in summary.lost)
    help_ = "".join(f" {advice[:1].upper()}{advice[1:]}." for advice in summary.advice)
    return MostlyUnanswered(
        f"most questions got no answer ({missing} of {n} in {names}), so the score says nothing of the model.{help_} Everything is kept"
    )


# ---------------------------------------------------------------- the age of the answers


def this_time(calls: int, there: int, given: str, reused: Totals) -> list[str]:
    """Return notes on what was asked now and what was not. Empty if all was asked now, because the run's totals say that.

    `there` is the number of answers that the run had before, `given` says when, and `reused` counts those from the store.
    """
    if not (there or reused.stored):
        return []
    said = [f"{calls} call{'s were' if calls != 1 else ' was'} made now"]
    if reused.stored:
        said.append(f"{_answers(reused.stored)} taken from the store{_given_on(reused)}")
    if there:
        said.append(f"{_answers(there)} there already{given}")
    return ["; ".join(said)]


def nothing_asked(there: int, given: str) -> list[str]:
    """Return the note that nothing was asked: the endpoint may have another model behind the same name by now."""
    every = "the one answer was" if there == 1 else f"all {there} answers were"
    return [f"nothing was asked: {every} there already{given}; --fresh asks again"]


def _answers(count: int) -> str:
    return "1 answer was" if count == 1 else f"{count} answers were"


def _given_on(totals: Totals) -> str:
    """Return when answers were given, as the end of a sentence. Empty if that is not known.

    >>> _given_on(Totals(oldest=1_767_225_600, newest=1_767_225_601)), _given_on(Totals())
    (', given on 2026-01-01', '')
    """
    days = [time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (totals.oldest, totals.newest) if at]
    return (
        "" if not days else f", given on {days[0]}" if days[0] == days[-1] else f", given from {days[0]} to {days[-1]}"
    )
