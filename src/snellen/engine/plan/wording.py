"""What a run's prompts ask, as digests, so that an edited wording is noticed: answers to the old one do not stand for the new.

Only the first questions are looked at, and one of each split and task of ours: a digest of all of them would make resuming a large run
slow. A plugin's wording changes more often than ours, so more of its questions are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import probes_of
from snellen.core.records import Manifest, Wording
from snellen.core.types import Part, Question, Text
from snellen.engine.ask.questions import asker
from snellen.engine.plan.plan import Plan, bare

LOOKED_AT, OF_PLUGINS = 16, 500


def wordings(plan: Plan) -> dict[str, str]:
    """Return a digest of what each prompt of a plan asks, without the pictures."""
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
            )  # a plugin's prompt that looks at the pictures
            asked = [_said(ask(s)) for s in whole if plan.applies(arm, s)]
        found[arm.prompt] = digest([asked, _of_probes(plan.exam, arm.prompt)])
    return found


def renewed(known: Manifest, now: dict[str, str], end: Callable[[], int]) -> dict[str, Wording]:
    """Return the wordings of a run that goes on: those that changed hold from the next answer on. `end` is where the answers end so far.

    A run that was made before wordings were written down is taken to have asked what is asked now.
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
    """Return another wording from here on, or the one before the last edit again, where nothing was answered in between."""
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
