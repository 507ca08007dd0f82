"""A run from plan to summary: find or make the folder, ask what is open, mark what is there."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import __version__
from snellen import exams as benchmarks
from snellen.core.errors import Interrupted, SnellenError, Stopped
from snellen.core.exam import Scored
from snellen.core.results import ProtocolSummary
from snellen.core.subject import Reply
from snellen.core.types import Answer, Mark, Sample
from snellen.engine.ask.loop import Asking, Limits, Progress
from snellen.engine.call.store import Store, cache_folder
from snellen.engine.mark import marking, scoring
from snellen.engine.mark.missing_answers import Unasked
from snellen.engine.plan.plan import Chosen, Plan, choose, manifest, of_run, protocol_entry, scorer_entry
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.engine.runs.marks import read_marks


class Run:
    """A run on disk, to look at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = RunFolder(path)
        self.manifest = self.folder.manifest()

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json as it stands."""
        return self.folder.summary()

    @property
    def protocols(self) -> list[ProtocolSummary]:
        """The results of each protocol; control arms are in `controls`."""
        return [p for p in marking.read_summaries(self.folder) if "+" not in p.prompt]

    @property
    def controls(self) -> list[dict[str, Any]]:
        """What the control arms say, one row an arm and part."""
        return list(self.summary.get("controls", ()))

    def samples(self) -> Iterator[Sample]:
        return self.folder.samples()

    def answers(self) -> Iterator[Answer]:
        return self.folder.answers()

    def marks(self, protocol: str) -> Iterator[Mark]:
        return read_marks(self.folder, protocol)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


class Finished(NamedTuple):
    """A run that was carried out. `stopped` is why it ended early; `notes` are for the user's eyes."""

    run: Run
    stopped: Stopped | None
    notes: tuple[str, ...]
    asked: int


def open_run(path: str | Path) -> Run:
    """A run folder, to read."""
    return Run(Path(path))


def carry_out(
    plan: Plan,
    out: Path,
    limits: Limits | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_scoring: Callable[[int, int], None] | None = None,
) -> Finished:
    """Run a plan, or go on with it where it was left."""
    limits = limits or Limits()
    path = out / plan.folder_name
    if limits.fresh and not _fresh_and_unfinished(path):
        _put_aside(path)
    try:
        return _carry_out(plan, path, limits, on_progress, on_scoring)
    except SnellenError:
        _remove_if_empty(path)
        raise


def _carry_out(
    plan: Plan,
    path: Path,
    limits: Limits,
    on_progress: Callable[[Progress], None] | None,
    on_scoring: Callable[[int, int], None] | None,
) -> Finished:
    notes = list(plan.notes)
    with RunFolder(path) as folder:
        chosen = _write_manifest(folder, plan, limits.fresh)
        # a run that was begun with --fresh stays fresh to its end, so that old answers never mix with new ones
        limits = limits._replace(fresh=folder.manifest().get("fresh", False))
        scan = folder.scan()
        torn = folder.start_appending()
        if torn:
            notes.append(f"a torn last line ({torn} bytes) was cut off; that sample is asked again")
        if scan.unreadable:
            notes.append(
                f"{scan.unreadable} unreadable lines in answers.jsonl are passed over; those samples are asked again"
            )
        missing = len(getattr(plan.data, "missing", ()))
        if missing:
            notes.append(f"{missing} samples cannot be used and are left out; run.json lists them")
        notes += _doubts(plan)
        open_questions = _open_questions(plan, scan)
        stopped: Stopped | None = None
        extra: dict[str, Any] = {}
        if open_questions:
            asking = _ask(plan, folder, scan, limits, on_progress, notes)
            stopped = asking.stopped
            extra = asking.extra
            scan = folder.scan()
            _note_identity(folder, plan)
            if stopped is None and scan.failed and not scan.answered:
                stopped = Stopped(
                    f"none of the {len(scan.failed)} questions was answered; the same command asks them again. The reason: "
                    f"{next(iter(marking.failure_reasons(folder, scan)))}"
                )
        scored = 0 if isinstance(stopped, Interrupted) else _score(plan, folder, scan, on_scoring)
        if not open_questions and not scored and marking.is_current(folder, chosen):
            return Finished(Run(path), None, tuple(notes), 0)
        if not isinstance(stopped, Interrupted) and scan.last:
            marking.mark_run(folder, plan.benchmark, chosen, scan=scan, extra=extra)
            notes += _unscored(folder)
    return Finished(Run(path), stopped, tuple(notes), open_questions)


def _score(plan: Plan, folder: RunFolder, scan: Scan, on_scoring: Callable[[int, int], None] | None) -> int:
    """Hold new answers against their pictures, with every scorer of the plan."""
    if not isinstance(plan.benchmark, Scored):
        return 0
    return sum(scoring.score(folder, plan.benchmark, plan.data, s, scan, on_scoring) for s in plan.scorers)


def _unscored(folder: RunFolder) -> list[str]:
    return [
        f"scorer {s['name']} has not scored {s['unscored']} of the answers: its shares are over the others; "
        f"with --scorer it goes on"
        for s in folder.summary().get("scorers", ())
        if s["unscored"]
    ]


def _doubts(plan: Plan) -> list[str]:
    """What a user should know of scorers and recorded replies that do not go with the data."""
    from snellen.scorers import NOT_FOR_PHOTOGRAPHS, is_tiny

    notes = [f"{s.name}: {NOT_FOR_PHOTOGRAPHS}" for s in plan.scorers if is_tiny(s.name) and not plan.data.synthetic]
    recorded: frozenset[str] = getattr(plan.subject, "ids", frozenset())
    options = plan.options
    if recorded and options.limit is None and not options.splits and not options.tasks:
        unknown = recorded - {s.id for s in plan.data.light()}
        if unknown and not getattr(plan.data, "missing", ()):
            notes.append(
                f"{len(unknown)} recorded replies are for samples that the data set lacks, such as {min(unknown)}"
            )
    return notes


def _remove_if_empty(path: Path) -> None:
    """A run that failed before its first answer leaves nothing behind that later commands would trip over."""
    answers = path / "answers.jsonl"
    if (path / "run.json").exists() and not (answers.exists() and answers.stat().st_size):
        with contextlib.suppress(SnellenError), RunFolder(path):
            shutil.rmtree(path, ignore_errors=True)


def _fresh_and_unfinished(path: Path) -> bool:
    """A run that was begun with --fresh and is not done: the same command goes on with it."""
    folder = RunFolder(path)
    if not folder.has("run.json") or not folder.manifest().get("fresh"):
        return False
    return not (folder.has("summary.json") and folder.summary()["complete"])


def _note_identity(folder: RunFolder, plan: Plan) -> None:
    """What the endpoint said of the model goes into the manifest."""
    known = folder.manifest()
    identity = dict(plan.subject.identity)
    if known["subject"]["identity"] != identity:
        known["subject"]["identity"] = identity
        folder.write_json("run.json", known)


def _put_aside(path: Path) -> None:
    if path.exists():
        with RunFolder(path):
            number = next(n for n in range(1, 10_000) if not path.with_name(f"{path.name}.old{n}").exists())
            path.rename(path.with_name(f"{path.name}.old{number}"))


def _write_manifest(folder: RunFolder, plan: Plan, fresh: bool = False) -> tuple[Chosen, ...]:
    """Write run.json and samples.jsonl of a new run; add new protocols to an old one. Gives all protocols of the run."""
    if not folder.has("samples.jsonl"):
        folder.write_samples(plan.data.light(), facts=plan.benchmark.marks_facts)
    if not folder.has("run.json"):
        folder.write_json("run.json", manifest(plan, __version__) | ({"fresh": True} if fresh else {}))
        return plan.chosen
    known = folder.manifest()
    before = of_run(plan.benchmark, known, folder.path)
    chosen = _joined(before, plan.chosen)
    scorers = scoring.joined(known.get("scorers", ()), map(scorer_entry, plan.scorers))
    if scorers != known.get("scorers", []):
        known["scorers"] = scorers
        folder.write_json("run.json", known)
    if chosen != before:
        known["protocols"] = [protocol_entry(c) for c in chosen]
        known["questions"] = known.get("questions", {}) | dict(plan.questions)
        folder.write_json("run.json", known)
    return chosen


def _joined(before: tuple[Chosen, ...], more: tuple[Chosen, ...]) -> tuple[Chosen, ...]:
    """A run's protocols in the order in which they came to it: the first stays the first."""
    return tuple(dict.fromkeys(before + more))


def _open_questions(plan: Plan, scan: Scan) -> int:
    answered = sum(1 for k in scan.last if k[1] in plan.prompts and k not in scan.failed)
    return sum(plan.questions.values()) - answered


class _Asked(NamedTuple):
    stopped: Stopped | None
    extra: dict[str, Any]


def _ask(
    plan: Plan,
    folder: RunFolder,
    scan: Scan,
    limits: Limits,
    on_progress: Callable[[Progress], None] | None,
    notes: list[str],
) -> _Asked:
    """Drive the asking loop; Ctrl-C and SIGTERM stop it cleanly."""
    store = Store(cache_folder()) if plan.subject.endpoint is not None and limits.use_store else None
    try:
        if store is not None:
            _backfill(folder, scan, store)
        return _run_loop(_ask_async(plan, folder, scan, limits, store, on_progress))
    finally:
        if store is not None:
            store.close()
            if store.problem:
                notes.append(store.problem)


def _run_loop(work: Coroutine[Any, Any, _Asked]) -> _Asked:
    """Run to the end; in a notebook, whose thread has a loop already, in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _backfill(folder: RunFolder, scan: Scan, store: Store) -> None:
    """Answers that a killed process wrote to the run folder but not yet to the store."""
    if not scan.last:
        return
    for answer in folder.answers():
        if answer.failure is None and len(answer.calls) == 1 and store.get(answer.calls[0].key) is None:
            call = msgspec.structs.replace(answer.calls[0], stored=False)
            store.put(call.key, Reply(call=call, text=answer.text, refused=answer.refused, tokens=answer.tokens))


async def _ask_async(
    plan: Plan,
    folder: RunFolder,
    scan: Scan,
    limits: Limits,
    store: Store | None,
    on_progress: Callable[[Progress], None] | None,
) -> _Asked:
    asking = Asking(plan, folder, scan, limits, store, on_progress)
    loop = asyncio.get_running_loop()
    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(
                number,
                asking.stop,
                Interrupted("interrupted: everything answered so far is kept, the same command goes on"),
            )
            handled.append(number)
        except (NotImplementedError, RuntimeError, ValueError):
            break  # not the main thread, or no POSIX signals: Ctrl-C then arrives as KeyboardInterrupt
    stopped: Stopped | None = None
    try:
        await asking.run()
    except Stopped as error:
        stopped = error
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
    changes = [c._asdict() for c in asking.limiter.history]
    return _Asked(stopped, {"concurrency": {"last_limit": asking.limiter.limit, "changes": changes}})


def remark(path: str | Path, protocols: tuple[str, ...] = ()) -> marking.Remarked:
    """Mark a run's stored answers again, under its own protocols or others. Calls nobody."""
    with RunFolder(_existing(Path(path))) as folder:
        known = folder.manifest()
        benchmark = benchmarks.load(known["benchmark"])
        own = of_run(benchmark, known, folder.path)
        chosen = choose(benchmark, protocols, None) if protocols else own
        scan = folder.scan()
        asked = {k[1] for k in scan.last}
        lacking = [one for one in chosen if one.prompt not in asked]
        if lacking:
            raise Unasked(folder, benchmark, lacking, sorted(asked), scan)
        every = _joined(tuple(c for c in own if c.prompt in asked), chosen)
        summary = folder.summary() if folder.has("summary.json") else {}
        extra = {k: summary[k] for k in ("concurrency",) if k in summary}
        done = marking.mark_run(folder, benchmark, every, scan=scan, extra=extra)
        known["protocols"] = [protocol_entry(c) for c in every]
        folder.write_json("run.json", known)
        return done


def _existing(path: Path) -> Path:
    if not (path / "run.json").is_file():
        raise SnellenError(f"{path} is not a run folder: it has no run.json")
    return path
