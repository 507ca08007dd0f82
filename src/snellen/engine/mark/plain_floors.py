"""Floors for protocols that have none of their own, such as a plugin's: constant answers are tried on every sample.

What is tried is what the question offers (each option, each set of options where several may be named, each place where options differ
from question to question); for questions that offer nothing, the commonest truths of each part, and some between the lowest and the
highest number. A list of every option is tried too, as an answer that the prompt forbids where it wants one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Key, Protocol
from snellen.core.results import GroupSummary, declared
from snellen.core.types import Question, Sample
from snellen.engine.mark.control_comparison import random_replies
from snellen.engine.plan.plan import ProtocolRun
from snellen.stats.constants import ConstantScores

MOST_OPTIONS = 128
MOST_TRUTHS = 20
FIRST_LOOK = 300
FEWEST = 20
FINALISTS = 6


class ConstantReply(NamedTuple):
    """What is always said: a text, the option at a place, or (without either) every option. `name` is for people."""

    name: str
    text: str | None = None
    place: int | None = None
    allowed: bool = True

    def say(self, question: Question | None) -> str:
        """The reply to a question; empty where it has no such option."""
        if self.text is not None:
            return self.text
        options = question.options if question is not None else ()
        said = options if self.place is None else options[self.place : self.place + 1]
        return question.answer_form.format(", ".join(said)) if question is not None and said else ""


def has_own_floors(protocol: Protocol) -> bool:
    """Whether a protocol says itself what its floors are, or cannot be tried without the pictures' scores."""
    return type(protocol).floors is not Protocol.floors or "evidence" in protocol.needs


def with_floors(
    exam: Exam, target: ProtocolRun, samples: Iterable[Sample], groups: Sequence[GroupSummary]
) -> tuple[GroupSummary, ...]:
    """The groups of a protocol that has no floors of its own, with floors."""
    known = [s for s in samples if s.truth is not None]
    questions = [question_of(exam, target.arm.prompt, s) for s in known]
    try:
        marked = _marked(target.protocol, known, questions)
    except Exception as error:  # a plugin that fails on a constant answer: no floor, and the run's own marks stand
        if not (exam.origin or target.protocol.origin or isinstance(error, SnellenError)):
            raise
        return tuple(groups)
    members: dict[Any, list[int]] = {}
    for i, sample in enumerate(known):
        for key in target.protocol.groups(sample):
            members.setdefault(key, []).append(i)
    by_name = {tuple(sorted(key)): places for key, places in members.items()}
    return tuple(
        _with(target.protocol, group, known, by_name.get(tuple(sorted(group.by.items())), []), marked)
        for group in groups
    )


def question_of(exam: Exam, prompt: str, sample: Sample) -> Question | None:
    """The question without its pictures; None where a plugin's prompt cannot do without them."""
    try:
        return exam.ask(prompt, sample)
    except Exception:
        if not exam.origin:
            raise
        return None


def texts_of(truth: Any) -> list[str]:
    """The texts and numbers in a truth."""
    if isinstance(truth, str | int | float) and not isinstance(truth, bool):
        return [str(truth)]
    inner = truth.values() if isinstance(truth, Mapping) else truth if isinstance(truth, list | tuple) else ()
    return [s for value in inner for s in texts_of(value)]


def constants(
    samples: Sequence[Sample], questions: Sequence[Question | None], parts: Sequence[Key]
) -> list[ConstantReply]:
    """What could always be said, in each of the parts that the samples are in."""
    free: dict[Key, list[int]] = {}
    for i, (part, question) in enumerate(zip(parts, questions, strict=True)):
        if question is None or not question.options:
            free.setdefault(part, []).append(i)
    found = _offered([q for q in questions if q is not None and q.options])
    for places in free.values():
        found += _free([samples[i] for i in places], [questions[i] for i in places])
    return list(dict.fromkeys(found))


def _offered(offered: Sequence[Question]) -> list[ConstantReply]:
    replies = Counter(reply for q in offered for reply in random_replies(q))
    found = [ConstantReply(text, text) for text, _ in replies.most_common(MOST_OPTIONS)]
    if len({q.options for q in offered}) > 1:
        found += [ConstantReply(f"option {i + 1}", place=i) for i in range(max(len(q.options) for q in offered))]
    if any(q.answer_kind == "one-of" for q in offered):
        found.append(ConstantReply("every option", allowed=False))
    return found


def _free(samples: Sequence[Sample], questions: Sequence[Question | None]) -> list[ConstantReply]:
    form = next((q.answer_form for q in questions if q is not None), "{}")
    texts = dict.fromkeys((*common_truths(samples), *_quantiles(samples)))
    return [ConstantReply(form.format(text), form.format(text)) for text in texts]


def common_truths(samples: Sequence[Sample]) -> list[str]:
    """The commonest texts of the truths."""
    truths = Counter(text for s in samples for text in dict.fromkeys(texts_of(s.truth)))
    return [text for text, _ in truths.most_common(MOST_TRUTHS)]


def _quantiles(samples: Sequence[Sample]) -> list[str]:
    """Return numbers spread over the truths that are numbers: with a tolerance one between them may win more than the commonest."""
    numbers = sorted(s.truth for s in samples if isinstance(s.truth, int | float) and not isinstance(s.truth, bool))
    return [str(numbers[at * (len(numbers) - 1) // MOST_TRUTHS]) for at in range(MOST_TRUTHS + 1) if numbers]


# ---------------------------------------------------------------- trying them

Marks = list[Mapping[str, Any]]


def _marked(
    protocol: Protocol, samples: Sequence[Sample], questions: Sequence[Question | None]
) -> list[tuple[ConstantReply, Marks]]:
    """The metrics of every constant on every sample; where samples are many, of those that did best on some."""
    parts = [next(iter(protocol.groups(s)), ()) for s in samples]
    tried = constants(samples, questions, parts)
    if len(samples) > FIRST_LOOK and len(tried) > FINALISTS:
        few = _few(parts)
        seen, asked, their = [samples[j] for j in few], [questions[j] for j in few], [parts[j] for j in few]
        totals: Counter[tuple[str, Key, int]] = Counter()
        for i, constant in enumerate(tried):
            for part, metrics in zip(their, _marks(protocol, constant, seen, asked), strict=True):
                totals.update({(k, part, i): v for k, v in metrics.items() if isinstance(v, float)})
        kept: set[int] = set()
        for metric, part in {(name, part) for name, part, _ in totals}:
            kept |= set(sorted(range(len(tried)), key=lambda i: (-totals[metric, part, i], i))[:FINALISTS])
        tried = [tried[i] for i in sorted(kept)]
    return [(constant, _marks(protocol, constant, samples, questions)) for constant in tried]


def _few(parts: Sequence[Key]) -> list[int]:
    """Samples for a first look, evenly from every part."""
    places: dict[Key, list[int]] = {}
    for i, part in enumerate(parts):
        places.setdefault(part, []).append(i)
    step = len(parts) // FIRST_LOOK
    return [i for some in places.values() for i in some[:: max(1, min(step, len(some) // FEWEST))]]


def _marks(
    protocol: Protocol, constant: ConstantReply, samples: Sequence[Sample], questions: Sequence[Question | None]
) -> Marks:
    return [mark_reply(protocol, s, constant.say(q)).metrics for s, q in zip(samples, questions, strict=True)]


def _with(
    protocol: Protocol,
    group: GroupSummary,
    samples: Sequence[Sample],
    places: Sequence[int],
    marked: Sequence[tuple[ConstantReply, Marks]],
) -> GroupSummary:
    """A group with its floors. Where all truths are the same, a constant is trivially right: no floor."""
    if len({repr(samples[i].truth) for i in places}) < 2:
        return group
    scores = dict(group.metrics)
    for name, score in scores.items():
        metric = declared(protocol.metrics, name)
        if metric.kind != "mean" or metric.unit or metric.better != "higher" or score.floor is not None:
            continue
        tried = ConstantScores()
        for constant, marks in marked:
            values = [v for i in places if isinstance(v := marks[i].get(name), float)]
            if values:
                tried.add(sum(values) / len(values), constant.name, allowed=constant.allowed)
        if tried.any:
            scores[name] = score.above(tried.floor)
    return msgspec.structs.replace(group, metrics=scores)
