"""What was edited since a run's answers were given or marked: prompts, markers, the data. A line each, for people."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.records import DataEntry, Manifest
from snellen.engine.plan.plan import Plan, ProtocolRun
from snellen.engine.runs.folder import RunFolder


def edited(known: Manifest, new: Manifest, targets: tuple[ProtocolRun, ...]) -> list[str]:
    """Name prompts that ask something else now, and protocols that mark otherwise."""
    before = {entry.name: entry for entry in known.protocols}
    old = [(t, before[t.name]) for t in targets if t.name in before]
    marks = [t.name for t, entry in old if entry.code not in ("", t.code)]
    versions = [
        f"{t.name} (version {entry.version}, now {t.protocol.version})"
        for t, entry in old
        if entry.version != t.protocol.version and t.name not in marks
    ]
    prompts = [p for p, w in known.wordings.items() if new.wordings[p].digest != w.digest]
    asked = f"the wording of {', '.join(prompts)} has changed since its questions were answered: they are asked again"
    marked = f"the plugin of {', '.join(marks)} was edited since the answers were marked: they are marked again"
    newer = f"the rules of {', '.join(versions)} have changed since the answers were marked: they are marked again"
    return [asked] * bool(prompts) + [marked] * bool(marks) + [newer] * bool(versions)


def moved(known: DataEntry, plan: Plan) -> tuple[DataEntry, list[str]]:
    """Return the data of a run that goes on, where it is now: the same data elsewhere is the same run."""
    now = plan.data.source
    if _same_place(known.source, now):
        return known, []
    said = f"the data is the same as before, and is now in {now} (it was in {known.source}): the run goes on"
    return msgspec.structs.replace(known, source=now), [said]


def other_data(plan: Plan) -> list[str]:
    """Tell, for a run that begins, whether there is one of the same exam, subject and options on what was in this place before."""
    start = plan.folder_name.rpartition("_")[0]
    found = []
    for path in sorted(plan.out.glob("*/run.json")):
        if path.parent == plan.folder or path.parent.name.rpartition("_")[0] != start:
            continue
        with contextlib.suppress(SnellenError, OSError):  # a damaged run says nothing of this one
            old = RunFolder(path.parent).manifest()
            same = old.subject.spec == plan.subject.spec and old.options == plan.selection
            if (
                same
                and old.data.fingerprint != plan.data.fingerprint
                and _same_place(old.data.source, plan.data.source)
            ):
                found.append(path.parent.name)
    if not found:
        return []
    return [f"the data in {plan.data.source} has changed since {found[-1]} was run on it: this is another run"]


def _same_place(one: str, other: str) -> bool:
    return Path(one).absolute() == Path(other).absolute() or Path(one).resolve() == Path(other).resolve()
