"""The manifest of a run: create it, add to it, move a run aside, remove a run without answers."""

from __future__ import annotations

import contextlib
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen.core.adaptive import Adaptive
from snellen.core.errors import SnellenError
from snellen.core.extras import traits_of
from snellen.core.records import Manifest, SubjectEntry
from snellen.core.subject import DISCOVERED_KEYS, Endpoint
from snellen.engine.call.looping import run_loop
from snellen.engine.call.preflight import preflight
from snellen.engine.call.trust import differ, is_own, mark_of
from snellen.engine.mark import scoring
from snellen.engine.plan.edits import edited, moved, other_data, renewed, wordings
from snellen.engine.plan.plan import Plan, ProtocolRun, manifest, scorer_entry, targets_from_manifest
from snellen.engine.probe_records.kept import identity_of
from snellen.engine.runs.batch_books import has_open
from snellen.engine.runs.folder import RunFolder


def write_manifest(folder: RunFolder, plan: Plan) -> tuple[tuple[ProtocolRun, ...], list[str]]:
    """Write run.json and samples.jsonl of a new run, or add new protocols to an old one.

    Return all protocols of the run, and notes for the user.
    """
    now = wordings(plan)
    if not folder.has("samples.jsonl") and not isinstance(plan.data, Adaptive):
        folder.write_samples(plan.data.light(), facts=traits_of(plan.exam).keeps_facts)
    if not folder.has("run.json"):
        begun = manifest(plan)
        begun = msgspec.structs.replace(begun, subject=_with_identity(begun, plan))
        folder.write_record(msgspec.structs.replace(begun, wordings=renewed(begun, now, folder.answers_end)))
        return plan.targets, other_data(plan)
    known = folder.manifest()
    before = targets_from_manifest(plan.exam, known, folder.path)
    targets = joined(before, plan.targets)
    scored_by = scoring.joined(known.scorers, map(scorer_entry, plan.scorers))
    where, notes = moved(known.data, plan)
    new = msgspec.structs.replace(
        known, data=where, scorers=scored_by, wordings=renewed(known, now, folder.answers_end)
    )
    if targets != before or any(arm.repeat > 1 and arm.text not in known.questions for arm in plan.arms):
        asked = known.questions | {arm.text: n for arm, n in plan.questions.items()}
        new = msgspec.structs.replace(new, questions=asked)
    edits = edited(known, new, targets)
    if edits and folder.has("summary.json"):  # it belongs to the old wording or the old marks
        (folder.path / "summary.json").unlink()
    new = msgspec.structs.replace(new, protocols=tuple(t.entry for t in targets))
    if new != known:
        folder.write_record(new)
    return targets, [*notes, *edits]


def joined(before: tuple[ProtocolRun, ...], more: tuple[ProtocolRun, ...]) -> tuple[ProtocolRun, ...]:
    """Return a run's protocols in the order in which they were added. The first stays first."""
    return tuple(dict.fromkeys(before + more))


def note_identity(folder: RunFolder, plan: Plan) -> None:
    """Add the endpoint's information about the model to the manifest. Earlier information stays if there is nothing new."""
    known = folder.manifest()
    subject = _with_identity(known, plan)
    if known.subject != subject:
        folder.write_record(msgspec.structs.replace(known, subject=subject))


def _with_identity(known: Manifest, plan: Plan) -> SubjectEntry:
    """Return the subject with the information about its endpoint. None of that is part of the run's name."""
    learnt = {name: said for name, said in known.subject.identity.items() if name in DISCOVERED_KEYS}
    return msgspec.structs.replace(known.subject, identity=learnt | identity_of(plan.subject))


def fresh_and_unfinished(path: Path) -> bool:
    """Tell whether a run was begun with --fresh and is not complete, so that the same command resumes it."""
    folder = RunFolder(path)
    if not folder.has("run.json") or not folder.manifest().fresh:
        return False
    return not (folder.has("summary.json") and folder.summary().complete)


def make_room(plan: Plan) -> list[str]:
    """Move an older run aside if --fresh asks for it or its server now has another model. Return notes for the user."""
    notes: list[str] = []
    if plan.limits.fresh and not fresh_and_unfinished(plan.folder):
        notes += _put_aside(plan.folder)[1]
    found = _swapped(plan)
    if found is None:
        return notes
    said = f"{plan.subject.spec} is not the model that gave this run's answers: {found.what}"
    if not found.sure:
        return [*notes, f"{said} (or its server was started again): --fresh asks everything again"]
    old, more = _put_aside(plan.folder)
    return [*notes, f"{said}; the old run is kept as {old}, everything is asked", *more]


def _put_aside(path: Path) -> tuple[str, list[str]]:
    """Rename a run folder. Return its new name and notes for the user."""
    if not path.exists():
        return "", []
    with RunFolder(path) as folder:
        number = next(n for n in range(1, 10_000) if not path.with_name(f"{path.name}.old{n}").exists())
        old = path.with_name(f"{path.name}.old{number}")
        under_way = has_open(folder)
        path.rename(old)
    if not under_way:
        return old.name, []
    return old.name, [f"the run that was put aside has a batch at the provider, which is paid there; {old} has its id"]


def remove_if_empty(path: Path) -> None:
    """Remove a run that failed before its first answer, so that later commands do not stumble over it.

    A run with a batch at the provider stays, because only its records lead to the batch that is paid for. A run that was marked stays, and
    so does one whose answers are a link.
    """
    folder = RunFolder(path)
    had_some = folder.answers_bytes or folder.has("summary.json") or folder.answers_path.is_symlink()
    if folder.has("run.json") and not had_some and not has_open(folder):
        with contextlib.suppress(SnellenError), folder:
            shutil.rmtree(path, ignore_errors=True)


# ---------------------------------------------------------------- another model under the same name

PATIENCE = 5.0
"""Seconds that a server gets to report its model."""


class _ModelChange(NamedTuple):
    """The evidence that the model is another one. Only a digest and the like are sure. A time may be that of the server's start."""

    what: str
    sure: bool


def _swapped(plan: Plan) -> _ModelChange | None:
    """Return how the model differs from the one that gave the run's answers. Return None if it does not differ, or that is not known.

    Answers that were paid for, through a gateway, are kept in any case.
    """
    folder, endpoint = RunFolder(plan.folder), plan.subject.endpoint
    if endpoint is None or len(plan.subject.endpoints) > 1 or not is_own(endpoint.connection.url):
        return None
    if not folder.has("run.json") or not folder.answers_bytes:
        return None
    scan = folder.scan()
    then = scan.backends.server
    if not then or scan.totals.cost:
        return None
    run_loop(_ask(endpoint))
    now = mark_of(endpoint.listed, time.time())
    how = differ(then, now)
    return _ModelChange(f"its server said '{then}', and now '{now}'", how == "surely") if how else None


async def _ask(endpoint: Endpoint) -> None:
    from snellen.engine.call.client import Client

    transport = Client(endpoint.connection, PATIENCE)
    try:
        with contextlib.suppress(SnellenError):  # an error here is reported when the model is asked, if it is
            await preflight(transport, [endpoint])
    finally:
        await transport.close()
