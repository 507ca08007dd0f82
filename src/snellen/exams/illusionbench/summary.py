"""The summarise stage: recalls by subset and task, and by class, scene, kind of scene, difficulty and strength."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from snellen.core.results import GroupSummary, Score
from snellen.core.types import NON_ANSWERS, Mark, Outcome, Sample
from snellen.exams.illusionbench.names import SCENES, SHAPES, SIMPLE, SUBSETS
from snellen.stats.intervals import wilson

if TYPE_CHECKING:
    from snellen.exams.illusionbench.protocols import Asked, IllusionProtocol

TASKS = ("shape", "scene", "both")
METRICS = ("recall", "shape_recall", "scene_recall", "rest", "multi_word")
STATIONARY = "stationary"
Key = tuple[tuple[str, str], ...]
Judged = dict[tuple[str, str, str], dict[tuple[str, str], tuple[str, ...]]]


def kind_of(scene: str) -> str:
    """Simple or complex, as the paper groups scenes."""
    return "simple" if scene in SIMPLE else "complex"


# how samples are grouped within a subset and task; a group that is None is left out
GROUPINGS: dict[str, Callable[[dict[str, str]], str | None]] = {
    "class": lambda tags: tags["shape"],
    "scene": lambda tags: tags["scene"],
    "scenes": lambda tags: kind_of(tags["scene"]),
    "difficulty": lambda tags: tags["difficulty"],
    "strength": lambda tags: tags["strength"] or None,
    "without": lambda tags: STATIONARY if tags["split"] == "Illusion_ICON" and tags["shape"] != STATIONARY else None,
}


class _Tally:
    """Counts of one group: no sample is kept."""

    def __init__(self) -> None:
        self.n = 0
        self.outcomes: Counter[str] = Counter()
        self.hits: Counter[str] = Counter()
        self.defined: Counter[str] = Counter()
        self.truths: Counter[tuple[str, str]] = Counter()

    def add(self, sample: Sample, mark: Mark, buckets: bool) -> None:
        self.n += 1
        self.outcomes[mark.outcome.value] += 1
        self.truths[sample.tags["shape"], sample.tags["scene"]] += 1
        values = dict(mark.metrics)
        if buckets:
            values["rest"] = float(values.get("bucket", "rest") == "rest")
        for name in METRICS:
            value = values.get(name)
            if isinstance(value, float):
                self.defined[name] += 1
                self.hits[name] += int(value)


def summarise(protocol: IllusionProtocol, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
    """All groups of one protocol, whole subsets first."""
    tallies: dict[Key, _Tally] = {}
    for sample, mark in marked:
        tags = sample.tags
        base: Key = (("split", tags["split"]), ("task", tags["task"]))
        keys = [base]
        for name, group_of in GROUPINGS.items():
            value = group_of(tags)
            if value is not None:
                keys.append((*base, (name, value)))
        for key in keys:
            tallies.setdefault(key, _Tally()).add(sample, mark, protocol.buckets)
    judged: Judged = {}
    return tuple(_group(protocol, dict(key), tallies[key], judged) for key in sorted(tallies, key=_order))


def _order(key: Key) -> tuple[int, int, int, str]:
    (_s, split), (_t, task), *rest = key
    place = list(GROUPINGS).index(rest[0][0]) + 1 if rest else 0
    return SUBSETS.index(split), TASKS.index(task), place, rest[0][1] if rest else ""


def _group(protocol: IllusionProtocol, by: dict[str, str], tally: _Tally, judged: Judged) -> GroupSummary:
    # within a class or a scene the constant answer is trivially right, so no floor is shown there
    floors = _floors(protocol, by, tally, judged) if not {"class", "scene"} & by.keys() else {}
    metrics = {}
    for name in METRICS:
        n, hits = tally.defined[name], tally.hits[name]
        if n:
            low, high = wilson(hits, n)
            floor = floors.get(name, (None, None))
            metrics[name] = Score(
                value=hits / n, n=n, low=low, high=high, interval="wilson", floor=floor[0], floor_answer=floor[1]
            )
    missing = sum(tally.outcomes[o.value] for o in NON_ANSWERS)
    right = tally.hits["recall"]
    bounds = (right / tally.n, min(1.0, (right + missing) / tally.n)) if missing else None
    ordered = {o.value: tally.outcomes[o.value] for o in Outcome if tally.outcomes[o.value]}
    return GroupSummary(by=by, n=tally.n, outcomes=ordered, metrics=metrics, bounds=bounds)


def _floors(
    protocol: IllusionProtocol, by: dict[str, str], tally: _Tally, judged: Judged
) -> dict[str, tuple[float, str]]:
    """The best recalls that one constant reply gets: every name, with and without `Answer:`, and all names at once."""
    from snellen.exams.illusionbench.protocols import Asked

    subset, task = by["split"], by["task"]
    best: dict[str, tuple[float, str]] = {}
    for reply in constant_replies(subset):
        known = judged.setdefault((subset, task, reply), {})  # groups overlap: each truth is judged once
        sums: Counter[str] = Counter()
        for truth, n in tally.truths.items():
            if truth not in known:
                known[truth] = _recalls(protocol, reply, Asked(subset, task, *truth))
            for name in known[truth]:
                sums[name] += n
        for name in METRICS[:3]:
            if sums[name] / tally.n > best.get(name, (-1.0, ""))[0]:
                best[name] = (sums[name] / tally.n, reply)
    return best


def _recalls(protocol: IllusionProtocol, reply: str, asked: Asked) -> tuple[str, ...]:
    """The metrics that a reply gets in full."""
    return tuple(k for k, v in protocol.judge_text(reply, asked).metrics.items() if v == 1.0)


def constant_replies(subset: str) -> list[str]:
    """What a subject that never looks could always say."""
    names = (*SHAPES[subset], *SCENES)
    return [*names, *(f"Answer: {name}" for name in names), ", ".join(names)]
