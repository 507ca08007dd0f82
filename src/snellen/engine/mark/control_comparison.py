"""What the control arms say: how far the score falls without the image, beside chance and the best constant answer."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from itertools import chain, combinations
from typing import Any

from snellen.core.exam import Exam, SeesOrder
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Protocol
from snellen.core.results import GroupSummary, ProtocolSummary
from snellen.core.types import Question, Sample
from snellen.engine.ask.controls import split
from snellen.engine.plan.plan import Chosen
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.marks import read_marks
from snellen.stats.paired import paired_difference

MOST_SETS = 128


def sample_metric(protocol: Protocol, values: Mapping[str, Any]) -> str:
    """The metric that is compared sample by sample: the headline where a sample has it, else the first that it has, if any."""
    numbers = [k for k, v in values.items() if isinstance(v, float)]
    return protocol.headline if protocol.headline in numbers else next(iter(numbers), "")


def compare(
    folder: RunFolder,
    benchmark: Exam,
    chosen: tuple[Chosen, ...],
    samples: Mapping[str, Sample],
    summaries: list[ProtocolSummary],
) -> list[dict[str, Any]]:
    """One row for each control arm and whole part of the exam."""
    found = []
    for arm in chosen:
        base_prompt, control = split(arm.prompt)
        base = next((c for c in chosen if c.protocol.name == arm.protocol.name and c.prompt == base_prompt), None)
        if control is None or base is None or (control == "swapped" and isinstance(benchmark, SeesOrder)):
            continue  # what the order of pictures does has a table of its own: `position`
        summary = next(s for s in summaries if s.protocol == base.name)
        first = {m.id: m.metrics for m in read_marks(folder, base.name)}
        metric = next((m for v in first.values() if (m := sample_metric(arm.protocol, v))), "")
        pairs: dict[tuple[tuple[str, str], ...], Counter[tuple[float, float]]] = {}
        members: dict[tuple[tuple[str, str], ...], list[Sample]] = {}
        keys = _part_keys(summary)
        for mark in read_marks(folder, arm.name):
            before, after = first.get(mark.id, {}).get(metric), mark.metrics.get(metric)
            if isinstance(before, float) and isinstance(after, float):
                part = tuple((k, samples[mark.id].tags[k]) for k in keys)
                pairs.setdefault(part, Counter())[before, after] += 1
                members.setdefault(part, []).append(samples[mark.id])
        for part, counts in pairs.items():
            group = next((g for g in summary.groups if g.by == dict(part)), None)
            drawn = paired_difference(counts, seed=zlib.crc32(repr(part).encode()))
            found.append(
                {
                    "protocol": base.name,
                    "control": control,
                    "by": dict(part),
                    "metric": metric,
                    "score": drawn.first,
                    "control_score": drawn.second,
                    "difference": drawn.difference,
                    "low": drawn.low,
                    "high": drawn.high,
                    "n": drawn.n,
                    "chance": chance(benchmark, arm.protocol, base_prompt, members[part], metric),
                    **_floor(group, metric),
                }
            )
    return found


def _part_keys(summary: ProtocolSummary) -> tuple[str, ...]:
    fewest = min((len(g.by) for g in summary.groups), default=0)
    return next((tuple(g.by) for g in summary.groups if len(g.by) == fewest), ())


def _floor(group: GroupSummary | None, metric: str) -> dict[str, Any]:
    """The floor by what it is: the best constant answer, or chance where there is none."""
    found = group.metrics.get(metric) if group is not None else None
    if found is None:
        return {}
    if found.floor_answer == "chance":
        return {"chance": found.floor}
    return {"constant": found.floor, "constant_answer": found.floor_answer}


def chance(benchmark: Exam, protocol: Protocol, prompt: str, samples: list[Sample], metric: str) -> float | None:
    """What a subject that draws among the options would score on these samples, computed, not drawn."""
    total, seen = 0.0, 0
    judged: dict[tuple[str, str], float] = {}
    for sample in samples:
        key = (
            repr(sample.truth),
            repr(sorted((k, v) for k, v in sample.tags.items() if k in ("split", "task", "config"))),
        )
        if key not in judged:
            probe = next(
                (p for p in benchmark.probes() if all(sample.tags.get(k) == p.tags.get(k) for k in ("split", "task"))),
                None,
            )
            replies = random_replies(benchmark.render(prompt, probe)) if probe is not None else []
            values = [mark_reply(protocol, sample, reply).metrics.get(metric) for reply in replies]
            numbers = [v for v in values if isinstance(v, float)]
            if not numbers:
                return None
            judged[key] = sum(numbers) / len(numbers)
        total += judged[key]
        seen += 1
    return total / seen if seen else None


def random_replies(question: Question) -> list[str]:
    """Every reply that `baseline/chance` could give, each as likely as the others."""
    options = question.options
    if question.answer_kind == "any-of" and 2 ** len(options) <= MOST_SETS:
        sets = chain.from_iterable(combinations(options, k) for k in range(1, len(options) + 1))
        return [question.answer_form.format(", ".join(s)) for s in sets]
    return [question.answer_form.format(o) for o in options]
