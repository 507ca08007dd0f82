"""Edits since a run's answers were given or marked: prompts, markers, the data. One line each, for people."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import probes_of
from snellen.core.records import DataEntry, Manifest, Wording
from snellen.core.types import Part, Question, Text
from snellen.engine.ask.questions import asker
from snellen.engine.plan.plan import Plan, ProtocolRun, bare
from snellen.engine.runs.folder import RunFolder


def edited(known: Manifest, new: Manifest, targets: tuple[ProtocolRun, ...]) -> list[str]:
    """Return messages that name prompts that ask something else now, and protocols that mark differently."""
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
    """Return the present data of a resumed run. The same data in another place is the same run."""
    now = plan.data.source
    if _same_place(known.source, now):
        return known, []
    said = f"the data is the same as before, and is now in {now} (it was in {known.source}): the run goes on"
    return msgspec.structs.replace(known, source=now), [said]


def other_data(plan: Plan) -> list[str]:
    """Return a note, for a new run, if another run has the same exam, subject and options on earlier data in this place. Empty if none
    has.
    """
    start = plan.folder_name.rpartition("_")[0]
    found = []
    for path in sorted(plan.out.glob("*/run.json")):
        if path.parent == plan.folder or path.parent.name.rpartition("_")[0] != start:
            continue
        with contextlib.suppress(SnellenError, OSError):  # a damaged run is not evidence about this one
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


# ---------------------------------------------------------------- the wording of prompts

LOOKED_AT, OF_PLUGINS = 16, 500
"""The number of first questions that are compared. A digest of all would make resuming a large run slow. A plugin's wording changes more
often than ours.
"""


def wordings(plan: Plan) -> dict[str, str]:
    """Return a digest of the wording of each prompt of a plan, without the images."""
    light = list(islice(plan.data.whole.light(), OF_PLUGINS if plan.exam.origin else LOOKED_AT))
    found = {}
    for arm in dict.fromkeys(a.plain for a in plan.firsts):
        ask = asker(plan.exam, plan.data, arm.prompt)
        try:
            asked = [_said(ask(bare(s))) for s in light if plan.applies(arm, s)]
        except SnellenError:
            if not plan.exam.origin:
                raise
            whole = islice(
                plan.data.whole.full(lambda _id: True), LOOKED_AT
            )  # a plugin's prompt that looks at the images
            asked = [_said(ask(s)) for s in whole if plan.applies(arm, s)]
        found[arm.prompt] = digest([asked, _of_probes(plan.exam, arm.prompt)])
    return found


def renewed(known: Manifest, now: dict[str, str], end: Callable[[], int]) -> dict[str, Wording]:
    """Return the wordings of a resumed run. Changed ones hold from the next answer on. `end` is the end of the answers so far.

    A run from before wordings were recorded is assumed to have asked the present wording.
    """
    found = dict(known.wordings)
    for prompt, mark in now.items():
        asked = found.get(prompt)
        if asked is None:
            found[prompt] = Wording(digest=mark)
        elif asked.digest != mark:
            found[prompt] = _replaced(asked, mark, end())
    return found


def _replaced(old: Wording, mark: str, place: int) -> Wording:
    """Return another wording from here on, or the one before the last edit again if nothing was answered in between."""
    if old.before is not None and old.since == place and old.before[0] == mark:
        return Wording(digest=mark, since=old.before[1])
    return Wording(digest=mark, since=place, before=(old.digest, old.since))


def _of_probes(exam: Exam, prompt: str) -> list[list[object]]:
    probes = () if exam.origin else probes_of(exam)
    return [_said(exam.ask(prompt, p)) for p in probes if exam.prompts[prompt].asked_about(p)]


def _said(question: Question) -> list[object]:
    earlier = [[turn.role, _texts(turn.parts)] for turn in question.history]
    return [question.system, earlier, _texts(question.parts), question.options, question.answer_form]


def _texts(parts: tuple[Part, ...]) -> list[str]:
    return [p.text if isinstance(p, Text) else "(picture)" for p in parts]
