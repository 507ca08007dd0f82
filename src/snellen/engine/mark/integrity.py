"""A quick check, for commands that show a summary, that a run's answers and marks give its summary.

Outcomes are counted part by part, and the headline is added up if it is a mean. `verify` makes everything again and finds the rest.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from math import isclose
from statistics import fmean

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.protocol import Key
from snellen.core.records import Summary
from snellen.core.results import GroupSummary, ProtocolSummary, declared
from snellen.engine.runs.run import Run


def mismatch(run: Run, summary: Summary) -> str:
    """Return a message if the answers are not those that the summary was made of, else an empty string. Answers only ever grow."""
    now = run.folder.answers_bytes
    if not summary.answers_bytes or now == summary.answers_bytes:
        return ""
    if now < summary.answers_bytes:
        return "Answers are missing that its scores were made of: answers.jsonl was cut"
    return "Some answers are newer than its scores"


def check_answers(run: Run, summary: Summary) -> None:
    """Raise an error for a run that has lost answers since it was marked."""
    if run.folder.answers_bytes < summary.answers_bytes:
        raise SnellenError(
            f"{run.path}: answers are missing that its scores were made of: answers.jsonl was cut; "
            f"'snellen mark {run.path}' marks what is there"
        )


def check_summary(run: Run, summary: Summary, exam: Exam) -> None:
    """Raise an error for a run whose marks do not give its summary because one of them was changed."""
    versions = {entry.name: entry.version for entry in summary.marked}
    for result in summary.plain:
        protocol, _arm = exam.protocol(f"{result.protocol.partition('@')[0]}@{result.prompt}")
        if protocol.version != versions.get(result.protocol, result.version):
            continue  # marked by other rules, which may group differently
        outcomes: dict[Key, Counter[str]] = {}
        values: dict[Key, array[float]] = {}
        columns = [(result.protocol, repeat) for repeat in range(1, result.repeats + 1)]
        for sample, marks in run.folder.marked(columns):
            part = next(iter(protocol.groups(sample)))
            seen = [protocol.seen(sample, mark) for mark in marks.values()]
            outcomes.setdefault(part, Counter()).update(one.outcome.value for one in seen)
            each = [one.values[result.headline] for one in seen if result.headline in one.values]
            if each:  # the mean, for a question that was asked several times
                values.setdefault(part, array("d")).append(fmean(each))
        for group in result.groups:
            part = tuple(group.by.items())
            if group.whole and part in outcomes and not _gives(outcomes[part], values.get(part, ()), result, group):
                raise SnellenError(
                    f"{run.path}: the marks of protocol '{result.protocol}' do not give its summary: one was changed; "
                    f"'snellen mark {run.path}' makes both again"
                )


def _gives(outcomes: Counter[str], values: Sequence[float], result: ProtocolSummary, group: GroupSummary) -> bool:
    """Tell whether these outcomes and sample values give a group's outcomes and headline."""
    if outcomes != group.outcomes:
        return False
    score = group.metrics.get(result.headline)
    if score is None or score.value is None or declared(result.metrics, result.headline).kind != "mean":
        return True
    return len(values) != score.n or isclose(fmean(values), score.value, rel_tol=1e-6, abs_tol=1e-9)
