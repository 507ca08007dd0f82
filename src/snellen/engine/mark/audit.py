"""Scores of blind subjects, which never see the image, under each protocol. Needs neither a model nor a data set.

A row has these values, in the protocol's headline:

- chance (computed)
- the best single constant answer, and every one of them
- a list of every option
- a contradiction about every option, and the best contradiction about one
- the best constant that the prompt forbids
- the score of guessing from the question's text

A value is None if there is nothing to try. Other blind strategies are possible.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import SampleOptions, probes_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Protocol
from snellen.core.results import CHANCE, GroupSummary, Score
from snellen.core.types import Mark, Question, Sample
from snellen.engine.mark.control_comparison import sample_metric
from snellen.engine.mark.guessing import chance, guessing, random_replies
from snellen.engine.mark.plain_floors import common_truths, has_own_floors, with_floors
from snellen.engine.mark.text_only import Guesses, TextOnly, text_only, whole_parts
from snellen.engine.plan.plan import ProtocolRun

WON = 0.9
ENOUGH = 300  # marks of a part for the chance of a headline that is not a mean over samples
LIST, CONTRADICT, CONTRADICT_ONE = "list every option", "contradict yourself", "contradict one option"
CONSTANT, CONSTANT_LIST, TEXT = "best constant", "a constant list", "text only"
CONTRADICTIONS = (CONTRADICT, CONTRADICT_ONE)
FORBIDDEN = (LIST, *CONTRADICTIONS, CONSTANT_LIST)
Say = Callable[[Question], str | None]


def audit(
    exam: Exam,
    samples: Sequence[Sample],
    targets: Sequence[ProtocolRun],
    *,
    real: bool = False,
    trained_on: Sequence[Sample] = (),
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Return one row for each protocol and whole part of the exam.

    `real` says that the truths are those of a data set. Only then is anything guessed from texts. `trained_on` is its training split, if it
    has one.
    """
    if not samples:
        raise SnellenError(f"{exam.name} has no truths of its own to audit with: give --data DIR")
    rows: list[dict[str, Any]] = []
    made: Guesses = {}
    for i, one in enumerate(targets):
        if progress is not None:
            progress(i, len(targets))
        fitting = [s for s in samples if exam.prompts[one.arm.prompt].asked_about(s)]
        if fitting:
            guessed = text_only(exam, one, fitting, trained_on, made) if real else TextOnly({})
            rows += _Blind(exam, one, fitting, real).rows(guessed)
    return rows


class _Blind:
    """Blind subjects under one protocol."""

    def __init__(self, exam: Exam, one: ProtocolRun, samples: list[Sample], real: bool) -> None:
        self.exam, self.one, self.samples, self.real = exam, one, samples, real
        options = exam.extra(SampleOptions)
        self.each_differs = options is not None and options.each_differs
        self.protocol: Protocol = one.protocol
        self.prompt = one.arm.prompt
        self.questions = {_part(p): exam.ask(self.prompt, p) for p in probes_of(exam)}
        for sample in samples:  # a data set may have parts that no probe has
            if _part(sample) not in self.questions:
                self.questions[_part(sample)] = exam.ask(self.prompt, sample)
        first = mark_reply(self.protocol, samples[0], "x").metrics | self.protocol.blank(samples[0])
        self.metric = sample_metric(self.protocol, first)
        self.groups = self._summarised(_everything)
        self.members = {
            name: [s for s in samples if all(s.tags.get(k, v) == v for k, v in group.by.items())]
            for name, group in self.groups.items()
        }

    def _asked(self, sample: Sample) -> Question:
        return self.exam.ask(self.prompt, sample) if self.each_differs else self.questions[_part(sample)]

    def _widest(self, members: Sequence[Sample]) -> Question:
        """Return the question with the most options in a part."""
        return max(map(self._asked, members), key=lambda question: len(question.options))

    def _summarised(self, say: Say) -> dict[str, GroupSummary]:
        """Return the whole parts of the exam for a subject with the same reply to everything."""

        def marked() -> Iterator[tuple[Sample, Mark]]:
            for sample in self.samples:
                yield sample, mark_reply(self.protocol, sample, say(self._asked(sample)) or "")

        groups = whole_parts(self.protocol, marked())
        if not has_own_floors(self.protocol):
            groups = with_floors(self.exam, self.one, self.samples, groups)
        return {" · ".join(g.by.values()): g for g in groups}

    def _mean(self, members: Sequence[Sample], say: Say) -> float | None:
        """Return the mean over samples of the metric of a single sample. Return None if none of them gets a reply."""
        known: dict[str, float | None] = {}
        keys = [s.id if self.each_differs else repr((s.truth, _part(s))) for s in members]  # same replies, same marks
        for key, sample in zip(keys, members, strict=True):
            if key not in known:
                text = say(self._asked(sample))
                value = mark_reply(self.protocol, sample, text).metrics.get(self.metric) if text else None
                known[key] = value if isinstance(value, float) else None
        if all(value is None for value in known.values()):
            return None
        return fmean(known[key] or 0.0 for key in keys)

    def _scores(self, say: Say) -> dict[str, float | None]:
        """Return the headline of each part: a mean over samples, or summarised (a macro F1, for example). None without any reply."""
        means = {name: self._mean(members, say) for name, members in self.members.items()}
        if self.metric == self.protocol.headline:
            return means
        whole = self._summarised(say)
        return {n: None if means[n] is None else whole[n].metrics[self.protocol.headline].value for n in means}

    def rows(self, guessed: TextOnly) -> list[dict[str, Any]]:
        constants, contradictions = self._constants("{form}"), self._constants(_DENIAL)
        listed, contradicted = self._scores(_everything), self._scores(_contradiction)
        drawn, is_mean = self._chance(), self.metric == self.protocol.headline
        found = []
        for name, group in self.groups.items():
            metric, text = group.metrics[self.protocol.headline], guessed.scores.get(name)
            row: dict[str, Any] = {
                "protocol": self.one.name,
                "part": name,
                "metric": self.protocol.headline,
                "n": group.n,
                "chance": metric.floor if metric.floor_answer == CHANCE else drawn[name],
                **self._best(name, constants[name], metric),
                LIST: listed[name],
                CONTRADICT: contradicted[name],
                CONTRADICT_ONE: max(contradictions[name].values())
                if self._widest(self.members[name]).options and is_mean
                else None,
                CONSTANT_LIST: metric.forbidden if self._known(name) else None,
                TEXT: text.value if text is not None else None,
                "text only interval": (text.low, text.high) if text is not None else None,
                "text only how": guessed.how if text is not None else "",
                "several allowed": self._several(name),
                "constants": constants[name],
                "constants metric": self.metric,
            }
            tried = (LIST, CONTRADICT, CONTRADICT_ONE, CONSTANT, CONSTANT_LIST, TEXT)
            found.append(row | {"won by": next((n for n in tried if (row[n] or 0.0) >= WON), None)})
        return found

    def _known(self, part: str) -> bool:
        """Tell whether the truths determine the scores of constants: those of a data set, or all possible truths if options are offered."""
        kinds = {_part(s) for s in self.members[part]}
        probes = [p for p in probes_of(self.exam) if _part(p) in kinds]
        return self.real or any(self.exam.ask(q, p).options for p in probes for q in self.exam.prompts)

    def _best(self, part: str, constants: dict[str, float], metric: Score) -> dict[str, Any]:
        """Return the best constant that is allowed. If the headline is not a mean, or no options are offered, it comes from the summary."""
        by_answer: Mapping[str, float | None] = {} if self._several(part) else constants
        if self.metric != self.protocol.headline:
            by_answer = self._summed(part) if metric.floor_answer == CHANCE else {}
        if by_answer:
            best = max(by_answer, key=lambda reply: by_answer[reply] or 0.0)
            return {CONSTANT: by_answer[best], "constant answer": best}
        known = metric.floor_answer != CHANCE and self._known(part)
        return {CONSTANT: metric.floor if known else None, "constant answer": metric.floor_answer if known else None}

    def _several(self, part: str) -> bool:
        """Tell whether the prompt allows several options at once."""
        return any(self._asked(s).answer_kind == "any-of" for s in self.members[part])

    def _summed(self, part: str) -> dict[str, float | None]:
        """Return the headline of each option, for headlines that are not means over samples."""
        members = self.members[part]
        question = self._widest(members)
        found = {}
        for reply in (question.answer_form.format(option) for option in question.options):
            (whole, *_) = whole_parts(self.protocol, ((s, mark_reply(self.protocol, s, reply)) for s in members))
            found[reply] = whole.metrics[self.protocol.headline].value
        return found

    def _constants(self, form: str) -> dict[str, dict[str, float]]:
        """Return the score of each offered option, by part, or of each of the most common truths that the floor was searched among."""
        found: dict[str, dict[str, float]] = {name: {} for name in self.groups}
        for name, members in self.members.items():
            if not self._known(name):
                continue
            question = self._widest(members)
            for text in question.options or ([] if has_own_floors(self.protocol) else common_truths(members)):
                reply = form.format(form=question.answer_form.format(text), o=text)
                found[name][reply] = self._mean(members, _always(reply)) or 0.0
        return found

    def _chance(self) -> dict[str, float | None]:
        """Return the score of drawing among the options, computed for a mean over samples.

        For a headline that is not a mean (a macro F1), each sample gets replies that chance could give, all of them if they are few.
        """
        found: dict[str, float | None] = dict.fromkeys(self.groups)
        if self.metric == self.protocol.headline:
            guess = guessing(self.exam, self.protocol, self.prompt)
            return {name: chance(guess, members, self.metric) for name, members in self.members.items()}

        def marked() -> Iterator[tuple[Sample, Mark]]:
            for sample in self.samples:
                replies = random_replies(self._asked(sample)) or [""]
                times = min(len(replies), ceil(ENOUGH / sizes[_part(sample)]))
                for reply in random.Random(sample.id).sample(replies, times):  # noqa: S311 (a coin, not a secret)
                    yield sample, mark_reply(self.protocol, sample, reply)

        sizes = Counter(map(_part, self.samples))
        for group in whole_parts(self.protocol, marked()):
            name = " · ".join(group.by.values())
            if self._widest(self.members[name]).options:
                found[name] = group.metrics[self.protocol.headline].value
        return found


def _always(reply: str) -> Say:
    return lambda _question: reply


def _part(sample: Sample) -> tuple[str | None, str | None]:
    return sample.tags.get("split"), sample.tags.get("task")


_DENIAL = "{form}. It is not {o}."


def _everything(question: Question) -> str | None:
    return question.answer_form.format(", ".join(question.options)) if question.options else None


def _contradiction(question: Question) -> str | None:
    """Return a reply that affirms and denies every option."""
    return "\n".join(_DENIAL.format(form=question.answer_form.format(o), o=o) for o in question.options) or None
