"""Results of the control arms: how far the score falls without the image, beside chance and the best constant answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from statistics import fmean
from typing import Any

from snellen.core.exam import Exam
from snellen.core.grouping import grouped
from snellen.core.protocol import Key, Protocol
from snellen.core.records import ControlRow
from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.types import Mark, Sample
from snellen.core.unanswered import lost_parts
from snellen.engine.mark.guessing import chance, guessing
from snellen.engine.plan.plan import ProtocolRun
from snellen.engine.runs.folder import RunFolder
from snellen.stats.paired import ScorePair, paired_difference


def sample_metric(protocol: Protocol, values: Mapping[str, Any]) -> str:
    """Return the metric that is compared sample by sample: the headline if a sample has it, else the first that it has, if any."""
    numbers = [k for k, v in values.items() if isinstance(v, float)]
    return protocol.headline if protocol.headline in numbers else next(iter(numbers), "")


def compare(
    folder: RunFolder,
    exam: Exam,
    targets: tuple[ProtocolRun, ...],
    results: Sequence[ProtocolSummary],
    with_position: Set[str],
) -> tuple[ControlRow, ...]:
    """Return one row for each control arm and whole part of the exam.

    The effect of the order of images is left out for the protocols `with_position`, which have a table of their own for it.
    """
    found: list[ControlRow] = []
    by_name = {result.protocol: result for result in results}
    for target in targets:
        base = next((t for t in targets if t.protocol.name == target.protocol.name and t.arm == target.arm.plain), None)
        if not target.arm.control or base is None:
            continue
        if target.arm.control == "swapped" and base.name in with_position:
            continue
        found += _rows(folder, exam, base, target, by_name)
    return tuple(found)


def unanswered(targets: Sequence[ProtocolRun], results: Sequence[ProtocolSummary]) -> Iterator[str]:
    """Yield a message for each control under which most questions got no answer. Such a control is not compared with anything."""
    every = zip(targets, results, strict=True)
    for control, marked in grouped((one.arm.control, result) for one, result in every if one.arm.control).items():
        for row in lost_parts(marked):
            where = f" in {', '.join(row.by.values())}" if row.by else ""
            yield (
                f"under the control '{control}' {row.missing} of {row.n} questions{where} got no answer: "
                "it has no score there, and says nothing of seeing"
            )


def _rows(
    folder: RunFolder, exam: Exam, base: ProtocolRun, target: ProtocolRun, results: Mapping[str, ProtocolSummary]
) -> Iterator[ControlRow]:
    columns = [(one.name, n) for one in (base, target) for n in range(1, results[one.name].repeats + 1)]
    metric = ""
    pairs: dict[Key, Counter[ScorePair]] = {}
    members: dict[Key, list[Sample]] = {}
    for sample, marks in folder.marked(columns):
        plain, under = ([m for (name, _n), m in marks.items() if name == one.name] for one in (base, target))
        metric = metric or next((name for mark in plain if (name := sample_metric(target.protocol, mark.metrics))), "")
        before, after = _mean(plain, metric), _mean(under, metric)
        if before is not None and after is not None:
            part = next(iter(target.protocol.groups(sample)))
            cluster = target.protocol.seen(sample, under[0]).cluster
            pairs.setdefault(part, Counter())[ScorePair(before, after, cluster)] += 1
            members.setdefault(part, []).append(sample)
    lost = [row.by for row in lost_parts([results[target.name]])]
    guess = guessing(exam, target.protocol, base.arm.prompt)
    for part, counts in sorted(pairs.items(), key=lambda item: (target.protocol.order(item[0]), item[0])):
        if dict(part) in lost:
            continue
        group = next((g for g in results[base.name].groups if g.whole and g.by == dict(part)), None)
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
            **{"chance": chance(guess, members[part], metric)} | _floor(group, metric),
        )


def _mean(marks: Sequence[Mark], metric: str) -> float | None:
    """Return a sample's value: the mean over its repeats."""
    values = [value for mark in marks if isinstance(value := mark.metrics.get(metric), float)]
    return fmean(values) if values else None


def _floor(group: GroupSummary | None, metric: str) -> dict[str, Any]:
    """Return the floor with its kind: the best constant answer, or chance if there is none."""
    found = group.metrics.get(metric) if group is not None else None
    if found is None:
        return {}
    if found.floor_answer == "chance":
        return {"chance": found.floor}
    return {"constant": found.floor, "constant_answer": found.floor_answer}
