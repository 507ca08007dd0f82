"""Floors for protocols that have none of their own, such as a plugin's: constant answers are tried on every sample.

The constants are what the question offers: each option, each set of options if several may be named, and each place if options differ from
question to question. For questions without options they are the most common truths of each part, and some numbers between the lowest and
the highest. A list of every option is tried too, as an answer that the prompt forbids if it wants one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.grouping import grouped
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Key, Protocol
from snellen.core.results import GroupSummary, declared
from snellen.core.types import Question, Sample
from snellen.engine.mark.guessing import question_of, random_replies
from snellen.engine.plan.plan import ProtocolRun
from snellen.stats.constants import ConstantScores

_MOST_OPTIONS = 128
_MOST_TRUTHS = 20
FIRST_LOOK = 300
FEWEST = 20
_FINALISTS = 6


class _AskedSample(NamedTuple):
    """A sample with its question and its part of the exam."""

    sample: Sample
    question: Question | None
    part: Key

    def metrics(self, protocol: Protocol, constant: _ConstantReply) -> Mapping[str, Any]:
        """Return the metrics of a constant reply to the sample."""
        return mark_reply(protocol, self.sample, constant.say(self.question)).metrics


class _ConstantReply(NamedTuple):
    """A constant reply: a text, the option at a place, or (without either) every option. `name` is for people."""

    name: str
    text: str | None = None
    place: int | None = None
    allowed: bool = True

    def say(self, question: Question | None) -> str:
        """Return the reply to a question. It is empty if the question has no such option."""
        if self.text is not None:
            return self.text
        options = question.options if question is not None else ()
        said = options if self.place is None else options[self.place : self.place + 1]
        return question.answer_form.format(", ".join(said)) if question is not None and said else ""


def has_own_floors(protocol: Protocol) -> bool:
    """Tell whether a protocol defines its own floors, or cannot be tried without the images' scores."""
    return type(protocol).floors is not Protocol.floors or "evidence" in protocol.needs


def with_floors(
    exam: Exam, target: ProtocolRun, samples: Iterable[Sample], groups: Sequence[GroupSummary]
) -> tuple[GroupSummary, ...]:
    """Return the groups of a protocol that has no floors of its own, with floors."""
    protocol = target.protocol
    asked = [
        _AskedSample(sample, question_of(exam, target.arm.prompt, sample), next(iter(protocol.groups(sample)), ()))
        for sample in samples
        if sample.truth is not None
    ]
    try:
        marked = {
            constant: [one.metrics(protocol, constant) for one in asked] for constant in _worth_trying(protocol, asked)
        }
    except Exception as error:  # a plugin fails on a constant answer: no floor, and the run's own marks stand
        if not (exam.origin or protocol.origin or isinstance(error, SnellenError)):
            raise
        return tuple(groups)
    members = grouped((tuple(sorted(key)), i) for i, one in enumerate(asked) for key in protocol.groups(one.sample))
    found = []
    for group in groups:
        places = members.get(tuple(sorted(group.by.items())), [])
        # if all truths are the same, a constant is trivially right: no floor
        several = len({repr(asked[i].sample.truth) for i in places}) > 1
        found.append(_with(protocol, group, places, marked) if several else group)
    return tuple(found)


def texts_of(truth: Any) -> list[str]:
    """Return the texts and numbers in a truth."""
    if isinstance(truth, str | int | float) and not isinstance(truth, bool):
        return [str(truth)]
    inner = truth.values() if isinstance(truth, Mapping) else truth if isinstance(truth, list | tuple) else ()
    return [s for value in inner for s in texts_of(value)]


def _constants(asked: Sequence[_AskedSample]) -> list[_ConstantReply]:
    """Return the constants to try, in each part that the samples are in."""
    free = grouped((one.part, one) for one in asked if one.question is None or not one.question.options)
    found = _offered([one.question for one in asked if one.question is not None and one.question.options])
    for some in free.values():
        samples = [one.sample for one in some]
        form = next((one.question.answer_form for one in some if one.question is not None), "{}")
        for text in dict.fromkeys((*common_truths(samples), *_best_number(samples))):
            found.append(_ConstantReply(form.format(text), form.format(text)))
    return list(dict.fromkeys(found))


def _offered(offered: Sequence[Question]) -> list[_ConstantReply]:
    replies = Counter(reply for q in offered for reply in random_replies(q))
    found = [_ConstantReply(text, text) for text, _ in replies.most_common(_MOST_OPTIONS)]
    if len({q.options for q in offered}) > 1:
        found += [_ConstantReply(f"option {i + 1}", place=i) for i in range(max(len(q.options) for q in offered))]
    if any(q.answer_kind == "one-of" for q in offered):
        found.append(_ConstantReply("every option", allowed=False))
    return found


def common_truths(samples: Sequence[Sample]) -> list[str]:
    """Return the most common texts of the truths."""
    truths = Counter(text for s in samples for text in dict.fromkeys(texts_of(s.truth)))
    return [text for text, _ in truths.most_common(_MOST_TRUTHS)]


def _best_number(samples: Sequence[Sample]) -> list[str]:
    """Return the number within the tolerance of the most truths, if they have tolerances. Otherwise return an empty list."""
    ends: list[tuple[float, int]] = []
    for sample in samples:
        truth, off = sample.truth, sample.facts.get("tolerance")
        if isinstance(truth, int | float) and not isinstance(truth, bool) and isinstance(off, int | float) and off > 0:
            ends += [(truth - off, 1), (truth + off, -1)]
    ends.sort(key=lambda end: (end[0], -end[1]))
    within = list(accumulate(step for _place, step in ends))
    at = within.index(max(within)) if within else None
    return [] if at is None else [f"{(ends[at][0] + ends[at + 1][0]) / 2:.10g}"]


# ---------------------------------------------------------------- trying them

Marked = Mapping[_ConstantReply, Sequence[Mapping[str, Any]]]
"""The metrics of every constant on every sample."""


def _worth_trying(protocol: Protocol, asked: Sequence[_AskedSample]) -> list[_ConstantReply]:
    """Return the constants. For many samples, return those that did best on some of them."""
    tried = _constants(asked)
    if len(asked) <= FIRST_LOOK or len(tried) <= _FINALISTS:
        return tried
    totals: Counter[tuple[str, Key, int]] = Counter()
    for one in _few(asked):
        for i, constant in enumerate(tried):
            metrics = one.metrics(protocol, constant)
            totals.update({(k, one.part, i): v for k, v in metrics.items() if isinstance(v, float)})
    kept: set[int] = set()
    for metric, part in {(name, part) for name, part, _ in totals}:
        kept |= set(sorted(range(len(tried)), key=lambda i: (-totals[metric, part, i], i))[:_FINALISTS])
    return [tried[i] for i in sorted(kept)]


def _few(asked: Sequence[_AskedSample]) -> list[_AskedSample]:
    """Return samples for a first look, evenly from every part."""
    parts = grouped((one.part, one) for one in asked)
    step = len(asked) // FIRST_LOOK
    return [one for some in parts.values() for one in some[:: max(1, min(step, len(some) // FEWEST))]]


def _with(protocol: Protocol, group: GroupSummary, places: Sequence[int], marked: Marked) -> GroupSummary:
    """Return a group with its floors."""
    scores = dict(group.metrics)
    for name, score in scores.items():
        metric = declared(protocol.metrics, name)
        if metric.kind != "mean" or metric.unit or metric.better != "higher" or score.floor is not None:
            continue
        tried = ConstantScores()
        for constant, marks in marked.items():
            values = [v for i in places if isinstance(v := marks[i].get(name), float)]
            if values:
                tried.add(sum(values) / len(values), constant.name, allowed=constant.allowed)
        if tried.any:
            scores[name] = score.above(tried.floor)
    return msgspec.structs.replace(group, metrics=scores)
