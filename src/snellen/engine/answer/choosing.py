"""The feed of an adaptive exam: the next questions depend on the answers so far.

It has the interface of the plain feed. `pull`, called in a thread, waits until something can be asked. `told`, called by the asking loop
with each answer, wakes it. A sample is recorded before it is asked, so a process that resumes the run asks the same sample.
"""

from __future__ import annotations

import threading
from functools import partial

from snellen.core.adaptive import Adaptive
from snellen.core.outcomes import mark_answer
from snellen.core.types import Answer, Outcome
from snellen.engine.ask.questions import Open, PreparedQuestion, ask_under, prepared
from snellen.engine.plan.plan import Plan, bare
from snellen.engine.runs.folder import RunFolder, Scan

AT_ONCE = 4
"""The number of samples that are drawn before the first of them is asked. A long chunk would keep the endpoint waiting."""


class ChoosingFeed:
    """Questions chosen by an adaptive data set, from the answers as the first protocol reads them."""

    def __init__(self, plan: Plan, data: Adaptive, folder: RunFolder, scan: Scan) -> None:
        self._plan, self._data, self._folder = plan, data, folder
        self._first = plan.targets[0]
        self._asks = {arm: ask_under(plan.exam, data, arm, plan.selection.seed) for arm in plan.arms}
        self._turn = threading.Condition()
        self._closed = False
        self._samples = {sample.id: sample for sample in folder.samples()}
        data.restore(self._samples.values())
        done = dict.fromkeys(folder.answered(scan))
        for answer in folder.answers(scan, done):
            self._tell(answer)
        self._left = [i for i in self._samples if any((i, arm.text) not in done for arm in plan.arms)]
        self._done = done.__contains__

    def pull(self) -> list[PreparedQuestion]:
        """Return the next items as soon as there is one. Return an empty list at the end and after `close`."""
        old, new = self._next()
        drawn = [self._data.draw(name) for name in old]
        fresh = [self._data.draw(name) for name in new]
        if fresh:
            self._samples.update((sample.id, sample) for sample in map(bare, fresh))
            self._folder.append_samples(fresh)
        subject, exam = self._plan.subject, self._plan.exam.name
        return [
            prepared(subject, Open(exam, sample.id, arm, partial(ask, sample)))
            for sample in (*drawn, *fresh)
            for arm, ask in self._asks.items()
            if not self._done((sample.id, arm.text))
        ]

    def _next(self) -> tuple[list[str], list[str]]:
        """Return the names of samples that an earlier process chose and that have no answer, and those of new ones. Both are empty at the
        end.
        """
        with self._turn:
            while not self._closed:
                old, self._left = self._left[:AT_ONCE], self._left[AT_ONCE:]
                new = [] if old else self._data.ready(AT_ONCE)
                if old or new or self._data.finished:
                    return old, new
                self._turn.wait()
        return [], []

    def told(self, answer: Answer) -> None:
        """Take in an answer, which may decide the next question."""
        with self._turn:
            self._tell(answer)
            self._turn.notify_all()

    def _tell(self, answer: Answer) -> None:
        if answer.prompt != self._first.arm.text or answer.id not in self._samples:
            return
        failed = answer.failure is not None
        mark = None if failed else mark_answer(self._first.protocol, self._samples[answer.id], answer)
        self._data.told(answer.id, Outcome.ERROR if mark is None else mark.outcome)

    def close(self) -> None:
        """End the waiting for a next question."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()
