"""What the control arms say: how far the score falls without the image, beside chance and the best constant answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import chain, combinations
from statistics import fmean
from typing import Any

from snellen.core.exam import Exam
from snellen.core.extras import SampleOptions, probes_of
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Key, Protocol
from snellen.core.records import ControlRow
from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.types import Mark, Question, Sample
from snellen.engine.plan.plan import ProtocolRun
from snellen.engine.runs.folder import RunFolder
from snellen.stats.paired import ScorePair, paired_difference

MOST_SETS = 128


def sample_metric(protocol: Protocol, values: Mapping[str, Any]) -> str:
    """The metric that is compared sample by sample: the headline where a sample has it, else the first that it has, if any."""
    numbers = [k for k, v in values.items() if isinstance(v, float)]
    return protocol.headline if protocol.headline in numbers else next(iter(numbers), "")


def compare(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[ProtocolRun, ...],
    samples: Callable[[], Mapping[str, Sample]],
    results: Sequence[ProtocolSummary],
    with_position: Set[str],
) -> tuple[ControlRow, ...]:
    """One row for each control arm and whole part of the exam; samples are asked for only where there are such arms.

    What the order of pictures does is left out for the protocols `with_position`, which have a table of their own for that.
    """
    found: list[ControlRow] = []
    for target in targets:
        base = next((t for t in targets if t.protocol.name == target.protocol.name and t.arm == target.arm.plain), None)
        if not target.arm.control or base is None:
            continue
        if target.arm.control == "swapped" and base.name in with_position:
            continue
        by_name = {r.protocol: r for r in results}
        first, second = (_values(folder, by_name[t.name]) for t in (base, target))
        found += _rows(exam, base, target, samples(), by_name[base.name], (first, second))
    return tuple(found)


def _values(folder: RunFolder, result: ProtocolSummary) -> dict[str, list[Mark]]:
    """A protocol's marks by sample: one for each time that it was asked."""
    found: dict[str, list[Mark]] = {}
    for repeat in range(1, result.repeats + 1):
        for mark in folder.marks(result.protocol, repeat):
            found.setdefault(mark.id, []).append(mark)
    return found


def _mean(marks: Sequence[Mark], metric: str) -> float | None:
    """A sample's value: the mean over the times that it was asked."""
    values = [value for mark in marks if isinstance(value := mark.metrics.get(metric), float)]
    return fmean(values) if values else None


def _rows(
    exam: Exam,
    base: ProtocolRun,
    target: ProtocolRun,
    samples: Mapping[str, Sample],
    result: ProtocolSummary,
    marks: tuple[Mapping[str, list[Mark]], Mapping[str, list[Mark]]],
) -> Iterator[ControlRow]:
    plain = (mark.metrics for some in marks[0].values() for mark in some)
    metric = next((m for v in plain if (m := sample_metric(target.protocol, v))), "")
    pairs: dict[Key, Counter[ScorePair]] = {}
    members: dict[Key, list[Sample]] = {}
    for name, some in marks[1].items():
        before, after = _mean(marks[0].get(name, ()), metric), _mean(some, metric)
        if before is not None and after is not None:
            sample = samples[name]
            part = next(iter(target.protocol.groups(sample)))
            cluster = target.protocol.seen(sample, some[0]).cluster
            pairs.setdefault(part, Counter())[ScorePair(before, after, cluster)] += 1
            members.setdefault(part, []).append(sample)
    for part, counts in sorted(pairs.items(), key=lambda item: (target.protocol.order(item[0]), item[0])):
        group = next((g for g in result.groups if g.whole and g.by == dict(part)), None)
        found = paired_difference(counts)
        yield ControlRow(
            protocol=base.name,
            control=target.arm.control,
            by=dict(part),
            metric=metric,
            score=found.first,
            control_score=found.second,
            difference=found.difference,
            low=found.low,
            high=found.high,
            n=found.n,
            **{"chance": chance(exam, target.protocol, base.arm.prompt, members[part], metric)} | _floor(group, metric),
        )


def _floor(group: GroupSummary | None, metric: str) -> dict[str, Any]:
    """The floor by what it is: the best constant answer, or chance where there is none."""
    found = group.metrics.get(metric) if group is not None else None
    if found is None:
        return {}
    if found.floor_answer == "chance":
        return {"chance": found.floor}
    return {"constant": found.floor, "constant_answer": found.floor_answer}


def chance(exam: Exam, protocol: Protocol, prompt: str, samples: list[Sample], metric: str) -> float | None:
    """What a subject that draws among the options would score on these samples, computed, not found."""
    total = 0.0
    options = exam.extra(SampleOptions)
    each_differs = options is not None and options.each_differs
    judged: dict[str, float] = {}
    for sample in samples:
        key = repr((sample.truth, [sample.tags.get(k) for k in ("split", "task", "config")]))
        key = sample.id if each_differs else key
        if key not in judged:
            alike = (p for p in probes_of(exam) if all(sample.tags.get(k) == p.tags.get(k) for k in ("split", "task")))
            probe = sample if each_differs else next(alike, None)
            replies = random_replies(exam.ask(prompt, probe)) if probe is not None else []
            values = [mark_reply(protocol, sample, reply).metrics.get(metric) for reply in replies]
            numbers = [v for v in values if isinstance(v, float)]
            if not numbers:
                return None
            judged[key] = sum(numbers) / len(numbers)
        total += judged[key]
    return total / len(samples) if samples else None


def random_replies(question: Question) -> list[str]:
    """Every reply that `baseline/chance` could give, each as likely as the others."""
    options = question.options
    if question.answer_kind == "any-of" and 2 ** len(options) <= MOST_SETS:
        sets = chain.from_iterable(combinations(options, k) for k in range(1, len(options) + 1))
        return [question.answer_form.format(", ".join(s)) for s in sets]
    return [question.answer_form.format(o) for o in options]
