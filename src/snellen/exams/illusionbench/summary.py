"""Summaries specific to IllusionBench: its groups, and the best score of one constant reply. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from snellen.core.protocol import Group, Key
from snellen.core.results import Floor
from snellen.core.types import Sample
from snellen.exams.illusionbench.names import SCENES, SHAPES, SUBSETS, TASKS, WORDS
from snellen.stats.constants import ConstantScores

STATIONARY = "stationary"


class IllusionTruth(NamedTuple):
    """The truth against which a reply is judged."""

    subset: str
    task: str
    shape: str
    scene: str

    @classmethod
    def of(cls, sample: Sample) -> IllusionTruth:
        """Return the truth of a sample."""
        tags = sample.tags
        return cls(tags["split"], tags["task"], tags["shape"], tags["scene"])

    @property
    def truths(self) -> dict[str, str]:
        """The names that the task asks for, by kind."""
        names = {"shape": self.shape, "scene": self.scene}
        return names if self.task == "both" else {self.task: names[self.task]}


def _kind_of(scene: str) -> str:
    """Return simple or complex, the paper's two groups of scenes."""
    return "simple" if scene in WORDS.simple_scenes else "complex"


# how samples are grouped within a subset and task; a group that is None is left out
GROUPINGS: dict[str, Callable[[Mapping[str, str]], str | None]] = {
    "class": lambda tags: tags["shape"],
    "scene": lambda tags: tags["scene"],
    "scenes": lambda tags: _kind_of(tags["scene"]),
    "difficulty": lambda tags: tags["difficulty"],
    "strength": lambda tags: tags["strength"] or None,
    "without": lambda tags: STATIONARY if tags["split"] == "Illusion_ICON" and tags["shape"] != STATIONARY else None,
}


def groups(tags: Mapping[str, str]) -> Iterator[Key]:
    """Yield a subset and task, then class, scene, kind of scene, difficulty and strength within it."""
    part = (("split", tags["split"]), ("task", tags["task"]))
    yield part
    for name, group_of in GROUPINGS.items():
        value = group_of(tags)
        if value is not None:
            yield (*part, (name, value))


def order(key: Key) -> tuple[int, int, int, str]:
    """Return the sort key: whole subsets and tasks first, then the groupings in their order."""
    (_s, split), (_t, task), *rest = key
    place = list(GROUPINGS).index(rest[0][0]) + 1 if rest else 0
    return SUBSETS.index(split), TASKS.index(task), place, rest[0][1] if rest else ""


def floors(
    group: Group, metrics: tuple[str, ...], won: Callable[[str, IllusionTruth], frozenset[str]]
) -> dict[str, Floor]:
    """Return the best recalls of one constant reply; `won` returns the metrics on which a reply scores fully for the names of an image.

    A recall that was not asked for has no floor. There is also none if all its names are the same (within a class, say), because a constant
    is then trivially right.
    """
    task = group.by["task"]
    truths: Counter[IllusionTruth] = Counter()
    for seen, count in group.rows():
        truths[cast(IllusionTruth, seen.own)] += count
    kinds = [kind for kind in ("shape", "scene") if task in (kind, "both")]
    asked = {"recall": kinds} | {f"{kind}_recall": [kind] for kind in kinds}
    varied = {name for name, some in asked.items() if len({tuple(getattr(t, k) for k in some) for t in truths}) > 1}
    tried = {name: ConstantScores() for name in metrics if name in varied}
    for reply, allowed in _constant_replies(group.by["split"], task, truths) if tried else ():
        sums: Counter[str] = Counter()
        for truth, count in truths.items():
            for name in won(reply, truth):
                sums[name] += count
        for name, one in tried.items():
            one.add(sums[name] / group.n, reply, allowed=allowed)
    return {name: one.floor for name, one in tried.items()}


def _constant_replies(subset: str, task: str, truths: Counter[IllusionTruth]) -> Iterator[tuple[str, bool]]:
    """Yield the replies that a blind baseline could always give, and whether a prompt allows them: every name, with and without `Answer:`.

    If a shape and a scene are asked for: the most common shape and scene, and the most common pair. All names at once is also tried, though
    no prompt allows it.
    """
    names = (*SHAPES[subset], *SCENES)
    if task == "both":
        shapes, scenes = Counter[str](), Counter[str]()
        for truth, count in truths.items():
            shapes[truth.shape] += count
            scenes[truth.scene] += count
        commonest = truths.most_common(1)[0][0]
        each = shapes.most_common(1)[0][0], scenes.most_common(1)[0][0]
        for shape, scene in dict.fromkeys((each, (commonest.shape, commonest.scene))):
            yield f"Shape: {shape}\nScene: {scene}", True
            yield f"{scene}, {shape}", True
    for form in ("{}", "Answer: {}"):
        for name in names:
            yield form.format(name), task != "both"
    yield ", ".join(names), False
