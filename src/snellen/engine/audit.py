"""What subjects that never look would score under each protocol, without a model and without a data set."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from math import ceil
from typing import Any

import msgspec

from snellen.core.exam import Benchmark, Protocol, mark_reply
from snellen.core.types import Mark, Question, Sample

WON = 0.9
ENOUGH = 600  # samples of a part, at least, for the figure of chance


def audit(benchmark: Benchmark, samples: list[Sample], protocols: list[Protocol]) -> list[dict[str, Any]]:
    """One row for each protocol and whole part of the exam: its headline for chance, constants, listing and contradiction."""
    rows = []
    every = samples
    for protocol in protocols:
        some = protocol.prompt in benchmark.partial
        samples = [s for s in every if not some or benchmark.applies(protocol.prompt, s)]
        options = {p.id: benchmark.render(protocol.prompt, p) for p in benchmark.probes()}
        asked = {_part(p): options[p.id] for p in benchmark.probes()}
        scores = {name: _scores(protocol, samples, asked, say) for name, say in BLIND.items()}
        drawn = _scores(protocol, _repeated(samples), asked, _chance)
        for part, listed in scores["list every option"].items():
            row: dict[str, Any] = {
                "protocol": protocol.name,
                "part": part,
                "metric": protocol.headline,
                "n": listed["n"],
                "chance": drawn[part]["value"],
                "best constant": listed["floor"],
                "constant answer": listed["floor_answer"],
            } | {name: found[part]["value"] for name, found in scores.items()}
            winners = [name for name in (*BLIND, "best constant") if (row[name] or 0.0) >= WON]
            rows.append(row | {"won by": winners[0] if winners else None})
    return rows


def _part(sample: Sample) -> tuple[str | None, str | None]:
    return sample.tags.get("split"), sample.tags.get("task")


def _scores(
    protocol: Protocol,
    samples: list[Sample],
    asked: dict[tuple[str | None, str | None], Question],
    say: Callable[[Question, Sample], str],
) -> dict[str, dict[str, Any]]:
    """The headline of each whole part, with its floor, for a subject that says the same to everything."""

    def marked() -> Iterator[tuple[Sample, Mark]]:
        for sample in samples:
            yield sample, mark_reply(protocol, sample, say(asked[_part(sample)], sample))

    groups = protocol.summarise(marked())
    fewest = min(len(g.by) for g in groups)
    found = {}
    for group in (g for g in groups if len(g.by) == fewest):
        metric = group.metrics[protocol.headline]
        value = metric.value or 0.0
        found[" · ".join(group.by.values())] = {
            "value": value,
            "n": group.n,
            "floor": metric.floor,
            "floor_answer": metric.floor_answer,
        }
    return found


def _everything(question: Question, _sample: Sample) -> str:
    return question.answer_form.format(", ".join(question.options))


def _contradiction(question: Question, _sample: Sample) -> str:
    """Says of every option that it is the answer, and that it is not."""
    return " ".join(f"It is {o}. It is not {o}." for o in question.options)


BLIND: dict[str, Callable[[Question, Sample], str]] = {
    "list every option": _everything,
    "contradict yourself": _contradiction,
}


def _repeated(samples: list[Sample]) -> list[Sample]:
    """The samples several times over, with ids of their own, so that chance is drawn often enough."""
    smallest = min(Counter(_part(s) for s in samples).values())
    times = range(ceil(ENOUGH / smallest))
    return (
        [msgspec.structs.replace(s, id=f"{s.id}~{i}") for i in times for s in samples] if smallest < ENOUGH else samples
    )


def _chance(question: Question, sample: Sample) -> str:
    """As `baseline/chance`: an option, or a set of options."""
    draw = random.Random(sample.id)  # noqa: S311 (a coin, not a secret)
    if not question.options:
        return ""
    if question.answer_kind == "any-of":
        mask = draw.randrange(1, 2 ** len(question.options))
        return question.answer_form.format(", ".join(o for i, o in enumerate(question.options) if mask >> i & 1))
    return question.answer_form.format(draw.choice(question.options))
