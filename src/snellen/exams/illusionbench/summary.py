"""What is IllusionBench's own in a summary: its groups, and the best that one constant reply would get. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from snellen.core.protocol import Group, Key
from snellen.exams.illusionbench.names import SCENES, SHAPES, SIMPLE, SUBSETS, TASKS

STATIONARY = "stationary"


class Names(NamedTuple):
    """The true names of an image."""

    shape: str
    scene: str


def kind_of(scene: str) -> str:
    """Simple or complex, as the paper groups scenes."""
    return "simple" if scene in SIMPLE else "complex"


# how samples are grouped within a subset and task; a group that is None is left out
GROUPINGS: dict[str, Callable[[Mapping[str, str]], str | None]] = {
    "class": lambda tags: tags["shape"],
    "scene": lambda tags: tags["scene"],
    "scenes": lambda tags: kind_of(tags["scene"]),
    "difficulty": lambda tags: tags["difficulty"],
    "strength": lambda tags: tags["strength"] or None,
    "without": lambda tags: STATIONARY if tags["split"] == "Illusion_ICON" and tags["shape"] != STATIONARY else None,
}


def groups(tags: Mapping[str, str]) -> Iterator[Key]:
    """A subset and task, then class, scene, kind of scene, difficulty and strength within it."""
    part = (("split", tags["split"]), ("task", tags["task"]))
    yield part
    for name, group_of in GROUPINGS.items():
        value = group_of(tags)
        if value is not None:
            yield (*part, (name, value))


def order(key: Key) -> tuple[int, int, int, str]:
    """Whole subsets and tasks first, then the groupings in their order."""
    (_s, split), (_t, task), *rest = key
    place = list(GROUPINGS).index(rest[0][0]) + 1 if rest else 0
    return SUBSETS.index(split), TASKS.index(task), place, rest[0][1] if rest else ""


def floors(
    group: Group, metrics: tuple[str, ...], won: Callable[[Names], tuple[tuple[str, ...], ...]]
) -> dict[str, tuple[float, str]]:
    """The best recalls that one constant reply gets; `won` has the metrics that each such reply gets in full.

    Within a class or a scene the constant answer is trivially right, so there is no floor.
    """
    if {"class", "scene"} & group.by.keys():
        return {}
    truths: Counter[Names] = Counter()
    for seen, count in group.rows():
        truths[cast(Names, seen.own)] += count
    replies = constant_replies(group.by["split"])
    sums: list[Counter[str]] = [Counter() for _ in replies]
    for truth, count in truths.items():
        for at, names in enumerate(won(truth)):
            for name in names:
                sums[at][name] += count
    best: dict[str, tuple[float, str]] = {}
    for reply, found in zip(replies, sums, strict=True):
        for name in metrics:
            if name not in best or found[name] / group.n > best[name][0]:
                best[name] = (found[name] / group.n, reply)
    return best


def constant_replies(subset: str) -> list[str]:
    """What a subject that never looks could always say: every name, with and without `Answer:`, and all names at once."""
    names = (*SHAPES[subset], *SCENES)
    return [*names, *(f"Answer: {name}" for name in names), ", ".join(names)]
