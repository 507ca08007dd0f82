"""Ask the open questions of a run, one by one or by batches, until they are answered or something stops it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import Interrupted, Stopped
from snellen.core.records import Totals
from snellen.core.subject import Reply
from snellen.engine.answer.batches import Batching
from snellen.engine.answer.loop import Asking, Progress
from snellen.engine.call.looping import run_loop
from snellen.engine.call.serving import served
from snellen.engine.call.store import Store, cache_folder
from snellen.engine.plan.plan import Plan, slug
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.engine.stopping import INTERRUPTED, StopSwitch, first_signal

OnProgress = Callable[[Progress], None] | None


class AskingResult(NamedTuple):
    """What came of the asking: why it ended early, if it did, what the limiter did, and what was taken from the store."""

    stopped: Stopped | None
    concurrency: dict[str, Any] | None
    reused: Totals
    notes: tuple[str, ...]


def ask_questions(
    plan: Plan, folder: RunFolder, scan: Scan, on_progress: OnProgress, switch: StopSwitch | None
) -> AskingResult:
    """Drive the asking loop. `switch` stops it from outside; without one, Ctrl-C and SIGTERM do."""
    if plan.limits.pool is not None and plan.subject.endpoints:
        plan.limits.pool.open()
    stop = switch or StopSwitch()
    notes: list[str] = []
    with contextlib.ExitStack() as stack:
        store = None
        if plan.subject.endpoints and plan.limits.use_store:
            store = stack.enter_context(contextlib.closing(Store(cache_folder())))
            _backfill(folder, scan, store)
        if switch is None:
            stack.enter_context(first_signal(stop))
        stack.enter_context(served(plan.limits.serve, plan.subject, server_log(plan), lambda: stop.pressed, notes))
        loop = Batching if plan.limits.batch else Asking
        asking: Asking | Batching = loop(plan, folder, scan, store, on_progress)
        stopped = run_loop(_run_until_stopped(asking, stop))
    notes += asking.notes
    if store is not None and store.problem:
        notes.append(store.problem)
    return AskingResult(stopped, asking.concurrency, asking.reused, tuple(notes))


async def _run_until_stopped(asking: Asking | Batching, switch: StopSwitch) -> Stopped | None:
    loop = asyncio.get_running_loop()
    switch.connect(lambda: loop.call_soon_threadsafe(asking.stop, Interrupted(INTERRUPTED)))
    try:
        await asking.run()
    except Stopped as error:
        return error
    return None


def server_log(plan: Plan) -> Path:
    """Return where the output of a server that is started for a run is kept: not with the run, which may not come to be."""
    return cache_folder() / "servers" / f"{slug(plan.subject.spec)}.log"


def _backfill(folder: RunFolder, scan: Scan, store: Store) -> None:
    """Store answers that a killed process wrote to the run folder but not yet to the store."""
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
