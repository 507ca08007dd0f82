"""An estimate of the score of a subject that reads the question and never sees the image.

It learns from the training split if the data has one. Otherwise it learns by folds, so that no image is both learnt from and asked about.
Its guesses are replies in the prompt's format, and are marked like all others. The learner is `stats.text_floor`. An exam whose answers are
not plain texts (a place on a screen) guesses by itself (the extra `TextGuess`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import TextGuess
from snellen.core.options import Selection
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Protocol
from snellen.core.results import GroupSummary, Score
from snellen.core.types import Mark, Question, Sample
from snellen.engine.mark.control_comparison import sample_metric
from snellen.engine.mark.guessing import question_of, random_replies
from snellen.engine.mark.plain_floors import texts_of
from snellen.engine.plan.plan import ProtocolRun
from snellen.stats import text_floor
from snellen.stats.tally import summarised

MOST = 4000
"""The most samples to learn from, and the most to ask about. More would take minutes and add little."""
_FOLDS = 5
_MOST_TEXTS = 12


Guesses = dict[tuple[str, int, tuple[str, ...]], Sequence[str]]
"""An exam's own guesses, which do not depend on the protocol: by prompt, number of samples learnt from, and samples asked."""


class TextOnly(NamedTuple):
    """The score of guessing from the text, by part, and how it was learnt. A missing part has no text to learn from."""

    scores: Mapping[str, Score]
    how: str = ""


def training(exam: Exam, where: Path) -> list[Sample]:
    """Return samples of the training split, or an empty list if the data set has no such split."""
    try:
        return list(exam.open(where, Selection(splits=("train",), limit=MOST, max_missing=10**9)).light())
    except SnellenError:
        return []


def text_only(
    exam: Exam,
    target: ProtocolRun,
    samples: Sequence[Sample],
    trained_on: Sequence[Sample],
    made: Guesses,
) -> TextOnly:
    """Return the score of guessing from the question's text alone. `made` keeps guesses for the next protocol."""
    protocol, prompt = target.protocol, target.arm.prompt
    if "evidence" in protocol.needs:
        return TextOnly({})
    part_of = {s.id: " · ".join(value for _name, value in next(iter(protocol.groups(s)))) for s in samples}
    seen: dict[str, set[str]] = {}
    asked = [s for s in samples if s.truth is not None]
    questions = {s.id: question_of(exam, prompt, s) for s in asked}
    for sample in asked:
        question = questions[sample.id]
        seen.setdefault(part_of[sample.id], set()).add(question.text if question is not None else "")
    varied = {part for part, texts in seen.items() if len(texts) > 1}
    asked = [s for s in asked if part_of[s.id] in varied]
    if not asked:
        return TextOnly({})
    some = _some(asked)
    known = _apart(protocol, trained_on, some)
    plans = [(known, some)] if known else list(_folds(protocol, some))
    if not plans:
        return TextOnly({})
    how = f"learnt from {len(known):,} of the train split" if known else f"learnt by {_FOLDS} folds, no image in two"
    if len(some) < len(asked):
        how += f", tried on {len(some):,} of {len(asked):,}"

    def marked() -> Iterator[tuple[Sample, Mark]]:
        for learnt, guessed in plans:
            replies = _guess(exam, protocol, prompt, learnt, guessed, made)
            for sample, reply in zip(guessed, replies, strict=True):
                yield sample, mark_reply(protocol, sample, reply)

    parts = whole_parts(protocol, marked())
    return TextOnly({" · ".join(g.by.values()): g.metrics[protocol.headline] for g in parts}, how)


def whole_parts(protocol: Protocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """Return the whole parts of an exam, without their breakdowns, which take most of the time."""
    only = copy.copy(protocol)
    vars(only)["groups"] = lambda sample: (next(iter(protocol.groups(sample))),)
    return summarised(only, marked)


def _guess(
    exam: Exam, protocol: Protocol, prompt: str, known: Sequence[Sample], asked: Sequence[Sample], made: Guesses
) -> Sequence[str]:
    """Return a reply to each question in `asked`. The learner does not get the truths of these."""
    key = prompt, len(known), tuple(s.id for s in asked)
    if key in made:
        return made[key]
    blind = [msgspec.structs.replace(s, truth=None) for s in asked]
    guess = exam.extra(TextGuess)
    own = guess.replies(exam, prompt, known, blind) if guess is not None else None
    if own is not None:
        made[key] = own
        return own
    texts, worth, clusters = [], [], []
    for sample in known:
        question = question_of(exam, prompt, sample)
        if question is not None and sample.truth is not None:
            texts.append(question.text)
            worth.append(_worth(protocol, sample, question))
            clusters.append(_cluster(protocol, sample))
    said = (question_of(exam, prompt, s) for s in blind)
    return text_floor.answers(texts, worth, clusters, [q.text if q is not None else "" for q in said])


def _worth(protocol: Protocol, sample: Sample, question: Question) -> dict[str, float]:
    """Return the known scores of replies to a question: each option that it offers, or those in its truth."""
    texts = list(dict.fromkeys(texts_of(sample.truth)))[:_MOST_TEXTS]
    replies = random_replies(question) or [question.answer_form.format(text) for text in texts]
    found: dict[str, float] = {}
    for reply in replies:
        metrics = mark_reply(protocol, sample, reply).metrics
        value = metrics.get(sample_metric(protocol, metrics))
        if isinstance(value, float) and value > 0:
            found[reply] = value
    return found


# ---------------------------------------------------------------- which samples are learnt from, which are asked


def _some(samples: Sequence[Sample]) -> list[Sample]:
    """Return at most MOST samples, always the same ones, in their order."""
    if len(samples) <= MOST:
        return list(samples)
    ranked = sorted(range(len(samples)), key=lambda i: text_floor.fold_of(samples[i].id, 2**32))
    return [samples[i] for i in sorted(ranked[:MOST])]


def _apart(protocol: Protocol, known: Sequence[Sample], asked: Sequence[Sample]) -> list[Sample]:
    """Return known samples that share neither id nor image with an asked one. Return an empty list if most of them do."""
    ids, images = {s.id for s in asked}, {_cluster(protocol, s) for s in asked}
    found = [s for s in known if s.truth is not None and s.id not in ids and _cluster(protocol, s) not in images]
    return found if 2 * len(found) > len(known) else []


def _folds(protocol: Protocol, samples: Sequence[Sample]) -> Iterator[tuple[list[Sample], list[Sample]]]:
    folds = [text_floor.fold_of(_cluster(protocol, s), _FOLDS) for s in samples]
    for fold in range(_FOLDS):
        known = [s for s, f in zip(samples, folds, strict=True) if f != fold]
        asked = [s for s, f in zip(samples, folds, strict=True) if f == fold]
        if known and asked:
            yield known, asked


def _cluster(protocol: Protocol, sample: Sample) -> str:
    """Return what a sample shares with others: its image."""
    return protocol.seen(sample, mark_reply(protocol, sample, "")).cluster or sample.id
