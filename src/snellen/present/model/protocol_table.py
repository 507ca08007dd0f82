"""Protocols side by side: how their prompts differ, which options they offer, and which replies they accept.

Nothing here is specific to a protocol or exam. Prompts are generated for probes and compared as texts. Rules are tried on replies.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

import msgspec

from snellen.core.errors import unknown
from snellen.core.exam import Exam
from snellen.core.extras import probes_of
from snellen.core.outcomes import mark_reply
from snellen.core.types import Mark, Outcome, Question, Sample
from snellen.engine.mark.plain_floors import texts_of
from snellen.engine.plan.plan import ProtocolRun
from snellen.present.model.formatting import ProtocolNames, together

ACCEPTED = "accepted"
REPLIES: dict[str, str] = tomllib.loads((files("snellen.present.model") / "replies.toml").read_text("utf-8"))
FORMS = ("{}", "Answer: {}")
"""Forms in which a right answer is accepted or not."""


class ProtocolRow(NamedTuple):
    """A row of a table: a value for each protocol."""

    name: str
    values: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Return whether all protocols agree."""
        return len(set(self.values)) == 1


class _Section(NamedTuple):
    """A part of the exam: the first prompt, the others as diffs against it, and the rows of other differences."""

    split: str
    task: str
    prompts: tuple[str, ...]
    diffs: tuple[tuple[ProtocolNames, str], ...]
    rows: tuple[ProtocolRow, ...]


class ProtocolTable(NamedTuple):
    """The whole comparison, with one column for each protocol."""

    exam: str
    columns: tuple[str, ...]
    sections: tuple[_Section, ...]


def build(
    exam: Exam,
    targets: Sequence[ProtocolRun],
    splits: Sequence[str] = (),
    tasks: Sequence[str] = (),
    shown: Sequence[Sample] = (),
) -> ProtocolTable:
    """Compare protocols on the first split (unless others are named) with `shown` samples, or else with the exam's probes."""
    probes: dict[tuple[str, str], Sample] = {}
    for probe in shown or probes_of(exam):
        tags = {"split": "all", "task": "answer"} | probe.tags
        probes.setdefault((tags["split"], tags["task"]), msgspec.structs.replace(probe, tags=tags))
    known_splits, known_tasks = (list(dict.fromkeys(some)) for some in zip(*probes, strict=True))
    wanted_splits = [_known("split", name, known_splits) for name in splits] or known_splits[:1]
    wanted_tasks = [_known("task", name, known_tasks) for name in tasks] or known_tasks
    sections = (
        _section(exam, targets, sample)
        for (split, task), sample in probes.items()
        if split in wanted_splits and task in wanted_tasks
    )
    return ProtocolTable(exam.name, tuple(one.name for one in targets), tuple(sections))


def _known(what: str, given: str, there: list[str]) -> str:
    found = [t for t in there if given.lower() in (t.lower(), t.lower().rpartition("_")[2])]
    if not found:
        raise unknown(what, given, there)
    return found[0]


def _section(exam: Exam, targets: Sequence[ProtocolRun], sample: Sample) -> _Section:
    asked = [exam.ask(one.arm.prompt, sample) for one in targets]
    texts = [question.text for question in asked]
    first, *others = together((one.name, text) for one, text in zip(targets, texts, strict=True))
    diffs = [first, *((names, _diff(first, (names, text))) for names, text in others)]
    rows = (*_prompt_rows(targets, asked), *_reply_rows(targets, asked, sample))
    return _Section(sample.tags["split"], sample.tags["task"], tuple(texts), tuple(diffs), rows)


def _diff(first: tuple[ProtocolNames, str], other: tuple[ProtocolNames, str]) -> str:
    """Return a unified diff of two prompts."""
    before, after = (text.splitlines() for _names, text in (first, other))
    return "\n".join(difflib.unified_diff(before, after, str(first[0]), str(other[0]), n=1, lineterm=""))


def _prompt_rows(targets: Sequence[ProtocolRun], asked: Sequence[Question]) -> Iterator[ProtocolRow]:
    yield ProtocolRow("prompt", tuple(one.arm.prompt for one in targets))
    yield ProtocolRow("headline score", tuple(one.protocol.headline for one in targets))
    yield ProtocolRow("options offered", tuple(str(len(question.options) or "none") for question in asked))
    yield ProtocolRow("options", tuple(", ".join(question.options) or "none" for question in asked))


# ---------------------------------------------------------------- rules, tried on replies


def _takes(one: ProtocolRun, sample: Sample, text: str) -> bool:
    """Return whether a text is accepted as right, alone or after 'Answer:'."""
    replies = (form.format(text) for form in FORMS)
    return any(mark_reply(one.protocol, sample, reply).outcome is Outcome.CORRECT for reply in replies)


def _reply_rows(targets: Sequence[ProtocolRun], asked: Sequence[Question], sample: Sample) -> Iterator[ProtocolRow]:
    """Try replies around the right answer: the text of the truth, or the options that most protocols accept as right.

    If no text is right, because answers are points or captions, only replies without an answer are tried.
    """
    options = list(dict.fromkeys(name for question in asked for name in question.options))
    votes = {
        text: sum(_takes(one, sample, text) for one in targets)
        for text in dict.fromkeys((*texts_of(sample.truth), *options))
    }
    right = max(votes, key=votes.__getitem__, default="")
    known = votes.get(right, 0) > 0
    wrong = next((name for name in options if not votes[name]), "something else")
    own = []
    for one, question in zip(targets, asked, strict=True):
        spelled = next((name for name in (right, *question.options) if _takes(one, sample, name)), right)
        every = question.options or options
        lists = {"ALL": ", ".join(every), "BACK": ", ".join(reversed(every))}
        own.append({"X": spelled, "Y": wrong, "lower": spelled.lower(), "upper": spelled.upper()} | lists)
    if known:
        yield ProtocolRow("X and Y", tuple("{X} and {Y}".format(**filled) for filled in own))
    for name, form in REPLIES.items():
        if known or "{" not in form:
            marks = (
                mark_reply(one.protocol, sample, form.format(**filled))
                for one, filled in zip(targets, own, strict=True)
            )
            yield ProtocolRow(name, tuple(map(_word, marks)))


def _word(mark: Mark) -> str:
    """Return 'accepted', 'no', 'partly (f1 0.50)' or the outcome of a non-answer."""
    if mark.outcome is Outcome.CORRECT:
        return ACCEPTED
    partly = {k: v for k, v in mark.metrics.items() if isinstance(v, float) and 1e-6 < v < 1 - 1e-6}
    if partly:
        return "partly (" + ", ".join(f"{k} {v:.2f}" for k, v in partly.items()) + ")"
    return "no" if mark.outcome is Outcome.WRONG else str(mark.outcome)
